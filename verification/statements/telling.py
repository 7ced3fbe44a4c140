"""Sentences about what was found, made at the end from records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sgtheory.derivation import Derivation
from verification.refuter.climb import Summit
from verification.relations.base import Relation
from verification.terms.comparing import OTHER
from verification.theories.answers import Answer, Disproved, Proved, Seen, Silent
from verification.verdict import Evidence
from verification.word import beside_a_failure

IN_THE_LIMIT = "It holds for the process; for the discrete algorithm only as the step vanishes."
_TIGHT = 0.99  # smaller side over larger, where it comes this close to one
_ENDLESS = 10**6  # a ratio beyond this, where the search stops, is one that still grows


def reason(answers: Sequence[Answer], fails: bool) -> str:
    """Why the verdict is what it is."""
    proofs = [a for a in answers if isinstance(a, Proved)]
    if len(proofs) == len(answers):
        return " ".join(dict.fromkeys(a.lemma for a in proofs))
    left_over = [a.left_over for a in answers if isinstance(a, Silent) and a.left_over]
    if left_over:
        return f"The left side minus the right is {'; '.join(left_over)}, which is not zero in general."
    disproved = [a.lemma for a in answers if isinstance(a, Disproved)]
    if disproved:
        return " ".join(disproved)
    return "It is violated at the numbers below." if fails else "No proof was found, and no violation."


def proof(relations: Sequence[Relation], answers: Sequence[Answer]) -> Evidence:
    """The symbolic route."""
    derivations = [a.derivation for a in answers if a.derivation is not None]
    left_over = [a.left_over for a in answers if isinstance(a, Silent) and a.left_over]
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


def random_places(held: Sequence[bool], failure: object) -> Evidence:
    """The other route."""
    if not held:
        words = "No random exact place could be looked at."
        return Evidence("exact", words, {"places": 0, "holds": True})
    words = "satisfy" if all(held) else "violate"
    found = Evidence(
        "exact",
        f"Random exact places {words} it ({len(held)} looked at).",
        {"places": len(held), "holds": all(held)},
    )
    return found if failure is None else beside_a_failure(found)


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


def condition(found: Any) -> str:
    """A relation between letters, or a condition on matrices, in words."""
    return str(found.text() if isinstance(found, Relation) else found.words)


def second_values(place: Any) -> str:
    """What moves at a place where letters take a second value."""
    given: dict[str, Any] = {**place.matrices, **place.scalars}
    found = {n.removesuffix(OTHER): x for n, x in given.items() if n.endswith(OTHER)}
    told = ", ".join(f"{n} = {_value(x)}" for n, x in found.items())
    return f" when {told} instead" if told else ""


def _value(x: Any) -> str:
    return (
        "[" + "; ".join(" ".join(map(str, row)) for row in x) + "]" if isinstance(x, tuple) else str(x)
    )


def holds_where(found: str) -> str:
    """A statement that needs a condition."""
    return f"It fails in general and holds where {found}. The paper does not say so."


def numbers(seen: Seen) -> Evidence:
    """A relation between numbers, in exact arithmetic."""
    words = f"With these numbers the left side is {seen.left}, the right side {seen.right}."
    return Evidence("exact", words, {"holds": seen.holds, "left": seen.left, "right": seen.right})


def with_numbers(seen: Seen | None) -> str:
    """Why a statement between numbers is true or not."""
    assert seen is not None
    return f"With the printed numbers the left side is {seen.left}, the right side {seen.right}."


def undecided(relation: Relation) -> str:
    """Two numbers that no number of digits tells apart, or that are undefined."""
    return f"{relation.text()} could not be decided: a side is undefined, or both agree to 240 digits."
