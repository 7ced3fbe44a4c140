"""Bayesian logistic regression in numbers: a problem of arrays, its linearised twin, and one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.experiments.problems import problem_on

Array = Any


@dataclass(frozen=True, eq=False)
class Labelled:
    """Covariates in rows, labels -1 and 1."""

    X: Array
    y: Array

    def first(self, N: int) -> Labelled:
        """The set truncated to N examples."""
        return Labelled(self.X[:N], self.y[:N])

    @property
    def mirrored(self) -> Labelled:
        """Half of the covariates, each with both labels: the loss is even, its mode 0.

        >>> Labelled(np.eye(2), np.ones(2)).mirrored.y
        array([ 1., -1.])
        """
        half = self.X[: len(self.X) // 2]
        return Labelled(np.repeat(half, 2, axis=0), np.tile([1.0, -1.0], len(half)))


def problem_of(
    data: Labelled, S: int, params: Mapping[str, Any], start: Array, model: str = "logistic_regression"
) -> Problem:
    """A standard normal prior, minibatches of S with replacement.

    >>> data = Labelled(np.ones((4, 1)), np.array([1.0, 1.0, 1.0, -1.0]))
    >>> problem = problem_of(data, 2, {"gamma": 0.25}, np.zeros(1))
    >>> bool(problem.sizes["N"] == 4 and 0.3 < float(problem.examples.center[0]) < 0.6)
    True
    """
    content = {
        "model": model,
        "ridge": 1,
        "S": S,
        "params": {k: repr(float(v)) for k, v in params.items()},
        "start": {"theta": [repr(float(v)) for v in start]},
    }
    return problem_on(content, X=data.X, y=data.y)


def mode_of(data: Labelled) -> Array:
    """The minimiser of U, by Newton's method to rounding."""
    begin = np.zeros(data.X.shape[1])
    return np.asarray(problem_of(data, 1, {}, begin).examples.center, float)


def linearised(data: Labelled, mode: Array) -> Labelled:
    """Linear regression whose examples have the logistic ones' gradients and curvatures at the mode.

    Its mean is the mode itself, and its exact law is known: sqrt(w) x and sqrt(w) x.mode - r / sqrt(w)
    with r the derivative of an example's loss and w its curvature, both along x.

    >>> data = Labelled(np.array([[1.0], [2.0]]), np.array([1.0, -1.0]))
    >>> twin = linearised(data, mode_of(data))
    >>> bool(abs(problem_of(twin, 1, {}, np.zeros(1), "linear_regression").examples.center[0]
    ...          - mode_of(data)[0]) < 1e-12)
    True
    """
    margins = data.X @ mode
    slope = -data.y / (1 + np.exp(data.y * margins))
    root = 1 / (np.exp(margins / 2) + np.exp(-margins / 2))  # of s (1 - s)
    return Labelled(root[:, None] * data.X, root * margins - slope / root)


def mean_loss(data: Labelled, theta: Array) -> Array:
    """The mean of -log p(y | x, theta), for thetas in rows.

    >>> mean_loss(Labelled(np.ones((1, 1)), np.ones(1)), np.zeros((2, 1)))
    array([0.69314718, 0.69314718])
    """
    return np.logaddexp(0.0, -data.y[:, None] * (data.X @ np.atleast_2d(theta).T)).mean(axis=0)


def trajectories(
    sampler: str, problem: Problem, *, chains: int, steps: int, every: int, seed: int, device: str
) -> Array:
    """States after 0, every, 2 every, ... steps, an array (chains, times, D)."""
    from simulators.trace import trace

    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    values = problem.values(setting.sampler)
    found = trace(
        setting, values, chains=chains, steps=steps, every=every, seed=seed % 2**32, device=device
    )
    return found.states["theta"]


def gradient_variance(
    data: Labelled, S: int, thetas: Array, mode: Array | None, linear: bool = False
) -> Array:
    """The variance of N/S times a minibatch's sum of gradients, its mean over the dimension.

    At a given point it is N^2 / S times the variance of one example's gradient: no draw is needed.
    With a mode gradients are differences from those there, as in SGLDFP. Points are rows.

    >>> data = Labelled(np.array([[1.0], [1.0]]), np.array([1.0, -1.0]))
    >>> gradient_variance(data, 2, np.zeros((1, 1)), None)  # slopes -1/2 and 1/2
    array([0.5])
    """

    def slopes(at: Array) -> Array:
        margin, y = data.X @ at.T, data.y[:, None]
        return margin - y if linear else -y / (1 + np.exp(y * margin))

    weight = slopes(thetas)
    if mode is not None:
        weight -= slopes(mode[None])
    N = len(data.X)
    mean = data.X.T @ weight / N
    spread = (data.X**2).T @ weight**2 / N - mean**2
    return np.asarray(N**2 / S * spread.mean(axis=0))


def normal_problem(data: Labelled, mode: Array, S: int, params: Mapping[str, Any]) -> Problem:
    """The quadratic problem with the curvature and the gradient noise at the mode, started there."""
    examples = problem_of(data, S, {}, mode).examples
    A, C = (np.asarray(m, float) for m in (examples.curvature, examples.noise))
    content = {
        "model": "quadratic", "hessian": ((A + A.T) / 2).tolist(), "noise": ((C + C.T) / 2).tolist(),
        "N": len(data.X), "S": S, "params": {k: repr(float(v)) for k, v in params.items()},
        "start": {"theta": [0] * len(mode)},
    }  # fmt: skip
    return Problem.of(content)


def expected_loss(data: Labelled, mean: Array, covariance: Array) -> float:
    """The mean of ``mean_loss`` over a normal theta: each example's margin is normal, by quadrature.

    >>> one = Labelled(np.ones((1, 1)), np.ones(1))
    >>> bool(abs(expected_loss(one, np.zeros(1), np.zeros((1, 1))) - np.log(2)) < 1e-12)
    True
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(16)
    spread = np.sqrt(np.maximum(np.einsum("nd,nd->n", data.X @ covariance, data.X), 0.0))
    margins = (data.y * (data.X @ mean))[:, None] + spread[:, None] * nodes
    return float((np.logaddexp(0.0, -margins) @ weights).mean() / weights.sum())
