"""Momentum SGD with coupled weight decay: the decay enters the velocity with the gradient."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
lr, beta, wd = positive("lr beta wd")

MOMENTUM_DECAY = Sampler(
    state=(theta, v),
    updates=(
        (v, beta * v + gradient(theta) + wd * theta),
        (theta, theta - lr * v),
    ),
    convention=Card(loss="mean", drift="lr", order="velocity first"),
)
