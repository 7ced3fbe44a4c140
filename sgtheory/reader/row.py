"""A row of a large matrix: kept as the numbers that were given, and exact wherever it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sgtheory.reader import limits, numbers

_LEAST, _MOST = float(limits.LEAST), float(limits.MOST)


class Row(tuple[Fraction, ...]):
    """Exact numbers of which each is a float, a whole number or a fraction until it is asked for.

    A fraction takes five times the memory of the float that names it, and ten times as long to make.

    >>> row = Row([0.1, 3, Fraction(1, 3)])
    >>> row[0], row[1:], row == (Fraction(1, 10), 3, Fraction(1, 3)), row.given
    (Fraction(1, 10), (Fraction(3, 1), Fraction(1, 3)), True, (0.1, 3, Fraction(1, 3)))
    """

    __slots__ = ()

    @property
    def given(self) -> tuple[Any, ...]:
        """The numbers as they were given."""
        return tuple(super().__iter__())

    def __iter__(self) -> Iterator[Fraction]:
        return map(named, super().__iter__())

    def __getitem__(self, place: Any) -> Any:
        found: Any = super().__getitem__(place)
        return tuple(map(named, found)) if isinstance(place, slice) else named(found)

    def __contains__(self, number: object) -> bool:
        return number in tuple(self)

    def __add__(self, other: Any) -> tuple[Any, ...]:
        return (*self, *other)

    def __radd__(self, other: Any) -> tuple[Any, ...]:
        return (*other, *self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Row):
            return len(self) == len(other) and all(map(is_same, self.given, other.given))
        return tuple(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Row, (self.given,)


@lru_cache(2**14)
def _of_float(value: float) -> Fraction:
    return numbers.of_float(value, "an entry")


def named(value: Any) -> Fraction:
    """The exact number that a float, a whole number or a fraction names."""
    if isinstance(value, float):
        return _of_float(value)
    return value if isinstance(value, Fraction) else Fraction(value)


def is_same(x: Any, y: Any) -> bool:
    """Whether two numbers as they were given are one: of one kind they are compared as they are."""
    return bool(x == y if type(x) is type(y) else named(x) == named(y))


def are_plain(row: Any) -> bool:
    """Whether all numbers of a row can be kept: floats and whole numbers in the stated range.

    >>> are_plain([0.1, 0, -3]), are_plain([0.1, float("nan")]), are_plain([True]), are_plain([1e101])
    (True, False, False, False)
    """
    import numpy as np

    if not set(map(type, row)) <= {int, float}:
        return False
    try:
        sizes = np.abs(np.array(row, float))
    except OverflowError:  # a whole number beyond floats
        return False
    return bool(((sizes == 0) | ((sizes >= _LEAST) & (sizes <= _MOST))).all())
