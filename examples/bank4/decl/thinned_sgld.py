"""Two steps of SGLD taken as one."""
from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta = state("theta")
eps = positive("eps")
xi, zeta = normal("xi"), normal("zeta")

THINNED = Sampler(
    state=(theta,),
    noises=(xi, zeta),
    updates=(
        (theta, theta - eps / 2 * N * gradient(theta) + sqrt(eps) * xi),
        (theta, theta - eps / 2 * N * gradient(theta, 1) + sqrt(eps) * zeta),
    ),
    convention=Card(loss="mean", drift="eps/2 N", order="two steps"),
)
