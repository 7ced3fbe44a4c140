"""SGHMC, velocity first: the position moves with the new velocity, as most libraries do."""

from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, nonnegative, normal, positive, state

theta, v = state("theta v")
xi = normal("xi")
eta, alpha, tau = positive("eta alpha tau")
beta = nonnegative("beta")

SGHMC_VELOCITY_FIRST = Sampler(
    state=(theta, v),
    noises=(xi,),
    updates=(
        (v, (1 - alpha) * v - eta * N * gradient(theta) + sqrt(2 * (alpha - beta) * eta * tau) * xi),
        (theta, theta + v),
    ),
    given=(alpha <= 1, beta <= alpha),
    defaults=((beta, 0), (tau, 1)),
    kinetic=((v, eta),),
    convention=Card(
        loss="mean",
        drift="$eta N$",
        noise="$sqrt(2*(alpha - beta) eta tau)$ times a standard normal vector, on the velocity",
        N="the update multiplies the mean gradient by $N$",
        temperature="$tau$ multiplies the variance of the injected noise",
        order="velocity first, then the position with the new velocity",
    ),
    cites=("chen2014 Eq. 15",),
)
