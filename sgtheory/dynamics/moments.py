"""Moments of normal laws, by Isserlis' theorem."""

from __future__ import annotations

from typing import Any

import sympy as sp


def normal_moment(powers: tuple[int, ...], covariance: Any) -> Any:
    """E[x_1^k_1 ... x_n^k_n] of a normal vector of mean zero.

    >>> s, t, r = sp.symbols("s t r")
    >>> normal_moment((2, 2), ((s, r), (r, t)))
    2*r**2 + s*t
    """
    if sum(powers) == 0:
        return sp.Integer(1)
    if sum(powers) % 2:
        return sp.Integer(0)
    first = next(k for k, p in enumerate(powers) if p)
    left = (*powers[:first], powers[first] - 1, *powers[first + 1 :])
    total = sp.Integer(0)
    for j, p in enumerate(left):
        if p:
            rest = (*left[:j], p - 1, *left[j + 1 :])
            total += p * covariance[first][j] * normal_moment(rest, covariance)
    return sp.expand(total)
