"""Section 3.2: moments of the posterior and of linear regression; sizes of biases and covariances."""

from verification.claims.definition import NotMathematical
from verification.notation import N
from verification.papers.brosse2018.letters import STEPS, eta, p
from verification.papers.brosse2018.section_3_2_hypotheses import (
    GROWING,
    H1,
    H2,
    HALF_MORE_N,
    SEVENTH,
    SIXTH,
    SMALLER_STEPS,
    WITH_NOISE,
    each,
)
from verification.statements import Equal, claim, expanded, growing, letter
from verification.theories.invariants import (
    HESSIAN,
    IDENTITY,
    LINEAR,
    NOISE,
    bias,
    cov,
    off,
    second,
    third,
    undone,
)
from verification.theories.minibatches.drawing import REPLACED

prop5_second = claim(
    "prop5.second",
    at="Proposition 5, first display",
    title="Second moments of the posterior about the mode",
    says="As N grows the posterior's second moments about the mode are the inverse Hessian of U.",
    given=(H1, H2, GROWING),
    printed=expanded(second("pi"), HESSIAN**-1, HALF_MORE_N, growing(N)),
)

prop5_mean = claim(
    "prop5.mean",
    at="Proposition 5, second display",
    title="The posterior's mean about the mode",
    says="The posterior's mean is off the mode by the third derivative on the inverse Hessian.",
    given=(H1, H2, GROWING),
    printed=expanded(off("pi"), -(HESSIAN**-1) * third(HESSIAN**-1) / 2, HALF_MORE_N, growing(N)),
)

REGRESSION = "section 3.2, after Proposition 5, on Bayesian linear regression"

linear_posterior = claim(
    "sec3_2.linear_posterior",
    at=REGRESSION,
    title="The posterior's covariance for linear regression",
    says="For linear regression Proposition 5 is exact: the covariance is the inverse Hessian of U.",
    given=(LINEAR,),
    derived=Equal(second("pi"), HESSIAN**-1),
)

linear_lmc = claim(
    "sec3_2.linear_lmc",
    at=REGRESSION,
    title="LMC's covariance for linear regression",
    says="The covariance can be computed explicitly; Eq. 10 without its remainder.",
    given=(LINEAR,),
    derived=Equal(second("lmc"), undone("H", 2 * IDENTITY)),
)

linear_fp = claim(
    "sec3_2.linear_sgldfp",
    at=REGRESSION,
    title="SGLDFP's covariance for linear regression",
    says="The covariance can be computed explicitly; Eq. 11 without its remainder.",
    given=(LINEAR, REPLACED),
    derived=Equal(second("sgldfp"), undone("G", 2 * IDENTITY)),
)

linear_sgld = claim(
    "sec3_2.linear_sgld",
    at=REGRESSION,
    title="SGLD's covariance for linear regression",
    says="The covariance can be computed explicitly; Eq. 12 without its remainder, at every eta.",
    given=(LINEAR, REPLACED),
    derived=Equal(second("sgld"), undone("G", WITH_NOISE)),
)

linear_sgd = claim(
    "sec3_2.linear_sgd",
    at=REGRESSION,
    title="SGD's covariance for linear regression",
    says="The covariance can be computed explicitly; Eq. 13 without its remainder, at every eta.",
    given=(LINEAR, REPLACED),
    derived=Equal(second("sgd"), eta / p * undone("G", NOISE)),
)

general_case = NotMathematical(
    "sec3_2.general_case",
    at="section 3.2, after Proposition 5",
    title="Only approximate expressions in the general case",
    says="Outside of linear regression only approximate expressions are said to be available.",
    because="opinion",
)

bias_lmc_fp = claim(
    "sec3_2.bias_lmc_fp",
    at="section 3.2, combining Proposition 5 and Theorem 6",
    title="Biases of LMC and SGLDFP are of order 1/N",
    says="At fixed eta the means of both are off the posterior's by Theta(1/N), in size.",
    given=SIXTH,
    read=each(bias, "Theta", 1 / N, STEPS, "lmc", "sgldfp"),
)

covariance_lmc_fp = claim(
    "sec3_2.covariance_lmc_fp",
    at="section 3.2, combining Proposition 5 and Theorem 6",
    title="Covariances of LMC and SGLDFP are of order 1/N",
    says="At fixed eta the covariances of both are Theta(1/N).",
    given=SIXTH,
    read=each(cov, "Theta", 1 / N, STEPS, "lmc", "sgldfp"),
)

bias_constant = claim(
    "sec3_2.bias_sgld_sgd_constant",
    at="section 3.2, on SGD and SGLD as N grows",
    title="Biases of SGLD and SGD do not vanish as N grows",
    says="At fixed eta the means of both are off the posterior's by Theta(1).",
    given=SIXTH,
    read=each(bias, "Theta", 1, STEPS, "sgld", "sgd"),
)

covariance_constant = claim(
    "sec3_2.covariance_sgld_sgd_constant",
    at="section 3.2, on SGD and SGLD as N grows",
    title="Covariances of SGLD and SGD do not vanish as N grows",
    says="At fixed eta the covariances of both are Theta(1), because gradients vary much.",
    given=SIXTH,
    read=each(cov, "Theta", 1, STEPS, "sgld", "sgd"),
)

step, size, slope = letter("eta"), letter("N"), letter("slope", "real")  # the slope of U

eta_is_the_step = claim(
    "sec3_2.eta",
    at="section 3.2, gamma = eta/N",
    title="eta is the step for the normalised potential",
    says="A step gamma = eta/N along the gradient of U is a step eta along that of U/N.",
    read=Equal(step / size * slope, step * (slope / size)),
)

bias_eta = claim(
    "sec3_2.bias_sgld_sgd_eta",
    at="section 3.2, combining Proposition 5 and Theorem 7",
    title="Biases of SGLD and SGD are of order eta",
    says="As eta vanishes, N at least 1/eta, the means of both are off the posterior's by Theta(eta).",
    given=SEVENTH,
    read=each(bias, "Theta", eta, SMALLER_STEPS, "sgld", "sgd"),
)

covariance_eta = claim(
    "sec3_2.covariance_sgld_sgd_eta",
    at="section 3.2, combining Proposition 5 and Theorem 7",
    title="Covariances of SGLD and SGD are of order eta",
    says="As eta vanishes, N at least 1/eta, the covariances of both are Theta(eta).",
    given=SEVENTH,
    read=each(cov, "Theta", eta, SMALLER_STEPS, "sgld", "sgd"),
)
