"""How fast one term vanishes or grows beside another on the way to a limit: ``Order``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from sgtheory.errors import DeclarationError
from sgtheory.notation.sentence import Sentence, listed, say
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.relations.bounded import Lengthened
from verification.relations.equal import Equal
from verification.relations.joined import All
from verification.terms.comparing import briefly, magnitude
from verification.terms.term import Applied, Letter, number, term
from verification.terms.ways import Way, growing, vanishing
from verification.theories import limits
from verification.theories.answers import Answer, Silent
from verification.verdicts.both import Both
from verification.verdicts.verdict import Correction, lines_under

POINTS = (4, 16)  # of an order: 16^-4 and 16^-16; a logarithm grows fourfold between them
_FARTHER = (POINTS[-1], 4 * POINTS[-1])
_ROOM = 2  # by which a ratio that has a limit may still move
_ROUNDED = "d(10) ** -(_c.prec // 2)"  # a ratio below it is zero but for rounding, and has no size

_WORDS = {"Theta": r"\Theta", "O": "O", "o": "o", "Omega": r"\Omega", "~": r"\sim"}


@dataclass(frozen=True, repr=False)
class Limiting(Relation):
    """A relation that is about all values of a letter near enough to its limit."""

    way: Any = None
    limiting = True
    opens = True

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
    def told_at(self) -> Sentence:  # type: ignore[override]
        """Which values a counterexample shows."""
        first, *more = (f"16^{-k * self.way.sign}" for k in self.points)
        at = listed([say("${} = {}$", self.way.letter, first), *(f"${x}$" for x in more)])
        return Both(after=say(" at {}", at))


@dataclass(frozen=True, init=False, repr=False)
class Order(Limiting):
    """How fast one term vanishes or grows beside another, as the letter goes its way.

    ``Theta``: as fast. ``O``: at most so large; ``Omega``: at least. ``o``: the ratio vanishes. ``~``:
    it tends to one.

    >>> from fractions import Fraction
    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> Order(a * x + x**2, "Theta", x, vanishing(x)).text()
    'a*x + x**2 = Theta(x) as x -> 0'
    >>> Order(a * x + x**2, "~", x, vanishing(x)).at({"a": Fraction(1)}).holds
    True
    """

    relation: str = "Theta"
    points: tuple[int, ...] = POINTS
    is_expansion: bool = False  # whether the left side is what is expanded less a formula, and shown so

    def __init__(
        self,
        left: Any,
        relation: str,
        right: Any,
        way: Way,
        points: tuple[int, ...] = POINTS,
        is_expansion: bool = False,
    ) -> None:
        """In the order in which it is read."""
        if relation not in _WORDS:
            raise DeclarationError(f"one of {' '.join(_WORDS)}", repr(relation), "name one of them")
        own = {"left": left, "right": right, "relation": relation, "way": way}
        for name, value in (own | {"points": points, "is_expansion": is_expansion}).items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    @property
    def halves(self) -> tuple[Any, Any] | None:
        """What is expanded, and the formula; None where there are none, or a corruption has no two."""
        both = isinstance(self.left, Applied) and self.left.head == "-" and self.relation in ("O", "o")
        return (self.left.of[0], self.left.of[1]) if self.is_expansion and both else None

    def latex(self) -> str:
        """As it is typeset."""
        if self.halves is not None:
            whole, formula = (side.latex() for side in self.halves)
            rest = rf"{self.relation}\left({self.right.latex()}\right) \quad ({self.way.latex()})"
            return f"{whole} = {formula} + {rest}"
        left, right = self.left.latex(), self.right.latex()
        if self.relation == "~":
            return rf"{left} \sim {right} \quad ({self.way.latex()})"
        return rf"{left} = {_WORDS[self.relation]}\left({right}\right) \quad ({self.way.latex()})"

    def text(self) -> str:
        """On one line."""
        if self.halves is not None:
            whole, formula = self.halves
            return f"{whole} = {formula} + {self.relation}({self.right}) as {self.way.text()}"
        right = f"~ {self.right}" if self.relation == "~" else f"= {self.relation}({self.right})"
        return f"{self.left} {right} as {self.way.text()}"

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """Whether the ratio at two points stays, stays below, or vanishes."""
        sides, least, most = [], [], []
        terms = [self.way.along(t, place) for t in (*self.sides, self.left - self.right)]
        for k in getattr(place, "points", self.points):
            there = self.way.at(place, k)
            if there is None:
                return None
            left, right = (magnitude(side, there) for side in terms[:2])
            one = magnitude(terms[2], there) if self.relation == "~" else left
            if one is None or left is None or right is None or right == 0:
                return None
            low, high = one if isinstance(one, tuple) else (one, one)  # what lies between two bounds
            ends = left if isinstance(left, tuple) else (left,)
            sides.append((" to ".join(map(briefly, ends)), briefly(right)))
            least.append(low / right)
            most.append(high / right)
        holds = self._holds(*most, *least)
        if holds is not self._holds(*least, *most):
            return None
        if not holds and self.points == POINTS and not hasattr(place, "points"):
            farther = replace(self, points=_FARTHER).at(place)  # the first point may not be near enough
            if farther is not None and farther.holds:
                return farther
        shown_left, shown_right = (", ".join(side) for side in zip(*sides, strict=True))
        return Sides(shown_left, shown_right, holds)

    def _holds(self, near: Any, far: Any, near_least: Any, far_least: Any) -> bool:
        """By the ratio at two points; its growth is judged by one bound, its vanishing by the other."""
        if self.relation in ("~", "o"):
            return bool(far == 0 or 2 * far < near)
        stays = self.relation == "Omega" or far <= _ROOM * near
        return bool(stays and (self.relation == "O" or 0 < near_least <= _ROOM * far_least))

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """By the first terms of both sides."""
        own = getattr(theory, "tends_to_one", None)
        if own is not None and self.relation == "~":
            answer: Answer = own(self.left, self.right, self.way)
            return answer
        known = (theory, self.left, self.relation, self.right, self.way, given)
        found: Answer = _lemmas(theory).has_order(*known)
        if isinstance(found, Silent) and isinstance(found.only_if, tuple):
            found = replace(found, only_if=All(*(_far_out(*one) for one in found.only_if)))
        return found

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """The first term of the left side, or its power; what it equals, where that is known."""
        if self.is_expansion:
            yield from self._expanded_instead(theory, given)
            return
        if hasattr(theory, "tends_to_one"):
            yield from (Equal(*pair) for pair in theory.mended(*self.sides))
            return
        found, power = _lemmas(theory).first_term(theory, self.left, self.way, given)
        if self.relation in ("~", "o"):
            yield from (replace(self, right=one, relation="~") for one in found if one != self.left)
        less = getattr(_lemmas(theory), "without_left_over", None)
        if less is not None and self.relation == "O":
            yield from (replace(self, left=one) for one in [less(theory, *self.sides, self.way)] if one)
        if self.relation != "~" and power not in (None, self.left):  # that would say nothing
            yield replace(self, right=power, relation="Theta")
            if self.relation == "O":
                yield replace(self, right=power)

    def _expanded_instead(self, theory: Any, given: tuple[Any, ...]) -> Iterator[Relation]:
        """The formula that a theory knows, with the power that is left out."""
        known, halves = getattr(_lemmas(theory), "expansions", None), self.halves
        for formula in known(theory, halves[0]) if known and halves else ():
            true = self.with_sides(halves[0] - formula, self.right)  # type: ignore[index]
            _, power = _lemmas(theory).first_term(theory, true.left, self.way, given)
            yield from () if power is None else (replace(true, right=power),)

    def lengthened(self, outgrown: Any) -> Relation | None:
        """That the right side outgrows the left, as there are more steps."""
        found = outgrown(self.right, self.left, True) if self.relation == "o" else None
        return None if found is None else replace(Lengthened(*found), endless=True)

    def formula(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """The power of the left side under a condition, where a theory knows one."""
        under = getattr(_lemmas(theory), "first_term_under", None)
        for condition, power in under(theory, self.left, self.way, given) if under else ():
            if power == self.right:
                continue  # the statement itself needs that condition
            true = replace(self, right=power, relation="Theta")
            words = say("where {}", condition.words)
            return Correction(lines_under(true, condition), "proved", words, (true,), (condition,))
        return None

    def gap(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """How fast a ratio comes to be one."""
        if self.relation != "~" or hasattr(theory, "tends_to_one"):
            return None
        known = getattr(_lemmas(theory), "relative_gap", None)
        return None if known is None else known(theory, self.left, self.right, self.way, given)

    def script(self, text: Callable[[Any], str], point: Callable[[Way, int], list[str]]) -> Any:
        """The ratio at two points on the way."""
        over = self.left - self.right if self.relation == "~" else self.left
        place = getattr(point, "place", None)
        own = ["_way", "_most"] if hasattr(place, "law") and hasattr(place, "points") else ["_way"]
        lines = [f"{name} = []" for name in own]  # two bounds, or the value
        for k in getattr(place, "points", self.points):
            lines += point(self.way, k)
            for end, name in enumerate(own):
                ratio = f"_size({text(over)}) / _size({text(self.right)})"
                lines += [*([f"_end = {end}"] if own[1:] else []), f"{name}.append({ratio})"]
        if self.relation in ("~", "o"):
            return lines, f"2 * _way[1] < _way[0] or _way[1] <= {_ROUNDED}"

        def holds(most: str, least: str) -> str:
            grows, stays = (
                f"{most}[1] <= max({_ROOM} * {most}[0], {_ROUNDED})",
                f"{_ROUNDED} < {least}[0] <= {_ROOM} * {least}[1]",
            )
            return {"O": grows, "Omega": stays, "Theta": f"{grows} and {stays}"}[self.relation]

        if len(own) > 1:
            unsure = f"({holds('_way', '_most')}) != ({holds('_most', '_way')})"
            lines.append(f"if {unsure}: raise ArithmeticError('between the bounds')")
        return lines, holds("_way", own[-1])

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
        if self.relation in ("O", "Omega", "o"):
            yield say("$Theta$ for ${}$", self.relation), replace(self, relation="Theta")
        if self.relation == "~":
            yield "half as much more", replace(self, right=number("1.5") * self.right)


def expanded(left: Any, formula: Any, remainder: Any, way: Way, order: str = "O") -> Order:
    """``left = formula + O(remainder)`` on a way, or ``o(remainder)``.

    >>> from verification.terms.term import letters
    >>> (x,) = letters("x")
    >>> print(expanded(1 / (1 - x), 1 + x, x**2, vanishing(x)))
    1/(1 - x) = 1 + x + O(x**2) as x -> 0
    """
    return Order(term(left) - term(formula), order, remainder, way, is_expansion=True)


def _far_out(word: str, of: Any, step: Letter) -> Relation:
    """What a theory says of a sequence far out: that it vanishes, or adds up without end."""
    from verification.relations.trends import Adds

    way = growing(step)
    return Order(of, "o", 1, way) if word == "o" else Adds(of, word, way)


def _lemmas(theory: Any) -> Any:
    """Those on first terms that a theory has itself, or those on its formulas."""
    return getattr(theory, "orders", limits)


__all__ = ["Limiting", "Order", "expanded", "growing", "vanishing"]
