"""An ensemble that is looked at batch by batch, and stops when the matter is decided either way.

Batches of chains have streams of their own, so that all chains are independent. After each, the
e-values of all entries are averaged: the average is an e-process again, and rejects at 1/false_alarm.
Confidence sequences of all entries within the margin confirm. Both hold however often one looks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from verification.statistics.equivalence import Entry, inside
from verification.statistics.exact import combinations
from verification.statistics.mixtures import MeanMixture, ScaleMixture

Array = Any


@dataclass(frozen=True, eq=False)
class Watch:
    """What is known after some batches, against an exact Gaussian law.

    ``effect`` is the size of the errors that the mixtures look for: chains of a plan that resolves it
    are enough, up to a factor of about one and a half.

    >>> source = np.random.default_rng(0)
    >>> watch = Watch.of(np.zeros(1), np.eye(1), effect=0.1, false_alarm=1e-3, margin=0.2)
    >>> while watch.decision == "undecided":
    ...     x = source.standard_normal((500, 1)) * 1.1
    ...     watch = watch.add(500, x.mean(0), np.cov(x.T, bias=True).reshape(1, 1))
    >>> watch.decision, watch.chains
    ('rejected', 1500)
    """

    mean: Array
    covariance: Array
    effect: float
    false_alarm: float
    margin: float
    false_confirmation: float
    first: Array  # sums about the exact mean
    second: Array
    names: tuple[str, ...]
    chains: int = 0
    looks: int = 0

    @classmethod
    def of(
        cls,
        mean: Array,
        covariance: Array,
        *,
        effect: float,
        false_alarm: float,
        margin: float,
        false_confirmation: float | None = None,
        names: tuple[str, ...] | None = None,
    ) -> Watch:
        """Before the first batch."""
        if not (0 < false_alarm < 1 and effect > 0 and margin > 0):
            raise UnusableInput(
                "a false alarm between 0 and 1, and an effect and a margin above 0",
                f"{false_alarm:g}, {effect:g}, {margin:g}",
                "change them",
            )
        mean, covariance = np.asarray(mean, float), np.asarray(covariance, float)
        names = names or tuple(str(k) for k in range(len(mean)))
        wrong = false_alarm if false_confirmation is None else false_confirmation
        zero = np.zeros(len(mean))
        empty = np.zeros_like(covariance)
        return cls(mean, covariance, effect, false_alarm, margin, wrong, zero, empty, names)

    def add(self, chains: int, mean: Array, covariance: Array) -> Watch:
        """After one more batch: its sample mean and covariance (divisor n)."""
        away = np.asarray(mean, float) - self.mean
        about = np.asarray(covariance, float) + np.outer(away, away)
        return replace(
            self,
            first=self.first + chains * away,
            second=self.second + chains * about,
            chains=self.chains + chains,
            looks=self.looks + 1,
        )

    @property
    def log_e(self) -> dict[str, float]:
        """The logarithm of the e-value of every entry."""
        means, scales = MeanMixture(self.effect), ScaleMixture(self.effect)
        sigma, found = np.sqrt(np.clip(np.diag(self.covariance), 0, None)), {}
        for k, name in enumerate(self.names):
            if sigma[k] > 0:
                found[f"mean {name}"] = means.log_e(float(self.first[k] / sigma[k]), self.chains)
        for name, weights in combinations(self.covariance, self.names):
            unit = float(weights @ self.covariance @ weights)
            squares = float(weights @ self.second @ weights) / unit
            found[name] = scales.log_e(squares, self.chains)
        return found

    @property
    def evidence(self) -> float:
        """The logarithm of the average e-value."""
        values = np.array(list(self.log_e.values()))
        top = float(values.max())
        return top + math.log(float(np.exp(values - top).mean()))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Confidence sequences of all deviations, in the units of an equivalence."""
        return tuple(self._entries()) if self.chains else ()

    def _entries(self) -> Iterator[Entry]:
        sigma, level = np.sqrt(np.clip(np.diag(self.covariance), 0, None)), self.false_confirmation
        moving = [k for k in range(len(sigma)) if sigma[k] > 0]
        reach = MeanMixture(self.effect).reach(self.chains, level)
        for k in moving:
            middle = float(self.first[k] / sigma[k]) / self.chains
            yield Entry(f"mean {self.names[k]}", middle - reach, middle + reach)
        for i in moving:
            low, high = self._scale(i, i, 0, level)
            yield Entry(f"var {self.names[i]}", low - 1, high - 1)
            for j in (k for k in moving if k > i):
                above, below = self._scale(i, j, 1, level / 2), self._scale(i, j, -1, level / 2)
                exact = float(self.covariance[i, j] / (sigma[i] * sigma[j]))
                low, high = (above[0] - below[1]) / 4 - exact, (above[1] - below[0]) / 4 - exact
                yield Entry(f"cov {self.names[i]}, {self.names[j]}", low, high)

    def _scale(self, i: int, j: int, sign: int, level: float) -> tuple[float, float]:
        """For the variance of standardised x_i + sign x_j."""
        weights = np.zeros(len(self.mean))
        weights[i] = 1 / math.sqrt(self.covariance[i, i])
        if sign:
            weights[j] = sign / math.sqrt(self.covariance[j, j])
        squares = max(float(weights @ self.second @ weights), 0.0)
        low, high = ScaleMixture(self.effect).bounds(self.chains, level)
        return squares / high, squares / low if low > 0 else math.inf

    @property
    def decision(self) -> str:
        """``rejected``, ``confirmed`` within the margin, or ``undecided``."""
        if not self.chains:
            return "undecided"
        if self.evidence >= -math.log(self.false_alarm):
            return "rejected"
        far = max(entry.smallest_margin for entry in self.entries)
        return "confirmed" if far < self.margin else "undecided"


def until_decided(watch: Watch, batches: Iterable[tuple[int, Array, Array]], most: int) -> Watch:
    """Add batches (chains, mean, covariance), one by one, until it is decided or there are enough.

    >>> rng = np.random.default_rng(0)
    >>> samples = (rng.standard_normal((1000, 1)) for _ in range(99))
    >>> batches = ((1000, x.mean(0), np.cov(x.T, bias=True).reshape(1, 1)) for x in samples)
    >>> watch = Watch.of(np.zeros(1), np.eye(1), effect=0.1, false_alarm=1e-3, margin=0.2)
    >>> until_decided(watch, batches, most=50_000).decision
    'confirmed'
    """
    for batch in batches:
        if watch.decision != "undecided" or watch.chains >= most:
            break
        watch = watch.add(*batch)
    return watch


@dataclass(frozen=True)
class SequentialConfirmation:
    """Planning: a variance that is exactly right is confirmed when that many chains are there.

    >>> from verification.statistics.planning import chains_for
    >>> chains_for(0.01, 1e-3, 0.99, SequentialConfirmation(0.01))
    932112
    """

    effect: float

    def power(self, effect: float, chains: int, level: float) -> float:
        """The probability that the confidence sequence is then within the margin ``effect``."""
        low, high = ScaleMixture(self.effect).bounds(chains, level)
        return inside(low, high, abs(effect), chains)
