"""SAGA-LD: Langevin dynamics whose minibatch gradients are corrected by a table of older ones.

The table has a point for each example, where it was last seen; all begin at the first position. A
minibatch's gradient is corrected by that of the same examples at their points, and by the mean over
the whole table; then its examples' points become the position that the step began with.
"""

from sympy import Eq, Piecewise, sqrt

from sgtheory.declare import (
    Card,
    N,
    Sampler,
    full_gradient,
    gradient,
    local,
    normal,
    positive,
    seen,
    state,
    t,
    table,
)

theta = state("theta")
alpha = table("alpha")
old = local("old")
xi = normal("xi")
eps = positive("eps")

SAGA_LD = Sampler(
    state=(theta, alpha),
    noises=(xi,),
    updates=(
        (alpha, Piecewise((theta, Eq(t, 0)), (alpha, True))),
        (old, theta),
        (
            theta,
            theta
            - eps / 2 * N * (gradient(theta) - gradient(alpha) + full_gradient(alpha))
            + sqrt(eps) * xi,
        ),
        (alpha, seen(alpha, old)),
    ),
    convention=Card(
        loss="mean",
        drift="$(eps/2) N$, the same minibatch at $theta$ and at its points in the table",
        noise="$sqrt(eps)$ times a standard normal vector",
        N="the update multiplies the mean gradient by $N$",
        temperature="fixed at 1",
        order="the position, then the table, with the old position",
    ),
    cites=("dubey2016 Algorithm 1",),
)
