"""Appendix F: the learning rate that goes with square-root preconditioning."""

from sympy import Pow, Rational

from verification.claims.base import Printed
from verification.claims.freedom import STEP_OVER
from verification.claims.minimiser import Minimiser
from verification.notation import C, D, Diagonal, N, S, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL

INVERSE_ROOT = Pow(Diagonal(C), Rational(-1, 2))  # the inverse of G = sqrt(diag(B B^T))

thm7 = Minimiser(
    "thm7",
    at="Theorem 7, Eq. 47",
    title="The best learning rate with square-root preconditioning",
    says="With the gain eps times the inverse root of the noise's diagonal, this eps is best.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK),
    printed=(Printed(eps, 2 * D * S / (N * trace(C * INVERSE_ROOT))),),
    over=STEP_OVER,
    gain=INVERSE_ROOT,
)
