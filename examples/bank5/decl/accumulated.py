"""SGLD with the gradient accumulated (averaged) over three minibatches."""

from sympy import sqrt
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta = state("theta")
eps = positive("eps")
xi = normal("xi")

ACCUMULATED = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=(
        (theta, theta - eps * N / 6 * (gradient(theta) + gradient(theta, 1) + gradient(theta, 2)) + sqrt(eps) * xi),
    ),
    convention=Card(loss="mean", drift="eps N/2 of the mean of three minibatches", noise="sqrt(eps)", order="one update"),
)
