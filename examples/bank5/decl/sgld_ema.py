"""SGLD with an exponential moving average m of the iterates."""

from sympy import sqrt
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta, m = state("theta m")
eps, rho = positive("eps rho")
xi = normal("xi")

SGLD_EMA = Sampler(
    state=(theta, m),
    noises=(xi,),
    updates=(
        (theta, theta - eps * N / 2 * gradient(theta) + sqrt(eps) * xi),
        (m, rho * m + (1 - rho) * theta),
    ),
    convention=Card(loss="mean", drift="eps N/2", noise="sqrt(eps)", order="position, then its average"),
)
