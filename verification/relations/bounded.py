"""``Bounded``: one term is at most a constant times another, and no letter moves the constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from verification.relations.base import Relation
from verification.terms.comparing import Compared, compared, shown
from verification.terms.term import Term, number
from verification.theories.answers import Answer, Seen, Silence, Silent

FAR = (32, 64, 128)  # powers of what a place has for the letters
_GROWS = 2  # from each power to the next


@dataclass(frozen=True, repr=False)
class Bounded(Relation):
    """``left = O(right)`` wherever what is given holds, ``n >= 1``, say: left is at most C times right.

    A place is looked at far out: with powers of its letters, which obey the same bounds by products of
    letters. No constant is enough where the quotient grows again and again there.

    >>> from fractions import Fraction
    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> print(Bounded(x * y, x**2 + y**2))
    x*y = O(x**2 + y**2)
    >>> Bounded(x * y, x + y).at({"x": Fraction(2), "y": Fraction(2)}).holds
    False
    """

    relation = "O"
    may_repeat = True  # what is true instead may be that a term is of its own size
    told_at = f"left over right, with every letter to the powers {', '.join(map(str, FAR))}"

    def latex(self) -> str:
        """As it is typeset."""
        return rf"{self.left.latex()} = O\left({self.right.latex()}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{self.left} = O({self.right})"

    def _far(self, power: int) -> tuple[Term, Term]:
        values: dict[Any, Term] = {a: a ** number(power) for a in self.letters}
        return self.left.put(values), self.right.put(values)

    def at(self, place: Mapping[str, Any]) -> Seen | None:
        """Both sides there; then their quotient farther and farther out."""
        here = compared(self.left, self.right, place)
        if here is not None and here.left > 0 >= here.right:
            return Seen(shown(here.left), shown(here.right), False)
        far: list[Compared] = []
        for power in FAR if here is not None else ():
            one = compared(*self._far(power), place)
            if one is None or one.right == 0:
                return None
            far.append(one)
        if not far:
            return None
        ratios = [one.left / one.right for one in far]
        grows = ratios[0] > 0 and all(b > _GROWS * a for a, b in pairwise(ratios))
        return Seen(", ".join(map(shown, ratios)), "bounded", not grows)

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """By the sizes of the terms of both sides."""
        of_size = getattr(theory, "is_bounded", None)
        if of_size is None:
            return Silent(Silence.NO_THEORY)
        answer: Answer = of_size(self.left, self.right, _upward(given))
        return answer

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """By the largest terms of the left side."""
        largest = getattr(theory, "largest_terms", None)
        found = None if largest is None else largest(self.left, self.sides, _upward(given))
        if found is not None:
            yield self.with_sides(self.left, found)

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """The quotient far out, in decimals."""
        left, right = map(text, self.sides)
        far = ", ".join(f"({text(a)}) / ({text(b)})" for a, b in map(self._far, FAR))
        lines = [f"left, right = {left}, {right}", f"_far = [] if left > 0 >= right else [{far}]"]
        grows = f"_far[2] > {_GROWS} * _far[1] > {_GROWS**2} * _far[0] > 0"
        return lines, f"bool(_far) and not ({grows})"

    def turned(self) -> Iterator[tuple[str, Bounded]]:
        """Each side times a letter, or over it."""
        for a in self.letters:
            for name, factor in ((f"times {a}", a), (f"over {a}", 1 / a)):
                yield f"left {name}", self.with_sides(self.left * factor, self.right)
                yield f"right {name}", self.with_sides(self.left, self.right * factor)


def _upward(given: tuple[Relation, ...]) -> list[tuple[Term, Term]]:
    """What is given to be smaller than what."""
    return [one.upward[:2] for one in given if hasattr(one, "upward")]
