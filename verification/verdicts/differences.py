"""What changed between two verdict files: for regression in continuous integration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sgtheory.errors import UnusableInput, plain, shown
from sgtheory.notation.display import Shown
from sgtheory.reader import schemas

SCHEMA = "sgtheory.verdicts/1"
# From a verdict file: what is said of a claim, as opposed to how it was measured this time.
_SAID = ("verdict", "condition", "gap_order", "corrected", "counterexample", "discrete", "printed")
_FILE: dict[str, Any] = {"schema": str, "claims": list[dict[str, Any]]}
_CLAIM: dict[str, Any] = {"id": str, "verdict": str, "twins": dict[str, int]}


@dataclass(repr=False, frozen=True)
class Change(Shown):
    """One claim of which something else is said than before."""

    id: str
    what: str  # "added", "removed", or the key that changed
    old: Any = None
    new: Any = None

    @property
    def words(self) -> str:
        """One line."""
        if self.what in ("added", "removed"):
            return f"{plain(self.id, 200)}: {self.what} ({_short(self.new or self.old)})"
        return f"{plain(self.id, 200)}: {self.what} was {self.ends[0]}, is {self.ends[1]}"

    @property
    def ends(self) -> tuple[str, str]:
        """What was said, and what is, each in a few words."""
        return _short(self.old), _short(self.new)

    def to_json(self) -> dict[str, Any]:
        """The same as data."""
        return {"id": self.id, "what": self.what, "old": self.old, "new": self.new}


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """Claims by id: those that came, those that went, and what is said otherwise.

    >>> claim = {"id": "p.eq1", "verdict": "proved", "twins": {"tried": 4, "rejected": 4}}
    >>> one = {"schema": SCHEMA, "claims": [claim]}
    >>> two = {"schema": SCHEMA, "claims": [{**claim, "verdict": "refuted"}]}
    >>> [c.words for c in differences(one, two)]
    ['p.eq1: verdict was proved, is refuted']
    """
    before, after = _by_id(old), _by_id(new)
    changes = [Change(i, "removed", old=before[i]["verdict"]) for i in before if i not in after]
    changes += [Change(i, "added", new=after[i]["verdict"]) for i in after if i not in before]
    for i in (i for i in before if i in after):
        for key in _SAID:
            a, b = _comparable(before[i].get(key)), _comparable(after[i].get(key))
            if a != b:
                changes.append(Change(i, key, a, b))
        shares = [_survivors(v) for v in (before[i], after[i])]
        if shares[0] != shares[1]:
            changes.append(Change(i, "twins that survive", *shares))
    return tuple(changes)


def _by_id(document: Mapping[str, Any]) -> dict[str, Any]:
    what, remedy = f"a verdict file ({SCHEMA})", "write it with verify --json"
    schemas.check_fields(document, _FILE, what, remedy, _FILE)
    if document["schema"] != SCHEMA:
        raise UnusableInput(what, shown(document["schema"]), remedy)
    for claim in document["claims"]:
        schemas.check_fields(claim, _CLAIM, what, remedy, ("id", "verdict"))
    found = {claim["id"]: claim for claim in document["claims"]}
    if len(found) < len(document["claims"]):
        twice = Counter(claim["id"] for claim in document["claims"]).most_common(1)[0][0]
        raise UnusableInput(f"{what} with every claim once", f"{shown(twice)} again", remedy)
    return found


def _comparable(value: Any) -> Any:
    """A counterexample may be reworded in its script; its numbers are what counts."""
    if isinstance(value, Mapping):
        return {k: v for k, v in value.items() if k not in ("script", "reason")}
    return value


def _survivors(claim: Mapping[str, Any]) -> int:
    twins = claim.get("twins", {})
    return int(twins.get("tried", 0) - twins.get("rejected", 0))


def _short(value: Any) -> str:
    text = "absent" if value is None else plain(str(value))
    return text if len(text) < 60 else text[:57] + "..."
