"""Appendix F: the learning rate that goes with square-root preconditioning."""

from sympy import Pow, Rational

from verification.notation import C, D, Diagonal, H, N, S, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.papers.mandt2017.letters import KL
from verification.statements import Best, claim

INVERSE_ROOT = Pow(Diagonal(C), Rational(-1, 2))  # the inverse of G = sqrt(diag(B B^T))

thm7 = claim(
    "thm7",
    at="Theorem 7, Eq. 47",
    title="The best learning rate with square-root preconditioning",
    says="With the gain eps times the inverse root of the noise's diagonal, this eps is best.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK),
    printed=Best(eps, 2 * D * S / (N * trace(C * INVERSE_ROOT)), of=KL),
    sets=((H, INVERSE_ROOT),),
    kinds=(("B", "rational lengths"),),
)
