"""SGLD with a fixed point: minibatch gradients corrected by those at the mode."""

from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, full_gradient, gradient, mode, normal, positive, state

theta = state("theta")
xi = normal("xi")
gamma = positive("gamma")

SGLDFP = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=(
        (
            theta,
            theta
            - gamma * N * (gradient(theta) - gradient(mode) + full_gradient(mode))
            + sqrt(2 * gamma) * xi,
        ),
    ),
    convention=Card(
        loss="mean",
        drift="$gamma N$, the same minibatch at $theta$ and at the mode",
        noise="$sqrt(2 gamma)$ times a standard normal vector",
        N="the update multiplies the mean gradient by $N$",
        temperature="fixed at 1",
    ),
    aliases=(("eps", "2*gamma"),),
    cites=("brosse2018 section 2",),
)
