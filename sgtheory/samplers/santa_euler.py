"""Santa with the Euler scheme: as Algorithm 1 prints it, and as Algorithms 6 and 7 of its supplement do.

Stochastic annealing thermostats with adaptive momentum. Algorithm 1 divides by the old momentum and
has another power of the step, and of g, in its noise than Algorithm 6: our text of the paper has g
outside of the root. Temperatures are 1/beta_t, beta_t = beta (t+1)^gamma with t from 0; exploration
ends where the paper's t, from 1, reaches burnin. The supplement's theta_t = theta_t + ... is read as
adding to the old position.
"""

from typing import Any

from sympy import Piecewise, sqrt

from sgtheory.declare import (
    Card,
    Family,
    N,
    S,
    Sampler,
    gradient,
    local,
    nonnegative,
    normal,
    ones,
    positive,
    state,
    t,
    whole,
)
from sgtheory.errors import UnusableInput

theta, u, alpha, v = state("theta u alpha v")
f, g, g_old = local("f0 g g_old")
zeta = normal("zeta")
eta, lam, beta = positive("eta lambda beta")
sigma, gamma, C0 = nonnegative("sigma gamma C0")
burnin = whole("burnin")

heat = eta / (beta * (t + 1) ** gamma)  # eta / beta_t
exploring = t + 1 < burnin
see = (f, N * gradient(theta))
before = (g_old, ones / sqrt(lam * ones + sqrt(v)))
remember = (v, sigma * v + (1 - sigma) / S**2 * f * f)
precondition = (g, ones / sqrt(lam * ones + sqrt(v)))
begin = ((u, sqrt(eta) * zeta), (alpha, sqrt(eta) * C0 * ones))
defaults = (
    (sigma, "99/100"), (lam, "1/100000"), (C0, 1), (beta, 1), (gamma, 0), (burnin, 1_000_000_000),
)  # fmt: skip

PRINTINGS = ("algorithm1", "algorithm6")


def card(noise: str, order: str) -> Card:
    """What all forms of Santa have in common."""
    return Card(
        loss="sum",
        drift="$eta g$ on the momentum and $g$ on the position, $g = (lambda + sqrt(v))^(-1/2)$",
        noise=noise,
        N="the update multiplies the mean gradient by $N$; $v$ has the square of that over $S$ squared",
        temperature="$1/beta_t$, $beta_t = beta*(t+1)^gamma$: constant unless $gamma$ is given",
        order=order,
    )


def printed(printing: str) -> Sampler:
    """The sampler as one place prints it."""
    if printing not in PRINTINGS:
        raise UnusableInput(f"a printing among {', '.join(PRINTINGS)}", repr(printing), "choose one")
    kick = (ones - alpha) * u - eta * g * f
    added: dict[str, Any] = {
        "algorithm1": heat * (ones - g_old / g) / u + sqrt(2 * heat) * g_old * zeta,
        "algorithm6": sqrt(2 * sqrt(eta) * heat * g_old) * zeta,
    }
    noise = {
        "algorithm1": "$sqrt(2 eta/beta_t) g_(t-1)$ times a standard normal vector, on the momentum",
        "algorithm6": "$sqrt(2 g_(t-1) eta^(3/2)/beta_t)$ times a standard normal vector, on the"
        " momentum",
    }
    return Sampler(
        state=(theta, u, alpha, v),
        noises=(zeta,),
        updates=(
            see,
            before,
            remember,
            precondition,
            (alpha, Piecewise((alpha + u * u - heat * ones, exploring), (alpha, True))),
            (u, Piecewise((kick + added[printing], exploring), (kick, True))),
            (theta, theta + g * u),
        ),
        given=(sigma <= 1,),
        defaults=defaults,
        start=begin,
        word=("printing", printing),
        convention=card(noise[printing], "$v$, $g$, friction by the old momentum, momentum, position"),
        cites=("chen2016santa " + {"algorithm1": "Algorithm 1"}.get(printing, "Algorithms 6, 7"),),
    )


SANTA_EULER = Family("printing", "algorithm1", PRINTINGS, printed)
