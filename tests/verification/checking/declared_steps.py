"""Declarations as users have them in files of their own, for tests of what is said of wrong steps."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v, w = state("theta v w")
eps, mu, c, wd = positive("eps mu c wd")

ACCUMULATED = Sampler(
    state=(theta, v),
    updates=(
        (v, (1 - mu) * v - eps * (gradient(theta) + gradient(theta, 1)) / 2),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="velocity first"),
)
TWO_PACES = Sampler(
    state=(theta, w),
    updates=(
        (w, theta - eps * gradient(theta)),
        (theta, w - c * eps * gradient(w, 1)),
    ),
    convention=Card(loss="mean", drift="eps", order="one step and another"),
)
DECAYED = Sampler(
    state=(theta, v),
    updates=(
        (v, (1 - mu) * v - eps * (gradient(theta) + wd * theta)),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="velocity first"),
)
