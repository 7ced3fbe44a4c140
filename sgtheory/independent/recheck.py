"""Independent checks: formulas are held against the declared updates at random points.

Nothing here simplifies. The declared updates are run on random matrices in the same exact
arithmetic that evaluates the formula. A false identity between rational functions of degree d
survives one random point modulo a prime p with probability at most d / p (Schwartz and Zippel),
which is the error probability that a check states.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import nmod_poly

from sgtheory.declare import N as size_N
from sgtheory.declare import Root
from sgtheory.independent.fields import (
    PRIME,
    Itself,
    Rows,
    add,
    evaluate,
    inverse,
    kronecker,
    matrix_of,
    multiply,
    residue,
    transpose,
)
from sgtheory.independent.roots import characteristic, hurwitz_stable, schur_stable
from sgtheory.independent.running import Point, linear_map, random_point, state_map
from sgtheory.modepairs.pairs import LI, LJ, PairCovariance
from sgtheory.notation.sentence import Sentence, sentence
from sgtheory.onestep.affine import LAMBDA
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

    def words(self) -> Sentence:
        """One sentence for a report."""
        bound = self.error_probability
        power = len(str(bound.denominator // max(bound.numerator, 1))) - 1
        verdict = "holds" if self.passed else "FAILS"
        if not self.degree:
            return sentence(f"{self.what} {verdict} at {self.points} random exact rational problems")
        return sentence(
            f"{self.what} {verdict} at {self.points} random points modulo $2^61 - 1$"
            f" (a false formula would pass with probability below $1e-{power}$)"
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


def covariance_at(pair: PairCovariance, point: Point, entries: Any = None) -> Rows:
    """The claimed covariance of all states (or ``entries``), assembled from pair formulas."""
    if entries is None:
        names = [s.name for s in pair.form.states]
        entries = [[pair.entry(a, b) for b in names] for a in names]
    values = (_coupling_value(w, point) for w in pair.form.couplings)
    couplings = dict(zip(pair.symbols, values, strict=True))
    size = len(entries) * point.size
    inner = [[residue(0)] * size for _ in range(size)]
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
            point.G[i % point.size][j % point.size] if i // point.size == j // point.size else residue(0)
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
    >>> from sgtheory.modepairs.pairs import stationary
    >>> from sgtheory.setting import Setting
    >>> momentum = Setting(registry.sampler("momentum"), registry.model("quadratic"))
    >>> check_stationary(stationary(momentum)).passed
    True
    """
    source, form = random.Random(seed), pair.form
    passed = all(_solves(pair, random_point(form.setting, form.gain, source)) for _ in range(points))
    bound = max((degree(r) for response in pair.responses for r in response), default=0)
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
    return all(v == residue(0) for row in total for v in row)


def check_long_run(pair: PairCovariance, formula: Any, points: int = 2, seed: int = 5) -> Recheck:
    """Is a formula for the sum over all lags what the whole chain's inverse gives?"""
    source, form = random.Random(seed), pair.form
    k = [s.name for s in form.states].index("theta")

    def agree() -> bool:
        point = random_point(form.setting, form.gain, source)
        step, _ = linear_map(form.setting, form.time, point)
        P, one = covariance_at(pair, point), _identity(len(step))
        minus = _minus(step)
        summed = inverse(add(one, minus) if form.time == "discrete" else minus)
        total = add(multiply(summed, P), multiply(P, transpose(summed)))
        if form.time == "discrete":
            total = add(total, _minus(P))
        block = _block(total, k, point.size)
        return block == covariance_at(pair, point, [[formula]])

    size = degree(formula) + 32 * len(form.setting.updates) * len(form.states) * 3
    return Recheck("the sum over lags", all(agree() for _ in range(points)), points, size)


def check_reading(pair: PairCovariance, name: str, place: int, formula: Any, points: int = 2) -> Recheck:
    """Is a formula the variance of a state after some updates of a step, for the whole chain?"""
    source, form = random.Random(place), pair.form
    k = [s.name for s in form.states].index(name)

    def agree() -> bool:
        point = random_point(form.setting, form.gain, source)
        step, noise = linear_map(form.setting.reading(place), form.time, point)
        moved = multiply(step, multiply(covariance_at(pair, point), transpose(step)))
        here = add(moved, multiply(noise, transpose(noise)))
        return _block(here, k, point.size) == covariance_at(pair, point, [[formula]])

    size = degree(formula) + 32 * len(form.setting.updates)
    return Recheck("the variance there", all(agree() for _ in range(points)), points, size)


def check_gain(pair: PairCovariance, inverse_gain: Any, points: int = 2, seed: int = 7) -> Recheck:
    """Is the posterior's covariance the stationary one with a gain, for random matrices?"""
    source, form = random.Random(seed), pair.form
    k = [s.name for s in form.states].index("theta")

    def agree() -> bool:
        point = random_point(form.setting, None, source)
        size = {size_N: residue(source.randrange(1, PRIME))}  # the update need not have it
        point = replace(point, roots={**size, **point.roots})
        letters = {m: multiply(v, transpose(v)) for m, v in point.matrices.items() if m in "BE"}
        named = {"A": point.matrices["A"], "C": letters["B"], "EE^T": letters.get("E", [])}
        H = inverse(_matrix_value(inverse_gain, named, point))
        point = replace(point, matrices={**point.matrices, "H": H})
        P = _stationary(form, point)
        N = evaluate(size_N, point.roots)
        posterior = inverse([[N * x for x in row] for row in point.matrices["A"]])
        return _block(P, k, point.size) == posterior

    size = 64 * (3 * len(form.states)) ** 2
    what = "the posterior's covariance is the stationary one; it"
    return Recheck(what, all(agree() for _ in range(points)), points, size)


def _stationary(form: Any, point: Point) -> Rows:
    """All stationary moments by elimination."""
    step, noise = (matrix_of(rows) for rows in linear_map(form.setting, form.time, point))
    size = step.nrows()
    one, Q = matrix_of(_identity(size)), (noise * noise.transpose()).entries()
    if form.time == "discrete":
        operator = kronecker(one, one) - kronecker(step, step)
    else:
        operator = -(kronecker(step, one) + kronecker(one, step))
    P = operator.solve(matrix_of([[x] for x in Q])).entries()
    return [P[k : k + size] for k in range(0, size * size, size)]


def _matrix_value(expr: Any, letters: Any, point: Point) -> Rows:
    """A sum of single letters with scalars, in the field of the point."""
    total = [[point.field(0)] * point.size for _ in range(point.size)]
    for term in sp.Add.make_args(expr):
        coefficients, (letter,) = term.args_cnc()
        factor = evaluate(sp.Mul(*coefficients), point.roots)
        total = add(total, [[factor * x for x in row] for row in letters[letter.name]])
    return total


def _minus(rows: Rows) -> Rows:
    return [[x - x - x for x in row] for row in rows]


def _identity(size: int) -> Rows:
    return [[residue(int(i == j)) for j in range(size)] for i in range(size)]


def _block(rows: Rows, k: int, size: int) -> Rows:
    return [row[k * size : (k + 1) * size] for row in rows[k * size : (k + 1) * size]]


def check_identity(left: Any, right: Any, what: str, points: int = 2, seed: int = 1) -> Recheck:
    """Do two scalar expressions agree as functions of their symbols?"""
    source = random.Random(seed)
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)

    def agree() -> bool:
        roots = {s: residue(source.randrange(1, PRIME)) for s in symbols}
        return evaluate(left, roots) == evaluate(right, roots)

    return Recheck(what, all(agree() for _ in range(points)), points, degree(left) + degree(right))


def check_series(exact: Any, series: Any, step: Any, order: int, points: int = 2) -> Recheck:
    """Does a series agree with the exact formula up to and including the given order?

    >>> h, a = sp.symbols("h a", positive=True)
    >>> [check_series(h / (h + a * h**2), 1 - b * h, h, 1).passed for b in (a, 2 * a)]
    [True, False]
    """
    source = random.Random(order)
    symbols = sorted((exact.free_symbols | series.free_symbols) - {step}, key=str)

    parts = [p for e in (exact, series) for p in sp.fraction(sp.together(e))]

    def agree() -> bool:
        """Whether a/b = c/d: a d = b c to as many orders more as b and d begin with."""
        roots: dict[Any, Any] = {s: residue(source.randrange(1, PRIME)) for s in symbols}
        roots[step] = Itself(nmod_poly([0, 1], PRIME))
        a, b, c, d = (nmod_poly([0], PRIME) + evaluate(p, roots) for p in parts)
        begin = [next(k for k, x in enumerate(p.coeffs()) if x != 0) for p in (b, d)]
        return not any((a * d - b * c).coeffs()[: order + sum(begin) + 1])

    size = (order + 1) * (degree(exact) + degree(series))
    return Recheck("the series", all(agree() for _ in range(points)), points, size)


def _admitted_point(setting: Setting, gain: Any, source: random.Random) -> Point:
    """A random point whose parameters are as the sampler asks, such as mu <= 1."""
    while True:
        point = random_point(setting, gain, source, Fraction)
        values = {s: sp.Rational(str(r**2)) for s, r in point.roots.items() if isinstance(r, Fraction)}
        if all(condition.subs(values) != sp.false for condition in setting.sampler.given):
            return point


def check_stability(conditions: tuple[Any, ...], setting: Setting, gain: Any, time: str) -> Recheck:
    """Do the conditions hold exactly where all eigenvalues of the declared step are stable?

    The other route: the characteristic polynomial in exact rationals, then the recursion of Schur
    and Cohn (or the table of Routh); 40 random rational points.
    """
    source, points = random.Random(3), 40

    def agree() -> bool:
        point = _admitted_point(setting, gain, source)
        step = state_map(setting, time, point)
        claimed = True
        for value in point.eigenvalues:
            roots = {**point.roots, LAMBDA: Itself(value)}
            claimed &= all(evaluate(c, roots, Fraction) > 0 for c in conditions)
        polynomial = characteristic(step)
        truth = schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)
        return truth == claimed

    return Recheck("the stability region", all(agree() for _ in range(points)), points, 0)
