"""Section 3.1: Lemma 1, Theorem 2 with its constants, Corollary 3."""

import sympy as sp

from sgtheory.wasserstein import DIFFUSION
from verification.claims.base import Assumption, Printed
from verification.claims.definition import Definition, NotMathematical
from verification.notation import N
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.prover.couplings import W0, L, R, d, gamma, m, n, p
from verification.statements import Compare, Order, claim
from verification.terms.kinds import PARAMETER, number
from verification.theories.distances import ANY, OTHER, TARGET, W2, law

H1 = Assumption("H1: all U_i have derivatives of orders 2 to 4 bounded by Ltilde; L = (N + 1) Ltilde")
H2 = Assumption("H2: U is m-strongly convex")
H3 = Assumption("H3: all U_i are convex")
SMALL = Assumption("gamma is at most 1/L")
ALL = (H1, H2, H3, SMALL)
GROWS = (H1, H2, H3, Assumption("gamma = eta/N, eta at most 1/(2 Ltilde), lim inf m/N > 0"))

GEOMETRIC = (1 - m * gamma) ** n * W0
LMC_AND_SGLDFP = (
    GEOMETRIC
    + 2 * L**2 * gamma * d / (p * m**2)
    + L**2 * gamma**2 / p * n * (1 - m * gamma) ** (n - 1) * R
)
LMC_AND_DIFFUSION = (
    2 * (1 - m * L * gamma / (m + L)) ** n * W0
    + d * gamma * (m + L) / (2 * m) * (3 + L / m) * (sp.Rational(13, 6) + L / m)
    + n * sp.exp(-m / 2 * gamma * (n - 1)) * L**3 * gamma**3 * (1 + (m + L) / (2 * m)) * R
)

distance, transport = sp.symbols("W_2 transport_cost", positive=True)
w2 = Definition(
    "sec3_1.w2",
    at="section 3.1, first display",
    title="The Wasserstein distance of order 2",
    says="It is the root of the least mean squared distance of two points with the given laws.",
    printed=(Printed(distance, sp.sqrt(transport)),),
    declared=((distance, number(PARAMETER)), (transport, number(PARAMETER**2))),
)

kernels = NotMathematical(
    "sec3_1.kernels",
    at="section 3.1, second paragraph",
    title="Markov kernels and invariant measures",
    says="Kernels, their powers and invariance are recalled, and the four algorithms are such chains.",
    because="attribution",
)

product, gradients = sp.symbols("inner_product gradients_squared", positive=True)
CO_COERCIVE = (Compare(m, "<=", product), Compare(gradients, "<=", L * product))
AFTER = 1 - 2 * gamma * product + gamma**2 * gradients  # for points at a distance of one

existence = claim(
    "lem1.existence",
    at="Lemma 1, first part",
    title="Below 2/L every step contracts",
    says="For steps below 2/L coupled chains come closer in mean square, by a factor 1 - m gamma"
    " (2 - gamma"
    " L); so there is one invariant law with second moments.",
    given=(
        H1,
        H2,
        H3,
        *CO_COERCIVE,
        Compare(gamma * L, "<=", sp.Integer(2)),
    ),
    read=Compare(AFTER, "<=", 1 - m * gamma * (2 - gamma * L)),
)

factor = claim(
    "lem1.factor",
    at="Lemma 1, first part",
    title="The factor is below one",
    says="For steps below 2/L and a positive m the factor 1 - m gamma (2 - gamma L) is at most one.",
    given=(
        H1,
        H2,
        H3,
        Compare(gamma * L, "<=", sp.Integer(2)),
    ),
    read=Compare(1 - m * gamma * (2 - gamma * L), "<=", sp.Integer(1)),
)

sgld_contracts = claim(
    "lem1.sgld",
    at="Lemma 1, display",
    title="SGLD forgets its start geometrically",
    says="The squared distance of two laws of SGLD falls by 1 - m gamma a step; one may be the"
    " invariant law.",
    given=ALL,
    read=W2(law("sgld", n, ANY), law("sgld", n, OTHER)) ** 2 <= GEOMETRIC,
)

lmc_contracts = claim(
    "lem1.lmc",
    at="Lemma 1, last line",
    title="LMC forgets its start geometrically",
    says="The same inequality holds for LMC.",
    given=ALL,
    read=W2(law("lmc", n, ANY), law("lmc", n, OTHER)) ** 2 <= GEOMETRIC,
)

sgd_contracts = claim(
    "lem1.sgd",
    at="Lemma 1, last line",
    title="SGD forgets its start geometrically",
    says="The same inequality holds for SGD.",
    given=ALL,
    read=W2(law("sgd", n, ANY), law("sgd", n, OTHER)) ** 2 <= GEOMETRIC,
)

sgldfp_contracts = claim(
    "lem1.sgldfp",
    at="Lemma 1, last line",
    title="SGLDFP forgets its start geometrically",
    says="The same inequality holds for SGLDFP.",
    given=ALL,
    read=W2(law("sgldfp", n, ANY), law("sgldfp", n, OTHER)) ** 2 <= GEOMETRIC,
)

solution = NotMathematical(
    "sec3_1.strong_solution",
    at="section 3.1, after Lemma 1",
    title="The Langevin equation has one strong solution",
    says="Existence and uniqueness are ascribed to Karatzas and Shreve.",
    because="attribution",
)

thm2_i = claim(
    "thm2.i",
    at="Theorem 2 i",
    title="LMC and SGLDFP",
    says="Their laws after n steps are bounded by the first distance, a term of order gamma that"
    " stays, and"
    " one for the start that goes.",
    given=ALL,
    printed=W2(law("lmc", n, ANY), law("sgldfp", n, OTHER)) ** 2 <= LMC_AND_SGLDFP,
)

thm2_ii = claim(
    "thm2.ii",
    at="Theorem 2 ii",
    title="LMC and the Langevin diffusion",
    says="The law of LMC after n steps and that of the diffusion at time n gamma, with the same"
    " three terms.",
    given=ALL,
    printed=W2(law("lmc", n, ANY), law(DIFFUSION, n, OTHER)) ** 2 <= LMC_AND_DIFFUSION,
)

thm2_iii = claim(
    "thm2.iii",
    at="Theorem 2 iii",
    title="SGLD and SGD",
    says="Their laws after n steps are bounded by the first distance and 2 d/m, at every step size.",
    given=ALL,
    printed=W2(law("sgld", n, ANY), law("sgd", n, OTHER)) ** 2 <= GEOMETRIC + 2 * d / m,
)

eta, Lt, c = sp.symbols("eta Ltilde c", positive=True)
FEW = Compare(eta * Lt, "<=", sp.Rational(1, 2))

cor3_step = claim(
    "cor3.step",
    at="Corollary 3, the condition on eta",
    title="Its steps are those of Theorem 2",
    says="With eta at most 1/(2 Ltilde) the step eta/N is at most 1/L.",
    given=(
        H1,
        FEW,
    ),
    read=Compare(eta / N * (N + 1) * Lt, "<=", sp.Integer(1)),
)

cor3_i_finite = claim(
    "cor3.i.after_n_steps",
    at="Corollary 3 i, first equation",
    title="LMC and SGLDFP after n steps from theta*",
    says="For each n their laws are N^(-1/2) apart.",
    given=GROWS,
    printed=Order(W2(law("lmc", n), law("sgldfp", n)), "O", ROOT_N, STEPS),
)

cor3_i_invariant = claim(
    "cor3.i.invariant",
    at="Corollary 3 i, second equation",
    title="Invariant laws of LMC and SGLDFP",
    says="They are N^(-1/2) apart.",
    given=GROWS,
    printed=Order(W2(law("lmc"), law("sgldfp")), "O", ROOT_N, STEPS),
)

cor3_i_target = claim(
    "cor3.i.target",
    at="Corollary 3 i, third equation",
    title="The invariant law of LMC and the target",
    says="They are N^(-1/2) apart.",
    given=GROWS,
    printed=Order(W2(law("lmc"), TARGET), "O", ROOT_N, STEPS),
)

cor3_i_constant = claim(
    "cor3.i.sqrt_d_eta",
    at="Corollary 3 i, the factor sqrt(d eta)",
    title="What stays in Theorem 2 i is of order d eta/N",
    says="With L = (N + 1) Ltilde and m = c N the factor 2 L^2/m^2 of d gamma/p is at most 8"
    " Ltilde^2/c^2 at"
    " all N.",
    given=(
        H1,
        H2,
        H3,
    ),
    read=Compare(2 * ((N + 1) * Lt) ** 2 / (c * N) ** 2, "<=", 8 * Lt**2 / c**2),
)

kappa, ratio = sp.symbols("kappa L_over_m", positive=True)
cor3_i_constant_target = claim(
    "cor3.i.sqrt_d_eta_target",
    at="Corollary 3 i, the factor sqrt(d eta), third equation",
    title="What stays in Theorem 2 ii is of order d eta/N",
    says="With kappa at least L/m, such as 2 Ltilde/c, the factor of d gamma is at most (1 + kappa)(3 +"
    " kappa)(13/6 + kappa)/2, at all N.",
    given=(
        H1,
        H2,
        H3,
        Compare(ratio, "<=", kappa),
    ),
    read=Compare(
        (1 + ratio) / 2 * (3 + ratio) * (sp.Rational(13, 6) + ratio),
        "<=",
        (1 + kappa) / 2 * (3 + kappa) * (sp.Rational(13, 6) + kappa),
    ),
)

cor3_ii_finite = claim(
    "cor3.ii.after_n_steps",
    at="Corollary 3 ii, first equation",
    title="SGLD and SGD after n steps from theta*",
    says="For each n their laws are N^(-1/2) apart.",
    given=GROWS,
    printed=Order(W2(law("sgld", n), law("sgd", n)), "O", ROOT_N, STEPS),
)

cor3_ii_invariant = claim(
    "cor3.ii.invariant",
    at="Corollary 3 ii, second equation",
    title="Invariant laws of SGLD and SGD",
    says="They are N^(-1/2) apart.",
    given=GROWS,
    printed=Order(W2(law("sgld"), law("sgd")), "O", ROOT_N, STEPS),
)
