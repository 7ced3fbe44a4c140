"""Derivatives: differentials, gradients in a matrix letter, derivatives in a scalar.

Everything goes through one product rule on words. There is no layout convention to get wrong: a
gradient G is read off from df = tr(G^T dX).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.matrices.coefficients import MatrixScalar, canonical, scalar
from sgtheory.matrices.inverses import inverse
from sgtheory.matrices.letters import Block, DiagonalPart, Factor, Letter, Word, letters_of
from sgtheory.matrices.scalars import Trace, diagonal_part, symmetric_part, tr
from sgtheory.matrices.sums import (
    ZERO,
    Matrix,
    letter_of,
    letter_power,
    of_word,
    product,
    scaled,
    total,
)
from sgtheory.matrices.words import normal


@dataclass(frozen=True)
class Derivation:
    """A linear map that obeys the product rule, given by what it does to letters and to one scalar."""

    letters: Mapping[Letter, Matrix] = field(default_factory=dict)
    symbol: Any = None  # the scalar with derivative 1; all others have derivative 0

    def __call__(self, value: Any) -> Any:
        """The derivative of a matrix or of a scalar."""
        return self.matrix(value) if isinstance(value, Matrix) else self.scalar(value)

    def matrix(self, a: Matrix) -> Matrix:
        """The derivative of a sum of words with coefficients."""
        parts = []
        for w, c in a.terms:
            parts.append(scaled(self.word(w), c))
            slope = self.scalar(c)
            if slope != 0:
                parts.append(of_word(w, slope))
        return total(parts)

    def word(self, word: Word) -> Matrix:
        """The product rule: one factor at a time."""
        parts = []
        for k, f in enumerate(word):
            inner = self._factor(f)
            if inner:
                parts.append(product(of_word(word[:k]), inner, of_word(word[k + 1 :])))
        return total(parts)

    def _factor(self, f: Factor) -> Matrix:
        """The derivative of a power: every copy in turn, those of an inverse with a minus sign."""
        slope = self._base(f.base)
        if not slope:
            return ZERO
        if f.transposed:
            slope = slope.T
        if f.power.denominator == 2:
            raise UnusableInput(
                "whole powers of what is differentiated",
                f"a root of {f.base.text}",
                "write the root as a letter R of its own, the matrix as R*R",
            )
        n = int(f.power)
        before = range(n) if n > 0 else range(-1, n - 1, -1)
        parts = (product(_power(f, k), slope, _power(f, n - 1 - k)) for k in before)
        return scaled(total(parts), 1 if n > 0 else -1)

    def _base(self, base: Letter | Block | DiagonalPart) -> Matrix:
        if isinstance(base, Letter):
            return self.letters.get(base, ZERO)
        if isinstance(base, Block):
            return self.matrix(Matrix(base.terms))
        return diagonal_part(self.word(base.word))

    def scalar(self, value: Any) -> Any:
        """The derivative of a scalar, through its traces and log determinants."""
        return canonical(self._slope(scalar(value)))

    def _slope(self, expr: Any) -> Any:
        """Sums, products and powers of scalars; SymPy's own rule would not see the matrices."""
        if isinstance(expr, sp.Symbol):
            return sp.Integer(int(expr == self.symbol))
        if isinstance(expr, MatrixScalar):
            return self.of_word(expr)
        if isinstance(expr, sp.Add):
            return sp.Add(*map(self._slope, expr.args))
        if isinstance(expr, sp.Mul):
            slopes = [self._slope(a) for a in expr.args]
            return sp.Add(*(expr / a * s for a, s in zip(expr.args, slopes, strict=True) if s != 0))
        if isinstance(expr, sp.Pow):
            base, power = expr.args
            return power * base ** (power - 1) * self._slope(base)
        if isinstance(expr, sp.log):
            return self._slope(expr.args[0]) / expr.args[0]
        return sp.S.Zero

    def of_word(self, a: Any) -> Any:
        """The derivative of a trace or of log |det X|: the latter is tr(X^-1 dX)."""
        if isinstance(a, Trace):
            return tr(self.word(a.word))
        base = a.word[0].base
        slope = self._base(base)
        if not slope:
            return sp.S.Zero
        whole = Matrix(base.terms) if isinstance(base, Block) else of_word(a.word)
        return tr(product(inverse(whole, declared=True), slope))


def _power(f: Factor, k: int) -> Matrix:
    return of_word(normal((f._replace(power=Fraction(k)),)))


def derivative(value: Any, symbol: Any) -> Any:
    """The derivative of a matrix or a scalar with respect to a scalar symbol.

    >>> from sgtheory.matrices.sums import matrix, matrix_one
    >>> A, eps = matrix("A", "positive_definite"), sp.Symbol("eps", positive=True)
    >>> derivative((matrix_one + eps * A) ** -1, eps)
    -(I + eps*A)^-1/eps + (I + eps*A)^-2/eps
    """
    if not isinstance(symbol, sp.Symbol):
        raise UnusableInput("a scalar symbol", str(symbol), "differentiate by a symbol")
    return Derivation(symbol=symbol)(value)


def differential(value: Any, letter: Any, direction: Matrix) -> Any:
    """The change to first order when the letter X moves in a direction dX.

    >>> from sgtheory.matrices.sums import matrix
    >>> X, dX = matrix("X", "invertible"), matrix("dX")
    >>> differential(X**-1, X, dX), differential(X * X.T, X, dX)
    (-X^-1*dX*X^-1, X*dX^T + dX*X^T)
    """
    x = letter_of(letter)
    if x.orthogonal:
        raise UnusableInput(
            "a letter that moves in a linear space",
            f"the orthogonal {x.name}",
            "parametrise it, for instance by a skew matrix",
        )
    return Derivation({x: direction})(value)


def second_differential(value: Any, letter: Any, direction: Matrix) -> Any:
    """The second derivative along X + t dX at t = 0: the Hessian as a quadratic form in dX.

    >>> from sgtheory.matrices.scalars import logdet
    >>> from sgtheory.matrices.sums import matrix
    >>> X, dX = matrix("X", "positive_definite"), matrix("dX", "symmetric")
    >>> second_differential(-logdet(X), X, dX)
    tr(X^-1*dX*X^-1*dX)
    """
    return differential(differential(value, letter, direction), letter, direction)


@dataclass(frozen=True)
class Gradient:
    """A gradient, and in which sense.

    ``plain`` is a G with df = tr(G^T dX). ``value`` is the one G of that kind in the space where X
    lives, as ``convention`` says: any G; for symmetric X the symmetric one, (G + G^T)/2; for
    diagonal X the diagonal one, diag(G). It is zero exactly where f is stationary.
    (The derivatives by the free entries of a symmetric X are 2 G - diag(G) in these terms.)
    """

    letter: Letter
    plain: Matrix
    value: Matrix
    convention: str


def gradient(value: Any, letter: Any) -> Gradient:
    """The gradient of a scalar in a letter.

    >>> from sgtheory.matrices.scalars import tr
    >>> from sgtheory.matrices.sums import matrix
    >>> A, X = matrix("A"), matrix("X")
    >>> gradient(tr(A * X) + tr(X.T * X), X).value
    A^T + 2*X
    >>> S = matrix("S", "symmetric")
    >>> g = gradient(tr(A * S), S)
    >>> g.value, g.convention
    (A/2 + A^T/2, 'symmetric')
    """
    x = letter_of(letter)
    # A direction without assumptions keeps apart what a symmetric one would merge. No letter that
    # was declared can have its name.
    towards = Letter(f"d{x.name}'")
    linear = differential(scalar(value), x, letter_power(towards, 1))
    plain = total(_read_off(linear, towards))
    if x.diagonal:
        return Gradient(x, plain, diagonal_part(plain), "diagonal")
    if x.symmetric:
        return Gradient(x, plain, symmetric_part(plain), "symmetric")
    return Gradient(x, plain, plain, "unconstrained")


def _read_off(linear: Any, towards: Letter) -> list[Matrix]:
    """The G with linear = tr(G^T dX), trace by trace."""
    parts = []
    for a in sorted(linear.atoms(Trace), key=str):
        if towards in letters_of(a.word):
            held = sp.Dummy()
            slope = canonical(sp.diff(linear.xreplace({a: held}), held))
            parts.append(scaled(_of_trace(a.word, towards), slope))
    return parts


def _of_trace(word: Word, towards: Letter) -> Matrix:
    """tr(u dX v) = tr((v u) dX), so G = (v u)^T; dX^T and diag(. dX .) are moved first."""
    k = next(i for i, f in enumerate(word) if towards in letters_of((f,)))
    around = product(of_word(word[k + 1 :]), of_word(word[:k]))
    f = word[k]
    if isinstance(f.base, DiagonalPart):
        moved = product(of_word(f.base.word), diagonal_part(around))
        return total(scaled(_of_trace(w, towards), c) for w, c in moved.terms)
    return around if f.transposed else around.T
