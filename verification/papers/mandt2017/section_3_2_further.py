"""Section 3.2: the density of the stationary law, and what its discussion says in passing."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from verification.notation import A, Sigma, eps
from verification.papers.mandt2016poster.benefits import ONE, TWO
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.statements import Equal, Order, Preserves, Section, at, vanishing
from verification.theories.matrices.words import elsewhere


def _by_step(process: Diffusion) -> Diffusion:
    """The same process where a unit of time is a step."""
    step = sp.Symbol("eps", positive=True)
    drift = tuple(step * d for d in process.drift)
    return Diffusion(
        process.state, drift, tuple(tuple(sp.sqrt(step) * b for b in row) for row in process.noise)
    )


gaussian = at("sec3_2.gaussian", "section 3.2, after Eq. 11, and Eqs. 12 and 13").claim(
    "The process has a normal stationary density",
    "The normal density whose covariance solves Eq. 13 is one that the process of Eq. 11 keeps"
    " (along the axes of A, in one dimension and in two).",
    given=(*USUAL, CONVEX),
    read=Preserves(((_by_step(ONE[0]), ONE[1]), (_by_step(TWO[0]), TWO[1]))),
)

sgd = Section(of="sgd", given=(*USUAL, CONVEX))

with_the_loss = sgd(
    "sec3_2.inverse_to_A_with_the_loss", "section 3.2, after Eq. 13, the loss being multiplied"
).claim(
    "Sigma is inversely proportional to A where the loss is multiplied",
    "A loss that is doubled doubles A and the gradients, which is as a rate that is doubled; the"
    " covariance is then said to be halved.",
    read=Equal(Sigma, 2 * elsewhere(Sigma, (eps, 2 * eps))),
)

small_gradient = sgd(
    "sec3_2.small_gradient_near_optimum", "section 3.2, discussion of Assumptions 1-4, third phase"
).claim(
    "Near the optimum gradients are small against their noise",
    "In the stationary state the covariance of the gradient is of the order of the step, that of"
    " its noise is C/S whatever the step.",
    read=Order(A * Sigma * A, "Theta", eps, vanishing(eps)),
)
