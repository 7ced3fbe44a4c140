"""Stochastic gradient Fisher scoring: a gain on the gradient, and injected noise of one's own."""

from sympy import sqrt

from sgtheory.declare import (
    Card,
    N,
    Rule,
    S,
    Sampler,
    gradient,
    matrix,
    normal,
    positive,
    positive_definite,
    state,
)
from sgtheory.notation import matrixwords as words
from sgtheory.notation.matrixwords import EE, C

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
        drift="$eps H$",
        noise="$sqrt(eps) H E$ times a standard normal vector",
    ),
    rules=(
        Rule("H", 2 / N * (eps / S * C + EE) ** -1, "mandt2017 Eq. 27"),
        Rule("E E^T", 2 / N * words.H**-1 - eps / S * C, "mandt2017 Eq. 27"),
    ),
    cites=("mandt2017 Eq. 26", "ahn2012"),
)
