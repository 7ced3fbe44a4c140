"""Invariant laws on one-dimensional logistic regression, to rounding: no chain is simulated.

Examples are of a few kinds, all as frequent, so that a minibatch of one has few outcomes, however many
examples there are. With injected noise the density of a step is known, and sums over equally spaced
points are exact but for terms that are exponentially small. Without it the law has no density, but a
step takes smooth functions to smooth ones, which polynomials through Chebyshev's points hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

Array = Any

_WIDE, _DENSE = 10.0, 1.25  # standard deviations to each side; points to a standard deviation of a step
_NODES = 160
_POSTERIOR = "posterior"


@dataclass(frozen=True)
class Logistic:
    """Kinds of examples: ``X`` and ``y`` in turn, a standard normal prior, ``N`` examples in all."""

    X: tuple[float, ...]
    y: tuple[float, ...]
    N: int

    @property
    def each(self) -> float:
        """How many examples there are of each kind."""
        return self.N / len(self.X)

    def slopes(self, theta: Array, order: int = 1) -> Array:
        """A derivative of the loss of one example of each kind, (kinds, places)."""
        x, y = (np.array(v)[:, None] for v in (self.X, self.y))
        s = 1 / (1 + np.exp(-x * theta))
        if order == 1:
            return x * (s - y)
        if order == 2:
            return x**2 * s * (1 - s)
        return x**3 * s * (1 - s) * (1 - 2 * s)

    def total(self, theta: Array, order: int = 1) -> Array:
        """A derivative of U."""
        prior = {1: theta, 2: 1.0}.get(order, 0.0)
        return prior + self.each * self.slopes(theta, order).sum(axis=0)

    def potential(self, theta: Array) -> Array:
        """U itself."""
        x, y = (np.array(v)[:, None] for v in (self.X, self.y))
        return theta**2 / 2 + self.each * (np.logaddexp(0, x * theta) - y * x * theta).sum(axis=0)

    @property
    def mode(self) -> float:
        """By Newton's method."""
        at = np.zeros(1)
        for _ in range(60):
            at = at - self.total(at) / self.total(at, 2)
        return float(at[0])


@dataclass(frozen=True)
class Moments:
    """First and second moments about the mode; ``gradient`` is the mean variance of its estimate.

    ``summed`` is the sum of all autocovariances: the variance of a long average, times its length.
    """

    mean: float
    second: float
    gradient: float = 0.0
    summed: float = 0.0


@cache
def moments(sampler: str, data: Logistic, gamma: float) -> Moments:
    """Of the invariant law of a sampler with minibatches of one, or of the posterior itself.

    >>> data = Logistic((1.0, 2.0, 1.0), (1.0, 0.0, 0.0), 300)
    >>> found = moments("lmc", data, 1 / 600), moments("posterior", data, 0.0)
    >>> [f"{m.second * data.total(np.array([data.mode]), 2)[0]:.4f}" for m in found]
    ['1.1045', '1.0087']
    """
    if sampler == _POSTERIOR:
        return _of_density(data)
    return _without_noise(data, gamma) if sampler == "sgd" else _with_noise(sampler, data, gamma)


def _moves(sampler: str, data: Logistic, gamma: float, theta: Array) -> Array:
    """Where a step leads without noise, (outcomes, places); outcomes are as likely as one another."""
    if sampler == "lmc":
        return (theta - gamma * data.total(theta))[None, :]
    away = data.N * data.slopes(theta)
    if sampler == "sgldfp":
        mode = np.array([data.mode])
        return theta - gamma * (theta - mode + away - data.N * data.slopes(mode))
    return theta - gamma * (theta + away)


def _of_density(data: Logistic) -> Moments:
    deviation = data.total(np.array([data.mode]), 2)[0] ** -0.5
    x = np.linspace(-_WIDE, _WIDE, 2001) * deviation
    weight = np.exp(data.potential(np.array([data.mode])) - data.potential(data.mode + x))
    return _summed(x, weight / weight.sum())


def _with_noise(sampler: str, data: Logistic, gamma: float) -> Moments:
    width = _WIDE * _deviation(sampler, data, gamma)
    step = (2 * gamma) ** 0.5
    count = int(np.ceil(2 * width / step * _DENSE)) | 1
    x = np.linspace(-width, width, count)
    moved = _moves(sampler, data, gamma, data.mode + x) - data.mode
    P = np.exp(-((x[None, None, :] - moved[:, :, None]) ** 2) / (4 * gamma)).mean(axis=0)
    P *= (x[1] - x[0]) / (2 * step * (np.pi / 2) ** 0.5)
    return _of_chain(sampler, data, x, P)


def _without_noise(data: Logistic, gamma: float) -> Moments:
    """Functions at Chebyshev's points of an interval that no outcome leads out of."""
    width = 1.0
    while (
        abs(_moves("sgd", data, gamma, data.mode + width * np.array([-1.0, 1.0])) - data.mode).max()
        > width
    ):
        width *= 1.2
    u = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
    moved = (_moves("sgd", data, gamma, data.mode + width * u) - data.mode) / width
    vander = np.polynomial.chebyshev.chebvander
    back = np.linalg.inv(vander(u, _NODES - 1))
    P = sum(vander(m, _NODES - 1) for m in moved) / len(moved) @ back
    return _of_chain("sgd", data, width * u, P)


def _of_chain(sampler: str, data: Logistic, x: Array, P: Array) -> Moments:
    """Of places about the mode, and the operator there."""
    weight = _fixed(P)
    mean = float(weight @ x)
    answer = np.linalg.solve(np.eye(len(x)) - P + weight[None, :], x - mean)
    summed = 2 * weight @ ((x - mean) * answer) - weight @ (x - mean) ** 2
    slopes = data.slopes(data.mode + x)
    if sampler == "sgldfp":
        slopes = slopes - data.slopes(np.array([data.mode]))
    noise = 0.0 if sampler == "lmc" else float(weight @ slopes.var(axis=0)) * data.N**2
    return Moments(mean, float(weight @ x**2), noise, float(summed))


def _fixed(P: Array) -> Array:
    """The weights w of sum 1 with w P = w."""
    rows = P.T - np.eye(len(P))
    rows[0] = 1.0
    return np.linalg.solve(rows, np.eye(len(P))[0])


def _deviation(sampler: str, data: Logistic, gamma: float) -> float:
    """Of the linearised chain, with all the noise that there is at the mode."""
    at = np.array([data.mode])
    curvature = data.total(at, 2)[0]
    noise = data.N**2 * data.slopes(at).var() if sampler == "sgld" else 0.0
    return float(((2 + gamma * noise) / curvature) ** 0.5)


def _summed(x: Array, weight: Array) -> Moments:
    return Moments(float(weight @ x), float(weight @ x**2))
