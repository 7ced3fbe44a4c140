"""Conditions on scalars that a claim may need: one letter below another, or below 1, or equal to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Rows
from verification.miner.conditions import Condition, Matrices
from verification.refuter.places import Place

ONE = "1"


@dataclass(frozen=True)
class OnScalars(Condition):
    """A relation between two positive scalars, the second perhaps the number 1."""

    def sides(self, place: Place) -> tuple[Fraction, Fraction] | None:
        """Both values at a place; None where it does not have the letters."""
        names = [n for n in self.letters if n != ONE]
        if not all(n in place.scalars for n in names):
            return None
        first, second = (Fraction(1) if n == ONE else place.scalars[n] for n in self.letters)
        return first, second

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """Matrices are left as they are."""
        return dict(matrices)

    def imposed(self, place: Place) -> Place:
        """The place with its scalars changed as little as needed."""
        raise NotImplementedError

    def written(self, expr: Any) -> Any:
        """A formula in letters that obey the relation by themselves."""
        raise NotImplementedError

    def read_back(self, expr: Any) -> Any:
        """A formula in the letter that ``written`` puts in, in the letters themselves again."""
        return expr

    def _set(self, place: Place, values: Mapping[str, Fraction]) -> Place:
        changed = {n: v for n, v in values.items() if n != ONE}
        return replace(place, scalars={**place.scalars, **changed})

    def _symbol(self, expr: Any, name: str) -> Any:
        return next((s for s in expr.free_symbols if s.name == name), None)


@dataclass(frozen=True)
class Below(OnScalars):
    """One positive scalar is smaller than another, or than 1.

    >>> Below(("a", "1")).words
    'a < 1'
    """

    @property
    def words(self) -> str:
        """Such as ``a < b``."""
        return f"{self.letters[0]} < {self.letters[1]}"

    def holds(self, place: Place) -> bool:
        """Strictly."""
        sides = self.sides(place)
        return sides is not None and sides[0] < sides[1]

    def imposed(self, place: Place) -> Place:
        """Exchanged where it is the wrong way round; a letter above 1 is turned upside down."""
        sides = self.sides(place)
        if sides is None or sides[0] < sides[1]:
            return place
        (first, second), (x, y) = self.letters, sides
        if first == ONE:
            return self._set(place, {second: 1 / y if y < 1 else Fraction(2)})
        if second == ONE:
            return self._set(place, {first: 1 / x if x > 1 else Fraction(1, 2)})
        return self._set(place, {first: y, second: x} if x > y else {first: x / 2})

    def written(self, expr: Any) -> Any:
        """The larger one as the smaller one plus something positive; a < 1 as s/(1 + s)."""
        first, second = self.letters
        more = self._more
        if second == ONE:
            a = self._symbol(expr, first)
            return expr if a is None else expr.subs(a, more / (1 + more))
        b = self._symbol(expr, second)
        low = sp.Integer(1) if first == ONE else self._symbol(expr, first)
        return expr if b is None or low is None else expr.subs(b, low + more)

    def read_back(self, expr: Any) -> Any:
        """The difference of the two, or a/(1 - a)."""
        first, second = (
            sp.Integer(1) if n == ONE else sp.Symbol(n, positive=True) for n in self.letters
        )
        more = first / (1 - first) if second == 1 else second - first
        return sp.factor(sp.sympify(expr).subs(self._more, more))

    @property
    def _more(self) -> Any:
        return sp.Symbol(f"_{self.letters[0]}_{self.letters[1]}", positive=True)


@dataclass(frozen=True)
class Equal(OnScalars):
    """Two scalars are equal, or one is 1."""

    said: str = ""  # in words, where they are better than the equation

    @property
    def words(self) -> str:
        """Such as ``a = b``."""
        return self.said or f"{self.letters[0]} = {self.letters[1]}"

    def holds(self, place: Place) -> bool:
        """Exactly."""
        sides = self.sides(place)
        return sides is not None and sides[0] == sides[1]

    def imposed(self, place: Place) -> Place:
        """The first becomes the second."""
        sides = self.sides(place)
        return place if sides is None else self._set(place, {self.letters[0]: sides[1]})

    def written(self, expr: Any) -> Any:
        """The second in place of the first."""
        first, second = self.letters
        a = self._symbol(expr, first)
        b = sp.Integer(1) if second == ONE else self._symbol(expr, second)
        return expr if a is None or b is None else expr.subs(a, b)


def scalar_conditions(names: tuple[str, ...]) -> Iterator[OnScalars]:
    """The relations between some scalars, the weak before the strong.

    >>> [c.words for c in scalar_conditions(("a",))]
    ['a < 1', '1 < a', 'a = 1']
    """
    for pair in permutations((*names, ONE), 2):
        yield Below(pair)
    for k, name in enumerate(names):
        for other in (*names[k + 1 :], ONE):
            yield Equal((name, other))


def read_back(expr: Any, given: tuple[Condition, ...]) -> Any:
    """What ``written_under`` has put in, taken out again."""
    for condition in reversed(given):
        for part in condition.parts:
            expr = part.read_back(expr) if isinstance(part, OnScalars) else expr
    return expr


def written_under(expr: Any, given: tuple[Condition, ...]) -> Any:
    """A formula with the relations between its scalars put into its letters."""
    expr = sp.sympify(expr)
    for condition in given:
        for part in condition.parts:
            if isinstance(part, OnScalars):
                expr = part.written(expr)
    return expr
