"""A claim as tables show it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reports.document import VerdictWord, place_of
from verification.consequence.kinds import Consequence
from verification.library import Part, paper_keys, parts
from verification.statements.definition import NotMathematical
from verification.statements.entry import counted_first
from verification.verdicts.verdict import WORDS
from verification.verdicts.wording import DEGREE, PART, UNDECIDED, scope_of

# what verdicts are counted under, in this order
COUNTED = tuple(VerdictWord(word, scope) for word in WORDS for scope in ("", PART))


WAYS = {
    "printed": "printed: the formula stands there",
    "read": "read: a sentence or a picture, as we read it",
    "derived": "derived: our own consequence, not printed",
    "common": "common: what is commonly said, in our words; the wording of the work is not held to it",
    DEGREE: f"{DEGREE}: no number is said that it could be held to",
    "not-mathematical": "not-mathematical: what no computation decides",
}


@dataclass(frozen=True)
class Row:
    """What tables of claims say of one of them."""

    id: str
    paper: str
    at: str
    title: str
    of: str
    word: str  # empty while the verdict is being made
    read: str | None  # the verdict for the discrete algorithm
    tried: int
    rejected: int
    source: str = ""
    stands: str = "printed"
    scope: str = ""
    place: str = ""  # where it stands on another's page, if it has none of its own
    prominence: int = 2  # of a numbered result 0, of a numbered equation 1
    consequence: Consequence | None = None  # what follows where it does not hold as it stands
    read_scope: str = ""  # of the verdict for the discrete algorithm

    @property
    def href(self) -> str:
        """Where links to it lead."""
        return self.place or self.id

    @property
    def is_faulty(self) -> bool:
        """Whether it needs a correction or a condition."""
        return self.word in ("refuted", "proved-if", "limit-only")

    @property
    def way(self) -> str:
        """Among what it is counted: what is not decided stands apart from all else."""
        return self.word if self.word in UNDECIDED else self.stands

    @property
    def said(self) -> VerdictWord:
        """The word with its scope."""
        return VerdictWord(self.word, self.scope)

    @property
    def counted(self) -> VerdictWord:
        """Under what it is counted: apart, where it is of less than is said."""
        return VerdictWord(self.word, PART if self.scope else "")

    @property
    def running(self) -> VerdictWord | None:
        """The word for the discrete algorithm, where there is one of its own, with its scope."""
        return VerdictWord(self.read, self.read_scope) if self.read else None

    @property
    def running_counted(self) -> VerdictWord | None:
        """The same, as it is counted."""
        return VerdictWord(self.read, PART if self.read_scope else "") if self.read else None

    @classmethod
    def of_verdict(cls, verdict: Any) -> Row:
        """From the whole verdict."""
        twins = verdict.twins
        read = verdict.discrete.verdict if verdict.discrete else None
        of = (verdict.claim, verdict.word, read, twins.tried, twins.rejected, verdict.scope)
        own = {
            "consequence": verdict.consequence,
            "read_scope": scope_of(verdict.claim, verdict.discrete),
        }
        return replace(cls.of_claim(*of), **own)

    @classmethod
    def of_claim(
        cls,
        claim: Any,
        word: str = "",
        read: str | None = None,
        tried: int = 0,
        rejected: int = 0,
        scope: str = "",
    ) -> Row:
        """From a claim alone, before it is judged."""
        named = (place_of(claim.id), place_of(claim.paper), claim.at, claim.title, named_of(claim.of))
        more = (claim.source, claim.stands, scope, _place(claim), claim.prominence)
        return cls(*named, word, read, tried, rejected, *more)


def first_counted(rows: Sequence[Row]) -> list[Row]:
    """What is counted first: printed statements, without what is a matter of degree."""
    first = counted_first(row.way for row in rows)
    return [row for row in rows if row.way == first]


def beside(rows: Sequence[Row]) -> str:
    """How many stand apart from what is counted first, and how.

    >>> printed = Row("p.a", "p", "", "", "", "proved", None, 0, 0)
    >>> beside([printed, replace(printed, stands="read"), replace(printed, word=DEGREE)])
    '1 read, 1 a matter of degree'
    """
    first = counted_first(row.way for row in rows)
    apart = Counter(row.way for row in rows)
    return ", ".join(f"{apart[w]} {w}" for w in WAYS if w != first and apart[w])


def _place(claim: Any) -> str:
    """What no computation decides fills no page: it stands on its section's."""
    if not isinstance(claim, NotMathematical):
        return ""
    return f"{section_slug(place_of(claim.paper), section_of(claim))}#{place_of(claim.id)}"


def section_of(claim: Any) -> Part | None:
    """The section of a paper that a claim is in; none of one of a file."""
    if claim.source or claim.paper not in paper_keys():
        return None
    return next((part for part in parts(claim.paper) if claim.id in part.ids), None)


def section_slug(paper: str, part: Part | None) -> str:
    """The page of a section; of what is in none, the paper's."""
    return f"section-{paper}.{part.name}" if part else f"paper-{paper}"


def named_of(of: Any) -> str:
    """The name under which a sampler has a page; empty of one that has no title to put over it."""
    named = isinstance(of, str) or bool(getattr(of, "title", None))
    return str(of) if named else ""


def sampler_slug(name: str) -> str:
    """The page of a sampler; one of a file is called after it.

    >>> sampler_slug("sgd"), sampler_slug("mine.py:HEAVY_BALL")
    ('sampler-sgd', 'sampler-mine.py-HEAVY_BALL')
    """
    return "sampler-" + re.sub(r"[^A-Za-z0-9_.]+", "-", name)
