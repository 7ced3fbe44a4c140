"""Section 5.2: stochastic gradient Fisher scoring, from its update to its gains and their stability."""

from typing import Any

from sympy import Symbol, sqrt, symbols

from verification.notation import EE, A, B, C, D, Diagonal, E, H, N, S, Sigma, eps, identity, trace
from verification.papers.mandt2017.hypotheses import (
    A1,
    A2,
    A4,
    CONVEX,
    FULL_RANK,
    ONE_EXAMPLE,
    USUAL,
    sgd,
    sgfs,
)
from verification.papers.mandt2017.letters import (
    GRADIENT,
    KL,
    SAMPLES_POSTERIOR,
    THETA,
    THETA_NEXT,
    T,
    a_step,
    logdet,
)
from verification.relations import Best, Compare, Equal, FreeOf, InLaw, Order, growing
from verification.statements import Assumption, Printed, Section, at
from verification.terms.kinds import LOSS, PARAMETER, column, number, square
from verification.terms.stochastic import NOISY_GRADIENT, After, Change, Row, W, dt, dV, dW, theta

_PRINTED_GAIN = 2 / N * (eps * C + EE) ** -1  # Eq. 27

eq26 = a_step("eq26", "Eq. 26").definition(
    "The update of stochastic gradient Fisher scoring",
    "A preconditioned gradient step, and a normal vector that two matrices shape.",
    Printed(THETA_NEXT, THETA - eps * H * GRADIENT + sqrt(eps) * H * E * W),
    kinds={eps: number(), E: square(LOSS / PARAMETER), W: column()},
)

analysed = at("eq26.analysed", "Eq. 26").claim(
    "The update that is analysed here is the printed one",
    "The sampler whose law this toolkit derives takes the steps of Eq. 26.",
    of="sgfs",
    given=(A1, A2, A4),
    derived=InLaw(Row(After(theta), theta - eps * H * NOISY_GRADIENT + sqrt(eps) * H * E * W)),
    time="discrete",
)

one_example = Section(of="sgfs", given=(*sgfs.given, ONE_EXAMPLE))

any_step = one_example.at_steps("sec5_2.any_step", "section 5.2, after Eq. 26").claim(
    "The posterior at steps that are not small",
    "The suggested gain, Eq. 27, gives samples from the posterior at steps that are not small.",
    time="discrete",
    read=SAMPLES_POSTERIOR,
    sets=((H, _PRINTED_GAIN),),
)

process = at("thm5.process", "proof of Theorem 5, first display").claim(
    "Fisher scoring as a process with one noise",
    "Gradient noise and injected noise, of any factors $B$, $E$, are added before one Wiener process.",
    of="sgfs",
    given=(*USUAL, ONE_EXAMPLE),
    printed=InLaw(Row(Change(theta), -eps * H * A * theta * dt + H * (eps * B + sqrt(eps) * E) * dW)),
)

one_noise = at("thm5.one_noise", "proof of Theorem 5, first display").claim(
    "One Wiener process for two independent noises",
    "For any $B$, $E$ the bracket with one noise is taken for the independent noises of Appendix E.",
    derived=InLaw(Row(H * (eps * B + sqrt(eps) * E) * dW, H * (eps * B * dW + sqrt(eps) * E * dV), "~")),
    kinds=(("B", "any"), ("E", "any")),
)

no_gap = one_example("sec5_2.zero_divergence", "section 5.2, after the proof of Theorem 5").claim(
    "Eq. 27 makes the divergence zero",
    "With the gain of Eq. 27 the stationary law is the posterior, for any injected noise.",
    read=SAMPLES_POSTERIOR,
    sets=((H, _PRINTED_GAIN),),
)

zero = sgfs("sec5_2.zero_divergence_any_minibatch", "section 5.2, Eq. 27 read for minibatches").claim(
    "Eq. 27 for minibatches of any size",
    "The same gain is used with minibatches of more than one example.",
    derived=SAMPLES_POSTERIOR,
    sets=((H, _PRINTED_GAIN),),
)

fisher_scoring = at("sec5_2.fisher_scoring", "section 5.2, after the proof of Theorem 5").claim(
    "Eq. 27 is the gain of Fisher scoring",
    "Its inverse agrees to leading order in the number of examples with that of the gain that Ahn et"
    " al. suggest, whose gradient noise has the factor $(S + N)/(S N)$, $1 + 1/N$ here.",
    given=(ONE_EXAMPLE,),
    read=Order(eps * C + EE, "~", eps * (1 + 1 / N) * C + EE, growing(N)),
)

any_injected_noise = at("sec5_2.any_injected_noise", "section 5.2, after Corollary 6").claim(
    "The gain exists for any injected noise",
    "No assumption on $E$ is needed: what is inverted in Eq. 27 is positive definite.",
    given=(FULL_RANK,),
    read=Compare(eps * C + EE, ">", 0),
    kinds=(("B", "positive definite"),),  # C has full rank, and such a root
)

diagonal_in_practice = at("sec5_2.diagonal_in_practice", "section 5.2, before Corollary 6").attribution(
    "Diagonal approximations are used in practice",
    "Others are said to truncate the preconditioner without studying what follows.",
)

WITH_T = ((T, Sigma * H**-1),)
V = Symbol("V", commutative=False)  # the covariance of both noises, eps B B^T + E E^T


def main_text(noise: Any) -> Any:
    """The right side of the display."""
    logs = logdet(T) / 2 + logdet(H) / 2 + logdet(N * A) / 2
    return -N / 4 * trace(H * noise) + logs + D / 2


MAIN_TEXT = main_text(eps * C + EE)

divergence = one_example("thm5.kl", "Theorem 5, proof, display of KL($q$ || $p$)").claim(
    "Divergence of Fisher scoring",
    "Minus a trace, plus the log determinants of $T$, $H$ and $N A$ and the dimension.",
    printed=Equal(KL, MAIN_TEXT),
    where=WITH_T,
)

t_and_gain = sgfs("thm5.t_constant_in_h", "Theorem 5, proof").claim(
    "$T$ does not depend on the gain",
    "$Sigma H^(-1)$ is constant with respect to the gain.",
    read=FreeOf(Sigma * H**-1, H),
)

t_and_step = sgfs("thm5.t_constant_in_eps", "Theorem 5, proof").claim(
    "$T$ does not depend on the step",
    "$Sigma H^(-1)$ is constant with respect to the learning rate.",
    read=FreeOf(Sigma * H**-1, eps),
)

t_and_noise = sgfs("thm5.t_constant_in_e", "Theorem 5, proof").claim(
    "$T$ does not depend on the injected noise",
    "$Sigma H^(-1)$ is constant with respect to the injected noise $E$.",
    read=FreeOf(Sigma * H**-1, E),
)

minimiser = at("thm5.minimiser_of_the_display", "Theorem 5, end of the proof").claim(
    "Minimising the display gives Eq. 27",
    "The right side of the display, with $T$ kept as it is, is smallest at the gain of Eq. 27;"
    " $V$ is the covariance of both noises.",
    given=sgd.given,
    read=Best(H, 2 / N * V**-1, of=main_text(V)),
    kinds=(("V", "positive definite"),),
)

thm5 = one_example("thm5", "Theorem 5, Eq. 27").claim(
    "The best preconditioner of Fisher scoring",
    "With the injected noise given, this gain brings the law of SGFS closest to the posterior.",
    printed=Best(H, 2 / N * (eps * C + EE) ** -1, of=KL),
)

cor6_diagonal = one_example("cor6.diagonal", "Corollary 6, first formula").claim(
    "The best diagonal preconditioner of Fisher scoring",
    "Among diagonal gains the inverse of the diagonal of the whole noise is best.",
    printed=Best(H, 2 / N * (eps * Diagonal(C) + Diagonal(EE)) ** -1, of=KL, among="diagonal"),
)

cor6_scalar = one_example("cor6.scalar", "Corollary 6, second formula").claim(
    "The best scalar preconditioner of Fisher scoring",
    "Among multiples of the identity $2/N$ over the mean noise per coordinate is best.",
    printed=Best(
        H, 2 * D / N / (eps * trace(C) + trace(EE)) * identity, of=KL, among="multiples of the identity"
    ),
)

# one coordinate, or two
_B, _h, _E = symbols("BB_kk h_max EE_kk", positive=True)
_small, _large, _share = symbols("BB_11 BB_22 alpha", positive=True)
# of the noise along a direction: its variance, that of what is added, fourth moment and two cumulants
_v, _s, _moment, _third, _fourth = symbols("v s m_4 k_3 k_4", positive=True)
_MORE = (Compare(_small, "<", _large),)
_FULL = eps * C + EE


def _injected(gradient_noise: Any) -> Any:
    """The printed variance of the injected noise in a coordinate."""
    return 2 / (_h * N) - eps * gradient_noise


solved = at("sec5_2.solved_for_e", "section 5.2, after Corollary 6").claim(
    "The injected noise that makes all gains equal",
    "Solving the diagonal gain of Corollary 6 for the injected noise gives its variance.",
    given=(Equal(_h, 2 / N * (eps * _B + _E) ** -1),),
    printed=Equal(_E, _injected(_B)),
)

solved_any_minibatch = at(
    "sec5_2.solved_for_e_any_minibatch", "section 5.2, after Corollary 6, read for minibatches"
).claim(
    "The same variance for minibatches of any size",
    "The paper has minibatches of one example; with others the gain sees their gradient noise, and the"
    " variance is taken as printed.",
    given=(Equal(_h, 2 / N * (eps * _B / S + _E) ** -1),),
    derived=Equal(_E, _injected(_B)),
)

variance_exists = at("sec5_2.variance_exists", "section 5.2, after Corollary 6").claim(
    "Such an injected noise exists",
    "The variance that is to be injected is not negative.",
    read=Compare(_injected(_B), ">=", 0),
)

largest_step = at("sec5_2.largest_step", "section 5.2, after Corollary 6").claim(
    "The bounded gain of Eq. 27",
    "The diagonal of Eq. 27's gain is taken to be no larger than the gain of the diagonal, $h_max$; by"
    " Cauchy and Schwarz it is no smaller.",
    derived=Compare(2 / N * Diagonal(_FULL**-1), "<=", 2 / N * Diagonal(_FULL) ** -1),
    kinds=(("B", "positive definite"),),
)

where_too_small = at("sec5_2.noise_where_too_small", "section 5.2, after Corollary 6").claim(
    "More noise where gradients vary less",
    "A coordinate with less gradient noise gets more injected noise.",
    given=(*_MORE,),
    read=Compare(_injected(_small), ">", _injected(_large)),
)

opposite = at("sec5_2.opposite_advice", "section 5.2, after Corollary 6").claim(
    "Opposite to injecting noise like the gradient's",
    "Where noise that is $alpha > 0$ times the gradient's would be larger, the printed one is smaller.",
    given=(*_MORE,),
    read=Compare((_injected(_small) - _injected(_large)) * (_share * _small - _share * _large), "<", 0),
)

kurtosis = at("sec5_2.more_normal.kurtosis", "section 5.2, last paragraph").claim(
    "Added normal noise makes gradient noise more normal",
    "The excess kurtosis is multiplied by the squared share of the gradient noise in the variance, which"
    " is $v$ of that noise, whose fourth moment is $m_4$, and $s$ of the added one.",
    derived=Equal(
        (_moment + 6 * _v * _s + 3 * _s**2) / (_v + _s) ** 2 - 3,
        (_moment / _v**2 - 3) * (_v / (_v + _s)) ** 2,
    ),
)

heavy_tails = at("sec5_2.more_normal.heavy_tails", "section 5.2, last paragraph").claim(
    "Added noise makes heavy tails more normal",
    "The excess kurtosis of gradient noise with heavy tails shrinks when normal noise is added.",
    read=Compare(
        (_fourth + 3 * _v**2 + 6 * _v * _s + 3 * _s**2) / (_v + _s) ** 2 - 3,
        "<",
        (_fourth + 3 * _v**2) / _v**2 - 3,
    ),
)

skewness = at("sec5_2.more_normal.skewness", "section 5.2, last paragraph").claim(
    "Added noise makes skewed noise more normal",
    "The squared skewness of gradient noise shrinks when normal noise is added.",
    read=Compare(_third**2 / (_v + _s) ** 3, "<", _third**2 / _v**3),
)

degenerate = at("sec5_2.degenerate", "section 5.2, last paragraph").claim(
    "Injected noise of full rank prevents degenerate laws",
    "Whatever the rank of the gradient noise, the stationary covariance has full rank.",
    of="sgfs",
    given=(*USUAL, CONVEX, Assumption("$H$ and $E E^T$ are positive definite")),
    read=Compare(Sigma, ">", 0),
    kinds=(("E", "positive definite"), ("H", "positive definite")),  # E E^T has full rank
)
