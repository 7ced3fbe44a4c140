"""One cycle of a schedule: a step of eps, then one of c eps, on two minibatches."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, w = state("theta w")
eps, c = positive("eps c")

CYCLE = Sampler(
    state=(theta, w),
    updates=(
        (w, theta - eps * gradient(theta)),
        (theta, w - eps * c * gradient(w, 1)),
    ),
    convention=Card(loss="mean", drift="eps", order="the large step first"),
)
