"""An independent evaluator: formulas are checked at random points of a prime field.

Nothing here simplifies. An expression tree is walked once, in arithmetic modulo the prime
2^61 - 1, and the *declared updates* are run on random matrices in the same arithmetic. A false
identity between rational functions of degree d survives one random point with probability at
most d / (2^61 - 1) (Schwartz and Zippel), which is the error probability that a check states.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Local, Root, Vector
from sgtheory.pairs import LI, LJ, PairCovariance, coupling_symbol
from sgtheory.setting import Setting

PRIME = 2**61 - 1
_MODES = 3  # the size of the random matrices: more than a pair, so that i, j and a bystander differ


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


class Mod:
    """A residue modulo the prime, with the operators of a field."""

    __slots__ = ("n",)

    def __init__(self, n: int) -> None:
        self.n = n % PRIME

    def __add__(self, other: Mod) -> Mod:
        return Mod(self.n + other.n)

    def __sub__(self, other: Mod) -> Mod:
        return Mod(self.n - other.n)

    def __mul__(self, other: Mod) -> Mod:
        return Mod(self.n * other.n)

    def __pow__(self, power: int) -> Mod:
        if self.n == 0 and power < 0:
            raise ZeroDivisionError("the random point hit a pole")
        return Mod(pow(self.n, power, PRIME))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mod) and self.n == other.n

    def __hash__(self) -> int:
        return hash(self.n)


def evaluate(expr: Any, roots: Mapping[Any, Any], field: Any = Mod) -> Any:
    """The value of a scalar expression. ``roots`` gives the square root of every symbol.

    >>> x = sp.Symbol("x", positive=True)
    >>> evaluate(sp.sqrt(x) / x + 1, {x: Fraction(2)}, Fraction)
    Fraction(3, 2)
    """
    if isinstance(expr, sp.Rational):
        return field(int(expr.p)) * field(int(expr.q)) ** -1
    if isinstance(expr, sp.Symbol):
        return roots[expr] ** 2
    if isinstance(expr, sp.Add):
        return _sum((evaluate(a, roots, field) for a in expr.args), field(0))
    if isinstance(expr, sp.Mul):
        product = field(1)
        for arg in expr.args:
            product = product * evaluate(arg, roots, field)
        return product
    if isinstance(expr, sp.Pow):
        base, power = expr.args
        if power.is_Integer:
            return evaluate(base, roots, field) ** int(power)
        if isinstance(base, sp.Symbol) and (2 * power).is_Integer:
            return roots[base] ** int(2 * power)
    raise TypeError(f"the independent evaluator has no rule for {sp.srepr(expr)}")


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


Rows = list[list[Any]]


def multiply(x: Rows, y: Rows) -> Rows:
    """The matrix product."""
    columns = list(zip(*y, strict=True))
    zero = x[0][0] - x[0][0]
    return [[_sum((a * b for a, b in zip(r, c, strict=True)), zero) for c in columns] for r in x]


def transpose(x: Rows) -> Rows:
    """The transpose."""
    return [list(c) for c in zip(*x, strict=True)]


def _sum(terms: Any, zero: Any) -> Any:
    total = zero
    for term in terms:
        total = total + term
    return total


def _add(x: Rows, y: Rows) -> Rows:
    return [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(x, y, strict=True)]


def inverse(x: Rows) -> Rows:
    """The inverse, by Gauss and Jordan."""
    n = len(x)
    zero = x[0][0] - x[0][0]
    one = zero**0
    rows = [[*r, *(one if i == j else zero for j in range(n))] for i, r in enumerate(x)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != zero)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        scale = rows[k][k] ** -1
        rows[k] = [v * scale for v in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [v - factor * u for v, u in zip(rows[i], rows[k], strict=True)]
    return [r[n:] for r in rows]


@dataclass(frozen=True)
class Point:
    """A random problem, exact in some field, with its eigenvectors known by construction.

    ``G`` is any factor of the gain, H = G G^T (the identity without a gain); A has eigenvalues
    ``eigenvalues`` in the basis phi = G^(-1) theta.
    """

    field: Any
    roots: Mapping[Any, Any]
    eigenvalues: tuple[Any, ...]
    matrices: Mapping[str, Rows]
    G: Rows


def random_point(setting: Setting, gain: Any, source: random.Random, field: Any = Mod) -> Point:
    """A random problem on which a formula can be held against the declared updates."""

    def anything() -> Any:
        # small fractions keep exact rationals short; the prime field takes what it can get
        return field(source.randrange(1, PRIME)) if field is Mod else Fraction(source.randrange(1, 40), 24)

    def full() -> Rows:
        return [[anything() for _ in range(_MODES)] for _ in range(_MODES)]

    symbols = sorted(set().union(*(e.free_symbols for _, e in setting.updates)), key=str)
    roots = {s: anything() for s in symbols}
    zero, one = field(0), field(1)
    identity = [[one if i == j else zero for j in range(_MODES)] for i in range(_MODES)]
    G = full() if gain is not None and field is Mod else identity
    eigenvalues = tuple(anything() for _ in range(_MODES))
    inner = [[eigenvalues[i] if i == j else zero for j in range(_MODES)] for i in range(_MODES)]
    back = inverse(G)
    matrices = {str(s): full() for s in symbols}
    matrices["A"] = multiply(transpose(back), multiply(inner, back))
    if gain is not None:
        matrices[str(gain)] = multiply(G, transpose(G))
        matrices[f"Root({gain})"] = G  # any factor will do: only its square reaches a covariance
    return Point(field, roots, eigenvalues, matrices, G)


def _vector(expr: Any, env: Mapping[Any, list[Any]], point: Point) -> list[Any]:
    """The value of a vector expression when states and noises have the values of ``env``."""
    zero = point.field(0)
    if expr in env:
        return env[expr]
    if isinstance(expr, sp.Add):
        parts = [_vector(a, env, point) for a in expr.args]
        return [_sum((p[k] for p in parts), zero) for k in range(_MODES)]
    if isinstance(expr, sp.Mul):
        scalar, value = point.field(1), None
        for arg in expr.args:
            if arg.atoms(Vector):
                value = _vector(arg, env, point)
            else:
                scalar = scalar * evaluate(arg, point.roots, point.field)
        assert value is not None
        return [scalar * v for v in value]
    if isinstance(expr, Apply):
        matrix = point.matrices[str(expr.args[0])]
        value = _vector(expr.args[1], env, point)
        return [_sum((m * v for m, v in zip(row, value, strict=True)), zero) for row in matrix]
    raise TypeError(f"the independent evaluator has no rule for {expr}")


def run_step(setting: Setting, time: str, env: dict[Any, list[Any]], point: Point) -> list[Any]:
    """One declared step (or, in continuous time, its increments) on given states and noises."""
    states = setting.sampler.state
    old, added = dict(env), {s: [point.field(0)] * _MODES for s in states}
    for target, expr in setting.updates:
        value = _vector(expr, env, point)
        if time == "discrete" or isinstance(target, Local):
            env[target] = value
        else:
            change = [v - o for v, o in zip(value, old[target], strict=True)]
            added[target] = [a + c for a, c in zip(added[target], change, strict=True)]
    result = env if time == "discrete" else added
    return [v for s in states for v in result[s]]


def linear_map(setting: Setting, time: str, point: Point) -> tuple[Rows, Rows]:
    """The matrices of one step, found by running it on unit vectors: states, then noises."""
    states = setting.sampler.state
    noises = (*setting.gradient_noises, *setting.injected_noises)
    zero = {v: [point.field(0)] * _MODES for v in (*states, *noises)}

    def columns(vectors: Any) -> Rows:
        found = []
        for vector in vectors:
            for k in range(_MODES):
                unit = [point.field(int(k == i)) for i in range(_MODES)]
                found.append(run_step(setting, time, {**zero, vector: unit}, point))
        return transpose(found)

    return columns(states), columns(noises)


def covariance_at(pair: PairCovariance, point: Point) -> Rows:
    """The claimed covariance of all states, assembled from the pair formula."""
    names = [s.name for s in pair.form.states]
    entries = [[pair.entry(a, b) for b in names] for a in names]
    couplings = {coupling_symbol(w): _coupling_value(w, point) for w in pair.form.couplings}
    size = len(names) * _MODES
    inner = [[Mod(0)] * size for _ in range(size)]
    for i in range(_MODES):
        for j in range(_MODES):
            known = {LI: point.eigenvalues[i], LJ: point.eigenvalues[j]}
            known |= {symbol: value[i][j] for symbol, value in couplings.items()}
            roots = {**point.roots, **{s: _Squared(v.n) for s, v in known.items()}}
            for a, row in enumerate(entries):
                for b, entry in enumerate(row):
                    inner[a * _MODES + i][b * _MODES + j] = evaluate(entry, roots)
    spread = [
        [
            point.G[i % _MODES][j % _MODES] if i // _MODES == j // _MODES else Mod(0)
            for j in range(size)
        ]
        for i in range(size)
    ]
    return multiply(spread, multiply(inner, transpose(spread)))


class _Squared(Mod):
    """A value given as it is, in a table of square roots: its square is itself."""

    def __pow__(self, power: int) -> Mod:
        if power % 2:
            raise TypeError("this symbol has no square root here")
        return Mod(self.n) ** (power // 2)


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
    passed = all(
        _solves(pair, random_point(form.setting, form.gain, source)) for _ in range(points)
    )
    bound = max(degree(r) for response in pair.responses for r in response)
    # the equation multiplies the formula by two steps, each of degree at most 4 per update
    total = bound + 8 * len(pair.form.setting.updates) * (_MODES + 1)
    return Recheck("the stationary equation of the declared step", passed, points, total)


def _solves(pair: PairCovariance, point: Point) -> bool:
    step, noise = linear_map(pair.form.setting, pair.form.time, point)
    covariance = covariance_at(pair, point)
    fresh = multiply(noise, transpose(noise))
    if pair.form.time == "discrete":
        moved = multiply(step, multiply(covariance, transpose(step)))
        return _add(moved, fresh) == covariance
    drift = multiply(step, covariance)
    total = _add(_add(drift, transpose(drift)), fresh)
    return all(v == Mod(0) for row in total for v in row)


def check_identity(left: Any, right: Any, what: str, points: int = 2, seed: int = 1) -> Recheck:
    """Do two scalar expressions agree as functions of their symbols?"""
    source = random.Random(seed)
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)

    def agree() -> bool:
        roots = {s: Mod(source.randrange(1, PRIME)) for s in symbols}
        return evaluate(left, roots) == evaluate(right, roots)

    return Recheck(what, all(agree() for _ in range(points)), points, degree(left) + degree(right))



@dataclass(frozen=True)
class Jet:
    """A power series in the step, cut after a given order, over the prime field."""

    c: tuple[Mod, ...]

    def __add__(self, other: Jet) -> Jet:
        return Jet(tuple(a + b for a, b in zip(self.c, other.c, strict=True)))

    def __mul__(self, other: Jet) -> Jet:
        n = range(len(self.c))
        return Jet(tuple(_sum((self.c[i] * other.c[k - i] for i in range(k + 1)), Mod(0)) for k in n))

    def __pow__(self, power: int) -> Jet:
        one = Jet((Mod(1), *(Mod(0) for _ in self.c[1:])))
        base = self if power >= 0 else self._inverse()
        for _ in range(abs(power)):
            one = one * base
        return one

    def _inverse(self) -> Jet:
        first = self.c[0] ** -1
        found: list[Mod] = [first]
        for k in range(1, len(self.c)):
            rest = _sum((self.c[i] * found[k - i] for i in range(1, k + 1)), Mod(0))
            found.append((Mod(0) - rest) * first)
        return Jet(tuple(found))


def check_series(exact: Any, series: Any, step: Any, order: int, points: int = 2) -> Recheck:
    """Does a series agree with the exact formula up to and including the given order?"""
    source = random.Random(order)
    symbols = sorted((exact.free_symbols | series.free_symbols) - {step}, key=str)

    def constant(n: int) -> Jet:
        return Jet((Mod(n), *(Mod(0) for _ in range(order))))

    def agree() -> bool:
        roots: dict[Any, Any] = {s: constant(source.randrange(1, PRIME)) for s in symbols}
        unit = Jet((Mod(0), Mod(1), *(Mod(0) for _ in range(order - 1))))
        roots[step] = _JetOfStep(unit.c)
        return bool(evaluate(exact, roots, constant) == evaluate(series, roots, constant))

    size = (order + 1) * (degree(exact) + degree(series))
    return Recheck("the series", all(agree() for _ in range(points)), points, size)


class _JetOfStep(Jet):
    """The step itself, in a table of square roots: its square is the step."""

    def __pow__(self, power: int) -> Jet:
        return Jet(self.c) ** (power // 2)


def check_stability(conditions: tuple[Any, ...], setting: Setting, gain: Any, time: str) -> Recheck:
    """Do the conditions hold exactly where all eigenvalues of the declared step are stable?

    The other route: the characteristic polynomial by Faddeev and Le Verrier in exact rationals,
    then the recursion of Schur and Cohn (or the table of Routh); 40 random rational points.
    """
    from sgtheory.affine import LAMBDA

    source, passed, points = random.Random(3), True, 40
    for _ in range(points):
        point = random_point(setting, gain, source, Fraction)
        step, _noise = linear_map(setting, time, point)
        claimed = True
        for value in point.eigenvalues:
            roots = {**point.roots, LAMBDA: _FractionSquared(value)}
            claimed &= all(evaluate(c, roots, Fraction) > 0 for c in conditions)
        polynomial = characteristic(step)
        truth = schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)
        passed &= truth == claimed
    return Recheck("the stability region", passed, points, 0)


class _FractionSquared(Fraction):
    def __pow__(self, power: Any) -> Any:  # type: ignore[override]
        return Fraction(self) ** (power // 2)


def characteristic(matrix: Rows) -> list[Fraction]:
    """Coefficients of det(z - M), highest power first, by Faddeev and Le Verrier.

    >>> characteristic([[Fraction(1), Fraction(2)], [Fraction(3), Fraction(4)]])
    [Fraction(1, 1), Fraction(-5, 1), Fraction(-2, 1)]
    """
    n = len(matrix)
    coefficients, current = [Fraction(1)], [[Fraction(0)] * n for _ in range(n)]
    for k in range(1, n + 1):
        shifted = [
            [v + (coefficients[-1] if i == j else 0) for j, v in enumerate(row)]
            for i, row in enumerate(current)
        ]
        current = multiply(matrix, shifted)
        coefficients.append(-sum((current[i][i] for i in range(n)), Fraction(0)) / k)
    return coefficients


def schur_stable(polynomial: list[Fraction]) -> bool:
    """Whether all roots lie strictly inside the unit circle (Schur and Cohn)."""
    p = polynomial
    while len(p) > 1:
        if abs(p[-1]) >= abs(p[0]):
            return False
        p = [p[0] * a - p[-1] * b for a, b in zip(p[:-1], reversed(p[1:]), strict=True)]
        p = [a / p[0] for a in p]
    return True


def hurwitz_stable(polynomial: list[Fraction]) -> bool:
    """Whether all roots have negative real part (Routh's table)."""
    upper, lower = polynomial[0::2], polynomial[1::2]
    while lower:
        if upper[0] <= 0 or lower[0] <= 0:
            return False
        ratio = upper[0] / lower[0]
        padded = lower[1:] + [Fraction(0)] * (len(upper) - len(lower))
        nxt = [a - ratio * b for a, b in zip(upper[1:], padded, strict=False)]
        upper, lower = lower, nxt
    return upper[0] > 0
