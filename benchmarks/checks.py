"""Does a contender simulate what it says? Its answer against the exact law at that very step.

For the linear workloads the final states are exactly normal with known mean and covariance. Every
mean, variance and covariance is tested by itself (``verification.statistics``), and so are the whole
mean, the whole covariance and their common scale, which finds noise that is slightly too large. W4 has
no exact law: it is held against another implementation, whose own error is counted in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.workloads import BATCH, STEP, Array, Workload, problem, signed_rows

BUDGET = 1e-6  # probability that anything at all is flagged in a whole run without cause
REFERENCE_CHAINS, FORGOTTEN = 8_192, 300  # after so many steps of W4 the start is forgotten


@dataclass(frozen=True)
class Check:
    """The largest deviation of an answer, in standard errors, and what would have been flagged.

    ``sees`` is the smallest relative error of the noise that is found with probability 0.99.
    """

    agrees: bool
    worst: float
    at: str
    bound: float
    tests: int
    sees: float

    def to_json(self) -> dict[str, Any]:
        """The numbers of a row."""
        return dict(vars(self))


def check(
    work: Workload, chains: int, steps: int, mean: Array, covariance: Array, comparisons: int
) -> Check:
    """One answer, which is one of so many ``comparisons`` that share the budget."""
    found = _against_reference if work.rows else _against_law
    return found(work, chains, steps, np.asarray(mean), np.asarray(covariance), BUDGET / comparisons)


def _against_law(
    work: Workload, chains: int, steps: int, mean: Array, covariance: Array, budget: float
) -> Check:
    from verification.statistics import compare

    exact_mean, exact = _law(work, steps)
    compared = compare(mean, covariance, exact_mean, exact, chains, budget)
    tests, worst = len(compared.tests), compared.worst
    return _verdict(worst.p_value, worst.name, budget / tests, tests, math.sqrt(2 / (chains * work.D)))


def _verdict(p: float, at: str, threshold: float, tests: int, error_of_scale: float) -> Check:
    from scipy.stats import norm

    bound = float(norm.isf(threshold / 2))
    # a noise that is off by a share r is off by 2 r in every variance
    sees = (bound + float(norm.isf(0.01))) * error_of_scale / 2
    return Check(p >= threshold, float(norm.isf(max(p, 1e-300) / 2)), at, bound, tests, sees)


@lru_cache
def _law(work: Workload, steps: int) -> tuple[Array, Array]:
    from sgtheory import law

    found = law(work.sampler, problem(work), at=steps)
    return np.asarray(found.mean["theta"]), np.asarray(found.covariance["theta", "theta"])


def _against_reference(
    work: Workload, chains: int, steps: int, mean: Array, covariance: Array, budget: float
) -> Check:
    from scipy.stats import norm

    x = _reference(min(steps, FORGOTTEN))
    own_mean, away = x.mean(axis=0), x - x.mean(axis=0)
    own = away.T @ away / len(x)
    i, j = np.triu_indices(work.D)
    products = away[:, i] * away[:, j]
    # distances in our covariance; their spread is measured, because the law is not normal
    distances = np.einsum("ci,ij,cj->c", away, np.linalg.inv(own), away)
    both = math.sqrt(1 / chains + 1 / len(x))
    scale = float(np.trace(np.linalg.solve(own, covariance))) - work.D
    z = np.concatenate([
        (mean - own_mean) / np.sqrt(np.diag(own)),
        (covariance - own)[i, j] / products.std(axis=0),
        [scale / distances.std()],
    ]) / both  # fmt: skip
    names = [f"mean {k}" for k in range(work.D)]
    names += [f"cov {a}, {b}" for a, b in zip(i, j, strict=True)] + ["scale"]
    worst = int(np.argmax(np.abs(z)))
    p = float(2 * norm.sf(abs(z[worst])))
    error_of_scale = float(distances.std()) / work.D * both
    return _verdict(p, names[worst], budget / len(z), len(z), error_of_scale)


@lru_cache
def _reference(steps: int) -> Array:
    """Final states of W4 by another program: labels apart from rows, and minus the log posterior."""
    signed, source = signed_rows(), np.random.default_rng(65_537)
    y = np.where(signed[:, 0] > 0, 1.0, -1.0)  # only the product of label and row counts
    X = signed * y[:, None]
    theta = np.zeros((REFERENCE_CHAINS, X.shape[1]))
    for _ in range(steps):
        drawn = source.integers(len(X), size=(REFERENCE_CHAINS, BATCH))
        x, label = X[drawn], y[drawn]
        margin = label * np.einsum("csd,cd->cs", x, theta)
        slope = -label * (1 - 1 / (1 + np.exp(-margin)))
        gradient = theta + len(X) / BATCH * np.einsum("cs,csd->cd", slope, x)
        theta += -STEP * gradient + math.sqrt(2 * STEP) * source.standard_normal(theta.shape)
    return theta
