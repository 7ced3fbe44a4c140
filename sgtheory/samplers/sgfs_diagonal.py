"""Stochastic gradient Fisher scoring with a diagonal gain: a step to each coordinate, injected noise."""

from sympy import sqrt

from sgtheory.declare import (
    Card,
    N,
    Rule,
    S,
    Sampler,
    diagonal,
    gradient,
    matrix,
    normal,
    positive,
    state,
)
from sgtheory.notation.matrixwords import EE, C, Diagonal

theta = state("theta")
xi = normal("xi")
eps = positive("eps")
H = diagonal("H")
E = matrix("E")

SGFS_DIAGONAL = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * H @ gradient(theta) + sqrt(eps) * H @ E @ xi),),
    convention=Card(
        loss="mean", drift="$eps H$", noise="$sqrt(eps) H E$ times a standard normal vector"
    ),
    rules=(Rule("H", 2 / N * Diagonal(eps / S * C + EE) ** -1, "mandt2017 Corollary 6"),),
    cites=("mandt2017 Corollary 6",),
)
