"""Whether positions are normal, beyond their mean and covariance: how many chains lie in some cells.

Noise of the right variance that is Laplace's, uniform, or rarely very large leaves every moment that
``compare`` looks at as it should be. Under the exact law of an affine sampler with Gaussian noise each
standardised position is exactly N(0, 1), and chains are independent, so that the number of chains in a
cell is exactly binomial. The first steps tell most: later ones are sums of many noises.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verification.checking.cases import Case, Law
from verification.statistics.records import Test

Array = Any

_PREFIX = "shape of "
FIRST = 2  # times of a case at which all chains are kept
_DIGITS = 1e-9  # of a position: what varies less than this is told from its rounding no more
_CLEAR = 10.0  # standard errors of a kurtosis
_SEEN = 6.0  # more than the largest of hundreds of normal ones
_HALF, _HUNDREDTH, _MILLIONTH = 0.6744897501960817, 2.5758293035489004, 4.891638475698918


@dataclass(frozen=True)
class Cell:
    """An event that a standard normal number has with a known probability.

    >>> from scipy.special import ndtr
    >>> [round(2 * float(ndtr(-z)), 9) for z in (_HALF, _HUNDREDTH, _MILLIONTH)]
    [0.5, 0.01, 1e-06]
    """

    name: str
    probability: float

    def count(self, z: Array) -> Array:
        """How many chains lie in it, for each coordinate."""
        if self.name == "above":
            return (z > 0).sum(axis=0)
        beyond = {"middle": _HALF, "tails": _HUNDREDTH, "outliers": _MILLIONTH}[self.name]
        far = (np.abs(z) > beyond).sum(axis=0)
        return len(z) - far if self.name == "middle" else far

    def p_value(self, statistic: float, chains: int) -> float:
        """Two-sided: twice the smaller tail of the binomial law.

        >>> round(Cell("above", 0.5).p_value(2, 10), 6)  # 2 * (1 + 10 + 45) / 2**10
        0.109375
        """
        from scipy.special import bdtr, bdtrc

        below = float(bdtr(statistic, chains, self.probability))
        above = float(bdtrc(statistic - 1, chains, self.probability)) if statistic > 0 else 1.0
        return min(2 * min(below, above), 1.0)

    def power(self, effect: float, chains: int, level: float) -> float:
        """Of a relative error of the cell's probability, by the normal approximation."""
        from scipy.special import ndtr, ndtri

        p, other = self.probability, min(max(self.probability * (1 + effect), 0.0), 1.0)
        bound = -ndtri(level / 2) * np.sqrt(p * (1 - p) / chains)
        spread = np.sqrt(max(other * (1 - other), 1e-300) / chains)
        return float(ndtr((other - p - bound) / spread) + ndtr((p - other - bound) / spread))


CELLS = (Cell("above", 0.5), Cell("middle", 0.5), Cell("tails", 0.01), Cell("outliers", 1e-6))


def shape_tests(early: Array, law: Law, chains: int) -> Iterator[Test]:
    """One test for each cell, coordinate and early time at which the law varies.

    >>> law = Law(np.zeros(1), np.eye(1), ("1 after 1 step",))
    >>> rng = np.random.default_rng(0)
    >>> [round(t.p_value, 3) > 1e-3 for t in shape_tests(rng.standard_normal((9_999, 1)), law, 9_999)]
    [True, True, True, True]
    >>> flat = rng.uniform(-(3**0.5), 3**0.5, (9_999, 1))
    >>> [t.name for t in shape_tests(flat, law, 9_999) if t.p_value < 1e-9]
    ['shape of 1 after 1 step: middle', 'shape of 1 after 1 step: tails']
    """
    count = early.shape[1]
    sigma = np.sqrt(np.clip(np.diag(law.covariance)[:count], 0, None))
    varies = sigma > _DIGITS * np.abs(law.mean[:count])
    with np.errstate(all="ignore"):
        z = (early - law.mean[:count]) / sigma
    for cell in CELLS:
        found = cell.count(z)
        for k in np.flatnonzero(varies):
            effect = float(found[k]) / (chains * cell.probability) - 1
            p_value = cell.p_value(int(found[k]), chains)
            yield Test(f"{_PREFIX}{law.names[k]}: {cell.name}", float(found[k]), p_value, effect, cell)


def number_of_tests(case: Case) -> int:
    """Of a case, at most."""
    return len(CELLS) * case.D * FIRST


def told(outcomes: Sequence[Any]) -> tuple[str, str] | None:
    """A name and words, where nothing but the shape is rejected: the noise is not normal."""
    rejected = [t for o in outcomes if o.comparison is not None for t in o.comparison.rejected]
    if not rejected or not all(t.startswith(_PREFIX) for t in rejected):
        return None
    found = beyond(outcomes)
    if found is None:
        return "noise that is not normal", "Means and covariances are right, but noise is not normal."
    name, words = found
    return name, f"Means and covariances are right, but noise is not normal. {words}"


def beyond(outcomes: Sequence[Any]) -> tuple[str, str] | None:
    """Where tails are heaviest or lightest beside normal ones of the measured variance, if they are.

    A clue, not a test: the exact tests are above.
    """
    excess, skew, error, where = max((_fourth(o) for o in outcomes), key=lambda found: abs(found[0]))
    if abs(excess) < _CLEAR * error:
        return None
    tails = "heavier" if excess > 0 else "lighter"
    likely = (
        "Laplace's, Student's, or has rare large jumps" if excess > 0 else "uniform or of two values"
    )
    words = (
        f"Positions are not normal: tails are {tails} (excess kurtosis {excess:.3g}, skewness"
        f" {skew:.2g}, {where}), as if the noise is {likely}."
    )
    return f"noise with {tails} tails", words


def tails(outcomes: Sequence[Any]) -> frozenset[bool]:
    """Whether some tails are heavier (True), or lighter (False), than normal ones: neither if normal."""
    found = [_fourth(o) for o in outcomes]
    return frozenset(x > 0 for x, _, error, _ in found if abs(x) > _SEEN * error)


def _fourth(outcome: Any) -> tuple[float, float, float, str]:
    """The largest excess kurtosis of an early position, its skewness, an error of it, and where."""
    early = outcome.measured.early
    if early is None:
        return 0.0, 0.0, 1.0, ""
    mean, sigma = early.mean(axis=0), early.std(axis=0)
    varies = np.flatnonzero(sigma > _DIGITS * np.abs(mean))
    if not len(varies):
        return 0.0, 0.0, 1.0, ""
    z = (early[:, varies] - mean[varies]) / sigma[varies]
    excess = (z**4).mean(axis=0) - 3
    k = int(np.argmax(np.abs(excess)))
    where = f"{outcome.case.name}, {outcome.expected.names[varies[k]]}"
    return float(excess[k]), float((z[:, k] ** 3).mean()), math.sqrt(24 / len(early)), where
