"""Convention cards: what has to agree before two codes can be compared, of libraries and of ours."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from sgtheory import registry
from sgtheory.notation.printing import plain
from verification.conventions import libraries, library_of, names
from verification.conventions.record import ASSUMPTIONS, Entry, Series
from verification.conventions.translate import Side, same, side, told, value_text

RECORD = Path(__file__).with_name("verified.json")


@cache
def record() -> dict[str, Any]:
    """What ``python -m verification.conventions.verify`` found when it ran the libraries."""
    found: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {"records": {}}
    return found


def verified(name: str, entry: Entry) -> str:
    """Whether the library was run, which version, and what came of it; never typed.

    A record counts for the declaration that it was made with, and for no other.
    """
    found = record()["records"].get(name)
    if found is None:
        return "unverified: the library has not been run"
    if found["digest"] != entry.digest:
        return "unverified: the entry has changed since the library was run"
    return f"{found['verdict']}: version {found['version']} was run, {found['words']}"


def card_of(one: Side) -> dict[str, Any]:
    """A card as it is printed, and as it stands in JSON."""
    if one.entry is None:
        return _ours(one)
    library = library_of(one.name)
    assert library is not None
    return {
        "name": one.name,
        "title": f"{library.package} {library.version} ({library.language})",
        "call": one.entry.call,
        "gradient": f"{one.entry.wants.words}: {one.entry.wants.formula}",
        "update": list(one.entry.update),
        "here": [_match(one.name, m) for m in one.entry.matches],
        "notes": list(one.entry.notes),
        "source": f"{library.repository}: {one.entry.source}",
        "verified": verified(one.name, one.entry),
    }


def _match(name: str, match: Any) -> str:
    found = same(name, match)
    sampler = registry.sampler(match.like)
    formulas = ", ".join(f"{n} = {value_text(sampler, n, e)}" for n, e in match.ours)
    if not found.exact:
        return f"not {match.like} with {formulas}: {told(found)}"
    needs = [f"{p} = {plain(v)}" for p, v in match.holds] + [ASSUMPTIONS[a] for a in match.assumes]
    where = f" where {' and '.join(needs)}" if needs else ""
    return f"{match.like}: {formulas}{where} (proved)"


def _ours(one: Side) -> dict[str, Any]:
    card, sampler = one.sampler.convention, one.sampler
    return {
        "name": one.name,
        "title": sampler.title,
        "gradient": f"the loss, as a {card.loss} over all N examples",
        "update": [f"{target} = {plain(expr)}" for target, expr in sampler.updates],
        "parameters": ", ".join(p.name for p in sampler.parameters),
        "letters": ", ".join(f"{a} = {b}" for a, b in sampler.aliases),
        "noise": card.noise,
        "N": card.N,
        "temperature": card.temperature,
        "order": card.order,
        "cites": ", ".join(sampler.cites),
    }


def cards() -> list[dict[str, Any]]:
    """The cards of all entries."""
    return [card_of(side(_short(name))) for name in names()]


def _short(name: str) -> str:
    """A member of a series that is quick to compare; the proof is that of this one."""
    library = library_of(name)
    assert library is not None
    found = next(e for e in library.entries if f"{library.name}.{e.name}" == name)
    return f"{name}:3" if isinstance(found, Series) else name


def elsewhere(ours: str) -> list[tuple[str, str, str]]:
    """What libraries call a sampler of ours where that is proved, what it is here, what a run showed."""
    found: list[tuple[str, str, str]] = []
    for library in libraries().values():
        for entry in library.entries:
            name = _short(f"{library.name}.{entry.name}")
            one = side(name)
            assert one.entry is not None
            found += [
                (name, _match(name, match), verified(name, one.entry))
                for match in one.entry.matches
                if match.like.partition(":")[0] == ours and same(name, match).exact
            ]
    return found
