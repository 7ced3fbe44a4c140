"""``Exists``: several relations hold at once somewhere. It is decided by its opposite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from sgtheory.notation.sentence import say
from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.relations.joined import All
from verification.terms.term import Letter, Term
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.verdicts.both import Both


@dataclass(frozen=True, init=False, repr=False)
class Exists(Relation):
    """There are values of the letters at which several relations hold at once; or nowhere are there any.

    >>> from verification.statements import Not, claim, letters
    >>> x, y = letters("x y")
    >>> somewhere = Exists(x + y < 2, x > 1)
    >>> claim("k", at="p. 1", title="t", read=somewhere).find().verdict
    'proved'
    >>> claim("k", at="p. 1", title="t", read=Not(somewhere)).find().verdict
    'refuted'
    """

    left: Any = field(init=False)  # as in its first relation
    right: Any = field(init=False)
    parts: All
    nowhere: bool

    def __init__(self, *relations: Any, parts: Any = None, nowhere: bool = False) -> None:
        """Of relations."""
        object.__setattr__(self, "parts", parts or All(*relations))
        object.__setattr__(self, "nowhere", nowhere)
        first = self.parts.relations[0]
        super().__init__(first.left, first.right)

    relation = "never"
    may_repeat = True
    complete = True
    told_at = Both("what holds there", "what is said to")

    @property
    def relations(self) -> tuple[Relation, ...]:
        """That it is nowhere so, of which a place where all hold is the counterexample."""
        return (self if self.nowhere else self.negated,)

    @property
    def lines(self) -> tuple[Exists, ...]:
        """It is shown as it was stated."""
        return (self,)

    @property
    def negated(self) -> Exists:
        """Nowhere, or somewhere."""
        return type(self)(parts=self.parts, nowhere=not self.nowhere)

    @property
    def sides(self) -> tuple[Term, ...]:  # type: ignore[override]
        """Of all."""
        return tuple(side for one in self.parts.relations for side in one.sides)

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Of all."""
        return self.parts.letters

    @property
    def settling(self) -> bool:  # type: ignore[override]
        """Whether any is about where a sampler settles."""
        return any(one.settling for one in self.parts.relations)

    def put(self, values: dict[Letter, Any]) -> Self:
        """With terms in the place of letters."""
        return type(self)(parts=self.parts.put(values), nowhere=self.nowhere)

    def with_terms(self, change: Callable[[Term], Term]) -> Self:
        """With every side changed."""
        return type(self)(parts=self.parts.with_terms(change), nowhere=self.nowhere)

    def latex(self) -> str:
        """As it is typeset."""
        return (r"\nexists:\; " if self.nowhere else r"\exists:\; ") + self.parts.latex()

    def text(self) -> str:
        """On one line."""
        return f"{'never' if self.nowhere else 'sometimes'} {self.parts.text()}"

    def at(self, place: Mapping[str, Any]) -> Sides | None:
        """Whether any of them fails there."""
        seen = self.parts.at(place)
        return None if seen is None else Sides(seen.left, seen.right, not seen.holds, seen.alike)

    def prove(self, theory: Any, given: tuple[Any, ...] = ()) -> Answer:
        """One of them fails everywhere, or wherever the others hold; no other way is tried."""
        relations = self.parts.relations
        for k, one in enumerate(relations):
            opposite = getattr(one, "negated", None)
            rest = (*relations[:k], *relations[k + 1 :])
            for others in ((), rest) if opposite is not None else ():
                assert opposite is not None
                found = opposite.prove(theory, (*given, *others))
                if isinstance(found, Proved):
                    where = "Where the others hold" if others else "Everywhere"
                    return Proved(say("{}, {}: {}", where, opposite, found.lemma), found.derivation)
        return Silent(Silence.NO_CERTIFICATE)

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """Whether each of them holds."""
        lines, holds = [], []
        for k, one in enumerate(self.parts.relations):
            more, so = one.script(text, point)
            lines += [*more, f"_holds_{k} = bool({so})"]
            holds.append(f"_holds_{k}")
        return lines, f"not ({' and '.join(holds)})"


def is_somewhere(statement: Any) -> bool:
    """Whether it says that something is so somewhere."""
    return isinstance(statement, Exists) and not statement.nowhere
