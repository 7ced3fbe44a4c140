"""``OneBest``: one pair of values alone makes a quantity smallest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sgtheory.notation.derivation import Equation
from sgtheory.notation.sentence import Sentence, formula_of, say
from verification.refuter.search import Sides
from verification.relations.base import SAME, Relation
from verification.relations.nearby import in_words
from verification.terms.comparing import compared, second, shown
from verification.terms.term import Letter, Term, term
from verification.theories.answers import Answer, Disproved, Silence, Silent
from verification.verdicts.both import Both


@dataclass(frozen=True, repr=False)
class OneBest(Relation):
    """``{left*, right*} = arg min of``: there is one pair of both letters, and no other.

    A place has two values of the right letter, and each with the best value of the left one, as a theory
    knows it. There is more than one pair where the quantity is as small at both.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> print(OneBest(x, y, of=(x - y) ** 2))
    one pair (x, y) alone minimises (x - y)**2
    """

    of: Any = None

    relation = "best"
    opens = True
    complete = True

    def __post_init__(self) -> None:
        """Of a term."""
        super().__post_init__()
        object.__setattr__(self, "of", term(self.of))

    @property
    def sides(self) -> tuple[Term, ...]:  # type: ignore[override]
        """What is to be smallest, and the letter that a place has."""
        return self.of, self.right

    @property
    def letters(self) -> tuple[Letter, ...]:
        """All but the one that is chosen for each value of the other."""
        found = dict.fromkeys(a for side in self.sides for a in side.letters)
        return tuple(a for a in found if a != self.left)

    @property
    def chosen(self) -> tuple[Letter, ...]:  # type: ignore[override]
        """The left letter."""
        return (self.left,)

    @property
    def constant_in(self) -> tuple[Letter, ...]:  # type: ignore[override]
        """The right letter, which takes a second value."""
        return (self.right,)

    def with_terms(self, change: Callable[[Term], Term]) -> OneBest:
        """The quantity changed: the letters are what they are."""
        return replace(self, of=change(self.of))

    def latex(self) -> str:
        """The set of both."""
        both = self.left.latex(), self.right.latex()
        stars = ", ".join(f"{name}^{{*}}" for name in both)
        return rf"\{{{stars}\}} = \arg\min_{{{', '.join(both)}}} {self.of.latex()}"

    def text(self) -> str:
        """On one line."""
        return f"one pair ({self.left}, {self.right}) alone minimises {self.of}"

    def pairs(self, place: Mapping[str, Any]) -> tuple[Any, Any] | None:
        """The place with each value of the right letter and the best one of the left."""
        both: tuple[Any, Any] = (place, second(place, (self.right,)))
        if not all(hasattr(one, "at_best") for one in both):
            return None
        here, there = (one.at_best(self.of, self.left) for one in both)
        name = self.right.name
        return None if None in (here, there) or here[name] == there[name] else (here, there)

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """The quantity at both pairs."""
        pairs = self.pairs(place)
        found = None if pairs is None else compared(self.of, self.of, pairs[0], right_at=pairs[1])
        if found is None:
            return None
        return Sides(shown(found.left), shown(found.right), found.sign not in (0, None))

    def placed(self, place: Mapping[str, Any]) -> Mapping[str, Any]:
        """The first pair."""
        pairs = self.pairs(place)
        return place if pairs is None else pairs[0]

    def told(self, place: Mapping[str, Any]) -> Sentence:
        """Both pairs."""
        pairs = self.pairs(place)
        assert pairs is not None
        first, other = (say("${} = {}$", self.left, in_words(one[self.left.name])) for one in pairs)
        right = say("${} = {}$", self.right, in_words(pairs[0][self.right.name]))
        return Both(say("the quantity at {} and {}", right, first), say("the quantity at {}", other))

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """It is none where the least value is reached with any value of the right letter."""
        value = theory.least_at(self.of, self.left)
        if value is None:
            return Silent(Silence.NO_FORMULA)
        words = "For every {} the value {} makes {} as small as it can be. {} is not determined by it."
        true = Equation(formula_of(self.left), formula_of(value))
        lemma = say(words, self.right, true, self.of, self.right)
        return Disproved(lemma, facts={"value": str(value)})

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """Two laws, and the quantity under both."""
        pairs = self.pairs(point.place)
        assert pairs is not None
        here, there = (one.lines() for one in pairs)
        of = text(self.of)
        return [*here, f"_first = {of}", *there, f"left, right = _first, {of}", SAME], "not same"
