"""Stochastic gradient Langevin dynamics with a constant step: half a step of drift, injected noise."""

from sympy import sqrt

from sgtheory.declare import (
    Card,
    N,
    Sampler,
    gradient,
    normal,
    positive,
    positive_definite,
    state,
)

theta = state("theta")
xi = normal("xi")
eps = positive("eps")
H = positive_definite("H")

SGLD = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps / 2 * N * H @ gradient(theta) + sqrt(eps) * H.root @ xi),),
    defaults=((H, "identity"),),
    convention=Card(
        loss="mean",
        drift="$(eps/2) N H$",
        noise="$sqrt(eps) H^(1/2)$ times a standard normal vector",
        N="the update multiplies the mean gradient by $N$",
        temperature="fixed at 1",
    ),
    aliases=(("gamma", "eps/2"),),
    cites=("mandt2017 section 5.1", "welling2011"),
)
