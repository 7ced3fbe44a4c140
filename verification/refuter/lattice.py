"""The conditions that there are over some letters, and which of them follow from others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

from verification.refuter.conditions import (
    AllCommute,
    AreProportional,
    Both,
    Commute,
    Condition,
    IsDiagonal,
    IsIsotropic,
    OfMatrices,
    OneDimensional,
)
from verification.refuter.places import FACTORS, Place, Space


@cache
def conditions(letters: tuple[str, ...]) -> tuple[Condition, ...]:
    """The lattice over some letters, the weak before the strong.

    >>> [c.words for c in conditions(("A", "C"))][:3]
    ['A and B B^T commute', 'A is diagonal', 'B B^T is diagonal']
    """
    single = [*_single(letters)]
    # of four letters there are more pairs of conditions than are worth their time
    both = [Both((), a, b) for a, b in combinations(single, 2)] if len(letters) < 4 else []
    usable = [c for c in (*single, *both) if implies(c, c, letters)]
    distinct: list[Condition] = []
    for c in usable:
        if not any(implies(c, d, letters) and implies(d, c, letters) for d in distinct):
            distinct.append(c)
    strength = {c: sum(implies(c, d, letters) for d in distinct) for c in distinct}
    return tuple(sorted(distinct, key=lambda c: strength[c]))


def _single(letters: tuple[str, ...]) -> Iterator[Condition]:
    pairs = tuple(combinations(letters, 2))
    yield from map(Commute, pairs)
    if len(letters) > 2:
        yield AllCommute(letters)
    yield from (IsDiagonal((letter,)) for letter in letters)
    yield from map(AreProportional, pairs)
    yield from (IsIsotropic((letter,)) for letter in letters)
    yield OneDimensional(())


@cache
def implies(strong: Condition, weak: Condition, letters: tuple[str, ...]) -> bool:
    """Whether one condition makes another hold, seen at places on which it is imposed.

    >>> A, C = ("A",), ("C",)
    >>> implies(IsIsotropic(A), Commute(("A", "C")), ("A", "C"))
    True
    >>> implies(IsDiagonal(A), Commute(("A", "C")), ("A", "C"))
    False
    >>> implies(Commute(("A", "Q")), Commute(("A", "C")), ("A", "C"))
    False
    """
    parts = (*strong.parts, *weak.parts)
    more = (n for p in parts for n in p.letters if n in FACTORS or isinstance(p, OfMatrices))
    places = _examples(strong, tuple(dict.fromkeys((*letters, *more))))
    return all(
        part in strong.parts if part.on_numbers else all(_has(place, part) for place in places)
        for part in weak.parts
    )


@cache  # conjunctions have parts in common
def _has(place: Place, part: Condition) -> bool:
    return part.holds(place)


@cache
def _examples(condition: Condition, letters: tuple[str, ...]) -> tuple[Place, ...]:
    """Random places under a condition, in dimensions 2 and 3; whole numbers are quicker."""
    # noises have their factors here as in a problem, where other letters are positive definite too
    kinds = {FACTORS.get(n, n): "any" if n in FACTORS else "positive definite" for n in letters}
    source, space = random.Random(7), Space(kinds)
    drawn = (space.random(source, size) for size in (2, 3, 2, 3))
    return tuple(condition.imposed(_in_whole_numbers(place)) for place in drawn)


def _in_whole_numbers(place: Place) -> Place:
    def whole(m: Any) -> Any:
        return tuple(tuple(int(4 * x) for x in row) for row in m)

    return replace(place, matrices={n: whole(m) for n, m in place.matrices.items()})
