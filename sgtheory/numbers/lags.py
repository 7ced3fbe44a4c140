"""Sums over pairs of steps of a run, in closed form: what normal processes' sample variances scatter by.

An autocovariance is a sum of powers z_p^|t-u|, and what a start leaves one of z_p^t z_q^u.
"""

from __future__ import annotations

import numpy as np

from sgtheory.onestep.full import Array


def ramp(x: Array, n: int) -> Array:
    """The sum of (n - k) x^k for k from 0 to n - 1."""
    return n / (1 - x) - x * (1 - x**n) / (1 - x) ** 2


def pairs_of_lags(z: Array, n: int) -> tuple[Array, Array]:
    """Of matrices K_p with entries z_p^|t-u|: tr(K_p K_q), and the sum over t of the products of rows.

    Row t adds up to ((1 + z) - z^t - z^(n+1-t))/(1 - z); the factors 1/(1 - z) are left to the caller.
    """
    x = z[:, None] * z[None]
    sums = (1 - x**n) / (1 - x)  # of x^k, for k from 0 to n - 1; x as it is rounded, in both
    squares = 2 * (n - x * sums) / (1 - x) - n  # twice the ramp
    g = z * (1 - z**n) / (1 - z)  # the sum of z^t
    ends = np.outer(1 + z, g)
    rows = n * np.outer(1 + z, 1 + z) - 2 * (ends + ends.T)
    return squares, rows + 2 * x * (sums + _crossed(z, n))


def from_start(z: Array, n: int, w: Array, whole: Array, C: Array, b: Array) -> Array:
    """What a start adds to the variance of sample variances of normal processes, (1/n) x^T Q x.

    With Q = 1 - 1/n for all pairs, a variance is 2/n^2 (tr(Q R Q R) - (m^T Q m)^2), R being second
    moments and m the mean: R = S + B C B^T and m = B b, with S the settled part, the sum of whose rows'
    sums is ``whole``, and B_tp = z_p^t.
    """
    x, high, crossed = z[:, None] * z[None], z**n, _crossed(z, n)
    gram, g = x * (1 - x**n) / (1 - x), z * (1 - high) / (1 - z)
    G = gram - np.outer(g, g) / n
    ends = ((1 + z) * g[:, None] - gram - x * crossed) / (1 - z)  # B^T S 1 without weights
    y = x / (1 - x)
    later = gram * (w @ y)[:, :, None] - high[:, None] * z * ((y * w[:, None]) @ crossed)
    sums = w @ ends.T
    one = sums[:, :, None] * g
    inner = w.sum(axis=1)[:, None, None] * gram + later + later.swapaxes(1, 2)
    inner = inner - (one + one.swapaxes(1, 2)) / n + whole[:, None, None] * np.outer(g, g) / n**2
    moved = C @ G
    found = 2 * np.sum(C * inner, axis=(1, 2)) + np.sum(moved * moved.swapaxes(1, 2), axis=(1, 2))
    away = np.sum((b @ G) * b, axis=1)
    return np.asarray((2 / n**2 * (found - away**2)).real)


def _crossed(z: Array, n: int) -> Array:
    """(z_p^n - z_q^n)/(z_p - z_q), which is n z^(n-1) where the two are equal."""
    apart, high = z[:, None] - z[None], z**n
    same = np.abs(apart) < 1e-9
    divided = (high[:, None] - high[None]) / np.where(same, 1, apart)
    return np.where(same, n * z[:, None] ** (n - 1), divided)
