"""Iterate averaging: constant SGD and the running mean of all its iterates."""

from sgtheory.declare import Card, Sampler, gradient, positive, positive_definite, state, t

theta, m = state("theta m")
eps = positive("eps")
H = positive_definite("H")

AVERAGED_SGD = Sampler(
    state=(theta, m),
    updates=(
        (theta, theta - eps * H @ gradient(theta)),
        (m, t / (t + 1) * m + 1 / (t + 1) * theta),
    ),
    defaults=((H, "identity"),),
    sample=m,
    convention=Card(loss="mean", drift="$eps H$", order="the iterate, then the running mean with it"),
    cites=("mandt2017 Eq. 28", "polyak1992"),
)
