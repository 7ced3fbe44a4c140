"""Equations of a stationary law as they were stated before there was one language of statements."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sgtheory.errors import UnusableInput
from verification.relations.joined import at_once
from verification.statements import Equal, claim
from verification.statements.entry import Claim
from verification.terms.printed import Printed
from verification.verdicts.verdict import Finding


@dataclass(frozen=True)
class Unsaid(Claim):
    """An entry whose sides are no formulas: when it is judged it says so, and the others are judged."""

    error: Any = field(default=None, compare=False)

    def find(self, time: str | None = None) -> Finding:
        """Nothing can be found."""
        raise self.error


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
) -> Claim:
    """A claim that a law satisfies equations; new files write ``claim(..., printed=Equal(a, b))``."""
    try:
        equations = [Equal(one.left, one.right) for one in printed]
    except (UnusableInput, ValueError, TypeError) as error:
        common = {"at": at, "title": title, "says": says, "of": of, "time": time, "paper": paper}
        return Unsaid(key, error=error, **common)
    how: Any = {stands: at_once(equations)}
    new = claim(key, at=at, title=title, says=says, of=of, given=given, time=time, **how)
    return replace(new, paper=paper)
