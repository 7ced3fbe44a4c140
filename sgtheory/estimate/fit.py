"""Straight lines through gradients at several points: curvature, mode, and the gradients there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.estimate.arrays import Array
from sgtheory.independent import fields

MORE_POINTS = "give gradients at D + 1 points or more that span"
_EXACT_SIZE = 2000  # numbers in the gradients, up to which fractions are fitted by fractions


@dataclass(frozen=True, eq=False)
class Fit:
    """Arrays, of Fractions or of floats as the gradients were."""

    A: Array  # D x D, symmetric
    mode: Array
    at_mode: Array  # the examples' gradients carried to the mode, N x D
    residual: float | None


def fit(gradients: Array, points: Array) -> Fit:
    """Least squares: one symmetric matrix for mean gradients, a matrix of its own for each example's.

    >>> one = fit(np.array([[[-1.0]], [[1.0]], [[3.0]]]), np.array([[0.0], [1.0], [2.0]]))
    >>> one.A.round(9).tolist(), one.mode.round(9).tolist()
    ([[2.0]], [0.5])
    """
    count, n, d = gradients.shape
    fitted = _exact_fit(gradients, points)
    if fitted is None:
        gradients, points = gradients.astype(float), points.astype(float)
        fitted = _float_fit(gradients, points)
    A, inverse, mode = fitted
    _, change, away = _about_middle(gradients, points)
    # an affine function at the mode is this mean of its values at the points
    share: Any = Fraction(1, count) if points.dtype == object else 1 / count
    weights = (mode - points.sum(axis=0) / count) @ inverse + share
    each = gradients.reshape(count, n * d)
    each = each - each.sum(axis=0) / count
    unexplained = _part(change - away @ A, change), _part(each - away @ (inverse @ each), each)
    numbers, unknowns = count * d, d * (d + 1) // 2 + d
    return Fit(
        A,
        mode,
        np.tensordot(weights, gradients, 1),
        max(unexplained) if numbers > unknowns else None,
    )


def _about_middle(gradients: Array, points: Array) -> tuple[Array, Array, Array]:
    """The mean gradient over all, and how mean gradients and points differ from their middle."""
    count, n, _ = gradients.shape
    means = gradients.sum(axis=1) / n
    middle = means.sum(axis=0) / count
    return middle, means - middle, points - points.sum(axis=0) / count


def _exact_fit(gradients: Array, points: Array) -> tuple[Array, Array, Array] | None:
    """A, the left inverse of the points about their middle, and the mode, in fractions.

    None where numbers are floats or many, or where least squares without symmetry is not symmetric.
    """
    if gradients.dtype != object or points.dtype != object or gradients.size > _EXACT_SIZE:
        return None
    middle, change, away = _about_middle(gradients, points)
    try:
        inverse = _inverse(away.T @ away) @ away.T
        A = inverse @ change
        mode = points.sum(axis=0) / len(points) - _inverse(A) @ middle
    except ZeroDivisionError:  # no pivot: the route in floats says what is missing
        return None
    return (A, inverse, mode) if (A == A.T).all() else None


def _float_fit(gradients: Array, points: Array) -> tuple[Array, Array, Array]:
    count, _, d = gradients.shape
    middle, change, away = _about_middle(gradients, points)
    U, s, Vt = np.linalg.svd(away, full_matrices=False)
    tiny = float(np.finfo(float).eps)
    rank = int((s > max(count, d) * tiny * np.abs(points).max()).sum())
    if rank < d:
        raise UnusableInput(
            f"points that span {d} directions", f"{count} points that span {rank}", MORE_POINTS
        )
    # in the singular basis the normal equations X^T X A + A X^T X = X^T G + G^T X are one by one
    K = s[:, None] * (U.T @ change @ Vt.T)
    A = Vt.T @ ((K + K.T) / (s[:, None] ** 2 + s**2)) @ Vt
    size = np.abs(np.linalg.eigvalsh(A))
    if size.min() <= 8 * tiny * (d * size.max() + np.abs(gradients).max() / s[-1]):
        raise UnusableInput(
            "a loss with one minimiser", "a flat direction, within rounding", "add a ridge, or drop it"
        )
    mode = points.mean(axis=0) - np.linalg.solve(A, middle)
    return A, (Vt.T / s) @ U.T, mode


def _inverse(m: Array) -> Array:
    return np.array(fields.inverse(m.tolist()), object)


def _part(rest: Array, whole: Array) -> float:
    return math.sqrt((rest**2).sum() / (whole**2).sum())
