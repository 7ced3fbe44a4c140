"""Tables of numbers: read and checked, exact where they can be; covariances that stay semidefinite."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.reader import exact
from sgtheory.reader.arrays import check_range
from sgtheory.reader.exact import Matrix, Vector

Array = Any

# Sums over examples cost N D^2 operations on fractions: exact below this.
_EXACT_LIMIT = 20_000


def array(value: Any, name: str, shape: str) -> Array:
    """An array of finite real numbers: Fractions from whole numbers and Fractions, float64 from floats.

    >>> array([[1, 2]], "gradients", "N x D")
    array([[Fraction(1, 1), Fraction(2, 1)]], dtype=object)
    >>> array([1.5], "gradients", "N x D")
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected gradients as an array N x D; got shape (1,); reshape it
    """
    try:
        found = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise UnusableInput(
            f"{name} as an array {shape}", "rows of different lengths", "make them agree"
        ) from None
    if found.ndim != len(shape.split(" x ")):
        raise UnusableInput(f"{name} as an array {shape}", f"shape {found.shape}", "reshape it")
    if not found.size:
        raise UnusableInput(f"{name} with entries", f"shape {found.shape}", "give some")
    if found.dtype.kind not in "iufO":
        raise UnusableInput(f"real numbers in {name}", f"type {found.dtype}", "convert them")
    if found.dtype.kind == "f":
        check_range(found, name, "the gradients")
        return found.astype(float)
    return fractions(found, name)


def fractions(values: Array, name: str = "an array") -> Array:
    """The same array with every entry a Fraction; a float is taken as the binary number that it is.

    >>> fractions(np.array([0.5, 2.0]))
    array([Fraction(1, 2), Fraction(2, 1)], dtype=object)
    """
    flat = np.empty(values.size, object)
    from_floats = values.dtype.kind == "f"
    flat[:] = [Fraction(x) if from_floats else exact.number(x, name) for x in values.ravel().tolist()]
    return flat.reshape(values.shape)


def alike(one: Array, other: Array) -> tuple[Array, Array]:
    """Two arrays, both exact or both in float64.

    >>> alike(np.array([0.5]), fractions(np.array([1])))
    (array([0.5]), array([1.]))
    """
    if one.dtype == other.dtype:
        return one, other
    return one.astype(float), other.astype(float)


def as_matrix(values: Array) -> Matrix:
    """A square array as an exact matrix; its symmetric part, so that rounding cannot tell on it.

    >>> as_matrix(np.array([[1.0, 0.5], [0.0, 1.0]]))[0]
    (Fraction(1, 1), Fraction(1, 4))
    """
    below = [
        [_middle(a, b) for a, b in zip(row[: i + 1], column, strict=False)]
        for i, (row, column) in enumerate(zip(values.tolist(), values.T.tolist(), strict=True))
    ]
    size = range(len(below))
    return tuple(tuple(below[max(i, j)][min(i, j)] for j in size) for i in size)


def _middle(a: Any, b: Any) -> Fraction:
    return Fraction(a) if a == b else (Fraction(a) + Fraction(b)) / 2


def covariance(rows: Array) -> tuple[Matrix, Vector]:
    """The covariance of the rows about their mean, with divisor N, and the mean.

    Small tables are summed exactly. Of large ones the covariance is the square of a triangular factor:
    semidefinite in either case, also where examples are fewer than coordinates or collinear.

    >>> covariance(np.array([[1], [2], [6]]))
    (((Fraction(14, 3),),), (Fraction(3, 1),))
    """
    n, d = rows.shape
    if n * d * d <= _EXACT_LIMIT:
        whole = fractions(rows)
        mean = whole.sum(axis=0) / Fraction(n)
        half = whole - mean
    else:
        rows = rows.astype(float)
        mean = fractions(rows.mean(axis=0))
        half = np.linalg.qr((rows - rows.mean(axis=0)) / math.sqrt(n), mode="r")
        n = 1
        if len(half) * d * d <= _EXACT_LIMIT:
            half = fractions(half)
    total = half.T @ half
    return as_matrix(total / Fraction(n) if total.dtype == object else total), tuple(mean)
