"""Conditions that a statement may need: data that can be tested, imposed, added and dropped.

What they are about matrices is here; ``parameters`` has those on numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any, ClassVar

from sgtheory.independent.fields import Rows, add, matrix_of, multiply, transpose, unit
from sgtheory.notation.sentence import Sentence, listed, say
from verification.refuter.places import FACTORS, Place


class NotImposed(ValueError):
    """No exact number makes a condition hold at a place."""


def imposed(conditions: Iterable[Condition], place: Place) -> Place | None:
    """A place with one condition after the other imposed; None where one cannot be."""
    try:
        return reduce(lambda at, one: one.imposed(at), conditions, place)
    except NotImposed:
        return None


@dataclass(frozen=True)
class Condition:
    """A property of a problem, on letters by name.

    C is B B^T wherever B is given; then what is imposed on C is imposed through B. So it is with E.
    """

    letters: tuple[str, ...]

    pattern: ClassVar[str] = ""  # of its words, with its letters and itself
    on_numbers: ClassVar[bool] = False  # then it follows from itself alone
    told_as: ClassVar[str] = "under a condition"  # how a correction by it is called
    almost_everywhere: ClassVar[bool] = False  # then no difference vanishes by it that does not without

    @property
    def words(self) -> Sentence:
        """The sentence without its full stop, such as ``A and B B^T commute``."""
        return say(self.pattern, *map(shown, self.letters), self=self)

    @property
    def usual(self) -> str:
        """A sentence on the data that have it almost surely, where some do."""
        return ""

    @property
    def reads(self) -> frozenset[str]:
        """What a place has to have before anything can be said of it."""
        return frozenset(self.letters)

    def holds(self, place: Place) -> bool:
        """Whether an exact place has the property."""
        raise NotImplementedError

    def imposed(self, place: Place) -> Place:
        """An exact place, changed as little as needed to have the property."""
        return place

    def written(self, expr: Any) -> Any:
        """A formula in letters that obey it by themselves, where it is about numbers."""
        return expr

    def read_back(self, expr: Any) -> Any:
        """A formula in the letter that ``written`` puts in, in the letters themselves again."""
        return expr

    @property
    def parts(self) -> tuple[Condition, ...]:
        """The conditions of which it is the conjunction."""
        return (self,)


@dataclass(frozen=True)
class OfMatrices(Condition):
    """A property of one or two matrices, named as the papers name them; the last one is changed."""

    def holds(self, place: Place) -> bool:
        """In exact numbers."""
        return self._has(*(place.value(n) for n in self.letters))

    def imposed(self, place: Place) -> Place:
        """The last matrix, or its factor, is made anew from what it is and from the others."""
        *others, last = self.letters
        key = _factor(place, last)
        return _with(place, {key: self._made(place.matrices[key], *map(place.value, others))})

    def _has(self, *matrices: Any) -> bool:
        raise NotImplementedError

    def _made(self, own: Any, *others: Any) -> Rows:
        raise NotImplementedError


class Commute(OfMatrices):
    """Two matrices commute: the second becomes a polynomial of the first when imposed.

    Where the second is antisymmetric the first becomes one of its square, which is symmetric.
    """

    pattern = "{} and {} commute"

    def imposed(self, place: Place) -> Place:
        """One of the two is made anew."""
        first, last = self.letters
        m: Rows = [list(row) for row in place.value(last)]
        turned = any(map(any, m)) and m == [[-x for x in row] for row in transpose(m)]
        return super(Commute, Commute((last, first)) if turned else self).imposed(place)

    def _has(self, *matrices: Any) -> bool:
        x, y = matrices
        return multiply(x, y) == multiply(y, x)

    def _made(self, own: Any, *others: Any) -> Rows:
        square = multiply(others[0], others[0])
        upward = square if square[0][0] >= 0 else [[-x for x in row] for row in square]
        return add(upward, _scaled_identity(square, square[0][0] ** 0))


class IsDiagonal(OfMatrices):
    """A matrix is diagonal in the coordinates of theta."""

    pattern = "{} is diagonal"

    def _has(self, *matrices: Any) -> bool:
        return all(x == 0 for i, row in enumerate(matrices[0]) for j, x in enumerate(row) if i != j)

    def _made(self, own: Any, *others: Any) -> Rows:
        return [[x if i == j else x - x for j, x in enumerate(row)] for i, row in enumerate(own)]


class IsIsotropic(OfMatrices):
    """A matrix is a multiple of the identity: its eigenvalues are equal."""

    pattern = "{} is a multiple of the identity"

    def _has(self, *matrices: Any) -> bool:
        (m,) = matrices
        return [list(row) for row in m] == _scaled_identity(m, m[0][0])

    def _made(self, own: Any, *others: Any) -> Rows:
        return _scaled_identity(own, own[0][0])


class IsIdentity(IsIsotropic):
    """A matrix is the identity."""

    pattern = "{} is the identity"

    def holds(self, place: Place) -> bool:
        """In exact numbers; a preconditioner that a place has not is the identity there."""
        return (self.letters == ("H",) and "H" not in place.matrices) or super().holds(place)

    def imposed(self, place: Place) -> Place:
        """As it is where there is no preconditioner."""
        return place if self.letters == ("H",) and "H" not in place.matrices else super().imposed(place)

    def _has(self, *matrices: Any) -> bool:
        return matrices[0][0][0] == 1 and super()._has(*matrices)

    def _made(self, own: Any, *others: Any) -> Rows:
        return _scaled_identity(own, unit(own[0][0]))


class AreProportional(OfMatrices):
    """One matrix is a multiple of another, as noise is of curvature in a well-specified model."""

    pattern = "{} is a multiple of {}"

    def imposed(self, place: Place) -> Place:
        """The first becomes the second, times three."""
        first, second = self.letters
        return _with(place, {first: [[3 * x for x in row] for row in place.value(second)]})

    def _has(self, *matrices: Any) -> bool:
        x, y = matrices
        i, j = next(((i, j) for i, r in enumerate(y) for j, v in enumerate(r) if v), (0, 0))
        above, below = x[i][j], y[i][j]
        if not below:  # of nothing only nothing is a multiple
            return not any(v for r in x for v in r)
        return all(v * below == above * y[i][j] for i, r in enumerate(x) for j, v in enumerate(r))


class HiddenMode(OfMatrices):
    """Noise does not reach some mode of the curvature."""

    pattern = "an eigenvector of {} is in the kernel of {}"

    def imposed(self, place: Place) -> Place:
        """The last coordinate becomes a mode of the first letter, and is not reached by the second."""
        first, second = self.letters
        key, last = _factor(place, second), place.D - 1
        split = [
            [x if i == j or last not in (i, j) else x - x for j, x in enumerate(row)]
            for i, row in enumerate(place.matrices[first])
        ]
        cut = [
            [x - x if last == i or (key == second and last == j) else x for j, x in enumerate(row)]
            for i, row in enumerate(place.matrices[key])
        ]
        return _with(place, {first: split, key: cut})

    def _has(self, *matrices: Any) -> bool:
        """C, C A, C A^2, ... have a common kernel: it is invariant under A, so has an eigenvector."""
        first, power = matrices
        rows = list(power)
        for _ in range(len(first) - 1):
            power = multiply(power, first)
            rows += power
        return rank(rows) < len(first)


class Singular(OfMatrices):
    """A matrix has not full rank."""

    pattern = "{} is singular"

    def _has(self, *matrices: Any) -> bool:
        return rank(matrices[0]) < len(matrices[0])

    def _made(self, own: Any, *others: Any) -> Rows:
        end = len(own) - 1
        return [[x - x if end in (i, j) else x for j, x in enumerate(r)] for i, r in enumerate(own)]


class FullRank(OfMatrices):
    """A matrix has full rank, as almost every one has: nothing need be imposed."""

    pattern = "{} has full rank"
    almost_everywhere = True

    def holds(self, place: Place) -> bool:
        """In exact numbers; nothing is asked of a place without the matrix."""
        (name,) = self.letters
        return not {name, FACTORS.get(name, name)} & set(place.matrices) or super().holds(place)

    def imposed(self, place: Place) -> Place:
        """As it is."""
        return place

    def _has(self, *matrices: Any) -> bool:
        return rank(matrices[0]) == len(matrices[0])


class OneDimensional(OfMatrices):
    """The dimension is one."""

    pattern = "$D = 1$"

    def holds(self, place: Place) -> bool:
        """1 x 1 matrices."""
        return place.D == 1

    def imposed(self, place: Place) -> Place:
        """Only the first row and column."""
        return _with(place, {n: [[m[0][0]]] for n, m in place.matrices.items()})


@dataclass(frozen=True)
class AllCommute(Condition):
    """Several symmetric matrices commute pairwise."""

    @property
    def words(self) -> Sentence:
        """Such as ``A, B B^T and H commute``."""
        *most, last = map(shown, self.letters)
        return say("{} and {} commute", listed(most), last)

    def holds(self, place: Place) -> bool:
        """Every pair does."""
        return all(part.holds(place) for part in self.parts)

    def imposed(self, place: Place) -> Place:
        """All become polynomials of the first, each with a spectrum of its own."""
        for k, name in enumerate(self.letters[1:]):
            place = Commute((self.letters[0], name)).imposed(place)
            key = _factor(place, name)
            for _ in range(k):
                m: Any = place.matrices[key]
                place = _with(place, {key: add(multiply(m, m), m)})
        return place

    @property
    def parts(self) -> tuple[Condition, ...]:
        """The pairs."""
        return tuple(Commute(pair) for pair in combinations(self.letters, 2))


@dataclass(frozen=True)
class Both(Condition):
    """Two conditions together, imposed in their order: the second spoils nothing of the first."""

    first: Condition
    second: Condition

    @property
    def words(self) -> Sentence:
        """Joined by *and*; pairs of two diagonal matrices in one phrase."""
        if isinstance(self.first, IsDiagonal) and isinstance(self.second, IsDiagonal):
            letters = (shown(part.letters[0]) for part in (self.first, self.second))
            return say("{} and {} are diagonal", *letters)
        return say("{}, and {}", self.first.words, self.second.words)

    def holds(self, place: Place) -> bool:
        """Both hold."""
        return self.first.holds(place) and self.second.holds(place)

    def imposed(self, place: Place) -> Place:
        """One after the other."""
        return self.second.imposed(self.first.imposed(place))

    @property
    def parts(self) -> tuple[Condition, ...]:
        """Both."""
        return (*self.first.parts, *self.second.parts)


def shown(letter: str) -> Sentence:
    """A letter as a formula; covariances of noises are written as the papers write them."""
    factor = FACTORS.get(letter)
    return say("${}$", letter if factor is None else f"{factor} {factor}^T")


def rank(rows: Any) -> int:
    """Of a matrix in fractions.

    >>> rank([[1, 2], [2, 4]])
    1
    """
    return int(matrix_of(rows).rank())


def _factor(place: Place, name: str) -> str:
    """The letter that is changed where another is meant."""
    factor = FACTORS.get(name, name)
    return factor if factor in place.matrices else name


def _with(place: Place, changed: Mapping[str, Rows]) -> Place:
    return place.but(**{name: tuple(map(tuple, rows)) for name, rows in changed.items()})


def _scaled_identity(like: Any, x: Any) -> Rows:
    return [[x if i == j else x - x for j in range(len(like))] for i in range(len(like))]
