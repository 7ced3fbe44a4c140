"""SGLD whose gradient is the mean of two micro-batches."""
from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

(theta,) = (state("theta"),)
eps = positive("eps")
xi = normal("xi")

ACCUMULATED = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps / 2 * N * (gradient(theta) + gradient(theta, 1)) / 2 + sqrt(eps) * xi),),
    convention=Card(loss="mean", drift="eps/2 N", order="one update"),
)
