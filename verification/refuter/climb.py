"""Climbing to the largest value of a quantity over exact places: for violations and for tightness."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from sgtheory.notation.sentence import Sentence, listed, say, sentence
from verification.refuter.places import Place, Space
from verification.refuter.search import Where, everywhere

Quantity = Callable[[Place], Fraction | None]  # None where there is no value

_FACTORS = tuple(map(Fraction, ("4", "1/4", "2", "1/2", "5/4", "4/5", "21/20", "20/21")))
_DIGITS = 400  # largest denominator on the way: exact, and short
_FAR = 2**40  # a scalar beyond this, or below its inverse, is on its way to the end of its range


@dataclass(frozen=True)
class Summit:
    """The largest value found, where, and which scalars ran to an end of their range."""

    place: Place
    value: Fraction
    to_zero: tuple[str, ...]
    to_infinity: tuple[str, ...]

    @property
    def way(self) -> Sentence | None:
        """In words: the way to it, such as ``as x -> infinity``; None where it is attained."""
        to_zero = [say("${} -> 0$", n) for n in self.to_zero]
        ends = to_zero + [say("${} -> infinity$", n) for n in self.to_infinity]
        return say("as {}", listed(ends)) if ends else None

    @property
    def where(self) -> Sentence:
        """In words: attained at a place, approached on the way to an end, or as far as a search came."""
        if self.way:
            return say("approached {}", self.way)
        return sentence("attained" if self.value == 1 else "at a place")


def climb(
    quantity: Quantity, space: Space, where: Where = everywhere, starts: int = 6, seed: int = 3
) -> Summit | None:
    """The largest value reached from several places by changing one number at a time.

    >>> x = lambda p: p.scalars["x"]
    >>> top = climb(lambda p: x(p) / (1 + x(p)), Space({}, {"x": "positive"}))
    >>> round(float(top.value), 6), top.where
    (1.0, 'approached as x -> infinity')
    """
    best: tuple[Fraction, Place] | None = None
    for place in _starts(quantity, space, where, starts, seed):
        value = quantity(place)
        assert value is not None
        best = max(filter(None, [best, _up(quantity, space, where, place, value)]), key=lambda b: b[0])
    if best is None:
        return None
    value, place = best
    ends = place.free.items()
    return Summit(
        place,
        value,
        tuple(n for n, x in ends if 0 < x * _FAR <= 1),
        tuple(n for n, x in ends if x >= _FAR),
    )


def _starts(quantity: Quantity, space: Space, where: Where, starts: int, seed: int) -> Iterator[Place]:
    """The best of the small places, and some random ones."""
    source = random.Random(seed)
    small = [p for p, _ in zip(space.small(), range(300), strict=False)]
    tried = [p for p in (*small, *(space.random(source) for _ in range(40))) if where(p)]
    valued = [(v, p) for p in tried if (v := quantity(p)) is not None]
    valued.sort(key=lambda vp: vp[0], reverse=True)
    yield from (p for _, p in valued[:starts])


def _up(
    quantity: Quantity, space: Space, where: Where, place: Place, value: Fraction
) -> tuple[Fraction, Place]:
    """Steps that raise the value, the long ones first, until none does."""
    for _ in range(60):
        better = None
        for moved in _moves(place, space):
            if not (space.has(moved) and where(moved)):
                continue
            there = quantity(moved)
            if there is not None and there > value:
                better = (there, moved)
                break
        if better is None:
            break
        value, place = better
    return value, place


def _moves(place: Place, space: Space) -> Iterator[Place]:
    lower = [(i, j) for i in range(place.D) for j in range(i + 1)]
    for factor in _FACTORS:
        for name, x in place.free.items():
            if space.scalars[name] == "count":
                moved = Fraction(max(1, round(x * factor)))
            elif "square" in space.scalars[name]:
                moved = x * factor**2
            else:
                moved = _short(x * factor)
            if moved != x and Fraction(1, 4 * _FAR) < abs(moved) < 4 * _FAR:
                yield place.but(**{name: moved})
        for name, m in place.matrices.items():
            for i, j in lower:
                rows = [list(r) for r in m]
                rows[i][j] = _short(rows[i][j] * factor) if rows[i][j] else (factor - 1) / 4
                if space.matrices[name] != "any":
                    rows[j][i] = rows[i][j]
                if i == j or space.matrices[name] != "diagonal":
                    yield place.but(**{name: tuple(tuple(r) for r in rows)})


def _short(x: Fraction) -> Fraction:
    """Near x with few digits, relative to its size."""
    scale = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length())
    return (x / scale).limit_denominator(_DIGITS) * scale
