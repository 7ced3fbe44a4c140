"""Section 5.2: stochastic gradient Fisher scoring, from its update to the posterior."""

from sympy import sqrt, symbols

from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.notation import EE, A, B, C, E, H, N, eps
from verification.papers.mandt2017.hypotheses import CONVEX, ONE_EXAMPLE, USUAL
from verification.papers.mandt2017.letters import SAMPLES_POSTERIOR
from verification.statements import Compare, InLaw, Order, claim, growing
from verification.terms.kinds import LOSS, PARAMETER, column, number, square
from verification.terms.stochastic import NOISY_GRADIENT, After, Change, Row, W, dt, dV, dW, theta

_NEW = symbols("theta_next", commutative=False)
_PRINTED_GAIN = 2 / N * (eps * C + EE) ** -1  # Eq. 27

eq26 = Definition(
    "eq26",
    at="Eq. 26",
    title="The update of stochastic gradient Fisher scoring",
    says="A preconditioned gradient step, and a normal vector that two matrices shape.",
    printed=(Printed(_NEW, theta - eps * H * NOISY_GRADIENT + sqrt(eps) * H * E * W),),
    declared=(
        (_NEW, column(PARAMETER)),
        (theta, column(PARAMETER)),
        (NOISY_GRADIENT, column(LOSS / PARAMETER)),
        (eps, number()),
        (H, square(PARAMETER**2 / LOSS)),
        (E, square(LOSS / PARAMETER)),
        (W, column()),
    ),
)

analysed = claim(
    "eq26.analysed",
    at="Eq. 26",
    title="The update that is analysed here is the printed one",
    says="The sampler whose law this toolkit derives takes the steps of Eq. 26.",
    of="sgfs",
    given=USUAL,
    printed=InLaw(Row(After(theta), theta - eps * H * NOISY_GRADIENT + sqrt(eps) * H * E * W)),
    time="discrete",
)

any_step = claim(
    "sec5_2.any_step",
    at="section 5.2, after Eq. 26",
    title="The posterior at steps that are not small",
    says="The suggested preconditioner gives samples from the posterior whatever the learning rate.",
    of="sgfs",
    given=(*USUAL, CONVEX, ONE_EXAMPLE),
    read=SAMPLES_POSTERIOR,
    sets=((H, _PRINTED_GAIN),),
)

process = claim(
    "thm5.process",
    at="proof of Theorem 5, first display",
    title="Fisher scoring as a process with one noise",
    says="Gradient noise and injected noise are added in a bracket before one Wiener process.",
    of="sgfs",
    given=(*USUAL, ONE_EXAMPLE),
    printed=InLaw(Row(Change(theta), -eps * H * A * theta * dt + H * (eps * B + sqrt(eps) * E) * dW)),
)

one_noise = claim(
    "thm5.one_noise",
    at="proof of Theorem 5, first display",
    title="One Wiener process for two independent noises",
    says="The bracket with one noise is taken for the two independent noises of Appendix E.",
    derived=InLaw(Row(H * (eps * B + sqrt(eps) * E) * dW, H * (eps * B * dW + sqrt(eps) * E * dV), "~")),
)

zero_divergence = claim(
    "sec5_2.zero_divergence",
    at="section 5.2, after the proof of Theorem 5",
    title="Eq. 27 makes the divergence zero",
    says="With the gain of Eq. 27 the stationary law is the posterior, for any injected noise.",
    of="sgfs",
    given=(*USUAL, CONVEX, ONE_EXAMPLE),
    read=SAMPLES_POSTERIOR,
    sets=((H, _PRINTED_GAIN),),
)

any_minibatch = claim(
    "sec5_2.zero_divergence_any_minibatch",
    at="section 5.2, Eq. 27 read for minibatches",
    title="Eq. 27 for minibatches of any size",
    says="The same gain is used with minibatches of more than one example.",
    of="sgfs",
    given=(*USUAL, CONVEX),
    derived=SAMPLES_POSTERIOR,
    sets=((H, _PRINTED_GAIN),),
)

fisher_scoring = claim(
    "sec5_2.fisher_scoring",
    at="section 5.2, after the proof of Theorem 5",
    title="Eq. 27 is the gain of Fisher scoring",
    says="It agrees to leading order in the number of examples with the gain that Ahn et al. suggest,"
    " whose gradient noise is larger by one part in N.",
    given=(ONE_EXAMPLE,),
    read=Order(eps * C + EE, "~", eps * (1 + 1 / N) * C + EE, growing(N)),
)

any_injected_noise = claim(
    "sec5_2.any_injected_noise",
    at="section 5.2, after Corollary 6",
    title="The gain exists for any injected noise",
    says="No assumption on E is needed: what is inverted in Eq. 27 is positive definite.",
    read=Compare(eps * C + EE, ">", 0),
    kinds=(("B", "positive definite"),),
)

diagonal_in_practice = NotMathematical(
    "sec5_2.diagonal_in_practice",
    at="section 5.2, before Corollary 6",
    title="Diagonal approximations are used in practice",
    says="Others are said to truncate the preconditioner without studying what follows.",
)
