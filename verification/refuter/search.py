"""The search for a place at which a statement is false, and the smallest such place near it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sgtheory.reader.exact import Matrix
from verification.refuter.places import UNSYMMETRIC, Place, Space

RANDOM_PLACES = 60
_FEW_RANDOM, _FEW_SMALL = 8, 60
_SHRINKING = 1_500  # evaluations
_SIMPLE = tuple(map(Fraction, ("0", "1", "-1", "2", "1/2", "3", "1/4", "4", "1/3", "1/8", "1/16", "9")))


@dataclass(frozen=True)
class Sides:
    """Both sides of a statement at a place, as they are shown, and whether it holds there.

    ``alike``: they agree to hundreds of digits and could not be told apart, so that an equation seems to
    hold, which is no proof.
    """

    left: Any
    right: Any
    holds: bool
    alike: bool = False
    told_at: str = ""  # what the sides are, where that differs from place to place
    in_words: str = ""  # what is wrong there, where both sides do not say it


# What a statement says at a place; None where it says nothing (an unstable step, a singular matrix).
Look = Callable[[Place], Sides | None]
Where = Callable[[Place], bool]
Draw = Callable[[random.Random], Place | None]


@dataclass(frozen=True)
class Failure:
    """A place at which a statement is false."""

    place: Place
    sides: Sides


def everywhere(_: Place) -> bool:
    """No restriction."""
    return True


def refute(
    look: Look,
    space: Space,
    where: Where = everywhere,
    seed: int = 1,
    evaluations: int = 1_500,
    draw: Draw | None = None,
) -> Failure | None:
    """The smallest failure found: small places in order, then larger ones, as they are drawn, shrunk.

    >>> space = Space({}, {"x": "positive"})
    >>> def claim(p):
    ...     x = p.scalars["x"]
    ...     return Sides(x * x, 9 - x, x * x <= 9 - x)
    >>> refute(claim, space).place.scalars
    {'x': Fraction(3, 1)}
    """
    for place in _candidates(space, where, seed, evaluations, draw or space.random):
        sides = seen(look, place)
        if sides is not None and not sides.holds:
            return shrink(Failure(place, sides), look, space, where)
    return None


def sparse(
    look: Look, space: Space, where: Where = everywhere, evaluations: int = RANDOM_PLACES
) -> Failure | None:
    """A failure among many letters: a random one, with letters zero wherever they can be, or one."""
    source = random.Random(1)
    failure: Failure | None = None
    for place in (space.random(source) for _ in range(evaluations)):
        sides = seen(look, place) if where(place) else None
        if sides is not None and not sides.holds:
            failure = Failure(place, sides)
            break
    if failure is None:
        return None
    for size, simple in ((16, 0), (4, 0), (1, 0), (1, 1)):
        names = [n for n in space.scalars if failure.place.scalars[n] not in {0, simple}]
        names.reverse()  # coefficients of high powers go before those of low ones
        for k in range(0, len(names), size):
            place = failure.place.but(**dict.fromkeys(names[k : k + size], Fraction(simple)))
            sides = seen(look, place) if space.has(place) and where(place) else None
            if sides is not None and not sides.holds:
                failure = Failure(place, sides)
    return failure


def _candidates(space: Space, where: Where, seed: int, evaluations: int, draw: Draw) -> Iterator[Place]:
    wanted = (p for p in space.small() if where(p))
    for place, _ in zip(wanted, range(evaluations), strict=False):
        yield place
    source = random.Random(seed)
    for _ in range(min(RANDOM_PLACES, evaluations // 10)):
        drawn = draw(source)
        if drawn is not None and where(drawn):
            yield drawn


def seen(look: Look, place: Place) -> Sides | None:
    """What a statement says at a place; nothing where the arithmetic does not exist."""
    try:
        return look(place)
    except (ZeroDivisionError, TypeError):  # a pole, a singular matrix, no exact root
        return None


def shrink(failure: Failure, look: Look, space: Space, where: Where = everywhere) -> Failure:
    """The cheapest failure that single simplifications lead to."""
    left = _SHRINKING
    better: Failure | None = failure
    while better is not None and left > 0:
        failure, better = better, None
        for place in sorted(simpler(failure.place, space), key=lambda p: p.cost):
            if place.cost >= failure.place.cost or not (space.has(place) and where(place)):
                continue
            left -= 1
            sides = seen(look, place)
            if sides is not None and not sides.holds:
                better = Failure(place, sides)
                break
            if left <= 0:
                break
    return failure


def simpler(place: Place, space: Space) -> Iterator[Place]:
    """Places with a dimension less, or with one number replaced by a simpler one."""
    if place.matrices and min(space.sizes) < place.D:
        for k in range(place.D):
            fewer = {n: _without(m, k) for n, m in place.matrices.items()}
            yield replace(place, matrices=fewer)
    for name, x in place.free.items():
        for y in _simpler_numbers(x):
            yield place.but(**{name: y})
    for name, m in place.matrices.items():
        mirrored = space.matrices.get(name) not in UNSYMMETRIC
        for i in range(place.D):
            for j in range(i + 1 if mirrored else place.D):
                for y in _simpler_numbers(m[i][j]):
                    yield place.but(**{name: _with_entry(m, i, j, y, mirrored)})


def _simpler_numbers(x: Fraction) -> list[Fraction]:
    rounded = [Fraction(round(x)), x.limit_denominator(4), x.limit_denominator(2)]
    return [y for y in dict.fromkeys((*_SIMPLE, *rounded)) if y != x]


def _without(m: Matrix, k: int) -> Matrix:
    return tuple(tuple(x for j, x in enumerate(r) if j != k) for i, r in enumerate(m) if i != k)


def _with_entry(m: Matrix, i: int, j: int, y: Fraction, mirrored: bool) -> Matrix:
    rows = [list(r) for r in m]
    rows[i][j] = y
    if mirrored:
        rows[j][i] = y
    return tuple(tuple(r) for r in rows)
