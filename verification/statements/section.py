"""Entries by where they stand, and what the entries of a section have in common.

>>> from verification.statements import Equal, at, letters
>>> a, b = letters("a b")
>>> at("sec2.half", "section 2, after Eq. 3").claim("Half of it", read=Equal((a + b) / 2, b)).id
'.sec2.half'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partialmethod
from typing import Any

from verification.statements.claim import claim
from verification.statements.definition import Definition, NotMathematical
from verification.statements.degree import MatterOfDegree
from verification.terms.kinds import Kind
from verification.terms.printed import Printed
from verification.terms.term import number, term


@dataclass(frozen=True)
class Section:
    """What entries share: how their places begin, a sampler, hypotheses, and kinds of letters.

    ``kinds`` are those of letters of definitions, ``letters`` those of a sampler's letters in claims.

    >>> proof = Section(at="appendix B, proof of Lemma 4")
    >>> proof("appB.known", "first line").attribution("A known bound", "It is ascribed to others.").at
    'appendix B, proof of Lemma 4, first line'
    """

    at: str = ""
    of: Any = ""
    given: tuple[Any, ...] = ()
    kinds: Mapping[Any, Kind] | None = None
    letters: tuple[tuple[str, str], ...] = ()
    scope: str = ""  # of claims whose statement covers a part of what is said

    def within(self, scope: str) -> Section:
        """The same, of claims that cover a part of what is said.

        >>> at.within("one dimension")("k", "Eq. 1").section.scope
        'one dimension'
        """
        return replace(self, scope=scope)

    @property
    def at_steps(self) -> Section:
        """The same, of the algorithm as it runs: no assumption takes a step to zero."""
        return replace(self, given=tuple(h for h in self.given if not getattr(h, "small", "")))

    def __call__(self, key: str, place: str = "") -> Entry:
        """An entry of this key, at this place of the source, or of the section."""
        return Entry(self, key, ", ".join(filter(None, (self.at, place))))


@dataclass(frozen=True)
class Entry:
    """An entry that has a place, and says nothing yet: what it says comes with its title."""

    section: Section
    key: str
    place: str

    def claim(
        self, title: str, says: str = "", *, of: Any = None, given: Any = (), **stated: Any
    ) -> Any:
        """A claim, as ``claim`` takes it; ``given`` is added to what the section gives."""
        of = self.section.of if of is None else of
        more = {"given": (*self.section.given, *given), "scope": self.section.scope, **stated}
        more["kinds"] = (*self.section.letters, *more.get("kinds", ()))
        return claim(self.key, at=self.place, title=title, says=says, of=of, **more)

    def definition(
        self,
        title: str,
        says: str,
        *printed: Printed,
        kinds: Mapping[Any, Kind] | None = None,
        **more: Any,
    ) -> Definition:
        """Formulas that fix what their left sides mean, in letters of these kinds, or the section's."""
        letters = {s for p in printed for side in (p.left, p.right) for s in side.free_symbols}
        known = {s: kind for s, kind in (self.section.kinds or {}).items() if s in letters}
        declared = tuple((known | dict(kinds or {})).items())
        return Definition(self.key, self.place, title, says, printed=printed, declared=declared, **more)

    def degree(
        self, title: str, says: str, shown: Mapping[str, Any], numbers: Mapping[Any, str] | None = None
    ) -> MatterOfDegree:
        """A sentence without a number, and by name what it is about, in printed ``numbers``."""
        values = {a: number(text) for a, text in (numbers or {}).items()}
        terms = tuple((name, term(side).put(values)) for name, side in shown.items())
        return MatterOfDegree(self.key, self.place, title, says, shown=terms)

    def again(
        self, other: Any, title: str = "", says: str = "", stands: str = "read", scope: str = ""
    ) -> Any:
        """What another entry states, said here too."""
        told = {"title": title or other.title, "says": says or other.says, "stands": stands}
        told["scope"] = scope or other.scope
        return replace(other, key=self.key, at=self.place, **told)

    def undecided(self, because: str, title: str, says: str) -> NotMathematical:
        """What no computation decides; ``because`` is one of the reasons that definitions know."""
        return NotMathematical(self.key, self.place, title, says, because=because)

    attribution = partialmethod(undecided, "attribution")
    theorem = partialmethod(undecided, "theorem")
    opinion = partialmethod(undecided, "opinion")
    picture = partialmethod(undecided, "picture")
    timing = partialmethod(undecided, "timing")
    setting = partialmethod(undecided, "setting")
    assumption = partialmethod(undecided, "assumption")
    reference = partialmethod(undecided, "reference")


at = Section()
