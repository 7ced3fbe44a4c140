"""Connectives: statements made of statements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from sgtheory.errors import DeclarationError
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.relations.stating import statement
from verification.terms.term import Letter, Term


@dataclass(frozen=True, init=False)
class All:
    """Several relations at once.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> print(All(x < x + y, x <= x * (1 + y)).text())
    x < x + y and x <= x*(1 + y)
    """

    relations: tuple[Relation, ...]

    def __init__(self, *parts: Any) -> None:
        """Of relations, or of other such statements."""
        found = tuple(one for part in parts for one in statement(part).relations)
        if not found:
            raise DeclarationError("at least one relation", "none", "state one")
        object.__setattr__(self, "relations", found)

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The letters of all relations."""
        return tuple(dict.fromkeys(letter for one in self.relations for letter in one.letters))

    def put(self, values: dict[Letter, Any]) -> Self:
        """The same with terms in the place of letters."""
        return type(self)(*(one.put(values) for one in self.relations))

    def with_terms(self, change: Callable[[Term], Term]) -> Self:
        """The same with every side changed."""
        return type(self)(*(one.with_terms(change) for one in self.relations))

    def with_relation(self, k: int, changed: Relation) -> Self:
        """The same with one relation changed."""
        return type(self)(*self.relations[:k], changed, *self.relations[k + 1 :])

    def at(self, place: Mapping[str, Fraction]) -> Sides | None:
        """The first that fails there, or the last; None where any says nothing."""
        seen: Sides | None = None
        for one in self.relations:
            seen = one.at(place)
            if seen is None or not seen.holds:
                return seen
        return seen

    def latex(self) -> str:
        """As it is typeset."""
        return r" \quad\text{and}\quad ".join(one.latex() for one in self.relations)

    def text(self) -> str:
        """On one line."""
        return " and ".join(one.text() for one in self.relations)


class WrittenOut(ABC):
    """A statement that is several relations when it is written out, and is judged as these."""

    @property
    @abstractmethod
    def relations(self) -> tuple[Relation, ...]:
        """What it is written out as."""

    @property
    def taken_apart(self) -> All:
        """The same, as the relations."""
        return All(*self.relations)

    @property
    def lines(self) -> tuple[Any, ...]:
        """As it is printed."""
        return self.relations

    def latex(self) -> str:
        """As it is typeset."""
        return r" \qquad ".join(line.latex() for line in self.lines)

    def text(self) -> str:
        """On one line."""
        return "; ".join(line.text() for line in self.lines)

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Of all relations."""
        return self.taken_apart.letters

    def put(self, values: dict[Letter, Any]) -> All:
        """With terms in the place of letters."""
        return self.taken_apart.put(values)

    def with_relation(self, k: int, changed: Relation) -> All:
        """With one of the relations changed."""
        return self.taken_apart.with_relation(k, changed)

    def with_terms(self, change: Callable[[Term], Term]) -> All:
        """With every side changed."""
        return self.taken_apart.with_terms(change)


@dataclass(frozen=True)
class OnlyIf(WrittenOut):
    """A statement that can hold only where another one does, if some premises are proved.

    Where what it needs is false, so is it. Nothing follows where that is true.
    """

    stated: Relation
    needed: Any
    premises: tuple[Relation, ...] = ()

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Those of what it needs."""
        found: tuple[Relation, ...] = self.needed.relations
        return found

    @property
    def lines(self) -> tuple[Relation, ...]:
        """What pages show."""
        return (self.stated,)

    @property
    def states(self) -> tuple[Any, ...]:
        """What it is stated for whatever it is."""
        return tuple(getattr(self.needed, "states", ()))
