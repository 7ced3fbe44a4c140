"""Section 4: what is said of simulated data, and of the covertype data."""

from sympy import Integer, log, symbols

from verification.notation import N, S
from verification.papers.brosse2018.letters import STEPS
from verification.papers.brosse2018.section_3_2_hypotheses import SIXTH, each
from verification.relations import All, Compare, Equal, Order, growing
from verification.statements import Section, at, exp, letter, letters, term
from verification.terms.batchwords import Average, BatchAverage, Expectation, columns, outer
from verification.theories.invariants import gradient_noise, run_off, spread
from verification.theories.minibatches.drawing import REPLACED

margin = letter("s", "real")  # x^T theta
size, eigenvalue, largest = letters("N delta Ltilde")
q, x, delta = symbols("q x delta", positive=True)  # q: the chance of y = 1
CURVATURE = q * (1 - q)  # the second derivative of the loss, over x^2
FOURTH = x**4 * CURVATURE * (1 - 6 * q + 6 * q**2)
PROBABILITY = (Compare(q, "<=", Integer(1)),)
simulated = Section(at="section 4, simulated data")

covariates = simulated("sec4.covariates").setting(
    "Normal covariates in two dimensions",
    "There are $10^5$ standard normal covariates, and ten sizes $N$ between 100 and $10^5$.",
)

likelihood = simulated("sec4.likelihood", "the likelihood").claim(
    "The two probabilities add up to one",
    "The likelihoods of $y = 1$ and of $y = 0$ that the printed formula gives add up to one.",
    read=Equal(
        (1 + exp(-margin)) ** -1 * (1 + exp(margin)) ** 0
        + (1 + exp(-margin)) ** 0 * (1 + exp(margin)) ** -1,
        1,
    ),
)

probability = Section(at=simulated.at, given=PROBABILITY)

H1_second = probability("sec4.h1_second", "H1").claim(
    "Second derivatives are bounded",
    "Along a covariate $x$ an example's second derivative is at most $x^2/4$; with $q$ the chance of"
    " $y = 1$ it is $x^2 q$ $(1 - q)$.",
    read=Compare(x**2 * CURVATURE, "<=", x**2 / 4),
)

H1_third = probability("sec4.h1_third", "H1").claim(
    "Third derivatives are bounded",
    "Along a covariate $x$ an example's third derivative is at most $x^3/8$; $1 - q$ for $q$ turns it.",
    read=Compare(x**3 * CURVATURE * (1 - 2 * q), "<=", x**3 / 8),
)

H1_fourth = probability("sec4.h1_fourth", "H1").claim(
    "Fourth derivatives are bounded",
    "Along a covariate $x$ an example's fourth derivative lies between $-x^4/8$ and $x^4/24$.",
    read=All(Compare(-FOURTH, "<=", x**4 / 8), Compare(FOURTH, "<=", x**4 / 24)),
)

H1_for_all = simulated("sec4.h1_for_all_N", "H1").claim(
    "One bound for all examples, however many",
    "Results are for one $L~$ at all $N$ (H1 itself holds at each). An example's second derivative at"
    " $theta = 0$ is $x^2/4$; the largest $x^2$ of $N$ normal covariates in two dimensions is about"
    " $2*log(N)$.",
    derived=Order(log(N) / 2, "O", Integer(1), growing(N)),
)

H3_convex = probability("sec4.h3", "H3").claim(
    "Every example's loss is convex",
    "Second derivatives are nowhere negative, along any covariate.",
    read=Compare(Integer(0), "<=", x**2 * CURVATURE),
)

H2_convex = probability("sec4.h2", "H2 on a compact state space").claim(
    "$U$ is strongly convex",
    "H2 is said to hold where the state space is compact; the normal prior gives $m = 1$ anywhere.",
    read=Compare(Integer(1), "<=", 1 + delta * CURVATURE),
)

H2_growing = simulated("sec4.m_over_N", "with the results of Section 3.2 that it illustrates").claim(
    "Curvature per example stays away from zero on all of $R^d$",
    "Section 3.2 asks that $m/N$ stays away from zero. Far out an example's curvature vanishes, and $m$"
    " is 1, the prior's. (On a compact state space, which the paper asks for, $m/N$ stays away from 0.)",
    derived=Order(1 / N, "Omega", Integer(1), growing(N)),
)

step = probability("sec4.step", "the step").claim(
    "The step is $1/L$ for the smallest $L$",
    "With $gamma = 1/(1 + delta/4)$, $delta$ the largest eigenvalue of $X^T X$, $gamma$ times the"
    " largest curvature of $U$ is at most 1.",
    read=Compare((1 + delta * CURVATURE) / (1 + delta / 4), "<=", Integer(1)),
)

step_admitted = simulated("sec4.step_admitted", "the step, against Lemma 1 and Corollary 3").claim(
    "The step is one that the results admit",
    "The results ask for $gamma < 2/L$, $L = (N + 1) L~$, and for $gamma N$ at most $1/(2 L~)$; $L~$ is"
    " at least 1, the prior's, and for normal covariates $delta$ is about $N$: here both are $10^5$.",
    derived=All(
        1 / (1 + eigenvalue / 4) < 2 / ((size + 1) * largest),
        size / (1 + eigenvalue / 4) <= 1 / (2 * largest),
    ),
    numbers={size: "100000", eigenvalue: "100000", largest: "1"},
)

iterations = simulated("sec4.iterations", "$n = 1/gamma$ iterations").claim(
    "Ten percent of a run is a burn-in",
    "At $N = 100$, $delta$ about $N$, a run has $1/gamma = 1 + delta/4$ iterations, a tenth of which is"
    " discarded: at least one.",
    derived=(1 + eigenvalue / 4) / 10 >= 1,
    numbers={eigenvalue: "100"},
)

mode_estimate = simulated("sec4.mode_estimate").setting(
    "How the mode is estimated", "The mode is estimated by SGD and BFGS, and runs start there."
)

sixth = Section(given=SIXTH)

slope_of_averages = sixth("sec4.slope_lmc_fp", f"{simulated.at}, on Figure 1").claim(
    "Averages of LMC and SGLDFP approach the mode as $1/N$",
    "The distance of the average of a run of $1/gamma$ steps from the mode falls with slope -1.",
    read=each(run_off, "Theta", 1 / N**2, STEPS, "lmc", "sgldfp"),
)

slope_shows_means = sixth("sec4.slope_shows_means", f"{simulated.at}, on Figure 1").claim(
    "The slope is that of the means, not of chance",
    "For the slope to confirm the rate of means, the spread of a run's average has to be of smaller"
    " order than the means' distance from the mode, $1/N$.",
    derived=each(spread, "o", 1 / N**2, STEPS, "lmc", "sgldfp"),
)

constant_averages = sixth("sec4.constant_sgld_sgd", f"{simulated.at}, on Figure 1").claim(
    "Averages of SGLD and SGD stay away from the mode",
    "The distance of the average of a run from the mode tends to a constant.",
    read=each(run_off, "Theta", 1, STEPS, "sgld", "sgd"),
)

covariance = sixth("sec4.empirical_covariance", f"{simulated.at}, the empirical covariances").claim(
    "Empirical covariances estimate covariances",
    "On average the empirical covariance of a run is less than the covariance by about the variance"
    " of the run's average, which has to be of smaller order than the covariance itself.",
    derived=All(
        each(spread, "o", 1 / N, STEPS, "lmc", "sgldfp"), each(spread, "o", 1, STEPS, "sgld", "sgd")
    ),
)

fig1 = at("fig1", "Figure 1").picture(
    "Distance of averages from the mode against $N$",
    "For LMC and SGLDFP it falls along lines of slope -1, for SGLD and SGD it hardly changes.",
)

fig2 = at("fig2", "Figure 2").picture(
    "Traces of covariances against $N$",
    "For LMC and SGLDFP they fall along lines of slope -1, for SGLD and SGD they hardly change.",
)

covertype = Section(at="section 4, covertype data")
g = columns("g")
largest = letter("Ltilde")

data = covertype("sec4.covertype").setting(
    "Logistic regression on covertype, without LMC",
    "Training sets of $10^3$, $10^4$ and $10^5$ examples; LMC is left out because of its cost.",
)

covertype_step = covertype("sec4.covertype_step", "the step, against Corollary 3").claim(
    "The step $1/N$ is one that the results admit",
    "With $gamma = 1/N eta$ is 1; Corollary 3 asks for $eta$ at most $1/(2 L~)$, and $L~$ is at least 1,"
    " the prior's.",
    derived=term(1) <= 1 / (2 * largest),
    numbers={largest: "1"},
)

gradient_at_a_point = covertype("sec4.gradient_variance", "on Figure 3").claim(
    "At a given point the variance is $N^2$ times that of a mean",
    "$N$ times a minibatch's mean gradient has $N^2/p$ times the covariance of the examples' gradients,"
    " for SGD, SGLD and, with differences for gradients, SGLDFP alike ($p$ is written $S$).",
    given=(REPLACED,),
    derived=Equal(
        N**2 * Expectation(outer(BatchAverage(g) - Average(g))),
        N**2 / S * Average(outer(g - Average(g))),
    ),
)

gradient_sgld = sixth("sec4.gradient_variance_sgld_sgd", f"{covertype.at}, on Figure 3").claim(
    "Along SGLD and SGD the variance grows as $N^2$",
    "In the invariant laws the variance of the stochastic gradient is $Theta(N^2)$.",
    read=each(gradient_noise, "Theta", N**2, STEPS, "sgld", "sgd"),
)

gradient_fp = sixth("sec4.gradient_variance_fp", f"{covertype.at}, on Figure 3").claim(
    "Along SGLDFP the variance grows as $N$",
    "In the invariant law of SGLDFP the variance of the stochastic gradient is $Theta(N)$.",
    read=each(gradient_noise, "Theta", N, STEPS, "sgldfp"),
)

fig3 = at("fig3", "Figure 3").picture(
    "Variances of stochastic gradients against $N$",
    "The slopes are 2 for SGD and SGLD, and 1 for SGLDFP.",
)

fig4 = at("fig4", "Figure 4, and the text on it").picture(
    "Test likelihoods along the iterations",
    "For large $N$ SGLD and SGD are alike, and not as good as SGLDFP.",
)
