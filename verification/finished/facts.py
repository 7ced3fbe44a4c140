"""What a run shows beside what it should: moments and effective sizes; errors count autocorrelation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.notation.display import Shown
from verification.finished.steps import Step

Array = Any


@dataclass(repr=False, frozen=True)
class Fact(Shown):
    """A quantity for each coordinate: measured, foretold, and the standard error of what is measured."""

    name: str
    measured: Array
    foretold: Array
    error: Array

    @property
    def off(self) -> Array:
        """How far it is off, in standard errors."""
        return (self.measured - self.foretold) / np.where(self.error > 0, self.error, np.inf)

    def to_json(self) -> dict[str, Any]:
        """As it stands in the document."""
        return {
            "measured": self.measured.tolist(),
            "foretold": self.foretold.tolist(),
            "error": self.error.tolist(),
        }


def facts(step: Step, positions: Array, curvature: Array, sharpness: float | None) -> tuple[Fact, ...]:
    """Means, variances, autocovariances at a few lags, and the temperature of all coordinates.

    Errors are those of a settled normal chain. Variances are about the foretold mean. The temperature
    is that of positions, E[(theta - mode) . N grad L]/D; ``sharpness`` is N over the target's own.
    """
    chains, n, _ = positions.shape
    gammas, away = step.correlations(n), positions - step.rest[step.seen]
    now = gammas[:, 0]
    mean = Fact(
        "mean", positions.mean(axis=(0, 1)), step.rest[step.seen], np.sqrt(_of_mean(gammas, n) / chains)
    )
    found = [
        mean,
        Fact("variance", (away**2).mean(axis=(0, 1)), now, np.sqrt(of_product(gammas, 0, n) / chains)),
    ]
    for lag in _lags(gammas, n):
        seen = (away[:, lag:] * away[:, : n - lag]).mean(axis=(0, 1))
        error = np.sqrt(of_product(gammas, lag, n) / chains)
        name = f"autocovariance {lag} {'draws' if lag > 1 else 'draw'} apart"
        found.append(Fact(name, seen, _at(gammas, lag), error))
    if sharpness is not None:
        found.append(_temperature(step, away, curvature, sharpness))
    return tuple(found)


def _temperature(step: Step, away: Array, curvature: Array, sharpness: float) -> Fact:
    """Of all coordinates together, along the curvature's axes: one number."""
    chains, n, D = away.shape
    values, axes = np.linalg.eigh(curvature)
    weights = sharpness * values / D
    measured = float((((away @ axes) ** 2).mean(axis=(0, 1)) * weights).sum())
    turned = axes.T @ step.settled[step.seen, step.seen] @ axes
    foretold = float((np.diag(turned) * weights).sum())
    full = np.zeros((len(step.M), D))
    full[step.seen] = axes
    z, vectors = np.linalg.eig(step.M)
    # Cov over the run of quadratic forms: traces of products of whole autocovariances, lag by lag
    lags = step.correlations(n).shape[1]
    total, P = 0.0, step.settled.astype(complex)
    left, right = full.T @ vectors, np.linalg.solve(vectors, P @ full)
    for k in np.unique(np.r_[np.arange(min(lags, 64)), _thinly(lags)]):
        gap = _gap(int(k), lags)
        cross = ((left * z**k) @ right).real
        total += gap * (1 - k / n) * (1 if k == 0 else 2) * float(weights @ cross**2 @ weights)
    error = np.sqrt(2 * max(total, 0.0) / (n * chains))
    return Fact("temperature", np.array([measured]), np.array([foretold]), np.array([error]))


def _thinly(lags: int) -> Array:
    """Lags from 64 on that stand for those up to the next: sums over slow decay need no more."""
    return np.arange(64, lags, max((lags - 64) // 2000, 1)) if lags > 64 else np.zeros(0, int)


def _gap(k: int, lags: int) -> float:
    return 1.0 if k < 64 else float(max((lags - 64) // 2000, 1))


def _lags(gammas: Array, n: int) -> list[int]:
    """One draw, and about half a correlation time and twice it, of the slowest coordinate."""
    time = float(times(gammas, n).max())
    return sorted({k for k in (1, round(time / 2), round(2 * time)) if 1 <= k < n // 2})


def _at(gammas: Array, lag: int) -> Array:
    return gammas[:, lag] if lag < gammas.shape[1] else np.zeros(len(gammas))


def times(gammas: Array, n: int) -> Array:
    """Correlation times in draws: how much more variance a mean has than of independent draws."""
    return n * _of_mean(gammas, n) / gammas[:, 0]


def _of_mean(gammas: Array, n: int) -> Array:
    k = np.arange(1, gammas.shape[1])
    return (gammas[:, 0] + 2 * (gammas[:, 1:] * (1 - k / n)).sum(axis=1)) / n


def of_product(gammas: Array, lag: int, n: int) -> Array:
    """The variance of the mean over a run of x(t) x(t + lag), by Isserlis' theorem."""
    many, long = n - lag, gammas.shape[1] + lag
    padded = np.concatenate([gammas, np.zeros((len(gammas), long + lag + 1 - gammas.shape[1]))], axis=1)
    j = np.arange(min(long, many))
    terms = padded[:, j] ** 2 + padded[:, j + lag] * padded[:, np.abs(j - lag)]
    weights = (1 - j / many) * np.where(j > 0, 2, 1)
    return np.asarray((terms * weights).sum(axis=1) / many)


def estimated_sizes(positions: Array) -> Array:
    """Effective sizes for means as ArviZ estimates them: split chains, Geyer's initial sequence.

    >>> x = np.random.default_rng(0).standard_normal((4, 1000, 1))
    >>> round(float(estimated_sizes(x)[0]), -3)
    4000.0
    """
    return np.array([_geyer(positions[:, :, i]) for i in range(positions.shape[2])])


def _geyer(x: Array) -> float:
    half = x.shape[1] // 2
    split = np.concatenate([x[:, :half], x[:, -half:]])
    m, n = split.shape
    if n < 4:
        return float("nan")
    gammas = _autocovariances(split)
    inside = gammas[:, 0].mean() * n / (n - 1)
    total = inside * (n - 1) / n + split.mean(axis=1).var(ddof=1)
    if not total > 0:
        return float("nan")
    rho = 1 - (inside - gammas.mean(axis=0) * n / (n - 1)) / total
    rho[0] = 1.0
    pairs = rho[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    kept = np.minimum.accumulate(pairs[: ends[0] if len(ends) else len(pairs)])
    return float(min(m * n / max(2 * kept.sum() - 1, 1 / np.log10(m * n)), m * n * np.log10(m * n)))


def _autocovariances(x: Array) -> Array:
    """Of every row about its mean, divisor n, by Fourier's transform."""
    n = x.shape[1]
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(x - x.mean(axis=1, keepdims=True), size)) ** 2
    return np.fft.irfft(spectrum, size)[:, :n] / n
