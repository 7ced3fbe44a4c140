"""Nesterov's momentum, with the gradient where it looks ahead."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
eps, mu = positive("eps mu")

NESTEROV = Sampler(
    state=(theta, v),
    updates=(
        (v, (1 - mu) * v - eps * gradient(theta + (1 - mu) * v)),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="velocity first"),
)
