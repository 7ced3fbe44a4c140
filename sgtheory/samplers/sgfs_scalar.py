"""Stochastic gradient Fisher scoring with a scalar gain and injected noise."""

from sympy import sqrt

from sgtheory.declare import Card, D, N, Rule, S, Sampler, gradient, matrix, normal, positive, state
from sgtheory.notation.matrixwords import EE, C, trace

theta = state("theta")
xi = normal("xi")
eps, h = positive("eps h")
E = matrix("E")

SGFS_SCALAR = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * h * gradient(theta) + sqrt(eps) * h * E @ xi),),
    convention=Card(
        loss="mean", drift="$eps h$", noise="$sqrt(eps) h E$ times a standard normal vector"
    ),
    rules=(Rule("h", 2 * D / N / trace(eps / S * C + EE), "mandt2017 Corollary 6"),),
    cites=("mandt2017 Corollary 6",),
)
