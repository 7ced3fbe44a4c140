"""Where a claim is looked at: exact values of its letters, the small and pretty ones first.

A place of a sampler's claim is a small problem: curvature A, a factor B of the noise covariance
C = B B^T, perhaps a gain H, and the scalars. A place of any other claim has the letters that the
claim names. Both are searched, and shrunk, in the same way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import islice, product
from operator import attrgetter, itemgetter
from typing import Any

from sgtheory.independent.fields import multiply, transpose
from sgtheory.notation.display import Shown
from sgtheory.problem import Problem
from sgtheory.reader import exact
from verification.refuter.follow import Followers
from verification.refuter.kinds import matrix_is, random_matrix, random_scalar, scalar_is

MATRIX_KINDS = (
    "positive definite",
    "positive semidefinite",  # zero included
    "squared",
    "symmetric",
    "diagonal",
    "nonzero",
    "any",
    "operator",  # any, zero included
    "antisymmetric",
    "rational lengths",  # of the rows: the diagonal of B B^T has roots
)
FACTORS = {"C": "B", "EE^T": "E"}  # of the covariances of noises
UNSYMMETRIC = ("any", "operator", "nonzero", "rational lengths")
_OR_ZERO = ("operator", "positive semidefinite")

Kinds = tuple[tuple[str, str], ...]  # of letters, by name

_MOST = 4_000  # small places of one dimension
_ALONE, _WIDER, _MORE = 6, (3, 5, 9), 4  # places of one dimension that are made wider
_TRIES = 100  # of a random place, until all that follows from its letters has a value
_SMALL: Mapping[str, tuple[Fraction, ...]] = {
    "positive": (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3), Fraction(1, 4), Fraction(1, 8)),
    "fraction": (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4), Fraction(1, 8)),
    "count": (Fraction(1), Fraction(2), Fraction(3), Fraction(4), Fraction(9)),
    "nonnegative": (Fraction(1), Fraction(0), Fraction(2), Fraction(1, 2), Fraction(1, 4)),
    "real": (Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(-2), Fraction(1, 2)),
    # squares, for what stands under a root
    "square": (Fraction(1), Fraction(1, 4), Fraction(4), Fraction(1, 16), Fraction(9)),
    "half square": (Fraction(1, 2), Fraction(2), Fraction(1, 8), Fraction(1, 32)),
    "square count": (Fraction(1), Fraction(4), Fraction(9), Fraction(16)),
    "up to one": (Fraction(1), Fraction(1, 2), Fraction(1, 4), Fraction(3, 4), Fraction(1, 8)),
    "unit": (Fraction(1), Fraction(0), Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)),
    "within one": (Fraction(1), Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(-1, 2)),
    "zero or one": (Fraction(0), Fraction(1)),
    # between 0 and 1, one less it a square
    "cosquare": (Fraction(3, 4), Fraction(8, 9), Fraction(5, 9), Fraction(15, 16), Fraction(7, 16)),
    # between 0 and 1, with rational sines
    "cosine": (Fraction(3, 5), Fraction(4, 5), Fraction(5, 13), Fraction(12, 13)),
}

NUMBERS = frozenset(_SMALL)  # kinds of them


@dataclass(frozen=True, eq=False)  # a place is itself: what is found there is remembered
class Place(Shown):
    """Exact values of matrices and scalars by name.

    >>> one = ((Fraction(1),),)
    >>> Place({"A": one, "B": one}, {"eps": Fraction(1, 4)}).cost
    6
    """

    matrices: Mapping[str, exact.Matrix]
    scalars: Mapping[str, Fraction]
    follows: Followers | None = None  # letters among the scalars whose values are made of the others'

    def __post_init__(self) -> None:
        if self.follows is not None:
            object.__setattr__(self, "scalars", {**self.free, **self.follows.values(self.scalars)})

    @property
    def free(self) -> Mapping[str, Fraction]:
        """The scalars that do not follow from others."""
        if self.follows is None:
            return self.scalars
        return {n: x for n, x in self.scalars.items() if n not in self.follows.names}

    @property
    def is_whole(self) -> bool:
        """Whether every letter that follows from others has a value."""
        return self.follows is None or self.follows.names <= set(self.scalars)

    @property
    def D(self) -> int:
        """The dimension; 1 where there is no matrix."""
        return len(next(iter(self.matrices.values()), ((),)))

    @property
    def A(self) -> exact.Matrix:
        """The curvature of a problem."""
        return self.matrices["A"]

    @cached_property
    def C(self) -> exact.Matrix:
        """The noise covariance B B^T of a problem, or the letter C itself."""
        return self._square("C")

    def _square(self, name: str) -> exact.Matrix:
        if FACTORS[name] not in self.matrices:
            return self.matrices[name]
        factor = [list(row) for row in self.matrices[FACTORS[name]]]
        return tuple(tuple(row) for row in multiply(factor, transpose(factor)))

    @property
    def H(self) -> exact.Matrix | None:
        """The gain, where there is one."""
        return self.matrices.get("H")

    def value(self, name: str) -> exact.Matrix:
        """A matrix by name; C is made from B where B is given, and so with E."""
        if name == "C":
            return self.C
        return self._square(name) if name in FACTORS else self.matrices[name]

    def but(self, **changed: Any) -> Place:
        """The place with some matrices or scalars changed."""
        matrices = {k: v for k, v in changed.items() if isinstance(v, tuple)}
        scalars = {k: Fraction(v) for k, v in changed.items() if not isinstance(v, tuple)}
        if "cost" in self.__dict__ and not matrices:  # shrinking asks for those of many neighbours
            gone = sum(_cost(self.scalars[k]) for k in scalars if k in self.scalars)
            cost = self.cost - gone + sum(map(_cost, scalars.values()))
            found = replace(self, scalars={**self.scalars, **scalars})
            found.__dict__["cost"] = cost
            return found
        return replace(self, matrices={**self.matrices, **matrices}, scalars={**self.scalars, **scalars})

    @cached_property
    def cost(self) -> int:
        """How much there is to read: the numbers that are not 0, large and broken ones more."""
        entries = [x for m in self.matrices.values() for row in m for x in row]
        return sum(_cost(x) for x in (*entries, *self.free.values()))

    @property
    def is_problem(self) -> bool:
        """Whether it says what a problem file says."""
        return {"A", "B"} <= set(self.matrices)

    def to_json(self) -> dict[str, Any]:
        """A problem file's content where it is a problem, else the letters."""
        hidden = frozenset() if self.follows is None else self.follows.hidden
        shown = {k: str(v) for k, v in self.scalars.items() if k not in hidden}
        if not self.is_problem:
            return {**{k: _strings(m) for k, m in self.matrices.items()}, **shown}
        sizes: dict[str, Any] = {k: shown.pop(k) for k in ("N", "S") if k in shown}
        gains = {k: _strings(m) for k, m in self.matrices.items() if k not in ("A", "B")}
        return {
            "model": "quadratic",
            **sizes,
            "params": {**shown, **gains},
            "hessian": _strings(self.A),
            "noise": _strings(self.C),
        }

    def problem(self) -> Problem:
        """As a problem for every other part of the toolkit."""
        return Problem.of(self.to_json())


def _cost(x: Fraction) -> int:
    if x == 0:
        return 0
    return abs(x.numerator) + x.denominator - 1 + (x < 0)


def _strings(m: exact.Matrix) -> list[list[str]]:
    return [[str(x) for x in row] for row in m]


@dataclass(frozen=True)
class Space:
    """What letters there are, of which kind, and in which dimensions.

    >>> space = Space({"A": "positive definite"}, {"eps": "positive"}, sizes=(1,))
    >>> first = next(iter(space.small()))
    >>> first.to_json()
    {'A': [['1']], 'eps': '1'}
    """

    matrices: Mapping[str, str] = field(default_factory=dict)
    scalars: Mapping[str, str] = field(default_factory=dict)
    sizes: tuple[int, ...] = (1, 2)
    most: int = _MOST
    follows: Followers | None = None

    def small(self) -> Iterator[Place]:
        """Places of small numbers, in the order of their cost."""
        kinds = tuple(self.matrices.items()), tuple(self.scalars.items())
        yield from filter(
            attrgetter("is_whole"), _small_places(*kinds, self.sizes, self.most, self.follows)
        )

    def random(self, source: random.Random, size: int | None = None, wide: int = 1) -> Place:
        """A place of larger numbers, for what small ones are too symmetric to show."""
        size = size or source.choice(self.sizes)
        matrices = {n: random_matrix(k, size, source, wide) for n, k in self.matrices.items()}
        for _ in range(_TRIES):
            scalars = {n: random_scalar(k, source, wide) for n, k in self.scalars.items()}
            place = Place(matrices, scalars, self.follows)
            if place.is_whole:
                break
        return place

    def wide(self) -> Iterator[Place]:
        """Places of more dimensions: matrices are multiples of I, or the first has one larger entry.

        What holds of traces and eigenvalues in one dimension and in two may fail there.

        >>> space = Space({"A": "positive definite"})
        >>> [str(p.A[0][0]) for p in space.wide() if p.D == 3][:3]
        ['1', '4', '2']
        """
        alone = replace(self, sizes=(1,))
        for place, size, more in product(islice(alone.small(), _ALONE), _WIDER, (1, _MORE)):
            if self.matrices:
                matrices = {n: _multiple(m[0][0], size) for n, m in place.matrices.items()}
                first = next(iter(matrices))
                matrices[first] = _multiple(place.matrices[first][0][0], size, more)
                found = replace(place, matrices=matrices)
                if self.has(found):
                    yield found

    def has(self, place: Place) -> bool:
        """Whether every value is of its kind, and none is missing."""
        return (
            place.is_whole
            and all(matrix_is(k, place.matrices[n]) for n, k in self.matrices.items())
            and all(scalar_is(k, place.scalars[n]) for n, k in self.scalars.items())
        )


@cache
def _small_places(
    matrices: Kinds, scalars: Kinds, sizes: tuple[int, ...], most: int, follows: Followers | None
) -> _Places:
    """Places in the order of their cost."""
    of_matrices, of_scalars = (tuple(kind for _, kind in kinds) for kinds in (matrices, scalars))
    entries = _small_entries(of_matrices, of_scalars, sizes if matrices else (1,), most)
    return _Places([n for n, _ in (*matrices, *scalars)], len(matrices), entries, follows)


@cache
def _small_entries(
    matrices: tuple[str, ...], scalars: tuple[str, ...], sizes: tuple[int, ...], most: int
) -> list[tuple[Any, ...]]:
    """The values of letters of some kinds at small places, whatever they are called."""
    found: list[tuple[int, tuple[Any, ...]]] = []
    for size in sizes:
        values: list[list[tuple[int, Any]]] = [_priced(_small_matrices(k, size)) for k in matrices]
        values += [[(_cost(x), x) for x in _SMALL[kind]] for kind in scalars]
        found += islice(_by_rank(values), most)
    found.sort(key=itemgetter(0))
    return [entries for _, entries in found]


class _Places:
    """Places, each made when it is asked for and then kept."""

    def __init__(
        self, names: list[str], count: int, entries: list[tuple[Any, ...]], follows: Followers | None
    ) -> None:
        self.names, self.count, self.entries, self.follows = names, count, entries, follows
        self.made: list[Place] = []

    def __iter__(self) -> Iterator[Place]:
        for k in range(len(self.entries)):
            if k == len(self.made):
                values = list(zip(self.names, self.entries[k], strict=True))
                made = Place(dict(values[: self.count]), dict(values[self.count :]), self.follows)
                self.made.append(made)
            yield self.made[k]


def _multiple(x: Fraction, size: int, more: int = 1) -> exact.Matrix:
    """A number times I, its first entry so many times as large."""
    return exact.diagonal((x * more, *(x for _ in range(size - 1))))


def _priced(values: list[exact.Matrix]) -> list[tuple[int, Any]]:
    return [(sum(_cost(x) for row in m for x in row), m) for m in values]


def _by_rank(values: list[list[tuple[int, Any]]]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """All choices of one of each list, with what they cost, those near the fronts of the lists first."""
    rest = cache(lambda first, total: list(_with_total(values, first, total, rest)))
    for total in range(sum(len(v) - 1 for v in values) + 1):
        yield from _with_total(values, 0, total, rest)


def _with_total(
    values: list[list[tuple[int, Any]]], first: int, total: int, rest: Callable[[int, int], Any]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Choices of the lists from one on whose ranks come to a total, by the first ranks in order."""
    if first == len(values):
        yield from () if total else ((0, ()),)
        return
    for rank, (cost, one) in enumerate(values[first][: total + 1]):
        for more, others in rest(first + 1, total - rank):
            yield cost + more, (one, *others)


@cache
def _small_matrices(kind: str, size: int) -> list[exact.Matrix]:
    """All matrices of the kind with few small entries, cheap ones first (at most a hundred)."""
    if kind == "squared":  # positive definite, with a rational triangular root
        below = product((0, 1, -1), repeat=size * (size - 1) // 2)
        roots = product(below, product((1, 2), repeat=size))
        rows = [_square(off, on) for off, on in roots]
    elif kind == "diagonal" or size > 2:
        rows = [exact.diagonal(tuple(map(Fraction, d))) for d in product((1, 2, 3), repeat=size)]
    elif size == 1:
        rows = [((Fraction(n),),) for n in (1, 2, 3, -1, 0)]
    elif kind == "rational lengths":
        lengths = ((1, 0), (0, 1), (3, 4), (4, 3), (2, 0), (0, 2))
        rows = [_two(*first, *second) for first, second in product(lengths, repeat=2)]
    elif kind == "antisymmetric":
        rows = [_two(0, b, -b, 0) for b in (1, -1, 2)]
    elif kind in ("any", "operator", "nonzero"):
        rows = [_two(*e) for e in product((0, 1, 2), (0, 1), (0, 1), (0, 1, 2))]
    else:
        rows = [_two(a, b, b, d) for a, b, d in product((1, 2, 3, 0), (0, 1, -1), (1, 2, 3, 0))]
    fitting = [m for m in rows if matrix_is(kind, m) and (kind in _OR_ZERO or any(map(any, m)))]
    return [m for _, m in sorted(_priced(fitting), key=itemgetter(0))[:100]]


def _square(off: tuple[int, ...], on: tuple[int, ...]) -> exact.Matrix:
    """L L^T, from the entries of L below its diagonal and on it."""
    entries, size = iter(off), len(on)
    L = [
        [Fraction(on[i] if i == j else next(entries) if j < i else 0) for j in range(size)]
        for i in range(size)
    ]
    return tuple(tuple(row) for row in multiply(L, transpose(L)))


def _two(a: int, b: int, c: int, d: int) -> exact.Matrix:
    return ((Fraction(a), Fraction(b)), (Fraction(c), Fraction(d)))
