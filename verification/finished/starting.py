"""What the start of a run leaves in its averages, and how many draws have to go until that is little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verification.finished.steps import Step, summed

Array = Any

_LITTLE = 0.1  # of a standard error


@dataclass(frozen=True)
class Left:
    """The largest bias of a mean or a variance, in its standard errors, and where; and the remedy."""

    share: float
    where: str
    burn_in: int  # draws more that have to be left out until it is little


def left_by_the_start(step: Step, positions: Array, errors: tuple[Array, Array]) -> Left:
    """Given the first draws; ``errors`` are the standard errors of means and of variances."""
    H, P, n = step.seen, step.settled, positions.shape[1]
    known = P[:, H] @ np.linalg.pinv(P[H, H], hermitian=True)
    begun = (positions[:, 0] - step.rest[H]) @ known.T
    mean, second = begun.mean(axis=0), begun.T @ begun / len(begun) - known @ P[H]
    share, where = _share(step, mean, second, n, errors)
    few = 0
    if share > _LITTLE:
        few = next((k for k in _counts(n) if _after(step, mean, second, k, n, errors) <= _LITTLE), n)
    return Left(share, where, few)


def _counts(n: int) -> list[int]:
    return sorted({int(round(k, 1 - len(str(int(k))))) for k in np.geomspace(1, n, 60)})


def _after(step: Step, mean: Array, second: Array, k: int, n: int, errors: tuple[Array, Array]) -> float:
    M = np.linalg.matrix_power(step.M, k)
    return _share(step, M @ mean, M @ second @ M.T, max(n - k, 1), errors)[0]


def _share(
    step: Step, mean: Array, second: Array, n: int, errors: tuple[Array, Array]
) -> tuple[float, str]:
    """Of averages over n draws, whose errors grow as a run becomes shorter."""
    through = np.linalg.matrix_power(step.M, n)
    total = np.linalg.solve(np.eye(len(mean)) - step.M, mean - through @ mean)
    squares = summed(step.M, second)
    squares = squares - through @ squares @ through.T
    shares = {
        "mean": np.abs(total[step.seen] / n) / errors[0],
        "variance": np.abs(np.diag(squares)[step.seen] / n) / errors[1],
    }
    name = max(shares, key=lambda name: float(shares[name].max()))
    return float(shares[name].max()), f"the {name} of coordinate {int(shares[name].argmax()) + 1}"
