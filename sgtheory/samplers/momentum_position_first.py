"""SGD with momentum, position first: the position moves with the old velocity.

The other reading of Mandt's two lines. Velocity and position see only old values, and the chain
becomes unstable already where eps times the curvature reaches the damping.
"""

from sgtheory.declare import Card, Sampler, gradient, local, positive, positive_definite, state

theta, v = state("theta v")
g = local("g")
eps, mu = positive("eps mu")
H = positive_definite("H")

MOMENTUM_POSITION_FIRST = Sampler(
    state=(theta, v),
    updates=(
        (g, gradient(theta)),
        (theta, theta + v),
        (v, (1 - mu) * v - eps * H @ g),
    ),
    given=(mu <= 1,),
    defaults=((H, "identity"),),
    convention=Card(
        loss="mean",
        drift="$eps H$",
        order="the position with the old velocity; the velocity with the gradient at the old position",
    ),
    cites=("mandt2017 section 4.3",),
)
