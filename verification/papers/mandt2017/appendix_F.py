"""Appendix F: a square-root preconditioner, and the learning rate that goes with it."""

from typing import Any

import sympy as sp
from sympy import Pow, Rational

from verification.notation import C, D, Diagonal, H, N, S, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL, full_rank
from verification.papers.mandt2017.letters import KL, SIGMA_0, G, Q, logdet
from verification.statements import Assumption, Best, Equal, Printed, Section, at
from verification.terms.kinds import LOSS, PARAMETER, square

ROOT = Assumption("$G$ is diagonal and positive: the root of the diagonal of $B B^T$ is one such matrix")
GIVEN = (*USUAL, CONVEX, FULL_RANK, ROOT)
BEST = 2 * D * S / (N * trace(C * G**-1))
OF_G = ((G, H**-1),)  # the sampler's own gain, its step being eps


def printed(entropy: Any) -> Any:
    """The printed divergence; Tr log G is log det G."""
    return (
        eps * N / (2 * S) * trace(C * G**-1) - logdet(G) + D / 2 * sp.log(eps / S) - logdet(entropy) / 2
    )


definition = at("appF.definition_of_g", "Appendix F, first display").definition(
    "The square root of the noise's diagonal",
    "$G$ is the diagonal matrix of the square roots of the noise covariance's diagonal.",
    Printed(G * G, Diagonal(C)),
    kinds={G: square(LOSS / PARAMETER), C: square(LOSS**2 / PARAMETER**2)},
)

sgd = Section(of="sgd", given=GIVEN)

divergence = sgd("appF.kl", "Appendix F, proof of Theorem 7").claim(
    "Divergence with a square-root preconditioner",
    "A trace, a trace of a logarithm, a logarithm of the step, and the log determinant of $Sigma$.",
    printed=Equal(KL, printed(Sigma), constant_in=(eps, S, H)),
    where=OF_G,
    kinds=(("H", "diagonal"),),
)

kl_with_q = sgd("appF.kl_with_q", "Appendix F, proof of Theorem 7, $Q$ of Theorem 2 for $Sigma$").claim(
    "The same with the $Q$ of Theorem 2",
    "As read off from Eq. 20, whose last determinant is that of $Q$; here of $S$ times Theorem 2's.",
    read=Equal(KL, printed(Q), constant_in=(eps, S, H)),
    where=((Q, S / eps * Sigma * G), *OF_G),
    kinds=(("H", "diagonal"),),
)

minimiser = at("appF.minimiser", "Appendix F, proof of Theorem 7").claim(
    "Minimising the printed divergence gives Eq. 47",
    "The printed divergence, its last determinant kept, is smallest at the rate of Eq. 47.",
    given=GIVEN,
    read=Best(eps, BEST, of=printed(Sigma)),
    where=((Sigma, SIGMA_0),),
    kinds=(("G", "diagonal"),),
)

minimiser_by_law = sgd(
    "appF.minimiser_by_the_law", "Appendix F, proof of Theorem 7, $Sigma$ moving with the step"
).claim(
    "The same, $Sigma$ being that of the law",
    "The printed divergence, $Sigma$ moving with the rate, is smallest at the rate of Eq. 47.",
    read=Best(eps, BEST, of=printed(Sigma)),
    where=OF_G,
    kinds=(("H", "diagonal"),),
)

INVERSE_ROOT = Pow(Diagonal(C), Rational(-1, 2))  # the inverse of G = sqrt(diag(B B^T))

thm7 = full_rank("thm7", "Theorem 7, Eq. 47").claim(
    "The best learning rate with square-root preconditioning",
    "With the gain $eps$ times the inverse root of the noise's diagonal, this $eps$ is best.",
    printed=Best(eps, 2 * D * S / (N * trace(C * INVERSE_ROOT)), of=KL),
    sets=((H, INVERSE_ROOT),),
    kinds=(("B", "rational lengths"),),
)
