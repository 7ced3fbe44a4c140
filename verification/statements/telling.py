"""Sentences about what was found, made at the end from records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation
from sgtheory.notation.printing import plain
from verification.refuter.climb import Summit
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.terms.comparing import OTHER
from verification.terms.term import Letter
from verification.theories.answers import Answer, Disproved, Proved, Silent
from verification.verdicts.verdict import Converse, Evidence, Finding, Gap
from verification.verdicts.wording import beside_a_failure

_TIGHT = 0.99  # smaller side over larger, where it comes this close to one
_ENDLESS = 10**6  # a ratio beyond this, where the search stops, is one that still grows


def to_leading_order(way: Any) -> str:
    """Why what becomes true on a way is not true."""
    moves = "grows" if way.to == "oo" else "vanishes"
    return f"It is right to leading order as {way.letter} {moves}, and no further."


def reason(answers: Sequence[Answer], fails: bool) -> str:
    """Why the verdict is what it is."""
    proofs = [a for a in answers if isinstance(a, Proved)]
    if len(proofs) == len(answers):
        return " ".join(dict.fromkeys(a.lemma for a in proofs))
    left_over = _left_over(answers)
    if left_over:
        return f"The left side minus the right is {'; '.join(left_over)}, which is not zero in general."
    disproved = [a.lemma for a in answers if isinstance(a, Disproved)]
    if disproved:
        return " ".join(disproved)
    return "It is violated at the numbers below." if fails else "No proof was found, and no violation."


def no_common_theory(theories: Iterable[str], kinds: Iterable[str]) -> str:
    """Why nothing is said of words that belong to several theories, or of such letters.

    >>> no_common_theory({"time", "distances"}, {"positive", "matrix"})
    'No theory takes words of distances, time with letters of the kinds matrix, positive.'
    """
    words = f"words of {', '.join(sorted(theories))}" if theories else "statements"
    letters = f" with letters of the kinds {', '.join(sorted(kinds))}" if kinds else ""
    return f"No theory takes {words}{letters}."


def cannot_be_asked(error: Exception) -> str:
    """Why nothing is said where a theory cannot work something out."""
    return f"It cannot be worked out: {error}."


def needs(statement: Any, premises: bool, fails: bool) -> str:
    """What follows for a statement from another one, without which it cannot hold."""
    lines = getattr(statement.needed, "lines", statement.needed.relations)
    said = "; ".join(line.text() for line in lines)
    if not premises:
        return f"A premise is not proved under which it can hold only where {said}."
    word = "is false in general" if fails else "does not decide it"
    return f"It can hold only where {said}, which {word}."


def premise(statement: Relation, finding: Finding) -> Evidence:
    """What was found of a premise."""
    words = f"Premise, {finding.verdict}: {statement.text()}. {finding.reason}"
    return Evidence("symbolic", words, {"premise": finding.verdict})


def proof(relations: Sequence[Relation], answers: Sequence[Answer]) -> Evidence:
    """The symbolic route."""
    derivations = [a.derivation for a in answers if a.derivation is not None]
    left_over = _left_over(answers)
    if all(isinstance(a, Proved) for a in answers):
        words = "Proved: " + " ".join(dict.fromkeys(a.lemma for a in answers if isinstance(a, Proved)))
    elif left_over:
        words = "A difference is left over."
    elif any(isinstance(a, Disproved) for a in answers):
        words = "It is false in general."
    else:
        words = "No proof: " + "; ".join(
            dict.fromkeys(a.why.value for a in answers if isinstance(a, Silent))
        )
    steps = tuple(s for d in derivations for s in d.steps)
    title = derivations[0].title if derivations else "Proof"
    facts = {k: v for a in answers for k, v in a.facts.items()}
    data = {"left_over": left_over, **facts}
    return Evidence("symbolic", words, data, Derivation(title, steps, ()))


def proof_under(answers: Sequence[Answer]) -> Evidence:
    """The proof under a condition that the source does not state."""
    steps = tuple(s for a in answers if a.derivation is not None for s in a.derivation.steps)
    words = "Proved under that condition."
    return Evidence("symbolic", words, {"condition": True}, Derivation("Under the condition", steps, ()))


def in_the_limit(gap: Gap) -> str:
    """What holds to leading order only."""
    if gap.parameter.startswith("1/"):
        return f"It holds only as {gap.parameter} vanishes."
    return "It is right to leading order in the step, and no further."


def random_places(held: Sequence[bool], failure: object, spelt: Any) -> Evidence:
    """The other route: random places, or sequences that are formulas."""
    if not held:
        words = "No random exact place could be looked at."
        return Evidence("exact", words, {"places": 0, "holds": True})
    families = dict.fromkeys(getattr(one, "family", ()) for one in spelt.relations)
    if all(families):
        told = "; ".join(", ".join(f"{a} = {formula}" for a, formula in one) for one in families)
        words = "satisfy it with each of these" if all(held) else "violate it with one of these"
        return Evidence("exact", f"Exact numbers {words}: {told}.", {"holds": all(held)})
    words = "satisfy" if all(held) else "violate"
    found = Evidence(
        "exact",
        f"Random exact places {words} it ({len(held)} looked at).",
        {"places": len(held), "holds": all(held)},
    )
    return found if failure is None else beside_a_failure(found)


def somewhere(problem: Mapping[str, Any]) -> str:
    """Why something is so somewhere.

    >>> somewhere({"mu": "1/2", "nu": "1"})
    'It is so at mu = 1/2, nu = 1.'
    """
    return f"It is so at {', '.join(f'{a} = {x}' for a, x in problem.items())}."


def witness(problem: Mapping[str, Any]) -> Evidence:
    """Where it is so, in exact numbers and by the script."""
    return Evidence("exact", somewhere(problem), {"holds": True, "places": 1, "witness": dict(problem)})


def nowhere(answers: Sequence[Answer]) -> str:
    """Why something is so nowhere, or that nothing is known."""
    proofs = [a.lemma for a in answers if isinstance(a, Proved)]
    return (
        f"Nowhere. {' '.join(proofs)}"
        if proofs
        else "No place was found, and no reason why there is none."
    )


def nearest(summit: Summit, verdict: str) -> Evidence:
    """How near an inequality comes to being violated, and where.

    >>> from fractions import Fraction
    >>> from verification.refuter.places import Place
    >>> nearest(Summit(Place({}, {"x": Fraction(1)}), Fraction(1), (), ()), "proved").words
    'The smaller side is at most 1 times the larger, attained: tight.'
    >>> nearest(Summit(Place({}, {"x": Fraction(2**41)}), Fraction(2**40), (), ("x",)), "refuted").words
    'The smaller side over the larger grows without end, as x -> infinity: violated.'
    """
    value = float(summit.value)
    word = "tight" if value >= _TIGHT else "not tight"
    if value > 1:
        word = "violated, without the condition" if verdict == "proved-if" else "violated"
    elif verdict in ("refuted", "limit-only"):
        word = "violated"
    data = {
        "supremum": value,
        "where": summit.where,
        "at": summit.place.to_json(),
        "tight": _TIGHT <= value <= 1,
    }
    if value > _ENDLESS and (summit.to_zero or summit.to_infinity):
        along = summit.where.removeprefix("approached ")
        return Evidence(
            "search", f"The smaller side over the larger grows without end, {along}: {word}.", data
        )
    words = f"The smaller side is at most {value:.4g} times the larger, {summit.where}: {word}."
    return Evidence("search", words, data)


def remark(condition: Relation) -> Evidence:
    """A condition beside a correction."""
    text = condition.text()
    return Evidence("search", f"It holds where {text}.", {"condition": text})


def condition(found: Any, moving: Sequence[Letter] = ()) -> str:
    """A relation between letters, or a condition on matrices, in words.

    On a letter that moves it is one on all its values.
    """
    if hasattr(found, "relations"):
        return str(found.text())
    among = [a.name for a in moving if a.name in found.letters]
    return f"{found.words}, among all such {' and '.join(among)}" if among else str(found.words)


def either(conditions: Sequence[str]) -> str:
    """Conditions of which one is enough.

    >>> either(["A is diagonal", "D = 1"]), either(["A, B and C commute", "D = 1"])
    ('A is diagonal or D = 1', 'A, B and C commute; or D = 1')
    """
    return ("; or " if any("," in one for one in conditions) else " or ").join(conditions)


def second_values(place: Any) -> str:
    """What moves at a place where letters take a second value."""
    given: dict[str, Any] = {**place.matrices, **place.scalars}
    found = {n.removesuffix(OTHER): x for n, x in given.items() if n.endswith(OTHER)}
    told = ", ".join(f"{n} = {_value(x)}" for n, x in found.items())
    return f" when {told} instead" if told else ""


def _value(x: Any) -> str:
    rows = ("; ".join(" ".join(map(str, row)) for row in x),) if isinstance(x, tuple | list) else ()
    return f"[{rows[0]}]" if rows else str(x)


def holds_where(found: str, converse: Converse) -> str:
    """A statement that needs a condition, and whether it needs that one.

    >>> holds_where("a = 1", Converse((), "necessary"))
    'It fails in general and holds where a = 1, and only there. The paper does not say so.'
    >>> holds_where("a = 1", Converse((), "sufficient", {"a": "2"}))
    'It fails in general and holds where a = 1. It can hold elsewhere too. The paper does not say so.'
    """
    elsewhere = {"necessary": ", and only there.", "sufficient": ". It can hold elsewhere too."}
    told = elsewhere.get(converse.known, ". Whether it can hold elsewhere is not known.")
    return f"It fails in general and holds where {found}{told} The paper does not say so."


def of_converse(found: str, converse: Converse) -> Evidence:
    """What is known of a statement where a condition that makes it true does not hold.

    >>> of_converse("a = 1", Converse((), "sufficient", {"a": "2"})).words
    'The condition is sufficient, not necessary: the statement also holds at a = 2.'
    >>> of_converse("a = 1", Converse((), "not known", failing=3)).words
    'The condition is sufficient; at 3 exact places without it the statement fails, and no ...'
    """
    data = {"condition": found, **converse.to_json()}
    if converse.known == "necessary":
        words = "The condition is necessary and sufficient: without it the statement is proved to fail."
        return Evidence("symbolic", words, data)
    if converse.without is not None:
        words = "The condition is sufficient, not necessary: the statement also holds at "
        return Evidence("search", f"{words}{exact_numbers(converse.without)}.", data)
    places = f"{converse.failing} exact place{'s' if converse.failing > 1 else ''}"
    tried = f"; at {places} without it the statement fails, and" if converse.failing else ";"
    words = f"The condition is sufficient{tried} no proof says that it is necessary."
    return Evidence("search", words, {**data, "fails_without": converse.failing})


def exact_numbers(problem: Mapping[str, Any]) -> str:
    """The numbers of a place on one line, in the letters of a problem.

    >>> exact_numbers({"hessian": [["2", "1"], ["1", "3"]], "params": {"eps": "1"}})
    'A = [2 1; 1 3], eps = 1'
    """
    names = {"hessian": "A", "noise": "B B^T"}
    flat = {names.get(k, k): v for k, v in problem.items() if k not in ("model", "params")}
    flat |= problem.get("params", {})
    return ", ".join(f"{k} = {_value(v)}" for k, v in flat.items())


def numbers(seen: Sides) -> Evidence:
    """A relation between numbers, in exact arithmetic."""
    words = f"With these numbers the left side is {seen.left}, the right side {seen.right}."
    return Evidence("exact", words, {"holds": seen.holds, "left": seen.left, "right": seen.right})


def with_numbers(seen: Sides | None) -> str:
    """Why a statement between numbers is true or not."""
    assert seen is not None
    return f"With the printed numbers the left side is {seen.left}, the right side {seen.right}."


def undecided(relation: Relation) -> str:
    """Two numbers that no number of digits tells apart, or that are undefined."""
    return f"{relation.text()} could not be decided: a side is undefined, or both agree to 240 digits."


def _left_over(answers: Sequence[Answer]) -> list[str]:
    """What remains of differences, in factors."""
    found = [a.left_over for a in answers if isinstance(a, Silent) and a.left_over]
    return [e if isinstance(e, str) else _in_factors(e) for e in found]


@cache
def _in_factors(expr: Any) -> str:
    return plain(sp.factor(expr))
