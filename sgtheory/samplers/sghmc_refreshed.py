"""SGHMC with refreshed momentum: every L steps the velocity is drawn anew from its own law."""

from sympy import Eq, Mod, Piecewise, sqrt

from sgtheory.declare import (
    Card,
    N,
    Sampler,
    gradient,
    local,
    nonnegative,
    normal,
    positive,
    state,
    t,
    whole,
)

theta, v = state("theta v")
g = local("g")
xi, zeta = normal("xi zeta")
eta, alpha, tau = positive("eta alpha tau")
beta = nonnegative("beta")
L = whole("L")

SGHMC_REFRESHED = Sampler(
    state=(theta, v),
    noises=(xi, zeta),
    updates=(
        (v, Piecewise((sqrt(eta * tau) * zeta, Eq(Mod(t, L), 0)), (v, True))),
        (g, gradient(theta)),
        (theta, theta + v),
        (v, (1 - alpha) * v - eta * N * g + sqrt(2 * (alpha - beta) * eta * tau) * xi),
    ),
    given=(alpha <= 1, beta <= alpha),
    defaults=((beta, 0), (tau, 1)),
    kinetic=((v, eta),),
    convention=Card(
        loss="mean",
        drift="$eta N$",
        noise="$sqrt(2*(alpha - beta) eta tau)$ times a standard normal vector, on the velocity",
        N="the update multiplies the mean gradient by $N$",
        temperature="$tau$ multiplies the variance of both noises",
        order="a fresh velocity every $L$ steps, then both with the old values",
    ),
    cites=("chen2014 Algorithm 2",),
)
