"""What is true instead of a printed recipe: the best value, or the equations that it solves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.independent.fields import inverse, multiply
from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.derivation import Formula
from sgtheory.notation.printing import latex, plain
from sgtheory.reader.exact import diagonal, identity
from verification.laws.gains import inverted
from verification.laws.rational import stationary_moments
from verification.notation import H, S, eps
from verification.refuter.conditions import IsDiagonal
from verification.refuter.places import Place
from verification.theories.matrices import best_diagonal as along_diagonal
from verification.theories.matrices import best_step as stepwise
from verification.theories.matrices.best_values import best_number
from verification.theories.matrices.freedom import DIAGONAL_OVER, GAIN_OVER, STEP_OVER
from verification.theories.matrices.searching import divergence_at
from verification.verdicts.verdict import Correction, Evidence, Gap, NoAnswer, differ

if TYPE_CHECKING:
    from verification.theories.matrices.recipes import Recipe

_PLACES = 2


def equations(recipe: Recipe) -> Correction:
    """What the best value solves, where it has no closed form; held against exact derivatives."""
    if recipe.over == DIAGONAL_OVER:
        return _along_diagonal(recipe)
    found = recipe.balance
    if found.reverse and not sp.cancel(found.entry / found.parameter).has(found.parameter):
        return _reverse_step(recipe)
    equation = stepwise.equation_of(found)
    for place, slope in _random_slopes(recipe, in_one_basis=True):
        if not stepwise.holds_at(equation, place, slope):
            raise differ(
                recipe.text,
                "symbols",
                "an equation of the best step",
                "dual numbers",
                f"the slope at {place.to_json()} is another",
            )
    words = "in every dimension"
    if recipe.over == STEP_OVER and not recipe.reverse:
        words += f"; `sgtheory tune {recipe.of} --only eps` solves it"
    return stepwise.correction_of(found, equation, recipe.gain, words)


def gap(recipe: Recipe) -> Gap | None:
    """Where the printed value is best to leading order: by how much it is off."""
    if recipe.over == DIAGONAL_OVER:
        return None
    if recipe.over == GAIN_OVER:
        return _gain_gap(recipe.best.value, recipe.value)
    found = recipe.balance
    if found.tied is not None:
        return None
    leading = best_number(stepwise.leading(found, recipe.gain), recipe.freedom)
    if leading.value is None or not leading.is_solved_by(recipe.value):
        return None
    return stepwise.gap_of(found, recipe.gain)


def no_formula(recipe: Recipe) -> Evidence | None:
    """An exact problem whose best value is no expression in roots, or that no formula can serve."""
    if recipe.over == GAIN_OVER or recipe.gain is not None:
        return None
    if recipe.over == DIAGONAL_OVER:
        return _no_symmetric_formula(recipe)
    found = recipe.balance
    if not sp.cancel(found.entry.subs(LJ, LI) / found.parameter).has(found.parameter):
        return None

    def stable(modes: tuple[Any, ...], x: float) -> bool:
        if x <= 0:
            return False
        d = len(modes)
        one, scalars = identity(d), dict.fromkeys(recipe.space.scalars, Fraction(1))
        if "mu" in scalars:
            scalars["mu"] = Fraction(1, 2)
        place = Place(
            {"A": diagonal(tuple(Fraction(int(m)) for m in modes)), "B": one, "E": one}, scalars
        )
        step = Fraction(x).limit_denominator(10**6)
        put = place.but(eps=step) if recipe.over == STEP_OVER else place.but(H=diagonal((step,) * d))
        return divergence_at(recipe.setting, put, recipe.time) < float("inf")

    return stepwise.no_formula(stepwise.equation_of(found), stable)


def _along_diagonal(recipe: Recipe) -> Correction:
    found = along_diagonal.stationarity(recipe.setting, recipe.time, recipe.conditions)
    for place, _ in _random_slopes(recipe):
        slopes = recipe.slopes(place)
        if slopes is None:
            raise NoAnswer(recipe.text, "a place that has a law has no slopes")
        if found.at(recipe.setting, place, recipe.time) != list(slopes.values()):
            raise differ(
                recipe.text,
                "symbols",
                "equations of the best gain",
                "dual numbers",
                f"the slopes at {place.to_json()} are others",
            )
    return along_diagonal.correction_of(found)


def _reverse_step(recipe: Recipe) -> Correction:
    """The step at which Tr((N A Sigma)^(-1)) = D, for a covariance proportional to it."""
    for place, _ in _random_slopes(recipe):
        moments = stationary_moments(recipe.setting, place.but(eps=1), recipe.time)
        assert moments is not None
        product = multiply([list(row) for row in place.A], moments["theta,theta"])
        turned = inverse([[place.scalars["N"] * x for x in row] for row in product])
        step = sum((turned[k][k] for k in range(place.D)), Fraction(0)) / place.D
        slopes = recipe.slopes(place.but(eps=step))
        if slopes is None:
            raise NoAnswer(recipe.text, f"there is no law at the corrected step {step}")
        if any(slopes.values()):
            raise differ(
                recipe.text,
                "symbols",
                f"the best step is {step} at {place.to_json()}",
                "dual numbers",
                "the slope does not vanish there",
            )
    shown = (
        r"\epsilon = \frac{S}{N D} \operatorname{Tr}(A^{-1} \Sigma_0^{-1})",
        r"A \Sigma_0 + \Sigma_0 A = BB^T".replace("BB^T", r"B B^{\top}"),
    )
    text = "eps = S*Tr(A^(-1)*Sigma_0^(-1))/(N*D) with A*Sigma_0 + Sigma_0*A = C"
    return Correction(r" \qquad ".join(shown), text, "proved", "in every dimension, for every A and B")


def _gain_gap(best: Any, printed: Any) -> Gap | None:
    """By which power of the step, or of S/N, the inverses of the best and the printed gain differ."""
    turned = inverted(printed)
    excess = sp.expand(inverted(best) - turned)
    if excess == 0:
        return None
    small, name = (eps, "eps") if printed.has(eps) else (S, "S/N")
    order = _lowest(excess, small) - _lowest(turned, small)
    if order <= 0:
        return None
    term = sp.expand(excess * H)
    return Gap(name, str(order), Formula(latex(term), f"{plain(term)} with the printed H"))


def _lowest(expr: Any, letter: Any) -> int:
    """The lowest power of a scalar in a sum of words."""
    scalars = (sp.cancel(sp.Mul(*t.args_cnc()[0])) for t in sp.Add.make_args(expr))
    return min(int(x.as_coeff_exponent(letter)[1]) for x in scalars)


def _random_slopes(recipe: Recipe, in_one_basis: bool = False) -> Iterator[tuple[Place, Fraction]]:
    """Places with the printed value, made smaller where it is too large, and the first slope there."""
    source, left = random.Random(recipe.text), _PLACES
    for _ in range(40):
        place = recipe.space.random(source, 2)
        for condition in recipe.conditions:
            place = condition.imposed(place)
        if in_one_basis:
            for letter in recipe.letters:
                place = IsDiagonal((letter,)).imposed(place)
        placed = recipe.placed(place)
        for _ in range(12):
            if placed is None:
                break
            slopes = recipe.slopes(placed)
            if slopes:
                yield placed, next(iter(slopes.values()))
                left -= 1
                break
            placed = recipe.freedom.times(placed, (Fraction(1, 4),))
        if left == 0:
            return
    raise NoAnswer(recipe.text, "no random place that was tried has a law")


_TWO = Fraction(2)
_MIRRORED = ((_TWO, _TWO / 2), (_TWO / 2, _TWO))  # B, which exchanging coordinates leaves as it is


def _no_symmetric_formula(recipe: Recipe) -> Evidence | None:
    """A problem that exchanging coordinates leaves as it is, whose best gain does not stay as it is.

    There a formula that treats coordinates alike gives h I; the best h is that of the printed gain, and
    a gain with the same trace but other entries is better.
    """
    matrices = {"A": identity(2), "B": _MIRRORED, "E": _MIRRORED}
    scalars = {**dict.fromkeys(recipe.space.scalars, Fraction(1)), "N": Fraction(16)}
    letters = {n: m for n, m in matrices.items() if n in recipe.space.matrices}
    printed = recipe.placed(Place(letters, scalars))
    if printed is None or recipe.time == "discrete":
        return None
    better = recipe.freedom.times(printed, (Fraction(3, 2), Fraction(1, 2)))
    pair = [stationary_moments(recipe.setting, place, recipe.time) for place in (printed, better)]
    slopes = recipe.slopes(printed)
    if None in pair or slopes is None or any(slopes.values()):
        return None
    first, second = (moments["theta,theta"] for moments in pair if moments is not None)
    traces = [m[0][0] + m[1][1] for m in (first, second)]  # A = I
    ratio, one = (
        (second[0][0] * second[1][1] - second[0][1] ** 2),
        (first[0][0] * first[1][1] - first[0][1] ** 2),
    )
    if traces[0] != traces[1] or ratio <= one:
        return None
    more = " and E = B" if "E" in letters else ""
    return Evidence(
        "exact",
        "No formula that treats coordinates alike gives the best diagonal gain: A = I, B = [2 1; 1 2]"
        f"{more} stay as they are when the coordinates are exchanged; among gains h I the printed one is"
        f" best, yet (3/2, 1/2) times it has the same Tr(A Sigma) and det Sigma {ratio / one} times as"
        " large. So there are two best gains, each the other with its entries exchanged.",
        {"volume_ratio": str(ratio / one)},
    )
