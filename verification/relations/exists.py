"""``Exists``: several relations hold at once somewhere. It is decided by its opposite, ``Never``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from verification.refuter.search import Sides
from verification.relations.base import Relation
from verification.relations.joined import All, WrittenOut
from verification.terms.term import Letter, Term
from verification.theories.answers import Answer, Proved, Silence, Silent


@dataclass(frozen=True, init=False, repr=False)
class Never(Relation):
    """Nowhere do several relations hold at once."""

    left: Any = field(init=False)  # as in its first relation
    right: Any = field(init=False)
    parts: All

    def __init__(self, *relations: Any, parts: Any = None) -> None:
        """Of relations."""
        object.__setattr__(self, "parts", parts or All(*relations))
        first = self.parts.relations[0]
        super().__init__(first.left, first.right)

    relation = "never"
    may_repeat = True
    complete = True
    told_at = "what holds there, and what is said to"

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
        return type(self)(self.parts.put(values))

    def with_terms(self, change: Callable[[Term], Term]) -> Self:
        """With every side changed."""
        return type(self)(self.parts.with_terms(change))

    def latex(self) -> str:
        """As it is typeset."""
        return rf"\nexists:\; {self.parts.latex()}"

    def text(self) -> str:
        """On one line."""
        return f"never {self.parts.text()}"

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
                    return Proved(f"{where}, {opposite}: {found.lemma}", found.derivation)
        return Silent(Silence.NO_CERTIFICATE)

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """Whether each of them holds."""
        lines, holds = [], []
        for k, one in enumerate(self.parts.relations):
            more, so = one.script(text, point)
            lines += [*more, f"_holds_{k} = bool({so})"]
            holds.append(f"_holds_{k}")
        return lines, f"not ({' and '.join(holds)})"


@dataclass(frozen=True, init=False)
class Exists(WrittenOut):
    """There are values of the letters at which several relations hold at once.

    >>> from verification.statements import claim, letters
    >>> x, y = letters("x y")
    >>> claim("k", at="p. 1", title="t", read=Exists(x + y < 2, x > 1)).find().verdict
    'proved'
    >>> claim("k", at="p. 1", title="t", read=Exists(x + y < 1, x > 1)).find().verdict
    'refuted'
    """

    parts: All

    def __init__(self, *relations: Any, parts: Any = None) -> None:
        """Of relations."""
        object.__setattr__(self, "parts", parts or All(*relations))

    @property
    def lines(self) -> tuple[Exists, ...]:
        """It is shown as it was stated."""
        return (self,)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Its opposite, of which a place where all hold is the counterexample."""
        return (Never(self.parts),)

    def latex(self) -> str:
        """As it is typeset."""
        return rf"\exists:\; {self.parts.latex()}"

    def text(self) -> str:
        """On one line."""
        return f"sometimes {self.parts.text()}"
