"""Homogeneous polynomials in numbers: coefficients of the monomials of one degree, in a fixed order.

A monomial is the increasing tuple of its variables, such as (0, 0, 2) for x0 x0 x2.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement, permutations
from types import MappingProxyType

import numpy as np

from sgtheory.onestep.full import Array

Index = tuple[int, ...]


@cache
def symbols(n: int, degree: int) -> tuple[Index, ...]:
    """The monomials of one degree in n variables; the power of the last variable comes last.

    >>> symbols(2, 2)
    ((0, 0), (0, 1), (1, 1))
    """
    return tuple(combinations_with_replacement(range(n), degree))


@cache
def places(n: int, degree: int) -> Mapping[Index, int]:
    """The place of every monomial, its variables in any order."""
    found = {i: k for k, index in enumerate(symbols(n, degree)) for i in permutations(index)}
    return MappingProxyType(found)


@cache
def _products(n: int, one: int, other: int) -> Array:
    """The place of the product of every pair of monomials."""
    at = {index: k for k, index in enumerate(symbols(n, one + other))}
    pairs = [tuple(sorted(a + b)) for a in symbols(n, one) for b in symbols(n, other)]
    return np.array([at[pair] for pair in pairs])


def multiply(p: Array, q: Array | None, n: int, one: int, other: int) -> Array:
    """The product of two polynomials of these degrees; without ``q``, p tables the products of pairs.

    >>> multiply(np.array([1.0, 2.0]), np.array([1.0, -2.0]), 2, 1, 1)  # (x + 2 y) (x - 2 y)
    array([ 1.,  0., -4.])
    """
    table = p if q is None else np.multiply.outer(p, q)
    return np.bincount(_products(n, one, other), table.ravel(), len(symbols(n, one + other)))


def powers(F: Array, degree: int) -> Array:
    """Every monomial in the forms F x, as a polynomial in x: one row to each.

    >>> powers(np.array([[1.0, 1.0], [0.0, 2.0]]), 2)  # (x + y)^2, (x + y) 2 y, (2 y)^2
    array([[1., 2., 1.],
           [0., 2., 2.],
           [0., 0., 4.]])
    """
    rows, n = F.shape
    known: dict[Index, Array] = {(): np.ones(1)}
    for size in range(1, degree + 1):
        for index in symbols(rows, size):
            known[index] = multiply(F[index[0]], known[index[1:]], n, 1, size - 1)
    return np.array([known[index] for index in symbols(rows, degree)])
