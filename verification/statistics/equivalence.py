"""Equivalence: when a measurement may say "confirmed within 0.1 %".

Not to be rejected is no confirmation. Two one-sided tests (TOST) turn the question around: a value is
confirmed within a margin when deviations of the margin and more, both up and down, are rejected. All
entries are confirmed when each is: no correction for their number is needed, because the statement
is false as soon as one entry is outside, and that one's test errs with the stated probability at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.notation.display import Shown
from verification.statistics.quadratic import chi_square
from verification.statistics.terms import Terms

Array = Any


@dataclass(frozen=True)
class Entry:
    """An exact interval for one deviation: of a mean in standard deviations, of a covariance in their
    product, so that the deviation of a variance is its relative error."""

    name: str
    low: float
    high: float

    @property
    def smallest_margin(self) -> float:
        """The smallest margin within which it is confirmed."""
        return max(abs(self.low), abs(self.high))


@dataclass(repr=False, frozen=True)
class Equivalence(Shown):
    """Whether all entries are within a margin; ``false_confirmation`` bounds the chance of an error."""

    entries: tuple[Entry, ...]
    margin: float
    false_confirmation: float
    reliable: bool | None = True  # by a normal approximation it may not be; None: that is not known

    @property
    def confirmed(self) -> bool:
        """Whether every deviation is within the margin."""
        return self.smallest_margin < self.margin

    @property
    def smallest_margin(self) -> float:
        """The smallest margin that would be confirmed, with the same confidence."""
        return max(entry.smallest_margin for entry in self.entries)

    def to_json(self) -> dict[str, Any]:
        """The numbers that a verdict carries."""
        return {
            "margin": self.margin,
            "confirmed": self.confirmed,
            "confidence": 1 - self.false_confirmation,
            "smallest_margin": self.smallest_margin,
            "reliable": self.reliable,
            "entries": [vars(e) for e in self.entries],
        }


def equivalent(
    mean: Array,
    covariance: Array,
    exact_mean: Array,
    exact_covariance: Array,
    chains: int,
    margin: float,
    false_confirmation: float,
    names: tuple[str, ...] | None = None,
) -> Equivalence:
    """Whether a Gaussian ensemble (divisor n) has this mean and covariance within a margin.

    >>> x = np.random.default_rng(0).standard_normal((100_000, 1))
    >>> found = equivalent(x.mean(0), np.cov(x.T, bias=True).reshape(1, 1), [0.0], np.eye(1), 100_000,
    ...                    margin=0.02, false_confirmation=0.001)
    >>> found.confirmed, 0.01 < found.smallest_margin < 0.02
    (True, True)
    """
    exact, sigma = np.asarray(exact_covariance, float), np.sqrt(np.diag(exact_covariance))
    names = names or tuple(str(k) for k in range(len(sigma)))
    moving = [k for k in range(len(sigma)) if sigma[k] > 0]
    y = [(mean[k] - exact_mean[k]) / sigma[k] for k in moving]
    moved, units = np.ix_(moving, moving), np.outer(sigma[moving], sigma[moving])
    scatter, correlation = np.asarray(covariance)[moved] / units, exact[moved] / units
    entries = (
        *_means(y, scatter, chains, false_confirmation, [names[k] for k in moving]),
        *_covariances(scatter, correlation, chains, false_confirmation, [names[k] for k in moving]),
    )
    return Equivalence(entries, margin, false_confirmation)


def _means(
    y: list[float], scatter: Array, chains: int, level: float, names: list[str]
) -> Iterator[Entry]:
    """By Student's t: the variance need not be the exact one for the mean to be confirmed."""
    from scipy.special import stdtrit

    for k, name in enumerate(names):
        reach = -float(stdtrit(chains - 1, level)) * math.sqrt(scatter[k, k] / (chains - 1))
        yield Entry(f"mean {name}", float(y[k]) - reach, float(y[k]) + reach)


def _covariances(
    scatter: Array, correlation: Array, chains: int, level: float, names: list[str]
) -> Iterator[Entry]:
    """A covariance is a quarter of the variance of the sum less that of the difference."""
    for i, first in enumerate(names):
        low, high = interval(float(scatter[i, i]), chains, level)
        yield Entry(f"var {first}", low - 1, high - 1)
        for j in range(i + 1, len(names)):
            both, middle = float(scatter[i, i] + scatter[j, j]), 2 * float(scatter[i, j])
            above = interval(both + middle, chains, level / 2)
            below = interval(both - middle, chains, level / 2)
            ends = (above[0] - below[1]) / 4, (above[1] - below[0]) / 4
            yield Entry(f"cov {first}, {names[j]}", *(float(end - correlation[i, j]) for end in ends))


def equivalent_robustly(
    terms: Terms, exact_covariance: Array, margin: float, false_confirmation: float
) -> Equivalence:
    """The same without assuming a Gaussian, by measured standard errors; moments are about exact means.

    >>> x = np.random.default_rng(0).choice([-1.0, 1.0], size=(500, 64, 1))
    >>> about = (x**2).mean(axis=1) - x.mean(axis=1) ** 2
    >>> terms = Terms.of_batches(x.mean(axis=1), about[:, :, None], np.zeros(1), np.eye(1), ["x"])
    >>> found = equivalent_robustly(terms, np.eye(1), margin=0.03, false_confirmation=0.01)
    >>> found.confirmed, [entry.name for entry in found.entries]
    (True, ['mean x', 'var x'])
    """
    from scipy.special import stdtrit

    from verification.statistics.robust import compare_robustly

    sigma = np.sqrt(np.clip(np.diag(exact_covariance), 0, None))
    i, j = np.triu_indices(len(sigma))
    units, entries = np.concatenate([sigma, sigma[i] * sigma[j]]), []
    quantile = -float(stdtrit(terms.count - 1, false_confirmation))
    for k in np.flatnonzero(units > 0):
        unit = float(units[k])
        middle = float(terms.mean[k] - terms.exact[k]) / unit
        reach = quantile * math.sqrt(float(terms.variance[k]) / terms.count) / unit
        entries.append(Entry(terms.names[k], middle - reach, middle + reach))
    # one tail at this level is what both have at twice of it
    level = min(2 * false_confirmation, 0.5) * len(entries)
    tests = compare_robustly(terms, level).tests
    doubts = [t.reliable for t in tests]
    reliable = False if False in doubts else None if None in doubts else True
    return Equivalence(tuple(entries), margin, false_confirmation, reliable)


def interval(variance: float, chains: int, level: float) -> tuple[float, float]:
    """For the true variance, from that of a sample (divisor n): each end errs with this probability.

    >>> [round(x, 3) for x in interval(1.0, 1000, 0.025)]
    [0.919, 1.095]
    """
    law, squares = chi_square(chains - 1), chains * max(variance, 0.0)
    return squares / law.above(level), squares / law.below(level)


@dataclass(frozen=True)
class Confirmation:
    """Planning: a variance that is exactly right is confirmed within a margin.

    >>> from verification.statistics.planning import chains_for
    >>> chains_for(0.01, 1e-3, 0.99, Confirmation())
    642304
    """

    def power(self, effect: float, chains: int, level: float) -> float:
        """The probability that the interval lies within the margin ``effect``, exactly."""
        if chains < 2:
            return 0.0
        law, margin = chi_square(chains - 1), abs(effect)
        return inside(law.below(level), law.above(level), margin, chains - 1)


def inside(low: float, high: float, margin: float, free: int) -> float:
    """The probability that Q/high > 1 - margin and Q/low < 1 + margin for a chi-square Q."""
    law, begin, end = chi_square(free), (1 - margin) * high, (1 + margin) * low
    if begin >= end:
        return 0.0
    below = law.tails(begin)[0] if begin > 0 else 0.0
    return max(1 - below - law.tails(end)[1], 0.0)
