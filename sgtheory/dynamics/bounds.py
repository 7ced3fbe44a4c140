"""Rigorous bounds on stationary moments, each with a certificate that is checked in rational numbers.

In the stationary state E[A psi] = 0 for every polynomial psi, with A the generator of a diffusion or
the mean change of a chain in a step. So if phi - c + A psi is a sum of squares, E phi is at least c.
A semidefinite programme finds psi and squares in floating point; its answer is rounded to
rationals, in which the identity holds by construction, and the squares are then decomposed exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.dynamics.chain import Moments
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.errors import UnusableInput
from sgtheory.numbers.semidefinite import cells, inside, slack
from sgtheory.reader.exact import is_exactly_definite

Powers = tuple[int, ...]
Polynomial = Mapping[Powers, Fraction]

_DIGITS = 10**13  # denominators after rounding
_MARGINS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5)  # by which squares are positive, before rounding
_MOST = 40  # rows of the matrix of squares


@dataclass(frozen=True)
class Certificate:
    """phi - value + A psi = z^T gram z with gram positive definite, z all monomials to a degree.

    With ``sign`` -1 the same of -phi: then -value is above E phi. It holds for every stationary law that
    has moments up to ``degree``.
    """

    phi: Any
    sign: int
    value: Fraction
    psi: Any
    basis: tuple[Any, ...]
    gram: tuple[tuple[Fraction, ...], ...]
    degree: int

    def check(self, change: Callable[[Any], Any], state: Sequence[Any]) -> bool:
        """The identity, multiplied out by SymPy, and the squares, exactly."""
        z = sp.Matrix(list(self.basis))
        gram = sp.Matrix(len(z), len(z), lambda i, j: _rational(self.gram[i][j]))
        left = self.sign * self.phi - _rational(self.value) + change(self.psi) - (z.T * gram * z)[0]
        return (
            gram.is_symmetric()
            and sp.Poly(sp.expand(left), *state).is_zero
            and is_exactly_definite(self.gram, strictly=True)
        )


@dataclass(frozen=True)
class Bounds:
    """E phi is between two rationals, each with its certificate."""

    low: Fraction
    high: Fraction
    certificates: tuple[Certificate, Certificate]


def bounds(
    process: Diffusion | Moments,
    phi: Any,
    degree: int,
    weights: Sequence[int] | None = None,
    scale: Any = 1,
) -> Bounds:
    """Bounds on E phi in the stationary state, by squares of an even degree in all.

    Where states grow at different rates each may have a weight: its degree counts so often. ``scale``
    is about how far the chain goes: states are measured in it, for the sake of rounding.

    >>> x = sp.Symbol("x", real=True)
    >>> well = Diffusion((x,), (x - x**3,), ((sp.sqrt(2),),))
    >>> found = bounds(well, x**2, 12)
    >>> bool(found.low < 1.0418 < found.high), bool(found.high - found.low < 0.06)
    (True, True)
    """
    change, state = _change(process)
    counted = tuple(weights or (1,) * len(state))
    if degree % 2 or degree < 2 or len(counted) != len(state):
        raise UnusableInput(
            "an even degree and a weight to each state", f"{degree}, {counted}", "give both"
        )
    problem = _Problem(change, state, degree, counted, sp.Rational(scale))
    found = []
    for sign in (1, -1):
        certificate = problem.certificate(sp.expand(phi), sign)
        if not certificate.check(change, state):
            raise ArithmeticError("a certificate that does not hold")
        found.append(certificate)
    return Bounds(found[0].value, -found[1].value, (found[0], found[1]))


def _change(process: Diffusion | Moments) -> tuple[Callable[[Any], Any], tuple[Any, ...]]:
    if isinstance(process, Moments):
        return lambda f: sp.expand(process.image(f) - f) if f != 0 else sp.Integer(0), process.step.state
    return lambda f: sp.expand(process.generator(f)), process.state


@dataclass(frozen=True)
class _Problem:
    """Squares and test functions of a weighted degree, in scaled states."""

    change: Callable[[Any], Any]
    state: tuple[Any, ...]
    degree: int
    weights: tuple[int, ...]
    scale: Any

    def certificate(self, phi: Any, sign: int) -> Certificate:
        """The best lower bound on sign * phi that was found."""
        basis = self._powers(self.degree // 2)
        if len(basis) > _MOST:
            raise UnusableInput(
                f"at most {_MOST} monomials to be squared", str(len(basis)), "lower the degree"
            )
        tests = self._tests
        parts = [self._polynomial(self.change(t)) for t in tests]
        first = _spread(self._polynomial(sign * phi), basis)
        one = {(0,) * len(self.state): Fraction(-1)}
        matrices = [_spread(p, basis) for p in (one, *parts)] + slack(cells(basis).values())
        rounded, gram = _survivor(first, matrices, len(basis))
        psi = sp.Add(*(_rational(c) * t for c, t in zip(rounded[1:], tests, strict=False)))
        shown = tuple(self._monomial(e) / self.scale ** sum(e) for e in basis)
        return Certificate(phi, sign, rounded[0], sp.expand(psi), shown, gram, self.degree)

    def _powers(self, most: int) -> list[Powers]:
        """Of all monomials up to a weighted degree."""
        found = [
            e
            for e in product(range(most + 1), repeat=len(self.state))
            if sum(map(int.__mul__, e, self.weights)) <= most
        ]
        return sorted(found, key=lambda e: (sum(map(int.__mul__, e, self.weights)), e))

    @property
    def _tests(self) -> list[Any]:
        """Polynomials psi, scaled, for which A psi has no more than the degree."""
        from sympy.polys.matrices import DomainMatrix

        known = [self._monomial(e) / self.scale ** sum(e) for e in self._powers(self.degree) if any(e)]
        moved = [self._polynomial(self.change(m)) for m in known]
        basis = self._powers(self.degree // 2)
        allowed = {tuple(map(int.__add__, e, f)) for e in basis for f in basis}
        beyond = sorted({e for p in moved for e in p} - allowed)
        if not beyond:
            return known
        rows = [
            [sp.QQ(c.numerator, c.denominator) for c in (p.get(e, Fraction(0)) for p in moved)]
            for e in beyond
        ]
        kept = DomainMatrix(rows, (len(beyond), len(known)), sp.QQ).nullspace().to_Matrix()
        return [
            sp.Add(*(c * m for c, m in zip(kept.row(k), known, strict=True))) for k in range(kept.rows)
        ]

    def _polynomial(self, expr: Any) -> dict[Powers, Fraction]:
        """In scaled states."""
        found = {}
        for e, c in sp.Poly(sp.expand(expr), *self.state).terms():
            if not c.is_Rational:
                raise UnusableInput("rational numbers for all coefficients", str(c), "put numbers in")
            if c != 0:
                scaled = c * self.scale ** sum(e)
                found[e] = Fraction(int(scaled.p), int(scaled.q))
        return found

    def _monomial(self, powers: Powers) -> Any:
        return sp.Mul(*(s**k for s, k in zip(self.state, powers, strict=True)))


def _survivor(first: Any, matrices: Sequence[Any], size: int) -> tuple[list[Fraction], Any]:
    """The best answer whose squares are positive in rational numbers: as far inside as that takes."""
    for margin in _MARGINS:
        found = inside(first, matrices, size, margin, goal=0)
        if found is not None:
            rounded = [Fraction(round(float(v) * _DIGITS), _DIGITS) for v in found]
            gram = _summed(first, matrices, rounded)
            if is_exactly_definite(gram, strictly=True):
                return rounded, gram
    raise UnusableInput(
        "a degree at which squares exist and survive rounding", "none", "change it, or give a scale"
    )


def _rational(q: Fraction) -> Any:
    return sp.Rational(q.numerator, q.denominator)


def _spread(p: Polynomial, basis: Sequence[Powers]) -> dict[tuple[int, int], Fraction]:
    """A symmetric matrix M with z^T M z = p: each coefficient evenly over its places."""
    places, found = cells(basis), dict[tuple[int, int], Fraction]()
    for e, c in p.items():
        if e not in places:
            raise UnusableInput("a degree as high as that of what is bounded", str(e), "raise it")
        for at in places[e]:
            found[at] = found.get(at, Fraction(0)) + c / len(places[e])
    return found


def _summed(first: Any, matrices: Sequence[Any], values: Sequence[Fraction]) -> Any:
    size = 1 + max(max(k) for m in (first, *matrices) for k in m)
    total = [[Fraction(0)] * size for _ in range(size)]
    for c, m in ((Fraction(1), first), *zip(values, matrices, strict=True)):
        for (i, j), q in m.items():
            total[i][j] += c * q
    return tuple(tuple(row) for row in total)
