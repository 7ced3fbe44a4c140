"""Values near a printed one and far from it, which a best value has to beat."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from sgtheory.independent.fields import multiply, transpose
from verification.refuter.places import NUMBERS
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term


def times(value: Any, t: Fraction) -> Any:
    """A number or a matrix times a number."""
    if isinstance(value, Fraction):
        return value * t
    return tuple(tuple(x * t for x in row) for row in value)


def plainly(found: Term) -> Term:
    """A product of numbers without what cancels in it.

    >>> from verification.terms.term import letters
    >>> a, h = letters("a h")
    >>> print(plainly(1 / a * (h * a) / h))
    1
    """
    numbers = all(a.kind in NUMBERS for a in found.letters)
    return from_sympy(sp.cancel(in_symbols(found))) if numbers else found


def with_entry(value: Any, k: int, t: Fraction) -> Any:
    """A matrix with one row times a number."""
    return tuple(tuple(x * (t if i == k else 1) for x in row) for i, row in enumerate(value))


def direction(i: int, j: int) -> Fraction:
    """An entry of a small symmetric matrix without a pattern."""
    return (-1) ** (i + j) * Fraction(1 + i, 2 + 3 * j) / 1000


def of_one_size(value: Any, every: bool, factors: tuple[Fraction, ...]) -> Iterator[Any]:
    """Other symmetric matrices with the same determinant, or the same trace.

    Two entries of the diagonal are scaled against each other, or something of one is given to the other;
    of ``every`` matrix, rows and columns are also added to others.
    """
    size = range(len(value))
    for (i, j), t in product(combinations(size, 2), factors):
        if every:
            yield _congruent(
                [[Fraction(k == n) + (t - 1) * ((k, n) == (i, j)) for n in size] for k in size], value
            )
        scale = {i: t, j: 1 / t}
        yield _congruent([[scale.get(k, 1) * Fraction(k == n) for n in size] for k in size], value)
        moved = {i: (t - 1) * value[j][j], j: (1 - t) * value[j][j]}
        rows = enumerate(value)
        yield tuple(
            tuple(x + (moved.get(k, 0) if k == n else 0) for n, x in enumerate(row)) for k, row in rows
        )


def _congruent(turned: list[list[Fraction]], value: Any) -> Any:
    return tuple(map(tuple, multiply(multiply(turned, [list(row) for row in value]), transpose(turned))))
