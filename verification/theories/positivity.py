"""Proofs that a rational function is nowhere negative where its variables are positive.

Three kinds of certificate, tried in this order. *Coefficients*: multiplied by a power of (1 + sum of
the variables), the numerator has no negative coefficient (Polya). *Roots*: of one variable, Sturm's
count says that the numerator has no root of odd order on the half-line. *Squares*: with each variable
a square, the numerator is a sum of squares with rational coefficients, found as a Gram matrix.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from sgtheory.independent.fields import Itself, evaluate
from sgtheory.numbers.semidefinite import cells, inside, slack
from sgtheory.polynomials import quotient
from verification.terms.arithmetics.rational import fractions
from verification.terms.arithmetics.symbols import SYMBOLS

_POWERS = 6  # of 1 + sum of the variables
_MOST_TERMS = 4_000
_GRAM_MONOMIALS = 30
_PLACES, _SURE = 400, 1e-9  # looked at in floats first; what is negative by less is not said to be

Weighted = list[tuple[Fraction, list[Fraction]]]


@dataclass(frozen=True)
class Certificate:
    """Why ``expr >= 0`` wherever all its symbols are positive."""

    expr: Any
    kind: str  # "coefficients", "roots" or "squares"
    words: str
    identity: tuple[Any, Any]  # two expressions that have to be equal; the right one is plainly >= 0

    def rechecked(self, points: int = 3, seed: int = 1) -> bool:
        """Both sides of the identity agree at random exact points, and are not negative there."""
        source = random.Random(seed)
        symbols = sorted(self.expr.free_symbols, key=str)
        for _ in range(points):
            roots = {s: Itself(Fraction(source.randrange(1, 90), 30)) for s in symbols}
            left, right = (evaluate(sp.sympify(e), roots, Fraction) for e in self.identity)
            if left != right or evaluate(self.expr, roots, Fraction) < 0:
                return False
        return True


@lru_cache(maxsize=4_000)
def nowhere_negative(expr: Any) -> Certificate | None:
    """A certificate that a rational function of positive symbols is at least zero, or None.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> [nowhere_negative(e).kind for e in (x + y / (1 + x), x**2 - x + 1, (x - y) ** 2)]
    ['coefficients', 'coefficients', 'squares']
    >>> [nowhere_negative(e) for e in (x - 1, x * sp.sqrt(2) + y, 2 + sp.I)]
    [None, None, None]
    """
    expr = sp.together(_without_roots(sp.sympify(expr)))
    if not expr.is_rational_function(*expr.free_symbols):
        return None
    value = quotient(expr)
    top, bottom = value.numerator, value.denominator
    symbols = sorted(expr.free_symbols, key=str)
    if not symbols:
        words = "It is 0: both are equal." if expr == 0 else f"It is the number {expr}."
        certificate = Certificate(expr, "coefficients", words, (expr, expr))
        return certificate if expr.is_nonnegative else None
    if any(r.base.is_number and not r.is_rational for r in expr.atoms(sp.Pow)) or expr.has(sp.I):
        return None  # no certificate with such a number in it can be rechecked in fractions
    sign = _sign_of(bottom, symbols)
    if sign == 0:
        return None
    top, bottom = sp.expand(sign * top), sp.expand(sign * bottom)
    if _is_negative_somewhere(sp.Poly(top, *symbols)):
        return None
    for attempt in (_by_coefficients, _by_roots, _by_squares):
        found = attempt(expr, top, bottom, symbols)
        if found is not None and found.rechecked():
            return found
    return None


def _without_roots(expr: Any) -> Any:
    """Each symbol under a square root written as the square of another."""
    rooted = {p.base for p in expr.atoms(sp.Pow) if p.base.is_Symbol and not p.exp.is_Integer}
    return expr.subs({s: sp.Symbol(f"sqrt_{s}", positive=True) ** 2 for s in rooted if s.is_positive})


def _sign_of(polynomial: Any, symbols: list[Any]) -> int:
    """1 or -1 where all coefficients have that sign, else 0: what is divided by has to be plain."""
    coefficients = sp.Poly(polynomial, *symbols).coeffs()
    if all(c > 0 for c in coefficients):
        return 1
    return -1 if all(c < 0 for c in coefficients) else 0


def _is_negative_somewhere(polynomial: sp.Poly) -> bool:
    """Whether numbers show it, in floats: then there is no certificate, and a search would be long.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> [_is_negative_somewhere(sp.Poly(e, x, y)) for e in ((x - y) ** 2, x**2 - 3 * x * y + y**2)]
    [False, True]
    """
    import numpy as np

    exponents = np.array(polynomial.monoms(), dtype=float)
    factors = np.array([float(c) for c in polynomial.coeffs()])
    logs = np.random.default_rng(1).normal(scale=2, size=(exponents.shape[1], _PLACES))
    with np.errstate(over="ignore", invalid="ignore"):
        terms = factors[:, None] * np.exp(exponents @ logs)
        return bool((terms.sum(axis=0) < -_SURE * np.abs(terms).sum(axis=0)).any())


def _by_coefficients(expr: Any, top: Any, bottom: Any, symbols: list[Any]) -> Certificate | None:
    multiplier = 1 + sp.Add(*symbols)
    grown = sp.Poly(top, *symbols)
    for power in range(_POWERS + 1):
        if all(c >= 0 for c in grown.coeffs()):
            words = "Its numerator has no negative coefficient"
            words += f" after multiplication by $({multiplier})^{power}$." if power else "."
            return Certificate(
                expr, "coefficients", words, (expr * bottom * multiplier**power, grown.as_expr())
            )
        grown = grown * sp.Poly(multiplier, *symbols)
        if len(grown.terms()) > _MOST_TERMS:
            return None
    return None


def _by_roots(expr: Any, top: Any, bottom: Any, symbols: list[Any]) -> Certificate | None:
    """Of one variable: factors of odd multiplicity have no positive root, and the sign is right."""
    if len(symbols) != 1:
        return None
    (x,) = symbols
    constant, factors = sp.factor_list(top, x)
    odd = sp.Mul(*(f for f, k in factors if k % 2))
    polynomial = sp.Poly(odd, x)
    positive_roots = polynomial.count_roots(0, None) - (polynomial.eval(0) == 0)
    if positive_roots or top.subs(x, 1) < 0 or (top.subs(x, 1) == 0 and top.subs(x, 2) < 0):
        return None
    words = f"By Sturm's count ${odd}$ has no positive root, and the other factors are squares."
    rebuilt = constant * sp.Mul(*(f**k for f, k in factors))
    return Certificate(expr, "roots", words, (expr * bottom, rebuilt))


def _by_squares(expr: Any, top: Any, bottom: Any, symbols: list[Any]) -> Certificate | None:
    """Each variable the square of another; a Gram matrix found in floats, then made exact."""
    plain = [sp.Symbol(f"_{s}", real=True) for s in symbols]
    as_squares = dict(zip(symbols, [p**2 for p in plain], strict=True))
    roots = dict(zip(plain, [sp.sqrt(s) for s in symbols], strict=True))
    found = sum_of_squares(sp.Poly(top.subs(as_squares), *plain))
    if found is None:
        return None
    squares = sp.Add(*(c * sp.expand(q.subs(roots) ** 2) for c, q in found))
    shown = " + ".join(f"{'' if c == 1 else f'{c}*'}({q.subs(roots)})^2" for c, q in found)
    words = f"Its numerator is ${shown}$."
    return Certificate(expr, "squares", words, (expr * bottom, sp.expand(squares)))


def sum_of_squares(polynomial: sp.Poly) -> list[tuple[Any, Any]] | None:
    """Positive weights and polynomials whose weighted squares sum to a polynomial, exactly.

    >>> x, y = sp.symbols("x y", real=True)
    >>> sum_of_squares(sp.Poly(x**2 - 2 * x * y + 2 * y**2, x, y))
    [(2, -x/2 + y), (1/2, x)]
    """
    monomials = _half_monomials(polynomial)
    if not monomials or len(monomials) > _GRAM_MONOMIALS:
        return None
    groups = cells(monomials)
    wanted = dict(polynomial.terms())
    if any(key not in groups for key in wanted):
        return None
    target = {key: Fraction(str(wanted.get(key, 0))) for key in groups}
    weighted = _feasible(len(monomials), groups, target)
    if weighted is None:
        return None
    basis = [sp.prod(g**e for g, e in zip(polynomial.gens, m, strict=True)) for m in monomials]
    return [
        (SYMBOLS.number(w), sp.Add(*(SYMBOLS.number(c) * b for c, b in zip(unit, basis, strict=True))))
        for w, unit in weighted
    ]


def _half_monomials(polynomial: sp.Poly) -> list[tuple[int, ...]]:
    """Exponents whose doubles lie in the box of the polynomial's, and of half its degrees."""
    exponents = polynomial.monoms()
    highest = [max(m[k] for m in exponents) for k in range(len(exponents[0]))]
    lowest = [min(m[k] for m in exponents) for k in range(len(exponents[0]))]
    if any(h % 2 for h in highest):
        return []
    degrees = {sum(m) for m in exponents}
    box = product(*(range((lo + 1) // 2, hi // 2 + 1) for lo, hi in zip(lowest, highest, strict=True)))
    return [m for m in box if min(degrees) <= 2 * sum(m) <= max(degrees)]


def _feasible(size: int, groups: Any, target: Any) -> Weighted | None:
    """A positive semidefinite Gram matrix by a semidefinite programme, made exact on its plane."""
    even = {cell: target[key] / len(same) for key, same in groups.items() for cell in same}
    away = slack(groups.values())
    for margin in (1e-2, 1e-4, 0.0):  # first well inside the cone, where rounding cannot leave it
        found = inside(even, away, size, margin)
        if found is None:
            continue
        G = np.zeros((size, size))
        for c, matrix in ((1.0, even), *zip(found, away, strict=True)):
            for cell, x in matrix.items():
                G[cell] += c * float(x)
        for q in (1, 2, 4, 24, 10**4, 10**8):
            exact = _weighted(_exactly(G, q, groups, target))
            if exact is not None:
                return exact
    return None


def _exactly(G: Any, q: int, groups: Any, target: Any) -> list[list[fmpq]]:
    """A matrix rounded to multiples of 1/q, and put onto the plane in fractions."""
    found = [[fmpq(round(x * q), q) for x in row] for row in G]
    for key, same in groups.items():
        wanted = fmpq(target[key].numerator, target[key].denominator)
        miss = (wanted - sum((found[i][j] for i, j in same), fmpq(0))) / len(same)
        for i, j in same:
            found[i][j] += miss
    return found


def _weighted(gram: list[list[fmpq]]) -> Weighted | None:
    """L D L^T with D >= 0 in fractions: weights with columns of L, or None where it is not >= 0."""
    rest, found = gram, []
    for k in range(len(rest)):
        pivot = rest[k][k]
        column = [row[k] for row in rest]
        if pivot < 0 or (pivot == 0 and any(x != 0 for x in column)):
            return None
        if pivot == 0:
            continue
        unit = [c / pivot for c in column]
        found.append((fractions(pivot), [*map(fractions, unit)]))
        rest = [
            [x - y * c for x, c in zip(row, unit, strict=True)]
            for row, y in zip(rest, column, strict=True)
        ]
    return found
