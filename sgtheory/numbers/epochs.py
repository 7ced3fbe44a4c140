"""SVRG-LD on examples that are curved differently: its variance in one dimension, for any epoch.

Within an epoch the position x obeys x' = a x + b R (x - s) + sqrt(eps) xi, with a = 1 - eps N lambda/2,
b = -eps N/2, and R the minibatch's curvature less the mean one, of mean 0 and variance v. So E[x s] is
multiplied by a, and E[x^2] goes to c E[x^2] + b^2 v (E[s^2] - 2 E[x s]) + eps with c = a^2 + b^2 v. Both
recursions are geometric; at the end of an epoch E[x^2] has to be what it was.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

EPS, N, LAMBDA, V = sp.symbols("eps N lambda v", positive=True)
M = sp.Symbol("m", integer=True, positive=True)


def snapshot_variance() -> Any:
    """The variance about the mode at the end of an epoch of m steps.

    >>> from sympy import cancel, factor, series
    >>> factor(cancel(snapshot_variance().subs(M, 1).doit()))  # every step has the whole gradient
    -4/(N*lambda*(N*eps*lambda - 4))
    >>> cancel(series(cancel(snapshot_variance().subs(M, 3).doit()), EPS, 0, 2).removeO() * N * LAMBDA)
    N*eps*lambda/4 + 1
    """
    a, b = 1 - EPS * N * LAMBDA / 2, -EPS * N / 2
    spread = b**2 * V
    c = a**2 + spread
    own = (1 - c**M) / (1 - c)
    lost = spread * (own - 2 * (c**M - a**M) / (c - a))
    return EPS * own / (1 - c**M - lost)
