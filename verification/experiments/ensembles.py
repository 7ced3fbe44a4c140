"""Numbers measured on independent ensembles, with intervals that hold for all of them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from verification.experiments.record import Amount

BATCHES = 16
FALSE_ALARM = 1e-6  # of all the intervals of an experiment together


def interval(values: Any, intervals: int) -> Amount:
    """The mean of a few independent values, each an average over many chains, hence nearly normal.

    ``intervals`` is how many the experiment has: Student's quantile at its share of the false alarms.

    >>> interval([1.0, 3.0], 1).value
    2.0
    """
    from scipy.stats import t

    found = np.asarray(values, float)
    many = len(found)
    quantile = float(t.ppf(1 - FALSE_ALARM / (2 * intervals), many - 1))
    return Amount(float(found.mean()), quantile * float(found.std(ddof=1)) / many**0.5)


def measured(
    sampler: str,
    problem: Any,
    quantity: Callable[[Any], float],
    *,
    chains: int,
    steps: int,
    seed: int,
    device: str = "cpu",
    intervals: int = 1,
) -> Amount:
    """A quantity of ensembles with seeds of their own, ``chains`` in all."""
    from sgtheory import registry
    from sgtheory.setting import Setting
    from simulators.ensemble import simulate

    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    values = problem.values(setting.sampler)
    found = [
        quantity(
            simulate(setting, values, chains=chains // BATCHES, steps=steps,
                     seed=(seed + k) % 2**32, device=device)
        )
        for k in range(BATCHES)
    ]  # fmt: skip
    return interval(found, intervals)


def share(count: int, of: int, intervals: int = 1) -> Amount:
    """The share of independent runs that did something, by the exact binomial interval.

    The longer of its two sides is the error to each.

    >>> found = share(0, 1000)
    >>> found.value, round(found.error, 3)
    (0.0, 0.014)
    """
    from scipy.stats import beta

    level = FALSE_ALARM / (2 * intervals)
    low = float(beta.ppf(level, count, of - count + 1)) if count else 0.0
    high = float(beta.isf(level, count + 1, of - count)) if count < of else 1.0
    value = count / of
    return Amount(value, max(value - low, high - value))
