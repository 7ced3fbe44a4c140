"""Stochastic gradient Fisher scoring with a scalar gain and injected noise."""

from sympy import sqrt

from sgtheory.declare import Card, Sampler, gradient, matrix, normal, positive, state

theta = state("theta")
xi = normal("xi")
eps, h = positive("eps h")
E = matrix("E")

SGFS_SCALAR = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * h * gradient(theta) + sqrt(eps) * h * E @ xi),),
    convention=Card(loss="mean", drift="eps h", noise="sqrt(eps) h E times a standard normal vector"),
    cites=("mandt2017 Corollary 6",),
)
