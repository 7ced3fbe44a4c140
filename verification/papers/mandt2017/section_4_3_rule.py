"""Section 4.3: the learning rate that goes with a damping."""

from verification.claims.base import Printed
from verification.claims.freedom import STEP_OVER
from verification.claims.minimiser import Minimiser
from verification.notation import C, D, N, S, eps, mu, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL

rule = Minimiser(
    "sec4_3.rule",
    at="section 4.3, after Eq. 25",
    stands="derived",
    title="The best learning rate with momentum",
    says="With momentum the step over the damping takes the place of the step in Theorem 1.",
    of="momentum",
    given=(*USUAL, CONVEX, FULL_RANK),
    printed=(Printed(eps / (mu * S), 2 * D / (N * trace(C))),),
    over=STEP_OVER,
)
