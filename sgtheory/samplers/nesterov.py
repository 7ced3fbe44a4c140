"""Nesterov's accelerated SGD: the gradient is taken where the damped velocity leads."""

from sgtheory.declare import Card, Sampler, gradient, positive, positive_definite, state

theta, v = state("theta v")
eps, mu = positive("eps mu")
H = positive_definite("H")

NESTEROV = Sampler(
    state=(theta, v),
    updates=(
        (v, (1 - mu) * v - eps * H @ gradient(theta + (1 - mu) * v)),
        (theta, theta + v),
    ),
    given=(mu <= 1,),
    defaults=((H, "identity"),),
    convention=Card(
        loss="mean",
        drift="$eps H$, at $theta + (1 - mu) v$",
        order="velocity first, then the position with the new velocity",
    ),
    cites=("sutskever2013",),
)
