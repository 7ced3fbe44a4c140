"""What happens on the way to a limit: ``Order``, how fast; ``Moves``, which way; ``Adds``, what sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

from sgtheory.errors import DeclarationError
from verification.relations.base import Relation
from verification.terms.comparing import briefly, compared, magnitude, ordered
from verification.terms.term import Letter, Term, number, term
from verification.terms.ways import Way, growing, vanishing
from verification.theories import limits
from verification.theories.answers import Answer, Seen

POINTS = (4, 16)  # of an order: 16^-4 and 16^-16; a logarithm grows fourfold between them
STEPS = (4, 8, 12)  # of a movement
FAR = (16, 256)  # of a sum
_ROOM = 2  # by which a ratio that has a limit may still move

_WORDS = {"Theta": r"\Theta", "O": "O"}


@dataclass(frozen=True, repr=False)
class Limiting(Relation):
    """A relation that is about all values of a letter near enough to its limit."""

    way: Any = None
    limiting = True

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The letters that a place has to have: not those that the way sets."""
        found = dict.fromkeys((*super().letters, *self.way.letters))
        return tuple(a for a in found if a not in self.way.set_here)

    def put(self, values: dict[Letter, Any]) -> Self:
        """With terms in the place of letters, on the way as well."""
        where = tuple((a, b.put(values)) for a, b in self.way.where)
        found = super().put(values)
        object.__setattr__(found, "way", replace(self.way, where=where))
        return found

    @property
    def points(self) -> tuple[int, ...]:
        """The points that are looked at."""
        raise NotImplementedError

    @property
    def told_at(self) -> str:  # type: ignore[override]
        """Which values a counterexample shows."""
        at = ", ".join(f"16^{-k * self.way.sign}" for k in self.points)
        return f"left and right side at {self.way.letter} = {at}"


@dataclass(frozen=True, init=False, repr=False)
class Order(Limiting):
    """How fast one term vanishes or grows beside another: ``Theta``, ``O``, or ``~`` (their ratio is 1).

    >>> from fractions import Fraction
    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> Order(a * x + x**2, "Theta", x, vanishing(x)).text()
    'a*x + x**2 = Theta(x) as x -> 0'
    >>> Order(a * x + x**2, "~", x, vanishing(x)).at({"a": Fraction(1)}).holds
    True
    """

    relation: str = "Theta"

    def __init__(self, left: Any, relation: str, right: Any, way: Way) -> None:
        """In the order in which it is read."""
        if relation not in ("Theta", "O", "~"):
            raise DeclarationError("one of Theta O ~", repr(relation), "name one of them")
        for name, value in (("left", left), ("right", right), ("relation", relation), ("way", way)):
            object.__setattr__(self, name, value)
        self.__post_init__()

    points = POINTS

    def latex(self) -> str:
        """As it is typeset."""
        left, right = self.left.latex(), self.right.latex()
        if self.relation == "~":
            return rf"{left} \sim {right} \quad ({self.way.latex()})"
        return rf"{left} = {_WORDS[self.relation]}\left({right}\right) \quad ({self.way.latex()})"

    def text(self) -> str:
        """On one line."""
        right = f"~ {self.right}" if self.relation == "~" else f"= {self.relation}({self.right})"
        return f"{self.left} {right} as {self.way.text()}"

    def at(self, place: Mapping[str, Any]) -> Seen | None:
        """Whether the ratio at two points stays, stays below, or vanishes."""
        sides, ratio = [], []
        terms = [self.way.along(t, place) for t in (*self.sides, self.left - self.right)]
        for k in self.points:
            there = self.way.at(place, k)
            if there is None:
                return None
            left, right = (magnitude(side, there) for side in terms[:2])
            one = magnitude(terms[2], there) if self.relation == "~" else left
            if one is None or left is None or right is None or right == 0:
                return None
            sides.append((briefly(left), briefly(right)))
            ratio.append(one / right)
        near, far = ratio
        if self.relation == "~":
            holds = far == 0 or 2 * far < near
        else:
            holds = far <= _ROOM * near and (self.relation == "O" or 0 < near <= _ROOM * far)
        shown_left, shown_right = (", ".join(side) for side in zip(*sides, strict=True))
        return Seen(shown_left, shown_right, bool(holds))

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """By the first terms of both sides."""
        return limits.has_order(theory, self.left, self.relation, self.right, self.way, given)

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """The first term of the left side, or its power."""
        found, power = limits.first_term(theory, self.left, self.way, given)
        if self.relation == "~" and found is not None:
            yield replace(self, right=found)
        if self.relation != "~" and power is not None:
            yield replace(self, right=power, relation="Theta")

    def gap(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """How fast a ratio comes to be one."""
        if self.relation != "~":
            return None
        return limits.relative_gap(theory, self.left, self.right, self.way, given)

    def script(self, text: Callable[[Any], str], point: Callable[[Way, int], list[str]]) -> Any:
        """The ratio at two points on the way."""
        over = self.left - self.right if self.relation == "~" else self.left
        lines = ["_way = []"]
        for k in self.points:
            ratio = f"_size({text(over)}) / _size({text(self.right)})"
            lines += [*point(self.way, k), f"_way.append({ratio})"]
        room = f"_way[1] <= {_ROOM} * _way[0]"
        if self.relation == "~":
            return lines, "2 * _way[1] < _way[0] or _way[1] == 0"
        back = f" and 0 < _way[0] <= {_ROOM} * _way[1]" if self.relation == "Theta" else ""
        return lines, f"{room}{back}"

    def turned(self) -> Iterator[tuple[str, Self]]:
        """Other powers, another sign, the other end."""
        x = self.way.letter
        for name, factor in (
            ("one power more", x),
            ("one power less", 1 / x),
            ("half a power more", x ** term("1/2")),
            ("half a power less", 1 / x ** term("1/2")),
            ("three powers more", x**3),
        ):
            yield name, replace(self, right=self.right * factor)
        if self.relation == "O":
            yield "Theta for O", replace(self, relation="Theta")
        if self.relation == "~":
            yield "a tenth more", replace(self, right=number("1.1") * self.right)


@dataclass(frozen=True, init=False, repr=False)
class OfOne(Limiting):
    """What one term does; the other side is the letter on its way, and ``relation`` one of two words."""

    relation: str = ""
    words = ("", "")
    may_repeat = True  # a letter itself grows

    def __init__(self, left: Any, relation: str, way: Way, right: Any = None) -> None:
        """In the order in which it is read; the right side is the letter."""
        if relation not in self.words:
            raise DeclarationError(" or ".join(self.words), repr(relation), "name one of them")
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
        first, second = self.words
        return replace(self, relation=second if self.relation == first else first)


@dataclass(frozen=True, init=False, repr=False)
class Moves(OfOne):
    """A number grows, or shrinks, strictly for all values of a letter that are near enough to its limit.

    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> Moves(1 / (a + x), "grows", vanishing(x)).text()
    '1/(a + x) eventually grows as x -> 0'
    """

    words = ("grows", "shrinks")
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

    def at(self, place: Mapping[str, Any]) -> Seen | None:
        """Exact values, or balls that do not meet, at three points."""
        there = [self.way.at(place, k) for k in self.points]
        if any(one is None for one in there):
            return None
        left = self.way.along(self.left, place)
        found = [ordered(left, a, b) for a, b in pairwise(there)]
        last = found[-1]
        if None in found or last is None:
            return None
        words = {1: "larger", 0: "equal", -1: "smaller"}
        holds = all(one == self._sign for one in found)
        return Seen(f"then {words[last]}", f"always {words[self._sign]}", holds)

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
    >>> t, a = letters("t a")
    >>> Adds(a / t**2, "to a finite sum", growing(t)).text()
    'a/t**2 adds up to a finite sum over t'
    >>> Adds(a / t, "to a finite sum", growing(t)).at({"a": 1}).holds
    False
    """

    words = ("to a finite sum", "without end")
    points = FAR

    def __post_init__(self) -> None:
        """Over whole numbers that grow."""
        super().__post_init__()
        if self.way.to != "oo":
            raise DeclarationError("a letter that grows", self.way.text(), "state the terms by it")

    @property
    def is_finite(self) -> bool:
        """Whether it is said to be."""
        return self.relation == self.words[0]

    def latex(self) -> str:
        """As it is typeset."""
        end = r"< \infty" if self.is_finite else r"= \infty"
        return rf"\sum_{{{self.way.letter.latex()} = 1}}^{{\infty}} {self.left.latex()} {end}"

    def text(self) -> str:
        """On one line."""
        return f"{self.left} adds up {self.relation} over {self.way.letter}"

    @property
    def told_at(self) -> str:  # type: ignore[override]
        """Which values a counterexample shows."""
        near, far = self.points
        return f"k t times the term at t = 16^k, for k = {near} and k = {far}, t being {self.way.letter}"

    def _condensed(self, k: int) -> Term:
        return number(k) * (self.way.letter * self.left)

    def at(self, place: Mapping[str, Any]) -> Seen | None:
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
        return Seen(briefly(near), briefly(far), holds)

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """By comparison with the first term."""
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


__all__ = ["Adds", "Moves", "Order", "growing", "vanishing"]
