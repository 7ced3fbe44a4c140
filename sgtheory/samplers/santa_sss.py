"""Santa with the symmetric splitting scheme: as Algorithm 2 prints it, and as Algorithms 4 and 5 do.

Algorithm 2 divides by the old momentum and has another power of the step in its noise than Algorithm 4
of the supplement. The gradient is taken before the position makes its first half step.
"""

from typing import Any

from sympy import Piecewise, exp, sqrt

from sgtheory.declare import Family, Sampler, local, ones
from sgtheory.errors import UnusableInput
from sgtheory.samplers.santa_euler import (
    alpha,
    before,
    begin,
    card,
    defaults,
    eta,
    exploring,
    f,
    g,
    g_old,
    heat,
    precondition,
    remember,
    see,
    sigma,
    theta,
    u,
    v,
    zeta,
)

u_old = local("u_old")
PRINTINGS = ("algorithm2", "algorithm4")


def printed(printing: str) -> Sampler:
    """The sampler as one place prints it."""
    if printing not in PRINTINGS:
        raise UnusableInput(f"a printing among {', '.join(PRINTINGS)}", repr(printing), "choose one")
    kick = u - eta * g * f
    added: dict[str, Any] = {
        "algorithm2": sqrt(2 * heat * g_old) * zeta + heat * (ones - g_old / g) / u_old,
        "algorithm4": sqrt(2 * sqrt(eta) * heat * g_old) * zeta,
    }
    keep = ((u_old, u),) if printing == "algorithm2" else ()
    noise = {
        "algorithm2": "$sqrt(2 g_(t-1) eta/beta_t)$ times a standard normal vector, on the momentum",
        "algorithm4": "$sqrt(2 g_(t-1) eta^(3/2)/beta_t)$ times a standard normal vector, on the"
        " momentum",
    }
    warm = Piecewise((alpha + (u * u - heat * ones) / 2, exploring), (alpha, True))
    return Sampler(
        state=(theta, u, alpha, v),
        noises=(zeta,),
        updates=(
            see,
            before,
            remember,
            precondition,
            (theta, theta + g * u / 2),
            *keep,
            (alpha, warm),
            (u, exp(-alpha / 2) * u),
            (u, Piecewise((kick + added[printing], exploring), (kick, True))),
            (u, exp(-alpha / 2) * u),
            (alpha, warm),
            (theta, theta + g * u / 2),
        ),
        given=(sigma <= 1,),
        defaults=defaults,
        start=begin,
        word=("printing", printing),
        convention=card(
            noise[printing],
            "$v$, $g$; half of position, friction, damping; the kick; the halves in reverse",
        ),
        cites=("chen2016santa " + {"algorithm2": "Algorithm 2"}.get(printing, "Algorithms 4, 5"),),
    )


SANTA_SSS = Family("printing", "algorithm2", PRINTINGS, printed)
