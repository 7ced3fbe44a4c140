"""Section 2: the potential, the diffusion, four algorithms, and SGLDFP around an estimate."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion, coordinates
from sgtheory.dynamics.steps import Step
from verification.laws.direction import AT_CENTRE, EQ5
from verification.notation import N, S, eps
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.papers.brosse2018.section_3_1 import ALL, LMC_AND_SGLDFP, STARTS
from verification.relations import Compare, Equal, InLaw, Order, Preserves, WeakOrder, growing
from verification.statements import Assumption, Printed, Section, at
from verification.terms.batchwords import Expectation, FixedColumn, batch_total, columns, total
from verification.terms.kinds import number
from verification.terms.stochastic import NOISY_GRADIENT, After, Row, V, theta
from verification.theories.distances import ANY, OTHER, QUADRATIC, STABLE, W2, law
from verification.theories.distances.couplings import n

gamma = sp.Symbol("gamma", positive=True)
x, xi = sp.symbols("x xi", real=True)
slope = sp.Function("U")(x).diff(x)
g_i, f_i = columns("g f")  # gradients of an example at theta_k and at theta*
g_0, f_0 = sp.symbols("g0 f0", cls=FixedColumn, commutative=False)  # those of the prior's term
whole, prior_term, data_term = sp.symbols("U U_0 U_data", real=True)
L_i, p, d = sp.symbols("Ltilde p d", positive=True)
STEP_OF_SGD = eps / N  # the house's step, on the mean loss: gamma = eps/N


def langevin(size: int) -> tuple[Diffusion, sp.Expr]:
    """Eq. 1 with any potential, and the logarithm of the target."""
    position = coordinates("x", size)
    potential = sp.Function("U")(*position)
    noise = tuple(tuple(sp.sqrt(2) if i == j else 0 for j in range(size)) for i in range(size))
    return Diffusion(position, tuple(-potential.diff(q) for q in position), noise), -potential


potential = at("sec2.potential", "section 2, before Eq. 1").definition(
    "The potential is the prior's term and a sum over examples",
    "Minus the logarithm of the posterior is the prior's term plus those of the $N$ likelihoods.",
    Printed(whole, prior_term + data_term),
    kinds={whole: number(), prior_term: number(), data_term: number()},
)

eq1 = at("eq1", "Eq. 1").claim(
    "The Langevin equation keeps the target",
    "The diffusion down the gradient of $U$, with noise $sqrt(2)$, keeps the density $exp(-U)$.",
    printed=Preserves((langevin(1), langevin(2))),
    scope="one and two dimensions",
)

unique = at("eq1.unique", "section 2, before Eq. 1").assumption(
    "The target is the only invariant law",
    "That no other law is invariant is said to hold under mild conditions, which are not named.",
)

eq2 = at("eq2", "Eq. 2").claim(
    "LMC is Euler's discretisation of the diffusion",
    "One step of LMC follows the Langevin equation for a time $gamma$ with weak order one.",
    read=WeakOrder(
        Diffusion((x,), (-slope,), ((sp.sqrt(2),),)),
        Step((x,), ((x, x - gamma * slope + sp.sqrt(2 * gamma) * xi),), (xi,)),
        gamma,
        1,
    ),
    scope="one dimension",
)

cost = at("eq2.cost", "section 2, after Eq. 2").claim(
    "An iteration of LMC costs $N d$",
    "Gradients of $N + 1$ terms are added up in $d$ coordinates, with a few operations for each.",
    read=Order((N + 1) * d + 3 * d, "~", N * d, growing(N)),
)

unbiased = at("sec2.unbiased", "section 2, before Eq. 3").claim(
    "The gradient of a minibatch is unbiased",
    "The prior's gradient plus $N/p$ times the sum over a minibatch averages to the whole gradient.",
    read=Equal(Expectation(g_0 + N / S * batch_total(g_i)), g_0 + total(g_i)),
)

eq3 = at("eq3", "Eq. 3, with gamma = eps/2").claim(
    "One step of SGLD",
    "A step of LMC with the gradient of a minibatch.",
    of="sgld",
    printed=InLaw(Row(After(theta), theta - eps / 2 * N * NOISY_GRADIENT + sp.sqrt(2 * eps / 2) * V)),
    time="discrete",
)

eq4 = at("eq4", "Eq. 4, with gamma = eps/N").claim(
    "SGD is the recursion of SGLD without its normal noise",
    "A step of SGLD from which the injected noise is dropped is a step of SGD.",
    of="sgd",
    printed=InLaw(Row(After(theta), theta - STEP_OF_SGD * N * NOISY_GRADIENT)),
    time="discrete",
)

eq5 = at("eq5.unbiased", "Eq. 5").claim(
    "The gradient with control variates is unbiased",
    "The terms of Eq. 5 average to the whole gradient less that at $theta*$, which is zero.",
    derived=Equal(
        Expectation(g_0 - f_0 + N / S * batch_total(g_i - f_i)), g_0 + total(g_i) - (f_0 + total(f_i))
    ),
)

objectives = at("sec2.objectives", "section 2, after Eq. 5").opinion(
    "Sampling and optimisation are different aims",
    "Three of the algorithms are meant to sample from the posterior, SGD to find its mode.",
)

u0, ubar = sp.symbols("u_0 u_mean", positive=True)  # norms of derivatives: prior's, mean of the others'
constant_L = at("sec2.L", "section 2, after H3").claim(
    "$L = (N + 1)$ times the constant of an example",
    "Derivatives of the $N + 1$ terms that are bounded by $Ltilde$ add up to at most $(N + 1) Ltilde$.",
    given=(
        Assumption("H1: all terms have derivatives of orders 2 to 4 bounded by $Ltilde$"),
        Compare(u0, "<=", L_i),
        Compare(ubar, "<=", L_i),
    ),
    read=Compare(u0 + N * ubar, "<=", (N + 1) * L_i),
)

slope_between, distance = sp.symbols("slope distance", positive=True)
lipschitz = at("sec2.gradient_lipschitz", "section 2, H1").claim(
    "A bounded second derivative makes gradients Lipschitz",
    "Between two points a gradient changes by a mean second derivative times their distance, at most"
    " $Ltilde$ times it.",
    given=(Assumption("H1"), Compare(slope_between, "<=", L_i)),
    read=Compare(slope_between * distance, "<=", L_i * distance),
)

m, square, product = sp.symbols("m distance_squared inner_product", positive=True)
one_minimiser = at("sec2.unique_minimiser", "section 2, after H3").claim(
    "A strongly convex potential has at most one minimiser",
    "(That it has one, as it grows with the distance squared, is not shown.) By H2 the squared distance"
    " of two points is at most the product of their distance with the change"
    " of the gradient, over $m$; between two minimisers that change is zero.",
    given=(Assumption("H2: $U$ is $m$-strongly convex"), Compare(m * square, "<=", product)),
    read=Compare(square, "<=", product / m),
)

step_in_practice = at("sec2.step_in_practice", "section 2, after H3").assumption(
    "Steps of order $1/N$ and $m$ of order $N$",
    "Steps of order $1/N$, and $m/N$ bounded away from zero, are adopted as what is usual.",
)

CLOSE = Assumption("the mean squared distance of the estimate from $theta*$ is $O(1/N)$")

around = Section(at="section 2, last paragraph", given=(CLOSE,))
GRADIENT = "With the gradient at the estimate, which is not zero, added so that steps are unbiased, "

unchanged = around("sec2.bounds_unchanged", "of Theorem 2 i").claim(
    "Around an estimate the bound is the same, letter by letter",
    "With $theta*$ replaced in Eq. 5 by an estimate that is off by $h$, the bound of Theorem 2 $i$"
    " stays as it is printed.",
    given=(*ALL, STARTS),
    read=W2(law("lmc", n, ANY), law("sgldfp", n, OTHER, centre=EQ5)) ** 2 <= LMC_AND_SGLDFP,
)

gradient = around("sec2.bounds_unchanged_with_gradient", "of Theorem 2 i").claim(
    "The same where the gradient at the estimate is added",
    f"{GRADIENT}the bound of Theorem 2 i stays as it is printed.",
    given=(*ALL, STARTS),
    read=W2(law("lmc", n, ANY), law("sgldfp", n, OTHER, centre=AT_CENTRE)) ** 2 <= LMC_AND_SGLDFP,
)

regression = around.within("linear regression")
same_rate = regression("sec2.same_rate", "of Corollary 3 i").claim(
    "Around an estimate the rate is the same",
    "With $theta*$ replaced in Eq. 5 by an estimate at a distance $h/sqrt(N)$, the invariant laws of"
    " LMC and SGLDFP are still $N^(-1/2)$ apart.",
    given=(STABLE, QUADRATIC),
    read=Order(W2(law("lmc"), law("sgldfp", centre=EQ5)), "O", ROOT_N, STEPS),
)

same_order = regression("sec2.same_rate_with_gradient", "of Corollary 3 i").claim(
    "The same rate where the gradient at the estimate is added",
    f"{GRADIENT}the invariant laws of LMC and SGLDFP are $N^(-1/2)$ apart.",
    given=(STABLE, QUADRATIC),
    read=Order(W2(law("lmc"), law("sgldfp", centre=AT_CENTRE)), "O", ROOT_N, STEPS),
)

found_by_sgd = at("sec2.estimate_by_sgd", "section 2, last paragraph").attribution(
    "SGD with decreasing steps finds such an estimate",
    "That decreasing steps give such an estimate at a cost linear in $N$ is ascribed to two papers.",
)
