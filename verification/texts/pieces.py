"""What a part of a formula may stand for beside a term."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verification.terms.term import Term


@dataclass(frozen=True)
class Left:
    """What is left out, ``O(h^2)``: how it is measured, and by what."""

    relation: str
    by: Term


@dataclass(frozen=True)
class Chosen:
    """``argmin_h``: the letter, and what it makes smallest or largest."""

    letter: Term
    of: Term
    end: str


@dataclass(frozen=True)
class Limit:
    """``lim_{h -> 0}``: the letter, where it goes, and of what it is the limit."""

    letter: Any
    to: Term
    of: Term


@dataclass(frozen=True)
class Normal:
    """``N(0, V)``."""

    covariance: Term


@dataclass(frozen=True)
class With:
    """A sum of which a part is left out."""

    of: Term | None
    left: Left


TRANSPOSED = object()


def shown(found: Any) -> str:
    """As it may be called in a message."""
    if isinstance(found, Left):
        return f"{found.relation}({found.by})"
    if isinstance(found, With):
        return f"{found.of} + {shown(found.left)}"
    return {Chosen: "argmin", Normal: "a normal law", Limit: "a limit"}.get(
        type(found), "a sign by itself"
    )
