"""Heavy ball with the learning rate outside of the buffer, and an average of decay rho."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v, m = state("theta v m")
lr, beta, rho = positive("lr beta rho")

MOMENTUM_EMA = Sampler(
    state=(theta, v, m),
    updates=(
        (v, beta * v + gradient(theta)),
        (theta, theta - lr * v),
        (m, rho * m + (1 - rho) * theta),
    ),
    convention=Card(loss="mean", drift="lr", order="velocity, position, average"),
)
