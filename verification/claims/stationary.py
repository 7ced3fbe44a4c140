"""Equations of a stationary law as they were stated before there was one language of statements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verification.claims.base import Printed
from verification.statements import All, Equal, Stated, claim


def StationaryLaw(
    key: str,
    at: str,
    title: str,
    says: str = "",
    of: Any = "",
    printed: tuple[Printed, ...] = (),
    given: tuple[Any, ...] = (),
    time: str = "continuous",
    stands: str = "printed",
    paper: str = "",
) -> Stated:
    """A claim that a law satisfies equations; new files write ``claim(..., printed=Equal(a, b))``."""
    equations = [Equal(one.left, one.right) for one in printed]
    how: Any = {stands: equations[0] if len(equations) == 1 else All(*equations)}
    new = claim(key, at=at, title=title, says=says, of=of, given=given, time=time, **how)
    return replace(new, paper=paper)
