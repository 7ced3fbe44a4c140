"""SGHMC with decreasing steps: eta_t = eta (b + t)^(-c), t from 0; the friction does not change.

Position and velocity move by the old values, as in ``sghmc``.
"""

from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, local, nonnegative, normal, positive, state, t

theta, v = state("theta v")
g = local("g")
xi = normal("xi")
eta, b, alpha, tau = positive("eta b alpha tau")
c, beta = nonnegative("c beta")

SGHMC_DECREASING = Sampler(
    state=(theta, v),
    noises=(xi,),
    updates=(
        (g, gradient(theta)),
        (theta, theta + v),
        (
            v,
            (1 - alpha) * v
            - eta * (b + t) ** -c * N * g
            + sqrt(2 * (alpha - beta) * eta * tau) * (b + t) ** (-c / 2) * xi,
        ),
    ),
    given=(alpha <= 1, beta <= alpha),
    defaults=((b, 1), (c, "11/20"), (beta, 0), (tau, 1)),
    convention=Card(
        loss="mean",
        drift="$eta_t N$ with $eta_t = eta*(b + t)^(-c)$, $t = 0$ in the first step",
        noise="$sqrt(2*(alpha - beta) eta_t tau)$ times a standard normal vector, on the velocity",
        N="the update multiplies the mean gradient by $N$",
        temperature="$tau$ multiplies the variance of the injected noise",
        order="both with the old values",
    ),
    aliases=(("a", "eta"),),
    cites=("chen2014 Eq. 15", "chen2015"),
)
