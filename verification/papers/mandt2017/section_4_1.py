"""Section 4.1 up to Theorem 2: constant SGD, its divergence from the posterior, the best step."""

import sympy as sp
from sympy import sqrt

from verification.notation import A, B, C, D, Diagonal, H, N, S, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, GAIN_FOR_STEP, USUAL, full_rank, sgd
from verification.papers.mandt2017.letters import (
    GRADIENT,
    KL,
    POSTERIOR,
    SIGMA_0,
    THETA,
    THETA_NEXT,
    a_step,
    f,
    log_mean,
    logdet,
    mean_form,
    q,
)
from verification.statements import Best, Equal, FreeOf, Iff, InLaw, OneBest, Printed, Stable, at
from verification.terms.gaussians import FormAt
from verification.terms.stochastic import Change, Row, dt, dW, theta

LOG_F, LOG_EVIDENCE = sp.symbols("log_f log_evidence", real=True)
MEAN_LOSS = sp.Symbol("loss", real=True)
X = sp.Symbol("X", commutative=False)  # theta theta^T
BEST_STEP = 2 * S / N * D / trace(C)

eq14 = at("eq14", "Eq. 14").claim(
    "The posterior is normal with precision $N A$",
    "The negative log-posterior is $N$ times the quadratic loss of Eq. 10, up to a constant.",
    given=(*USUAL, CONVEX),
    printed=Equal(-LOG_F, N / 2 * FormAt(A, X), constant_in=(X,)),
    where=((LOG_F, -N * MEAN_LOSS - LOG_EVIDENCE), (MEAN_LOSS, FormAt(A, X) / 2)),
)

update = a_step("sec4_1.preconditioned_update", "section 4.1, after Eq. 14").definition(
    "SGD with a preconditioner",
    "The gain $H$ multiplies the stochastic gradient in place of a scalar learning rate.",
    Printed(THETA_NEXT, THETA - H * GRADIENT),
)

argmin = full_rank(
    "sec4_1.argmin_over_h_and_s", "section 4.1, before the display of KL($q$ || $f$)"
).claim(
    "The best gain and the best minibatch size are a single pair",
    "The divergence is minimised over the gain and the minibatch size; is there one pair at which it is"
    " least?",
    derived=OneBest(H, S, of=KL),
)

means_coincide = sgd("sec4_1.means_coincide", "section 4.1, before the display of KL($q$ || $f$)").claim(
    "The means of the law and of the posterior coincide",
    "The mean of SGD's law is the minimum of the loss, which is the mean of the posterior: from wherever"
    " the chain begins, its mean tends to the minimum.",
    read=Stable(),
)

kl_line_1 = full_rank("sec4_1.kl_line_1", "section 4.1, display of KL($q$ || $f$), first line").claim(
    "Divergence as a difference of two means",
    "The divergence is the mean of log $q$ minus the mean of log $f$, both under $q$.",
    printed=Equal(KL, -log_mean(POSTERIOR, f, Sigma, q) + log_mean(Sigma, q, Sigma, q)),
)

kl_line_2 = full_rank("sec4_1.kl_line_2", "section 4.1, display of KL($q$ || $f$), second line").claim(
    "Divergence of two normal laws",
    "A mean of a quadratic form, two log determinants and the dimension.",
    printed=Equal(KL, (N * mean_form(A, Sigma, q) - logdet(N * A) - logdet(Sigma) - D) / 2),
)

kl_line_3 = full_rank("sec4_1.kl_line_3", "section 4.1, display of KL($q$ || $f$), third line").claim(
    "Divergence with a trace",
    "The mean of the quadratic form is a trace.",
    printed=Equal(KL, (N * trace(A * Sigma) - logdet(N * A) - logdet(Sigma) - D) / 2),
)

thm1 = full_rank("thm1", "Theorem 1, Eq. 15").claim(
    "The best constant learning rate",
    "Among scalar learning rates this one brings the law of constant SGD closest to the posterior.",
    printed=Best(eps, BEST_STEP, of=KL),
    kinds=(("B", "positive definite"),),
)

sigma_0_eps = full_rank("thm1.sigma_0_free_of_eps", "Theorem 1, proof").claim(
    "$S/eps Sigma$ does not depend on the step",
    "The covariance over $eps/S$ does not depend on the learning rate.",
    read=FreeOf(S / eps * Sigma, eps),
)

sigma_0_minibatch = full_rank("thm1.sigma_0_free_of_s", "Theorem 1, proof").claim(
    "$S/eps Sigma$ does not depend on the minibatch size",
    "The covariance over $eps/S$ does not depend on the minibatch size.",
    read=FreeOf(S / eps * Sigma, S),
)

entropy = full_rank("thm1.entropy", "Theorem 1, proof").claim(
    "Log determinant with the step taken out",
    "Taking $eps/S$ out of the covariance takes $D$ times its logarithm out of the log determinant.",
    printed=Equal(logdet(Sigma), D * sp.log(eps / S) + logdet(SIGMA_0)),
    where=((SIGMA_0, S / eps * Sigma),),
)

neglected = full_rank("thm1.sigma_0_is_neglected", "Theorem 1, proof").claim(
    "Only $D$ $log(eps/S)$ of the entropy matters",
    "As functions of $eps$ and $S$ the log determinant and $D$ $log(eps/S)$ differ by a constant.",
    read=Equal(logdet(Sigma), D * sp.log(eps / S), constant_in=(eps, S)),
)

symmetric_trace = full_rank("thm1.trace_symmetrised", "Theorem 1, proof").claim(
    "The trace as half of two",
    "The trace of $A Sigma$ is half the sum of those of $A Sigma$ and $Sigma A$.",
    printed=Equal(trace(A * Sigma), (trace(A * Sigma) + trace(Sigma * A)) / 2),
)

trace_of_noise = full_rank("thm1.trace", "Theorem 1, proof").claim(
    "The trace by Eq. 13",
    "The trace of $A Sigma$ is that of the noise covariance times $eps/(2 S)$.",
    printed=Equal(trace(A * Sigma), eps / (2 * S) * trace(C)),
)

eq16 = full_rank("eq16", "Eq. 16").claim(
    "Divergence as a function of $eps/S$",
    "Up to a constant the divergence is a linear function of $eps/S$ minus $D$ times its logarithm.",
    printed=Equal(KL, eps * N / (2 * S) * trace(C) - D * sp.log(eps / S), constant_in=(eps, S)),
)

minimiser_of_eq16 = at("thm1.minimiser_of_eq16", "Theorem 1, end of the proof").claim(
    "Minimising Eq. 16 gives Eq. 15",
    "The right side of Eq. 16 is smallest at the learning rate of Eq. 15.",
    given=full_rank.given,
    read=Best(eps, BEST_STEP, of=eps * N / (2 * S) * trace(C) - D * sp.log(eps / S)),
)

rate_and_noise = at("sec4_1.rate_and_noise", "section 4.1, after Theorem 1").claim(
    "Best rate inversely proportional to the mean noise",
    "The best rate is inversely proportional to the mean of the noise covariance's diagonal.",
    given=full_rank.given,
    read=Equal(sp.log(BEST_STEP), -sp.log(trace(Diagonal(C)) / D), constant_in=(C,)),
)

rate_and_sizes = at("sec4_1.rate_and_sizes", "section 4.1, after Theorem 1").claim(
    "Best rate proportional to $S/N$",
    "The best rate is proportional to the minibatch size over the size of the data.",
    given=sgd.given,
    read=Equal(sp.log(BEST_STEP), sp.log(S / N), constant_in=(S, N)),
)

commute = full_rank("sec4_1.commute", "section 4.1, remark on the reverse divergence").claim(
    "$A$ and $Sigma$ commute exactly where $A$ and $B B^T$ do",
    "The remark's condition, that $A$ and $Sigma$ commute, is one on the curvature and the noise.",
    derived=Iff(Equal(A * Sigma, Sigma * A), Equal(A * C, C * A)),
)

reverse = full_rank(
    "sec4_1.reverse_kl_needs_commuting", "section 4.1, remark on the reverse divergence"
).claim(
    "$Sigma$ stays in the reverse divergence unless $A$ and $Sigma$ commute",
    "Eq. 13 removes $Sigma$ from the reverse divergence if and only if $A$ and $Sigma$ commute.",
    read=Iff(Equal(trace(A**-1 * Sigma**-1), 2 * S / eps * trace(C**-1)), Equal(A * C, C * A)),
)

process = at("thm2.process", "proof of Theorem 2, before Eq. 18").claim(
    "The process of preconditioned SGD",
    "With the gain in the place of the learning rate it stands before the drift and before the noise.",
    of="sgd",
    given=(*USUAL, GAIN_FOR_STEP),
    printed=InLaw(Row(Change(theta), -H * A * theta * dt + 1 / sqrt(S) * H * B * dW)),
)
