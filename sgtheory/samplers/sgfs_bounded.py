"""Stochastic gradient Fisher scoring with a bounded gain: the noise makes every gain equal h_max.

The injected noise tops up the gradient noise of each coordinate, so that the gain of Fisher scoring
would be h_max everywhere. Where the gradient noise is already larger than that, none is injected.
"""

from fractions import Fraction

from sympy import sqrt

from sgtheory.declare import Card, Derived, Sampler, gradient, matrix, normal, positive, state
from sgtheory.reader import exact

theta = state("theta")
xi = normal("xi")
eps, h_max = positive("eps h_max")
E = matrix("E")


def _topped_up(scalars, matrices):  # type: ignore[no-untyped-def]
    wanted = 2 / (scalars["h_max"] * scalars["N"])
    share = scalars["eps"] / scalars["S"]
    missing = (max(wanted - share * row[k], Fraction(0)) for k, row in enumerate(matrices["C"]))
    return tuple(exact.root(m, "the missing noise") for m in missing)


SGFS_BOUNDED = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * h_max * gradient(theta) + sqrt(eps) * h_max * E @ xi),),
    defaults=((E, Derived("(2/(h_max N) - eps diag(C)/S)^(1/2)", _topped_up)),),
    convention=Card(
        loss="mean",
        drift="$eps h_max$",
        noise="$sqrt(eps) h_max E$ times a standard normal vector, $E$ diagonal",
    ),
    cites=("mandt2017 section 5.2",),
)
