"""The words of statements about minibatches: averages over data, over a minibatch, over all minibatches.

Letters of one example are ``DataColumn`` and ``DataNumber``; ``FixedColumn`` (theta) and ``FixedSquare``
(a symmetric matrix) are the same for all examples; every other symbol is a number. ``Average(e)`` is the
mean of e over the N examples, ``BatchAverage(e)`` over the S that were drawn, ``First(e)`` its value for
the first one drawn, ``Expectation(e)`` the mean over all minibatches.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import OfFormulas
from verification.notation import N, S
from verification.terms.kinds import Transpose


class DataColumn(sp.Symbol):
    """A vector that every example has."""


class DataNumber(sp.Symbol):
    """A number that every example has."""


class FixedColumn(sp.Symbol):
    """A vector that all examples share."""


class FixedSquare(sp.Symbol):
    """A symmetric matrix that all examples share."""


class Average(OfFormulas):
    """The mean over all N examples."""


class BatchAverage(OfFormulas):
    """The mean over the minibatch."""


class First(OfFormulas):
    """The value for the first example of the minibatch."""


class Expectation(OfFormulas):
    """The mean over all minibatches."""


class OverNoise(OfFormulas):
    """The mean over letters of examples that are standard normal, independent of each other."""


class Online(OfFormulas):
    """Where the average of a quantity over one minibatch after the other settles: weights 1/t."""


class Gradient(OfFormulas):
    """The derivative of a number with respect to theta, a column."""

    is_commutative = False


class Hessian(OfFormulas):
    """The second derivatives of a number with respect to theta."""

    is_commutative = False


class Degree(OfFormulas):
    """The degree of a quantity as a polynomial in theta."""

    is_commutative = True


class Inner(OfFormulas):
    """``Inner(a, b)`` is a^T b, a number."""

    is_commutative = True


class At(OfFormulas):
    """``At(e, value)``: e with a value put in the place of theta."""

    is_commutative = False


# as they are called in terms, and the kinds of letters
WORDS = {
    "mean_n": Average, "mean_s": BatchAverage, "first_s": First, "E": Expectation,
    "over_noise": OverNoise, "online_average": Online, "grad": Gradient, "hess": Hessian,
    "degree": Degree, "inner": Inner, "at_theta": At,
}  # fmt: skip
KINDS = {
    "column of each": DataColumn, "number of each": DataNumber,
    "column": FixedColumn, "symmetric": FixedSquare,
}  # fmt: skip


def letter(name: str, kind: str) -> Any:
    """A letter of a kind."""
    assumed = {"real": True} if kind == "number of each" else {"commutative": False}
    return KINDS[kind](name, **assumed)


theta = FixedColumn("theta", commutative=False)


def columns(names: str) -> Any:
    """Letters for vectors that every example has."""
    return sp.symbols(names, cls=DataColumn, commutative=False)


def numbers(names: str) -> Any:
    """Letters for numbers that every example has."""
    return sp.symbols(names, cls=DataNumber, real=True)


def outer(a: Any) -> Any:
    """a a^T."""
    return a * Transpose(a)


def total(e: Any) -> Any:
    """The sum over all N examples."""
    return N * Average(e)


def batch_total(e: Any) -> Any:
    """The sum over the minibatch."""
    return S * BatchAverage(e)


def covariance(e: Any) -> Any:
    """The covariance of e among the N examples, with N in the denominator.

    >>> z = columns("z")
    >>> str(covariance(z))
    'Average((z - Average(z))*(z - Average(z))^T)'
    """
    return Average(outer(e - Average(e)))
