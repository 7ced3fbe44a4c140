"""Conditions on unspecified functions: one does not depend on an argument, or is zero."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.notation.sentence import Sentence, say
from verification.refuter.conditions import Condition
from verification.refuter.places import Place


@dataclass(frozen=True)
class FreeOfArgument(Condition):
    """A function does not depend on its k-th argument.

    >>> x, y = sp.symbols("x y")
    >>> FreeOfArgument.of(sp.Function("a")(x, y), 1).words
    'a does not depend on y'
    """

    name: str
    k: int
    called: str

    @classmethod
    def of(cls, f: Any, k: int) -> FreeOfArgument:
        """A condition on the k-th argument of a function as it is applied."""
        return cls((), f.func.__name__, k, str(f.args[k]))

    pattern = "${self.name}$ does not depend on ${self.called}$"

    def holds(self, place: Place) -> bool:
        """No coefficient of a monomial with the argument in it; a place without any is about others."""
        letters = self._letters(place)
        return bool(letters) and all(place.scalars[n] == 0 for n in letters)

    def imposed(self, place: Place) -> Place:
        """Those coefficients are dropped."""
        return place.but(**dict.fromkeys(self._letters(place), Fraction(0)))

    def replaced(self, f: Any) -> Any:
        """The function at zero in that argument."""
        return f.func(*(sp.Integer(0) if j == self.k else a for j, a in enumerate(f.args)))

    def _letters(self, place: Place) -> list[str]:
        found = []
        for letter in place.scalars:
            head, _, tail = letter.partition(f"{self.name}_")
            powers = tail.split("_")
            if not head and tail and all(p.isdigit() for p in powers) and len(powers) > self.k:
                found += [letter] if int(powers[self.k]) else []
        return found


@dataclass(frozen=True)
class IsZero(FreeOfArgument):
    """A function vanishes everywhere."""

    pattern = "${self.name}$ is zero"

    def replaced(self, f: Any) -> Any:
        """Zero."""
        return sp.Integer(0)

    def _letters(self, place: Place) -> list[str]:
        tails = ((n, n.removeprefix(f"{self.name}_").split("_")) for n in place.scalars)
        return [n for n, t in tails if n.startswith(f"{self.name}_") and all(p.isdigit() for p in t)]


@dataclass(frozen=True)
class Smooth(Condition):
    """A function has so many bounded derivatives, and no more is known of it.

    What is said of it as a step vanishes is so with constants that these bounds alone decide.
    """

    letters: tuple[str, ...] = ()
    name: str = "f"
    derivatives: int = 2

    told_as = "with one derivative more"

    @property
    def words(self) -> Sentence:
        """Such as ``f has 3 bounded derivatives, on whose bounds alone constants depend``."""
        words = "${}$ has {} bounded derivatives, on whose bounds alone constants depend"
        return say(words, self.name, self.derivatives)

    def holds(self, place: Place) -> bool:
        """Every place is polynomials; on the way to a limit something rougher is added."""
        return True

    def imposed(self, place: Place) -> Place:
        """Nothing is changed."""
        return place

    def roughened(self, polynomial: Mapping[Any, Fraction], at: Fraction, small: Fraction) -> Any:
        """With terms whose derivatives up to the last that is bounded are so within a small distance.

        >>> Smooth((), "f", 1).roughened({}, Fraction(0), Fraction(1, 4))
        {(2,): Fraction(4, 1), (3,): Fraction(16, 1)}
        """
        found = dict(polynomial)
        for n in (self.derivatives + 1, self.derivatives + 2):
            for j in range(n + 1):
                more = small ** (self.derivatives - n) * math.comb(n, j) * (-at) ** (n - j)
                found[j,] = found.get((j,), Fraction(0)) + more
        return {e: c for e, c in found.items() if c}


def with_conditions(expr: Any, conditions: Iterable[FreeOfArgument]) -> Any:
    """An expression under conditions on its functions; what they make zero is gone.

    >>> x, y = sp.symbols("x y")
    >>> a = sp.Function("a")(x, y)
    >>> with_conditions(a.diff(x) + a.diff(y), [FreeOfArgument.of(a, 0)])
    Derivative(a(0, y), y)
    """
    by_name: Mapping[str, list[FreeOfArgument]] = {}
    for c in conditions:
        by_name.setdefault(c.name, []).append(c)  # type: ignore[attr-defined]

    def replaced(e: Any) -> Any:
        for c in by_name[e.func.__name__]:
            e = c.replaced(e) if isinstance(e, AppliedUndef) else e
        return e

    found = sp.sympify(expr).replace(
        lambda e: isinstance(e, AppliedUndef) and e.func.__name__ in by_name, replaced
    )
    return found if not found.has(sp.Derivative) else _settled(found)


def _settled(expr: Any) -> Any:
    """Derivatives of what no longer depends are zero; those that are left stay as they are."""
    return expr.replace(
        lambda e: isinstance(e, sp.Derivative) and isinstance(e.expr, AppliedUndef),
        lambda e: e.doit() if set(e.variables) <= e.expr.free_symbols else sp.Integer(0),
    )


def candidates(functions: Iterable[Any]) -> list[FreeOfArgument]:
    """One condition to each argument; that a function vanishes, where it is not declared positive."""
    found: list[FreeOfArgument] = []
    for f in functions:
        found += [FreeOfArgument.of(f, k) for k in range(len(f.args))]
        found += [] if f.is_positive else [IsZero((), f.func.__name__, 0, "")]
    return found
