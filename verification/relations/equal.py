"""``Equal``: two terms are one, whatever their letters are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verification.relations.base import Relation
from verification.terms.comparing import Compared
from verification.theories.answers import Answer


@dataclass(frozen=True, repr=False)
class Equal(Relation):
    """``left = right``.

    >>> from fractions import Fraction
    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> Equal((x + y) ** 2, x**2 + y**2).at({"x": Fraction(1), "y": Fraction(2)})
    Seen(left='9', right='5', holds=False, alike=False)
    """

    def holds(self, found: Compared) -> bool:
        """What cannot be told apart to hundreds of digits is equal as far as numbers can say."""
        return found.sign in (0, None)

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """By the theory's normal form of the difference."""
        answer: Answer = theory.vanishes(self.left, self.right)
        return answer

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """Other equations between the same terms, as far as the theory knows any."""
        others = getattr(theory, "mended", None)
        for left, right in others(self.left, self.right) if others else ():
            if left != right:
                yield self.with_sides(left, right)
