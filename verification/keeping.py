"""Verdicts of an unfinished run, kept so that the next run with the same settings goes on from there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulators import store
from verification.judge import judge, plans
from verification.measure import Plan
from verification.provenance import fingerprint, versions
from verification.several import each


@dataclass(frozen=True)
class Kept:
    """The file of one verdict, named by everything that it depends on."""

    path: Path

    @classmethod
    def of(cls, claim: Any, plan: Plan) -> Kept:
        """Where the verdict on a claim under a plan is kept."""
        facts = (claim, plan.budget, plan.device, plan.seed, plan.false_alarm, versions())
        return cls(store.folder() / "verdicts" / f"{fingerprint(*facts)}.json")

    def read(self) -> dict[str, Any] | None:
        """The verdict, if it is there and whole."""
        content = store.kept(self.path)
        return None if content is None else json.loads(content)

    def write(self, document: dict[str, Any]) -> None:
        """Keep it; where nothing can be written, nothing is kept."""
        store.keep(self.path, json.dumps(document).encode())


def documents(claims: Sequence[Any], *, jobs: int = 1, **settings: Any) -> Iterator[dict[str, Any]]:
    """The verdict on each claim as it goes into a file; those of an interrupted run are not made again.

    When all are there, what was kept is removed: a new run makes everything anew.
    """
    planned = list(plans(claims, **settings))
    yield from each(document_of, planned, jobs)
    for claim, plan in planned:
        Kept.of(claim, plan).path.unlink(missing_ok=True)


def document_of(claim: Any, plan: Plan) -> dict[str, Any]:
    """The verdict on one claim, if it is not kept already."""
    kept = Kept.of(claim, plan)
    document = kept.read()
    if document is None:
        document = judge(claim, plan).to_json()
        kept.write(document)
    return document
