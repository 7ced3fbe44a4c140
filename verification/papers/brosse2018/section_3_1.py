"""Section 3.1: Lemma 1, Theorem 2 with its constants, Corollary 3."""

from typing import Any

import sympy as sp

from sgtheory.wasserstein import DIFFUSION
from verification.notation import N
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.statements import Assumption, Compare, Order, Printed, Section, Stated, at
from verification.terms.kinds import PARAMETER, number
from verification.theories.distances import ANY, OTHER, TARGET, W2, law
from verification.theories.distances.couplings import W0, L, R, d, gamma, m, n, p

H1 = Assumption(
    "H1: all $U_i$ have derivatives of orders 2 to 4 bounded by $Ltilde$; $L = (N + 1) Ltilde$"
)
H2 = Assumption("H2: $U$ is $m$-strongly convex")
H3 = Assumption("H3: all $U_i$ are convex")
SMALL = Assumption("$gamma$ is at most $1/L$")
ALL = (H1, H2, H3, SMALL)
GROWS = (H1, H2, H3, Assumption("$gamma = eta/N$, $eta$ at most $1/(2 Ltilde)$, $m/N$ stays above zero"))

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
w2 = at("sec3_1.w2", "section 3.1, first display").definition(
    "The Wasserstein distance of order 2",
    "It is the root of the least mean squared distance of two points with the given laws.",
    Printed(distance, sp.sqrt(transport)),
    kinds={distance: number(PARAMETER), transport: number(PARAMETER**2)},
)

kernels = at("sec3_1.kernels", "section 3.1, second paragraph").reference(
    "Markov kernels and invariant measures",
    "Kernels, their powers and invariance are recalled, and the four algorithms are such chains.",
)

product, gradients, slope, between = sp.symbols(
    "inner_product gradients_squared slope distance", positive=True
)
CO_COERCIVE = (Compare(m, "<=", product), Compare(gradients, "<=", L * product))
AFTER = 1 - 2 * gamma * product + gamma**2 * gradients  # for points at a distance of one

existence = at("lem1.existence", "Lemma 1, first part").claim(
    "Below $2/L$ every step contracts",
    "For steps below $2/L$ coupled chains come closer in mean square, by a factor $1 - m gamma$ $(2 -"
    " gamma L)$; so there is one invariant law with second moments.",
    given=(H1, H2, H3, *CO_COERCIVE, Compare(gamma * L, "<", sp.Integer(2))),
    read=Compare(AFTER, "<=", 1 - m * gamma * (2 - gamma * L)),
)

factor = at("lem1.factor", "Lemma 1, first part").claim(
    "The factor is below one",
    "For steps below $2/L$ and a positive $m$ the factor $1 - m gamma$ $(2 - gamma L)$ is below one.",
    given=(H1, H2, H3, Compare(gamma * L, "<", sp.Integer(2))),
    read=Compare(1 - m * gamma * (2 - gamma * L), "<", sp.Integer(1)),
)

STARTS = Assumption(
    "$W_0$ is the squared distance of the laws $lambda$ and $mu$ that chains start from, $R$ the mean of"
    " $|theta - theta*|^2$ under $mu$"
)
assumed = Section(given=(*ALL, STARTS))


def forgets(sampler: str, called: str, place: str = "Lemma 1, last line") -> Stated:
    """Two laws of a chain come closer with each step."""
    return assumed(f"lem1.{sampler}", place).claim(
        f"{called} forgets its start geometrically",
        "The squared distance of two laws falls by $1 - m gamma$ a step; one may be the invariant law.",
        read=W2(law(sampler, n, ANY), law(sampler, n, OTHER)) ** 2 <= GEOMETRIC,
    )


sgld_contracts = forgets("sgld", "SGLD", "Lemma 1, display")
lmc_contracts = forgets("lmc", "LMC")
sgd_contracts = forgets("sgd", "SGD")
sgldfp_contracts = forgets("sgldfp", "SGLDFP")

solution = at("sec3_1.strong_solution", "section 3.1, after Lemma 1").claim(
    "The Langevin equation has a Lipschitz drift",
    "It is said to have one strong solution. By H1 its drift is Lipschitz, as between two points a"
    " gradient changes by a mean second derivative"
    " times their distance; that this is enough is ascribed to Karatzas and Shreve.",
    given=(H1, Compare(slope, "<=", L)),
    derived=Compare(slope * between, "<=", L * between),
)

thm2_i = assumed("thm2.i", "Theorem 2 i").claim(
    "LMC and SGLDFP",
    "Their laws after $n$ steps are bounded by the first distance, a term of order $gamma$ that stays,"
    " and one for the start that goes.",
    printed=W2(law("lmc", n, ANY), law("sgldfp", n, OTHER)) ** 2 <= LMC_AND_SGLDFP,
)

thm2_ii = assumed("thm2.ii", "Theorem 2 ii").claim(
    "LMC and the Langevin diffusion",
    "The law of LMC after $n$ steps and that of the diffusion at time $n gamma$, with the same three"
    " terms.",
    printed=W2(law("lmc", n, ANY), law(DIFFUSION, n, OTHER)) ** 2 <= LMC_AND_DIFFUSION,
)

thm2_iii = assumed("thm2.iii", "Theorem 2 iii").claim(
    "SGLD and SGD",
    "Their laws after $n$ steps are bounded by the first distance and $2 d/m$, at every step size.",
    printed=W2(law("sgld", n, ANY), law("sgd", n, OTHER)) ** 2 <= GEOMETRIC + 2 * d / m,
)

eta, Lt, c = sp.symbols("eta Ltilde c", positive=True)
FEW = Compare(eta * Lt, "<=", sp.Rational(1, 2))

cor3_step = at("cor3.step", "Corollary 3, the condition on eta").claim(
    "Its steps are those of Theorem 2",
    "With $eta$ at most $1/(2 Ltilde)$ the step $eta/N$ is at most $1/L$.",
    given=(H1, FEW),
    read=Compare(eta / N * (N + 1) * Lt, "<=", sp.Integer(1)),
)

grows = Section(given=GROWS)


def close(key: str, title: str, first: Any, second: Any) -> Stated:
    """Two laws that come close as N grows."""
    part, which = key.split(".")
    far = "These two laws are at most of order $N^(-1/2)$ apart."
    place = f"Corollary 3 {part}, {EQUATIONS[which]} equation"
    near = Order(W2(first, second), "O", ROOT_N, STEPS)
    return grows(f"cor3.{key}", place).claim(title, far, printed=near)


EQUATIONS = {"after_n_steps": "first", "invariant": "second", "target": "third"}
FINITE = "after $n$ steps from $theta*$"
cor3_i_finite = close("i.after_n_steps", f"LMC and SGLDFP {FINITE}", law("lmc", n), law("sgldfp", n))
cor3_i_invariant = close("i.invariant", "Invariant laws of LMC and SGLDFP", law("lmc"), law("sgldfp"))
cor3_i_target = close("i.target", "The invariant law of LMC and the target", law("lmc"), TARGET)

cor3_i_constant = at("cor3.i.sqrt_d_eta", "Corollary 3 i, the factor sqrt(d eta)").claim(
    "What stays in Theorem 2 i is of order $d eta/N$",
    "With $L = (N + 1) Ltilde$ and $m = c N$ the factor $2 L^2/m^2$ of $d gamma/p$ is at most $8"
    " Ltilde^2/c^2$ at all $N$.",
    given=(H1, H2, H3),
    read=Compare(2 * ((N + 1) * Lt) ** 2 / (c * N) ** 2, "<=", 8 * Lt**2 / c**2),
)

kappa, ratio = sp.symbols("kappa L_over_m", positive=True)
target = at("cor3.i.sqrt_d_eta_target", "Corollary 3 i, the factor sqrt(d eta), third equation").claim(
    "What stays in Theorem 2 ii is of order $d eta/N$",
    "With $kappa$ at least $L/m$, such as $2 Ltilde/c$, the factor of $d gamma$ is at most"
    " $(1 + kappa)(3 + kappa)(13/6 + kappa)/2$, at all $N$.",
    given=(H1, H2, H3, Compare(ratio, "<=", kappa)),
    read=Compare(
        (1 + ratio) / 2 * (3 + ratio) * (sp.Rational(13, 6) + ratio),
        "<=",
        (1 + kappa) / 2 * (3 + kappa) * (sp.Rational(13, 6) + kappa),
    ),
)

cor3_ii_finite = close("ii.after_n_steps", f"SGLD and SGD {FINITE}", law("sgld", n), law("sgd", n))
cor3_ii_invariant = close("ii.invariant", "Invariant laws of SGLD and SGD", law("sgld"), law("sgd"))
cor3_ii_constant = at("cor3.ii.sqrt_d", "Corollary 3 ii, the factor sqrt(d)").claim(
    "What stays in Theorem 2 iii is of order $d/N$",
    "It is $2 d/m$ at every step; with $m$ at least $c N$ that is at most $2/c$ times $d/N$.",
    given=(H1, H2, H3, Compare(c * N, "<=", m)),
    read=Compare(2 * d / m, "<=", 2 * d / (c * N)),
)
