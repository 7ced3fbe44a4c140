"""Momentum SGD with weight decay in the gradient."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
eps, mu, wd = positive("eps mu wd")

DECAYED = Sampler(
    state=(theta, v),
    updates=(
        (v, (1 - mu) * v - eps * (gradient(theta) + wd * theta)),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="velocity first"),
)
