"""Whether a quantity of a law moves with a parameter: exact derivatives modulo a prime.

A random problem is lifted to dual numbers over residues, its law solved by elimination, and the slope of
the quantity along a random direction read off. A rational function whose derivative is not identically
zero has a nonzero slope at a random point but for a chance of its degree over the prime.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sgtheory.errors import NotAffine
from sgtheory.independent.fields import (
    Dual,
    Itself,
    Mod,
    Rows,
    add,
    multiply,
    square_root,
    transpose,
)
from sgtheory.independent.running import Point, random_point
from sgtheory.setting import Setting
from verification.laws.lagsums import sums_over_lags
from verification.laws.quantities import (
    Amount,
    amounts,
    frozen,
    letters,
    named,
    times_of,
)
from verification.laws.rational import Numbers, moments_at, plain_matrices, takes_root_of_gain
from verification.refuter.conditions import AreProportional, Condition
from verification.refuter.parameters import OnScalars
from verification.verdicts.verdict import Evidence

ERROR = 1e-12  # degrees below 10^4, two points, 2^61
_POINTS, _TRIES, _SIZE = 2, 64, 3


def derivative_vanishes(
    expr: Any,
    setting: Setting | None,
    time: str,
    parameter: str,
    under: tuple[Condition, ...],
    seed: str,
) -> bool | None:
    """Whether the derivative is zero at random points; None where the arithmetic has no answer.

    >>> from sgtheory import registry
    >>> from verification.notation import A, Sigma, trace
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> derivative_vanishes(trace(A * Sigma), sgd, "continuous", "A", (), "doc")
    True
    >>> derivative_vanishes(trace(A * Sigma), sgd, "discrete", "A", (), "doc")
    False
    """
    if any(isinstance(p, OnScalars) for c in under for p in c.parts):
        return None
    source, seen = random.Random(f"dual {seed}"), 0
    for _ in range(_TRIES):
        try:
            values = _at_random(expr, setting, time, parameter, under, source)
        except (TypeError, KeyError, NotAffine):
            continue  # no root at this point
        except (ZeroDivisionError, StopIteration):
            continue
        if not all(_is_still(a) for a in values):
            return False
        seen += 1
        if seen == _POINTS:
            return True
    return None


def _is_still(a: Amount) -> bool:
    """Whether the derivative of a rational function plus logarithms vanishes."""
    slope = a.rational.slope
    for c, b in a.logs:
        if c.slope != Mod(0):
            return False
        slope = slope + c.value * b.slope * b.value**-1
    return bool(slope == Mod(0))


def told(vanishes: bool) -> Evidence:
    """What was seen, for the verdict."""
    word = "vanishes" if vanishes else "does not vanish"
    return Evidence(
        "exact",
        f"Dual numbers modulo 2^61 - 1: the derivative along a random direction {word} at random 3 x 3"
        f" problems (chance of being misled below {ERROR}).",
        {"holds": vanishes, "error_probability": ERROR},
    )


def constant(n: int) -> Dual:
    """A whole number as a dual number over residues."""
    return Dual(Mod(n), Mod(0))


def _at_random(
    expr: Any,
    setting: Setting | None,
    time: str,
    parameter: str,
    under: tuple[Condition, ...],
    source: random.Random,
) -> tuple[Amount, ...]:
    matrices = _matrices(under, source, gain=parameter == "H" or "H" in letters(expr))
    lifted = {n: [[Dual(x, Mod(0)) for x in row] for row in m] for n, m in matrices.items()}
    if parameter in ("A", "H", "E", "B", "C"):
        name = "B" if parameter == "C" else parameter
        along = _direction(matrices, name, parameter, under, source)
        pairs = zip(matrices[name], along, strict=True)
        lifted[name] = [[Dual(x, s) for x, s in zip(r, d, strict=True)] for r, d in pairs]
    roots = _roots(expr, setting, parameter, source)
    found = plain_matrices(lifted, len(matrices["A"]), constant)
    for ending, when in times_of((expr,), time).items():
        assert setting is not None
        point = _point(setting, lifted, roots)
        solved = moments_at(setting, point, when)
        found |= named(solved, ending)
        if not ending:
            found |= sums_over_lags(setting, point, when, solved, letters(expr))
    by_name = {str(s): r for s, r in roots.items()}
    return amounts(
        expr, Numbers(constant, found, {**by_name, "D": Itself(constant(len(matrices["A"])))})
    )


def _matrices(under: tuple[Condition, ...], source: random.Random, gain: bool) -> dict[str, Rows]:
    def full() -> Rows:
        return [[Mod(source.randrange(1, 2**60)) for _ in range(_SIZE)] for _ in range(_SIZE)]

    def symmetric() -> Rows:
        m = full()
        return multiply(m, transpose(m))

    one = [[Mod(int(i == j)) for j in range(_SIZE)] for i in range(_SIZE)]
    found = {"A": symmetric(), "B": full(), "E": full(), "H": symmetric() if gain else one}
    for condition in under:
        found = condition.impose(found)
    return found


def _direction(
    matrices: Mapping[str, Rows],
    name: str,
    letter: str,
    under: tuple[Condition, ...],
    source: random.Random,
) -> Rows:
    """A random direction in which the conditions go on to hold; those on B B^T make B symmetric."""
    value, size = matrices[name], len(matrices[name])
    touching = [p for c in under for p in c.parts if letter in p.letters]
    if any(isinstance(p, AreProportional) for p in touching):
        return value
    if touching:
        a, b, c = (Mod(source.randrange(1, 2**60)) for _ in range(3))
        return polynomial(value, a, b, c)
    m = [[Mod(source.randrange(1, 2**60)) for _ in range(size)] for _ in range(size)]
    return m if name in ("B", "E") else add(m, transpose(m))


def polynomial(X: Rows, a: Any, b: Any, c: Any) -> Rows:
    """a X^2 + b X + c I: it commutes with what X commutes with, and is diagonal where X is."""
    square = multiply(X, X)
    both = add([[a * x for x in row] for row in square], [[b * x for x in row] for row in X])
    return [[x + c if i == j else x for j, x in enumerate(row)] for i, row in enumerate(both)]


def another(value: Any, touching: list[Condition], source: random.Random) -> Any:
    """Another exact matrix that obeys the same conditions: a polynomial of the first, or a multiple."""
    X = [list(row) for row in value]
    a, b, c = (Fraction(source.randrange(1, 9), source.randrange(1, 5)) for _ in range(3))
    if any(isinstance(p, AreProportional) for p in touching):
        return frozen([[a * x for x in row] for row in X])
    return frozen(polynomial(X, a, b, c))


def _roots(expr: Any, setting: Setting | None, parameter: str, source: random.Random) -> dict[Any, Dual]:
    """Square roots of all scalars; the parameter's moves."""
    found: dict[Any, Any] = {}
    if setting is not None:
        found |= random_point(setting, None, source).roots
    names = {str(s) for s in found} | {"D"}
    for s in sorted(expr.free_symbols, key=str):
        if s.is_commutative and s.name not in names:
            found[s] = Mod(source.randrange(1, 2**60))
    return {
        s: Dual(r, Mod(source.randrange(1, 2**60)) if str(s) == parameter else Mod(0))
        for s, r in found.items()
        if isinstance(r, Mod)
    }


def _point(setting: Setting, lifted: Mapping[str, Rows], roots: Mapping[Any, Dual]) -> Point:
    size = len(lifted["A"])
    one = [[constant(int(i == j)) for j in range(size)] for i in range(size)]
    matrices = dict(lifted)
    if takes_root_of_gain(setting):
        matrices["Root(H)"] = _factor(lifted["H"])
    return Point(field=constant, roots=roots, eigenvalues=(), matrices=matrices, G=one)


def _factor(H: Rows) -> Rows:
    """A triangular factor L with L L^T = H, where all its pivots have roots."""
    size = len(H)
    zero = constant(0)
    L = [[zero] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = H[i][j]
            for k in range(j):
                rest = rest - L[i][k] * L[j][k]
            L[i][j] = square_root(rest, constant) if i == j else rest * L[j][j] ** -1
    return L
