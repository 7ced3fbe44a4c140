"""Verdicts of an unfinished run, kept so that the next run with the same settings goes on from there."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from simulators import store
from verification.judge import judge, plans
from verification.measure import Plan
from verification.provenance import fingerprint, versions
from verification.several import each
from verification.verdict import Verdict

T = TypeVar("T")

_TREES = 4  # versions of the sources of which whole verdicts, or pages, are kept


@dataclass(frozen=True)
class Kept:
    """The file of one verdict, named by everything that it depends on."""

    path: Path

    @classmethod
    def of(cls, claim: Any, plan: Plan) -> Kept:
        """Where the verdict on a claim under a plan is kept."""
        return cls(store.folder() / "verdicts" / f"{_name(claim, plan)}.json")

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


def verdicts_kept(claims: Sequence[Any], *, jobs: int = 1, **settings: Any) -> Iterator[Verdict]:
    """The whole verdict on each claim, for pages: what the same sources said before is not made again.

    Claims from a plain file are made anew: their classes are not found by another process.
    """
    planned = list(plans(claims, **settings))
    yield from resumed(verdict_of, lambda c, p: not c.source and _whole(c, p).is_file(), planned, jobs)


def resumed(
    work: Callable[[Any, Plan], T],
    is_kept: Callable[[Any, Plan], bool],
    planned: Sequence[tuple[Any, Plan]],
    jobs: int = 1,
) -> Iterator[T]:
    """What a function keeps of each claim: read where it is kept, else made, by several processes."""
    missing = [pair for pair in planned if not is_kept(*pair)]
    made, waiting = each(work, missing, jobs), {id(pair) for pair in missing}
    for pair in planned:
        yield next(made) if id(pair) in waiting else work(*pair)
    _forget_others()


def verdict_of(claim: Any, plan: Plan) -> Verdict:
    """The whole verdict on one claim, if it is not kept already."""
    path = _whole(claim, plan)
    content = None if claim.source else store.kept(path)
    if content is not None:
        found: Verdict = pickle.loads(content)
        return found
    verdict = judge(claim, plan)
    if not claim.source:
        store.keep(path, pickle.dumps(verdict))
    return verdict


def _whole(claim: Any, plan: Plan) -> Path:
    return store.folder() / "judged" / versions()["sources"] / f"{_name(claim, plan)}.pickle"


def _name(claim: Any, plan: Plan) -> str:
    return fingerprint(claim, plan.budget, plan.device, plan.seed, plan.false_alarm, versions())


def _forget_others() -> None:
    """Verdicts of sources that have changed long ago are of no use."""
    trees = (store.folder() / "judged").glob("*")
    for old in sorted(trees, key=lambda tree: tree.stat().st_mtime, reverse=True)[_TREES:]:
        shutil.rmtree(old, ignore_errors=True)
