"""Appendix F: a square-root preconditioner."""

from typing import Any

import sympy as sp

from verification.claims.base import Assumption, Printed
from verification.claims.definition import Definition
from verification.notation import C, D, Diagonal, H, N, S, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.papers.mandt2017.letters import KL, SIGMA_0, G, Q, logdet
from verification.statements import Best, Equal, claim
from verification.terms.kinds import LOSS, PARAMETER, square

ROOT = Assumption("G is the square root of the diagonal of B B^T; what is said holds of any diagonal G")
GIVEN = (*USUAL, CONVEX, FULL_RANK, ROOT)
BEST = 2 * D * S / (N * trace(C * G**-1))
OF_G = ((G, H**-1),)  # the sampler's own gain, its step being eps


def printed(entropy: Any) -> Any:
    """The printed divergence; Tr log G is log det G."""
    return (
        eps * N / (2 * S) * trace(C * G**-1) - logdet(G) + D / 2 * sp.log(eps / S) - logdet(entropy) / 2
    )


definition = Definition(
    "appF.definition_of_g",
    at="Appendix F, first display",
    title="The square root of the noise's diagonal",
    says="G is the diagonal matrix of the square roots of the noise covariance's diagonal.",
    printed=(Printed(G * G, Diagonal(C)),),
    declared=((G, square(LOSS / PARAMETER)), (C, square(LOSS**2 / PARAMETER**2))),
)

divergence = claim(
    "appF.kl",
    at="Appendix F, proof of Theorem 7",
    title="Divergence with a square-root preconditioner",
    says="A trace, a trace of a logarithm, a logarithm of the step, and the log determinant of Sigma.",
    of="sgd",
    given=GIVEN,
    printed=Equal(KL, printed(Sigma), constant_in=(eps, S, H)),
    where=OF_G,
    kinds=(("H", "diagonal"),),
)

divergence_with_q = claim(
    "appF.kl_with_q",
    at="Appendix F, proof of Theorem 7, Q of Theorem 2 for Sigma",
    title="The same with the Q of Theorem 2",
    says="As read off from Eq. 20, whose last determinant is that of Q = Sigma H^(-1).",
    of="sgd",
    given=GIVEN,
    read=Equal(KL, printed(Q), constant_in=(eps, S, H)),
    where=((Q, S / eps * Sigma * G), *OF_G),
    kinds=(("H", "diagonal"),),
)

minimiser = claim(
    "appF.minimiser",
    at="Appendix F, proof of Theorem 7",
    title="Minimising the printed divergence gives Eq. 47",
    says="The printed divergence, its last determinant kept, is smallest at the rate of Eq. 47.",
    given=GIVEN,
    read=Best(eps, BEST, of=printed(Sigma)),
    where=((Sigma, SIGMA_0),),
    kinds=(("G", "diagonal"),),
)

minimiser_by_law = claim(
    "appF.minimiser_by_the_law",
    at="Appendix F, proof of Theorem 7, Sigma moving with the step",
    title="The same, Sigma being that of the law",
    says="The printed divergence, Sigma moving with the rate, is smallest at the rate of Eq. 47.",
    of="sgd",
    given=GIVEN,
    read=Best(eps, BEST, of=printed(Sigma)),
    where=OF_G,
    kinds=(("H", "diagonal"),),
)
