"""Expressions rebuilt with other letters, other scalars, or other hypotheses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.matrices.coefficients import MatrixScalar, canonical, positive, scalar
from sgtheory.matrices.definite import Sign, sign
from sgtheory.matrices.hypotheses import Equation, Given, pairs_of
from sgtheory.matrices.inverses import inverse, matrix_power, root
from sgtheory.matrices.letters import Block, DiagonalPart, Factor, Letter, Word
from sgtheory.matrices.scalars import LogDet, diagonal_part, logdet, tr
from sgtheory.matrices.sums import (
    Matrix,
    as_matrix,
    is_symmetric,
    letter_of,
    matrix_one,
    of_word,
    product,
    scaled,
    total,
    transpose,
)
from sgtheory.matrices.words import FREE, Pairs


@dataclass(frozen=True)
class Replacement:
    """What every letter and every scalar is replaced by, and which letters commute."""

    letters: Mapping[Letter, Matrix] = field(default_factory=dict)
    scalars: Mapping[Any, Any] = field(default_factory=dict)
    pairs: Pairs = FREE

    def __call__(self, value: Any) -> Any:
        """A matrix, scalar or equation, rebuilt."""
        if isinstance(value, Equation):
            return Equation(self(value.left), self(value.right))
        return self.matrix(value) if isinstance(value, Matrix) else self.scalar(value)

    def matrix(self, a: Matrix) -> Matrix:
        """A matrix, rebuilt word by word."""
        return total(scaled(self.word(w), self.scalar(c)) for w, c in a.terms)

    def word(self, word: Word) -> Matrix:
        """A word, rebuilt factor by factor."""
        return product(matrix_one, *map(self.factor, word), pairs=self.pairs)

    def factor(self, f: Factor) -> Matrix:
        """One factor, rebuilt."""
        if isinstance(f.base, Letter) and f.base not in self.letters:
            return of_word((f,))
        inside = self._base(f.base)
        if f.transposed:
            inside = transpose(inside, self.pairs)
        if f.power.denominator == 2:
            return matrix_power(root(inside), 2 * f.power, self.pairs)
        if f.power < 0 and not isinstance(f.base, Letter):
            return matrix_power(inverse(inside, declared=True, pairs=self.pairs), -f.power, self.pairs)
        return matrix_power(inside, f.power, self.pairs)

    def _base(self, base: Letter | Block | DiagonalPart) -> Matrix:
        if isinstance(base, Letter):
            return self.letters[base]
        if isinstance(base, Block):
            return self.matrix(Matrix(base.terms))
        return diagonal_part(self.word(base.word), self.pairs)

    def scalar(self, value: Any) -> Any:
        """A scalar, rebuilt through its traces and log determinants."""
        expr = scalar(value)
        new = {a: self._of_word(a) for a in expr.atoms(MatrixScalar)}
        return canonical(expr.xreplace({**self.scalars, **new}))

    def _of_word(self, a: MatrixScalar) -> Any:
        if isinstance(a, LogDet):
            base = a.word[0].base
            kept = isinstance(base, Letter) and base not in self.letters
            return a if kept else logdet(self._base(base), declared=True, pairs=self.pairs)
        return tr(self.word(a.word), self.pairs)


def under(value: Any, given: Given) -> Any:
    """The normal form of an expression under hypotheses (their commuting pairs).

    >>> from sgtheory.matrices.hypotheses import commute
    >>> from sgtheory.matrices.sums import matrices
    >>> A, C = matrices("A C", "positive_definite")
    >>> under(C * A + A * C, [commute(A, C)]), under((C * A + A * C), [])
    (2*A*C, A*C + C*A)
    """
    return Replacement(pairs=pairs_of(given))(value)


def substitute(value: Any, replacements: Mapping[Any, Any], given: Given = ()) -> Any:
    """The expression with letters and scalar symbols replaced, all at once.

    What replaces a letter must be certain to have the letter's assumptions, and what replaces a
    positive symbol must be certain to be positive.

    >>> from sgtheory.matrices.scalars import tr
    >>> from sgtheory.matrices.sums import matrices
    >>> A, X = matrices("A X", "positive_definite")
    >>> substitute(tr(A * X), {X: 2 * A**-1})
    2*D
    """
    pairs = pairs_of(given)
    letters: dict[Letter, Matrix] = {}
    scalars: dict[Any, Any] = {}
    for old, new in replacements.items():
        if isinstance(old, Matrix | Letter):
            letters[letter_of(old)] = as_matrix(new)
        elif isinstance(old, sp.Symbol):
            scalars[old] = scalar(new)
        else:
            raise UnusableInput("letters and scalar symbols to replace", str(old), "name it first")
    missing = {x: (_missing(x, new, pairs), new) for x, new in letters.items()}
    for s, value_of_s in scalars.items():
        missing[s] = "positive" if s.is_positive and not positive(value_of_s) else None, value_of_s
    for old, (what, new) in missing.items():
        if what:
            raise UnusableInput(
                f"something {what} in place of {old.name}",
                str(new),
                f"declare less about {old.name}, or give the hypotheses that make it so",
            )
    return Replacement(letters, scalars, pairs)(value)


def _missing(letter: Letter, new: Matrix, pairs: Pairs) -> str | None:
    """An assumption on the letter that is not certain of what replaces it."""
    new = Replacement(pairs=pairs).matrix(new)
    if letter.symmetric and not is_symmetric(new, pairs):
        return "symmetric"
    if letter.positive_definite and sign(new, pairs) is not Sign.DEFINITE:
        return "positive definite"
    if letter.diagonal and not all(f.base.diagonal for w, _ in new.terms for f in w):
        return "diagonal"
    if letter.orthogonal and product(new, transpose(new, pairs), pairs=pairs) != matrix_one:
        return "orthogonal"
    if letter.invertible:
        inverse(new, pairs=pairs)
    return None


def congruence(value: Any, letter: Any, inner: Any, gain: Any, given: Given = ()) -> Any:
    """The expression with X = H^(1/2) Y H^(1/2), for a positive definite gain H.

    >>> from sgtheory.matrices.sums import matrix, matrices
    >>> H, Y, X = matrices("H Y X", "positive_definite")
    >>> congruence(H**-1 * X, X, Y, H)
    H^(-1/2)*Y*H^(1/2)
    """
    half = root(as_matrix(gain))
    return substitute(value, {letter: half * inner * half}, given)
