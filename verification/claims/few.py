"""Claims that are looked at in few places, because at each of them several laws are solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from verification.claims.base import Claim
from verification.refuter.search import Failure, first_seen

_SEARCHED = 1_000


@dataclass(frozen=True)
class FewPlaces(Claim):
    """What such types have in common."""

    most_looks: ClassVar[int] = 200

    def failure(self, time: str, evaluations: int = _SEARCHED) -> Failure | None:
        """Among fewer places."""
        return super().failure(time, min(evaluations, self.most_looks))

    def is_caught(self, time: str) -> bool:
        """At a few places, random ones first; what is about nothing is caught as well."""
        given = self.conditions
        found = first_seen(self.look(time), self.space(), lambda p: all(c.holds(p) for c in given))
        first = next(found, None)
        if first is None or not first.holds or any(not sides.holds for sides in found):
            return True
        return super().is_caught(time)
