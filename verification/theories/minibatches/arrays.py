"""Arrays of exact numbers, of matrices and of polynomials, over minibatches and examples.

The first two axes are minibatches and examples; of matrices there are two more.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_mpoly

from sgtheory.reader import exact
from verification.terms.walking import Unable, Undefined

Array = Any


def each(change: Callable[[Any], Any]) -> Callable[[Array], Array]:
    """What is done to each entry."""
    return np.frompyfunc(change, 1, 1)


def is_polynomial(x: Any) -> bool:
    """Whether a number is a polynomial in theta."""
    return isinstance(x, fmpq_mpoly)


def slope(k: int, x: Any) -> Any:
    """By the k-th letter."""
    return x.derivative(k) if is_polynomial(x) else fmpq(0)


def number(x: Any) -> Array:
    """One that is the same everywhere."""
    whole = Fraction(x)
    return np.array([[fmpq(whole.numerator, whole.denominator)]], object)


def alone(x: Array) -> Array:
    """Numbers, perhaps as 1 x 1 matrices."""
    if x.ndim == 4 and x.shape[2:] != (1, 1):
        raise Undefined("a matrix where a number is wanted")
    return x[:, :, 0, 0] if x.ndim == 4 else x


def added(a: Array, b: Array) -> Array:
    """The sum; a plain zero fits everything."""
    if a.ndim == b.ndim:
        if a.shape[2:] != b.shape[2:]:
            raise Undefined("a sum of shapes that do not fit")
        return a + b
    number, matrix = (a, b) if a.ndim == 2 else (b, a)
    return matrix if not (number != 0).any() else number + alone(matrix)


def multiplied(a: Array, b: Array) -> Array:
    """The product of matrices, or with a number (a 1 x 1 matrix is one)."""
    for one, other in ((a, b), (b, a)):
        if one.ndim == 2 or one.shape[2:] == (1, 1):
            x = alone(one)
            return x[..., None, None] * other if other.ndim == 4 else x * other
    if a.shape[3] != b.shape[2]:
        raise Undefined("a product of shapes that do not fit")
    return a @ b


def over(a: Array, b: Array) -> Array:
    """By a number that is zero nowhere."""
    below = alone(b)
    if (below == 0).any():
        raise Undefined("division by zero")
    if any(is_polynomial(x) and not x.is_constant() for x in below.flat):
        raise Unable("a quotient of polynomials")
    return multiplied(a, fmpq(1) / below)


def raised(a: Array, exponent: Array) -> Array:
    """To a whole power, or a root; the inverse of a matrix."""
    power = exponent.item()
    if power == -1 and a.ndim == 4:
        return inverse(a)
    if power.q == 2:
        a, power = each(root)(alone(a)), 2 * power
    if power.q != 1:
        raise Unable("a root that need not be rational")
    if power <= 0:
        return over(number(1), alone(a) ** -int(power))
    return reduce(multiplied, [a] * int(power))


def inverse(a: Array) -> Array:
    """Of square matrices, none of which is singular."""
    if any(map(is_polynomial, a.flat)) or a.shape[2] != a.shape[3]:
        raise Unable("the inverse of polynomials")
    try:
        return np.array([[fmpq_mat(m.tolist()).inv().table() for m in one] for one in a], object)
    except ZeroDivisionError as error:
        raise Undefined("the inverse of a singular matrix") from error


def root(x: Any) -> Any:
    """The rational root of a number."""
    if is_polynomial(x):
        raise Unable("the root of a polynomial")
    found = exact.root(fraction(x), "")
    return fmpq(found.numerator, found.denominator)


def fraction(x: fmpq) -> Fraction:
    """The same number as Python has it."""
    return Fraction(int(x.p), int(x.q))


def inner(a: Array, b: Array) -> Array:
    """Of two columns; zero with anything is zero."""
    columns = [x.shape[2:] for x in (a, b) if x.ndim == 4]
    if any(c != 1 for _, c in columns) or len(set(columns)) > 1:
        raise Undefined("an inner product of what are no columns")
    return alone(multiplied(a.swapaxes(2, 3) if a.ndim == 4 else a, b))


def trace(x: Array) -> Array:
    """Of matrices; a number is its own."""
    if x.ndim == 2:
        return x
    if x.shape[2] != x.shape[3]:
        raise Undefined("the trace of what is not square")
    return np.trace(x, axis1=2, axis2=3)


def rank(x: Array) -> Array:
    """The number that it is for each matrix."""
    ranks = [[fmpq_mat(rows.tolist()).rank() for rows in one] for one in x]
    return each(fmpq)(np.array(ranks, object))


def degree(thetas: int, x: Array) -> Array:
    """The highest degree in theta, whose letters are the first."""

    def of(p: Any) -> Any:
        powers = p.to_dict() if is_polynomial(p) else ()
        return fmpq(max((sum(one[:thetas]) for one in powers), default=0))

    degrees = each(of)(x)
    return degrees.max(axis=(2, 3)) if x.ndim == 4 else degrees
