"""Exact tests of an ensemble against a Gaussian law, with one false-alarm budget and a stated power.

The final states of independent chains of an affine Gaussian sampler are exactly normal with known
mean and covariance at every finite step. So each standardised mean is exactly N(0, 1), and each
sum of squares of a known linear combination is exactly chi-square: no asymptotics, no burn-in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


@dataclass(frozen=True)
class Test:
    """One exact test: ``effect`` is the relative (variance) or standardised (mean) deviation."""

    name: str
    statistic: float
    p_value: float
    effect: float


@dataclass(frozen=True)
class Comparison:
    """All tests of one ensemble against one law, under a family-wise false-alarm probability."""

    tests: tuple[Test, ...]
    chains: int
    false_alarm: float

    @property
    def threshold(self) -> float:
        """The p-value below which a single test rejects (Bonferroni)."""
        return self.false_alarm / max(len(self.tests), 1)

    @property
    def worst(self) -> Test:
        """The test with the smallest p-value."""
        return min(self.tests, key=lambda t: t.p_value)

    @property
    def agrees(self) -> bool:
        """Whether no test rejects."""
        return self.worst.p_value >= self.threshold

    @property
    def resolution(self) -> float:
        """The relative error of a variance that would have been seen with probability 0.99."""
        return detectable(self.chains, self.threshold)

    def to_json(self) -> dict[str, Any]:
        """The numbers that a verdict carries."""
        return {
            "tests": len(self.tests),
            "false_alarm": self.false_alarm,
            "smallest_p": self.worst.p_value,
            "at": self.worst.name,
            "agrees": self.agrees,
            "detectable_relative_error": self.resolution,
            "power": 0.99,
        }


def detectable(chains: int, threshold: float, power: float = 0.99) -> float:
    """The smallest relative error of a variance that is found with the given probability.

    >>> 0.009 < detectable(1_000_000, 1e-7) < 0.012
    True
    """
    from scipy.stats import norm

    # sums of n squares have relative standard deviation sqrt(2/n)
    return float((norm.isf(threshold / 2) + norm.isf(1 - power)) * math.sqrt(2 / chains))


def chains_for(effect: float, threshold: float, power: float = 0.99) -> int:
    """How many chains find a relative error of the given size: the inverse of ``detectable``."""
    return math.ceil((detectable(1, threshold, power) / effect) ** 2)


def compare(
    mean: Array,
    covariance: Array,
    exact_mean: Array,
    exact_covariance: Array,
    chains: int,
    false_alarm: float,
    names: tuple[str, ...] | None = None,
) -> Comparison:
    """Test a sample mean and covariance (divisor n) against a Gaussian law, entry by entry."""
    names = names or tuple(str(k) for k in range(len(exact_mean)))
    about = covariance + np.outer(mean - exact_mean, mean - exact_mean)
    sigma = np.sqrt(np.diag(exact_covariance))
    tests = [*_means(mean, exact_mean, sigma, chains, names)]
    for i, first in enumerate(names):
        for j in range(i, len(names)):
            weights = _weights(exact_covariance, sigma, i, j)
            if weights is not None:
                name = f"var {first}" if i == j else f"cov {first}, {names[j]}"
                tests.append(_square(name, weights, about, exact_covariance, chains))
    return Comparison(tuple(tests), chains, false_alarm)


def _means(mean: Array, exact: Array, sigma: Array, chains: int, names: tuple[str, ...]) -> list[Test]:
    from scipy.stats import norm

    found = []
    for k, name in enumerate(names):
        if sigma[k] == 0:
            continue
        z = float((mean[k] - exact[k]) / sigma[k] * math.sqrt(chains))
        found.append(Test(f"mean {name}", z, float(2 * norm.sf(abs(z))), z / math.sqrt(chains)))
    return found


def _weights(exact: Array, sigma: Array, i: int, j: int) -> Array | None:
    """x_i itself, or the sum or difference of the standardised x_i and x_j that varies more."""
    weights = np.zeros(len(sigma))
    if sigma[i] == 0 or sigma[j] == 0:
        return None
    weights[i] = 1 / sigma[i]
    if i != j:
        weights[j] = (1 if exact[i, j] >= 0 else -1) / sigma[j]
    return weights


def _square(name: str, weights: Array, about: Array, exact: Array, chains: int) -> Test:
    from scipy.stats import chi2

    ratio = float(weights @ about @ weights) / float(weights @ exact @ weights)
    statistic = chains * ratio
    p = 2 * min(chi2.sf(statistic, chains), chi2.cdf(statistic, chains))
    return Test(name, statistic, float(min(p, 1.0)), ratio - 1)
