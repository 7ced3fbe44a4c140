"""Values near a printed one and far from it, which a best value has to beat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from sgtheory.independent.fields import multiply, transpose
from verification.refuter.conditions import Condition, IsDiagonal, IsIsotropic
from verification.refuter.places import NUMBERS
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.comparing import shown
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term

AMONG = ("all", "diagonal", "multiples of the identity")  # each among those before it
_SHAPES: dict[type[Condition], str] = {IsDiagonal: AMONG[1], IsIsotropic: AMONG[2]}


def shaped(name: str, among: str, given: Iterable[Condition]) -> str:
    """Among which matrices a letter is chosen, where conditions say of which shape it is.

    >>> shaped("Q", "all", (IsDiagonal(("Q",)), IsIsotropic(("P",))))
    'diagonal'
    """
    told = (type(p) for c in given for p in c.parts if p.letters == (name,))
    return max((among, *(_SHAPES[one] for one in told if one in _SHAPES)), key=AMONG.index)


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


def in_words(value: Any) -> str:
    """A number, or the rows of a matrix.

    >>> in_words(Fraction(1, 2)), in_words(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
    ('0.5', '[1 0; 0 1]')
    """
    if isinstance(value, Fraction):
        return str(shown(value))
    return "[" + "; ".join(" ".join(str(shown(x)) for x in row) for row in value) + "]"


def direction(i: int, j: int) -> Fraction:
    """An entry of a small symmetric matrix without a pattern."""
    return (-1) ** (i + j) * Fraction(1 + i, 2 + 3 * j) / 1000


def aside(value: Any, every: bool) -> Iterator[Any]:
    """Other matrices near one, on both sides of it; diagonal ones of a diagonal one, or of ``every``."""
    for step in (value[0][0], -value[0][0]):
        yield tuple(
            tuple(
                x + step * direction(min(i, j), max(i, j)) if i == j or every else x
                for j, x in enumerate(row)
            )
            for i, row in enumerate(value)
        )


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
