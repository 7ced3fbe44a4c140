"""Independent terms whose mean is tested: products of what each chain deviates, or values of batches.

A recording to order 4 knows the variance of every first and second product, so that standard errors
need no assumption about the law. Of first products it knows skewness and kurtosis as well. Those of
second products need moments to order 8; batches, each an ensemble with a stream of its own, show them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from simulators.record import Factor, Monomial, Recorded

Array = Any


@dataclass(frozen=True, eq=False)
class Terms:
    """The moments of independent, equally distributed terms, and what their means are held against."""

    names: tuple[str, ...]
    exact: Array  # the mean that each should have
    mean: Array
    variance: Array  # of one term, divisor count - 1
    skewness: Array  # nan where it is not known
    kurtosis: Array  # the excess over 3; nan where it is not known
    count: int

    @classmethod
    def of_batches(
        cls, means: Array, covariances: Array, exact_mean: Array, exact: Array, names: Sequence[str]
    ) -> Terms:
        """From the sample means (batches, m) and covariances (batches, m, m) of batches of one size.

        >>> x = np.random.default_rng(0).standard_normal((50, 100, 1))
        >>> covariances = x.var(axis=1)[:, :, None]
        >>> terms = Terms.of_batches(x.mean(axis=1), covariances, np.zeros(1), np.eye(1), ["x"])
        >>> terms.names, terms.count
        (('mean x', 'var x'), 50)
        """
        away = np.asarray(means, float) - exact_mean
        about = np.asarray(covariances, float) + away[:, :, None] * away[:, None, :]
        i, j = np.triu_indices(len(exact_mean))
        values = np.concatenate([away, about[:, i, j]], axis=1)
        count, middle = len(values), values.mean(axis=0)
        if count < 4:
            raise UnusableInput("at least 4 batches", str(count), "split the chains into more")
        d = values - middle
        spread = (d**2).mean(axis=0)
        with np.errstate(invalid="ignore"):
            skewness = (d**3).mean(axis=0) / spread**1.5
            kurtosis = (d**4).mean(axis=0) / spread**2 - 3
        told = np.concatenate([np.zeros(len(exact_mean)), np.asarray(exact, float)[i, j]])
        labels = _labels(names)
        return cls(labels, told, middle, spread * count / (count - 1), skewness, kurtosis, count)

    @classmethod
    def of_recording(
        cls,
        found: Recorded,
        chains: int,
        exact_mean: Array,
        exact: Array,
        states: Sequence[str],
        names: Sequence[str],
    ) -> Terms:
        """From a recording of ``fourth_order`` at one step, and the law of the stacked states."""
        numbers = _numbers(states, len(exact_mean) // len(states))
        known = dict(zip(found.recording.monomials, found.mean.tolist(), strict=True))  # type: ignore[union-attr]
        shift = {f: float(found.centre[f.state][f.coordinate]) - float(m)
                 for f, m in zip(numbers, exact_mean, strict=True)}  # fmt: skip
        away = _About(known, shift)
        firsts = [(f,) for f in numbers]
        seconds = list(combinations_with_replacement(numbers, 2))
        raw = np.array([[away(m * power) for power in (1, 2, 3, 4)] for m in firsts])
        mean = np.array([*raw[:, 0], *(away(m) for m in seconds)])
        square = np.array([*raw[:, 1], *(away(m * 2) for m in seconds)])
        spread = np.clip(square - mean**2, 0, None)
        unknown = np.full(len(seconds), np.nan)
        m1, m2, m3, m4 = raw.T
        with np.errstate(invalid="ignore", divide="ignore"):
            v = m2 - m1**2
            skewness = (m3 - 3 * m1 * m2 + 2 * m1**3) / v**1.5
            kurtosis = (m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4) / v**2 - 3
        i, j = np.triu_indices(len(exact_mean))
        told = np.concatenate([np.zeros(len(exact_mean)), np.asarray(exact, float)[i, j]])
        return cls(
            _labels(names), told, mean, spread * chains / (chains - 1),
            np.concatenate([skewness, unknown]), np.concatenate([kurtosis, unknown]), chains,
        )  # fmt: skip


def fourth_order(states: Sequence[str], dimension: int) -> tuple[Monomial, ...]:
    """All monomials up to the fourth of some states together, for a recording.

    >>> len(fourth_order(("theta", "v"), 1))
    14
    """
    numbers = _numbers(states, dimension)
    return tuple(m for k in range(1, 5) for m in combinations_with_replacement(numbers, k))


def _numbers(states: Sequence[str], dimension: int) -> list[Factor]:
    return [Factor(s, k) for s in states for k in range(dimension)]


def _labels(names: Sequence[str]) -> tuple[str, ...]:
    pairs = [
        f"var {a}" if i == j else f"cov {a}, {b}"
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i <= j
    ]
    return (*(f"mean {n}" for n in names), *pairs)


@dataclass(frozen=True)
class _About:
    """Means of products about one point from those about another: each factor is moved by its shift."""

    known: Mapping[Monomial, float]
    shift: Mapping[Factor, float]

    def __call__(self, monomial: Monomial) -> float:
        total = 0.0
        for kept in range(2 ** len(monomial)):
            inside = tuple(sorted(f for b, f in enumerate(monomial) if kept >> b & 1))
            moved = [self.shift[f] for b, f in enumerate(monomial) if not kept >> b & 1]
            total += (self.known[inside] if inside else 1.0) * float(np.prod(moved))
        return total
