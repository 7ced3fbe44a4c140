"""What one term does on the way to a limit: ``Moves``, which way; ``Adds``, up to what sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

from sgtheory.errors import DeclarationError
from sgtheory.notation.sentence import Sentence, listed, say
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.relations.limits import Limiting
from verification.terms.comparing import briefly, compared, magnitude, ordered, shown
from verification.terms.term import Term, number, term
from verification.terms.ways import Way
from verification.theories import limits
from verification.theories.answers import Answer
from verification.verdicts.both import Both

STEPS = (4, 8, 12)  # of a movement
FAR = (16, 256)  # of a sum


@dataclass(frozen=True, init=False, repr=False)
class OfOne(Limiting):
    """What one term does; the other side is the letter on its way, and ``relation`` one of two words."""

    relation: str = ""
    opposites = ("", "")
    may_repeat = True  # a letter itself grows

    def __init__(self, left: Any, relation: str, way: Way, right: Any = None) -> None:
        """In the order in which it is read; the right side is the letter."""
        if relation not in self.opposites:
            raise DeclarationError(" or ".join(self.opposites), repr(relation), "name one of them")
        for name, value in (("left", left), ("right", way.letter), ("relation", relation), ("way", way)):
            object.__setattr__(self, name, value)
        self.__post_init__()

    def with_sides(self, left: Term, right: Term) -> Self:
        """The same of another term."""
        if right != self.right:
            raise DeclarationError("the letter that moves", str(right), "state it as the way")
        return replace(self, left=left)

    @property
    def other(self) -> Self:
        """With the other of the two words."""
        first, second = self.opposites
        return replace(self, relation=second if self.relation == first else first)


@dataclass(frozen=True, init=False, repr=False)
class Moves(OfOne):
    """A number grows, or shrinks, strictly for all values of a letter that are near enough to its limit.

    >>> from verification.terms.term import letters
    >>> from verification.terms.ways import vanishing
    >>> x, a = letters("x a")
    >>> Moves(1 / (a + x), "grows", vanishing(x)).text()
    '1/(a + x) eventually grows as x -> 0'
    """

    opposites = ("grows", "shrinks")
    points = STEPS

    @property
    def _sign(self) -> int:
        return 1 if self.relation == "grows" else -1

    def latex(self) -> str:
        """As it is typeset."""
        return rf"{self.left.latex()} \text{{ eventually {self.relation} as }} {self.way.latex()}"

    def text(self) -> str:
        """On one line."""
        return f"{self.left} eventually {self.relation} as {self.way.text()}"

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """Exact values, or balls that do not meet, at three points."""
        there = [self.way.at(place, k) for k in self.points]
        if any(one is None for one in there):
            return None
        left = self.way.along(self.left, place)
        found = [ordered(left, a, b) for a, b in pairwise(there)]
        last = found[-1]
        if None in found or last is None:
            return None
        holds = all(one == self._sign for one in found)
        values = [compared(left, number(0), point) for point in there if point is not None]
        told = ", ".join("?" if one is None else shown(one.left) for one in values)
        moving = {1: "growing", -1: "falling"}[self._sign]
        words = say("at {} it is ${}$, which is not {}", self._at_points, told, moving)
        return Sides(told, moving, holds, in_words=words)

    @property
    def _at_points(self) -> str:
        return listed(say("${} = 16^{}$", self.way.letter, -k * self.way.sign) for k in self.points)

    @property
    def told_at(self) -> Sentence:  # type: ignore[override]
        """Which values a counterexample shows."""
        return Both(say("its values at {}", self._at_points), "how they have to move")

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """By the sign of the first term of its derivative."""
        return limits.moves(theory, self.left, self._sign, self.way, given)

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """The other way."""
        yield self.other

    def formula(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """What the number is on the way, as a formula."""
        return limits.value(theory, self.left, self.way, given)

    def script(self, text: Callable[[Any], str], point: Callable[[Way, int], list[str]]) -> Any:
        """The number at three points."""
        lines = ["_way = []"]
        for k in self.points:
            lines += [*point(self.way, k), f"_way.append({text(self.left)})"]
        sign = ">" if self._sign == 1 else "<"
        return lines, f"_way[2] {sign} _way[1] {sign} _way[0]"

    def turned(self) -> Iterator[tuple[str, Self]]:
        """The other way round, upside down, with what is set changed."""
        yield "turned", self.other
        yield "inverted", replace(self, left=1 / self.left)
        for name, factor in (("over", 1 / self.way.letter), ("over the square of", self.way.letter**-2)):
            where = tuple((a, b * factor) for a, b in self.way.where)
            if where:
                yield (
                    f"where: {name} {self.way.letter}",
                    replace(self, way=replace(self.way, where=where)),
                )


@dataclass(frozen=True, init=False, repr=False)
class Adds(OfOne):
    """The terms at 1, 2, 3 and so on have a finite sum, or one that grows beyond all bounds.

    At a place Cauchy's condensation is looked at, twice: a sum of terms a(t) that fall in the end is
    finite where that of 16^k a(16^k) is, and that where k 16^k a(16^k) falls like a power of k.

    >>> from verification.terms.term import letters
    >>> from verification.terms.ways import growing
    >>> t, a = letters("t a")
    >>> Adds(a / t**2, "to a finite sum", growing(t)).text()
    'a/t**2 adds up to a finite sum over t'
    >>> Adds(a / t, "to a finite sum", growing(t)).at({"a": 1}).holds
    False
    """

    opposites = ("to a finite sum", "without end")
    points = FAR

    def __post_init__(self) -> None:
        """Over whole numbers that grow."""
        super().__post_init__()
        if self.way.to != "oo":
            raise DeclarationError("a letter that grows", self.way.text(), "state the terms by it")

    @property
    def is_finite(self) -> bool:
        """Whether it is said to be."""
        return self.relation == self.opposites[0]

    def latex(self) -> str:
        """As it is typeset."""
        end = r"< \infty" if self.is_finite else r"= \infty"
        return rf"\sum_{{{self.way.letter.latex()} = 1}}^{{\infty}} {self.left.latex()} {end}"

    def text(self) -> str:
        """On one line."""
        return f"{self.left} adds up {self.relation} over {self.way.letter}"

    @property
    def told_at(self) -> Sentence:  # type: ignore[override]
        """Which values a counterexample shows."""
        near, far = self.points
        letter = self.way.letter
        words = (
            "what Cauchy condenses the sum to, $k {}$ times the term at ${} = 16^k$, for $k = {}, {}$"
        )
        return say(words, letter, letter, near, far)

    def _condensed(self, k: int) -> Term:
        return number(k) * (self.way.letter * self.left)

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """Whether what is condensed falls, and of an infinite sum whether its terms are positive."""
        found, sign = [], None
        for k in self.points:
            there = self.way.at(place, k)
            if there is None:
                return None
            term_there = self.way.along(self._condensed(k), place)
            size, against = magnitude(term_there, there), compared(term_there, number(0), there)
            if size is None or against is None:
                return None
            found.append(size)
            sign = against.sign
        near, far = found
        falls = bool(far == 0 or 2 * far < near)
        holds = falls if self.is_finite else not falls and sign == 1
        words = "Cauchy's condensation, ${0}$ times the term at ${1} = 16^k$, is ${2}$ at $k = {4}$ and"
        words += " ${3}$ at $k = {5}$: the sum is {6}finite"
        letter, sizes = self.way.letter, (briefly(near), briefly(far))
        told = say(words, f"k*{letter}", letter, *sizes, *self.points, "" if falls else "not ")
        return Sides(*sizes, holds, in_words=told)

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """By comparison with the first term; of a power in letters it is known where it is enough."""
        return limits.adds_up(theory, self.left, self.is_finite, self.way, given)

    def script(self, text: Callable[[Any], str], point: Callable[[Way, int], list[str]]) -> Any:
        """What is condensed at two points."""
        lines = ["_way = []"]
        for k in self.points:
            lines += [*point(self.way, k), f"_way.append({text(self._condensed(k))})"]
        falls = "(_way[1] == 0 or 2 * _size(_way[1]) < _size(_way[0]))"
        return lines, falls if self.is_finite else f"not {falls} and _way[1] > 0"

    def turned(self) -> Iterator[tuple[str, Self]]:
        """The other sum; other powers of the terms."""
        yield "finite for infinite, or the reverse", self.other
        for name, power in (("squared", "2"), ("cubed", "3"), ("under a root", "1/2")):
            yield f"terms {name}", replace(self, left=self.left ** term(power))
