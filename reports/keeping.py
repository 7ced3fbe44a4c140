"""Pages of claims and samplers, kept between runs under everything that they are made from."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from reports.document import Page
from reports.pages.claim import claim_page
from reports.pages.errata import Entry, entry
from reports.pages.paper import about
from reports.pages.row import Row
from simulators import store
from verification.judge import plans
from verification.keeping import resumed, verdict_of
from verification.measure import Plan
from verification.provenance import fingerprint, versions

T = TypeVar("T")


@dataclass(frozen=True)
class Made:
    """A verdict as a row, as a page, as an entry of the errata, and as it goes into a file."""

    row: Row
    page: Page
    entry: Entry
    document: dict[str, Any]


def all_made(claims: Sequence[Any], jobs: int = 1, **settings: Any) -> Iterator[Made]:
    """Verdicts and pages of claims, in their order; what is kept is not made again."""
    yield from resumed(made, _is_claim_kept, list(plans(claims, **settings)), jobs)


def made(claim: Any, plan: Plan) -> Made:
    """One of them; claims of a plain file are never kept."""
    return _make(claim, plan) if claim.source else kept(_name(claim, plan), lambda: _make(claim, plan))


def _make(claim: Any, plan: Plan) -> Made:
    verdict = verdict_of(claim, plan)
    page = claim_page(verdict, about(claim.paper, claim.source))
    return Made(Row.of_verdict(verdict), page, entry(verdict), verdict.to_json())


def _is_claim_kept(claim: Any, plan: Plan) -> bool:
    return not claim.source and is_kept(_name(claim, plan))


def _name(claim: Any, plan: Plan) -> str:
    return repr((claim, plan))


def is_kept(name: str) -> bool:
    """Whether something is there already."""
    return _path(name).is_file()


def kept(name: str, make: Callable[[], T]) -> T:
    """What depends on nothing but its name and the sources."""
    path = _path(name)
    content = store.kept(path)
    if content is not None:
        found: T = pickle.loads(content)
        return found
    one = make()
    store.keep(path, pickle.dumps(one))
    return one


def _path(name: str) -> Path:
    tree = fingerprint(versions(), _sources())
    return store.folder() / "judged" / f"{tree}-pages" / f"{fingerprint(name)}.pickle"


@cache
def _sources() -> str:
    """A hash of what pages are made with."""
    root, found = Path(__file__).parent, hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".css", ".js")):
        found.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]
