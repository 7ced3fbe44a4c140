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

    Chains in single precision are not held to digits that they do not have; see ``_slack``.

    >>> y = (x + 1000).astype(np.float32)  # next to 1000 single precision knows 6 digits of these
    >>> exact = (np.full(2, 1000.0), np.eye(2), 1000, 1e-6)
    >>> compare(y.mean(0, dtype=float), np.cov(y.T, bias=True), *exact, dtype="float32").agrees
    True
    """
    names = names or tuple(str(k) for k in range(len(exact_mean)))
    mean, exact_mean = np.asarray(mean, float), np.asarray(exact_mean, float)
    about = covariance + np.outer(mean - exact_mean, mean - exact_mean)
    support = Support.of(exact_mean, np.asarray(exact_covariance, float), chains, dtype, steps)
    slack = _slack(support, dtype, steps)
    tests = (
        *_means(mean, support, chains, names, slack),
        *_squares(about, support, chains, names, slack),
        *_whole(mean, about, support, chains, slack),
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


def _slack(support: Support, dtype: str, steps: int) -> Array:
    """How far rounding to single precision may move each coordinate; doubles are exact enough.

    A step rounds the position by at most half a unit of its size, and smaller increments by less. Also
    if all roundings of so many steps go the same way, that is below this bound for up to 4 (n + 3)^2
    steps, n the number of coordinates.
    """
    if dtype == "float64":
        return np.zeros(len(support.mean))
    unit = np.hypot(np.abs(support.mean), np.sqrt(np.clip(np.diag(support.covariance), 0, None)))
    return unit * (len(unit) + 3) * math.sqrt(max(steps, 1)) * float(np.finfo(dtype).eps)


def _nearer(found: float, expected: float, slack: float) -> float:
    """Moved towards what is expected, by no more than the slack."""
    away = found - expected
    return expected + math.copysign(max(abs(away) - slack, 0.0), away)


def _means(
    mean: Array, support: Support, chains: int, names: tuple[str, ...], slack: Array
) -> Iterator[Test]:
    kind, variances = Mean(), np.diag(support.covariance)
    for k, name in enumerate(names):
        if variances[k] > 0:
            near = _nearer(float(mean[k]), float(support.mean[k]), float(slack[k]))
            z = float((near - support.mean[k]) * math.sqrt(chains / variances[k]))
            yield Test(f"mean {name}", z, kind.p_value(z, chains), z / math.sqrt(chains), kind)


def _squares(
    about: Array, support: Support, chains: int, names: tuple[str, ...], slack: Array
) -> Iterator[Test]:
    kind = Scale()
    for name, weights in combinations(support.covariance, names):
        variance = float(weights @ support.covariance @ weights)
        moved = float(np.abs(weights) @ slack) / math.sqrt(variance)
        ratio = _nearer(float(weights @ about @ weights) / variance, 1.0, moved * (2 + moved))
        yield Test(name, chains * ratio, kind.p_value(chains * ratio, chains), ratio - 1, kind)


def _whole(mean: Array, about: Array, support: Support, chains: int, slack: Array) -> Iterator[Test]:
    """Common scale, whole mean and whole covariance, where there is more than one direction."""
    if len(support.outside):
        leak = support.leak(about)
        yield Test("outside the range", leak, support.leak_p_value(about, chains), leak)
    r = support.rank
    if r < 2:
        return
    shift, scatter = support.whitened(mean, about)
    moved = float(np.linalg.norm(np.abs(support.whiten) @ slack))
    scale, squared = float(np.trace(scatter)), max(float(np.linalg.norm(shift)) - moved, 0.0) ** 2
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
