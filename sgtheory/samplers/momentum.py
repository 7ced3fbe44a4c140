"""SGD with momentum: an old velocity, damped, plus a gradient step."""

from sgtheory.declare import (
    Card,
    D,
    N,
    Rule,
    S,
    Sampler,
    gradient,
    positive,
    positive_definite,
    state,
)
from sgtheory.notation import matrixwords as words
from sgtheory.notation.matrixwords import C, trace

theta, v = state("theta v")
eps, mu = positive("eps mu")
H = positive_definite("H")

MOMENTUM = Sampler(
    state=(theta, v),
    updates=(
        (v, (1 - mu) * v - eps * H @ gradient(theta)),
        (theta, theta + v),
    ),
    given=(mu <= 1,),
    defaults=((H, "identity"),),
    convention=Card(
        loss="mean",
        drift="$eps H$",
        order="velocity first, then the position with the new velocity",
    ),
    rules=(Rule("eps", 2 * mu * D * S / (N * trace(C * words.H)), "mandt2017 section 4.3"),),
    cites=("mandt2017 section 4.3",),
)
