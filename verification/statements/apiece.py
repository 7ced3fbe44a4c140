"""Statements that say several things at once: each is decided by itself, by the one order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verification.relations.joined import All
from verification.statements import telling
from verification.verdicts.verdict import Correction, Evidence, Finding, lines_of

_TRUE, _FALSE = ("proved", "confirmed"), ("proved-if", "limit-only", "refuted")


def is_mixed(statement: Any) -> bool:
    """Whether it says where a sampler settles, and something of its law besides."""
    own = {one.settling for one in statement.relations}
    return _is_plain(statement) and len(own) > 1


def _is_plain(statement: Any) -> bool:
    return isinstance(statement, All) and statement.form is None and len(statement.relations) > 1


def find(claim: Any, time: str | None, whole: Finding | None = None) -> Finding:
    """What is found of each part; of the ``whole``, where the parts do not decide it."""
    if not _is_plain(claim.statement):
        return whole or Finding("inconclusive", telling.no_common_theory((), ()), ())
    parts = claim.statement.relations
    found = []
    for one in parts:
        found.append(replace(claim, statement=one).find(time))
        if found[-1].verdict == "refuted":
            break  # so are all at once
    open_ = [f for f in found if f.verdict not in (*_TRUE, *_FALSE)]
    said = tuple(
        telling.part(k, *pair) for k, pair in enumerate(zip(parts, found, strict=False), start=1)
    )
    evidence = tuple(e for f in found for e in f.evidence) + said
    false = [f for f in found if f.verdict in _FALSE]
    refuted = [f for f in false if f.verdict == "refuted"]
    if open_ and not refuted:
        reason = telling.of_parts(said)
        return (
            Finding("inconclusive", reason, evidence)
            if whole is None
            else replace(whole, reason=reason, evidence=(*whole.evidence, *said))
        )
    if not false:
        return replace(found[0], reason=telling.of_parts(said), evidence=evidence)
    return _false(claim, parts, found, (refuted or false), telling.of_parts(said), evidence)


def _false(
    claim: Any,
    parts: tuple[Any, ...],
    found: list[Finding],
    false: list[Finding],
    reason: Any,
    evidence: tuple[Evidence, ...],
) -> Finding:
    """All at once: refuted with any of them; where all hold, the conditions of all of them."""
    first = false[0]
    if first.verdict == "refuted" or len({f.verdict for f in false}) > 1:
        return replace(first, verdict="refuted", reason=reason, evidence=evidence, condition=None,
                       needs=None, converse=None, gap=None)  # fmt: skip
    mended = replace(first, reason=reason, evidence=evidence, corrected=_corrected(parts, found))
    needs = list(dict.fromkeys(f.needs for f in false if f.needs is not None))
    if len(needs) <= 1:
        return mended
    if not all(hasattr(one, "relations") for one in needs):
        return replace(mended, verdict="refuted", condition=None, needs=None, converse=None)
    both = All(*needs)
    known = {f.converse.known for f in false if f.converse is not None}
    converse = first.converse if known == {"necessary"} else None
    return replace(mended, condition=telling.condition(both), needs=both, converse=converse)


def _corrected(parts: tuple[Any, ...], found: list[Finding]) -> Correction | None:
    """Each part as it is true, where all that are false have a correction that is a statement."""
    true = []
    for one, f in zip(parts, found, strict=True):
        if f.verdict in _TRUE:
            true.append(one)
        elif f.corrected is not None and f.corrected.printed:
            true.append(f.corrected.printed[0])
        else:
            return None
    said = All(*true)
    return Correction(lines_of(said), "proved", "each by itself", (said,))
