"""Statements that say several things at once: each is decided by itself, by the one order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from verification.relations.joined import All
from verification.statements import telling
from verification.verdicts.verdict import Converse, Correction, Finding, differ, lines_of
from verification.verdicts.wording import of_false


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
    false = [f for f in found if f.verdict not in ("proved", "inconclusive")]
    fails = found[-1].verdict == "refuted"
    open_ = any(f.verdict == "inconclusive" for f in found)
    if whole is not None and whole.verdict == "refuted":
        if fails or open_ or len({f.needs for f in false}) > 1:
            return whole
        if not false:
            raise differ(claim.id, "each of its parts", "it holds", "all at once", "it fails")
    elif fails:
        return replace(found[-1], reason=reason, evidence=evidence)
    elif open_:
        return whole or Finding("inconclusive", reason, evidence)
    scope = "; ".join(dict.fromkeys(f.scope for f in found if f.scope))
    together = _where_false(false) if false else found[0]
    corrected = _corrected(parts, found) if false else None
    return replace(together, reason=reason, evidence=evidence, scope=scope, corrected=corrected)


def _where_false(false: list[Finding]) -> Finding:
    """What is known of all at once where some parts are false; the word follows from what is left.

    All hold where the conditions of all do; they tend to the truth together where each does, and no more
    slowly than the slowest. A part with a condition beside one with a gap has neither for both.
    """
    first, *others = false
    if not others:
        return first
    needs = tuple(dict.fromkeys(f.needs for f in false))
    alike = {(f.condition, f.needs) for f in false} == {(first.condition, first.needs)}
    joined = not alike and all(hasattr(one, "relations") for one in needs)
    under = first.needs if alike else All(*needs) if joined else None
    said = first.condition if alike else telling.condition(under) if joined else None
    gaps = [f.gap for f in false if f.gap is not None]
    tend = len(gaps) == len(false) and len({g.parameter for g in gaps}) == 1
    gap = min(gaps, key=lambda one: Fraction(one.order)) if tend else None
    known = [f.converse for f in false if f.converse is not None and f.converse.known == "necessary"]
    # a condition of one part that has another beside it is not necessary of that part alone
    alone = len(known) == len(false) and all(len(one.conditions) == 1 for one in known)
    converse = next(iter(known), None) if alike else Converse((under,), "necessary") if alone else None
    return replace(
        first,
        verdict=of_false(under, gap),
        condition=said,
        needs=under,
        converse=converse if under is not None else None,
        gap=gap,
    )


def _corrected(parts: tuple[Any, ...], found: list[Finding]) -> Correction | None:
    """Each part as it is true, where all that are false have a correction that is a statement."""
    true = []
    for one, f in zip(parts, found, strict=True):
        if f.verdict == "proved":
            true.append(one)
        elif f.corrected is not None and f.corrected.printed:
            true.append(f.corrected.printed[0])
        else:
            return None
    said = All(*true)
    return Correction(lines_of(said), "proved", "each by itself", (said,))
