"""Heavy-ball SGD: a step called rate, a velocity that keeps a share of itself."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
rate, keep = positive("rate keep")

HEAVY_BALL = Sampler(
    state=(theta, v),
    updates=(
        (v, keep * v - rate * gradient(theta)),
        (theta, theta + v),
    ),
    given=(keep < 1,),
    convention=Card(loss="mean", drift="rate", order="velocity first"),
    cites=("smith2020 Eq. 1",),
)
