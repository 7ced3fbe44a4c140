"""What Section 3.2 assumes, the ways that N and eta go, and the sizes of its remainders."""

from typing import Any

from verification.notation import N
from verification.papers.brosse2018.letters import eta, gamma, p
from verification.statements import All, Assumption, Order, letter, number, term, vanishing
from verification.theories.invariants import IDENTITY, NOISE

H1 = Assumption("H1: $U_i$ four times differentiable, second to fourth derivatives bounded by $L~$")
H2 = Assumption("H2: $U$ strongly convex with constant $m$")
H3 = Assumption("H3: every $U_i$ convex")
GROWING = Assumption("the lower limit of $m/N$ is positive")
STEP = Assumption("$gamma = eta/N$ with $0 < eta < eta_0$, and $eta_0$ does not depend on $N$")
ENOUGH = Assumption("N >= 1/eta; $tau = 1/(N eta)$ is any one number up to one")

SIXTH = (H1, H2, H3, GROWING, STEP)  # of Theorem 6
SEVENTH = (*SIXTH, ENOUGH)  # of Theorem 7

share = letter("tau", "up to one")  # N is at least 1/eta
SMALLER_STEPS = vanishing(eta, (N, 1 / (share * eta)), (gamma, share * eta**2))

HALF_MORE_N, HALF_MORE_ETA = term(N) ** number("-3/2"), eta ** number("3/2")
WITH_NOISE = 2 * IDENTITY + eta / p * NOISE


def each(quantity: Any, relation: str, size: Any, way: Any, *samplers: str) -> All:
    """The same order for some samplers."""
    return All(*(Order(quantity(name), relation, size, way) for name in samplers))
