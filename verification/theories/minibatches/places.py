"""Where statements about minibatches are looked at: small data, a size, and a way of drawing."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import islice
from math import perm
from typing import Any

from verification.refuter.places import Place, Space
from verification.terms.term import Letter
from verification.theories.minibatches.drawing import MARK
from verification.theories.minibatches.sampled import Data
from verification.theories.minibatches.words import COLUMN, COLUMNS, NUMBERS, SYMMETRIC

_PATTERNS, _FEW = 4, 2  # of small numbers, for each shape; and for limits
_MOST, _FURTHER = 128, 130  # minibatches at a place, and at one that is further along a limit
TIMES = 3  # how much further that is
_TRIES = 20
_SMALL = tuple(map(Fraction, (0, 1, -1, 2)))
_POSITIVE = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3))


@dataclass(frozen=True)
class Samples(Space):
    """Data with N examples in D dimensions; letters by name, in the order of their kinds.

    Every number of the data is a letter of the place, so that a failure can be shrunk.
    """

    columns: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    squares: tuple[str, ...] = ()
    plain: tuple[tuple[str, str], ...] = ()  # other scalars with their kinds
    limit: bool = False
    matrices: Mapping[str, str] = field(default_factory=dict)

    def small(self) -> Iterator[Place]:
        """The cheap ones first."""
        return iter(_small(self))

    def spread(self) -> Iterator[Place]:
        """A place of each size, with vectors in two dimensions."""
        source = random.Random(3)
        for n, s, without in _sizes(self.limit):
            d = 2 if self.columns or self.fixed or self.squares else 1
            yield self._place(n, s, d, without, lambda kind: _larger(kind, source))

    def random(self, source: random.Random, size: int | None = None) -> Place:
        """Larger numbers, in two dimensions where there are vectors."""
        sizes = _sizes(self.limit)
        n, s, without = source.choice(sizes)
        d = 2 if self.columns or self.fixed or self.squares else 1
        return self._place(n, s, d, without, lambda kind: _larger(kind, source))

    def has(self, place: Place) -> bool:
        """Whether sizes fit the data, and each other."""
        given = place.scalars
        n, s, d = (given[x] for x in ("N", "S", "D"))
        if any(x.denominator != 1 or x < 1 for x in (n, s, d)) or given[MARK] not in (0, 1):
            return False
        names = {*_names(self, int(n), int(d)), *(p for p, _ in self.plain), "N", "S", "D", MARK}
        if set(given) != names or any(given[p] <= 0 for p, kind in self.plain if kind != "real"):
            return False
        return _fits(int(n), int(s), bool(given[MARK]), self.limit)

    def _place(self, n: int, s: int, d: int, without: bool, draw: Any) -> Place:
        values = {name: draw("real") for name in _names(self, n, d)}
        plain = {name: draw(kind) for name, kind in self.plain}
        sizes = {"N": Fraction(n), "S": Fraction(s), "D": Fraction(d), MARK: Fraction(int(without))}
        return Place({}, {**values, **plain, **sizes})

    def differ(self, place: Place) -> bool:
        """Whether no two examples are alike, where examples have letters."""
        n, d = int(place.scalars["N"]), int(place.scalars["D"])
        names = [[f"{c}_{i}_{k}" for c in self.columns for k in range(d)] for i in range(n)]
        found = [
            tuple(place.scalars[x] for x in (*names[i], *(f"{c}_{i}" for c in self.numbers)))
            for i in range(n)
        ]
        return not (self.columns or self.numbers) or len(set(found)) == n

    def data(self, place: Place) -> Data:
        """The place as data that can be drawn from."""
        given = place.scalars
        n, d = int(given["N"]), int(given["D"])

        def column(name: str) -> Any:
            return [[given[f"{name}_{k}"]] for k in range(d)]

        def square(name: str) -> Any:
            return [[given[f"{name}_{min(i, j)}_{max(i, j)}"] for j in range(d)] for i in range(d)]

        return Data(
            {c: [column(f"{c}_{i}") for i in range(n)] for c in self.columns},
            {c: [given[f"{c}_{i}"] for i in range(n)] for c in self.numbers},
            {**{c: column(c) for c in self.fixed}, **{c: square(c) for c in self.squares}},
            {p: given[p] for p, _ in self.plain},
            N=n,
            S=int(given["S"]),
            D=d,
            repeats=not given[MARK],
        )

    def to_json(self, place: Place) -> dict[str, Any]:
        """The data as rows, one for each example."""
        data = self.data(place)
        shown: dict[str, Any] = {
            **{c: [[str(x) for (x,) in row] for row in rows] for c, rows in data.columns.items()},
            **{c: [str(x) for x in row] for c, row in data.numbers.items()},
            **{c: [str(x) for (x,) in data.fixed[c]] for c in self.fixed},
            **{c: [[str(x) for x in row] for row in data.fixed[c]] for c in self.squares},
            **{p: str(x) for p, x in data.scalars.items()},
        }
        shown = {c: [v] if isinstance(v, list) and v and isinstance(v[0], str) else v
                 for c, v in shown.items()}  # fmt: skip
        return {**shown, "N": data.N, "S": data.S}


def samples(letters: Iterable[Letter], limit: bool = False) -> Samples:
    """The space of some letters."""
    known = sorted(set(letters), key=lambda a: a.name)

    def named(kind: str) -> tuple[str, ...]:
        return tuple(a.name for a in known if a.kind == kind)

    rest = [a for a in known if a.kind in ("positive", "real")]
    return Samples(
        sizes=(1,),
        columns=named(COLUMNS),
        numbers=named(NUMBERS),
        fixed=named(COLUMN),
        squares=named(SYMMETRIC),
        plain=tuple((a.name, a.kind) for a in rest),
        limit=limit,
    )


def _names(space: Samples, n: int, d: int) -> list[str]:
    return [
        *(f"{c}_{i}_{k}" for c in space.columns for i in range(n) for k in range(d)),
        *(f"{c}_{i}" for c in space.numbers for i in range(n)),
        *(f"{c}_{k}" for c in space.fixed for k in range(d)),
        *(f"{c}_{i}_{j}" for c in space.squares for j in range(d) for i in range(j + 1)),
    ]


def _larger(kind: str, source: random.Random) -> Fraction:
    if kind == "real":
        return Fraction(source.randrange(-6, 7), 2)
    return Fraction(source.randrange(1, 12), source.randrange(1, 6)) ** 2


def _fits(n: int, s: int, without: bool, limit: bool) -> bool:
    """Whether the minibatches can be gone through."""
    if without and s > n:
        return False
    ways = perm(n, s) if without else n**s
    further = perm(TIMES * n, TIMES * s) if without else n ** (TIMES * s)
    return ways <= _MOST and (not limit or further <= _FURTHER)


def _sizes(limit: bool) -> list[tuple[int, int, bool]]:
    """N, S and whether nothing is drawn twice."""
    # squares stand under roots
    tried = [(2, 2, False), (3, 2, True), (4, 1, False), (2, 4, False), (5, 4, True), (4, 2, True)]
    rest = [(n, s, w) for n in (2, 3) for s in (1, 2, 3) for w in (False, True)]
    tried += [size for size in rest if size not in tried]
    return [size for size in tried if _fits(*size, limit)]


@cache
def _small_of(key: tuple[Any, ...]) -> tuple[Place, ...]:
    space = Samples(sizes=(1,), **dict(key))
    source, found = random.Random(5), []

    def draw(kind: str) -> Fraction:
        return source.choice(_SMALL if kind == "real" else _POSITIVE)

    for d in (1, 2) if space.columns or space.fixed or space.squares else (1,):
        for n, s, without in _sizes(space.limit):
            for _ in range(_FEW if space.limit else _PATTERNS):
                tried = (space._place(n, s, d, without, draw) for _ in range(_TRIES))
                found += list(islice(filter(space.differ, tried), 1))
    return tuple(sorted(found, key=lambda place: place.cost))


def _small(space: Samples) -> tuple[Place, ...]:
    own = ("columns", "numbers", "fixed", "squares", "plain", "limit")
    return _small_of(tuple((name, getattr(space, name)) for name in own))
