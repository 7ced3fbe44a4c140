"""A run of the audit: entries are judged, or read where they were, and every check looks at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sgtheory.errors import Ended
from sgtheory.files import keeper
from verification.auditing.checking import Check, Defect, all_checks
from verification.auditing.entries import Judged
from verification.judging.judge import lost, plans
from verification.judging.keeping import found_of, kept_name, resumed
from verification.measuring.ensembles import Plan
from verification.verdicts.verdict import Verdict

Looked = tuple[Verdict, tuple[Defect, ...]]


def audit(
    claims: Sequence[Any],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> tuple[Defect, ...]:
    """What the checks find of some entries, by entry in their order.

    Verdicts that are kept are not made again, nor is what was found of one entry; others are neither
    measured nor corrupted.
    """
    planned = list(plans(claims, **settings))
    looked = []
    for one in resumed(_looked_at, _is_kept, planned, jobs, _lost):
        looked.append(one)
        if progress is not None:
            progress(len(looked), len(planned))
    entries = [Judged(verdict) for verdict, _ in looked]
    found = [defect for _, own in looked for defect in own]
    found += [defect for check in all_checks() if check.at_all for defect in check.of_all(entries)]
    place = {one.id: k for k, one in enumerate(entries)}
    return tuple(sorted(found, key=lambda one: (place[one.id], one.kind)))


def _looked_at(claim: Any, plan: Plan) -> Looked:
    if claim.source:
        return _look(found_of(claim, plan))
    found = keeper.made("audited", kept_name(claim, plan), lambda: _look(found_of(claim, plan)))
    if found[0].broken is not None:  # another run may come to a verdict
        keeper.forget("audited", kept_name(claim, plan))
    return found


def _look(verdict: Verdict) -> Looked:
    if verdict.broken is not None:
        remedy = "mend what the verdict of `sgtheory verify` tells"
        return verdict, (Defect(verdict.claim.id, "broken", verdict.finding.reason, remedy),)
    judged = Judged(verdict)
    return verdict, tuple(defect for check in all_checks() for defect in _found(check, judged))


def _found(check: Check, judged: Judged) -> list[Defect]:
    """What a check finds of an entry; that it cannot look at it is found too."""
    try:
        return list(check.of_one(judged))
    except Ended:
        raise
    except Exception as error:
        words = f"The check cannot look at it: {type(error).__name__}: {error}."
        return [Defect(judged.id, check.name, words, "mend the check")]


def _is_kept(claim: Any, plan: Plan) -> bool:
    return not claim.source and keeper.holds("audited", kept_name(claim, plan))


def _lost(claim: Any, plan: Plan) -> Looked:
    return _look(lost(claim, plan))
