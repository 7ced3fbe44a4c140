"""SGD with an exponential moving average of its iterates."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, m = state("theta m")
eps, a = positive("eps a")

EMA_SGD = Sampler(
    state=(theta, m),
    updates=(
        (theta, theta - eps * gradient(theta)),
        (m, (1 - a) * m + a * theta),
    ),
    convention=Card(loss="mean", drift="eps", order="the iterate, then the average"),
)
