"""SGD whose gradient is a mean over two micro-batches."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
eps, mu = positive("eps mu")

ACCUMULATED = Sampler(
    state=(theta, v),
    updates=(
        (v, (1 - mu) * v - eps * (gradient(theta) + gradient(theta, 1)) / 2),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="velocity first"),
)
