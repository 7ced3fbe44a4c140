"""What is true instead of a printed recipe: the best value, or the equations that it solves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.derivation import Formula
from sgtheory.exact import diagonal, identity
from sgtheory.fields import inverse, multiply
from sgtheory.pairs import LI, LJ
from sgtheory.printing import latex, plain
from verification.claims import diagonal as along_diagonal
from verification.claims import stepwise
from verification.claims.base import Printed
from verification.claims.best import best_number
from verification.claims.freedom import DIAGONAL_OVER, GAIN_OVER, STEP_OVER
from verification.claims.searching import divergence_at
from verification.gains import inverted
from verification.miner.conditions import IsDiagonal, restrict
from verification.notation import H, S, eps
from verification.rational import stationary_moments
from verification.refuter.places import Place
from verification.verdict import Correction, Evidence, Gap, NoAnswer, differ

if TYPE_CHECKING:
    from verification.claims.minimiser import Minimiser

_PLACES = 2


def correct(claim: Minimiser, time: str) -> Correction | None:
    """The best value where there is a closed form, else equations; held against exact derivatives."""
    if claim.over == DIAGONAL_OVER:
        return _along_diagonal(claim, time)
    best = claim.best(time)
    if best.value is not None:
        left = claim.printed[0].left
        value = best.value if left in (eps, H) else sp.simplify(best.value * left / eps)
        true = Printed(left, value)
        return Correction(true.latex(), true.text(), "proved", "in every dimension", (true,))
    found = claim.balance(time)
    if found.reverse and not sp.cancel(found.entry / found.parameter).has(found.parameter):
        return _reverse_step(claim, time)
    equation = stepwise.equation_of(found)
    for place, slope in _random_slopes(claim, time, in_one_basis=True):
        if not stepwise.holds_at(equation, place, slope):
            raise differ(
                claim.id,
                "symbols",
                "an equation of the best step",
                "dual numbers",
                f"the slope at {place.to_json()} is another",
            )
    words = "in every dimension"
    if claim.over == STEP_OVER and not claim.reverse:
        words += f"; `sgtheory tune {claim.of} --only eps` solves it"
    return stepwise.correction_of(found, equation, claim.gain, words)


def gap(claim: Minimiser, time: str) -> Gap | None:
    """Where the printed value is best to leading order: by how much it is off."""
    if claim.over == DIAGONAL_OVER:
        return None
    if claim.over == GAIN_OVER:
        return _gain_gap(claim.best(time).value, claim.value)
    found = claim.balance(time)
    if found.tied is not None:
        return None
    leading = best_number(stepwise.leading(found, claim.gain), claim.freedom)
    if leading.value is None or not leading.is_solved_by(claim.value):
        return None
    return stepwise.gap_of(found, claim.gain)


def no_formula(claim: Minimiser, time: str) -> Evidence | None:
    """An exact problem whose best value is no expression in roots, or that no formula can serve."""
    if claim.over == GAIN_OVER or claim.gain is not None:
        return None
    if claim.over == DIAGONAL_OVER:
        return _no_symmetric_formula(claim, time)
    found = claim.balance(time)
    if not sp.cancel(found.entry.subs(LJ, LI) / found.parameter).has(found.parameter):
        return None

    def stable(modes: tuple[Any, ...], x: float) -> bool:
        if x <= 0:
            return False
        d = len(modes)
        one, scalars = identity(d), dict.fromkeys(claim.space().scalars, Fraction(1))
        if "mu" in scalars:
            scalars["mu"] = Fraction(1, 2)
        place = Place(
            {"A": diagonal(tuple(Fraction(int(m)) for m in modes)), "B": one, "E": one}, scalars
        )
        step = Fraction(x).limit_denominator(10**6)
        put = place.but(eps=step) if claim.over == STEP_OVER else place.but(H=diagonal((step,) * d))
        return divergence_at(claim.setting, put, time) < float("inf")

    return stepwise.no_formula(stepwise.equation_of(found), stable)


def _along_diagonal(claim: Minimiser, time: str) -> Correction:
    found = along_diagonal.stationarity(claim.setting, time, claim.conditions)
    for place, _ in _random_slopes(claim, time):
        slopes = claim.slopes(place, time)
        if slopes is None:
            raise NoAnswer(claim.id, "a place that has a law has no slopes")
        if found.at(claim.setting, place, time) != list(slopes.values()):
            raise differ(
                claim.id,
                "symbols",
                "equations of the best gain",
                "dual numbers",
                f"the slopes at {place.to_json()} are others",
            )
    return along_diagonal.correction_of(found)


def _reverse_step(claim: Minimiser, time: str) -> Correction:
    """The step at which Tr((N A Sigma)^(-1)) = D, for a covariance proportional to it."""
    for place, _ in _random_slopes(claim, time):
        moments = stationary_moments(claim.setting, place.but(eps=1), time)
        assert moments is not None
        product = multiply([list(row) for row in place.A], moments["theta,theta"])
        turned = inverse([[place.scalars["N"] * x for x in row] for row in product])
        step = sum((turned[k][k] for k in range(place.D)), Fraction(0)) / place.D
        slopes = claim.slopes(place.but(eps=step), time)
        if slopes is None:
            raise NoAnswer(claim.id, f"there is no law at the corrected step {step}")
        if any(slopes.values()):
            raise differ(
                claim.id,
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


def _random_slopes(
    claim: Minimiser, time: str, in_one_basis: bool = False
) -> Iterator[tuple[Place, Fraction]]:
    """Places with the printed value, made smaller where it is too large, and the first slope there."""
    source, left = random.Random(claim.id), _PLACES
    for _ in range(40):
        place = claim.space().random(source, 2)
        for condition in claim.conditions:
            place = restrict(place, condition)
        if in_one_basis:
            for letter in claim.letters():
                place = restrict(place, IsDiagonal((letter,)))
        placed = claim.placed(place)
        for _ in range(12):
            if placed is None:
                break
            slopes = claim.slopes(placed, time)
            if slopes:
                yield placed, next(iter(slopes.values()))
                left -= 1
                break
            placed = claim.freedom.times(placed, (Fraction(1, 4),))
        if left == 0:
            return
    raise NoAnswer(claim.id, "no random place that was tried has a law")


_TWO = Fraction(2)
_MIRRORED = ((_TWO, _TWO / 2), (_TWO / 2, _TWO))  # B, which exchanging coordinates leaves as it is


def _no_symmetric_formula(claim: Minimiser, time: str) -> Evidence | None:
    """A problem that exchanging coordinates leaves as it is, whose best gain does not stay as it is.

    There a formula that treats coordinates alike gives h I; the best h is that of the printed gain, and
    a gain with the same trace but other entries is better.
    """
    matrices = {"A": identity(2), "B": _MIRRORED, "E": _MIRRORED}
    scalars = {**dict.fromkeys(claim.space().scalars, Fraction(1)), "N": Fraction(16)}
    letters = {n: m for n, m in matrices.items() if n in claim.space().matrices}
    printed = claim.placed(Place(letters, scalars))
    if printed is None or time == "discrete":
        return None
    better = claim.freedom.times(printed, (Fraction(3, 2), Fraction(1, 2)))
    pair = [stationary_moments(claim.setting, place, time) for place in (printed, better)]
    slopes = claim.slopes(printed, time)
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
