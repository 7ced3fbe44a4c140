"""Cyclical SGLD with a quadratic cycle of four steps."""
from sympy import Mod, sqrt

from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state, t

theta = state("theta")
eps = positive("eps")
xi = normal("xi")
fall = 1 - Mod(t, 4) / 4

CYCLICAL = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * fall**2 / 2 * N * gradient(theta) + sqrt(eps) * fall * xi),),
    convention=Card(loss="mean", drift="eps_t/2 N", order="one update"),
)
