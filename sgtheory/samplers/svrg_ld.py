"""SVRG-LD: Langevin dynamics whose minibatch gradients are corrected by those at a snapshot.

Every m steps, an epoch, the position becomes the snapshot, and the gradient over all the data is taken
there: g. In between, a step's minibatch is seen at the position and at the snapshot. Unless the problem
says otherwise an epoch is one pass over the data.
"""

from fractions import Fraction
from typing import Any

from sympy import Eq, Mod, Piecewise, sqrt

from sgtheory.declare import (
    Card,
    Derived,
    N,
    Sampler,
    full_gradient,
    gradient,
    normal,
    positive,
    state,
    t,
    whole,
)

theta, s, g = state("theta s g")
xi = normal("xi")
eps = positive("eps")
m = whole("m")
begins = Eq(Mod(t, m), 0)  # the first step of an epoch


def _pass(scalars: Any, _: Any) -> Fraction:
    return Fraction(max(1, scalars["N"] // scalars["S"]))


SVRG_LD = Sampler(
    state=(theta, s, g),
    noises=(xi,),
    updates=(
        (s, Piecewise((theta, begins), (s, True))),
        (g, Piecewise((full_gradient(s), begins), (g, True))),
        (theta, theta - eps / 2 * N * (gradient(theta) - gradient(s) + g) + sqrt(eps) * xi),
    ),
    defaults=((m, Derived("N/S, rounded down", _pass)),),
    convention=Card(
        loss="mean",
        drift="$(eps/2) N$, the same minibatch at $theta$ and at the snapshot",
        noise="$sqrt(eps)$ times a standard normal vector",
        N="the update multiplies the mean gradient by $N$",
        temperature="fixed at 1",
        order="snapshot and its full gradient in the first step of an epoch, then the position",
    ),
    cites=("dubey2016 Algorithm 2",),
)
