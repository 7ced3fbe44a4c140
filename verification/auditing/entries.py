"""A judged entry as checks look at it: its claim, what was found, and the questions behind that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from verification.statements import deciding
from verification.statements.entry import given_words
from verification.statements.ownletters import in_letters
from verification.statements.surviving import corrected
from verification.verdicts.verdict import Correction, Finding, Verdict


@dataclass(frozen=True)
class Reading:
    """What was found of an entry in one time."""

    judged: Judged
    time: str
    finding: Finding

    @property
    def words(self) -> str:
        """Which reading it is, where an entry has two."""
        return " of the algorithm as it runs" if self.time != self.judged.claim.time else ""

    def question(self, **changed: Any) -> Any:
        """What is asked of the statement there, with some parts of the claim changed."""
        return deciding.asked(replace(self.judged.lettered, **changed), self.time)

    def decided(self, correction: Correction) -> Finding | None:
        """What the one order finds of a correction, as a statement; None where it is not stated."""
        stated = self.judged.lettered
        true = corrected(stated, correction) if self.judged.is_stated else None
        if true is None:
            return None
        needed = _functions(true.statement)
        given = tuple(g for g in true.given if g in correction.under or _functions(g) <= needed)
        found: Finding = replace(true, given=given).find(self.time)
        return found


def _functions(one: Any) -> set[str]:
    """The functions that a statement or a hypothesis is about."""
    relations = getattr(one, "relations", (one,))
    letters = (a for r in relations for a in getattr(r, "letters", ()))
    return {a.name for a in letters if "function" in getattr(a, "kind", "")}


@dataclass(frozen=True)
class Judged:
    """One entry with its verdict."""

    verdict: Verdict

    @property
    def claim(self) -> Any:
        """The entry."""
        return self.verdict.claim

    @property
    def id(self) -> str:
        """Such as ``mandt2017.eq13``."""
        return str(self.claim.id)

    @cached_property
    def lettered(self) -> Any:
        """The entry in letters that exact routes can follow: what was judged."""
        return in_letters(self.claim).claim

    @property
    def is_stated(self) -> bool:
        """Whether it is said in the language of statements, so that questions can be asked again."""
        return getattr(self.claim, "statement", None) is not None

    @property
    def readings(self) -> Iterator[Reading]:
        """What was found in its own time, and of the algorithm as it runs."""
        yield Reading(self, self.claim.time, self.verdict.finding)
        if self.verdict.discrete is not None:
            yield Reading(self, "discrete", self.verdict.discrete)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """What is given, as a reader sees it."""
        return tuple(given_words(self.claim))

    @property
    def words(self) -> str:
        """Its title and its sentence."""
        return f"{self.claim.title}. {self.claim.says}"
