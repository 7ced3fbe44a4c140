"""SGD with an exponential moving average m of its iterates, decay rho."""
from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, m = state("theta m")
lr, rho = positive("lr rho")

SGD_EMA = Sampler(
    state=(theta, m),
    updates=(
        (theta, theta - lr * gradient(theta)),
        (m, rho * m + (1 - rho) * theta),
    ),
    convention=Card(loss="mean", drift="lr", order="iterate, then average"),
)
