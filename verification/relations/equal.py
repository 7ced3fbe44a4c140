"""``Equal``: two terms are one, whatever their letters are, or up to what some letters do not move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sgtheory.notation.sentence import Sentence, opening, say
from verification.relations.base import SAME, Relation
from verification.terms.comparing import Compared, compared, second
from verification.terms.term import Letter, term
from verification.theories.answers import Answer, AtModes, Disproved, Silence, Silent
from verification.verdicts.both import Both
from verification.verdicts.verdict import Correction


@dataclass(frozen=True, repr=False)
class Equal(Relation):
    """``left = right``; with letters in ``constant_in``, equal up to what does not change with them.

    >>> from fractions import Fraction
    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> Equal((x + y) ** 2, x**2 + y**2).at({"x": Fraction(1), "y": Fraction(2)})
    Sides(left='9', right='5', holds=False, alike=False, told_at='', in_words='')
    >>> print(Equal(x + y, x, constant_in=(x,)))
    x + y =c= x
    """

    constant_in: tuple[Any, ...] = ()
    approached: Any = None  # the way on which the source says that both sides become equal
    repeats: bool = False  # whether the sides are what programs come to, which may be one expression
    scale: Any = None  # what the error is measured by on it, where the right side is zero
    between: Both | None = None  # what they are, where it is one of those that a form is written out as
    at_first: tuple[Any, ...] = ()  # of what a process does in a step: its rate, the states with a row

    def __post_init__(self) -> None:
        """Letters of SymPy become ours."""
        object.__setattr__(self, "constant_in", tuple(map(term, self.constant_in)))
        object.__setattr__(self, "scale", None if self.scale is None else term(self.scale))
        super().__post_init__()

    @property
    def may_repeat(self) -> bool:  # type: ignore[override]
        """Whether something is said where both sides are one expression."""
        return self.repeats

    @property
    def relation(self) -> str:  # type: ignore[override]
        """As it is written."""
        return "=c=" if self.constant_in else "="

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Those that move are looked at although they may be in no side."""
        return tuple(dict.fromkeys((*super().letters, *self.constant_in)))

    @property
    def told_at(self) -> Sentence:  # type: ignore[override]
        """Which values a counterexample shows."""
        sides = self.between or super().told_at
        changes = Both("the change of the left side", "the change of the right side")
        return changes if self.constant_in else sides

    def found(self, place: Mapping[str, Any]) -> Compared | None:
        """Both sides, or how both change as the letters move."""
        if not self.constant_in:
            return super().found(place)
        then = second(place, self.constant_in)
        return None if then is None else compared(self.left, self.right, then, since=place)

    def holds(self, found: Compared) -> bool:
        """What cannot be told apart to hundreds of digits is equal as far as numbers can say."""
        return found.sign in (0, None)

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """By the theory's normal form of the difference.

        What a process does in the time of a step is that of no algorithm but by chance.
        """
        answer: Answer = Silent(Silence.NO_FORMULA)
        theory = theory.under_all(given)
        if self.constant_in:
            answer = theory.is_constant(self.left, self.right, self.constant_in)
        elif not self.at_first:
            answer = theory.vanishes(self.left, self.right)
        if self.between and isinstance(answer, Disproved):
            answer = replace(answer, lemma=_differ(self.between, answer))
        return answer

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """The same terms with other factors, signs or transposes, as far as the theory knows any."""
        for left, right in theory.mended(self.left, self.right, self.constant_in):
            if left != right:
                yield replace(self, left=left, right=right, approached=None, scale=None)

    def formula(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """What both sides differ by, where a theory has no true equation between their terms."""
        found = None if self.constant_in else theory.difference(self.left, self.right)
        if not isinstance(found, AtModes):
            return found
        true = replace(self, left=found.left, right=found.right, approached=None, scale=None)
        return Correction((found.told,), "proved", "for every pair of modes", (true,))

    def gap(self, theory: Any, given: tuple[Any, ...] = ()) -> Any:
        """How fast it comes to be true on its way; or for the discrete algorithm, as for the process."""
        if self.at_first:
            return theory.beside_a_step(self.left, *self.at_first)
        if self.approached is not None:
            return theory.rate(self.left, self.right, self.approached, self.scale)
        return theory.gap(self.left, self.right, self.constant_in)

    def remarks(self, theory: Any, given: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        """Of a process beside a step: how its letters have to scale."""
        return tuple(theory.slowly(self.left, *self.at_first)) if self.at_first else ()

    def script(self, text: Any, point: Any) -> tuple[list[str], str]:
        """Both sides, or how both change from one place to the other."""
        if not self.constant_in:
            return super().script(text, point)
        sides = text(self.left), text(self.right)
        return [
            f"left_1, right_1 = {sides[0]}, {sides[1]}",
            *point.second(self.constant_in),
            f"left, right = _minus({sides[0]}, left_1), _minus({sides[1]}, right_1)",
            SAME,
        ], "same"


def _differ(sides: Both, answer: Disproved) -> Sentence:
    """That both sides are not one, and by what they differ where that is known."""
    if answer.derivation is None or "difference" not in answer.facts:
        return say("These differ: {}.", sides)
    rest = answer.derivation.steps[-1].equations[-1].right
    return say("{} less {} is {}.", opening(sides.left), sides.right, rest)
