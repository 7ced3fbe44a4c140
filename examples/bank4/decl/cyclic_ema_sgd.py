"""SGD whose learning rate falls lr, 2/3 lr, 1/3 lr and restarts; m averages the iterates."""
from sympy import Mod

from sgtheory.declare import Card, Sampler, gradient, positive, state, t

theta, m = state("theta m")
lr, rho = positive("lr rho")

CYCLIC_EMA_SGD = Sampler(
    state=(theta, m),
    updates=(
        (theta, theta - lr * (1 - Mod(t, 3) / 3) * gradient(theta)),
        (m, rho * m + (1 - rho) * theta),
    ),
    convention=Card(loss="mean", drift="lr_t", order="iterate, then average"),
)
