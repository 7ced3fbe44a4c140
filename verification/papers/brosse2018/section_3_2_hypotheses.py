"""What Section 3.2 assumes, and the sizes of its remainders."""

from sympy import Rational

from verification.claims.base import Assumption
from verification.invariants.words import M, eta, p
from verification.notation import N, identity

H1 = Assumption("H1: U_i four times differentiable, second to fourth derivatives bounded by L~")
H2 = Assumption("H2: U strongly convex with constant m")
H3 = Assumption("H3: every U_i convex")
GROWING = Assumption("lim inf m/N > 0")
STEP = Assumption("gamma = eta/N with 0 < eta < eta_0, and eta_0 does not depend on N")
ENOUGH = Assumption("N >= 1/eta")

SIXTH = (H1, H2, H3, GROWING, STEP)  # of Theorem 6
SEVENTH = (*SIXTH, ENOUGH)  # of Theorem 7

HALF_MORE_N, HALF_MORE_ETA = N ** Rational(-3, 2), eta ** Rational(3, 2)
WITH_NOISE = 2 * identity + eta / p * M
