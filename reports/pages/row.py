"""A claim as tables show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """What tables of claims say of one of them."""

    id: str
    paper: str
    at: str
    title: str
    of: str
    word: str
    read: str | None  # the verdict for the discrete algorithm
    tried: int
    rejected: int
    source: str = ""

    @classmethod
    def of_verdict(cls, verdict: Any) -> Row:
        """From the whole verdict."""
        claim, twins = verdict.claim, verdict.twins
        read = verdict.discrete.verdict if verdict.discrete else None
        named = (claim.id, claim.paper, claim.at, claim.title, claim.of)
        return cls(*named, verdict.word, read, twins.tried, twins.rejected, claim.source)
