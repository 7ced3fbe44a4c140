"""Santa's refinement alone: Algorithms 5 and 7 of its supplement, and Santa-r, whose friction goes on.

No noise is injected; without ``santa_r`` the friction stays what it is at first.
"""

from typing import Any

from sympy import exp

from sgtheory.declare import Family, Sampler, ones
from sgtheory.errors import UnusableInput
from sgtheory.samplers.santa_euler import (
    alpha,
    begin,
    card,
    defaults,
    eta,
    f,
    g,
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

PRINTINGS = ("algorithm5", "algorithm7", "santa_r")


def printed(printing: str) -> Sampler:
    """The sampler as one place prints it; Santa-r is described in section 5 only, for the splitting."""
    if printing not in PRINTINGS:
        raise UnusableInput(f"a printing among {', '.join(PRINTINGS)}", repr(printing), "choose one")
    goes_on = printing == "santa_r"
    friction = (alpha, alpha + (u * u - heat * ones) / 2 if goes_on else alpha)
    if printing == "algorithm7":
        inside: tuple[Any, ...] = (
            friction,
            (u, (ones - alpha) * u - eta * g * f),
            (theta, theta + g * u),
        )
        order = "$v$, $g$, momentum, position"
    else:
        inside = (
            (theta, theta + g * u / 2),
            friction,
            (u, exp(-alpha / 2) * u),
            (u, u - eta * g * f),
            (u, exp(-alpha / 2) * u),
            *((friction,) if goes_on else ()),
            (theta, theta + g * u / 2),
        )
        order = "$v$, $g$; half of position and damping; the kick; the halves in reverse"
    used = {s.name for _, e in inside for s in e.free_symbols}
    known = {"sigma", "lambda", "C0"} | used
    return Sampler(
        state=(theta, u, alpha, v),
        noises=(zeta,),
        updates=(see, remember, precondition, *inside),
        given=(sigma <= 1,),
        defaults=tuple(d for d in defaults if d[0].name in known),
        start=begin,
        word=("printing", printing),
        convention=card("none is injected", order),
        cites=(
            "chen2016santa "
            + {"algorithm5": "Algorithm 5", "algorithm7": "Algorithm 7"}.get(printing, "section 5"),
        ),
    )


SANTA_REFINEMENT = Family("printing", "algorithm5", PRINTINGS, printed)
