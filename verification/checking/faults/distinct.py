"""Candidates with one law: which of them is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from verification.checking.faults.candidate import Candidate
from verification.checking.faults.variant import Variant

_AS_SHORT = 0.1  # of two descriptions of one law
_ELSE = "The same law, so that it may be this:"


def distinct(candidates: Iterable[Candidate], evidence: Any) -> list[Candidate]:
    """Each law once, by its shortest description, and by one as short that changes something else."""
    found: list[tuple[Candidate, Any]] = []
    for c in sorted(candidates, key=lambda c: c.cost):
        laws = [c.law(n) for n in evidence.numbers[:2]]
        k = next((k for k, (_, others) in enumerate(found) if _same(laws, others)), None)
        if k is None:
            found.append((c, laws))
            continue
        first, others = found[k]
        near = round(c.cost - first.cost, 6) <= _AS_SHORT and _ELSE not in first.words
        ours = not (first.other or c.other)
        if near and ours and _touched(evidence, first).isdisjoint(_touched(evidence, c)):
            found[k] = replace(first, words=f"{first.words} {_ELSE} {c.words}"), others
    return [c for c, _ in found]


def _touched(evidence: Any, candidate: Candidate) -> set[Any]:
    """The states whose updates are not as declared."""

    def of(updates: Any) -> dict[Any, list[Any]]:
        return {t: [e for target, e in updates if target == t] for t, _ in updates}

    was, now = of(Variant.of(evidence.sampler).updates), of(candidate.variant.updates)
    return {t for t in {**was, **now} if was.get(t) != now.get(t)}


def _same(laws: Any, others: Any) -> bool:
    return all(
        np.allclose(a.mean, b.mean, rtol=1e-7, atol=1e-12)
        and np.allclose(a.covariance, b.covariance, rtol=1e-7, atol=1e-14)
        for a, b in zip(laws, others, strict=True)
    )
