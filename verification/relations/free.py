"""``FreeOf``: a term does not change with a letter, whatever the others are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from sgtheory.errors import DeclarationError
from sgtheory.notation.sentence import say
from verification.relations.base import SAME, Relation
from verification.relations.equal import Equal
from verification.terms.comparing import Compared, compared, second
from verification.terms.term import Letter, Term
from verification.terms.words import is_matrix
from verification.theories.answers import Answer
from verification.verdicts.both import Both
from verification.verdicts.verdict import Correction, lines_of


@dataclass(frozen=True, repr=False)
class FreeOf(Relation):
    """The term on the left does not change with the letter on the right: a number, or a matrix.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> print(FreeOf((x + y) - x, x))
    x + y - x does not depend on x
    """

    relation = "free of"
    may_repeat = True
    told_at = Both("its value", "its value")

    def __post_init__(self) -> None:
        """What is free of a letter is said of a letter alone."""
        super().__post_init__()
        if not isinstance(self.right, Letter):
            raise DeclarationError("a letter", str(self.right), "say of which letter it is free")

    @property
    def constant_in(self) -> tuple[Letter, ...]:  # type: ignore[override]
        """The letter that takes a second value at each place."""
        return (self.right,)

    @property
    def between_matrices(self) -> bool:
        """Whether the term is a matrix."""
        return is_matrix(self.left)

    def with_sides(self, left: Term, right: Term) -> Self:
        """The same of another term."""
        if right != self.right:
            raise DeclarationError("the letter that moves", str(right), "state another relation")
        return replace(self, left=left)

    def put(self, values: dict[Letter, Any]) -> Self:
        """The same with terms in the place of letters other than the one that moves."""
        kept = {a: value for a, value in values.items() if a != self.right}
        return replace(self, left=self.left.put(kept))

    def latex(self) -> str:
        """As a derivative."""
        return rf"\frac{{\partial}}{{\partial {self.right.latex()}}}\, {self.left.latex()} = 0"

    def text(self) -> str:
        """On one line."""
        return f"{self.left} does not depend on {self.right}"

    def found(self, place: Mapping[str, Any]) -> Compared | None:
        """The term at the place and where the letter has its second value."""
        there = second(place, self.constant_in)
        return None if there is None else compared(self.left, self.left, place, right_at=there)

    def holds(self, found: Compared) -> bool:
        """What cannot be told apart to hundreds of digits is equal as far as numbers can say."""
        return found.sign in (0, None)

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """By the derivative, where the theory knows it."""
        answer: Answer = theory.is_free_of(self.left, self.right)
        return answer

    def formula(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """An equation in which the letter stands, which says how it moves; else the derivative."""
        known = theory.equation(self.left, self.right)
        if known is None:
            return theory.slope(self.left, self.right)
        true = Equal(*known[:2])
        return Correction(lines_of(true), "proved", known[2], (true,))

    def gap(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """How fast the dependence vanishes with the step."""
        return theory.gap_of_slope(self.left, self.right)

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """The term at both values of the letter."""
        return [
            f"left = {text(self.left)}",
            *point.second(self.constant_in),
            f"right = {text(self.left)}",
            SAME,
        ], "same"

    def turned(self) -> Iterator[tuple[str, Self]]:
        """With powers of the letter, or of another letter."""
        if self.right.kind == "matrix":
            return
        moved = self.right
        for name, factor in (("times", moved), ("over", 1 / moved), ("times the square of", moved**2)):
            yield say("{} ${}$", name, moved), replace(self, left=self.left * factor)
        for other in self.left.letters:
            if other != moved and other.kind == moved.kind:
                yield say("${}$ for ${}$", other, moved), replace(self, right=other)
