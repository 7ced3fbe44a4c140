"""``Bounded``: one term is at most a constant times another, and no letter moves the constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from sgtheory.notation.sentence import Sentence, listed, say, sentence
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.terms.comparing import compared, shown
from verification.terms.term import Letter, Term
from verification.terms.ways import LENGTHS, grows
from verification.theories.answers import Answer, Silence, Silent

NUMBERS = ("positive", "nonnegative", "real", "count", "fraction", "up to one", "unit", "within one")
FAR = (32, 64, 128)  # powers of what a place has for the letters
_FAR_TOLD = f"{', '.join(map(str, FAR[:-1]))} and {FAR[-1]}"
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
    def told_at(self) -> Sentence:  # type: ignore[override]
        """What a counterexample shows."""
        odds = ", of one below 1 of its odds" if any(a.kind == "fraction" for a in self.letters) else ""
        first = f"the left side over the right at powers {_FAR_TOLD} of the letters{odds}"
        return sentence(f"{first}, which would have to be bounded")

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
            values: dict[Any, Term] = {a: _powered(a, a.kind, power) for a in self.letters}
            found.append((self.left.put(values), self.right.put(values)))
        return tuple(found)

    def far_from(self, scalars: Mapping[str, Fraction]) -> Iterator[dict[str, Fraction]]:
        """The numbers of its letters at the powers at which it is looked at from a place."""
        for power in FAR:
            here = (a for a in self.letters if a.name in scalars)
            yield {a.name: _powered(scalars[a.name], a.kind, power) for a in here}

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """Both sides there; then their quotient farther and farther out."""
        here = compared(self.left, self.right, place)
        if here is not None and here.left > 0 >= here.right:
            return Sides(shown(here.left), shown(here.right), False, told_at=super().told_at)
        if here is None:
            return None
        ratios: list[Any] = []
        for far in self._far:
            one = compared(*far, place)
            if one is None or one.right == 0:
                return None
            ratios.append(one.left / one.right)
            if ratios[-1] <= (_GROWS * ratios[-2] if ratios[1:] else 0):
                return Sides(", ".join(map(shown, ratios)), "bounded", True)
        seen = list(map(shown, ratios))
        return Sides(", ".join(seen), "bounded", False, in_words=self._unbounded(seen, place))

    def _unbounded(self, ratios: list[str], place: Mapping[str, Any]) -> Sentence:
        """Such as: the left side is 4, 16 times the right one at x^2, x^4."""
        moved = [a for a in self.letters if place.get(a.name) not in (0, 1)]
        far = listed((_told_far(a) for a in moved), by=" and ")
        words = "with {}, $n$ being {}, the left side is {} times the right one: no constant is enough"
        return say(words, far, _FAR_TOLD, listed(ratios))

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """By the sizes of the terms of both sides."""
        of_size = getattr(theory, "is_bounded", None)
        if of_size is None:
            return Silent(Silence.NO_THEORY)
        answer: Answer = of_size(self.left, self.right, _upward(given))
        return answer

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """With what the right side lacks; else by the largest terms of the left."""
        yield from (self.with_sides(self.left, one) for one in theory.larger(self.right, ()))
        found = theory.enlarged(self.left, self.right, _upward(given))
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
            yield say("left times ${}$", a), self.with_sides(self.left * a, self.right)
            yield say("right over ${}$", a), self.with_sides(self.left, self.right / a)
            if a.kind != "count":  # which is at least one, so that this is weaker
                yield say("left over ${}$", a), self.with_sides(self.left / a, self.right)
                yield say("right times ${}$", a), self.with_sides(self.left, self.right * a)


def _powered(x: Any, kind: str, power: Any) -> Any:
    """A letter of some kind far out, or its value: a number below one goes to the end that is nearer."""
    far = x**power
    return far / (far + (1 - x) ** power) if kind == "fraction" else far


def _told_far(letter: Letter) -> Sentence:
    """What a letter is put for, so that it is far out."""
    return say("{} for {}", _powered(letter, letter.kind, Letter("n", "count")), letter)


@dataclass(frozen=True, repr=False)
class Lengthened(Relation):
    """Whether a quotient of sums grows without end (``endless``) or not, as there are more steps.

    Of one that grows without end the sides are the right and the left one of what was said.

    ``count`` is their number, ``family`` has the letters of the statement with what they are. Letters
    for means over a chain are worked out by ``run``.
    """

    count: Any = None
    family: tuple[tuple[str, str], ...] = ()
    run: Any = None
    endless: bool = False
    relation = "O"
    may_repeat = True
    letters = ()

    @property
    def lengths(self) -> tuple[int, ...]:
        """The numbers of steps that are looked at."""
        return LENGTHS if self.run is None else tuple(self.run.lengths)

    @property
    def told_at(self) -> Sentence:  # type: ignore[override]
        """What a counterexample shows."""
        which = "the right side over the left" if self.endless else "the left side over the right"
        first, *more = map(str, self.lengths)
        at = listed([say("${} = {}$", self.count, first), *more])
        return say("{} for {}, and what that would have to be", which, at)

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """The quotients; none is bounded where the right side alone is not positive."""
        found = []
        for n in self.lengths:
            known = {} if self.run is None else self.run.worth(n)
            one = compared(self.left, self.right, {self.count.name: n, **known})
            if one is None or (one.right <= 0 and (self.endless or one.left <= 0)):
                return None
            if one.right <= 0:
                return Sides(shown(one.left), shown(one.right), False)
            found.append(one.left / one.right)
        said, seen = "growing" if self.endless else "bounded", list(map(shown, found))
        return Sides(", ".join(seen), said, grows(found) is self.endless, in_words=self._told(seen))

    def _told(self, ratios: list[str]) -> Sentence:
        """Such as: for T = 2, 6, 18 the left side is 2, 6, 18 times the right one."""
        lengths, times = listed(map(str, self.lengths)), listed(ratios)
        sides = ("right", "left") if self.endless else ("left", "right")
        why = "it does not grow without end" if self.endless else "no constant is enough"
        words = "for {} = {} the {} side is {} times the {} one: {}"
        return say(words, self.count, lengths, sides[0], times, sides[1], why)

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """The quotients in decimals."""
        lines, names = ([], "") if self.run is None else self.run.script(text)
        lines = [*lines, "_far, _bad = [], False", f"for _n in {self.lengths}:"]
        if any(self.count in side.letters for side in self.sides):
            lines.append(f"    {text(self.count)} = d(_n)")
        lines += [f"    {names}, = map(d, moments(_n))"] if names else []
        lines.append(f"    left, right = {text(self.left)}, {text(self.right)}")
        unknown = "right <= 0" if self.endless else "right <= 0 and left <= 0"
        lines.append(f"    if {unknown}: raise ArithmeticError('no quotient')")
        lines.append("    _bad = _bad or right <= 0")
        lines.append("    _far.append(left / right if right else d(0))")
        lines.append("_more = [b - a for a, b in zip(_far, _far[1:])]")
        grown = "(0 < _far[0] and 0 < _more[0] <= _more[1])"
        return lines, grown if self.endless else f"not (_bad or {grown})"


def _upward(given: tuple[Relation, ...]) -> list[tuple[Term, Term]]:
    """What is given to be smaller than what."""
    return [one.upward[:2] for one in given if hasattr(one, "upward")]
