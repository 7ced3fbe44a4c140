"""Appendix C: the learning rate for the divergence in the other direction."""

from dataclasses import replace

from verification.notation import C, D, N, S, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.papers.mandt2017.letters import REVERSE_KL
from verification.refuter.conditions import Commute
from verification.statements import Best, claim

# A and Sigma commute exactly where A and B B^T do: both say that C is diagonal with A
COMMUTING = Commute(("A", "C"))

eq41 = claim(
    "appC.eq41",
    at="Appendix C, Eq. 41",
    title="The best learning rate for the reverse divergence",
    says="Where A and the stationary covariance commute, KL(f || q) is smallest at this learning rate.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK, COMMUTING),
    printed=Best(eps, 2 * S / (N * D) * trace(C**-1), of=REVERSE_KL),
    kinds=(("B", "positive definite"),),
)

eq41_in_general = replace(
    eq41,
    key="appC.eq41.in_general",
    at="Appendix C, after Eq. 41",
    stands="read",
    title="The reverse divergence chooses by the smallest noise",
    says="The comparison with Eq. 15 reads Eq. 41 as what KL(f || q) suggests for any noise.",
    given=(*USUAL, CONVEX, FULL_RANK),
)
