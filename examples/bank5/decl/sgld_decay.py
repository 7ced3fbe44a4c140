"""SGLD whose gradient has coupled weight decay (a Gaussian prior)."""

from sympy import sqrt
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta = state("theta")
eps, wd = positive("eps wd")
xi = normal("xi")

SGLD_DECAY = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * N / 2 * (gradient(theta) + wd * theta) + sqrt(eps) * xi),),
    convention=Card(loss="mean", drift="eps N/2, of the gradient and of the decay", noise="sqrt(eps)", order="one update"),
)
