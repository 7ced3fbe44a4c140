"""Two steps of momentum SGD taken as one."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
lr, beta = positive("lr beta")

THINNED_MOMENTUM = Sampler(
    state=(theta, v),
    updates=(
        (v, beta * v - lr * gradient(theta)),
        (theta, theta + v),
        (v, beta * v - lr * gradient(theta, 1)),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="lr", order="velocity first, twice"),
)
