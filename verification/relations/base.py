"""What every relation between two terms has in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from sgtheory.errors import DeclarationError
from sgtheory.notation.sentence import Sentence
from verification.refuter.search import Sides
from verification.terms.comparing import Compared, compared, shown
from verification.terms.printed import RELATIONS
from verification.terms.term import Applied, Letter, Term, term
from verification.terms.words import is_matrix, word
from verification.theories.answers import Answer
from verification.verdicts.both import Both

CLOSE = "d(10) ** -40 * max(_size(left), _size(right), d(1))"
SAME = f"same = _size(_minus(left, right)) <= {CLOSE}"
_SCRIPT = {
    "=": "same",
    "<": "left < right and not same",
    "<=": "left < right or same",
    ">": "left > right and not same",
    ">=": "left > right or same",
    "!=": "not same",
}


@dataclass(frozen=True, repr=False)
class Relation:
    """A relation between two terms, kept as it is written."""

    left: Any
    right: Any

    def __post_init__(self) -> None:
        """Numbers become terms; what says nothing is refused."""
        object.__setattr__(self, "left", term(self.left))
        object.__setattr__(self, "right", term(self.right))
        if self.left == self.right and not self.may_repeat:
            raise DeclarationError("two sides that differ", self.text(), "state what the source prints")

    relation = "="  # how it is written
    may_repeat = False  # whether something is said where both sides are one expression
    one_sided = False  # whether it can be said how near it comes to being violated
    approached = None  # the way on which it is said to become true
    constant_in = ()  # letters with which the difference of both sides does not change
    limiting = False  # whether it is about what happens on the way to a limit
    told_at = Both()  # what a counterexample shows
    opens = False  # whether it looks at a law at other places than the one that it is given
    chosen = ()  # letters that a place need not have
    complete = False  # whether it has its condition in itself, so that none is looked for
    settling = False  # whether it is about where a sampler settles

    @property
    def sides(self) -> tuple[Term, Term]:
        """Both terms."""
        return self.left, self.right

    @property
    def between_matrices(self) -> bool:
        """Whether a side is a matrix."""
        return any(map(is_matrix, self.sides))

    @property
    def counts(self) -> bool:
        """Whether it is about whole numbers, such as ranks, which move in jumps."""
        parts = (part for side in self.sides for part in side.subterms())
        return any(isinstance(part, Applied) and word(part.head).counts for part in parts)

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The letters of both sides."""
        return tuple(dict.fromkeys((*self.left.letters, *self.right.letters)))

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations that it is made of: itself."""
        return (self,)

    def put(self, values: dict[Letter, Any]) -> Self:
        """The same with terms in the place of letters."""
        return self.with_terms(lambda side: side.put(values))

    def with_terms(self, change: Callable[[Term], Term]) -> Self:
        """The same with both sides changed, which may make one expression of them."""
        found = copy(self)
        object.__setattr__(found, "left", change(self.left))
        object.__setattr__(found, "right", change(self.right))
        return found

    def with_sides(self, left: Term, right: Term) -> Self:
        """The same relation between other terms."""
        return replace(self, left=left, right=right)

    def latex(self) -> str:
        """As it is typeset."""
        return f"{self.left.latex()} {RELATIONS[self.relation]} {self.right.latex()}"

    def text(self) -> str:
        """On one line."""
        return f"{self.left} {self.relation} {self.right}"

    def __repr__(self) -> str:
        return self.text()

    def at(self, place: Mapping[str, Fraction]) -> Sides | None:
        """What it says at a place; None where a side is undefined or nothing can be told."""
        found = self.found(place)
        holds = None if found is None else self.holds(found)
        if found is None or holds is None:
            return None
        return Sides(shown(found.left), shown(found.right), holds, alike=found.sign is None)

    def found(self, place: Mapping[str, Any]) -> Compared | None:
        """Both sides at a place."""
        return compared(self.left, self.right, place)

    def holds(self, found: Compared) -> bool | None:
        """Whether two numbers stand in this relation; None where that cannot be told."""
        raise NotImplementedError

    def among_given(self, given: tuple[Relation, ...]) -> Relation:
        """The same, where it looks at other values of a letter, at those that obey what is given."""
        return self

    def among_shaped(self, shapes: tuple[Any, ...]) -> Relation:
        """The same, where it looks at other matrices, at those of a shape that is given."""
        return self

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """What a theory that owns the words of both sides makes of it, under what is given."""
        raise NotImplementedError

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """Lines that work both sides out in decimals, and what has to be so."""
        sides = f"left, right = {text(self.left)}, {text(self.right)}"
        return [sides, SAME], _SCRIPT[self.relation]

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """What may be true where it is false; nothing says that it is."""
        return iter(())

    def formula(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """What the left side is, where a theory says that better than the statement."""
        return None

    def gap(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """How fast it comes to be true, where it is about a limit."""
        return None

    def remarks(self, theory: Any, given: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        """What a theory has to say beside it, where it is false."""
        return ()

    def is_sure_at(self, place: Mapping[str, Any]) -> bool:
        """Whether it is certain where it holds at a place, and not only where it fails.

        On a way, and with letters that move, a place shows a few points of many.
        """
        return not (self.limiting or self.constant_in)

    def placed(self, place: Mapping[str, Any]) -> Mapping[str, Any]:
        """A place as it is shown."""
        return place

    def told(self, place: Mapping[str, Any]) -> Sentence:
        """What a counterexample shows there."""
        return self.told_at

    def ratio(self, found: Compared) -> Fraction | None:
        """How near two numbers come to violating it: beyond one they do; None where nothing is said."""
        return None

    def lengthened(self, outgrown: Any) -> Relation | None:
        """What it says of more and more steps, where that is another thing than of few."""
        return None

    def weaker(self, factor: Term) -> Self | None:
        """The same with a factor that makes it weaker, where there is such a thing."""
        return None

    def turned(self) -> Iterator[tuple[str, Self]]:
        """The relation itself corrupted."""
        return iter(())
