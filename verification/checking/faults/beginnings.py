"""The start of a target whose library makes it: which normal start has the law that was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from verification.checking.faults import scales, search
from verification.checking.faults.candidate import scale
from verification.checking.faults.variant import Variant


def begun(sampler: Any, outcomes: Sequence[Any]) -> Any:
    """The declaration with another start that agrees with every measurement, or None.

    Only first values of what is no position are changed: nothing of the step.
    """
    evidence = search.Evidence.of(sampler, outcomes)
    if not evidence.outcomes:
        return None
    for candidate in scales.starts(Variant.of(evidence.sampler), scale()):
        for found in search.named(evidence, candidate):
            used = tuple(w for w in found.variant.noises if w not in sampler.noises)
            return replace(sampler, start=found.variant.start, noises=(*sampler.noises, *used))
    return None
