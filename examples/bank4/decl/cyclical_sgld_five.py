"""Cyclical SGLD: in each cycle of five steps the first two explore, without noise."""
from sympy import Mod, Piecewise, sqrt

from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state, t

theta = state("theta")
eps = positive("eps")
xi = normal("xi")

CYCLICAL_FIVE = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=(
        (theta, theta - eps / 2 * N * gradient(theta) + Piecewise((0, Mod(t, 5) < 2), (1, True)) * sqrt(eps) * xi),
    ),
    convention=Card(loss="mean", drift="eps/2 N", order="one update"),
)
