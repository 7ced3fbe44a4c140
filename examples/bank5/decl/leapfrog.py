"""Unadjusted HMC: a fresh momentum and two leapfrog steps on all the data."""

from sgtheory.declare import Card, N, Sampler, full_gradient, normal, positive, state

theta, v = state("theta v")
eps = positive("eps")
zeta = normal("zeta")

LEAPFROG = Sampler(
    state=(theta, v),
    noises=(zeta,),
    updates=(
        (v, zeta),
        (v, v - eps * N / 2 * full_gradient(theta)),
        (theta, theta + eps * v),
        (v, v - eps * N * full_gradient(theta)),
        (theta, theta + eps * v),
        (v, v - eps * N / 2 * full_gradient(theta)),
    ),
    convention=Card(loss="mean", drift="eps N on the momentum", noise="momenta are standard normal", order="leapfrog"),
)
