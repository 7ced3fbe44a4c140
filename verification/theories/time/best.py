"""Where a quantity of a law in time is smallest: along one direction, by its slope in a letter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.pairs import LI
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex
from sgtheory.notation.sentence import say
from verification.laws.pair_form import DELTA, NotInPairForm
from verification.terms.term import Applied, Letter, Term, added
from verification.theories.answers import Answer, Chosen, Silence, Silent
from verification.theories.time.expansion import first
from verification.verdicts.verdict import Correction, Gap

if TYPE_CHECKING:
    from verification.theories.time.laws import Law


def _slope(law: Law, chosen: Chosen) -> tuple[Any, Any, Any]:
    """The derivative of the quantity along one direction, the letter, and its value."""
    quantity, value = (
        law.entries(_along_one(side), single=True).get(DELTA, sp.Integer(0))
        for side in (chosen.of, chosen.value)
    )
    x = law.reading.symbol(chosen.letter)
    return sp.diff(quantity, x), x, value


def _along_one(side: Term) -> Term:
    """With numbers for matrices: a trace and a determinant are what they are of."""
    parts = tuple(map(_along_one, side.parts))
    return parts[0] if getattr(side, "head", "") in ("tr", "det") else side.with_parts(parts)


def is_best(law: Law, chosen: Chosen) -> Answer:
    """Nothing is said: a whole number may be best although the slope vanishes at none."""
    try:
        slope, x, value = _slope(law, chosen)
    except (NotInPairForm, TypeError):
        return Silent(Silence.NO_FORMULA)
    name = Formula(rf"\partial F/\partial {latex(x)}", f"dF/d{x}")
    there = Equation(name, sp.factor(slope.subs(x, value)))
    step = Step("Its slope", "Along one direction, at the printed value:", (there,))
    return Silent(Silence.NO_CERTIFICATE, derivation=Derivation("A minimum", (step,), ()))


def gap_of_best(law: Law, chosen: Chosen) -> Gap | None:
    """By which share the value is off, as a letter in it grows that counts something: a Newton step.

    Of several directions it is a mean, where to leading order all bend alike at the value.
    """
    for n in (law.reading.symbol(a) for a in chosen.value.letters if a.kind == "count"):
        try:
            slope, x, value = _slope(law, chosen)
            bend = x * sp.diff(slope, x)
            term = first((slope / bend).subs(x, value), n, "oo")
            alike = first((x * bend).subs(x, value), n, "oo")
        except (NotInPairForm, TypeError, sp.PolynomialError):
            continue
        if term is None or alike is None or not term[0] < 0:
            continue
        found = Gap.of(1 / n, -term[0], sp.factor(term[1] * n ** term[0]))
        if not term[1].has(LI):
            return found
        return None if alike[1].has(LI) else replace(found, words="relative gap, the mean over i of")
    return None


def equations_of_best(law: Law, chosen: Chosen) -> Correction | None:
    """Of tr X - log det X, up to what is constant: that it is stationary, in all directions together."""
    moving = [(sign, t) for sign, t in added(chosen.of) if chosen.letter in t.letters]
    if [sign for sign, _ in moving] != [1, -1] or chosen.largest:
        return None
    matrix, other = _inside(moving[0][1], "tr"), _inside(moving[1][1], "log", "det")
    if matrix is None or other is None:
        return None
    try:
        sides = (law.entries(m).values() for m in (matrix, other))
        (ratio,) = {sp.factor(a / b) for a, b in zip(*sides, strict=True)}
    except (NotInPairForm, TypeError, ValueError):
        return None
    if ratio.has(law.reading.symbol(chosen.letter)):
        return None
    x, unit = chosen.letter, Letter("I", "matrix")
    if law.time == "discrete" and x.kind == "count":
        return _beside_its_neighbours(x, matrix)
    slope = (
        rf"\operatorname{{Tr}}\left(({unit.latex()} - X^{{-1}})\, \partial_{{{x.latex()}}} X\right) = 0"
    )
    lines = (
        Formula(slope, f"Tr(({unit} - X^(-1)) dX/d{x}) = 0"),
        Formula(f"X = {matrix.latex()}", f"X = {matrix}"),
    )
    words = (
        "at the best {}, which need not be whole, if there is one; in one dimension it is where X = 1,"
        " which the largest X may not reach"
    )
    said = " with ".join(line.text for line in lines)
    return Correction(lines, "proved", say(words, x), said=said)


def _beside_its_neighbours(count: Letter, matrix: Term) -> Correction:
    """Of a whole number: a slope says nothing of it, and the power of a step's factor may have none."""
    x, shown = count, count.latex()
    lines = (
        Formula(rf"F({shown}) \le F({shown} \pm 1)", f"F({x}) <= F({x} - 1) and F({x}) <= F({x} + 1)"),
        Formula(
            rf"F({shown}) = \operatorname{{Tr}}(X) - \log(\det(X)), \quad X = {matrix.latex()}",
            f"F({x}) = Tr(X) - log(det(X)), X = {matrix}",
        ),
    )
    said = " with ".join(line.text for line in lines)
    return Correction(lines, "proved", say("at the best {}, a whole number", x), said=said)


def _inside(side: Term, *heads: str) -> Term | None:
    """What some words, one in the other, are applied to; None where it is not of these."""
    for head in heads:
        if not isinstance(side, Applied) or side.head != head:
            return None
        side = side.of[0]
    return side
