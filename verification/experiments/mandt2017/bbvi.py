"""Black box variational inference: independent normals, fitted with reparametrised gradients.

theta = mu + s z with z standard normal; the gradient of the evidence bound in mu and log s is that of
the log posterior, carried through this. For a normal posterior of precision P the optimum is mu = the
mode and s_i^2 = 1/P_ii: what the fit is held against. How the paper's was optimised is not printed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
Gradient = Callable[[Array, Any], Array]  # of the log posterior, at points in rows, from a generator


@dataclass(frozen=True, eq=False)
class MeanField:
    """Independent normals."""

    mean: Array
    deviation: Array

    @property
    def covariance(self) -> Array:
        """A diagonal matrix."""
        return np.diag(self.deviation**2)


def bound_gradient(gradient: Gradient, q: MeanField, z: Array, rng: Any) -> tuple[Array, Array]:
    """Of the evidence bound in the mean and the logarithms of the deviations, from draws z in rows.

    >>> q = MeanField(np.array([1.0]), np.array([0.5]))
    >>> bound_gradient(lambda x, rng: -x, q, np.array([[2.0], [-2.0]]), None)
    (array([-1.]), array([0.]))
    """
    slopes = gradient(q.mean + q.deviation * z, rng)
    return slopes.mean(axis=0), (slopes * z).mean(axis=0) * q.deviation + 1.0


def fit(
    gradient: Gradient, start: MeanField, rng: Any, *, steps: int, draws: int, rate: float = 0.1
) -> MeanField:
    """Ascend the bound with decreasing steps; the second half of the way is averaged.

    Steps are in the units of q (its Fisher information): no scale of theta has to be known.
    """
    mean, log_s = start.mean.copy(), np.log(start.deviation)
    total, kept = np.zeros((2, len(mean))), 0
    for t in range(steps):
        q = MeanField(mean, np.exp(log_s))
        half = rng.standard_normal((draws // 2, len(mean)))
        z = np.concatenate([half, -half])  # a minibatch's mean slope then leaves log s alone
        by_mean, by_log = bound_gradient(gradient, q, z, rng)
        now = rate / (1 + 10 * t / steps)
        mean = mean + now * q.deviation**2 * by_mean
        # a first step that is too large must not throw a deviation away
        log_s = log_s + now * np.clip(by_log / 2, -5.0, 5.0)
        if 2 * t >= steps:
            total, kept = total + np.stack([mean, log_s]), kept + 1
    return MeanField(total[0] / kept, np.exp(total[1] / kept))


def of_normal(precision: Array, mode: Array) -> Gradient:
    """The gradient of a normal log posterior."""
    return lambda points, rng: -(points - mode) @ precision


def of_logistic(X: Array, y: Array, ridge: float, batch: int) -> Gradient:
    """The gradient of logistic regression's log posterior from a minibatch, scaled to all examples."""

    def gradient(points: Array, rng: Any) -> Array:
        chosen = rng.integers(0, len(X), batch)
        rows, labels = X[chosen], y[chosen]
        weights = labels / (1 + np.exp(labels * (points @ rows.T)))
        return weights @ rows * (len(X) / batch) - ridge * points

    return gradient
