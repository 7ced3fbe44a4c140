"""Exact tests of an ensemble against a Gaussian law, with one false-alarm budget and a stated power.

The final states of independent chains of an affine Gaussian sampler are exactly normal with known
mean and covariance at every finite step. So each standardised mean is exactly N(0, 1), each
sum of squares of a known linear combination is exactly chi-square, and the likelihood ratio of the whole
covariance has a law that is known too: no asymptotics, no burn-in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from verification.statistics.kinds import Kind, Mean, Scale, WholeCovariance, WholeMean
from verification.statistics.likelihood import LikelihoodRatio
from verification.statistics.planning import Planned
from verification.statistics.records import Comparison, Test
from verification.statistics.support import Support

Array = Any


def compare(
    mean: Array,
    covariance: Array,
    exact_mean: Array,
    exact_covariance: Array,
    chains: int,
    false_alarm: float,
    names: tuple[str, ...] | None = None,
    *,
    dtype: str = "float64",
    steps: int = 100,
    planned: Planned | None = None,
) -> Comparison:
    """Test a sample mean and covariance (divisor n) against a Gaussian law: entries, and the whole.

    >>> x = np.random.default_rng(0).standard_normal((1000, 2))
    >>> found = compare(x.mean(0), np.cov(x.T, bias=True), np.zeros(2), np.eye(2), 1000, 1e-6)
    >>> found.agrees, len(found.tests)
    (True, 8)
    >>> compare(x.mean(0), 2 * np.cov(x.T, bias=True), np.zeros(2), np.eye(2), 1000, 1e-6).rejected
    ('var 0', 'cov 0, 1', 'var 1', 'scale', 'whole covariance')
    """
    names = names or tuple(str(k) for k in range(len(exact_mean)))
    mean, exact_mean = np.asarray(mean, float), np.asarray(exact_mean, float)
    about = covariance + np.outer(mean - exact_mean, mean - exact_mean)
    support = Support.of(exact_mean, np.asarray(exact_covariance, float), chains, dtype, steps)
    tests = (
        *_means(mean, support, chains, names),
        *_squares(about, support, chains, names),
        *_whole(mean, about, support, chains),
    )
    return Comparison(tests, chains, false_alarm, planned)


def kinds(exact_mean: Array, exact_covariance: Array) -> tuple[Kind, ...]:
    """The kinds of the tests that ``compare`` will carry out, to plan with.

    >>> len(kinds(np.zeros(2), np.eye(2)))
    8
    """
    D, exact = len(exact_mean), np.asarray(exact_covariance, float)
    support = Support.of(np.asarray(exact_mean, float), exact, 2)
    moving = sum(exact[k, k] > 0 for k in range(D))
    entries: list[Kind] = [Mean()] * moving + [Scale()] * (moving * (moving + 1) // 2)
    r = support.rank
    return (*entries, *((Scale(r), WholeMean(r), WholeCovariance(r)) if r > 1 else ()))


def combinations(covariance: Array, names: tuple[str, ...]) -> Iterator[tuple[str, Array]]:
    """For each entry of a covariance a linear combination whose variance tells of it.

    It is x_i itself, or the sum or difference of the standardised x_i and x_j that varies more.
    """
    sigma = np.sqrt(np.clip(np.diag(covariance), 0, None))
    moving = [k for k in range(len(names)) if sigma[k] > 0]
    for i in moving:
        for j in (k for k in moving if k >= i):
            weights = np.zeros(len(sigma))
            weights[i] = 1 / sigma[i]
            if i != j:
                weights[j] = (1 if covariance[i, j] >= 0 else -1) / sigma[j]
            yield f"var {names[i]}" if i == j else f"cov {names[i]}, {names[j]}", weights


def _means(mean: Array, support: Support, chains: int, names: tuple[str, ...]) -> Iterator[Test]:
    kind, variances = Mean(), np.diag(support.covariance)
    for k, name in enumerate(names):
        if variances[k] > 0:
            z = float((mean[k] - support.mean[k]) * math.sqrt(chains / variances[k]))
            yield Test(f"mean {name}", z, kind.p_value(z, chains), z / math.sqrt(chains), kind)


def _squares(about: Array, support: Support, chains: int, names: tuple[str, ...]) -> Iterator[Test]:
    kind = Scale()
    for name, weights in combinations(support.covariance, names):
        ratio = float(weights @ about @ weights) / float(weights @ support.covariance @ weights)
        yield Test(name, chains * ratio, kind.p_value(chains * ratio, chains), ratio - 1, kind)


def _whole(mean: Array, about: Array, support: Support, chains: int) -> Iterator[Test]:
    """Common scale, whole mean and whole covariance, where there is more than one direction."""
    if len(support.outside):
        leak = support.leak(about)
        yield Test("outside the range", leak, support.leak_p_value(about, chains), leak)
    r = support.rank
    if r < 2:
        return
    shift, scatter = support.whitened(mean, about)
    scale, squared = float(np.trace(scatter)), float(shift @ shift)
    common = Scale(r)
    yield Test("scale", chains * scale, common.p_value(chains * scale, chains), scale / r - 1, common)
    centre = WholeMean(r)
    p = centre.p_value(chains * squared, chains)
    yield Test("whole mean", chains * squared, p, math.sqrt(squared), centre)
    if chains >= r:
        ratio = WholeCovariance(r)
        statistic = LikelihoodRatio(r, chains).statistic(scatter)
        away = float(np.linalg.norm(scatter - np.eye(r), 2))
        yield Test("whole covariance", statistic, ratio.p_value(statistic, chains), away, ratio)
