"""Cyclical SGLD: a cosine schedule of period four."""

from sympy import Mod, cos, pi, sqrt
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state, t

theta = state("theta")
eps = positive("eps")
xi = normal("xi")
h = eps * (1 + cos(pi * Mod(t, 4) / 4)) / 2

CYCLIC = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - h * N / 2 * gradient(theta) + sqrt(h) * xi),),
    convention=Card(loss="mean", drift="h N/2 with the step h of the cycle", noise="sqrt(h)", order="one update"),
)
