"""Statements that say several things at once: each is decided by itself, by the one order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from verification.relations.joined import All
from verification.statements import telling
from verification.verdicts.verdict import Correction, Evidence, Finding, differ, lines_of

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
    parts, found = claim.statement.relations, list[Finding]()
    for one in parts:
        found.append(replace(claim, statement=one).find(time))
        if found[-1].verdict == "refuted":  # so are all at once
            break
    each = enumerate(zip(parts, found, strict=False), start=1)
    said = tuple(telling.part(k, *pair) for k, pair in each)
    reason, evidence = telling.of_parts(said), (*(e for f in found for e in f.evidence), *said)
    false = [f for f in found if f.verdict in _FALSE]
    fails = any(f.verdict == "refuted" for f in false)
    open_ = len(false) + sum(f.verdict in _TRUE for f in found) < len(parts)
    if whole is not None and whole.verdict == "refuted":
        if fails or open_ or len({f.needs for f in false}) > 1:
            return whole
    elif fails:
        return _refuted(false[-1], reason, evidence)
    elif open_:
        return whole or Finding("inconclusive", reason, evidence)
    if not false and whole is not None and whole.verdict == "refuted":
        raise differ(claim.id, "each of its parts", "it holds", "all at once", "it fails")
    if not false:
        return replace(found[0], reason=reason, evidence=evidence)
    return _false(parts, found, false, reason, evidence)


def _refuted(first: Finding, reason: Any, evidence: tuple[Evidence, ...]) -> Finding:
    none: Any = {"condition": None, "needs": None, "converse": None, "gap": None}
    return replace(first, verdict="refuted", reason=reason, evidence=evidence, **none)


def _false(
    parts: tuple[Any, ...],
    found: list[Finding],
    false: list[Finding],
    reason: Any,
    evidence: tuple[Evidence, ...],
) -> Finding:
    """Where some parts are false in general: all hold where the conditions of all of them do."""
    first = false[0]
    needs = list(dict.fromkeys(f.needs for f in false if f.needs is not None))
    joins = len(needs) <= 1 or all(hasattr(one, "relations") for one in needs)
    if len({f.verdict for f in false}) > 1 or not joins:
        return _refuted(first, reason, evidence)
    gaps = [f.gap for f in false if f.gap is not None]
    slowest = min(gaps, key=lambda one: Fraction(one.order), default=None)
    corrected = _corrected(parts, found)
    mended = replace(first, reason=reason, evidence=evidence, corrected=corrected, gap=slowest)
    if len(needs) <= 1:
        return mended
    known = {f.converse.known for f in false if f.converse is not None}
    converse = first.converse if known == {"necessary"} else None
    both = All(*needs)
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
