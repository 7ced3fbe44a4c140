"""How often something happened, with an exact interval; and whether that is what was promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.notation.display import Shown

Array = Any


@dataclass(repr=False, frozen=True)
class Rate(Shown):
    """``hits`` of ``runs``, and a Clopper-Pearson interval which holds the truth with ``confidence``."""

    name: str
    hits: int
    runs: int
    confidence: float
    promised: float
    exactly: bool = True  # or, of a bound: at most this

    @property
    def measured(self) -> float:
        """The share of runs."""
        return self.hits / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of the interval.

        >>> [round(x, 4) for x in Rate("a coin", 0, 100, 0.95, 0.5).interval]
        [0.0, 0.0362]
        """
        from scipy.special import betaincinv

        tail, k, n = (1 - self.confidence) / 2, self.hits, self.runs
        low = float(betaincinv(k, n - k + 1, tail)) if k else 0.0
        high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        return low, high

    @property
    def kept(self) -> bool:
        """Whether the interval holds what was promised; of a bound, whether it begins below."""
        low, high = self.interval
        return low <= self.promised and (self.promised <= high or not self.exactly)

    def to_json(self) -> dict[str, Any]:
        """Numbers of a row."""
        return {
            "name": self.name,
            "hits": self.hits,
            "runs": self.runs,
            "rate": self.measured,
            "interval": list(self.interval),
            "promised": self.promised,
            "exactly": self.exactly,
            "kept": self.kept,
        }


def false_alarms(
    p_values: Mapping[str, Array],
    level: float,
    confidence: float,
    bounds: frozenset[str] = frozenset(),
) -> tuple[Rate, ...]:
    """How often each test rejects at a level; all intervals hold together with this confidence.

    Of the tests named in ``bounds`` only an upper bound is promised, of all others the level itself.

    >>> fair, wrong = np.arange(1, 1001) / 1001, np.arange(1, 1001) / 2002
    >>> [rate.kept for rate in false_alarms({"fair": fair, "wrong": wrong}, 0.05, 0.999)]
    [True, False]
    """
    each = 1 - (1 - confidence) / len(p_values)
    return tuple(
        Rate(name, int((np.asarray(p) < level).sum()), len(p), each, level, name not in bounds)
        for name, p in p_values.items()
    )


def uniform(p_values: Array) -> float:
    """The p-value of Kolmogorov and Smirnov for p-values of an exact test, which are uniform."""
    from scipy.stats import kstest

    return float(kstest(p_values, "uniform").pvalue)
