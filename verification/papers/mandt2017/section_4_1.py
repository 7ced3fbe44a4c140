"""Section 4.1 up to Theorem 2: constant SGD, its divergence from the posterior, the best step."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import Definition
from verification.claims.identified import OneMinimum, Pair
from verification.notation import A, C, D, Diagonal, H, N, S, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.papers.mandt2017.letters import (
    KL,
    POSTERIOR,
    SIGMA_0,
    f,
    log_mean,
    logdet,
    mean_form,
    q,
)
from verification.statements import Best, Equal, FreeOf, Iff, Stable, claim
from verification.terms.gaussians import FormAt
from verification.terms.kinds import LOSS, PARAMETER, column, square

GIVEN = (*USUAL, CONVEX, FULL_RANK)
LOG_F, LOG_EVIDENCE = sp.symbols("log_f log_evidence", real=True)
MEAN_LOSS = sp.Symbol("loss", real=True)
X = sp.Symbol("X", commutative=False)  # theta theta^T
THETA, THETA_NEXT, GRADIENT = sp.symbols("theta theta_next g", commutative=False)
BEST_STEP = 2 * S / N * D / trace(C)

eq14 = claim(
    "eq14",
    at="Eq. 14",
    title="The posterior is normal with precision N A",
    says="The negative log-posterior is N times the quadratic loss of Eq. 10, up to a constant.",
    given=(*USUAL, CONVEX),
    printed=Equal(-LOG_F, N / 2 * FormAt(A, X), constant_in=(X,)),
    where=((LOG_F, -N * MEAN_LOSS - LOG_EVIDENCE), (MEAN_LOSS, FormAt(A, X) / 2)),
)

update = Definition(
    "sec4_1.preconditioned_update",
    at="section 4.1, after Eq. 14",
    title="SGD with a preconditioner",
    says="The gain H multiplies the stochastic gradient in place of a scalar learning rate.",
    printed=(Printed(THETA_NEXT, THETA - H * GRADIENT),),
    declared=(
        (THETA_NEXT, column(PARAMETER)),
        (THETA, column(PARAMETER)),
        (GRADIENT, column(LOSS / PARAMETER)),
        (H, square(PARAMETER**2 / LOSS)),
    ),
)

argmin = OneMinimum(
    "sec4_1.argmin_over_h_and_s",
    at="section 4.1, before the display of KL(q || f)",
    title="The best gain and the best minibatch size",
    says="The divergence is minimised over the gain and the minibatch size, which gives a pair.",
    of="sgd",
    given=GIVEN,
    printed=(Pair(H, S),),
)

means_coincide = claim(
    "sec4_1.means_coincide",
    at="section 4.1, before the display of KL(q || f)",
    title="The means of the law and of the posterior coincide",
    says="The mean of SGD's law is the minimum of the loss, which is the mean of the posterior.",
    of="sgd",
    given=(*USUAL, CONVEX),
    read=Stable(),
)

kl_line_1 = claim(
    "sec4_1.kl_line_1",
    at="section 4.1, display of KL(q || f), first line",
    title="Divergence as a difference of two means",
    says="The divergence is the mean of log q minus the mean of log f, both under q.",
    of="sgd",
    given=GIVEN,
    printed=Equal(KL, -log_mean(POSTERIOR, f, Sigma, q) + log_mean(Sigma, q, Sigma, q)),
)

kl_line_2 = claim(
    "sec4_1.kl_line_2",
    at="section 4.1, display of KL(q || f), second line",
    title="Divergence of two normal laws",
    says="A mean of a quadratic form, two log determinants and the dimension.",
    of="sgd",
    given=GIVEN,
    printed=Equal(KL, (N * mean_form(A, Sigma, q) - logdet(N * A) - logdet(Sigma) - D) / 2),
)

kl_line_3 = claim(
    "sec4_1.kl_line_3",
    at="section 4.1, display of KL(q || f), third line",
    title="Divergence with a trace",
    says="The mean of the quadratic form is a trace.",
    of="sgd",
    given=GIVEN,
    printed=Equal(KL, (N * trace(A * Sigma) - logdet(N * A) - logdet(Sigma) - D) / 2),
)

thm1 = claim(
    "thm1",
    at="Theorem 1, Eq. 15",
    title="The best constant learning rate",
    says="Among scalar learning rates this one brings the law of constant SGD closest to the posterior.",
    of="sgd",
    given=GIVEN,
    printed=Best(eps, BEST_STEP, of=KL),
    kinds=(("B", "positive definite"),),
)

sigma_0_eps = claim(
    "thm1.sigma_0_free_of_eps",
    at="Theorem 1, proof",
    title="S/eps Sigma does not depend on the step",
    says="The covariance over eps/S does not depend on the learning rate.",
    of="sgd",
    given=GIVEN,
    read=FreeOf(S / eps * Sigma, eps),
)

sigma_0_minibatch = claim(
    "thm1.sigma_0_free_of_s",
    at="Theorem 1, proof",
    title="S/eps Sigma does not depend on the minibatch size",
    says="The covariance over eps/S does not depend on the minibatch size.",
    of="sgd",
    given=GIVEN,
    read=FreeOf(S / eps * Sigma, S),
)

entropy = claim(
    "thm1.entropy",
    at="Theorem 1, proof",
    title="Log determinant with the step taken out",
    says="Taking eps/S out of the covariance takes D times its logarithm out of the log determinant.",
    of="sgd",
    given=GIVEN,
    printed=Equal(logdet(Sigma), D * sp.log(eps / S) + logdet(SIGMA_0)),
    where=((SIGMA_0, S / eps * Sigma),),
)

neglected = claim(
    "thm1.sigma_0_is_neglected",
    at="Theorem 1, proof",
    title="Only D log(eps/S) of the entropy matters",
    says="As functions of eps and S the log determinant and D log(eps/S) differ by a constant.",
    of="sgd",
    given=GIVEN,
    read=Equal(logdet(Sigma), D * sp.log(eps / S), constant_in=(eps, S)),
)

symmetric_trace = claim(
    "thm1.trace_symmetrised",
    at="Theorem 1, proof",
    title="The trace as half of two",
    says="The trace of A Sigma is half the sum of those of A Sigma and Sigma A.",
    of="sgd",
    given=GIVEN,
    printed=Equal(trace(A * Sigma), (trace(A * Sigma) + trace(Sigma * A)) / 2),
)

trace_of_noise = claim(
    "thm1.trace",
    at="Theorem 1, proof",
    title="The trace by Eq. 13",
    says="The trace of A Sigma is that of the noise covariance times eps/(2 S).",
    of="sgd",
    given=GIVEN,
    printed=Equal(trace(A * Sigma), eps / (2 * S) * trace(C)),
)

eq16 = claim(
    "eq16",
    at="Eq. 16",
    title="Divergence as a function of eps/S",
    says="Up to a constant the divergence is a linear function of eps/S minus D times its logarithm.",
    of="sgd",
    given=GIVEN,
    printed=Equal(KL, eps * N / (2 * S) * trace(C) - D * sp.log(eps / S), constant_in=(eps, S)),
)

minimiser_of_eq16 = claim(
    "thm1.minimiser_of_eq16",
    at="Theorem 1, end of the proof",
    title="Minimising Eq. 16 gives Eq. 15",
    says="The right side of Eq. 16 is smallest at the learning rate of Eq. 15.",
    given=GIVEN,
    read=Best(eps, BEST_STEP, of=eps * N / (2 * S) * trace(C) - D * sp.log(eps / S)),
)

rate_and_noise = claim(
    "sec4_1.rate_and_noise",
    at="section 4.1, after Theorem 1",
    title="Best rate inversely proportional to the mean noise",
    says="The best rate is inversely proportional to the mean of the noise covariance's diagonal.",
    given=GIVEN,
    read=Equal(sp.log(BEST_STEP), -sp.log(trace(Diagonal(C)) / D), constant_in=(C,)),
)

rate_and_sizes = claim(
    "sec4_1.rate_and_sizes",
    at="section 4.1, after Theorem 1",
    title="Best rate proportional to S/N",
    says="The best rate is proportional to the minibatch size over the size of the data.",
    given=GIVEN,
    read=Equal(sp.log(BEST_STEP), sp.log(S / N), constant_in=(S, N)),
)

commute = claim(
    "sec4_1.commute",
    at="section 4.1, remark on the reverse divergence",
    title="A and Sigma commute exactly where A and B B^T do",
    says="The remark's condition, that A and Sigma commute, is one on the curvature and the noise.",
    of="sgd",
    given=GIVEN,
    derived=Iff(Equal(A * Sigma, Sigma * A), Equal(A * C, C * A)),
)

reverse = claim(
    "sec4_1.reverse_kl_needs_commuting",
    at="section 4.1, remark on the reverse divergence",
    title="Sigma stays in the reverse divergence unless A and Sigma commute",
    says="Eq. 13 removes Sigma from the reverse divergence if and only if A and Sigma commute.",
    of="sgd",
    given=GIVEN,
    read=Iff(Equal(trace(A**-1 * Sigma**-1), 2 * S / eps * trace(C**-1)), Equal(A * C, C * A)),
)
