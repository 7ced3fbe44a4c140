"""Two samples of unknown law: are they of the same? Exact tests by counts among pooled ranks.

Of two samples of independent draws of one law every assignment of the pooled values to the samples is
equally likely. So how many values of the first lie in a region that the pooled ranks define, such as
below the median or within the inner 86 %, is hypergeometric whatever the law is: no moment need exist.
What a linear combination is scaled by, and its sign, may depend on the pooled sample, too.

Programs differ by rounding, which would decide where many values are equal. Each number gets a small
normal number of its own, far larger than what float32 rounds and far smaller than the spread.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from verification.statistics.planning import POWER, detectable
from verification.statistics.records import Comparison, Test

Array = Any

INNER = 0.86  # the inner share of a normal law that tells most of its scale
TAIL = (1 - INNER) / 2
_BLUR, _GRAIN = 2.0**-8, 2.0**-14  # of a spread, and of the size of the numbers
_LEAST = 1e-25  # of a tail: what is left out of its sum


@dataclass(frozen=True)
class Inside:
    """How many of the first sample lie within the inner share of the pooled one; sees scale.

    Of a normal law whose variance is off by a relative ``effect``; by the normal approximation.

    >>> kind = Inside(1.0)
    >>> kind.power(0.1, 50_000, 1e-9) > 0.99 > kind.power(0.1, 40_000, 1e-9)
    True
    """

    ratio: float  # chains of the other sample to one of this
    inner: float = INNER

    def p_value(self, statistic: float, chains: int) -> float:
        """Of a count."""
        n = chains + round(self.ratio * chains)
        low, high = edges(n, (1 - self.inner) / 2)
        return hypergeometric(int(statistic), chains, n, high - low)

    def power(self, effect: float, chains: int, level: float) -> float:
        """Both samples' shares inside, where the pooled ranks cut."""
        from scipy.special import ndtr

        if effect <= -1:
            return 1.0
        scale = math.sqrt(1 + effect)

        def share(cut: float, s: float) -> float:
            return float(2 * ndtr(cut / s) - 1)

        return _power(share, scale, 1.0, self.inner, self.ratio, chains, level)


@dataclass(frozen=True)
class Below:
    """How many of the first sample lie below a pooled quantile; sees a shift, in standard deviations.

    >>> Below(1.0).power(0.07, 40_000, 1e-9) > 0.95
    True
    """

    ratio: float
    quantile: float = 0.5

    def p_value(self, statistic: float, chains: int) -> float:
        """Of a count."""
        n = chains + round(self.ratio * chains)
        return hypergeometric(int(statistic), chains, n, edges(n, self.quantile)[0])

    def power(self, effect: float, chains: int, level: float) -> float:
        """Of a shift of a normal law."""
        from scipy.special import ndtr

        def share(cut: float, shift: float) -> float:
            return float(ndtr(cut - shift))

        return _power(share, effect, 0.0, self.quantile, self.ratio, chains, level)


def _power(
    share: Any, mine: float, others: float, pooled: float, ratio: float, chains: int, level: float
) -> float:
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    def gap(cut: float) -> float:
        return (share(cut, mine) + ratio * share(cut, others)) / (1 + ratio) - pooled

    cut = float(brentq(gap, -50, 50))
    p = share(cut, mine)
    spread = math.sqrt(chains * pooled * (1 - pooled) * ratio / (1 + ratio))
    away = chains * abs(p - pooled) / spread
    return float(ndtr(away + ndtri(level / 2)))


def edges(n: int, tail: float) -> tuple[int, int]:
    """How many of n pooled values lie below the tail's quantile, and below that of the other tail."""
    low = round(n * tail)
    return low, n - low


def hypergeometric(found: int, drawn: int, n: int, marked: int) -> float:
    """Twice the smaller tail of a count: ``found`` of ``drawn`` are marked, as ``marked`` of n are.

    >>> round(hypergeometric(0, 5, 10, 5), 6)  # 2/252
    0.007937
    """
    least, most = max(0, drawn + marked - n), min(drawn, marked)
    down = found <= drawn * marked / n
    ends = (least, found) if down else (found, most)
    return min(1.0, 2 * _tail(found, drawn, n, marked, ends))


def _tail(found: int, drawn: int, n: int, marked: int, ends: tuple[int, int]) -> float:
    """The sum of probabilities from a count outward: terms fall faster and faster."""
    from scipy.special import gammaln

    def choose(a: int, b: int) -> float:
        return float(gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1))

    first = choose(marked, found) + choose(n - marked, drawn - found) - choose(n, drawn)
    spread = math.sqrt(drawn * marked / n * (1 - marked / n) * (1 - drawn / n)) + 1
    reach = int(math.sqrt(-2 * math.log(_LEAST)) * spread) + 20
    low, high = max(ends[0], found - reach), min(ends[1], found + reach)
    if found == ends[1]:  # downward: P(k - 1) / P(k)
        k = np.arange(found, low, -1, dtype=float)
        ratios = k * (n - marked - drawn + k) / ((marked - k + 1) * (drawn - k + 1))
    else:
        k = np.arange(found, high, dtype=float)
        ratios = (marked - k) * (drawn - k) / ((k + 1) * (n - marked - drawn + k + 1))
    return math.exp(first) * (1 + float(np.cumprod(ratios).sum()))


@dataclass(frozen=True)
class TwoSample(Comparison):
    """All counts of two samples; what would have been seen is said for normal laws."""

    ratio: float = 1.0

    @cached_property
    def resolution(self) -> float:
        """The relative error of a variance that would have been seen with probability 0.99."""
        return detectable(self.chains, self.threshold, POWER, Inside(self.ratio))


def compare_samples(
    mine: Array, others: Array, false_alarm: float, names: Sequence[str], seed: int = 0
) -> TwoSample:
    """Are two samples (chains, numbers) of one law? Location, tails and scale of each, and of pairs.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.laplace(size=(2, 5000, 2))
    >>> compare_samples(x, y, 1e-6, ("a", "b")).rejected
    ()
    >>> compare_samples(x, 1.3 * y, 1e-6, ("a", "b")).rejected
    ('inside a', 'low a', 'high a', 'inside b', 'low b', 'high b', 'inside a, b')
    """
    found = _Pooled(np.asarray(mine, float), np.asarray(others, float), tuple(names), seed)
    tests = tuple(found.tests())
    return TwoSample(tests, len(mine), false_alarm, ratio=len(others) / len(mine))


def count_of_tests(numbers: int) -> int:
    """How many tests ``compare_samples`` makes of so many numbers, at most."""
    return 4 * numbers + len(_pairs(numbers))


@lru_cache(maxsize=64)
def _pairs(numbers: int) -> tuple[tuple[int, int], ...]:
    """All pairs where they are few; else those of neighbours and of some distances."""
    every = combinations(range(numbers), 2)
    return tuple(p for p in every if numbers <= 12 or p[1] - p[0] in (1, numbers // 4))


@dataclass(frozen=True, eq=False)
class _Pooled:
    """Both samples, one below the other."""

    mine: Array
    others: Array
    names: tuple[str, ...]
    seed: int
    standard: Array = field(init=False)

    def __post_init__(self) -> None:
        pooled = np.vstack([self.mine, self.others])
        pooled = pooled - pooled.mean(axis=0)
        spread = pooled.std(axis=0)
        size = np.abs(self.others.mean(axis=0)) + spread
        blur = np.maximum(_BLUR * spread, _GRAIN * size.max(initial=0.0))
        rng = np.random.default_rng([self.seed, 77])
        blurred = pooled + rng.standard_normal(pooled.shape) * blur
        object.__setattr__(self, "standard", blurred / np.maximum(blurred.std(axis=0), 1e-300))

    def tests(self) -> Iterator[Test]:
        """Each number, then pairs."""
        for k, name in enumerate(self.names):
            yield from self._of(self.standard[:, k], name)
        shared = self.standard.T @ self.standard
        for i, j in _pairs(len(self.names)):
            together = self.standard[:, i] + (1 if shared[i, j] >= 0 else -1) * self.standard[:, j]
            yield from self._of(together, f"{self.names[i]}, {self.names[j]}", only_inside=True)

    def _of(self, values: Array, name: str, only_inside: bool = False) -> Iterator[Test]:
        n, chains = len(values), len(self.mine)
        ratio = len(self.others) / chains
        low, high = edges(n, TAIL)
        places = [low, high] if only_inside else [low, edges(n, 0.5)[0], high]
        cuts = np.partition(values, places)[places]
        counts = [(int((values[:chains] < cut).sum()), at) for cut, at in
                  zip(cuts, places, strict=True)]  # fmt: skip
        inside = counts[-1][0] - counts[0][0]
        p = hypergeometric(inside, chains, n, high - low)
        yield Test(f"inside {name}", inside, p, inside / chains - (high - low) / n, Inside(ratio))
        if only_inside:
            return
        for (count, at), words, q in zip(counts, ("low", "median", "high"), (TAIL, 0.5, 1 - TAIL),
                                         strict=True):  # fmt: skip
            p = hypergeometric(count, chains, n, at)
            yield Test(f"{words} {name}", count, p, count / chains - at / n, Below(ratio, q))
