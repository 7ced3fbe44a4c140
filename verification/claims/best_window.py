"""Claims that a printed window is the best one: means over it are closest to the posterior.

Along one direction the divergence is (r - 1 - log r)/2 with r the variance of the mean over that of the
posterior; r falls as the window grows, so the best window is where r = 1, rounded up or down. What is
left after a window, (1 - eps lambda)^T, is set to zero in formulas and kept in numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, Self

import sympy as sp

from sgtheory.declare import N, Parameter, S
from sgtheory.modepairs.longrun import at_one_mode, window_sums
from sgtheory.modepairs.pairs import LI, stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.onestep.affine import LAMBDA
from sgtheory.setting import Setting
from verification.claims.base import Claim, Printed, Proof
from verification.laws.rational import number
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.windowscript import window_script
from verification.terms.asymptotics import Undecided, leading
from verification.verdicts.verdict import Correction, Counterexample, Evidence, Finding, Gap

T = Parameter("T", positive=True, integer=True)
_MOST = 200  # steps of a window that are tried
_SEARCHED = 250
# eps lambda and N/S, for the largest loss
_STEPS = tuple(Fraction(1, k) for k in (64, 48, 32, 16, 8, 4, 2, 1))
_SIZES = (1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72)


@dataclass(frozen=True)
class BestWindow(Claim):
    """``printed`` is one ``Printed(T, value)``: no whole window beats value, rounded up or down."""

    @property
    def value(self) -> Any:
        """The printed window."""
        return sp.sympify(self.printed[0].right)

    def ratio(self, time: str) -> Any:
        """Variance of the mean over that of the posterior, but for what is left after a window."""
        return sp.factor(sp.cancel(N * LI * _variance(self.setting, time)))

    def missing(self, time: str) -> Any:
        """k, with the ratio N/(S T) (1 - k/T)."""
        return sp.factor(sp.cancel(T * (1 - self.ratio(time) * T * S / N)))

    def best(self, time: str) -> Any:
        """The larger window at which the ratio is one: the root of S T^2 - N T + k N."""
        return N / (2 * S) * (1 + sp.sqrt(1 - 4 * self.missing(time) * S / N))

    def space(self) -> Space:
        """The curvature is a square, so that its root is rational."""
        names = {s.name: "positive" for s in sorted(self.value.free_symbols, key=str)}
        return Space(
            {}, {**names, "eps": "positive", LI.name: "square", "N": "count", "S": "square count"}
        )

    def look(self, time: str) -> Look:
        """The best whole window, by trying them all, against the printed one."""
        least = 4 * self.missing(time)

        def at(place: Place) -> Sides | None:
            known = place.scalars
            step = known["eps"] * known[LI.name]
            passes, short = known["N"] / known["S"], number(least, known)
            if passes < 1 or passes < short or step >= 2 or _left(step, passes, time) * abs(short) > 1:
                return None  # no window is right, or a right one would remember where it began
            printed = _rounded(self.value, known)
            best = best_window(step, known["N"] / known["S"], time)
            shown = "T = " + " or ".join(map(str, sorted(printed))) if printed else "no window"
            return Sides(f"T = {best}", shown, best in printed)

        return at

    def failure(self, time: str, evaluations: int = _SEARCHED) -> Failure | None:
        """Among enough places to have some with much data."""
        return super().failure(time, max(evaluations, _SEARCHED))

    def prove(self, time: str) -> Proof:
        """Put in, the printed window leaves the ratio at one."""
        left = sp.expand(S / N * self.value**2 - self.value + self.missing(time))
        zero = _vanishes(left)
        steps = (
            Step(
                "The ratio",
                "Variance of the mean over the posterior's:",
                (_equation("r", self.ratio(time)),),
            ),
            Step("The best window", "where r = 1:", (_equation("T", self.best(time)),)),
        )
        derivation = Derivation("The best window", steps, (Result("T", steps[1].equations[0]),))
        words = "By the variance of the mean."
        evidence = (Evidence("symbolic", words, {"dimensions": "one", "root": zero}, derivation),)
        if zero:
            return Proof(
                True, "Its variance is the posterior's, but for what is left after a window.", evidence
            )
        ratio = plain(sp.factor(self.ratio(time).subs(T, self.value)))
        return Proof(
            False, f"There the variance of the mean is the posterior's times {ratio}.", evidence
        )

    def find(self, time: str | None = None) -> Finding:
        """With what the printed window costs."""
        finding = super().find(time)
        return replace(finding, evidence=(*finding.evidence, self._loss(time or self.time)))

    def gap(self, time: str) -> Gap | None:
        """By which share the printed window is off, for much data."""
        near = N / S - self.missing(time)  # the best window, but for terms in S/N
        try:
            term = leading(self.value / near - 1, N, "oo")
        except (Undecided, ZeroDivisionError):
            return None
        if not 0 > term.power > -math.inf:
            return None
        size = sp.factor(term.written(N))
        return Gap("1/N", str(-term.power), Formula(latex(size), plain(size)))

    def correct(self, time: str) -> Correction | None:
        """The root of a quadratic equation; no multiple of N/S is one."""
        true = Printed(T, self.best(time))
        if replace(self, printed=(true,)).prove(time).holds is not True:
            return None
        said = (
            "along one direction, or where A is a multiple of the identity, rounded up or down and but"
            " for terms in (1 - eps lambda)^T"
        )
        if self.best_moves(time):
            said += "; it moves with the step, so that no T = c N/S is best for all steps"
        said += "; for several curvatures sgtheory tune iasg finds the window"
        return Correction(true.latex(), true.text(), "proved", said, (true,))

    def best_moves(self, time: str) -> bool:
        """Whether the best window, as a multiple of N/S, depends on the step."""
        share, eps = self.best(time) * S / N, self.setting.sampler.parameters
        steps = [e for e in share.free_symbols if e in eps and e.name == "eps"]
        return any(sp.simplify(sp.diff(share, e)) != 0 for e in steps)

    def script(self, failure: Failure, time: str) -> str:
        """The divergences of all windows, and the smallest."""
        known = failure.place.scalars
        printed = _rounded(self.value, known)
        step = known["eps"] * known[LI.name]
        return window_script(self.heading, step, known["N"] / known["S"], sorted(printed), time)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The problem along one direction."""
        shown = {n: str(x) for n, x in failure.place.scalars.items()}
        words = "best window and printed window"
        return Counterexample(shown, failure.sides.left, failure.sides.right, words)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Only of the value."""
        for name, twin in super().corrupted(finding):
            if name.startswith("right") and twin.value != 0:
                yield name, twin

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Windows are measured elsewhere."""
        return finding, None

    def _loss(self, time: str) -> Evidence:
        """The largest divergence that the printed window costs, over steps and sizes."""
        lost, where = max(_losses(self.value, time), default=(0.0, ""))
        passes, steps = Fraction(8), [Fraction(1, 100**k) for k in (1, 2, 3)]
        own = [divergence(share(u, 8, passes, time)) for u in steps]
        best = [divergence(share(u, best_window(u, passes, time), passes, time)) for u in steps]
        words = (
            "Among steps up to 1/lambda the printed window is worse than the best one by at most"
            f" {lost:.4f} in divergence along a direction ({where}). At N/S = 8 the divergence is"
            f" {own[0]:.2f}, {own[1]:.2f}, {own[2]:.2f} for eps lambda = 1e-2, 1e-4, 1e-6, with the best"
            f" window {best[0]:.2f}, {best[1]:.2f}, {best[2]:.2f}."
        )
        return Evidence("search", words, {"regret": lost, "where": where})


@cache
def _variance(setting: Setting, time: str) -> Any:
    """Of the mean, but for powers a^T and exponentials."""
    pairs = stationary(setting, time)
    rate = pairs.form.M[0, 0].subs(LAMBDA, LI)
    spread = at_one_mode(pairs.entry("theta", "theta"))
    own = spread.subs({s: LI for s in spread.free_symbols if s.name == "C_ii"})
    weighted = window_sums(rate, time, T)[0].replace(_is_left_over, lambda _: sp.Integer(0))
    return own / T**2 * ((T if time == "discrete" else 0) + 2 * weighted)


def _is_left_over(e: Any) -> bool:
    return (e.is_Pow and e.exp == T) or isinstance(e, sp.exp)


def _put(expr: Any, known: Mapping[str, Any]) -> Any:
    """Numbers in the place of letters, by their names."""
    return sp.sympify(expr).subs({s: known[s.name] for s in expr.free_symbols})


def _vanishes(expr: Any) -> bool:
    """Whether a formula with one root in it is zero: in numbers, then as a polynomial in it."""
    letters = sorted(expr.free_symbols, key=str)
    for k in (1, 2):
        at = {s: sp.Rational(3 * j + 2, 7 * j + 5 + k) for j, s in enumerate(letters)}
        if abs(sp.N(expr.subs(at), 30)) > sp.Float("1e-20"):
            return False
    roots = sorted({p for p in expr.atoms(sp.Pow) if not p.exp.is_Integer}, key=str)
    if len(roots) > 1:
        return bool(sp.simplify(expr) == 0)
    if not roots:
        return bool(sp.cancel(sp.together(expr)) == 0)
    q = sp.Dummy()
    even = sp.Poly(sp.expand(expr.subs(roots[0], q)), q)
    reduced = sum(c * roots[0].base ** (m // 2) * q ** (m % 2) for (m,), c in even.terms())
    return bool(sp.cancel(sp.together(sp.expand(reduced))) == 0)


def _equation(name: str, value: Any) -> Equation:
    return Equation(Formula(name, name), value)


def _left(step: Fraction, passes: Fraction, time: str) -> float:
    """What is left of a deviation after half a pass, the shortest window that can be right."""
    rate = abs(1 - float(step)) if time == "discrete" else math.exp(-float(step))
    return float(rate ** (float(passes) / 2))


def _rounded(value: Any, known: Mapping[str, Fraction]) -> set[int]:
    """A window rounded up and down; nothing where it is no number."""
    exact = _put(value, {n: sp.Rational(x.numerator, x.denominator) for n, x in known.items()})
    if exact.is_real is not True:
        return set()
    return {max(1, int(sp.floor(exact))), max(1, int(sp.ceiling(exact)))}


def share(step: Fraction, window: int, passes: Fraction, time: str) -> float:
    """The variance of the mean over the posterior's, by adding up what two iterates have in common."""
    rate = float(1 - step) if time == "discrete" else math.exp(-float(step))
    if time == "discrete":
        variance = float(step) / (2 - float(step))
        lags = sum((window - k) * rate**k for k in range(1, window))
        return float(passes) * variance * (window + 2 * lags) / window**2
    x = float(step) * window
    return float(passes) / window * (1 + math.expm1(-x) / x)


def divergence(ratio: float) -> float:
    """Along one direction."""
    return (ratio - 1 - math.log(ratio)) / 2


@cache
def best_window(step: Fraction, passes: Fraction, time: str) -> int:
    """The whole window with the smallest divergence, all of them tried."""
    most = min(_MOST, 2 * int(passes) + 4)
    return min(range(1, most + 1), key=lambda t: divergence(share(step, t, passes, time)))


def _losses(value: Any, time: str) -> Iterator[tuple[float, str]]:
    for step in _STEPS:
        for passes in _SIZES:
            known = {"eps": step, LI.name: Fraction(1), "N": Fraction(passes), "S": Fraction(1)}
            printed = _rounded(value, known)
            if not printed:
                continue
            least = divergence(
                share(step, best_window(step, Fraction(passes), time), Fraction(passes), time)
            )
            own = min(divergence(share(step, t, Fraction(passes), time)) for t in printed)
            yield own - least, f"eps lambda = {step}, N/S = {passes}"
