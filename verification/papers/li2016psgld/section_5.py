"""Finite-time error analysis: weighted averages, Theorem 1 and the remarks on it."""

import sympy as sp

from verification.papers.li2016psgld import appendix_D
from verification.papers.li2016psgld import appendix_sequences as own
from verification.papers.li2016psgld import hypotheses as known
from verification.papers.li2016psgld.appendix_sequences import S_T, SMOOTH, SQUARES, t
from verification.papers.li2016psgld.appendix_sequences import eps as step
from verification.relations import All, Bounded, Compare, Equal, Moves, Order, growing, vanishing
from verification.statements import Printed, Section, at, mean, sequences, sqrt
from verification.statements.algorithms import averages_tend, averages_within, samples_posterior
from verification.terms.kinds import number
from verification.terms.term import Term, letter, letters, term

QUARTER = term("1/4")  # the posterior's variance
position, x, xi, zeta = known.position, known.x, known.xi, known.zeta
TIME = sp.Symbol("time", positive=True)
(drawn,), FOREVER = sequences("Delta_V", "bounded sequence"), growing(own.T)
average, total, weighted = sp.symbols("phihat S_T weighted_sum", positive=True)
of_phi = sp.Symbol("unit_of_phi", positive=True)

estimate = at("sec5.weighted_average", "finite-time error analysis, first paragraph").definition(
    "The weighted sample average",
    "The sum of $eps_t phi(theta_t)$ over all steps, here one letter, is divided by that of the steps.",
    Printed(average, weighted / total),
    kinds={average: number(of_phi), weighted: number(of_phi * TIME), total: number(TIME)},
)

prior_work = at("sec5.prior_work", "pSGLD in practice, first paragraph").attribution(
    "The analysis extends prior work",
    "The theory is called an extension of that of Chen et al. to preconditioners.",
)

thm1 = known.averaged("thm1", "Theorem 1, Eq. 6").claim(
    "The mean square error of pSGLD, Algorithm 1",
    "A bound on the mean square error by gradient noise ($Delta_V^2$ is the mean of $||Delta V_t||^2$),"
    " time and squared steps, up to a constant. (With the mean under $exp(-U) G^(-alpha)$ for $phi_bar$,"
    " the law of Algorithm 1, which is Appendix A's, nothing is refuted.)",
    printed=averages_within(own.ERROR, own.BOUND, own.T, "psgld:algorithm1"),
)

thm1_eq3 = known.averaged("thm1.eq3", "Theorem 1, and Eq. 3 closed after $Gamma$").claim(
    "The mean square error of pSGLD, Eq. 3",
    "The same bound for the step with $Gamma$ inside of what $G$ multiplies.",
    read=averages_within(own.ERROR, own.BOUND, own.T, "psgld:eq3"),
)

constant = Section(
    given=(known.A1, SMOOTH, known.SHORT, known.NOISY, known.FROM_ONE),
    scope="a constant preconditioner, a normal posterior",
)

still = constant("thm1.constant_preconditioner", "Theorem 1, Eq. 6, a constant $G$").claim(
    "The mean square error with a constant preconditioner",
    "The same bound where $G$ is constant and the posterior normal, for the second moment.",
    derived=Bounded(mean((known.average(x**2) - QUARTER) ** 2), known.BOUND),
)

thm1_mean = constant("thm1.constant_preconditioner_mean", "Theorem 1, Eq. 6, a constant $G$").claim(
    "The mean square error of the mean, with a constant preconditioner",
    "The same for the first moment.",
    derived=Bounded(mean(known.average(x) ** 2), known.BOUND),
)

terms = at("thm1.terms_vanish", "after Theorem 1").claim(
    "The terms of the bound vanish",
    "Under Assumption 1 estimation and discretisation errors tend to zero; that the mean of"
    " $||Delta V_t||^2$ is bounded is taken for granted.",
    given=(known.A1,),
    read=All(
        Order(own.total(own.steps[own.t] ** 2 * drawn[own.t] ** 2) / own.TIME**2, "o", 1, FOREVER),
        Order(1 / own.TIME, "o", 1, FOREVER),
        Order(own.SQUARED**2 / own.TIME**2, "o", 1, FOREVER),
    ),
    scope="noise of bounded size",
)

consistent = known.averaged("thm1.consistent", "after Theorem 1").claim(
    "pSGLD with decreasing steps is consistent",
    "With decreasing steps the averages of Algorithm 1 tend to those over the posterior: so its law"
    " has to, as the steps vanish, here with full gradients.",
    read=averages_tend(own.ERROR, own.T, "psgld:algorithm1"),
)

normal = Section(given=(known.SHORT, known.EXACT, known.FROM_ONE), scope="a normal posterior")
two_factors = normal("thm1.discretisation", "after Theorem 1, factor (ii)").claim(
    "What integrators leave",
    "Without gradient noise the error is bounded by the other two terms.",
    read=Bounded(mean((known.average(x**2) - QUARTER) ** 2), 1 / S_T + SQUARES**2 / S_T**2),
)

alpha = letter("alpha", "fraction")
b, m, v, mu, c = letters("phi_bar phi_eta v mu c", "real")
variance, length, correlations, weight = letters("A_0 T s alpha")
T, gone, eps = sp.symbols("T delta eps", positive=True)
away, noisy = sp.symbols("a b", positive=True)
rho = sp.Symbol("rho", real=True)

risk = at("sec5.risk", "practical techniques, R = B^2 + V, after burn-in").claim(
    "The risk is squared bias and variance",
    "Where the mean of the average is the stationary one, $phi_eta$, and $v$ is its variance.",
    given=(known.BURNT_IN,),
    read=Equal(b**2 - 2 * b * m + m**2 + v, (m - b) ** 2 + v),
)

before = at("sec5.risk_from_any_start", "practical techniques, R = B^2 + V, the MSE of Theorem 1").claim(
    "The risk is squared bias and variance, from any start",
    "Bias and variance of the average itself, whose mean is $mu$; that $mu$ is $phi_eta$ is said after"
    " burn-in.",
    read=Equal(b**2 - 2 * b * mu + mu**2 + v, (mu - b) ** 2 + v),
)

eq7 = at("eq7", "Eq. 7").again(appendix_D.eq32, stands="printed")

# phi has variance A_0 about phi_eta, the average variance v, and their covariance is c
a0_printed = at("eq8.variance_of_phi", "after Eq. 8, on A(0)").claim(
    "$A(0)$ as a mean square about the sample average",
    "$A(0)$ is the variance of $phi$, and printed as its mean square distance from the sample average,"
    " of variance $v$ and with a covariance $c$.",
    read=Equal(variance - 2 * c + v, variance),
)

eq8 = at("eq8", "Eq. 8").again(
    appendix_D.eq45_variance,
    says="The variance of the plain average, as in Appendix D, is $A(0)$ over the effective size.",
    stands="printed",
)

eq9 = at("eq9", "Eq. 9").claim(
    "Effective samples by the autocorrelation time",
    "$T$ over one plus twice the sum of autocorrelations is $T$ over $2 tau$, $tau$ one half plus the"
    " sum.",
    printed=Equal(length / (1 + 2 * correlations), length / (2 * (term("1/2") + correlations))),
)

tradeoff = at("sec5.tradeoff", "practical techniques, before Excluding Gamma").claim(
    "More effective samples can reduce the risk, with some bias",
    "After $T$ steps the variance is like $1/(T eps)$, the squared bias like $eps^2$:"
    " the risk falls as small steps grow.",
    read=Moves(away / (T * eps) + noisy * eps**2, "grows", vanishing(eps)),
)

infinite_time = normal("sec5.infinite_time", "practical techniques, before Excluding Gamma").claim(
    "Infinite time takes away the variance",
    "The variance of an average is bounded by one over the time, here for a mean.",
    read=Bounded(mean(known.average(x) ** 2) - mean(known.average(x)) ** 2, 1 / S_T),
)

cor2 = known.averaged("cor2", "Corollary 2").claim(
    "The mean square error without $Gamma$",
    "Without $Gamma$ the bound of Theorem 1 has a further term of order $(1 - alpha)^2/alpha^3$, with"
    " one constant for all $alpha$. (With the mean under the law of Algorithm 1 for $phi_bar$, which"
    " without $Gamma$ is missed by the order of $1 - alpha$, nothing is refuted.)",
    given=(known.BOUNDED,),
    printed=averages_within(
        own.ERROR, own.BOUND, own.T, "psgld:no_gamma", (1 - alpha) ** 2 / alpha**3, alpha
    ),
)

without_gamma = known.small("cor2.law", "Excluding Gamma").claim(
    "Without $Gamma$ the posterior is sampled as the step vanishes",
    "The sampler that the paper uses, Algorithm 1 without $Gamma$.",
    derived=samples_posterior("psgld:no_gamma"),
)

old_gradient = known.small(
    "cor2.law_of_eqs_4_and_5", "Excluding Gamma, with the indices of Eqs. 4 and 5"
).claim(
    "The same where $G$ does not see this gradient",
    "With the indices of Eq. 5, $G$ is made from gradients at earlier positions, and $Gamma$ is zero.",
    derived=samples_posterior("psgld:preconditioner_of_old_gradient"),
)

extra_term = at("cor2.term", "after Corollary 2").claim(
    "The further term vanishes as $alpha$ tends to one",
    "With $delta = 1 - alpha$ it is of order $delta^2$.",
    read=Order(gone**2 / (1 - gone) ** 3, "Theta", gone**2, vanishing(gone)),
)

at_default = at("cor2.term_at_default", "after Corollary 2").degree(
    "The further term is about zero",
    "As $alpha$ is always very close to 1, its effect is called negligible; 0.99 is the default.",
    {"the further term at the default": (1 - weight) ** 2 / weight**3},
    {weight: "0.99"},
)

faster = at("cor2.faster", "after Corollary 2").timing(
    "More samples per unit of time", "Without $Gamma$ a step takes less time."
)

ahn = at("cor2.infinite_data", "after Corollary 2").attribution(
    "$Gamma$ is ignored elsewhere too",
    "That Ahn et al. ignore it, and need infinite data for it, is said of them.",
)

thinned_time = at("thinning.time", "thinning samples").claim(
    "Thinned samples have a lower autocorrelation time",
    "Every second sample is kept of one whose autocorrelations are powers of $rho$, which may be"
    " negative.",
    given=(Compare(rho, "<", sp.Integer(1)), Compare(rho, ">", sp.Integer(-1))),
    read=Compare((1 + rho**2) / (1 - rho**2) / 2, "<", (1 + rho) / (1 - rho) / 2),
    scope="correlations that are powers",
)

thinned_size = at("thinning.size", "thinning samples").claim(
    "Thinned samples can have a similar effective size",
    "Half of the samples over twice their time: as $rho = 1 - delta$ tends to one, both sizes agree.",
    read=Order(
        T / 2 * (1 - (1 - gone) ** 2) / (1 + (1 - gone) ** 2),
        "~",
        T * gone / (2 - gone),
        vanishing(gone),
    ),
    scope="correlations that are powers",
)


def half(place: Term, noise: Term) -> Term:
    """A step of half the size, on a posterior of variance 1/6."""
    return place - term("1.5") * step[t] * place + sqrt(step[t] / 2) * noise


TWICE = Equal(position[t], half(half(x, xi[t]), zeta[t]))
cor3 = at("cor3", "Corollary 3, with a constant preconditioner").claim(
    "The bound holds for thinned samples",
    "Every second position is kept, with the two steps that lead on, here alike, for its weight; there"
    " is no gradient noise.",
    given=(
        known.A1,
        SMOOTH,
        known.SHORT,
        Equal(position[t], half(half(x, xi[t]), zeta[t])),
        known.FROM_ONE,
    ),
    read=Bounded(mean((known.average(x**2) - term("1/6")) ** 2), known.BOUND),
    scope="a constant preconditioner, a normal posterior",
)

cor3_psgld = known.averaged("cor3.psgld", "Corollary 3, for pSGLD itself").claim(
    "The error of thinned samples approaches zero",
    "For Algorithm 1, every second of its samples with the two steps that lead on for its weight:"
    " averages of part of the samples tend to what averages of all tend to.",
    read=averages_tend(own.THINNED, own.T, "psgld:algorithm1"),
)
