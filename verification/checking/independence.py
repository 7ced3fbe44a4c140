"""Chains that should know nothing of each other: equal positions, and pairs that go together.

Where gradients have no noise, all that tells chains apart is the sampler's own randomness: two chains
that are ever at the same place share it. For what is shared in part, each number is split at the pooled
median; how many pairs of chains fall on the same side has an exact law, whatever the law of a chain is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verification.statistics.records import Comparison, Test

Array = Any

_ROUNDING = 2.0**-14  # of the size of the numbers: what varies by less does not move


@dataclass(frozen=True)
class Together:
    """How many of m pairs of chains lie on the same side of the median; sees a correlation.

    >>> Together().p_value(250, 1000) > 0.9, Together().p_value(350, 1000) < 1e-9
    (True, True)
    """

    def p_value(self, statistic: float, chains: int) -> float:
        """Two-sided: pairs that go together, or against each other."""
        pairs = chains // 2
        return concordance(int(statistic), pairs)

    def power(self, effect: float, chains: int, level: float) -> float:
        """Of a correlation of normal numbers; by the normal approximation."""
        from scipy.special import ndtr, ndtri

        m = chains // 2
        away = 2 * abs(math.asin(max(-1.0, min(effect, 1.0)))) / math.pi / 2 * m
        return float(ndtr(away / (math.sqrt(m) / 2) + ndtri(level / 2)))


def concordance(together: int, pairs: int) -> float:
    """Twice the smaller tail, where half of all are above: k pairs above, k below, the rest divided.

    P(2k together) is C(m; k, k, m - 2k) 2^(m - 2k) / C(2m, m) for m pairs, m even.

    >>> round(concordance(2, 2), 6)  # both pairs on one side: 2 of 6 ways
    0.666667
    """
    from scipy.special import gammaln

    k = np.arange(pairs // 2 + 1)
    logs = (
        gammaln(pairs + 1) - 2 * gammaln(k + 1) - gammaln(pairs - 2 * k + 1)
        + (pairs - 2 * k) * math.log(2) - gammaln(2 * pairs + 1) + 2 * gammaln(pairs + 1)
    )  # fmt: skip
    chances = np.exp(logs)
    at = together // 2
    return float(min(1.0, 2 * min(chances[: at + 1].sum(), chances[at:].sum())))


def duplicates(positions: Array) -> str:
    """In words, if two chains are at the same places at all times."""
    _, first, counts = np.unique(positions, axis=0, return_index=True, return_counts=True)
    shared = int((counts - 1).sum())
    if not shared:
        return ""
    most = int(counts.argmax())
    return (
        f"{shared + int((counts > 1).sum())} of {len(positions)} chains are at the same places as others"
        f" where gradients have no noise, such as chain {int(first[most])}"
    )


def compare_chains(positions: Array, names: Sequence[str], false_alarm: float) -> Comparison:
    """Neighbouring chains, and those half a run apart, at each number."""
    tests = tuple(_tests(positions[: len(positions) // 4 * 4], names))
    return Comparison(tests, len(positions), false_alarm)


def _tests(positions: Array, names: Sequence[str]) -> Iterator[Test]:
    n = len(positions)
    for k, name in enumerate(names):
        if positions[:, k].std() <= _ROUNDING * np.abs(positions).max():
            continue
        above = np.argsort(np.argsort(positions[:, k], kind="stable"), kind="stable") >= n // 2
        for words, (a, b) in {
            "neighbours": (above[::2], above[1::2]),
            "halves": (above[: n // 2], above[n // 2 :]),
        }.items():
            count = int((a == b).sum())
            kind = Together()
            p = kind.p_value(count, n)
            yield Test(f"{words} at {name}", count, p, 2 * count / (n // 2) - 1, kind)
