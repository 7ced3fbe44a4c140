"""Three steps of SGD as one: a chain thinned by three."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, w = state("theta w")
eps, _unused = positive("eps unused")

THINNED = Sampler(
    state=(theta, w),
    updates=(
        (w, theta - eps * gradient(theta)),
        (w, w - eps * gradient(w, 1)),
        (theta, w - eps * gradient(w, 2)),
    ),
    convention=Card(loss="mean", drift="eps", order="three steps, each on its minibatch"),
)
