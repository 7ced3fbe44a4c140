"""Sentences about what was found, made at the end from records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation
from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import Sentence, joined, listed, say, sentence
from verification.refuter.climb import Summit
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.relations.bounded import Bounded
from verification.relations.compare import Compare
from verification.terms.comparing import OTHER
from verification.terms.term import Letter
from verification.theories.answers import Answer, Disproved, Proved, Silent
from verification.verdicts.verdict import Converse, Evidence, Finding, Gap
from verification.verdicts.wording import beside_a_failure

BY_NUMBERS = sentence("It is violated at the numbers below.")
_TIGHT = 0.99  # smaller side over larger, where it comes this close to one
_ENDLESS = 10**6  # a ratio beyond this, where the search stops, is one that still grows


def to_leading_order(way: Any) -> Sentence:
    """Why what becomes true on a way is not true."""
    moves = "grows" if way.to == "oo" else "vanishes"
    return say("It is right to leading order as {} {}, and not exactly.", way.letter, moves)


def reason(answers: Sequence[Answer], fails: bool) -> Sentence:
    """Why the verdict is what it is."""
    proofs = [a for a in answers if isinstance(a, Proved)]
    if len(proofs) == len(answers):
        return joined(*dict.fromkeys(a.lemma for a in proofs))
    left_over = _left_over(answers)
    if left_over:
        told = listed(left_over, by="; ")
        known = "is not zero in general" if fails else "is not shown to be zero"
        return say("The left side minus the right is {}, which {}.", told, known)
    disproved = [a.lemma for a in answers if isinstance(a, Disproved) and a.lemma]
    if disproved:
        return joined(*dict.fromkeys(disproved))
    return BY_NUMBERS if fails else sentence("No proof was found, and no violation.")


def no_common_theory(theories: Iterable[str], kinds: Iterable[str]) -> str:
    """Why nothing is said of words that belong to several theories, or of such letters.

    >>> no_common_theory({"time", "distances"}, {"positive", "matrix"})
    'No theory takes words of distances, time with letters of the kinds matrix, positive.'
    """
    words = f"words of {', '.join(sorted(theories))}" if theories else "statements"
    letters = f" with letters of the kinds {', '.join(sorted(kinds))}" if kinds else ""
    return f"No theory takes {words}{letters}."


def cannot_be_asked(error: Exception) -> Sentence:
    """Why nothing is said where a theory cannot work something out."""
    return say("It cannot be worked out: {}.", str(error))


def needs(statement: Any, premises: bool, fails: bool) -> Sentence:
    """What follows for a statement from another one, without which it cannot hold."""
    lines = getattr(statement.needed, "lines", statement.needed.relations)
    said = listed(lines, by="; ")
    if not premises:
        return say("A premise is not proved under which it can hold only where this is so: {}.", said)
    word = "is false in general" if fails else "does not decide it"
    return say("It can hold only where this is so: {}. That {}.", said, word)


def premise(statement: Relation, finding: Finding) -> Evidence:
    """What was found of a premise."""
    words = say("Premise, {}: {}. {}", finding.verdict, statement, finding.reason)
    return Evidence("symbolic", words, {"premise": finding.verdict})


def part(number: int, statement: Relation, finding: Finding) -> Evidence:
    """What was found of one of several things that are said at once."""
    words = say("Part {}, {}: {}. {}", str(number), finding.verdict, statement, finding.reason)
    return Evidence("symbolic", words, {"part": finding.verdict})


def of_parts(parts: Sequence[Evidence]) -> Sentence:
    """What is known of several things that are said at once."""
    return joined(*(one.words for one in parts))


def proof(relations: Sequence[Relation], answers: Sequence[Answer]) -> Evidence:
    """The symbolic route."""
    derivations = [a.derivation for a in answers if a.derivation is not None]
    left_over = _left_over(answers)
    if all(isinstance(a, Proved) for a in answers):
        lemmas = dict.fromkeys(a.lemma for a in answers if isinstance(a, Proved))
        words = joined("Proved:", *lemmas)
    elif left_over:
        words = sentence("A difference is left over.")
    elif any(isinstance(a, Disproved) for a in answers):
        words = sentence("It is false in general.")
    else:
        why = dict.fromkeys(a.why.value for a in answers if isinstance(a, Silent))
        words = say("No proof: {}.", joined(*why, by="; "))
    steps = tuple(s for d in derivations for s in d.steps)
    title = derivations[0].title if derivations else "Proof"
    facts = {k: v for a in answers for k, v in a.facts.items()}
    data = {"left_over": [str(one) for one in left_over], **facts}
    return Evidence("symbolic", words, data, Derivation(title, steps, ()))


def broken_off(what: str, seconds: float) -> Evidence:
    """A search that found nothing in its time."""
    words = f"The search for {what} was broken off after {seconds:.0f} seconds of computing."
    return Evidence("search", words, {"seconds": seconds})


def proof_under(answers: Sequence[Answer]) -> Evidence:
    """The proof under a condition that the source does not state."""
    steps = tuple(s for a in answers if a.derivation is not None for s in a.derivation.steps)
    words = "Proved under that condition."
    return Evidence("symbolic", words, {"condition": True}, Derivation("Under the condition", steps, ()))


def in_the_limit(gap: Gap) -> Sentence:
    """What holds to leading order only."""
    if gap.of_many:
        return say("It holds only as ${}$ vanishes.", gap.parameter)
    small = "the step"
    if gap.faster:
        small = say("${}$, where ${}$ vanishes faster", gap.parameter, gap.faster)
    return say("It is right to leading order in {}, and not exactly.", small)


def random_places(held: Sequence[bool], failure: object, spelt: Any) -> Evidence:
    """The other route: random places, or sequences that are formulas."""
    if not held:
        words = "No random exact place could be looked at."
        return Evidence("exact", words, {"places": 0, "holds": True})
    families = dict.fromkeys(getattr(one, "family", ()) for one in spelt.relations)
    if all(families):
        each = (listed(say("${} = {}$", a, formula) for a, formula in one) for one in families)
        words = "satisfy it with each of these" if all(held) else "violate it with one or more of these"
        told = say("Exact numbers {}: {}.", words, listed(each, by="; "))
        return Evidence("exact", told, {"holds": all(held)})
    one, many = ("satisfies", "satisfy") if all(held) else ("violates", "violate")
    many = f"{len(held)} random exact places {many}"
    found = Evidence(
        "exact",
        f"{f'One random exact place {one}' if len(held) == 1 else many} it.",
        {"places": len(held), "holds": all(held)},
    )
    return found if failure is None else beside_a_failure(found)


def somewhere(problem: Mapping[str, Any]) -> Sentence:
    """Why something is so somewhere.

    >>> somewhere({"mu": "1/2", "nu": "1"})
    'It is so at mu = 1/2, nu = 1.'
    """
    return say("It is so at {}.", exact_numbers(problem))


def witness(problem: Mapping[str, Any]) -> Evidence:
    """Where it is so, in exact numbers and by the script."""
    return Evidence("exact", somewhere(problem), {"holds": True, "places": 1, "witness": dict(problem)})


def nowhere(answers: Sequence[Answer]) -> Sentence:
    """Why something is so nowhere, or that nothing is known."""
    proofs = [a.lemma for a in answers if isinstance(a, Proved)]
    if proofs:
        return joined("Nowhere.", *proofs)
    return sentence("No place was found, and no reason why there is none.")


def nearest(summit: Summit, verdict: str) -> Evidence:
    """How near an inequality comes to being violated, and where.

    >>> from fractions import Fraction
    >>> from verification.refuter.places import Place
    >>> nearest(Summit(Place({}, {"x": Fraction(1)}), Fraction(1), (), ()), "proved").words
    'Both sides are equal at a place that a search found: the inequality is tight.'
    >>> nearest(Summit(Place({}, {"x": Fraction(9)}), Fraction(999, 1000), (), ()), "proved").words
    'The smaller side over the larger comes near to 1: the inequality is tight.'
    >>> nearest(Summit(Place({}, {"x": Fraction(2**41)}), Fraction(2**40), (), ("x",)), "refuted").words
    'The smaller side over the larger grows without end, as x -> infinity: violated.'
    """
    value = float(summit.value)
    word = "the inequality is tight" if value >= _TIGHT else "there may be a larger one"
    if value > 1:
        word = "violated, without the condition" if verdict == "proved-if" else "violated"
    elif verdict in ("refuted", "limit-only"):
        word = "violated"
    data = {
        "largest_found": value,
        "where": summit.where,
        "at": summit.place.to_json(),
        "tight": _TIGHT <= value <= 1,
    }
    if value > _ENDLESS and (summit.to_zero or summit.to_infinity):
        told = say("The smaller side over the larger grows without end, {}: {}.", summit.way, word)
        return Evidence("search", told, data)
    if value > _ENDLESS:
        told = say("The smaller side exceeds the larger by every factor that was tried: {}.", word)
        return Evidence("search", told, data)
    if data["tight"] and summit.way is None:
        met = "Both sides are equal at a place that a search found: {}."
        near = "The smaller side over the larger comes near to $1$: {}."
        return Evidence("search", say(met if summit.value == 1 else near, word), data)
    where = say(", {}", summit.where) if summit.way else ""
    found = "The largest ratio of the smaller side to the larger that a search found is ${:.4g}${}: {}."
    return Evidence("search", say(found, value, where, word), data)


def remark(condition: Relation) -> Evidence:
    """A condition beside a correction."""
    return Evidence("search", say("It holds where {}.", condition), {"condition": condition.text()})


def condition(found: Any, moving: Sequence[Letter] = (), of: Any = None) -> Sentence:
    """A relation between letters, or a condition on matrices, in words.

    On a letter that moves it is one on all its values. Of a bound up to a constant any other lower bound
    above zero is as good.
    """
    if isinstance(of, Bounded) and isinstance(found, Compare):
        return say("{} has a lower bound above zero", found.left)
    if hasattr(found, "relations"):
        return listed(found.relations, by=" and ")
    among = [a for a in moving if a.name in found.letters]
    return say("{}, among all such {}", found.words, listed(among, by=" and ")) if among else found.words


def either(conditions: Sequence[Sentence]) -> Sentence:
    """Conditions of which one is enough.

    >>> print(either([sentence("$A$ is diagonal"), sentence("$D = 1$")]))
    A is diagonal or D = 1
    >>> print(either([sentence("$A$, $B$ and $C$ commute"), sentence("$D = 1$")]))
    A, B and C commute; or D = 1
    """
    return joined(*conditions, by="; or " if any("," in one for one in conditions) else " or ")


def second_values(place: Any) -> Sentence | None:
    """What moves at a place where letters take a second value."""
    given: dict[str, Any] = {**place.matrices, **place.scalars}
    found = {n.removesuffix(OTHER): x for n, x in given.items() if n.endswith(OTHER)}
    told = listed(say("${} = {}$", n, matrix(x)) for n, x in found.items())
    return say("when {} instead", told) if told else None


def matrix(x: Any) -> str:
    """Rows of numbers on one line, or a number.

    >>> matrix([["1", "0"], ["0", "2"]]), matrix("1/2")
    ('[1 0; 0 2]', '1/2')
    """
    rows = ("; ".join(" ".join(map(str, row)) for row in x),) if isinstance(x, tuple | list) else ()
    return f"[{rows[0]}]" if rows else str(x)


def beside(condition: Any, question: Any) -> Any:
    """A sentence on the data that have a condition, or on a letter of it that its theory brings in."""
    told = {a.name for one in question.given for a in one.letters}
    letters = {getattr(a, "name", a) for a in condition.letters} - told
    ours = (words for name, words in question.subject.its_own.items() if name in letters)
    return getattr(condition, "usual", "") or next(ours, "")


def holds_where(found: str, converse: Converse, stands: str = "read", usual: str = "") -> Sentence:
    """A statement that needs a condition, and whether it needs that one; whose it is, and who has it.

    >>> print(holds_where("a = 1", Converse((), "necessary")))
    It fails in general and holds where a = 1, and only there. The paper does not say so.
    >>> print(holds_where("a = 1", Converse((), "sufficient", {"a": "2"})))
    It fails in general and holds where a = 1. It can hold elsewhere too. The paper does not say so.
    """
    elsewhere = {"necessary": ", and only there.", "sufficient": ". It can hold elsewhere too."}
    told = elsewhere.get(converse.known, ". Whether it can hold elsewhere is not known.")
    # what is derived, no paper says
    silent = {"common": " It is said without that.", "derived": ""}
    said = silent.get(stands, " The paper does not say so.")
    more = say(" {}", usual) if usual else ""
    return say("It fails in general and holds where {}{}{}{}", found, told, said, more)


def of_converse(found: str, converse: Converse) -> Evidence:
    """What is known of a statement where a condition that makes it true does not hold.

    >>> of_converse("a = 1", Converse((), "sufficient", {"a": "2"})).words
    'The condition is sufficient, not necessary: the statement also holds at a = 2.'
    >>> of_converse("a = 1", Converse((), "not known", failing=3)).words
    'The condition is sufficient; at 3 exact places without it the statement fails, and no ...'
    """
    data = {"condition": found, **converse.fields()}
    if converse.known == "necessary":
        words = "The condition is necessary and sufficient: without it the statement is proved to fail."
        return Evidence("symbolic", words, data)
    if converse.without is not None:
        words = "The condition is sufficient, not necessary: the statement also holds at {}."
        return Evidence("search", say(words, exact_numbers(converse.without)), data)
    places = f"{converse.failing} exact place{'s' if converse.failing > 1 else ''}"
    tried = f"; at {places} without it the statement fails, and" if converse.failing else ";"
    words = f"The condition is sufficient{tried} no proof says that it is necessary."
    return Evidence("search", words, {**data, "fails_without": converse.failing})


def exact_numbers(problem: Mapping[str, Any]) -> Sentence:
    """The numbers of a place on one line, in the letters of a problem.

    >>> print(exact_numbers({"hessian": [["2", "1"], ["1", "3"]], "params": {"eps": "1"}}))
    A = [2 1; 1 3], eps = 1
    """
    names = {"hessian": "A", "noise": "B B^T"}
    flat = {k: v for k, v in problem.items() if k not in ("model", "params")}
    flat |= problem.get("params", {})
    called = ((names.get(k) or plain(sp.Symbol(k)), v) for k, v in flat.items())
    return listed(say("${} = {}$", k, matrix(v)) for k, v in called)


def numbers(relation: Relation, seen: Sides, printed: Mapping[str, str]) -> Evidence:
    """A relation between numbers, in exact arithmetic."""
    words = with_numbers(relation, seen, printed)
    return Evidence("exact", words, {"holds": seen.holds, "left": seen.left, "right": seen.right})


def with_numbers(relation: Relation, seen: Sides, printed: Mapping[str, str]) -> Sentence:
    """Why a statement between numbers is true or not: what one relation comes to, and with which."""
    own = {a.name: printed[a.name] for a in relation.letters if a.name in printed}
    where = say("With {}", exact_numbers(own)) if own else "With these numbers"
    told = "{} the left side of {} is ${}$, the right side ${}$."
    return say(told, where, relation, seen.left, seen.right)


def never_given() -> Sentence:
    """Why nothing is said where hypotheses are not so, or not known to be, at the numbers given."""
    return sentence("What is given is not known to hold with these numbers, so nothing is said.")


def undecided(relation: Relation) -> Sentence:
    """Two numbers that no number of digits tells apart, or that are undefined."""
    why = "a side is undefined, or both agree to 240 digits"
    return say("{} could not be decided: {}.", relation, why)


def _left_over(answers: Sequence[Answer]) -> list[Sentence]:
    """What remains of differences, in factors."""
    found = [a.left_over for a in answers if isinstance(a, Silent) and a.left_over]
    told = (sentence(e) if isinstance(e, str) else _in_factors(e) for e in found)
    return list(dict.fromkeys(told))  # two processes may leave over the same


@cache
def _in_factors(expr: Any) -> Sentence:
    return say("{}", sp.factor(expr))
