"""Conditions on matrices that a claim may need: data that can be tested, imposed, added and dropped."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

from sgtheory.independent.fields import Rows, add, multiply, transpose, unit
from sgtheory.reader.exact import diagonal
from verification.refuter.places import Place, Space

Matrices = Mapping[str, Rows]


@dataclass(frozen=True)
class Condition:
    """A property of one or two matrices, named as the papers name them.

    C is B B^T wherever B is given; then what is imposed on C is imposed through B.
    """

    letters: tuple[str, ...]

    @property
    def words(self) -> str:
        """As a sentence without its full stop."""
        raise NotImplementedError

    def holds(self, place: Place) -> bool:
        """Whether an exact place has the property."""
        raise NotImplementedError

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """Matrices in any field, changed as little as needed to have the property."""
        raise NotImplementedError

    def imposed(self, place: Place) -> Place:
        """An exact place, changed as little as needed to have the property."""
        changed = self.impose({n: _rows(m) for n, m in place.matrices.items()})
        frozen = {n: tuple(tuple(row) for row in m) for n, m in changed.items()}
        return replace(place, matrices=frozen)

    @property
    def parts(self) -> tuple[Condition, ...]:
        """The conditions of which it is the conjunction."""
        return (self,)


@dataclass(frozen=True)
class Commute(Condition):
    """Two symmetric matrices commute: they have a common eigenbasis."""

    @property
    def words(self) -> str:
        """Such as ``A and B B^T commute``."""
        return f"{shown(self.letters[0])} and {shown(self.letters[1])} commute"

    def holds(self, place: Place) -> bool:
        """X Y = Y X."""
        x, y = (_rows(place.value(n)) for n in self.letters)
        return multiply(x, y) == multiply(y, x)

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """The second becomes a polynomial of the first, with a spectrum of its own."""
        first = _value(matrices, self.letters[0])
        square = multiply(first, first)
        one = _scaled_identity(square, square[0][0] ** 0)
        return _with(matrices, self.letters[1], factor=add(square, one))


@dataclass(frozen=True)
class AllCommute(Condition):
    """Several symmetric matrices commute pairwise."""

    @property
    def words(self) -> str:
        """Such as ``A, B B^T and H commute``."""
        return f"{', '.join(map(shown, self.letters[:-1]))} and {shown(self.letters[-1])} commute"

    def holds(self, place: Place) -> bool:
        """Every pair does."""
        return all(part.holds(place) for part in self.parts)

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """All become polynomials of the first, each with a spectrum of its own."""
        found = dict(matrices)
        for k, name in enumerate(self.letters[1:]):
            made = Commute((self.letters[0], name)).impose(found)
            for _ in range(k):
                key = "B" if name == "C" and "B" in made else name
                made[key] = add(multiply(made[key], made[key]), made[key])
            found = made
        return found

    @property
    def parts(self) -> tuple[Condition, ...]:
        """The pairs."""
        return tuple(Commute(pair) for pair in combinations(self.letters, 2))


@dataclass(frozen=True)
class IsDiagonal(Condition):
    """A matrix is diagonal in the coordinates of theta."""

    @property
    def words(self) -> str:
        """Such as ``B B^T is diagonal``."""
        return f"{shown(self.letters[0])} is diagonal"

    def holds(self, place: Place) -> bool:
        """Nothing off the diagonal."""
        m = place.value(self.letters[0])
        return all(x == 0 for i, row in enumerate(m) for j, x in enumerate(row) if i != j)

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """What is off the diagonal is dropped."""
        name = self.letters[0]
        source = matrices["B"] if name == "C" and "B" in matrices else matrices[name]
        kept = [[x if i == j else x - x for j, x in enumerate(r)] for i, r in enumerate(source)]
        return _with(matrices, name, factor=kept)


@dataclass(frozen=True)
class IsIsotropic(Condition):
    """A matrix is a multiple of the identity: its eigenvalues are equal."""

    @property
    def words(self) -> str:
        """Such as ``A is a multiple of the identity``."""
        return f"{shown(self.letters[0])} is a multiple of the identity"

    def holds(self, place: Place) -> bool:
        """One number on the diagonal, and nothing beside it."""
        m = place.value(self.letters[0])
        return m == diagonal((m[0][0],) * len(m))

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """The first entry, all along the diagonal."""
        name = self.letters[0]
        source = matrices["B"] if name == "C" and "B" in matrices else matrices[name]
        return _with(matrices, name, factor=_scaled_identity(source, source[0][0]))


@dataclass(frozen=True)
class IsIdentity(IsIsotropic):
    """A matrix is the identity."""

    @property
    def words(self) -> str:
        """Such as ``A is the identity``."""
        return f"{shown(self.letters[0])} is the identity"

    def holds(self, place: Place) -> bool:
        """Ones on the diagonal."""
        m = place.value(self.letters[0])
        return m == diagonal((Fraction(1),) * len(m))

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """Ones, in the field of its entries."""
        name = self.letters[0]
        source = matrices["B"] if name == "C" and "B" in matrices else matrices[name]
        return _with(matrices, name, factor=_scaled_identity(source, unit(source[0][0])))


@dataclass(frozen=True)
class AreProportional(Condition):
    """One matrix is a multiple of another, as noise is of curvature in a well-specified model."""

    @property
    def words(self) -> str:
        """Such as ``A is a multiple of B B^T``."""
        return f"{shown(self.letters[0])} is a multiple of {shown(self.letters[1])}"

    def holds(self, place: Place) -> bool:
        """X_ij Y_kl = X_kl Y_ij for all entries."""
        x, y = (place.value(n) for n in self.letters)
        k = next(((i, j) for i, r in enumerate(y) for j, v in enumerate(r) if v), (0, 0))
        above, below = x[k[0]][k[1]], y[k[0]][k[1]]
        return all(v * below == above * y[i][j] for i, r in enumerate(x) for j, v in enumerate(r))

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """The first becomes the second, times three."""
        second = _value(matrices, self.letters[1])
        three = [[x + x + x for x in row] for row in second]
        return {**matrices, self.letters[0]: three}


@dataclass(frozen=True)
class OneDimensional(Condition):
    """The dimension is one."""

    @property
    def words(self) -> str:
        """``D = 1``."""
        return "D = 1"

    def holds(self, place: Place) -> bool:
        """1 x 1 matrices."""
        return place.D == 1

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """Only the first row and column."""
        return {n: [[m[0][0]]] for n, m in matrices.items()}


@dataclass(frozen=True)
class Both(Condition):
    """Two conditions together."""

    first: Condition
    second: Condition

    @property
    def words(self) -> str:
        """Joined by *and*; pairs of two diagonal matrices in one phrase."""
        if isinstance(self.first, IsDiagonal) and isinstance(self.second, IsDiagonal):
            return f"{shown(self.first.letters[0])} and {shown(self.second.letters[0])} are diagonal"
        return f"{self.first.words}, and {self.second.words}"

    def holds(self, place: Place) -> bool:
        """Both hold."""
        return self.first.holds(place) and self.second.holds(place)

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """One after the other: conditions are listed so that the second spoils nothing."""
        return self.second.impose(self.first.impose(matrices))

    def imposed(self, place: Place) -> Place:
        """One after the other."""
        return self.second.imposed(self.first.imposed(place))

    @property
    def parts(self) -> tuple[Condition, ...]:
        """Both."""
        return (*self.first.parts, *self.second.parts)


def shown(letter: str) -> str:
    """C is written as the papers write it."""
    return "B B^T" if letter == "C" else letter


def restrict(place: Place, condition: Condition) -> Place:
    """An exact place with a condition imposed on it."""
    return condition.imposed(place)


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
    for pair in combinations(letters, 2):
        yield Commute(pair)
    if len(letters) > 2:
        yield AllCommute(letters)
    for letter in letters:
        yield IsDiagonal((letter,))
    for pair in combinations(letters, 2):
        yield AreProportional(pair)
    for letter in letters:
        yield IsIsotropic((letter,))
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
    about = (Commute, AllCommute, IsDiagonal, IsIsotropic, AreProportional)
    more = (n for p in strong.parts if isinstance(p, about) for n in p.letters)
    every, parts = tuple(dict.fromkeys((*letters, *more))), weak.parts
    return all(_has(place, part) for place in _examples(strong, every) for part in parts)


@cache  # conjunctions have parts in common
def _has(place: Place, part: Condition) -> bool:
    return part.holds(place)


@cache
def _examples(condition: Condition, letters: tuple[str, ...]) -> tuple[Place, ...]:
    """Random places under a condition, in dimensions 2 and 3."""
    # C has its factor here as in a problem, where letters beside A and C are positive definite too
    kinds = {("B" if n == "C" else n): ("any" if n == "C" else "positive definite") for n in letters}
    source, space = random.Random(7), Space(kinds)
    drawn = (_in_whole_numbers(space.random(source, size)) for size in (2, 3, 2, 3))
    return tuple(restrict(place, condition) for place in drawn)


def _in_whole_numbers(place: Place) -> Place:
    """Four times the matrices, whose entries are quarters: the same properties, but quicker."""

    def whole(m: Any) -> Any:
        return tuple(tuple(int(4 * x) for x in row) for row in m)

    return replace(place, matrices={n: whole(m) for n, m in place.matrices.items()})


def _value(matrices: Matrices, name: str) -> Rows:
    if name == "C" and "B" in matrices:
        return multiply(matrices["B"], transpose(matrices["B"]))
    return matrices[name]


def _with(matrices: Matrices, name: str, factor: Rows) -> dict[str, Rows]:
    """One letter changed; C through its factor."""
    return {**matrices, ("B" if name == "C" and "B" in matrices else name): factor}


def _scaled_identity(like: Rows, x: Any) -> Rows:
    return [[x if i == j else x - x for j in range(len(like))] for i in range(len(like))]


def _rows(m: Any) -> Rows:
    return [list(row) for row in m]
