"""Faults that no law of one chain shows: random numbers that the chains of an ensemble share.

Chains that draw the same numbers vary less together than one chain does over many runs: the noise moves
all of them alike. Their covariance is that without the noise, and their mean is off by one draw of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import Apply
from verification.checking.cases import Law
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.fitting import FAR, distance
from verification.checking.faults.search import REFUSED, Evidence
from verification.checking.faults.variant import Variant

_DRAW = 6.0  # standard deviations of one draw: nothing beyond is a draw


def shared(evidence: Evidence) -> Iterator[Candidate]:
    """Injected noises that all chains have in common."""
    variant = Variant.of(evidence.sampler)
    silent = {w: sp.Integer(0) for w in variant.noises}
    groups = [silent] if len(silent) == 1 else [silent, *({w: x} for w, x in silent.items())]
    for known in (g for g in groups if g):
        updates = tuple((t, _silenced(e, known)) for t, e in variant.updates)
        start = tuple((t, _silenced(e, known)) for t, e in variant.start)
        without = replace(variant, updates=updates, start=start)
        names = ", ".join(map(str, known))
        words = f"All chains draw the same random numbers ({names}): they need streams of their own."
        candidate = Candidate(f"chains share {names}", words, without)
        if all(_moved(evidence, candidate, k) for k in range(len(evidence.outcomes))):
            yield candidate


def _silenced(expr: Any, known: Any) -> Any:
    """Without these noises, and without what gains make of them."""
    made = {a: sp.Integer(0) for a in expr.atoms(Apply) if a.args[1] in known}
    return expr.xreplace(made).subs(known)


def _moved(evidence: Evidence, candidate: Candidate, k: int) -> bool:
    """Whether the covariance is that without the noise, and the mean is off as one draw of it may be."""
    outcome = evidence.outcomes[k]
    try:
        law: Any = candidate.law(evidence.numbers[k])
    except REFUSED:
        return False
    centred = Law(outcome.measured.mean, law.covariance, law.names)
    if distance(outcome.measured, centred) >= FAR:
        return False
    extra = np.diag(outcome.expected.covariance) - np.diag(law.covariance)
    error = np.sqrt(np.clip(extra, 0, None) + np.diag(law.covariance) / outcome.measured.chains)
    off = np.abs(outcome.measured.mean - outcome.expected.mean)
    return bool((off <= _DRAW * error + 1e-9 * (1 + np.abs(outcome.measured.mean))).all())
