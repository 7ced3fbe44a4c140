"""SGLD, of which every second iterate is kept."""

from sympy import sqrt
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta = state("theta")
eps = positive("eps")
xi, zeta = normal("xi zeta")

THINNED = Sampler(
    state=(theta,),
    noises=(xi, zeta),
    updates=(
        (theta, theta - eps * N / 2 * gradient(theta) + sqrt(eps) * xi),
        (theta, theta - eps * N / 2 * gradient(theta, 1) + sqrt(eps) * zeta),
    ),
    convention=Card(loss="mean", drift="eps N/2", noise="sqrt(eps)", order="two updates"),
)
