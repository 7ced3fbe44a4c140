"""Appendix E: the divergence of Fisher scoring, Eq. 46."""

import sympy as sp

from sgtheory.notation.matrixwords import Determinant, E
from verification.notation import A, C, D, H, N, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.papers.mandt2017.letters import EE, KL, SINGLE, T, logdet
from verification.statements import Equal, claim

GIVEN = (*USUAL, CONVEX)
WITH_T = ((T, Sigma * H**-1), *SINGLE)
LOG_N_TIMES = sp.log(N * Determinant(A))  # log(N |A|), as printed
LINE_2 = N / 4 * trace(H * (eps * C + EE)) - D / 2 - LOG_N_TIMES / 2 - logdet(T) / 2 - logdet(H) / 2

constant = claim(
    "appE.kl_up_to_constant",
    at="Appendix E, first display of KL",
    title="Divergence up to a constant",
    says="A trace and a log determinant of the covariance, up to a constant.",
    of="sgfs",
    given=GIVEN,
    printed=Equal(KL, N / 2 * trace(A * Sigma) - logdet(Sigma) / 2, constant_in=(H, eps, E)),
    where=SINGLE,
)

line_1 = claim(
    "appE.eq46.line_1",
    at="Appendix E, Eq. 46, first line",
    title="Divergence with the covariance in it",
    says="A trace, the dimension, log(N |A|) and the log determinant of the covariance.",
    of="sgfs",
    given=GIVEN,
    printed=Equal(KL, N / 2 * trace(A * Sigma) - D / 2 - LOG_N_TIMES / 2 - logdet(Sigma) / 2),
    where=SINGLE,
)

line_2 = claim(
    "appE.eq46.line_2",
    at="Appendix E, Eq. 46, second line",
    title="Divergence with the covariance taken out",
    says="The trace by the noise covariances, and the log determinants of T and H.",
    of="sgfs",
    given=GIVEN,
    printed=Equal(KL, LINE_2),
    where=WITH_T,
)

main_text = claim(
    "appE.main_text",
    at="Appendix E, after Eq. 46",
    title="Eq. 46 is the divergence of the main text",
    says="Eq. 46 is the result that is given in the proof of Theorem 5.",
    of="sgfs",
    given=GIVEN,
    read=Equal(
        LINE_2,
        -N / 4 * trace(H * (eps * C + EE)) + logdet(T) / 2 + logdet(H) / 2 + logdet(N * A) / 2 + D / 2,
    ),
    where=WITH_T,
)
