"""Momentum SGD, gradients averaged over two micro-batches, learning rate outside of the buffer."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
lr, beta = positive("lr beta")

ACCUMULATED_MOMENTUM = Sampler(
    state=(theta, v),
    updates=(
        (v, beta * v + (gradient(theta) + gradient(theta, 1)) / 2),
        (theta, theta - lr * v),
    ),
    convention=Card(loss="mean", drift="lr", order="velocity first"),
)
