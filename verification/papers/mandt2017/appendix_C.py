"""Appendix C: the reverse divergence, from the posterior to the sampler's law."""

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.notation import A, C, D, N, S, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.papers.mandt2017.letters import (
    POSTERIOR,
    REVERSE_KL,
    SIGMA_0,
    f,
    log_mean,
    logdet,
    mean_form,
    q,
)
from verification.refuter.conditions import Commute
from verification.statements import Best, Equal, FreeOf, Iff, Order, claim, growing, vanishing

GIVEN = (*USUAL, CONVEX, FULL_RANK)
TOGETHER = Commute(("A", "C"))  # as A and Sigma do, see sec4_1.commute
BEST = 2 * S / N * D / trace(C)  # Eq. 15
STEP = sp.Symbol("eps_reverse", positive=True)
BEST_REVERSE = 2 * S / (N * D) * trace(C**-1)  # Eq. 41

# the noise's eigenvalues in two dimensions
FIRST, SECOND = sp.symbols("c_1 c_2", positive=True)
BEST_OF_TWO = 2 * S / N * 2 / (FIRST + SECOND)
REVERSE_OF_TWO = 2 * S / (2 * N) * (1 / FIRST + 1 / SECOND)

line_1 = claim(
    "appC.eq39.line_1",
    at="Appendix C, Eq. 39, first line",
    title="Reverse divergence as a difference of two means",
    says="The reverse divergence is the mean of log f minus the mean of log q, both under f.",
    of="sgd",
    given=GIVEN,
    printed=Equal(REVERSE_KL, log_mean(POSTERIOR, f, POSTERIOR, f) - log_mean(Sigma, q, POSTERIOR, f)),
)

line_2 = claim(
    "appC.eq39.line_2",
    at="Appendix C, Eq. 39, second line",
    title="Reverse divergence up to a constant",
    says="Half a mean of a quadratic form plus half a log determinant, up to a constant.",
    of="sgd",
    given=GIVEN,
    printed=Equal(
        REVERSE_KL, mean_form(Sigma**-1, POSTERIOR, f) / 2 + logdet(Sigma) / 2, constant_in=(eps, S)
    ),
)

line_3 = claim(
    "appC.eq39.line_3",
    at="Appendix C, Eq. 39, third line",
    title="Reverse divergence with a trace",
    says="The mean is a trace of two inverses over N.",
    of="sgd",
    given=GIVEN,
    printed=Equal(
        REVERSE_KL, trace(A**-1 * Sigma**-1) / (2 * N) + logdet(Sigma) / 2, constant_in=(eps, S)
    ),
)

needed = claim(
    "appC.eq40.where_commuting",
    at="Appendix C, before Eq. 40",
    title="Eq. 40 holds only where A and Sigma commute",
    says="The dependence on Sigma can be eliminated by Eq. 13 where A and Sigma commute, not otherwise.",
    of="sgd",
    given=GIVEN,
    read=Iff(Equal(trace(A**-1 * Sigma**-1), 2 * S / eps * trace(C**-1)), Equal(A * C, C * A)),
)

trace_line_1 = claim(
    "appC.eq40.line_1",
    at="Appendix C, Eq. 40, first line",
    title="Two inverses as one",
    says="The product of the inverses is the inverse of the product.",
    of="sgd",
    given=GIVEN,
    printed=Equal(trace(A**-1 * Sigma**-1), trace((Sigma * A) ** -1)),
)

trace_line_2 = claim(
    "appC.eq40.line_2",
    at="Appendix C, Eq. 40, second line",
    title="The product symmetrised",
    says="Where A and Sigma commute the product may be replaced by the mean of both orders.",
    of="sgd",
    given=(*GIVEN, TOGETHER),
    printed=Equal(trace((Sigma * A) ** -1), 2 * trace((Sigma * A + A * Sigma) ** -1)),
)

trace_line_3 = claim(
    "appC.eq40.line_3",
    at="Appendix C, Eq. 40, third line",
    title="The noise covariance put in",
    says="By Eq. 13 the inverse of the sum is S/eps times that of the noise covariance.",
    of="sgd",
    given=GIVEN,
    printed=Equal(2 * trace((Sigma * A + A * Sigma) ** -1), 2 * S / eps * trace(C**-1)),
)

eq40 = claim(
    "appC.eq40",
    at="Appendix C, Eq. 40",
    title="The trace in terms of the noise covariance",
    says="Where A and Sigma commute the trace of Eq. 39 needs the noise covariance only.",
    of="sgd",
    given=(*GIVEN, TOGETHER),
    printed=Equal(trace(A**-1 * Sigma**-1), 2 * S / eps * trace(C**-1)),
)

literal = claim(
    "appC.trace_of_inverse",
    at="Appendix C, after Eq. 41",
    title="Inverse of a trace against trace of an inverse",
    says="Eq. 41 is Eq. 15 with the inverse of the trace replaced by the trace of the inverse.",
    given=GIVEN,
    read=Equal(STEP, 2 * S / N * D * trace(C**-1)),
    where=((STEP, BEST_REVERSE),),
)

by_means = claim(
    "appC.mean_of_inverse",
    at="Appendix C, after Eq. 41, of means",
    title="Inverse of a mean against mean of an inverse",
    says="Eq. 41 is Eq. 15 with the inverse of the mean eigenvalue replaced by the mean inverse.",
    given=GIVEN,
    read=Equal(STEP, 2 * S / N * (trace(C**-1) / D)),
    where=((STEP, BEST_REVERSE),),
)

largest = claim(
    "appC.largest_eigenvalue",
    at="Appendix C, after Eq. 41",
    title="Eq. 15 where the largest eigenvalue dominates",
    says="The rate of Eq. 15 is inversely proportional to the noise's largest eigenvalue (of two).",
    given=GIVEN,
    read=Order(BEST_OF_TWO, "~", 2 * S / N * 2 / FIRST, growing(FIRST)),
)

largest_otherwise = claim(
    "appC.only_the_largest_eigenvalue",
    at="Appendix C, after Eq. 41",
    title="Eq. 15 depends on the largest eigenvalue only",
    says="Read as an equality: the rate of Eq. 15 does not see the smaller of two eigenvalues.",
    given=GIVEN,
    read=FreeOf(BEST_OF_TWO, SECOND),
)

smallest = claim(
    "appC.smallest_eigenvalue",
    at="Appendix C, after Eq. 41",
    title="Eq. 41 where the smallest eigenvalue dominates",
    says="The rate of Eq. 41 is inversely proportional to the noise's smallest eigenvalue (of two).",
    given=GIVEN,
    read=Order(REVERSE_OF_TWO, "~", 2 * S / N / (2 * FIRST), vanishing(FIRST)),
)

only_viable = claim(
    "appC.only_viable",
    at="Appendix C, first paragraph and last sentence",
    title="The reverse divergence is of use only where A and Sigma commute",
    says="Only where A and Sigma commute has the reverse divergence a best rate in closed form.",
    of="sgd",
    given=GIVEN,
    where=((SIGMA_0, S / eps * Sigma),),
    read=Iff(Best(eps, S * trace(A**-1 * SIGMA_0**-1) / (N * D), of=REVERSE_KL), Equal(A * C, C * A)),
)

emphasis = NotMathematical(
    "appC.emphasis",
    at="Appendix C, end",
    title="Like variational inference and expectation propagation",
    says="They differ in emphasis as variational inference and expectation propagation do.",
    because="opinion",
)

rarely = NotMathematical(
    "appC.rarely_commute",
    at="Appendix C, end",
    title="A and Sigma rarely commute in practice",
    says="In practice A and Sigma rarely commute.",
    because="opinion",
)
