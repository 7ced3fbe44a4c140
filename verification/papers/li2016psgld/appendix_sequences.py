"""Letters of the appendices: sequences over steps, and single numbers, of one coordinate."""

from typing import Any

from verification.statements import Assumption, index, letter, mean, over, sequences
from verification.terms.term import Term

T = letter("T", "count")
t = index("t")
(eps,) = sequences("epsilon", "decreasing sequence")  # step sizes
(steps,) = sequences("epsilon", "Robbins-Monro sequence")  # the same, under Assumption 1
psi, phi = sequences("psi phi")  # at theta_t
L_psi, P = sequences(
    "L_psi mean_psi"
)  # the generator on psi at theta_t; psi's mean there, given the past
d, r = sequences("d r")  # Delta V_t applied to psi, at theta_(t-1); what one step leaves, over eps_t^2
COEFFICIENTS = Assumption("$sigma$, $g$ and $Gamma$ are smooth, with bounded derivatives")
ONE = Assumption("one coordinate: the preconditioner is diagonal")
SMOOTH = Assumption(
    "$psi$, which solves Poisson's equation, and its derivatives up to the third are bounded by a"
    " function whose moments along the chain are bounded (Assumption 2)"
)


def total(body: Any) -> Term:
    """The sum over all steps."""
    return over(body, t, 1, T)


S_T = total(eps[t])
SQUARES = total(eps[t] ** 2)  # what the remainders of single steps add up to
TIME, SQUARED = total(steps[t]), total(steps[t] ** 2)  # the same two under Assumption 1

# Theorem 1: the mean square error of a weighted average of phi(theta_t), and its bound
(drawn,) = sequences("Delta_V", "bounded sequence")
(value,) = sequences("phi", "random sequence")
ERROR = mean((total(steps[t] * value[t]) / TIME - letter("phi_bar", "real")) ** 2)
PAIR = steps[2 * t - 1] + steps[2 * t]
THINNED = mean((total(PAIR * value[2 * t]) / total(PAIR) - letter("phi_bar", "real")) ** 2)
BOUND = total(steps[t] ** 2 * drawn[t] ** 2) / TIME**2 + 1 / TIME + SQUARED**2 / TIME**2
