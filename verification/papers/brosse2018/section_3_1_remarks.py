"""Section 3.1: what is concluded from Theorem 2 and Theorem 4 on costs, step sizes and minibatches."""

import sympy as sp

from sgtheory.wasserstein import DIFFUSION
from verification.notation import N
from verification.papers.brosse2018 import section_3_1
from verification.papers.brosse2018.letters import ROOT_N, STEPS, n, steps, x
from verification.papers.brosse2018.section_3_1 import GROWS
from verification.papers.brosse2018.section_3_1_regression import SCALED, SETTLED
from verification.relations import Compare, Equal, Order
from verification.statements import Section, Stated, at, claim, letters
from verification.theories.distances import TARGET, W2, law
from verification.theories.distances.couplings import d, p

kappa = sp.Symbol("kappa", positive=True)  # L/m
STAYS_I = 2 * kappa**2 / p  # of what stays in Theorem 2 i and ii, over gamma d
STAYS_II = (1 + kappa) / 2 * (3 + kappa) * (sp.Rational(13, 6) + kappa)

iterations = at("sec3_1.iterations", "section 3.1, after Corollary 3").claim(
    "SGLDFP takes no more iterations than LMC, up to a factor",
    "Both contract at the rate of Theorem 2; what SGLDFP adds is at most what LMC has, so that at four"
    " times the squared distance, or a quarter of the step, its bound is as good.",
    given=(Compare(sp.Integer(1), "<=", kappa), Compare(sp.Integer(1), "<=", p)),
    read=Compare(STAYS_I, "<=", STAYS_II),
)

share, spread = sp.symbols("share spread", positive=True)
same_iterations = at("sec3_1.same_iterations", "section 3.1, after Corollary 3, at one step size").claim(
    "At one step size SGLDFP is as close to the target as LMC",
    "If the number of iterations were the same, the variance of SGLDFP in linear regression would be no"
    " larger than that of LMC, both over that of the target; share is $gamma$ times the curvature,"
    " spread the variance of a minibatch's curvature over its square.",
    given=(Compare(share * (1 + spread), "<=", sp.Integer(1)),),
    read=Compare(2 / (2 - share * (1 + spread)), "<=", 2 / (2 - share)),
)

cheaper = at("sec3_1.cost_of_iteration", "section 3.1, after Corollary 3").claim(
    "An iteration of LMC costs more than one of SGLDFP",
    "The cost $N d$ is larger than $p d$, the minibatch being a fraction of the data.",
    given=(Compare(p, "<", N),),
    read=Compare(N * d, ">", p * d),
)

grows = Section(given=GROWS)

NEAR = (
    "From a start and after a number of steps that do not depend on $N$ it would be $N^(-1/2)$ from the"
    " target. (From $theta*$ itself no step is needed for that, from a fixed point off it order $log(N)$"
    " are.)"
)
WITHIN = "The distance of their laws after $k$ steps from $theta*$ vanishes like $N^(-1/2)$."
cost_sgldfp = grows("sec3_1.operations_sgldfp", "section 3.1, after Corollary 3").claim(
    "SGLDFP needs a number of operations that does not grow",
    NEAR,
    derived=Order(W2(law("sgldfp", n, x), TARGET), "O", ROOT_N, STEPS),
)

cost_lmc = grows("sec3_1.operations_lmc", "section 3.1, after Corollary 3").claim(
    "LMC needs $N$ times a number that does not grow",
    NEAR,
    derived=Order(W2(law("lmc", n, x), TARGET), "O", ROOT_N, STEPS),
)

close_to_diffusion = grows("sec3_1.lmc_close_to_the_diffusion", "section 3.1, after Theorem 4").claim(
    "After $k$ steps from $theta*$ LMC is close to the diffusion",
    WITHIN,
    read=Order(W2(law("lmc", n), law(DIFFUSION, n)), "O", ROOT_N, STEPS),
)

sgldfp_close = grows("sec3_1.sgldfp_close_to_the_diffusion", "section 3.1, after Theorem 4").claim(
    "After $k$ steps from $theta*$ SGLDFP is close to the diffusion",
    WITHIN,
    read=Order(W2(law("sgldfp", n), law(DIFFUSION, n)), "O", ROOT_N, STEPS),
)

relative = grows(
    "sec3_1.similar_relative_to_width",
    "section 3.1, after Theorem 4, relative to the width of the posterior",
).claim(
    "LMC's law is similar to the posterior, whose width is $N^(-1/2)$",
    "If the laws were alike on the scale of the posterior itself, the distance would vanish"
    " faster than $N^(-1/2)$.",
    read=Order(W2(law("lmc"), TARGET), "o", ROOT_N, STEPS),
)

analogous = grows("sec3_1.sgld_and_sgd_analogous", "section 3.1, after Theorem 4").again(
    section_3_1.cor3_ii_finite, "After $k$ steps from $theta*$ SGLD is analogous to SGD"
)

sgd_far = grows("sec3_1.sgd_far_from_target", "section 3.1, after Theorem 4").claim(
    "SGD's law is very different from the target",
    "In linear regression the distance of SGD's invariant law from the posterior does not vanish.",
    read=Order(W2(law("sgd"), TARGET), "Omega", 1, STEPS),
    given=SETTLED,
    scope="linear regression",
)

alpha, a, eta, size = letters("alpha a eta N")
cost = at("sec3_1.alpha_beta_cost", "section 3.1, last paragraph").claim(
    "With $alpha + beta = 2$ the cost is proportional to $N$",
    "Minibatches of $N^alpha$ examples over $1/(m gamma)$ steps, with $m = a$ $N$ and $gamma = eta"
    " N^(alpha - 2)$, cost $N$/(a $eta$), whatever $alpha$ is.",
    read=Equal(size**alpha / (a * size * eta * size ** (alpha - 2)), size / (a * eta)),
)


def accuracy(key: str, shown: str, power: str, decay: str) -> Stated:
    """SGLD with minibatches of N^power examples and a step of order N^(-decay)."""
    return claim(
        f"sec3_1.alpha_beta.{key}",
        at=f"section 3.1, last paragraph, with {shown}",
        title=f"With {shown} SGLD is as close as LMC",
        says=f"With {shown} SGLD's invariant law is $N^(-1/2)$ from the posterior.",
        given=SCALED,
        read=Order(W2(law("sgld"), TARGET), "O", ROOT_N, steps(power, decay)),
        scope="linear regression",
    )


small_steps = accuracy("small_steps", "$alpha = 0$ and $beta = 2$", "0", "2")
both = accuracy("both", "$alpha = 1/2$ and $beta = 3/2$", "1/2", "3/2")
large_batches = accuracy("large_batches", "$alpha = 1$ and $beta = 1$", "1", "1")

necessary = at(
    "sec3_1.alpha_beta.needed", "section 3.1, last paragraph, for a precision that does not depend on N"
).claim(
    "With $alpha + beta$ below 2 SGLD stays inaccurate",
    "If the sum had to be 2 for a fixed precision, SGLD with $alpha = 0$ and $beta = 3/2$ would stay at"
    " a distance from the posterior.",
    given=SCALED,
    read=Order(W2(law("sgld"), TARGET), "Omega", 1, steps("0", "3/2")),
    scope="linear regression",
)
