"""Sums and powers of matrices in updates: ``(I - h P A) theta``, ``(2 h T I - h^2 C)^{1/2} xi``.

A sum acts term by term. What is no sum of products is a matrix of the step's own, fixed by an equation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import sympy as sp

from sgtheory import declare
from sgtheory.onestep.affine import CURVATURE
from verification import notation
from verification.statements import Equal
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term, term

NOISE = declare.positive_definite("C").name


@dataclass(frozen=True)
class Maps:
    """A sum of products of matrices, each with a number in front.

    >>> from sgtheory.declare import local, matrix, positive
    >>> h, G, x = positive("h"), matrix("G"), local("x")
    >>> (ONE - h * of(G)) @ x
    x - h*Apply(G, x)
    """

    parts: tuple[declare.LinearMap, ...]

    def __add__(self, other: Any) -> Maps:
        return replace(self, parts=(*self.parts, *of(other).parts))

    def __sub__(self, other: Any) -> Maps:
        return self + (-1) * of(other)

    def __rmul__(self, number: Any) -> Maps:
        return Maps(tuple(number * one for one in self.parts))

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Maps):
            return Maps(tuple(a @ b for a in self.parts for b in other.parts))
        return sp.Add(*(one.coefficient * _applied(one.factors, other) for one in self.parts))

    @property
    def term(self) -> Term:
        """As it is said in a statement."""
        products = [(sp.sympify(one.coefficient), [_said(f) for f in one.factors]) for one in self.parts]
        found = [
            (bool(c.could_extract_minus_sign()), _times(_without_sign(c), words))
            for c, words in products
        ]
        (less, first), *rest = sorted(found, key=lambda one: one[0])
        start = -first if less else first
        return reduce(lambda a, b: a - b[1] if b[0] else a + b[1], rest, start)

    @property
    def is_symmetric(self) -> bool:
        """Whether every product reads the same from behind, in symmetric letters."""
        words = [one.factors for one in self.parts]
        return all(w == w[::-1] and all(f.is_positive for f in w) for w in words)

    @property
    def letter(self) -> Any:
        """Its one matrix, where it is one; else None."""
        alone = self.parts[0] if len(self.parts) == 1 else None
        plain = alone is not None and alone.coefficient == 1 and len(alone.factors) == 1
        return alone if plain and alone is not None and alone.factors[0].is_Symbol else None


def _applied(factors: tuple[Any, ...], vector: Any) -> Any:
    """A product on a vector; A times one is the gradient there."""
    for factor in reversed(factors):
        is_curvature = factor == CURVATURE
        vector = declare.full_gradient(vector) if is_curvature else declare.Apply(factor, vector)
    return vector


def _said(factor: Any) -> Term:
    if isinstance(factor, declare.Root):
        return Letter(factor.args[0].name, "matrix") ** (term(1) / term(2))
    return Letter(factor.name, "matrix")


def _without_sign(c: Any) -> Any:
    """A coefficient without its minus."""
    return -c if c.could_extract_minus_sign() else c


def _times(c: Any, words: list[Term]) -> Term:
    return _product(words) if c == 1 else from_sympy(c) * _product(words)


def _product(words: list[Term]) -> Term:
    return reduce(lambda a, b: a * b, words) if words else term(notation.identity)


ONE = Maps((declare.LinearMap(()),))


def of(value: Any) -> Maps:
    """A matrix, or a number times the identity."""
    if isinstance(value, Maps):
        return value
    return Maps((value,)) if isinstance(value, declare.LinearMap) else value * ONE


def usable(value: Any, named: dict[str, Any], told: list[Any]) -> Maps:
    """The same, with a matrix of the step's own in the place of the covariance of the noise."""
    return Maps(tuple(_usable(one, named, told) for one in of(value).parts))


def _usable(one: declare.LinearMap, named: dict[str, Any], told: list[Any]) -> declare.LinearMap:
    found: list[Any] = []
    for factor in one.factors:
        plain = factor.args[0] if isinstance(factor, declare.Root) else factor
        if plain == NOISE:
            own = _own(Maps((declare.LinearMap((NOISE,)),)), False, named, told)
            factor = declare.Root(own.name) if isinstance(factor, declare.Root) else own.name
        found.append(factor)
    return declare.LinearMap(tuple(found), one.coefficient)


def is_map(value: Any) -> bool:
    """Whether it acts on vectors."""
    return isinstance(value, Maps | declare.LinearMap)


def power(base: Any, exponent: Any, named: dict[str, Any], told: list[Any]) -> Any:
    """A power; where that is a matrix of its own, its equation is told, and it is among what has a name.

    >>> h, A = declare.positive("h"), declare.positive_definite("A")
    >>> told = []
    >>> print(power(ONE + h * of(A), sp.Integer(-1), {}, told).parts[0], "|", told[0])
    K_1 | K_1 = (I + h*A)**(-1)
    """
    base, whole = of(base), sp.floor(exponent)
    if exponent.is_Integer and exponent > 0:
        return reduce(lambda a, b: a @ b, [base] * int(exponent))
    rest, factors = exponent - whole if exponent > 0 else exponent, [base] * int(max(whole, 0))
    inverted = rest < 0
    steps = abs(rest)
    count, half = int(sp.floor(steps)), steps - sp.floor(steps)
    one = base.letter
    if inverted or one is None:
        one = _own(base, inverted, named, told)
    found = [Maps((one,))] * count
    if half == sp.Rational(1, 2):
        found.append(Maps((one.root,)))
    elif half != 0:
        raise ValueError(exponent)
    return reduce(lambda a, b: a @ b, [*factors, *found])


def _own(base: Maps, inverted: bool, named: dict[str, Any], told: list[Any]) -> Any:
    """A matrix of its own for a sum, or for an inverse; the same one for the same."""
    value = base.term ** term(-1) if inverted else base.term
    known = next((e.left for e in told if isinstance(e, Equal) and e.right == value), None)
    if known is not None:
        return named[known.name]
    name = next(f"K_{k}" for k in range(1, len(named) + 2) if f"K_{k}" not in named)
    made = declare.positive_definite(name) if base.is_symmetric else declare.matrix(name)
    named[name] = made
    told.append(Equal(Letter(name, "matrix"), value))
    return made


def total(parts: Iterable[tuple[int, Any]]) -> Any:
    """A sum with signs, of matrices or of what is none; a number beside a matrix is that times I."""
    signed = [(sign, part) for sign, part in parts]
    if not any(is_map(part) for _, part in signed):
        return sp.Add(*(sign * part for sign, part in signed))
    return reduce(lambda a, b: a + b, (sign * of(part) for sign, part in signed))
