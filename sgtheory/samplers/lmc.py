"""Langevin Monte Carlo: the whole gradient and injected noise, a step of Euler and Maruyama."""

from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, full_gradient, normal, positive, state

theta = state("theta")
xi = normal("xi")
gamma = positive("gamma")

LMC = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - gamma * N * full_gradient(theta) + sqrt(2 * gamma) * xi),),
    convention=Card(
        loss="mean",
        drift="$gamma N$",
        noise="$sqrt(2 gamma)$ times a standard normal vector",
        N="the update multiplies the mean gradient by $N$",
        temperature="fixed at 1",
    ),
    aliases=(("eps", "2*gamma"),),
    cites=("brosse2018 section 2",),
)
