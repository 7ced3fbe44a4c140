"""``Bounded``: one term is at most a constant times another, and no letter moves the constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from verification.relations.base import Relation
from verification.terms.comparing import compared, shown
from verification.terms.term import Letter, Term, number
from verification.terms.ways import LENGTHS, grows
from verification.theories.answers import Answer, Seen, Silence, Silent

NUMBERS = ("positive", "real", "count", "fraction", "up to one", "unit", "within one")
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

    @property
    def told_at(self) -> str:  # type: ignore[override]
        """What a counterexample shows."""
        fraction = any(a.kind == "fraction" for a in self.letters)
        odds = " (of one below 1, its odds)" if fraction else ""
        return f"left over right, with every letter{odds} to the powers {', '.join(map(str, FAR))}"

    def latex(self) -> str:
        """As it is typeset."""
        return rf"{self.left.latex()} = O\left({self.right.latex()}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{self.left} = O({self.right})"

    @cached_property
    def _far(self) -> tuple[tuple[Term, Term], ...]:
        found = []
        for power in FAR:
            values: dict[Any, Term] = {a: _powered(a, number(power)) for a in self.letters}
            found.append((self.left.put(values), self.right.put(values)))
        return tuple(found)

    def at(self, place: Mapping[str, Any]) -> Seen | None:
        """Both sides there; then their quotient farther and farther out."""
        here = compared(self.left, self.right, place)
        if here is not None and here.left > 0 >= here.right:
            return Seen(shown(here.left), shown(here.right), False)
        if here is None:
            return None
        ratios: list[Any] = []
        for far in self._far:
            one = compared(*far, place)
            if one is None or one.right == 0:
                return None
            ratios.append(one.left / one.right)
            if ratios[-1] <= (_GROWS * ratios[-2] if ratios[1:] else 0):
                return Seen(", ".join(map(shown, ratios)), "bounded", True)
        return Seen(", ".join(map(shown, ratios)), "bounded", False)

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """By the sizes of the terms of both sides."""
        of_size = getattr(theory, "is_bounded", None)
        if of_size is None:
            return Silent(Silence.NO_THEORY)
        answer: Answer = of_size(self.left, self.right, _upward(given))
        return answer

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """By the largest terms of the left side."""
        larger = getattr(theory, "larger", None)
        if larger is not None:
            yield from (self.with_sides(self.left, one) for one in larger(self.right, ()))
            return
        largest = getattr(theory, "largest_terms", None)
        found = None if largest is None else largest(self.left, self.sides, _upward(given))
        if found is not None:
            yield self.with_sides(self.left, found)

    def lengthened(self, outgrown: Any) -> Relation | None:
        """Along sequences with which the left side outgrows the right, as there are more steps."""
        found = outgrown(self.left, self.right, False)
        return None if found is None else Lengthened(*found)

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """The quotient far out, in decimals."""
        left, right = map(text, self.sides)
        far = ", ".join(f"({text(a)}) / ({text(b)})" for a, b in self._far)
        lines = [f"left, right = {left}, {right}", f"_far = [] if left > 0 >= right else [{far}]"]
        grows = f"_far[2] > {_GROWS} * _far[1] > {_GROWS**2} * _far[0] > 0"
        return lines, f"bool(_far) and not ({grows})"

    def turned(self) -> Iterator[tuple[str, Bounded]]:
        """Each side times a letter, or over it."""
        for a in (a for a in self.letters if a.kind in NUMBERS):
            yield f"left times {a}", self.with_sides(self.left * a, self.right)
            yield f"right over {a}", self.with_sides(self.left, self.right / a)
            if a.kind != "count":  # which is at least one, so that this is weaker
                yield f"left over {a}", self.with_sides(self.left / a, self.right)
                yield f"right times {a}", self.with_sides(self.left, self.right * a)


def _powered(letter: Letter, power: Term) -> Term:
    """A letter far out: a number below one goes to the end that is nearer."""
    far = letter**power
    return far / (far + (1 - letter) ** power) if letter.kind == "fraction" else far


@dataclass(frozen=True, repr=False)
class Lengthened(Relation):
    """Whether a quotient of sums grows without end (``endless``) or not, as there are more steps.

    ``count`` is their number, ``family`` has the letters of the statement with what they are.
    """

    count: Any = None
    family: tuple[tuple[str, str], ...] = ()
    endless: bool = False
    relation = "O"
    may_repeat = True
    letters = ()

    @property
    def told_at(self) -> str:  # type: ignore[override]
        """What a counterexample shows."""
        as_it_grows = "which is bounded" if self.endless else "which grows without end"
        return f"left over right for {self.count} = {', '.join(map(str, LENGTHS))}, {as_it_grows}"

    def at(self, place: Mapping[str, Any]) -> Seen | None:
        """The quotients."""
        found = [compared(self.left, self.right, {self.count.name: n}) for n in LENGTHS]
        if any(one is None or one.right <= 0 for one in found):
            return None
        quotients = [one.left / one.right for one in found if one is not None]
        said = "growing" if self.endless else "bounded"
        return Seen(", ".join(map(shown, quotients)), said, grows(quotients) is self.endless)

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """The quotients in decimals."""
        lines = [f"_far, {text(self.count)} = [], d(0)", f"for {text(self.count)} in map(d, {LENGTHS}):"]
        lines.append(f"    left, right = {text(self.left)}, {text(self.right)}")
        lines.append("    _far.append(left / right)")
        lines.append("_more = [b - a for a, b in zip(_far, _far[1:])]")
        grown = "(0 < _far[0] and 0 < _more[0] <= _more[1])"
        return lines, grown if self.endless else f"not {grown}"


def _upward(given: tuple[Relation, ...]) -> list[tuple[Term, Term]]:
    """What is given to be smaller than what."""
    return [one.upward[:2] for one in given if hasattr(one, "upward")]
