"""Preliminaries: stochastic gradient ascent, SGLD, and Assumption 1."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.claims.vanishing import ToZero, Vanishing
from verification.laws.averages import MSE, t
from verification.notation import A, N, Sigma, eps
from verification.papers.li2016psgld.hypotheses import A1, BETWEEN, CONVEX, SLOWLY, WIDE, along, x
from verification.statements import (
    Adds,
    Compare,
    Equal,
    InLaw,
    Order,
    claim,
    exp,
    growing,
    letters,
    log,
    pi,
    samples_posterior,
    sqrt,
    term,
    vanishing,
)
from verification.terms.batchwords import BatchAverage, Expectation, columns, total
from verification.terms.kinds import LOSS, PARAMETER, column, number
from verification.terms.stochastic import NOISY_GRADIENT, Difference, NoiseLetter, Row, theta

g = columns("g")  # the gradient of one example's log likelihood
g_prior = sp.Symbol("g_prior", commutative=False)
m, v, s = sp.symbols("m v s", positive=True)
place, sigma = letters("theta sigma")
size, count = letters("a t")
STEP = size / count ** term("2/3")
V = NoiseLetter("V", commutative=False)
change, estimate = sp.symbols("Delta_theta g_batch", commutative=False)

penalty = claim(
    "prelim.penalty",
    at="preliminaries, on the prior",
    title="The prior is a penalty",
    says="Minus the logarithm of the normal prior of the experiments is a square, up to a constant.",
    read=Equal(
        -log(exp(-(place**2) / (2 * sigma**2)) / sqrt(2 * pi * sigma**2)),
        place**2 / (2 * sigma**2) + log(2 * pi * sigma**2) / 2,
    ),
)

eq1_unbiased = claim(
    "eq1.unbiased",
    at="Eq. 1",
    title="The stochastic gradient of the log posterior",
    says="N over n times the sum over a minibatch has the sum over all data for its mean.",
    derived=Equal(Expectation(N * BatchAverage(g)), total(g)),
)

eq1 = Definition(
    "eq1",
    at="Eq. 1",
    title="A step of stochastic gradient ascent",
    says="A step of size eps along the stochastic gradient of the log posterior (footnote 1: upwards).",
    printed=(Printed(change, eps * estimate),),
    declared=(
        (change, column(PARAMETER)),
        (eps, number(PARAMETER**2 / LOSS)),
        (estimate, column(LOSS / PARAMETER)),
    ),
)

sgd_converges = NotMathematical(
    "prelim.sgd_converges",
    at="preliminaries, after Eq. 1",
    title="Convergence of SGD",
    says="That SGD converges is ascribed to Bottou.",
    because="attribution",
)

predictive = claim(
    "prelim.predictive",
    at="preliminaries, on prediction",
    title="The MAP estimate approximates the prediction",
    says="For a normal observation the predictive variance is that at the MAP estimate, as the variance"
    " of the posterior vanishes.",
    derived=Order(s + v * m**2, "~", s, vanishing(v)),
)

eq2 = claim(
    "eq2",
    at="Eq. 2",
    title="The step of SGLD",
    says="Half a step along the stochastic gradient of the log posterior, and noise of variance eps.",
    of="sgld",
    printed=InLaw(Row(Difference(theta), -eps / 2 * N * NOISY_GRADIENT + sp.sqrt(eps) * V)),
    time="discrete",
)

eq2_samples = claim(
    "eq2.samples",
    at="Eq. 2, as the step vanishes",
    title="SGLD samples the posterior as its step vanishes",
    says="SGLD is said to sample from the posterior; the limit of its law is meant here.",
    read=samples_posterior("sgld"),
)

eq2_fixed = claim(
    "eq2.fixed_step",
    at="Eq. 2, at a fixed step",
    title="SGLD samples the posterior",
    says="The same with the step as it is: the covariance of its law is that of the posterior.",
    of="sgld",
    time="discrete",
    read=Equal(Sigma, (N * A) ** -1),
)

averages = Vanishing(
    "eq2.plain_average",
    at="after Eq. 2, the Monte Carlo estimate",
    stands="read",
    title="Plain averages of samples estimate posterior means",
    says="The mean over T samples, all with one weight, is consistent under Assumption 1.",
    given=(A1,),
    printed=(ToZero(MSE),),
    families=(along("steps 1/t", 1 / t, step=WIDE, equal=True),),
)

weighted = Vanishing(
    "eq2.weighted_average",
    at="after Eq. 2, with the weights of the later analysis",
    stands="derived",
    title="Averages weighted by steps estimate posterior means",
    says="The same with weights that are the steps, along one schedule of Assumption 1.",
    given=(A1,),
    printed=(ToZero(MSE),),
    families=(along("steps t^(-2/3)/2", BETWEEN, phi=x**2, delta=1),),
)

a1_sum = claim(
    "assumption1.sum",
    at="Assumption 1, 1)",
    title="Steps whose sum is infinite",
    says="The steps a t^(-2/3) meet the first half of the assumption.",
    derived=Adds(STEP, "without end", growing(count)),
)

a1_squares = claim(
    "assumption1.squares",
    at="Assumption 1, 2)",
    title="Steps whose squares have a finite sum",
    says="The same steps meet the second half.",
    derived=Adds(STEP**2, "to a finite sum", growing(count)),
)

not_enough = claim(
    "assumption1.relaxed_squares",
    at="footnote 2",
    title="A slower schedule breaks Assumption 1",
    says="For the relaxation that is announced: steps a t^(-1/3) have squares of infinite sum.",
    derived=Adds((size / count ** term("1/3")) ** 2, "without end", growing(count)),
)

relaxed = Vanishing(
    "fn2",
    at="footnote 2",
    stands="read",
    title="Assumption 1 can be relaxed",
    says="Averages of SGLD are consistent along a schedule whose squares have an infinite sum.",
    printed=(ToZero(MSE),),
    families=(along("steps t^(-1/3)/2", SLOWLY, phi=x**2, delta=1),),
)

fixed = claim(
    "assumption1.needed",
    at="after Assumption 1",
    title="Decreasing steps are needed for consistency",
    says="At a fixed step the law of SGLD is wider than the posterior in every direction.",
    of="sgld",
    given=(CONVEX,),
    read=Compare(Sigma, ">", (N * A) ** -1),
    kinds=(("B", "positive definite"),),
)

c = sp.Symbol("c", positive=True)

dominated = claim(
    "assumption1.dominated",
    at="after Assumption 1",
    title="Injected noise dominates gradient noise",
    says="As the step vanishes the variance of a step is that of the injected noise alone.",
    read=Order(eps + eps**2 * N**2 * c / 4, "~", eps, vanishing(eps)),
)

teh = NotMathematical(
    "eq2.rates",
    at="after Eq. 2",
    title="Rates of convergence",
    says="Rigorous rates are ascribed to Teh et al.",
    because="attribution",
)
