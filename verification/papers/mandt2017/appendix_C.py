"""Appendix C: the reverse divergence, from the posterior to the sampler's law."""

from dataclasses import replace

import sympy as sp

from verification.notation import A, C, D, N, S, Sigma, eps, trace
from verification.papers.mandt2017 import section_4_1
from verification.papers.mandt2017.hypotheses import full_rank
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
from verification.relations import Best, Compare, Equal, Exists, FreeOf, Order, growing, vanishing
from verification.statements import Section, at

TOGETHER = Commute(("A", "C"))  # as A and Sigma do, see sec4_1.commute
BEST = 2 * S / N * D / trace(C)  # Eq. 15
STEP = sp.Symbol("eps_reverse", positive=True)
BEST_REVERSE = 2 * S / (N * D) * trace(C**-1)  # Eq. 41

# the noise's eigenvalues in two dimensions
FIRST, SECOND = sp.symbols("c_1 c_2", positive=True)
BEST_OF_TWO = 2 * S / N * 2 / (FIRST + SECOND)
REVERSE_OF_TWO = 2 * S / (2 * N) * (1 / FIRST + 1 / SECOND)

line_1 = full_rank("appC.eq39.line_1", "Appendix C, Eq. 39, first line").claim(
    "Reverse divergence as a difference of two means",
    "The reverse divergence is the mean of log $f$ minus the mean of log $q$, both under $f$.",
    printed=Equal(REVERSE_KL, log_mean(POSTERIOR, f, POSTERIOR, f) - log_mean(Sigma, q, POSTERIOR, f)),
)

line_2 = full_rank("appC.eq39.line_2", "Appendix C, Eq. 39, second line").claim(
    "Reverse divergence up to a constant",
    "Half a mean of a quadratic form plus half a log determinant, up to a constant.",
    printed=Equal(
        REVERSE_KL, mean_form(Sigma**-1, POSTERIOR, f) / 2 + logdet(Sigma) / 2, constant_in=(eps, S)
    ),
)

line_3 = full_rank("appC.eq39.line_3", "Appendix C, Eq. 39, third line").claim(
    "Reverse divergence with a trace",
    "The mean is a trace of two inverses over $N$.",
    printed=Equal(
        REVERSE_KL, trace(A**-1 * Sigma**-1) / (2 * N) + logdet(Sigma) / 2, constant_in=(eps, S)
    ),
)

needed = at("appC.eq40.where_commuting", "Appendix C, before Eq. 40").again(
    section_4_1.reverse,
    "Eq. 40 holds only where $A$ and $Sigma$ commute",
    "The dependence on $Sigma$ can be eliminated by Eq. 13 where $A$ and $Sigma$ commute, not"
    " otherwise.",
)

trace_line_1 = full_rank("appC.eq40.line_1", "Appendix C, Eq. 40, first line").claim(
    "Two inverses as one",
    "The product of the inverses is the inverse of the product.",
    printed=Equal(trace(A**-1 * Sigma**-1), trace((Sigma * A) ** -1)),
)

trace_line_2 = full_rank("appC.eq40.line_2", "Appendix C, Eq. 40, second line").claim(
    "The product symmetrised",
    "Where $A$ and $Sigma$ commute, as $A$ and $B B^T$ then do (sec4_1.commute), the product may be"
    " replaced by the mean of both orders.",
    printed=Equal(trace((Sigma * A) ** -1), 2 * trace((Sigma * A + A * Sigma) ** -1)),
    given=(TOGETHER,),
)

trace_line_3 = full_rank("appC.eq40.line_3", "Appendix C, Eq. 40, third line").claim(
    "The noise covariance put in",
    "By Eq. 13 the inverse of the sum is $S/eps$ times that of the noise covariance.",
    printed=Equal(2 * trace((Sigma * A + A * Sigma) ** -1), 2 * S / eps * trace(C**-1)),
)

eq40 = full_rank("appC.eq40", "Appendix C, Eq. 40").claim(
    "The trace in terms of the noise covariance",
    "Where $A$ and $Sigma$ commute (sec4_1.commute) the trace of Eq. 39 needs the noise's only.",
    printed=Equal(trace(A**-1 * Sigma**-1), 2 * S / eps * trace(C**-1)),
    given=(TOGETHER,),
)

given = Section(given=full_rank.given)

literal = given("appC.trace_of_inverse", "Appendix C, after Eq. 41").claim(
    "Inverse of a trace against trace of an inverse",
    "Eq. 41 is Eq. 15 with the inverse of the trace replaced by the trace of the inverse. Of means it"
    " is, which are traces over $D$: see appC.mean_of_inverse.",
    read=Equal(BEST_REVERSE, 2 * S / N * D * trace(C**-1)),
)

by_means = given("appC.mean_of_inverse", "Appendix C, after Eq. 41, of means").claim(
    "Inverse of a mean against mean of an inverse",
    "Eq. 41 over the mean inverse eigenvalue is Eq. 15 times the mean eigenvalue.",
    read=Equal(STEP / (trace(C**-1) / D), BEST * (trace(C) / D)),
    where=((STEP, BEST_REVERSE),),
)

largest = at("appC.largest_eigenvalue", "Appendix C, after Eq. 41").claim(
    "Eq. 15 where the largest eigenvalue dominates",
    "The rate of Eq. 15 is inversely proportional to the noise's largest eigenvalue.",
    read=Order(BEST_OF_TWO, "~", 2 * S / N * 2 / FIRST, growing(FIRST)),
    scope="two dimensions",
)

largest_otherwise = at("appC.only_the_largest_eigenvalue", "Appendix C, after Eq. 41").claim(
    "Eq. 15 depends on the largest eigenvalue only",
    "Read as an equality: the rate of Eq. 15 does not see the smaller of two eigenvalues.",
    given=(Compare(SECOND, "<", FIRST),),
    read=FreeOf(BEST_OF_TWO, SECOND),
)

smallest = at("appC.smallest_eigenvalue", "Appendix C, after Eq. 41").claim(
    "Eq. 41 where the smallest eigenvalue dominates",
    "The rate of Eq. 41 is inversely proportional to the noise's smallest eigenvalue.",
    read=Order(REVERSE_OF_TWO, "~", 2 * S / N / (2 * FIRST), vanishing(FIRST)),
    scope="two dimensions",
)

only_viable = given("appC.only_viable", "Appendix C, first paragraph and last sentence").claim(
    "With $Sigma_0$ known the reverse divergence has a best rate, commuting or not",
    "The paper has a rate in terms of $B B^T$ where $A$ and $Sigma$ commute, and calls no other viable;"
    " with $Sigma_0$, which SGD does not know, there is one everywhere.",
    where=((Sigma, eps / S * SIGMA_0),),
    derived=Best(
        eps,
        S * trace(A**-1 * SIGMA_0**-1) / (N * D),
        of=trace(A**-1 * Sigma**-1) / (2 * N) + logdet(Sigma) / 2,
    ),
    kinds=(("Sigma_0", "positive definite"),),
)

emphasis = at("appC.emphasis", "Appendix C, end").opinion(
    "Like variational inference and expectation propagation",
    "They differ in emphasis as variational inference and expectation propagation do.",
)

rarely = given("appC.rarely_commute", "Appendix C, end").claim(
    "$A$ and $Sigma$ do not always commute",
    "That they rarely do is said of practice; read of $A$ and $B B^T$, see sec4_1.commute, as: not"
    " always. Under Assumption 5, which is $A = B B^T$, they always do.",
    read=Exists(Compare(A * C, "!=", C * A)),
)

eq41 = full_rank("appC.eq41", "Appendix C, Eq. 41").claim(
    "The best learning rate for the reverse divergence",
    "Where $A$ and $Sigma$ commute (sec4_1.commute) KL($f$ || $q$) is smallest at this learning rate.",
    given=(TOGETHER,),
    printed=Best(eps, 2 * S / (N * D) * trace(C**-1), of=REVERSE_KL),
    kinds=(("B", "positive definite"),),
)

eq41_in_general = replace(
    eq41,
    key="appC.eq41.in_general",
    at="Appendix C, after Eq. 41",
    stands="derived",
    title="Eq. 41 where $A$ and the stationary covariance do not commute",
    says="The paper has Eq. 41 where they commute, and says that they rarely do; what it is elsewhere.",
    given=full_rank.given,
)
