"""Quasi-hyperbolic momentum (Ma and Yarats)."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, m = state("theta m")
eps, rho, nu = positive("eps rho nu")

QHM = Sampler(
    state=(theta, m),
    updates=(
        (m, rho * m + (1 - rho) * gradient(theta)),
        (theta, theta - eps * ((1 - nu) * gradient(theta) + nu * m)),
    ),
    convention=Card(loss="mean", drift="eps", order="momentum, then position, with one minibatch"),
)
