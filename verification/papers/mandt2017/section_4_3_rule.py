"""Section 4.3: the learning rate that goes with a damping."""

from verification.notation import C, D, N, S, eps, mu, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.papers.mandt2017.letters import KL
from verification.statements import Best, claim

rule = claim(
    "sec4_3.rule",
    at="section 4.3, after Eq. 25",
    title="The best learning rate with momentum",
    says="With momentum the step over the damping takes the place of the step in Theorem 1.",
    of="momentum",
    given=(*USUAL, CONVEX, FULL_RANK),
    derived=Best(eps / (mu * S), 2 * D / (N * trace(C)), of=KL, by=eps),
    kinds=(("B", "positive definite"),),
)
