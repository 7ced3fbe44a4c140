"""What the paper assumes, and the chains in which its statements on averages are looked at."""

from verification.papers.li2016psgld.appendix_sequences import S_T, SMOOTH, SQUARES, eps, t, total
from verification.statements import Assumption, Equal, Letter, Section, Term, sequences, sqrt

A1 = Assumption("Assumption 1: the steps decrease, their sum is infinite, that of their squares finite")
BOUNDED = Assumption("gradients of first and second order are bounded")
BURNT_IN = Assumption("after burn-in: the chain is in its stationary law")

# of pSGLD whose alpha is below one: its law as the step vanishes, with full gradients; its averages
ALPHA, BELOW = (("alpha", "unit"),), Letter("alpha", "real") < 1
SETTLES = Assumption("at every small step there is an invariant law, and moments of these are bounded")
MOVES = Assumption("the preconditioner is not constant")
small = Section(given=(Assumption("full gradients"), SETTLES, MOVES, BELOW), letters=ALPHA)
OF_THE_POSTERIOR = Assumption(
    "$phi_bar$ is the mean under the posterior, and $psi$ solves Poisson's equation of the process that"
    " keeps it (Eq. 3, $Gamma$ outside): of that of Algorithm 1 it has no bounded solution for all $phi$"
)
averaged = Section(given=(A1, SMOOTH, OF_THE_POSTERIOR, BELOW), letters=ALPHA)

CONVEX = Assumption(
    "a normal posterior, $A$ and $B B^T$ positive definite, $eps$ below $4/(N lambda_max(A))$"
)

(position,) = sequences("theta", "random sequence")
xi, zeta = sequences("xi zeta", "noises")
x = position[t - 1]
SHORT = eps[1] <= "0.5"  # no step is longer than the first
# of Theorem 1, with gradient noise of variance 1
BOUND = SQUARES / S_T**2 + 1 / S_T + SQUARES**2 / S_T**2

FROM_ONE, FROM_MODE = (Equal(position[0], start) for start in (1, 0))

# Eq. 2 on a normal posterior of precision 4, with gradient noise of variance 1, and with none
NOISY = Equal(position[t], x + eps[t] / 2 * (-4 * x + zeta[t]) + sqrt(eps[t]) * xi[t])
EXACT = Equal(position[t], x - 2 * eps[t] * x + sqrt(eps[t]) * xi[t])
# the same on a posterior of precision 2, so that steps 1/t multiply the distance by 1 - 1/t
WIDE = Equal(position[t], x - eps[t] * x + sqrt(eps[t]) * xi[t])


def average(of: Term) -> Term:
    """The average with the steps for weights."""
    return total(eps[t] * of) / S_T
