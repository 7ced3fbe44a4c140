"""Verdicts of an unfinished run, kept so that the next run with the same settings goes on from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sgtheory.errors import Ended
from sgtheory.files import keeper
from verification.judging.judge import broken, found, judge, lost, plans, unjudged
from verification.judging.parallel import each
from verification.measuring.ensembles import Plan
from verification.verdicts.provenance import fingerprint, subject, versions
from verification.verdicts.verdict import Verdict

T = TypeVar("T")


@dataclass(frozen=True)
class Kept:
    """The place of one verdict, named by everything that it depends on."""

    name: str

    @classmethod
    def of(cls, claim: Any, plan: Plan) -> Kept:
        """Where the verdict on a claim under a plan is kept."""
        return cls(kept_name(claim, plan))

    def read(self) -> dict[str, Any] | None:
        """The verdict, if it is there and whole."""
        content = keeper.kept("verdicts", self.name)
        return None if content is None else json.loads(content)

    def write(self, document: dict[str, Any]) -> None:
        """Keep it; where nothing can be written, nothing is kept."""
        keeper.keep("verdicts", self.name, json.dumps(document).encode())


def documents(
    claims: Sequence[Any], *, jobs: int | None = None, **settings: Any
) -> Iterator[dict[str, Any]]:
    """The verdict on each claim as it goes into a file; those of an earlier run that broke off stay."""
    yield from each(document_of, list(plans(claims, **settings)), jobs, _lost_document)


def forget(claims: Sequence[Any], **settings: Any) -> None:
    """Called when all has been written that was to be written: a new run makes everything anew."""
    for claim, plan in plans(claims, **settings):
        with suppress(Exception):  # a record that cannot say what it is was not kept
            keeper.forget("verdicts", kept_name(claim, plan))


def document_of(claim: Any, plan: Plan) -> dict[str, Any]:
    """The verdict on one claim, if it is not kept already; that it could not be judged is not kept."""
    try:
        kept = Kept.of(claim, plan)
        document = kept.read()
    except Exception:  # a record that cannot say what it is: judging it says why
        return written(judge(claim, plan), plan)
    if document is None:
        verdict = judge(claim, plan)
        document = written(verdict, plan)
        if "broken" not in document:
            kept.write(document)
            if not claim.source:  # pages and the audit are made of the whole verdict
                with suppress(Exception):
                    keeper.keep_record("judged", kept.name, verdict)
    return document


def written(verdict: Verdict, plan: Plan) -> dict[str, Any]:
    """A verdict as it goes into a file, even where its claim cannot write itself."""
    try:
        document = verdict.to_json()
        json.dumps(document)
        return document
    except Ended:
        raise
    except (Exception, SystemExit) as error:
        return unjudged(verdict.claim, plan, broken(error)).to_json()


def _lost_document(claim: Any, plan: Plan) -> dict[str, Any]:
    return written(lost(claim, plan), plan)


def verdicts_kept(
    claims: Sequence[Any], *, jobs: int | None = None, **settings: Any
) -> Iterator[Verdict]:
    """The whole verdict on each claim, for pages: what the same sources said before is not made again.

    Claims from a plain file are made anew: their classes are not found by another process.
    """
    planned = list(plans(claims, **settings))
    yield from resumed(verdict_of, _is_kept, planned, jobs, lost)


def resumed(
    work: Callable[[Any, Plan], T],
    is_kept: Callable[[Any, Plan], bool],
    planned: Sequence[tuple[Any, Plan]],
    jobs: int | None = None,
    lost: Callable[[Any, Plan], T] | None = None,
) -> Iterator[T]:
    """What a function keeps of each claim: read where it is kept, else made, by several processes."""
    missing = [pair for pair in planned if not is_kept(*pair)]
    made, waiting = each(work, missing, jobs, lost), {id(pair) for pair in missing}
    for pair in planned:
        yield next(made) if id(pair) in waiting else work(*pair)


def verdict_of(claim: Any, plan: Plan) -> Verdict:
    """The whole verdict on one claim, if it is not kept already."""
    if claim.source:
        return judge(claim, plan)
    verdict = keeper.made("judged", kept_name(claim, plan), lambda: judge(claim, plan))
    if verdict.broken is not None:  # another run may come to a verdict
        keeper.forget("judged", kept_name(claim, plan))
    return verdict


def found_of(claim: Any, plan: Plan) -> Verdict:
    """What is found of one claim: that of the whole verdict where it is kept."""
    return verdict_of(claim, plan) if _is_kept(claim, plan) else found(claim, plan)


def _is_kept(claim: Any, plan: Plan) -> bool:
    return not claim.source and keeper.holds("judged", kept_name(claim, plan))


def kept_name(claim: Any, plan: Plan) -> str:
    """The name of what is kept of a claim under a plan: all that it is made from."""
    how = (plan.budget, plan.device, plan.seed, plan.false_alarm)
    return fingerprint(subject(claim), _own_file(claim.source), *how, versions())


def _own_file(source: str) -> str:
    """A hash of the plain file that a claim is from, whose functions a claim does not tell."""
    return hashlib.sha256(Path(source).read_bytes()).hexdigest() if source else ""


def since_last(
    claims: Sequence[Any], found: Sequence[dict[str, Any]]
) -> tuple[tuple[str, str, str], ...] | None:
    """Claims with what was said of each last time (empty where it is new) and now, where that differs.

    None where none of their papers and files was judged before. This run is the last one from now on.
    """
    now: dict[str, dict[str, str]] = {}
    for claim, verdict in zip(claims, found, strict=True):
        place = str(Path(claim.source).resolve()) if claim.source else claim.paper
        now.setdefault(fingerprint(place), {})[verdict["id"]] = verdict["verdict"]
    before = {name: json.loads(keeper.kept("last", name) or "{}") for name in now}
    for name, words in now.items():  # of claims that were not judged now, what was said stays
        keeper.keep("last", name, json.dumps({**before[name], **words}).encode())
    if not any(before.values()):
        return None
    return tuple(
        (id_, before[name].get(id_, ""), word)
        for name, words in now.items()
        for id_, word in words.items()
        if before[name] and before[name].get(id_) != word
    )
