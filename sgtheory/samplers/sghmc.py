"""Stochastic gradient Hamiltonian Monte Carlo: position and velocity move by the old values.

In the parameters of a learning rate eta and a momentum 1 - alpha; beta is the sampler's estimate of
what the gradient noise already injects, tau the temperature.
"""

from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, local, nonnegative, normal, positive, state

theta, v = state("theta v")
g = local("g")
xi = normal("xi")
eta, alpha, tau = positive("eta alpha tau")
beta = nonnegative("beta")

SGHMC = Sampler(
    state=(theta, v),
    noises=(xi,),
    updates=(
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
        temperature="$tau$ multiplies the variance of the injected noise",
        order="both with the old values",
    ),
    cites=("chen2014 Eq. 15",),
)
