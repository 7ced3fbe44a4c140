"""Section 4, simulated data: the model, its hypotheses, the step, and what averages of a run show."""

from sympy import Integer, symbols

from verification.claims.definition import NotMathematical
from verification.notation import N
from verification.papers.brosse2018.letters import STEPS
from verification.papers.brosse2018.section_3_2_hypotheses import SIXTH, each
from verification.statements import All, Compare, Equal, Order, claim, exp, letter, letters, vanishing
from verification.theories.invariants import run_off, spread

margin = letter("s", "real")  # x^T theta
size, eigenvalue, largest = letters("N delta Ltilde")
q, x, L, delta = symbols("q x L delta", positive=True)  # q: the chance of y = 1
CURVATURE = q * (1 - q)  # the second derivative of the loss, over x^2
PROBABILITY = (Compare(q, "<=", Integer(1)),)
AT = "section 4, simulated data"

covariates = NotMathematical(
    "sec4.covariates",
    at=AT,
    title="Normal covariates in two dimensions",
    says="There are 10^5 standard normal covariates, and ten sizes N between 100 and 10^5.",
    because="attribution",
)

likelihood = claim(
    "sec4.likelihood",
    at=f"{AT}, the likelihood",
    title="The two probabilities add up to one",
    says="The likelihoods of y = 1 and of y = 0 that the printed formula gives add up to one.",
    read=Equal(
        (1 + exp(-margin)) ** -1 * (1 + exp(margin)) ** 0
        + (1 + exp(-margin)) ** 0 * (1 + exp(margin)) ** -1,
        1,
    ),
)

H1_second = claim(
    "sec4.h1_second",
    at=f"{AT}, H1",
    title="Second derivatives are bounded",
    says="Along a covariate x an example's second derivative is at most x^2/4; with q the chance of"
    " y = 1 it is x^2 q (1 - q).",
    given=(*PROBABILITY,),
    read=Compare(x**2 * CURVATURE, "<=", x**2 / 4),
)

H1_third = claim(
    "sec4.h1_third",
    at=f"{AT}, H1",
    title="Third derivatives are bounded",
    says="Along a covariate x an example's third derivative is at most x^3/8, in size.",
    given=(*PROBABILITY,),
    read=Compare(x**3 * CURVATURE * (1 - 2 * q), "<=", x**3 / 8),
)

H1_fourth = claim(
    "sec4.h1_fourth",
    at=f"{AT}, H1",
    title="Fourth derivatives are bounded",
    says="Along a covariate x an example's fourth derivative is at least -x^4/8.",
    given=(*PROBABILITY,),
    read=Compare(-(x**4) * CURVATURE * (1 - 6 * q + 6 * q**2), "<=", x**4 / 8),
)

H1_for_all = claim(
    "sec4.h1_for_all_N",
    at=f"{AT}, H1",
    title="One bound for all examples, however many",
    says="Constants of the results are for a bound L~ that does not depend on N; normal covariates are"
    " as large as one likes, and an example's second derivative at theta = 0 is x^2/4.",
    read=Compare(x**2 / 4, "<=", L),
)

H3_convex = claim(
    "sec4.h3",
    at=f"{AT}, H3",
    title="Every example's loss is convex",
    says="Second derivatives are nowhere negative.",
    given=(*PROBABILITY,),
    read=Compare(Integer(0), "<=", x**2 * CURVATURE),
)

H2_convex = claim(
    "sec4.h2",
    at=f"{AT}, H2 on a compact state space",
    title="U is strongly convex",
    says="H2 is said to hold where the state space is compact; the normal prior gives m = 1 anywhere.",
    given=(*PROBABILITY,),
    read=Compare(Integer(1), "<=", 1 + delta * CURVATURE),
)

H2_growing = claim(
    "sec4.m_over_N",
    at=f"{AT}, with the results of Section 3.2 that it illustrates",
    title="Curvature per example stays away from zero",
    says="Section 3.2 asks that m/N stays away from zero; far out, the chance q small, the curvature of"
    " an example has to stay away from zero for that, on a state space that is not compact.",
    derived=Order(x**2 * CURVATURE, "Theta", Integer(1), vanishing(q)),
)

step = claim(
    "sec4.step",
    at=f"{AT}, the step",
    title="The step is 1/L for the smallest L",
    says="With gamma = 1/(1 + delta/4), delta the largest eigenvalue of X^T X, gamma times the largest"
    " curvature of U is at most 1.",
    given=(*PROBABILITY,),
    read=Compare((1 + delta * CURVATURE) / (1 + delta / 4), "<=", Integer(1)),
)

step_admitted = claim(
    "sec4.step_admitted",
    at=f"{AT}, the step, against Lemma 1 and Corollary 3",
    title="The step is one that the results admit",
    says="The results ask for gamma < 2/L, L = (N + 1) L~, and for gamma N at most 1/(2 L~); L~ is at"
    " least 1, the prior's, and for normal covariates delta is N up to its root.",
    derived=All(
        1 / (1 + eigenvalue / 4) < 2 / ((size + 1) * largest),
        size / (1 + eigenvalue / 4) <= 1 / (2 * largest),
    ),
    numbers={size: "100000", eigenvalue: "100000", largest: "1"},
)

iterations = claim(
    "sec4.iterations",
    at=f"{AT}, n = 1/gamma iterations",
    title="Ten percent of a run is a burn-in",
    says="At N = 100, delta about N, a run has 1/gamma = 1 + delta/4 iterations, a tenth of which is"
    " discarded: at least one.",
    derived=(1 + eigenvalue / 4) / 10 >= 1,
    numbers={eigenvalue: "100"},
)

mode_estimate = NotMathematical(
    "sec4.mode_estimate",
    at=AT,
    title="How the mode is estimated",
    says="The mode is estimated by SGD and BFGS, and runs start there.",
    because="attribution",
)

slope_of_averages = claim(
    "sec4.slope_lmc_fp",
    at=f"{AT}, on Figure 1",
    title="Averages of LMC and SGLDFP approach the mode as 1/N",
    says="The distance of the average of a run of 1/gamma steps from the mode falls with slope -1.",
    given=SIXTH,
    read=each(run_off, "Theta", 1 / N**2, STEPS, "lmc", "sgldfp"),
)

slope_shows_means = claim(
    "sec4.slope_shows_means",
    at=f"{AT}, on Figure 1",
    title="The slope is that of the means, not of chance",
    says="For the slope to confirm the rate of means, the spread of a run's average has to be of smaller"
    " order than the means' distance from the mode, 1/N.",
    given=SIXTH,
    derived=each(spread, "o", 1 / N**2, STEPS, "lmc", "sgldfp"),
)

constant_averages = claim(
    "sec4.constant_sgld_sgd",
    at=f"{AT}, on Figure 1",
    title="Averages of SGLD and SGD stay away from the mode",
    says="The distance of the average of a run from the mode tends to a constant.",
    given=SIXTH,
    read=each(run_off, "Theta", 1, STEPS, "sgld", "sgd"),
)

empirical_covariance = claim(
    "sec4.empirical_covariance",
    at=f"{AT}, the empirical covariances",
    title="Empirical covariances estimate covariances",
    says="On average the empirical covariance of a run is less than the covariance by about the variance"
    " of the run's average, which has to be of smaller order than the covariance itself.",
    given=SIXTH,
    derived=All(
        each(spread, "o", 1 / N, STEPS, "lmc", "sgldfp"),
        each(spread, "o", 1, STEPS, "sgld", "sgd"),
    ),
)

fig1 = NotMathematical(
    "fig1",
    at="Figure 1",
    title="Distance of averages from the mode against N",
    says="For LMC and SGLDFP it falls along lines of slope -1, for SGLD and SGD it hardly changes.",
    because="picture",
)

fig2 = NotMathematical(
    "fig2",
    at="Figure 2",
    title="Traces of covariances against N",
    says="For LMC and SGLDFP they fall along lines of slope -1, for SGLD and SGD they hardly change.",
    because="picture",
)
