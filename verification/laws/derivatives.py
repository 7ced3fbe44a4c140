"""Whether a quantity of a law moves with a parameter: exact derivatives modulo a prime.

A random problem is lifted to dual numbers over residues, its law solved there, and the slope of the
quantity along a random direction read off. A rational function whose derivative is not identically
zero has a nonzero slope at a random point but for a chance of its degree over the prime.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import sympy as sp

from sgtheory.errors import NotAffine
from sgtheory.independent.fields import (
    Dual,
    Itself,
    Mod,
    Rows,
    add,
    evaluate,
    inverse,
    multiply,
    square_root,
    total,
    transpose,
)
from sgtheory.independent.running import Point, random_point
from sgtheory.notation.matrixwords import Determinant, Diagonal, Entry
from sgtheory.setting import Setting
from verification.laws.lagsums import sums_over_lags
from verification.laws.pair_form import by_word
from verification.laws.quantities import FUNCTIONALS, is_matrix, letters, named, times_of
from verification.laws.rational import moments_at, plain_matrices, takes_root_of_gain
from verification.refuter.conditions import AreProportional, Condition
from verification.terms.kinds import Transpose

ERROR = 1e-12  # degrees below 10^4, two points, 2^61
_POINTS, _TRIES, _SIZE = 2, 64, 3
_STILL = Mod(0)


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
    if any(p.on_numbers for c in under for p in c.parts):
        return None
    source, seen = random.Random(f"dual {seed}"), 0
    for _ in range(_TRIES):
        try:
            still = _at_random(expr, setting, time, parameter, under, source).is_still(expr)
        except (TypeError, KeyError, NotAffine, ZeroDivisionError, StopIteration):
            continue  # no root at this point, or a pole
        if not still:
            return False
        seen += 1
        if seen == _POINTS:
            return True
    return None


@dataclass(frozen=True)
class _Numbers:
    """What letters are worth in dual numbers: matrices, and square roots of scalars."""

    matrices: Mapping[str, Rows]
    roots: Mapping[str, Any]

    def is_still(self, expr: Any) -> bool:
        """Whether the derivative of a matrix, or of a rational function plus logarithms, vanishes."""
        if is_matrix(expr):
            return all(x.slope == _STILL for row in self.matrix(sp.expand(expr)) for x in row)
        rational, slope = sp.Integer(0), _STILL
        for term in sp.Add.make_args(sp.expand_mul(sp.sympify(expr), deep=False)):
            log = next((f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)), None)
            if log is None:
                rational += term
                continue
            factor, inside = self.number(term / log), self.number(log.args[0])
            if factor.slope != _STILL:
                return False
            slope = slope + factor.value * inside.slope * inside.value**-1
        return bool(slope + self.number(rational).slope == _STILL)

    def number(self, expr: Any) -> Dual:
        """A scalar without logarithms."""
        expr, roots = sp.sympify(expr), {}
        for atom in expr.atoms(*FUNCTIONALS):
            symbol = sp.Dummy(positive=True)
            expr, roots[symbol] = expr.subs(atom, symbol), Itself(self._functional(atom))
        roots |= {s: self.roots[s.name] for s in expr.free_symbols if s not in roots}
        found: Dual = evaluate(expr, roots, _constant)
        return found

    def _functional(self, atom: Any) -> Any:
        rows = self.matrix(sp.expand(atom.args[0]))
        if isinstance(atom, Entry):
            return rows[int(atom.args[1])][int(atom.args[2])]
        if isinstance(atom, Determinant):
            return _determinant(rows)
        return total((rows[k][k] for k in range(len(rows))), _constant(0))

    def matrix(self, expr: Any) -> Rows:
        """A sum of words; a bare scalar is that multiple of the identity."""
        found = []
        for word, scalar in by_word(expr).items():
            rows = reduce(multiply, map(self._power, word.args_cnc()[1]), self.matrices["I"])
            factor = self.number(scalar)
            found.append([[factor * x for x in row] for row in rows])
        return reduce(add, found)

    def _power(self, word: Any) -> Rows:
        base, power = word.as_base_exp()
        if base.is_Symbol:
            value = self.matrices[base.name]
        elif isinstance(base, Transpose):
            value = transpose(self.matrix(base.args[0]))
        elif isinstance(base, Diagonal):
            value, zero = self.matrix(base.args[0]), _constant(0)
            if not power.is_Integer:  # the root of a diagonal matrix, entry by entry
                value = [[square_root(x, _constant) if i == j else x for j, x in enumerate(row)]
                         for i, row in enumerate(value)]  # fmt: skip
                power = 2 * power
            value = [[x if i == j else zero for j, x in enumerate(r)] for i, r in enumerate(value)]
        else:
            value = self.matrix(base)
        return reduce(multiply, [inverse(value) if power < 0 else value] * abs(int(power)))


def _determinant(rows: Rows) -> Any:
    """By the first row; matrices here are small."""
    if len(rows) == 1:
        return rows[0][0]
    minors = (_determinant([[*r[:j], *r[j + 1 :]] for r in rows[1:]]) for j in range(len(rows)))
    signed = (x * m * _constant((-1) ** j) for j, (x, m) in enumerate(zip(rows[0], minors, strict=True)))
    return total(signed, _constant(0))


def _constant(n: int) -> Dual:
    return Dual(Mod(n), _STILL)


def _at_random(
    expr: Any,
    setting: Setting | None,
    time: str,
    parameter: str,
    under: tuple[Condition, ...],
    source: random.Random,
) -> _Numbers:
    matrices = _matrices(under, source, gain=parameter == "H" or "H" in letters(expr))
    lifted = {n: [[Dual(x, _STILL) for x in row] for row in m] for n, m in matrices.items()}
    if parameter in ("A", "H", "E", "B", "C"):
        name = "B" if parameter == "C" else parameter
        along = _direction(matrices, name, parameter, under, source)
        pairs = zip(matrices[name], along, strict=True)
        lifted[name] = [[Dual(x, s) for x, s in zip(r, d, strict=True)] for r, d in pairs]
    roots, size = _roots(expr, setting, parameter, source), len(matrices["A"])
    found = plain_matrices(lifted, size, _constant)
    for ending, when in times_of((expr,), time).items():
        assert setting is not None
        point = _point(setting, lifted, roots)
        solved = moments_at(setting, point, when)
        found |= named(solved, ending)
        if not ending:
            found |= sums_over_lags(setting, point, when, solved, letters(expr))
    return _Numbers(found, {**{str(s): r for s, r in roots.items()}, "D": Itself(_constant(size))})


def _residue(source: random.Random) -> Mod:
    return Mod(source.randrange(1, 2**60))


def _full(source: random.Random, size: int = _SIZE) -> Rows:
    return [[_residue(source) for _ in range(size)] for _ in range(size)]


def _matrices(under: tuple[Condition, ...], source: random.Random, gain: bool) -> dict[str, Rows]:
    def symmetric() -> Rows:
        m = _full(source)
        return multiply(m, transpose(m))

    one = [[Mod(int(i == j)) for j in range(_SIZE)] for i in range(_SIZE)]
    found = {
        "A": symmetric(),
        "B": _full(source),
        "E": _full(source),
        "H": symmetric() if gain else one,
    }
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
    value = matrices[name]
    touching = [p for c in under for p in c.parts if letter in p.letters]
    if any(isinstance(p, AreProportional) for p in touching):
        return value
    if touching:
        a, b, c = (_residue(source) for _ in range(3))
        return _polynomial(value, a, b, c)
    m = _full(source, len(value))
    return m if name in ("B", "E") else add(m, transpose(m))


def _polynomial(X: Rows, a: Any, b: Any, c: Any) -> Rows:
    """a X^2 + b X + c I: it commutes with what X commutes with, and is diagonal where X is."""
    square = multiply(X, X)
    both = add([[a * x for x in row] for row in square], [[b * x for x in row] for row in X])
    return [[x + c if i == j else x for j, x in enumerate(row)] for i, row in enumerate(both)]


def another(value: Any, touching: list[Condition], source: random.Random) -> Any:
    """Another exact matrix that obeys the same conditions: a polynomial of the first, or a multiple."""
    X = [list(row) for row in value]
    a, b, c = (Fraction(source.randrange(1, 9), source.randrange(1, 5)) for _ in range(3))
    proportional = any(isinstance(p, AreProportional) for p in touching)
    found = [[a * x for x in row] for row in X] if proportional else _polynomial(X, a, b, c)
    return tuple(map(tuple, found))


def _roots(expr: Any, setting: Setting | None, parameter: str, source: random.Random) -> dict[Any, Dual]:
    """Square roots of all scalars; the parameter's moves."""
    found: dict[Any, Any] = {}
    if setting is not None:
        found |= random_point(setting, None, source).roots
    names = {str(s) for s in found} | {"D"}
    for s in sorted(expr.free_symbols, key=str):
        if s.is_commutative and s.name not in names:
            found[s] = _residue(source)
    return {
        s: Dual(r, _residue(source) if str(s) == parameter else _STILL)
        for s, r in found.items()
        if isinstance(r, Mod)
    }


def _point(setting: Setting, lifted: Mapping[str, Rows], roots: Mapping[Any, Dual]) -> Point:
    size = range(len(lifted["A"]))
    one = [[_constant(int(i == j)) for j in size] for i in size]
    matrices = dict(lifted)
    if takes_root_of_gain(setting):
        matrices["Root(H)"] = _factor(lifted["H"])
    return Point(field=_constant, roots=roots, eigenvalues=(), matrices=matrices, G=one)


def _factor(H: Rows) -> Rows:
    """A triangular factor L with L L^T = H, where all its pivots have roots."""
    L = [[_constant(0)] * len(H) for _ in H]
    for i in range(len(H)):
        for j in range(i + 1):
            rest = H[i][j]
            for k in range(j):
                rest = rest - L[i][k] * L[j][k]
            L[i][j] = square_root(rest, _constant) if i == j else rest * L[j][j] ** -1
    return L
