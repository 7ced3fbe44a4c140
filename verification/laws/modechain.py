"""A chain along one eigen-direction of A, where the gradient noise has A for its covariance.

Where A = B B^T every direction is a chain of its own, with curvature lambda and noise lambda/S (also
with a gain that is a function of A). What is read from it: its variance, its autocovariances summed
over all lags, and the law of means over windows of T steps. Each quantity is known by two routes:
a formula, made from the pair formulas of the sampler, and exact numbers, made by running its step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

from sgtheory.declare import N, Parameter, S
from sgtheory.dynamics.taylor import Exactly
from sgtheory.dynamics.walking import walk
from sgtheory.independent.fields import Rows, inverse, multiply, transpose
from sgtheory.independent.running import linear_map
from sgtheory.language import STEP
from sgtheory.modepairs.longrun import at_one_mode, long_run, window_sums
from sgtheory.modepairs.pairs import LI, stationary
from sgtheory.onestep.affine import LAMBDA
from sgtheory.reader.exact import root
from sgtheory.setting import Setting
from verification.laws.elimination import solve_stationary
from verification.laws.rational import point_of, stationary_moments
from verification.refuter.places import Place

T = Parameter("T", positive=True, integer=True)
LAST = sp.Symbol("_last", real=True)  # what is left of a deviation after a window: a^T, or exp(-r T)
_LONGEST = 30  # of rate times window: what is left after it is below 1e-13
_TINY = Fraction(1, 10**40)
_LONG, _LITTLE = 64, Fraction(1, 64)  # steps of a window, and what may be left of its beginning

_SHOWN = {
    "Var[theta]": r"\operatorname{Var}[\theta]",
    "sum_k Cov[theta_0, theta_k]": r"\sum_k \operatorname{Cov}[\theta_0, \theta_k]",
    "Var[mu]": r"\operatorname{Var}[\mu]",
    "Cov[mu_k, mu_(k+1)]": r"\operatorname{Cov}[\mu_k, \mu_{k+1}]",
    "Cov[m_t, m_(t+1)]": r"\operatorname{Cov}[m_t, m_{t+1}]",
    "sum_k Cov[mu_0, mu_k]": r"\sum_k \operatorname{Cov}[\mu_0, \mu_k]",
    "E[mu_1 | theta_0]/theta_0": r"\mathbb{E}[\mu_1 \mid \theta_0] / \theta_0",
}


class Read(sp.Symbol):
    """A quantity that is read from a chain."""

    def _latex(self, _: Any) -> str:
        return _SHOWN[self.name]


QUANTITIES = tuple(Read(name, real=True) for name in _SHOWN)
VARIANCE, LONG_RUN, WINDOW, NEXT, BESIDE, WINDOWS, START = QUANTITIES


@dataclass(frozen=True)
class ModeChain:
    """A sampler along one direction; ``gain`` is that of H there, with a step of one.

    ``distinct``: the examples of a minibatch are drawn without replacement.
    """

    setting: Setting
    time: str
    gain: Any = None
    distinct: bool = False

    @property
    def thinned(self) -> Any:
        """By what the noise of distinct examples is smaller than that of independent ones."""
        return (N - S) / (N - 1) if self.distinct else sp.Integer(1)

    # -- formulas --------------------------------------------------------------------------------

    def formulas(self) -> dict[Any, Any]:
        """Each quantity in letters; windows of a sampler with one state only.

        >>> from sgtheory import registry
        >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
        >>> ModeChain(sgd, "discrete").formulas()[LONG_RUN]
        1/(S*lambda_i)
        """
        pairs = stationary(self.setting, self.time)
        found = {
            VARIANCE: self._put(at_one_mode(pairs.entry("theta", "theta")), covariance=True),
            LONG_RUN: self._put(at_one_mode(long_run(pairs)), covariance=True),
        }
        if len(pairs.form.states) == 1:
            rate = self._put(pairs.form.M[0, 0].subs(LAMBDA, LI))
            found |= self._windows(rate, found[VARIANCE])
        return found

    @cached_property
    def rate(self) -> Any:
        """What a step, or a unit of time, leaves of a deviation: a, or the rate in exp(rate t)."""
        return self._put(stationary(self.setting, self.time).form.M[0, 0].subs(LAMBDA, LI))

    @property
    def last(self) -> Any:
        """What ``LAST`` stands for."""
        return self.rate**T if self.time == "discrete" else sp.exp(self.rate * T)

    def settled(self, scalars: Mapping[str, Fraction]) -> Fraction | None:
        """The window, doubled until little of its beginning is left; None where that takes too long."""
        known, window = dict(scalars), scalars[T.name]
        while window <= _LONG:
            if abs(number(self.last, {**known, T.name: window})) <= _LITTLE:
                return window
            window *= 2
        return None

    def _windows(self, rate: Any, variance: Any) -> dict[Any, Any]:
        weighted, plain = (named_last(e) for e in window_sums(rate, self.time, T))
        discrete = self.time == "discrete"
        within = variance / T**2 * ((T if discrete else 0) + 2 * weighted)
        first = rate if discrete else sp.Integer(1)
        found = {WINDOW: within, NEXT: variance / T**2 * first * plain**2, START: first * plain / T}
        found[WINDOWS] = within + 2 * found[NEXT] / (1 - LAST)
        if discrete:  # the next moving mean has one iterate more and one fewer
            found[BESIDE] = within - variance * (1 - LAST) / T**2
        return {k: sp.factor(sp.cancel(sp.together(v))) for k, v in found.items()}

    def _put(self, expr: Any, covariance: bool = False) -> Any:
        """A = C; with a gain, in the coordinates in which the pair formulas are written."""
        here = LI if self.gain is None else self.gain * LI
        known = {s: here * self.thinned for s in expr.free_symbols if s.name == "C_ii"}
        known |= {s: sp.Integer(1) for s in expr.free_symbols if s == STEP and self.gain is not None}
        placed = expr.subs({**known, LI: here}, simultaneous=True)
        unit = self.gain if covariance and self.gain is not None else sp.Integer(1)
        return sp.factor(sp.cancel(sp.together(unit * placed)))

    # -- exact numbers ---------------------------------------------------------------------------

    def problem(self, scalars: Mapping[str, Fraction]) -> Place:
        """The problem in one dimension; the curvature is a square, so that its root is rational."""
        curvature = scalars[LI.name]
        matrices = {"A": ((curvature,),), "B": ((root(curvature, ""),),)}
        others = {n: x for n, x in scalars.items() if n not in (LI.name, T.name)}
        if self.gain is not None:
            matrices["H"] = ((number(self.gain, scalars),),)
            others[STEP.name] = Fraction(1)
        return Place(matrices, others)

    def at(self, scalars: Mapping[str, Fraction], wanted: Any) -> dict[str, Fraction] | None:
        """The quantities that are wanted, in exact numbers; None where the chain is not stable."""
        place = self.problem(scalars)
        if place.H is not None and place.H[0][0] <= 0:
            return None
        law = one_step(self, place)
        if law is None:
            return None
        names = sorted(q.name for q in wanted)
        return {n: law.read(n, int(scalars[T.name]) if T.name in scalars else 1) for n in names}


@dataclass(frozen=True, eq=False)
class StepNumbers:
    """One step in numbers: what it does to the states, its noise, and the stationary moments."""

    time: str
    step: Rows
    noise: Rows
    moments: Rows

    def read(self, name: str, window: int) -> Fraction:
        """One quantity."""
        if name == VARIANCE.name:
            return Fraction(self.moments[0][0])
        if name == LONG_RUN.name:  # the spectrum at frequency zero
            size = range(len(self.step))
            one = [[Fraction(int(i == j and self.time == "discrete")) for j in size] for i in size]
            away = [
                [a - b for a, b in zip(p, q, strict=True)] for p, q in zip(one, self.step, strict=True)
            ]
            sums = inverse(away)
            return Fraction(multiply(multiply(sums, self.noise), transpose(sums))[0][0])
        return self._continuous(name, window) if self.time == "continuous" else self._sums(name, window)

    def _sums(self, name: str, window: int) -> Fraction:
        """Sums over all pairs of steps of the autocovariance between them."""
        powers = self._powers(2 * window)
        here = range(1, window + 1)
        if name == START.name:
            return sum((powers[t][0][0] for t in here), Fraction(0)) / window
        if name == WINDOWS.name:
            return self._all_windows(powers, window)
        shift = {WINDOW.name: 0, NEXT.name: window, BESIDE.name: 1}[name]
        lags = [multiply(power, self.moments)[0][0] for power in powers[: window + shift]]
        counted = ((window - abs(d), lags[abs(d + shift)]) for d in range(1 - window, window))
        return sum((n * lag for n, lag in counted), Fraction(0)) / window**2

    def _all_windows(self, powers: list[Rows], window: int) -> Fraction:
        """Of a window with itself, and with all that follow it or went before."""
        size = range(len(self.step))
        last = powers[window]
        away = [[int(i == j) - last[i][j] for j in size] for i in size]
        follow = multiply(inverse([[Fraction(x) for x in row] for row in away]), self.moments)
        shared = (
            (window - abs(d), multiply(powers[window + d], follow)) for d in range(1 - window, window)
        )
        after = sum((n * m[0][0] for n, m in shared), Fraction(0))
        return self._sums(WINDOW.name, window) + 2 * after / window**2

    def _powers(self, most: int) -> list[Rows]:
        size = range(len(self.step))
        found = [[[Fraction(int(i == j)) for j in size] for i in size]]
        for _ in range(most):
            found.append(multiply(found[-1], self.step))
        return found

    def _continuous(self, name: str, window: int) -> Fraction:
        """Power series of the moment equations, to forty digits: the remainder is below a term."""
        rate, variance = self.step[0][0], self.moments[0][0]
        if -rate * window > _LONGEST:
            raise TypeError("more terms than are worth adding up")
        if name == START.name:
            return _series(rate, window, 1) / window
        if name == WINDOW.name:
            return Fraction(2 * variance * _series(rate, window, 2) / window**2)
        following = variance * _series(rate, window, 1) ** 2 / window**2
        if name == NEXT.name:
            return Fraction(following)
        if name == WINDOWS.name:
            own = 2 * variance * _series(rate, window, 2) / window**2
            return Fraction(own + 2 * following / (-rate * _series(rate, window, 1)))
        raise TypeError("steps are discrete")


def _series(rate: Fraction, window: int, first: int) -> Fraction:
    """The sum over k of rate^k window^(k + first) / (k + first)!."""
    term = Fraction(window) ** first / sp.factorial(first).p
    total, k = term, 0
    while abs(term) > _TINY or k < -2 * rate * window:
        k += 1
        term = term * rate * window / (k + first)
        total += term
    return total


@lru_cache(maxsize=20_000)
def _one_step(chain: ModeChain, place: Place) -> StepNumbers | None:
    moments = stationary_moments(chain.setting, place, chain.time)
    if moments is None:
        return None
    step, noise = linear_map(chain.setting, chain.time, point_of(chain.setting, place))
    factor = Fraction(number(chain.thinned, place.scalars))
    if factor == 1:
        squared = multiply(noise, transpose(noise))
    else:
        if chain.setting.injected_noises:
            raise TypeError("distinct examples beside injected noise")
        squared = [[factor * x for x in row] for row in multiply(noise, transpose(noise))]
    return StepNumbers(chain.time, step, squared, solve_stationary(step, squared, chain.time))


def one_step(chain: ModeChain, place: Place) -> StepNumbers | None:
    """The numbers of one step at a problem; None where it is not stable."""
    return _one_step(chain, place)


def named_last(expr: Any) -> Any:
    """A formula with powers a^T and exponentials as one letter."""
    return sp.sympify(expr).replace(
        lambda e: (e.is_Pow and e.exp == T) or isinstance(e, sp.exp), lambda _: LAST
    )


def number(expr: Any, scalars: Mapping[str, Any]) -> Fraction:
    """A formula in numbers: exact where it is rational, else to sixty digits.

    >>> number(sp.Symbol("x") / 3, {"x": Fraction(1, 2)})
    Fraction(1, 6)
    """
    expr = sp.sympify(expr)
    try:
        return Fraction(walk(expr, Exactly({s: scalars[s.name] for s in expr.free_symbols})))
    except (TypeError, StopIteration):  # powers of T, exponentials, irrational roots
        known = {s: sp.Rational(scalars[s.name]) for s in expr.free_symbols}
    value = expr.xreplace(known)
    if value.has(sp.zoo, sp.nan, sp.oo):
        raise ZeroDivisionError(f"{expr} has a pole there")
    if not value.is_Rational:
        value = sp.Rational(str(sp.N(value, 60)))
    return Fraction(int(value.p), int(value.q))
