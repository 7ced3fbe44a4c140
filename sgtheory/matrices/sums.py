"""Sums of words with scalar coefficients: the expressions that this package computes with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from sgtheory.errors import DeclarationError, UnusableInput
from sgtheory.matrices.coefficients import canonical, scalar
from sgtheory.matrices.letters import ONE, Letter, Word, letters_of, words_of_scalar
from sgtheory.matrices.rewriting import settle
from sgtheory.matrices.words import FREE, Pairs, Terms, collect, transposed_word, unit


@dataclass(frozen=True)
class Matrix:
    """A sum of words in normal form. A number in a sum stands for that multiple of the identity.

    >>> A, C = matrices("A C", "symmetric")
    >>> (A + C) * (A - C)
    A^2 - A*C + C*A - C^2
    >>> ((A * C).T - C * A, A * C == C * A)
    (0, False)
    """

    terms: Terms = ()

    def __add__(self, other: Any) -> Matrix:
        return Matrix.of([*self.terms, *as_matrix(other).terms])

    def __mul__(self, other: Any) -> Matrix:
        return product(self, as_matrix(other))

    def __rmul__(self, other: Any) -> Matrix:
        return product(as_matrix(other), self)

    def __truediv__(self, other: Any) -> Matrix:
        divisor = scalar(other)
        if divisor == 0:
            raise UnusableInput("a divisor other than 0", str(other), "check the expression")
        return scaled(self, 1 / divisor)

    def __neg__(self) -> Matrix:
        return scaled(self, -1)

    def __sub__(self, other: Any) -> Matrix:
        return self + -as_matrix(other)

    def __rsub__(self, other: Any) -> Matrix:
        return as_matrix(other) + -self

    __radd__ = __add__

    def __pow__(self, power: Any) -> Matrix:
        from sgtheory.matrices.inverses import matrix_power

        return matrix_power(self, power)

    @property
    def T(self) -> Matrix:
        """The transpose."""
        return transpose(self)

    def __bool__(self) -> bool:
        """Whether it is other than zero, as far as its normal form shows."""
        return bool(self.terms)

    def __repr__(self) -> str:
        from sgtheory.matrices.writing import plain

        return plain(self)

    @classmethod
    def of(cls, terms: Iterable[tuple[Word, Any]]) -> Matrix:
        """The sum of words that are in normal form already; one name stands for one letter."""
        made = cls(collect(terms))
        one_meaning(made.letters)
        return made

    @property
    def letters(self) -> frozenset[Letter]:
        """Every letter that occurs, in its scalars too."""
        return frozenset[Letter]().union(*map(letters_of, self.words))

    @property
    def words(self) -> list[Word]:
        """Its words, and those in its scalars."""
        return [w for v, c in self.terms for w in (v, *words_of_scalar(c))]


@lru_cache(maxsize=20_000)
def one_meaning(letters: frozenset[Letter]) -> None:
    """Refuse letters of which two have the same name and different assumptions."""
    by_name: dict[str, Letter] = {}
    for x in letters:
        if by_name.setdefault(x.name, x) != x:
            raise DeclarationError(
                "one matrix for each name",
                f"{x.name} declared with different assumptions",
                "declare it once",
            )


def as_matrix(value: Any) -> Matrix:
    """A matrix, or a scalar as a multiple of the identity."""
    if isinstance(value, Matrix):
        return value
    return of_word(ONE, scalar(value))


def of_word(word: Word, c: Any = sp.S.One) -> Matrix:
    """One word, in normal form already, with a coefficient."""
    return Matrix.of([(word, c)])


def matrix(name: str, *traits: str) -> Matrix:
    """A letter as an expression; assumptions as in ``Letter.of``.

    >>> matrix("A", "positive_definite").T
    A
    >>> matrix("B").T
    B^T
    """
    return of_word(unit(Letter.of(name, *traits)))


def matrices(names: str, *traits: str) -> tuple[Matrix, ...]:
    """Several letters with the same assumptions."""
    return tuple(matrix(n, *traits) for n in names.split())


def letter_of(value: Matrix | Letter) -> Letter:
    """The letter that an expression is; refuses any other expression."""
    if isinstance(value, Letter):
        return value
    if isinstance(value, Matrix) and len(value.terms) == 1:
        word, c = value.terms[0]
        if c == 1 and len(word) == 1 and word[0].power == 1 and not word[0].transposed:
            base = word[0].base
            if isinstance(base, Letter):
                return base
    raise UnusableInput("a single matrix letter", str(value), "give a matrix made by matrix(name)")


def product(*factors: Matrix, pairs: Pairs = FREE) -> Matrix:
    """The product, with words ordered by the given commuting pairs."""
    a, *others = factors
    for b in others:
        a = Matrix.of(
            (w, c * d * e) for u, c in a.terms for v, d in b.terms for w, e in settle((*u, *v), pairs)
        )
    return a


def transpose(a: Matrix, pairs: Pairs = FREE) -> Matrix:
    """The transpose."""
    return Matrix.of((w, c * e) for u, c in a.terms for w, e in settle(transposed_word(u, pairs), pairs))


def scaled(a: Matrix, factor: Any) -> Matrix:
    """A scalar multiple."""
    return Matrix(tuple((w, x) for w, c in a.terms if (x := canonical(c * factor)) != 0))


def total(parts: Iterable[Matrix]) -> Matrix:
    """The sum of some matrices."""
    return Matrix.of(t for m in parts for t in m.terms)


def is_symmetric(a: Matrix, pairs: Pairs = FREE) -> bool:
    """Whether the normal form equals its transpose."""
    return not a - transpose(a, pairs)


def letter_power(letter: Letter, power: Fraction | int, transposed: bool = False) -> Matrix:
    """A power of a letter, or of its transpose."""
    made = of_word(unit(letter, power))
    return made.T if transposed else made


I = matrix_one = Matrix(((ONE, sp.S.One),))  # noqa: E741 - the identity's own name
ZERO = Matrix()
