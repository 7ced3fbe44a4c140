"""Independent checks: formulas are held against the declared updates at random points.

Nothing here simplifies. The declared updates are run on random matrices in the same exact
arithmetic that evaluates the formula. A false identity between rational functions of degree d
survives one random point modulo a prime p with probability at most d / p (Schwartz and Zippel),
which is the error probability that a check states.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.affine import LAMBDA
from sgtheory.declare import Root
from sgtheory.fields import (
    PRIME,
    Itself,
    Jet,
    Mod,
    Rows,
    add,
    evaluate,
    inverse,
    multiply,
    transpose,
)
from sgtheory.pairs import LI, LJ, PairCovariance, coupling_symbol
from sgtheory.roots import characteristic, hurwitz_stable, schur_stable
from sgtheory.running import Point, linear_map, random_point, state_map
from sgtheory.setting import Setting


@dataclass(frozen=True)
class Recheck:
    """The outcome of an independent check."""

    what: str
    passed: bool
    points: int
    degree: int

    @property
    def error_probability(self) -> Fraction:
        """How likely a false identity would have passed (0 degrees: a sample, with no such bound)."""
        return Fraction(self.degree, PRIME) ** self.points

    def words(self) -> str:
        """One sentence for a report."""
        bound = self.error_probability
        power = len(str(bound.denominator // max(bound.numerator, 1))) - 1
        verdict = "holds" if self.passed else "FAILS"
        if not self.degree:
            return f"{self.what} {verdict} at {self.points} random exact rational problems"
        return (
            f"{self.what} {verdict} at {self.points} random points modulo 2^61 - 1"
            f" (a false formula would pass with probability below 1e-{power})"
        )


def degree(expr: Any) -> int:
    """A bound for the degree of the rational function, in the square roots of its symbols."""
    top, bottom = _degrees(expr)
    return max(top, bottom, 1)


def _degrees(expr: Any) -> tuple[int, int]:
    if isinstance(expr, sp.Rational):
        return 0, 0
    if isinstance(expr, sp.Symbol):
        return 2, 0
    if isinstance(expr, sp.Pow):
        top, bottom = _degrees(expr.args[0])
        power = expr.args[1]
        size = -(-abs(int(2 * power)) // 2)
        return (top * size, bottom * size) if power > 0 else (bottom * size, top * size)
    parts = [_degrees(a) for a in expr.args]
    below = sum(b for _, b in parts)
    if isinstance(expr, sp.Mul):
        return sum(t for t, _ in parts), below
    return max(t + below - b for t, b in parts), below


def covariance_at(pair: PairCovariance, point: Point) -> Rows:
    """The claimed covariance of all states, assembled from the pair formula."""
    names = [s.name for s in pair.form.states]
    entries = [[pair.entry(a, b) for b in names] for a in names]
    couplings = {coupling_symbol(w): _coupling_value(w, point) for w in pair.form.couplings}
    size = len(names) * point.size
    inner = [[Mod(0)] * size for _ in range(size)]
    for i in range(point.size):
        for j in range(point.size):
            known = {LI: point.eigenvalues[i], LJ: point.eigenvalues[j]}
            known |= {symbol: value[i][j] for symbol, value in couplings.items()}
            roots = {**point.roots, **{s: Itself(v) for s, v in known.items()}}
            for a, row in enumerate(entries):
                for b, entry in enumerate(row):
                    inner[a * point.size + i][b * point.size + j] = evaluate(entry, roots)
    spread = [
        [
            point.G[i % point.size][j % point.size] if i // point.size == j // point.size else Mod(0)
            for j in range(size)
        ]
        for i in range(size)
    ]
    return multiply(spread, multiply(inner, transpose(spread)))


def _coupling_value(coupling: Any, point: Point) -> Rows:
    """G^(-1) W W^T G^(-T) for the words W in front of a noise."""
    product = inverse(point.G)
    for factor in coupling:
        key = f"Root({factor.args[0]})" if isinstance(factor, Root) else str(factor)
        product = multiply(product, point.matrices[key])
    return multiply(product, transpose(product))


def check_stationary(pair: PairCovariance, points: int = 2, seed: int = 1) -> Recheck:
    """Does the formula solve the equation of the declared step, on random matrices?

    >>> from sgtheory import registry
    >>> from sgtheory.pairs import stationary
    >>> from sgtheory.setting import Setting
    >>> momentum = Setting(registry.sampler("momentum"), registry.model("quadratic"))
    >>> check_stationary(stationary(momentum)).passed
    True
    """
    source, form = random.Random(seed), pair.form
    passed = all(_solves(pair, random_point(form.setting, form.gain, source)) for _ in range(points))
    bound = max(degree(r) for response in pair.responses for r in response)
    # the equation multiplies the formula by two steps, each of degree at most 4 per update
    total = bound + 32 * len(pair.form.setting.updates)
    return Recheck("the stationary equation of the declared step", passed, points, total)


def _solves(pair: PairCovariance, point: Point) -> bool:
    step, noise = linear_map(pair.form.setting, pair.form.time, point)
    covariance = covariance_at(pair, point)
    fresh = multiply(noise, transpose(noise))
    if pair.form.time == "discrete":
        moved = multiply(step, multiply(covariance, transpose(step)))
        return add(moved, fresh) == covariance
    drift = add(multiply(step, covariance), multiply(covariance, transpose(step)))
    total = add(drift, fresh)
    return all(v == Mod(0) for row in total for v in row)


def check_identity(left: Any, right: Any, what: str, points: int = 2, seed: int = 1) -> Recheck:
    """Do two scalar expressions agree as functions of their symbols?"""
    source = random.Random(seed)
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)

    def agree() -> bool:
        roots = {s: Mod(source.randrange(1, PRIME)) for s in symbols}
        return evaluate(left, roots) == evaluate(right, roots)

    return Recheck(what, all(agree() for _ in range(points)), points, degree(left) + degree(right))


def check_series(exact: Any, series: Any, step: Any, order: int, points: int = 2) -> Recheck:
    """Does a series agree with the exact formula up to and including the given order?"""
    source = random.Random(order)
    symbols = sorted((exact.free_symbols | series.free_symbols) - {step}, key=str)

    def constant(n: int) -> Jet:
        return Jet((Mod(n), *(Mod(0) for _ in range(order))))

    def agree() -> bool:
        roots: dict[Any, Any] = {s: constant(source.randrange(1, PRIME)) for s in symbols}
        unit = Jet((Mod(0), Mod(1), *(Mod(0) for _ in range(order)))[: order + 1])
        roots[step] = Itself(unit)
        return bool(evaluate(exact, roots, constant) == evaluate(series, roots, constant))

    size = (order + 1) * (degree(exact) + degree(series))
    return Recheck("the series", all(agree() for _ in range(points)), points, size)


def check_stability(conditions: tuple[Any, ...], setting: Setting, gain: Any, time: str) -> Recheck:
    """Do the conditions hold exactly where all eigenvalues of the declared step are stable?

    The other route: the characteristic polynomial by Faddeev and Le Verrier in exact rationals,
    then the recursion of Schur and Cohn (or the table of Routh); 40 random rational points.
    """
    source, passed, points = random.Random(3), True, 40
    for _ in range(points):
        point = random_point(setting, gain, source, Fraction)
        step = state_map(setting, time, point)
        claimed = True
        for value in point.eigenvalues:
            roots = {**point.roots, LAMBDA: Itself(value)}
            claimed &= all(evaluate(c, roots, Fraction) > 0 for c in conditions)
        polynomial = characteristic(step)
        truth = schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)
        passed &= truth == claimed
    return Recheck("the stability region", passed, points, 0)
