"""What a run's own estimate of a variance is: its mean and its scatter between runs, exactly.

A chain that is seen at n times is a normal vector. The variance that is estimated from it is a
quadratic form in that vector, so its mean and variance follow from the vector's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.numbers.modes import modes_of
from sgtheory.numbers.numeric import law
from sgtheory.onestep.affine import mode_form
from sgtheory.problem import Problem
from sgtheory.setting import Setting

Array = Any

_STEPS = 100_000  # tabled at once


def estimated(mean: Array, covariance: Array) -> tuple[float, float]:
    """Mean and standard deviation of the sample variance of a normal vector's entries.

    Of independent ones the variance is 2/(n - 1):

    >>> estimated(np.zeros(3), np.eye(3))
    (1.0, 1.0)
    """
    n = len(mean)
    centred = covariance - covariance.mean(0)
    centred = centred - centred.mean(1)[:, None]
    offset = mean - mean.mean()
    expected = (np.trace(centred) + offset @ offset) / (n - 1)
    scatter = 2 * np.sum(centred * centred.T) + 4 * offset @ centred @ offset
    return float(expected), float(scatter) ** 0.5 / (n - 1)


def windows(problem: Problem, window: int, n: int, coordinate: int) -> Array:
    """The covariance of a coordinate's means over n successive windows of settled constant SGD."""
    found = law("sgd", problem, average=window).require_stable().average
    assert found is not None
    setting = Setting(registry.sampler("sgd", problem.params), problem.model)
    modes = modes_of(mode_form(setting), problem.values(setting.sampler))
    factor = modes.M()[:, 0, 0] ** window
    later = modes.inverses[0] @ found.neighbour[:, coordinate]  # Cov(next window, this one)
    lags = np.empty(n)
    lags[0] = found.covariance[coordinate, coordinate]
    powers = factor[None] ** np.arange(n - 1)[:, None]
    lags[1:] = (powers * later) @ modes.bases[0][coordinate]
    apart = abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return lags[apart]


@dataclass(frozen=True, eq=False)
class Path:
    """A chain on a quadratic loss, seen at equal intervals, in modes: x = basis @ (mode coordinates).

    ``factors[k]`` takes it from time k to time k + 1; means and covariances are those at times 1, 2, ...
    """

    basis: Array
    factors: Array  # (n, D)
    means: Array  # (n, D), from the posterior's mode
    covariances: Array  # (n, D, D)

    def after(self, k: int) -> Path:
        """Without the first k times."""
        parts = (self.factors[k:], self.means[k:], self.covariances[k:])
        return Path(self.basis, *parts)

    def thinned(self, every: int) -> Path:
        """Seen at each so manieth time."""
        n = len(self.factors) // every * every
        grouped = self.factors[:n].reshape(-1, every, self.factors.shape[1]).prod(1)
        last = slice(every - 1, n, every)
        return Path(self.basis, grouped, self.means[last], self.covariances[last])

    def vector(self, coordinate: int) -> tuple[Array, Array]:
        """Mean and covariance of one coordinate at all times."""
        u = self.basis[coordinate]
        logs = np.cumsum(np.log(self.factors), axis=0)
        weights = self.covariances @ u
        covariance = np.zeros((len(logs), len(logs)))
        for a, share in enumerate(u):
            apart = np.minimum(logs[None, :, a] - logs[:, None, a], 0.0)
            covariance += share * np.exp(apart) * weights[:, a, None]
        covariance = np.triu(covariance)
        return self.means @ u, covariance + np.triu(covariance, 1).T

    def expected(self) -> Array:
        """The mean of the sample covariance from the first n times on, at n = 2, 3, ...: matrices."""
        V, mu, phi = self.covariances, self.means, self.factors
        joint, whole = V[0], V[0]  # Cov(sum so far, now), Var(sum so far)
        traces = np.cumsum(V + mu[:, :, None] * mu[:, None, :], axis=0)
        sums, found = np.cumsum(mu, axis=0), []
        for k in range(1, len(V)):
            ahead = joint * phi[k][None]
            whole = whole + ahead + ahead.T + V[k]
            joint = ahead + V[k]
            total = whole + np.outer(sums[k], sums[k])
            found.append((traces[k] - total / (k + 1)) / k)
        return self.basis @ np.array(found) @ self.basis.T


def scheduled(problem: Problem, every: int, n: int) -> Path:
    """``sgld_decreasing`` on a quadratic problem, seen n times, each time after so many steps."""
    setting = Setting(registry.sampler("sgld_decreasing", problem.params), problem.model)
    form, many = mode_form(setting), max(1, min(n, _STEPS // every))
    factors, noises, done = [], [], 0
    basis = inverse = np.empty(0)
    begin: Array = None
    while done < n:
        # the clock only appears in b + t: later steps are the first ones of a larger b
        b = problem.params["b"] + done * every
        values = problem.with_params(b=b).values(setting.sampler)
        modes = modes_of(form, values, min(many, n - done) * every)
        basis, inverse = modes.bases[0], modes.inverses[0]
        begin = np.array(list(map(float, values.start["theta"]))) if "theta" in values.start else None
        steps = modes.table[:, :, 0, 0].reshape(-1, every, modes.size[0])
        later = np.cumprod(steps[:, ::-1], axis=1)[:, ::-1]
        factors.append(later[:, 0])
        later = np.concatenate([later[:, 1:], np.ones_like(later[:, :1])], axis=1)
        noises.append(_gathered(modes.columns, later))
        done += len(steps)
    start = np.zeros(len(basis)) if begin is None else inverse @ begin
    return _run(basis, np.concatenate(factors), np.concatenate(noises), start)


def _gathered(columns: Any, later: Array) -> Array:
    """The noise of all steps between two looks, each carried on by the steps after it."""
    found = 0.0
    for shared, coefficients in columns:
        w = coefficients[:, :, 0].reshape(later.shape) * later
        found = found + shared * (w.transpose(0, 2, 1) @ w)
    return found


def _run(basis: Array, factors: Array, noises: Array, start: Array) -> Path:
    mean, V = start, np.zeros((len(start), len(start)))
    means, covariances = [], []
    for phi, Q in zip(factors, noises, strict=True):
        mean, V = phi * mean, np.outer(phi, phi) * V + Q
        means.append(mean)
        covariances.append(V)
    return Path(basis, factors, np.array(means), np.array(covariances))
