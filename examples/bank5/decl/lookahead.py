"""Lookahead around SGD: every third step slow weights move a part of the way to the fast ones."""

from sympy import Eq, Mod, Piecewise
from sgtheory.declare import Card, Sampler, gradient, positive, state, t

theta, slow = state("theta slow")
eps, a = positive("eps a")
sync = Eq(Mod(t, 3), 2)

LOOKAHEAD = Sampler(
    state=(theta, slow),
    updates=(
        (theta, theta - eps * gradient(theta)),
        (slow, Piecewise((slow + a * (theta - slow), sync), (slow, True))),
        (theta, Piecewise((slow, sync), (theta, True))),
    ),
    convention=Card(loss="mean", drift="eps", order="fast weights, slow weights, fast weights set back"),
)
