"""Stochastic gradient Fisher scoring: a gain on the gradient, and injected noise of one's own."""

from sympy import sqrt

from sgtheory.declare import Card, Sampler, gradient, matrix, normal, positive, positive_definite, state

theta = state("theta")
xi = normal("xi")
eps = positive("eps")
H = positive_definite("H")
E = matrix("E")

SGFS = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * H @ gradient(theta) + sqrt(eps) * H @ E @ xi),),
    defaults=((H, "identity"),),
    convention=Card(
        loss="mean",
        drift="eps H",
        noise="sqrt(eps) H E times a standard normal vector",
    ),
    cites=("mandt2017 Eq. 26", "ahn2012"),
)
