"""Preliminaries: stochastic gradient ascent, SGLD, and Assumption 1."""

import sympy as sp

from verification.notation import A, N, S, Sigma, eps
from verification.papers.li2016psgld.appendix_sequences import T, t
from verification.papers.li2016psgld.appendix_sequences import eps as eps_of
from verification.papers.li2016psgld.appendix_sequences import total as over_steps
from verification.papers.li2016psgld.hypotheses import (
    A1,
    CONVEX,
    FROM_MODE,
    NOISY,
    SETTLES,
    WIDE,
    average,
    x,
)
from verification.relations import Adds, Compare, Equal, InLaw, Order, growing, vanishing
from verification.statements import Printed, at, exp, log, mean, pi, samples_posterior, sqrt
from verification.terms.batchwords import BatchAverage, Expectation, columns, total
from verification.terms.kinds import LOSS, PARAMETER, column, number
from verification.terms.stochastic import NOISY_GRADIENT, Difference, NoiseLetter, Row, theta
from verification.terms.term import letters, term

g = columns("g")  # the gradient of one example's log likelihood
g_prior = sp.Symbol("g_prior", commutative=False)
m, v, s = sp.symbols("m v s", positive=True)
place, sigma = letters("theta sigma")
size, count = letters("a t")
STEP = size / count ** term("2/3")
V = NoiseLetter("V", commutative=False)
change, estimate = sp.symbols("Delta_theta g_batch", commutative=False)

penalty = at("prelim.penalty", "preliminaries, on the prior").claim(
    "The prior is a penalty",
    "Minus the logarithm of the normal prior of the experiments is a square, up to a constant.",
    read=Equal(
        -log(exp(-(place**2) / (2 * sigma**2)) / sqrt(2 * pi * sigma**2)),
        place**2 / (2 * sigma**2) + log(2 * pi * sigma**2) / 2,
    ),
)

eq1_unbiased = at("eq1.unbiased", "Eq. 1").claim(
    "The stochastic gradient of the log posterior",
    "$N$ over $n$ times the sum over a minibatch has the sum over all data for its mean.",
    derived=Equal(Expectation(N * BatchAverage(g)), total(g)),
)

eq1 = at("eq1", "Eq. 1").definition(
    "A step of stochastic gradient ascent",
    "A step of size $eps$ along the stochastic gradient of the log posterior (footnote 1: upwards).",
    Printed(change, eps * estimate),
    kinds={
        change: column(PARAMETER),
        eps: number(PARAMETER**2 / LOSS),
        estimate: column(LOSS / PARAMETER),
    },
    stands="read",
)

sgd_converges = at("prelim.sgd_converges", "preliminaries, after Eq. 1").attribution(
    "Convergence of SGD", "That SGD converges is ascribed to Bottou."
)

predictive = at("prelim.predictive", "preliminaries, on prediction").claim(
    "The MAP estimate approximates the prediction",
    "For a normal observation the predictive variance is that at the MAP estimate, as the variance"
    " of the posterior vanishes.",
    derived=Order(s + v * m**2, "~", s, vanishing(v)),
    scope="a normal observation",
)

eq2 = at("eq2", "Eq. 2").claim(
    "The step of SGLD",
    "Half a step along the stochastic gradient of the log posterior, and noise of variance $eps$.",
    of="sgld",
    printed=InLaw(Row(Difference(theta), -eps / 2 * N * NOISY_GRADIENT + sp.sqrt(eps) * V)),
    time="discrete",
)

eq2_samples = at("eq2.samples", "Eq. 2, as the step vanishes").claim(
    "SGLD samples the posterior as its step vanishes",
    "SGLD is said to sample from the posterior; the limit of its law is meant here.",
    given=(SETTLES,),
    read=samples_posterior("sgld"),
    scope="one coordinate",
)

eq2_fixed = at("eq2.fixed_step", "Eq. 2, at a fixed step").claim(
    "SGLD samples the posterior, at a fixed step too",
    "Not claimed: the paper asks for steps that decrease (Assumption 1). The same at one step for ever.",
    of="sgld",
    given=(N >= 2, S < N),
    time="discrete",
    derived=Equal(Sigma, (N * A) ** -1),
)

averages = at("eq2.plain_average", "after Eq. 2, the Monte Carlo estimate").claim(
    "Plain averages of samples estimate posterior means",
    "The mean over $T$ samples, all with one weight, is consistent under Assumption 1, here along"
    " steps $1/t$. (Then $t theta_t$ is the sum of $sqrt(s) xi_s$: the mean square tends to $1/4$.)",
    given=(A1, WIDE, FROM_MODE, Equal(eps_of[t], 1 / t)),
    read=Order(mean((over_steps(x) / T) ** 2), "o", 1, growing(T)),
)

normal = at.within("a normal posterior")
weighted = normal("eq2.weighted_average", "after Eq. 2, with the weights of the later analysis").claim(
    "Averages weighted by steps estimate posterior means",
    "The same with weights that are the steps, along one schedule of Assumption 1.",
    given=(A1, NOISY, FROM_MODE, Equal(eps_of[t], 1 / (2 * t ** term("2/3")))),
    derived=Order(mean((average(x**2) - term("1/4")) ** 2), "o", 1, growing(T)),
)

a1_sum = at("assumption1.sum", "Assumption 1, 1)").claim(
    "Steps whose sum is infinite",
    "The steps a $t^(-2/3)$ meet the first half of the assumption.",
    derived=Adds(STEP, "without end", growing(count)),
)

a1_squares = at("assumption1.squares", "Assumption 1, 2)").claim(
    "Steps whose squares have a finite sum",
    "The same steps meet the second half.",
    derived=Adds(STEP**2, "to a finite sum", growing(count)),
)

not_enough = at("assumption1.relaxed_squares", "footnote 2").claim(
    "A slower schedule breaks Assumption 1",
    "For the relaxation that is announced: steps a $t^(-1/3)$ have squares of infinite sum.",
    derived=Adds((size / count ** term("1/3")) ** 2, "without end", growing(count)),
)

relaxed = normal("fn2", "footnote 2").claim(
    "Assumption 1 can be relaxed",
    "Averages of SGLD are consistent along a schedule whose squares have an infinite sum.",
    given=(NOISY, FROM_MODE, Equal(eps_of[t], 1 / (2 * t ** term("1/3")))),
    read=Order(mean((average(x**2) - term("1/4")) ** 2), "o", 1, growing(T)),
)

fixed = normal("assumption1.needed", "after Assumption 1").claim(
    "Decreasing steps are needed for consistency",
    "At a fixed step the law of SGLD is wider than the posterior in every direction.",
    of="sgld",
    given=(CONVEX,),
    read=Compare(Sigma, ">", (N * A) ** -1),
    kinds=(("B", "positive definite"),),
)

c = sp.Symbol("c", positive=True)

dominated = at("assumption1.dominated", "after Assumption 1").claim(
    "Injected noise dominates gradient noise",
    "As the step vanishes the variance of a step is that of the injected noise alone.",
    read=Order(eps + eps**2 * N**2 * c / 4, "~", eps, vanishing(eps)),
)

teh = at("eq2.rates", "after Eq. 2").attribution(
    "Rates of convergence", "Rigorous rates are ascribed to Teh et al."
)
