"""Both sides of a statement about minibatches in exact numbers, for each minibatch or in a limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from verification.batchwords import has_bare_batch, has_bare_example
from verification.notation import S
from verification.refuter.enumeration import Data, added, is_matrix, scaled
from verification.refuter.search import Sides


def instances(data: Data, printed: Any) -> Iterator[Data]:
    """The minibatches and examples that a relation is about, where it has no average over them."""
    sides = (printed.left, printed.right)
    return data.each(any(map(has_bare_batch, sides)), any(map(has_bare_example, sides)))


def grown(data: Data, size: Any, times: int) -> Data:
    """More examples of the same kinds; or larger minibatches, of more examples where each comes once."""
    if size == S and data.repeats:
        return replace(data, S=data.S * times)
    columns = {k: list(v) * times for k, v in data.columns.items()}
    numbers = {k: list(v) * times for k, v in data.numbers.items()}
    more = data.S * times if size == S else data.S
    return replace(data, columns=columns, numbers=numbers, N=data.N * times, S=more)


def relative(left: Any, right: Any) -> Fraction | None:
    """Of nothing but zero it is not defined; against zero it is one."""
    rest, size = (max(_entries(x)) for x in (added(left, scaled(right, Fraction(-1))), right))
    if size == 0:
        return None if rest == 0 else Fraction(1)
    return rest / size


def _entries(x: Any) -> list[Fraction]:
    return [abs(y) for row in x for y in row] if is_matrix(x) else [abs(x)]


def compared(left: Any, right: Any, relation: str) -> Sides:
    """Both sides, and whether the relation holds between them."""
    rest = added(left, scaled(right, Fraction(-1)))
    if relation == "<=":
        return Sides(left, right, bool(rest <= 0))
    equal = all(x == 0 for x in _entries(rest))
    return Sides(left, right, equal if relation == "=" else not equal)


def shown(x: Any) -> Any:
    """A value as strings."""
    return [[str(y) for y in row] for row in x] if is_matrix(x) else str(x)
