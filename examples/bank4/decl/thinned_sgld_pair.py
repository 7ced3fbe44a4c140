"""SGLD, observed after each second step."""
from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta = state("theta")
eps = positive("eps")
first, second = normal("first"), normal("second")

PAIR = Sampler(
    state=(theta,),
    noises=(first, second),
    updates=(
        (theta, theta - eps / 2 * N * gradient(theta) + sqrt(eps) * first),
        (theta, theta - eps / 2 * N * gradient(theta, 1) + sqrt(eps) * second),
    ),
    convention=Card(loss="mean", drift="eps/2 N", order="two steps"),
)
