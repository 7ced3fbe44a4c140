"""Conditions on scalars: a parameter is a function of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from sgtheory.dynamics import coefficients
from sgtheory.dynamics.taylor import Exactly
from sgtheory.dynamics.walking import walk
from verification.miner.conditions import Both, Condition, Matrices
from verification.refuter.places import Place


@dataclass(frozen=True)
class Related(Condition):
    """One equation between parameters, such as sigma^2 = 2 gamma T."""

    relation: coefficients.Relation
    said: str = ""  # in words, where they are better than the equation

    @property
    def words(self) -> str:
        """Such as ``sigma**2 = 2*T*gamma``."""
        return self.said or self.relation.text

    def holds(self, place: Place) -> bool:
        """The equation, in exact numbers."""
        return self._is_about(place) and bool(scalar(self.relation.polynomial, place.scalars) == 0)

    def impose(self, matrices: Matrices) -> dict[str, Any]:
        """It is not about matrices."""
        return dict(matrices)

    def imposed(self, place: Place) -> Place:
        """One parameter is set; StopIteration where its value is not rational."""
        if not self._is_about(place):
            return place
        value = scalar(self.relation.value, place.scalars)
        if not isinstance(value, Fraction | int):
            raise StopIteration
        return place.but(**{self.relation.symbol.name: Fraction(value)})

    def _is_about(self, place: Place) -> bool:
        return all(s.name in place.scalars for s in self.relation.polynomial.free_symbols)


def scalar(expr: Any, scalars: Mapping[str, Fraction]) -> Any:
    """An expression in parameters, in exact numbers.

    >>> import sympy as sp
    >>> scalar(sp.sqrt(sp.Symbol("T", positive=True)) / 2, {"T": Fraction(9, 4)})
    Fraction(3, 4)
    """
    return walk(expr, Exactly({s: scalars[s.name] for s in expr.free_symbols}))


def together(relations: tuple[coefficients.Relation, ...]) -> Condition:
    """A few relations as one condition.

    The first was put into the others, so the last is imposed first.
    """
    single: list[Condition] = [Related((), r) for r in reversed(relations)]
    return reduce(lambda a, b: Both((), a, b), single)
