"""SGHMC with the gradient at the point looked ahead at."""

from sympy import sqrt
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta, v = state("theta v")
eps, mu = positive("eps mu")
xi = normal("xi")

NESTEROV_LANGEVIN = Sampler(
    state=(theta, v),
    noises=(xi,),
    updates=(
        (v, (1 - mu) * v - eps * N * gradient(theta + (1 - mu) * v) + sqrt(2 * mu * eps) * xi),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps N", noise="sqrt(2 mu eps), on the velocity", order="velocity, then position"),
)
