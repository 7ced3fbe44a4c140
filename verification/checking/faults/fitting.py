"""Numbers by maximum likelihood, and quick looks at whether a law may be what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from verification.checking.cases import Law
from verification.checking.running import Measured

Array = Any

FAR = 9.0  # standard errors: beyond what any exact test of the same case accepts
_UNSEEN = 1e-9  # information on a number, of which nothing is known then
_RIDGE = 1e-9  # of a variance, where a law has directions that do not vary
_ROUNDS = 20
_SLIGHT = 0.01  # of a standard error: steps of this size are the last
_REFUSED = (ArithmeticError, ValueError, TypeError, KeyError, np.linalg.LinAlgError)
# where a factor, or what is added, is looked for first
GRID = (0.0, 1e-3, 0.01, 0.06, 0.25, 0.6, 1.6, 4.0, 15.0, 100.0)


def distance(one: Measured, law: Law, kurtosis: float = 3.0) -> float:
    """The largest deviation of an entry of mean or covariance, in standard errors.

    >>> m = Measured("one", 100, np.zeros(1), np.eye(1))
    >>> round(distance(m, Law(np.array([1.0]), np.eye(1), ("x",))), 6)
    10.0
    """
    variances = np.diag(law.covariance)
    if (
        not np.abs(law.covariance).max() < 1e150
        or not (np.isfinite(law.covariance).all() and np.isfinite(law.mean).all())
        or (variances < 0).any()
    ):
        return float("inf")
    size = np.sqrt(np.abs(np.diag(one.covariance)) + one.mean**2)
    floor = 1e-9 * (size.max() or 1.0)
    means = np.abs(one.mean - law.mean) / np.sqrt(variances / one.chains + floor**2)
    spread = np.outer(variances, variances) * (max(kurtosis, 3.0) - 1) / 2 + law.covariance**2
    errors = np.sqrt(spread / one.chains) + np.outer(floor + 0 * size, floor + np.sqrt(variances))
    return float(max(means.max(), (np.abs(one.covariance - law.covariance) / errors).max()))


def means_apart(one: Measured, law: Law) -> float:
    """The largest deviation of an entry of the mean, in standard errors of what was measured."""
    if not np.isfinite(law.mean).all():
        return float("inf")
    variances = np.clip(np.diag(one.covariance), 0, None)
    floor = 1e-9 * (float(np.sqrt(variances.max() + (one.mean**2).max())) or 1.0)
    return float((np.abs(one.mean - law.mean) / np.sqrt(variances / one.chains + floor**2)).max())


@dataclass(frozen=True)
class Fit:
    """The most likely values, their standard errors, and how far the law is from what was measured."""

    values: tuple[float, ...]
    errors: tuple[float, ...]
    far: float


def fit(
    law: Callable[[tuple[float, ...]], Law],
    one: Measured,
    begin: Sequence[float],
    grid: Sequence[Sequence[float]] = (),
) -> Fit | None:
    """Fisher's scoring from the best of some beginnings; None where there is no law to begin with."""
    with np.errstate(all="ignore"):  # a law that is far has numbers of any size
        return _scored(law, one, [tuple(begin), *product(*grid)] if grid else [tuple(begin)])


def _scored(
    law: Callable[[tuple[float, ...]], Law], one: Measured, candidates: Sequence[tuple[float, ...]]
) -> Fit | None:
    scored = [(height(law, one, x), x) for x in candidates]
    best, x = min(scored, key=lambda pair: pair[0])
    if not np.isfinite(best):
        return None
    damping, information = 1e-3, np.eye(len(x))
    for _ in range(_ROUNDS):
        found = _slopes(law, one, x)
        if found is None:
            break
        slope, information = found
        moved = False
        for _ in range(6):
            damped = information + damping * np.diag(np.diag(information) + 1e-12)
            step = np.linalg.lstsq(damped, slope, rcond=1e-10)[0]
            new = tuple(a + b for a, b in zip(x, step, strict=True))
            now = height(law, one, new)
            if now <= best:
                moved, damping = True, damping / 10
                break
            damping *= 10
        if not moved:
            break
        small = step @ information @ step < _SLIGHT**2
        best, x = now, new
        if small:
            break
    errors = np.sqrt(np.clip(np.diag(np.linalg.pinv(information, rcond=1e-12)), 0, None))
    errors[np.diag(information) < _UNSEEN] = np.inf  # the law does not depend on it at all
    return Fit(x, tuple(map(float, errors)), distance(one, law(x)))


def height(law: Callable[..., Law], one: Measured, x: tuple[float, ...]) -> float:
    """Minus the logarithm of the likelihood of what was measured, less a constant."""
    try:
        found = law(x)
        size = _size(one)
        covariance = found.covariance / np.outer(size, size) + _RIDGE * np.eye(len(size))
        root = np.linalg.cholesky(covariance)
        about = (one.mean - found.mean) / size
        S = one.covariance / np.outer(size, size) + _RIDGE * np.eye(len(size)) + np.outer(about, about)
        inside = np.linalg.solve(root, np.linalg.solve(root, S).T)
        height = one.chains * (np.log(np.diag(root)).sum() + np.trace(inside) / 2)
    except _REFUSED:
        return float("inf")
    return float(height) if np.isfinite(height) else float("inf")


def _size(one: Measured) -> Array:
    variances = np.diag(one.covariance)
    return np.sqrt(np.where(variances > 0, variances, 1e-12 * max(float(variances.max()), 1e-12)))


def _slopes(law: Callable[..., Law], one: Measured, x: tuple[float, ...]) -> Any:
    """Slope of the logarithm of the likelihood, and Fisher's information."""
    try:
        here, size = law(x), _size(one)
        covariance = here.covariance / np.outer(size, size) + _RIDGE * np.eye(len(size))
        precision = np.linalg.inv(covariance)
        about = (one.mean - here.mean) / size
        S = one.covariance / np.outer(size, size) + _RIDGE * np.eye(len(size)) + np.outer(about, about)
        left = precision @ (S - covariance) @ precision
        sides = []
        for k, value in enumerate(x):
            h = 1e-5 * max(abs(value), 1e-3)
            up, down = (law(tuple(v + sign * h * (i == k) for i, v in enumerate(x))) for sign in (1, -1))
            mean = (up.mean - down.mean) / (2 * h * size)
            sides.append((mean, (up.covariance - down.covariance) / (2 * h * np.outer(size, size))))
    except _REFUSED:
        return None
    slope = np.array([m @ precision @ about + np.sum(left * c) / 2 for m, c in sides]) * one.chains
    turned = [precision @ c for _, c in sides]
    information = one.chains * np.array(
        [
            [a[0] @ precision @ b[0] + np.sum(turned[i] * turned[j].T) / 2 for j, b in enumerate(sides)]
            for i, a in enumerate(sides)
        ]
    )
    return (slope, information) if np.isfinite(information).all() and np.isfinite(slope).all() else None
