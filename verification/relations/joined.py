"""Connectives: statements made of statements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from sgtheory.errors import DeclarationError
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.relations.stating import statement
from verification.terms.term import Letter, Term


class Form(ABC):
    """What several relations are written out from, which is shown in their place."""

    states: tuple[Any, ...] = ()  # what it is stated for whatever it is
    in_other_units = False  # whether what may be true instead is the same in other units

    @property
    @abstractmethod
    def relations(self) -> tuple[Relation, ...]:
        """What it is written out as."""

    @property
    @abstractmethod
    def lines(self) -> tuple[Any, ...]:
        """As it is printed."""

    @property
    def in_short(self) -> tuple[Any, ...]:
        """The lines that say it in short."""
        return self.lines

    def latex(self) -> str:
        """As it is typeset."""
        return r" \qquad ".join(line.latex() for line in self.in_short)

    def text(self) -> str:
        """On one line."""
        return "; ".join(line.text() for line in self.in_short)

    def in_time(self, time: str) -> Self:
        """What it says of the process, or of the algorithm."""
        return self

    def instead(self, theory: Any) -> Iterator[Any]:
        """What may be true where it is false: a statement, or a correction."""
        return iter(())


@dataclass(frozen=True, init=False)
class All:
    """Several relations at once, as they are given or as a form is written out.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> print(All(x < x + y, x <= x * (1 + y)).text())
    x < x + y and x <= x*(1 + y)
    """

    parts: tuple[Relation, ...]
    form: Form | None

    def __init__(self, *parts: Any, form: Form | None = None) -> None:
        """Of relations, or of other such statements."""
        found = tuple(one for part in parts for one in statement(part).relations)
        if not found and form is None:
            raise DeclarationError("at least one relation", "none", "state one")
        object.__setattr__(self, "parts", found)
        object.__setattr__(self, "form", form)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """What is said."""
        return self.parts if self.form is None else self.form.relations

    @property
    def lines(self) -> tuple[Any, ...]:
        """As it is printed."""
        return self.relations if self.form is None else self.form.lines

    @property
    def in_short(self) -> tuple[Any, ...]:
        """The lines that say it in short."""
        return (self,) if self.form is None else self.form.in_short

    @property
    def states(self) -> tuple[Any, ...]:
        """What it is stated for whatever it is."""
        return () if self.form is None else self.form.states

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The letters of all relations."""
        return tuple(dict.fromkeys(letter for one in self.relations for letter in one.letters))

    def in_time(self, time: str) -> All:
        """What its form says of the process, or of the algorithm."""
        return self if self.form is None else All(form=self.form.in_time(time))

    def put(self, values: dict[Letter, Any]) -> All:
        """The same with terms in the place of letters."""
        return All(*(one.put(values) for one in self.relations))

    def with_terms(self, change: Callable[[Term], Term]) -> All:
        """The same with every side changed."""
        return All(*(one.with_terms(change) for one in self.relations))

    def with_relation(self, k: int, changed: Relation) -> All:
        """The same with one relation changed."""
        return All(*self.relations[:k], changed, *self.relations[k + 1 :])

    def among_given(self, given: tuple[Relation, ...]) -> All:
        """The same, each of them among the values that obey what is given."""
        if not any(one.chosen for one in self.relations):
            return self
        return All(*(one.among_given(given) for one in self.relations))

    def among_shaped(self, shapes: tuple[Any, ...]) -> All:
        """The same, each of them among matrices of a shape that is given."""
        if not any(one.chosen for one in self.relations):
            return self
        return All(*(one.among_shaped(shapes) for one in self.relations))

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
        if self.form is not None:
            return self.form.latex()
        return r" \quad\text{and}\quad ".join(one.latex() for one in self.relations)

    def text(self) -> str:
        """On one line."""
        if self.form is not None:
            return self.form.text()
        apart = any(one.relation == "iff" for one in self.relations)  # else its condition takes in more
        return ("; and " if apart else " and ").join(one.text() for one in self.relations)


def at_once(relations: Iterable[Any]) -> Any:
    """What is said at once, as one statement: a relation alone is itself."""
    found = [*relations]
    return found[0] if len(found) == 1 else All(*found)


@dataclass(frozen=True)
class Needed(Form):
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
    def states(self) -> tuple[Any, ...]:  # type: ignore[override]
        """What it is stated for whatever it is."""
        return tuple(getattr(self.needed, "states", ()))


def OnlyIf(stated: Relation, needed: Any, premises: tuple[Relation, ...] = ()) -> All:
    """A statement that can hold only where another one does, if some premises are proved."""
    return All(form=Needed(stated, needed, premises))
