"""Adam: with its corrections of bias, without them, and as the Santa supplement prints it twice.

Its letters are those of the supplement: eta the step, b1 what the first moment forgets of itself, sigma
what the second keeps. Section F prints the first form with a plus sign before the step, the second with
a minus sign on either place, so that both climb.
"""

from typing import Any

from sympy import sqrt

from sgtheory.declare import (
    Card,
    Family,
    N,
    Sampler,
    Translation,
    gradient,
    local,
    nonnegative,
    ones,
    positive,
    state,
    t,
)
from sgtheory.errors import UnusableInput

theta, u, v = state("theta u v")
f, g = local("f0 g")
eta, b1, lam = positive("eta b1 lambda")
sigma = nonnegative("sigma")

PRINTINGS = ("kingma_ba", "no_correction", "supplement_f_1", "supplement_f_2")

_TITLES = {
    "kingma_ba": "Adam",
    "no_correction": "Adam without its corrections for the start",
    "supplement_f_1": "Adam, as Supplement F of the Santa paper prints it first",
    "supplement_f_2": "Adam, as Supplement F of the Santa paper rewrites it",
}


def printed(printing: str) -> Sampler:
    """Adam as one place prints it."""
    if printing not in PRINTINGS:
        raise UnusableInput(f"a printing among {', '.join(PRINTINGS)}", repr(printing), "choose one")
    supplement = printing.startswith("supplement")
    return Sampler(
        state=(theta, u, v),
        title=_TITLES[printing],
        updates=_supplement(printing) if supplement else _original(printing == "kingma_ba"),
        given=(b1 <= 1, sigma < 1),
        defaults=((b1, "1/10"), (sigma, "999/1000"), (lam, "1/100000000")),
        word=("printing", printing),
        convention=Card(
            loss="sum" if supplement else "mean",
            drift=_DRIFT[printing],
            N="the update multiplies the mean gradient by $N$"
            if supplement
            else "the update does not multiply the gradient by $N$",
            order="both moments, then the position, with one minibatch",
            translations=(
                ()
                if supplement
                else (Translation("torch.optim.Adam", "lr = eta, betas = (1 - b1, sigma)"),)
            ),
        ),
        cites=("chen2016santa supplement F",) if supplement else ("kingma2015 Algorithm 1",),
    )


_DRIFT = {
    "kingma_ba": "$eta$ over $lambda + sqrt(v)$, both moments divided by what they lack at first",
    "no_correction": "$eta$ over $lambda + sqrt(v)$",
    "supplement_f_1": "plus $eta$ over $lambda + sqrt(v)$: uphill, as printed",
    "supplement_f_2": "eta on the momentum, g = (lambda + sqrt(v))^(-1/2) on both; uphill, as printed",
}


def _original(corrected: bool) -> tuple[Any, ...]:
    first, second = (1 - (1 - b1) ** (t + 1), 1 - sigma ** (t + 1)) if corrected else (1, 1)
    return (
        (f, gradient(theta)),
        (u, (1 - b1) * u + b1 * f),
        (v, sigma * v + (1 - sigma) * f * f),
        (theta, theta - eta / first * u / (lam * ones + sqrt(v / second))),
    )


def _supplement(printing: str) -> tuple[Any, ...]:
    see = (
        (f, N * gradient(theta)),
        (v, sigma * v + (1 - sigma) * f * f),
        (g, ones / sqrt(lam * ones + sqrt(v))),
    )
    if printing == "supplement_f_1":
        return (*see, (u, (1 - b1) * u + b1 * f), (theta, theta + eta * g * g * u))
    return (*see, (u, (1 - b1) * u - eta * b1 * g * f), (theta, theta - g * u))


ADAM = Family("printing", "kingma_ba", PRINTINGS, printed)
