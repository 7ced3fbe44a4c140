"""Practical techniques: risk, effective sample size, leaving out Gamma, thinning."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.claims.definition import NotMathematical
from verification.claims.up_to_constant import UpTo, UpToConstant
from verification.laws.averages import MSE, S_T, VARIANCE, usual_families
from verification.papers.li2016psgld import appendix_sequences as own
from verification.papers.li2016psgld.hypotheses import (
    A1,
    BOUNDED,
    BURNT_IN,
    EXACT,
    FORGETS,
    SMOOTH,
    h,
    x,
    xi,
    zeta,
)
from verification.papers.li2016psgld.section_5 import BOUND
from verification.statements import (
    Compare,
    Equal,
    Moves,
    Order,
    averages_within,
    claim,
    growing,
    letter,
    letters,
    number,
    samples_posterior,
    vanishing,
)

alpha = letter("alpha", "fraction")
b, m, v, mu, c = letters("phi_bar phi_eta v mu c", "real")
variance, length, correlations, weight = letters("A_0 T s alpha")
A_1, A_2 = sp.symbols("A_1 A_2", positive=True)
A_0, T, gone, eps = sp.symbols("A_0 T delta eps", positive=True)
away, noisy = sp.symbols("a b", positive=True)
rho = sp.Symbol("rho", positive=True)

risk = claim(
    "sec5.risk",
    at="practical techniques, R = B^2 + V, after burn-in",
    title="The risk is squared bias and variance",
    says="Where the mean of the average is the stationary one, phi_eta, and v is its variance.",
    given=(BURNT_IN,),
    read=Equal(b**2 - 2 * b * m + m**2 + v, (m - b) ** 2 + v),
)

risk_before = claim(
    "sec5.risk_from_any_start",
    at="practical techniques, R = B^2 + V, the MSE of Theorem 1",
    title="The risk is squared bias and variance, from any start",
    says="The risk is defined as the MSE above, without burn-in: the mean mu of the average is any.",
    read=Equal(b**2 - 2 * b * mu + mu**2 + v, (m - b) ** 2 + (m**2 - 2 * m * mu + mu**2 + v)),
)

eq7 = NotMathematical(
    "eq7",
    at="Eq. 7",
    title="The bias",
    says="A name for the difference of two means; the framework is ascribed to Korattikara et al.",
    because="attribution",
)

# phi has variance A_0 about phi_eta, the average variance v, and their covariance is c
a0_printed = claim(
    "eq8.variance_of_phi",
    at="after Eq. 8, on A(0)",
    title="A(0) as a mean square about the sample average",
    says="A(0) is the variance of phi, and printed as its mean square distance from the sample average.",
    read=Equal(variance - 2 * c + v, variance),
)

eq8 = claim(
    "eq8",
    at="Eq. 8",
    title="The variance of an average by effective samples",
    says="For a stationary chain whose autocovariances end with A_1 and A_2: the variance of the"
    " mean of T samples is A(0) over the effective size, as T grows.",
    given=(BURNT_IN,),
    derived=Order(
        (A_0 + 2 * (1 - 1 / T) * A_1 + 2 * (1 - 2 / T) * A_2) / T,
        "~",
        A_0 / (T / (1 + 2 * (A_1 / A_0 + A_2 / A_0))),
        growing(T),
    ),
)

eq9 = claim(
    "eq9",
    at="Eq. 9",
    title="Effective samples by the autocorrelation time",
    says="T over one plus twice the sum of autocorrelations is T over 2 tau, tau one half plus the sum.",
    printed=Equal(length / (1 + 2 * correlations), length / (2 * (number("1/2") + correlations))),
)

tradeoff = claim(
    "sec5.tradeoff",
    at="practical techniques, before Excluding Gamma",
    title="More effective samples can reduce the risk, with some bias",
    says="After T steps the variance is like 1/(T eps), the squared bias like eps^2:"
    " the risk falls as small steps grow.",
    read=Moves(away / (T * eps) + noisy * eps**2, "grows", vanishing(eps)),
)

infinite_time = UpToConstant(
    "sec5.infinite_time",
    at="practical techniques, before Excluding Gamma",
    stands="read",
    title="Infinite time takes away the variance",
    says="The variance of an average is bounded by one over the time, here for a mean.",
    printed=(UpTo(VARIANCE, 1 / S_T),),
    families=usual_families(EXACT, h, x),
)

cor2 = claim(
    "cor2",
    at="Corollary 2",
    title="The mean square error without Gamma",
    says="Without Gamma the bound of Theorem 1 has a further term of order (1 - alpha)^2/alpha^3.",
    given=(A1, SMOOTH, BOUNDED, FORGETS),
    printed=averages_within(
        own.ERROR, own.BOUND, own.T, "psgld:no_gamma", (1 - alpha) ** 2 / alpha**3, alpha
    ),
    kinds=(("alpha", "unit"),),
)

without_gamma = claim(
    "cor2.law",
    at="Excluding Gamma",
    title="Without Gamma the posterior is sampled as the step vanishes",
    says="The sampler that the paper uses, Algorithm 1 without Gamma.",
    given=(A1, FORGETS),
    derived=samples_posterior("psgld:no_gamma"),
    kinds=(("alpha", "unit"),),
)

old_gradient = claim(
    "cor2.law_of_eqs_4_and_5",
    at="Excluding Gamma, with the indices of Eqs. 4 and 5",
    title="The same where G does not see this gradient",
    says="With the indices of Eq. 5, G is made from gradients at earlier positions, and Gamma is zero.",
    given=(A1, FORGETS),
    derived=samples_posterior("psgld:preconditioner_of_old_gradient"),
    kinds=(("alpha", "unit"),),
)

extra_term = claim(
    "cor2.term",
    at="after Corollary 2",
    title="The further term vanishes as alpha tends to one",
    says="With delta = 1 - alpha it is of order delta^2.",
    read=Order(gone**2 / (1 - gone) ** 3, "Theta", gone**2, vanishing(gone)),
)

at_default = claim(
    "cor2.term_at_default",
    at="after Corollary 2",
    title="The further term is about zero",
    says="At the default alpha of 0.99 it is about one in ten thousand.",
    read=(1 - weight) ** 2 / weight**3 < "0.00011",
    numbers={weight: "0.99"},
)

faster = NotMathematical(
    "cor2.faster",
    at="after Corollary 2",
    title="More samples per unit of time",
    says="Without Gamma a step takes less time.",
    because="timing",
)

ahn = NotMathematical(
    "cor2.infinite_data",
    at="after Corollary 2",
    title="Gamma is ignored elsewhere too",
    says="That Ahn et al. ignore it, and need infinite data for it, is said of them.",
    because="attribution",
)

thinned_time = claim(
    "thinning.time",
    at="thinning samples",
    title="Thinned samples have a lower autocorrelation time",
    says="Every second sample is kept of one whose autocorrelations are powers of rho.",
    given=(Compare(rho, "<", sp.Integer(1)),),
    read=Compare((1 + rho**2) / (1 - rho**2) / 2, "<=", (1 + rho) / (1 - rho) / 2),
)

thinned_size = claim(
    "thinning.size",
    at="thinning samples",
    title="Thinned samples can have a similar effective size",
    says="Half of the samples over twice their time: as rho = 1 - delta tends to one, both sizes agree.",
    read=Order(
        T / 2 * (1 - (1 - gone) ** 2) / (1 + (1 - gone) ** 2),
        "~",
        T * gone / (2 - gone),
        vanishing(gone),
    ),
)

# two steps of half the size, of which the second is forgotten
HALF = x - sp.Rational(3, 2) * h * x + sp.sqrt(h / 2) * xi
TWICE = Step((x,), ((x, HALF), (x, HALF.subs(xi, zeta))), (xi, zeta))

cor3 = UpToConstant(
    "cor3",
    at="Corollary 3, with a constant preconditioner",
    stands="read",
    title="The bound holds for thinned samples",
    says="Every second position is kept, with the two steps that lead on for its weight.",
    given=(A1, SMOOTH),
    printed=(UpTo(MSE, BOUND),),
    families=usual_families(TWICE, h, x**2, delta=1),
)

cor3_psgld = claim(
    "cor3.psgld",
    at="Corollary 3, for pSGLD itself",
    title="The error of thinned samples approaches zero",
    says="For Algorithm 1: averages of part of the samples tend to what averages of all tend to.",
    given=(A1, SMOOTH, FORGETS),
    read=averages_within(own.ERROR, own.BOUND, own.T, "psgld:algorithm1"),
    kinds=(("alpha", "unit"),),
)
