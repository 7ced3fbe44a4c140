"""``Stable``: where a sampler settles. ``Not`` turns a relation round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from sgtheory.errors import DeclarationError
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.relations.joined import at_once
from verification.relations.stating import statement
from verification.terms.term import Letter, Term, term
from verification.theories.answers import Answer, Silence, Silent
from verification.verdicts.both import Both

EIGENVALUE = Letter("lambda")


@dataclass(frozen=True, init=False, repr=False)
class Stable(Relation):
    """The means of a sampler tend to the optimum from every start: then alone its law exists.

    It is said of one eigenvector of A, whose eigenvalue is the letter ``lambda``, and so of each.
    Parameters may be set: ``Stable((eps, r * mu))``. ``Iff(Stable(), eps * lambda < 2)``: exactly where.

    >>> from verification.terms.term import letters
    >>> mu, nu = letters("mu nu")
    >>> print(Stable((mu, 2 * nu)), "|", Not(Stable()))
    it settles at mu = 2*nu | it does not settle
    """

    left: Any = field(init=False)  # the eigenvalue
    right: Any = field(init=False)
    where: tuple[tuple[Letter, Term], ...]
    settles: bool

    def __init__(self, *pairs: tuple[Any, Any], where: Any = (), settles: bool = True) -> None:
        """With what parameters are."""
        pairs = tuple((term(a), term(value)) for a, value in (*pairs, *where))
        if not all(isinstance(a, Letter) for a, _ in pairs):
            raise DeclarationError(
                "parameters with what they are", self._told(pairs), "name the letters"
            )
        object.__setattr__(self, "where", pairs)
        object.__setattr__(self, "settles", settles)
        super().__init__(EIGENVALUE, EIGENVALUE)

    relation = "settles"
    may_repeat = True
    settling = True
    told_at = Both("what it does", "as stated")

    @property
    def sides(self) -> tuple[Term, ...]:  # type: ignore[override]
        """The eigenvalue, and what parameters are."""
        return (EIGENVALUE, *(value for _, value in self.where))

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Of all of these; the sampler's own stand beside them."""
        return tuple(dict.fromkeys(a for side in self.sides for a in side.letters))

    @property
    def negated(self) -> Stable:
        """That it does not, or does."""
        return type(self)(*self.where, settles=not self.settles)

    def setting(self, *where: tuple[Any, Any]) -> Self:
        """The same with other parameters set."""
        return type(self)(*where, settles=self.settles)

    def put(self, values: dict[Letter, Any]) -> Self:
        """With parameters set, also those that were free."""
        own = [a for a, _ in self.where]
        added = ((a, value) for a, value in values.items() if a not in own)
        changed = ((a, value.put(values)) for a, value in self.where)
        return self.setting(*changed, *added)

    def with_terms(self, change: Callable[[Term], Term]) -> Self:
        """With what parameters are changed."""
        return self.setting(*((a, change(value)) for a, value in self.where))

    def with_sides(self, left: Term, right: Term) -> Self:
        """It has none but the eigenvalue."""
        raise DeclarationError("the eigenvalue of a mode", f"{left}, {right}", "set parameters instead")

    def text(self) -> str:
        """On one line."""
        return ("it settles" if self.settles else "it does not settle") + self._told(self.where)

    def latex(self) -> str:
        """As it is typeset."""
        set_here = r",\ ".join(f"{a.latex()} = {value.latex()}" for a, value in self.where)
        words = "it settles" if self.settles else "it does not settle"
        return rf"\text{{{words}}}" + (rf" \text{{ at }} {set_here}" if set_here else "")

    @staticmethod
    def _told(where: tuple[tuple[Any, Any], ...]) -> str:
        return (" at " if where else "") + ", ".join(f"{a} = {value}" for a, value in where)

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """Whether it does there, in exact numbers."""
        found = place.settles(self.where) if hasattr(place, "settles") else None
        if found is None:
            return None
        told = {True: "it settles", False: "it does not settle"}
        words = f"{told[found]}, and is said {'' if self.settles else 'not '}to settle"
        return Sides(told[found], told[self.settles], found is self.settles, in_words=words)

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """By a criterion in the letters."""
        known = getattr(theory, "settles", None)
        answer: Answer = Silent(Silence.NO_THEORY)
        if known is not None:
            answer = known(self.where, self.settles, given)
        if isinstance(answer, Silent) and answer.only_if:
            answer = replace(answer, only_if=at_once(answer.only_if))
        return answer

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """By the eigenvalues of one step."""
        lines = [*point.place.steps_in_a_script(self.where), "left = right = _radius"]
        return lines, "_settles" if self.settles else "not _settles"

    def turned(self) -> Iterator[tuple[str, Self]]:
        """That it does the opposite."""
        yield "the opposite", self.negated  # type: ignore[misc]


def Not(relation: Any) -> Any:
    """What is so where a relation is not.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> print(Not(x < y))
    x >= y
    """
    found = getattr(statement(relation), "negated", None)
    if found is None:
        raise DeclarationError("a relation of which the opposite is one", str(relation), "state that")
    return found
