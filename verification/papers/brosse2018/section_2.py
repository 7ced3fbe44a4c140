"""Section 2: the potential, the diffusion, and the updates of LMC, SGLD, SGD and SGLDFP."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion, coordinates
from sgtheory.dynamics.steps import Step
from verification.claims.base import Assumption, Printed
from verification.claims.definition import Definition, NotMathematical
from verification.notation import N, S, eps
from verification.statements import Compare, Equal, InLaw, Preserves, WeakOrder, claim
from verification.terms.batchwords import Expectation, FixedColumn, batch_total, columns, total
from verification.terms.kinds import number
from verification.terms.stochastic import NOISY_GRADIENT, After, Row, V, theta

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


potential = Definition(
    "sec2.potential",
    at="section 2, before Eq. 1",
    title="The potential is the prior's term and a sum over examples",
    says="Minus the logarithm of the posterior is the prior's term plus those of the N likelihoods.",
    printed=(Printed(whole, prior_term + data_term),),
    declared=((whole, number()), (prior_term, number()), (data_term, number())),
)

eq1 = claim(
    "eq1",
    at="Eq. 1",
    title="The Langevin equation keeps the target",
    says="The density exp(-U) is invariant under the diffusion with drift -grad U and noise sqrt(2).",
    printed=Preserves((langevin(1), langevin(2))),
)

unique = NotMathematical(
    "eq1.unique",
    at="section 2, before Eq. 1",
    title="The target is the only invariant law",
    says="That no other law is invariant is stated under mild conditions that are not named.",
    because="attribution",
)

eq2 = claim(
    "eq2",
    at="Eq. 2",
    title="LMC is Euler's discretisation of the diffusion",
    says="One step of LMC follows the Langevin equation for a time gamma with weak order one.",
    read=WeakOrder(
        Diffusion((x,), (-slope,), ((sp.sqrt(2),),)),
        Step((x,), ((x, x - gamma * slope + sp.sqrt(2 * gamma) * xi),), (xi,)),
        gamma,
        1,
    ),
)

cost = NotMathematical(
    "eq2.cost",
    at="section 2, after Eq. 2",
    title="An iteration of LMC costs N d",
    says="The cost of one iteration is said to be N d.",
    because="timing",
)

unbiased = claim(
    "sec2.unbiased",
    at="section 2, before Eq. 3",
    title="The gradient of a minibatch is unbiased",
    says="The prior's gradient plus N/p times the sum over a minibatch averages to the whole gradient.",
    read=Equal(Expectation(g_0 + N / S * batch_total(g_i)), g_0 + total(g_i)),
)

eq3 = claim(
    "eq3",
    at="Eq. 3, with gamma = eps/2",
    title="One step of SGLD",
    says="A step of LMC with the gradient of a minibatch.",
    of="sgld",
    printed=InLaw(Row(After(theta), theta - eps / 2 * N * NOISY_GRADIENT + sp.sqrt(2 * eps / 2) * V)),
    time="discrete",
)

eq4 = claim(
    "eq4",
    at="Eq. 4, with gamma = eps/N",
    title="SGD is the recursion of SGLD without its normal noise",
    says="A step of SGLD from which the injected noise is dropped is a step of SGD.",
    of="sgd",
    printed=InLaw(Row(After(theta), theta - STEP_OF_SGD * N * NOISY_GRADIENT)),
    time="discrete",
)

eq5 = claim(
    "eq5.unbiased",
    at="Eq. 5",
    title="The gradient with control variates is unbiased",
    says="The terms of Eq. 5 average to the whole gradient less that at theta*, which is zero.",
    derived=Equal(
        Expectation(g_0 - f_0 + N / S * batch_total(g_i - f_i)), g_0 + total(g_i) - (f_0 + total(f_i))
    ),
)

objectives = NotMathematical(
    "sec2.objectives",
    at="section 2, after Eq. 5",
    title="Sampling and optimisation are different aims",
    says="Three of the algorithms are meant to sample from the posterior, SGD to find its mode.",
    because="opinion",
)

u0, ubar = sp.symbols("u_0 u_mean", positive=True)  # norms of derivatives: prior's, mean of the others'
constant_L = claim(
    "sec2.L",
    at="section 2, after H3",
    title="L = (N + 1) times the constant of an example",
    says="Derivatives of the N + 1 terms that are bounded by Ltilde add up to at most (N + 1) Ltilde.",
    given=(
        Assumption("H1: all terms have derivatives of orders 2 to 4 bounded by Ltilde"),
        Compare(u0, "<=", L_i),
        Compare(ubar, "<=", L_i),
    ),
    read=Compare(u0 + N * ubar, "<=", (N + 1) * L_i),
)

slope_between, distance = sp.symbols("slope distance", positive=True)
lipschitz = claim(
    "sec2.gradient_lipschitz",
    at="section 2, H1",
    title="A bounded second derivative makes gradients Lipschitz",
    says="Between two points a gradient changes by a mean second derivative times their"
    " distance, at most"
    " Ltilde times it.",
    given=(
        Assumption("H1"),
        Compare(slope_between, "<=", L_i),
    ),
    read=Compare(slope_between * distance, "<=", L_i * distance),
)

m, square, product = sp.symbols("m distance_squared inner_product", positive=True)
one_minimiser = claim(
    "sec2.unique_minimiser",
    at="section 2, after H3",
    title="A strongly convex potential has one minimiser",
    says="By H2 the squared distance of two points is at most the product of their distance with"
    " the change"
    " of the gradient, over m; between two minimisers that change is zero.",
    given=(
        Assumption("H2: U is m-strongly convex"),
        Compare(m * square, "<=", product),
    ),
    read=Compare(square, "<=", product / m),
)

step_in_practice = NotMathematical(
    "sec2.step_in_practice",
    at="section 2, after H3",
    title="Steps of order 1/N and m of order N",
    says="Steps of order 1/N, and m/N bounded away from zero, are adopted as what is usual.",
    because="attribution",
)
