"""Runs from the mode: their averages and empirical covariances, and what these are exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.onestep.momentstep import Moments, cycle_of
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.experiments.brosse2018.regression import trajectories
from verification.experiments.ensembles import interval
from verification.experiments.record import Amount

Array = Any
GROUPS = 10  # of trajectories: a fit in each gives an interval for the fit
_SETTLED = 400  # steps after which a linearised chain's covariance no longer changes


@dataclass(frozen=True)
class Length:
    """A run of n steps whose first ``burn`` are discarded."""

    n: int
    burn: int

    @classmethod
    def of(cls, gamma: float) -> Length:
        """n = 1/gamma, ten percent of it discarded.

        >>> Length.of(1 / 250)
        Length(n=250, burn=25)
        """
        n = round(1 / gamma)
        return cls(n, n // 10)

    @property
    def kept(self) -> int:
        """How many states are averaged."""
        return self.n - self.burn


@dataclass(frozen=True, eq=False)
class Runs:
    """Of each trajectory: its average less the mode, and the trace of its empirical covariance."""

    away: Array  # (trajectories, D)
    traces: Array

    @property
    def distances(self) -> Array:
        """Of each average from the mode."""
        return np.linalg.norm(self.away, axis=1)


def runs_of(
    sampler: str, problem: Problem, mode: Array, length: Length, chains: int, seed: int, device: str
) -> Runs:
    """Simulated trajectories."""
    paths = trajectories(
        sampler, problem, chains=chains, steps=length.n, every=1, seed=seed, device=device
    )
    return reduced(paths[:, length.burn + 1 :] - mode)


def reduced(kept: Array) -> Runs:
    """Averages and traces of states (trajectories, times, D).

    >>> found = reduced(np.array([[[0.0], [2.0]]]))
    >>> found.away.tolist(), found.traces.tolist()
    ([[1.0]], [2.0])
    """
    average = kept.mean(axis=1)
    squares = ((kept - average[:, None]) ** 2).sum(axis=(1, 2))
    return Runs(average, squares / (kept.shape[1] - 1))


@dataclass(frozen=True, eq=False)
class Exact:
    """Of a chain with linear gradients started at its mode: the covariance of a run's average, and the
    mean trace of the run's empirical covariance."""

    average: Array
    trace: float

    @property
    def mean_square(self) -> float:
        """Of the average's distance from the mode."""
        return float(np.trace(self.average))


def exact_runs(sampler: str, twin: Problem, length: Length) -> Exact:
    """Covariances step by step with real minibatches, as ``sgtheory.numbers.multiplicative`` moves them.

    What a state is to a later one is the mean step's power, so sums over pairs are geometric.
    """
    setting = Setting(registry.sampler(sampler, twin.params), twin.model)
    cycle = cycle_of(setting, twin.values(setting.sampler), 1)
    D = cycle.size
    unit = [cycle(Moments(e, np.zeros((D, D))), homogeneous=True).mean for e in np.eye(D)]
    step = np.array(unit).T
    now, covariances = Moments(np.zeros(D), np.zeros((D, D))), []
    for _ in range(min(length.n, _SETTLED)):
        now = cycle(now)
        covariances.append(now.second)
    inverse, total, traces = np.linalg.inv(np.eye(D) - step), np.zeros((D, D)), 0.0
    rates, modes = np.linalg.eig(step)
    back = np.linalg.inv(modes)
    for j in range(length.burn + 1, length.n + 1):
        P = covariances[min(j, len(covariances)) - 1]
        power = (modes * rates ** (length.n - j + 1)) @ back
        later = (inverse @ (step - power)).real @ P  # the sum of step^i P, i = 1 to n - j
        total += P + later + later.T
        traces += float(np.trace(P))
    average = total / length.kept**2
    return Exact(average, (traces - length.kept * float(np.trace(average))) / (length.kept - 1))


def mean_norm(centre: Array, covariance: Array) -> float:
    """The mean length of a normal vector, by one integral over the transform of its square.

    E sqrt(q) is the integral of (1 - E exp(-u^2 q)) / u^2 over u > 0, divided by sqrt(pi); along log u
    the trapezoidal rule is exact to rounding.

    >>> bool(abs(mean_norm(np.zeros(2), np.eye(2)) - (np.pi / 2) ** 0.5) < 1e-12)
    True
    """
    values, axes = np.linalg.eigh(covariance)
    along = (axes.T @ centre) ** 2
    scale = float(values.sum() + along.sum()) ** 0.5
    s = np.arange(-40.0, 40.0, 0.05)
    t = (np.exp(s) / scale)[:, None] ** 2
    log = -0.5 * np.log1p(2 * t * values).sum(axis=1) - (t * along / (1 + 2 * t * values)).sum(axis=1)
    return float(scale * 0.05 * (-np.expm1(log) * np.exp(-s)).sum() / np.pi**0.5)


def slope(places: Sequence[float], values: Sequence[float]) -> float:
    """Of a line through the logarithms.

    >>> round(slope([1, 10, 100], [3, 0.3, 0.03]), 9)
    -1.0
    """
    return float(np.polyfit(np.log(places), np.log(values), 1)[0])


def fitted(places: Sequence[float], values: Sequence[Array], intervals: int) -> Amount:
    """The slope of the averages over trajectories, ``values`` an array of them to each place.

    >>> round(fitted([1, 10], [np.ones(20), np.full(20, 0.1)], 1).value, 9)
    -1.0
    """
    groups = [[part.mean() for part in np.array_split(v, GROUPS)] for v in values]
    return interval([slope(places, g) for g in zip(*groups, strict=True)], intervals)
