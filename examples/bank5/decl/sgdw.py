"""SGD with momentum and decoupled weight decay (Loshchilov and Hutter)."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
eps, mu, wd = positive("eps mu wd")

SGDW = Sampler(
    state=(theta, v),
    updates=(
        (v, (1 - mu) * v - eps * gradient(theta)),
        (theta, theta - eps * wd * theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="velocity, then position with the new velocity and its own decay"),
)
