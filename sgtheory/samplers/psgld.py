"""pSGLD: Langevin dynamics preconditioned as RMSprop is, as its paper prints it in several ways.

The preconditioner G sees the mean gradient of the likelihood, without the prior. Gamma, the derivative
of each entry of G in its own coordinate, is that of the formula for G: V sees theta through the last
gradient only. Algorithm 1 adds it outside of G, Eq. 3 inside.
"""

from typing import Any

from sympy import sqrt

from sgtheory.declare import (
    Card,
    Family,
    N,
    Sampler,
    Translation,
    curvature,
    gradient,
    local,
    nonnegative,
    normal,
    ones,
    positive,
    prior,
    prior_curvature,
    state,
)
from sgtheory.errors import UnusableInput

theta, V = state("theta V")
f, g, slope, G, Gamma = local("f0 g slope G Gamma")
xi = normal("xi")
eps, lam = positive("eps lambda")
alpha = nonnegative("alpha")

PRINTINGS = ("algorithm1", "eq3", "no_gamma", "preconditioner_of_old_gradient")
_TITLES = {
    "algorithm1": "pSGLD (Algorithm 1)",
    "eq3": "pSGLD, Gamma inside of what G multiplies",
    "no_gamma": "pSGLD without Gamma",
    "preconditioner_of_old_gradient": "pSGLD with G from the gradients before",
}
_ORDER = {
    "algorithm1": "$V$, $G$, $Gamma$ from this minibatch, then the position; $Gamma$ stands outside"
    " of $G$",
    "eq3": "$V$, $G$ and $Gamma$ from this minibatch, then the position; $G$ multiplies the drift and"
    " $Gamma$",
    "no_gamma": "$V$ and $G$ from this minibatch, then the position; $Gamma$ is left out",
    "preconditioner_of_old_gradient": "$G$ from the $V$ of the last minibatch, position, $V$; no"
    " $Gamma$: that $G$ does not see this $theta$",
}


def printed(printing: str) -> Sampler:
    """The sampler as one place of the paper prints it."""
    if printing not in PRINTINGS:
        raise UnusableInput(f"a printing among {', '.join(PRINTINGS)}", repr(printing), "choose one")
    see = ((f, gradient(theta)), (g, f - prior(theta)))
    precondition = (G, ones / (lam * ones + sqrt(V)))
    remember = (V, alpha * V + (1 - alpha) * g * g)
    steepen = (
        (slope, curvature(theta) - prior_curvature(theta)),  # G does not see the prior
        (Gamma, -(1 - alpha) * g * slope * G * G / sqrt(V)),
    )
    drift: Any = -N * G * f
    if printing == "algorithm1":
        drift = drift + Gamma
    elif printing == "eq3":
        drift = G * (Gamma - N * f)
    move = (theta, theta + eps / 2 * drift + sqrt(eps * G) * xi)
    if printing == "preconditioner_of_old_gradient":
        updates: tuple[Any, ...] = (*see, precondition, move, remember)
    else:
        corrected = steepen if printing in ("algorithm1", "eq3") else ()
        updates = (*see, remember, precondition, *corrected, move)
    return Sampler(
        state=(theta, V),
        noises=(xi,),
        updates=updates,
        given=(alpha < 1,),
        defaults=((lam, "1/100000"), (alpha, "99/100")),
        word=("printing", printing),
        title=_TITLES[printing],
        convention=Card(
            loss="mean",
            drift="$(eps/2) N G$, $G = 1/(lambda + sqrt(V))$, $V$ from squared gradients of the"
            " likelihood",
            noise="$sqrt(eps G)$ times a standard normal vector",
            N="the update multiplies the mean gradient by $N$",
            temperature="fixed at 1",
            order=_ORDER[printing],
            translations=(
                Translation(
                    "pysgmcmc / torch pSGLD",
                    "usually no_gamma, with the prior in V; lr = eps/2 or eps: look before comparing",
                ),
            ),
        ),
        cites=("li2016psgld Algorithm 1, Eqs. 3-5",),
    )


PSGLD = Family("printing", "algorithm1", PRINTINGS, printed)
