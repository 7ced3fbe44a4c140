"""The one place where a measured value is held against a printed one, by two one-sided tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

BATCHES = 16  # independent ensembles: their spread is the error, whatever the quantity


@dataclass(frozen=True)
class Decision:
    """What independent values say about a printed one with its tolerance."""

    word: str  # confirmed, refuted or inconclusive
    value: float
    half_width: float  # of the interval, each end wrong with the false-alarm probability
    standard_error: float
    chains_needed: int | None  # to decide, where it is not decided

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true value is."""
        return self.value - self.half_width, self.value + self.half_width


def decide(values: Any, printed: float, tolerance: float, false_alarm: float, chains: int) -> Decision:
    """Inside the tolerance, outside it, or neither.

    >>> decide([1.0, 1.1, 0.9, 1.0] * 4, 1.0, 0.5, 1e-3, 16).word
    'confirmed'
    >>> decide([1.0, 1.1, 0.9, 1.0] * 4, 2.0, 0.5, 1e-3, 16).word
    'refuted'
    >>> decide([1.0, 1.1, 0.9, 1.0] * 4, 1.5, 0.5, 1e-3, 16).word
    'inconclusive'
    """
    import numpy as np
    from scipy.stats import t

    found = np.asarray(values, float)
    mean, error = float(found.mean()), float(found.std(ddof=1) / math.sqrt(len(found)))
    half = float(t.isf(false_alarm / 2, len(found) - 1)) * error
    low, high = printed - tolerance, printed + tolerance
    if low <= mean - half and mean + half <= high:
        return Decision("confirmed", mean, half, error, None)
    if mean + half < low or mean - half > high:
        return Decision("refuted", mean, half, error, None)
    room = abs(tolerance - abs(mean - printed))
    needed = math.ceil(chains * (half / room) ** 2) if room > 0 else None
    return Decision("inconclusive", mean, half, error, needed)
