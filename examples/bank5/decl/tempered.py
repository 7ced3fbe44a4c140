"""SGLD at temperature tau."""

from sympy import sqrt
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta = state("theta")
eps, tau = positive("eps tau")
xi = normal("xi")

TEMPERED = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * N / 2 * gradient(theta) + sqrt(eps * tau) * xi),),
    convention=Card(loss="mean", drift="eps N/2", noise="sqrt(eps tau)", order="one update"),
)
