"""Section 3.2: moments of the posterior and of linear regression; sizes of biases and covariances."""

from sympy import Integer

from verification.claims.base import Printed
from verification.claims.definition import NotMathematical
from verification.claims.invariant_moment import Expanded, InvariantMoment
from verification.claims.invariant_size import InvariantSize, sizes
from verification.claims.linear_law import LinearLaw
from verification.invariants.words import D2U, Cubic, GInverse, HInverse, M, eta, mean, p, second
from verification.miner.drawing import REPLACED
from verification.notation import N, identity
from verification.papers.brosse2018.section_3_2_hypotheses import (
    GROWING,
    H1,
    H2,
    HALF_MORE_N,
    SEVENTH,
    SIXTH,
    WITH_NOISE,
)
from verification.statements import Equal, claim, letter

prop5_second = InvariantMoment(
    "prop5.second",
    at="Proposition 5, first display",
    title="Second moments of the posterior about the mode",
    says="As N grows the posterior's second moments about the mode are the inverse Hessian of U.",
    law="posterior",
    what="second",
    given=(H1, H2, GROWING),
    printed=(Expanded(second(""), D2U**-1, remainder=HALF_MORE_N),),
)

prop5_mean = InvariantMoment(
    "prop5.mean",
    at="Proposition 5, second display",
    title="The posterior's mean about the mode",
    says="The posterior's mean is off the mode by the third derivative on the inverse Hessian.",
    law="posterior",
    what="mean",
    given=(H1, H2, GROWING),
    printed=(Expanded(mean(""), -(D2U**-1) * Cubic(D2U**-1) / 2, remainder=HALF_MORE_N),),
)

REGRESSION = "section 3.2, after Proposition 5, on Bayesian linear regression"

linear_posterior = LinearLaw(
    "sec3_2.linear_posterior",
    at=REGRESSION,
    stands="derived",
    title="The posterior's covariance for linear regression",
    says="For linear regression Proposition 5 is exact: the covariance is the inverse Hessian of U.",
    printed=(Printed(second(""), D2U**-1),),
)

linear_lmc = LinearLaw(
    "sec3_2.linear_lmc",
    at=REGRESSION,
    stands="derived",
    title="LMC's covariance for linear regression",
    says="The covariance can be computed explicitly; Eq. 10 without its remainder.",
    of="lmc",
    printed=(Printed(second("LMC"), HInverse(2 * identity)),),
)

linear_fp = LinearLaw(
    "sec3_2.linear_sgldfp",
    at=REGRESSION,
    stands="derived",
    title="SGLDFP's covariance for linear regression",
    says="The covariance can be computed explicitly; Eq. 11 without its remainder.",
    of="sgldfp",
    given=(REPLACED,),
    printed=(Printed(second("FP"), GInverse(2 * identity)),),
)

linear_sgld = LinearLaw(
    "sec3_2.linear_sgld",
    at=REGRESSION,
    stands="derived",
    title="SGLD's covariance for linear regression",
    says="The covariance can be computed explicitly; Eq. 12 without its remainder, at every eta.",
    of="sgld",
    given=(REPLACED,),
    printed=(Printed(second("SGLD"), GInverse(WITH_NOISE)),),
)

linear_sgd = LinearLaw(
    "sec3_2.linear_sgd",
    at=REGRESSION,
    stands="derived",
    title="SGD's covariance for linear regression",
    says="The covariance can be computed explicitly; Eq. 13 without its remainder, at every eta.",
    of="sgd",
    given=(REPLACED,),
    printed=(Printed(second("SGD"), eta / p * GInverse(M)),),
)

general_case = NotMathematical(
    "sec3_2.general_case",
    at="section 3.2, after Proposition 5",
    title="Only approximate expressions in the general case",
    says="Outside of linear regression only approximate expressions are said to be available.",
    because="opinion",
)

bias_lmc_fp = InvariantSize(
    "sec3_2.bias_lmc_fp",
    at="section 3.2, combining Proposition 5 and Theorem 6",
    stands="read",
    title="Biases of LMC and SGLDFP are of order 1/N",
    says="At fixed eta the means of both are off the posterior's by Theta(1/N), in size.",
    given=SIXTH,
    printed=sizes("bias", 1 / N, "lmc", "sgldfp"),
)

covariance_lmc_fp = InvariantSize(
    "sec3_2.covariance_lmc_fp",
    at="section 3.2, combining Proposition 5 and Theorem 6",
    stands="read",
    title="Covariances of LMC and SGLDFP are of order 1/N",
    says="At fixed eta the covariances of both are Theta(1/N).",
    given=SIXTH,
    printed=sizes("covariance", 1 / N, "lmc", "sgldfp"),
)

bias_constant = InvariantSize(
    "sec3_2.bias_sgld_sgd_constant",
    at="section 3.2, on SGD and SGLD as N grows",
    stands="read",
    title="Biases of SGLD and SGD do not vanish as N grows",
    says="At fixed eta the means of both are off the posterior's by Theta(1).",
    given=SIXTH,
    printed=sizes("bias", Integer(1), "sgld", "sgd"),
)

covariance_constant = InvariantSize(
    "sec3_2.covariance_sgld_sgd_constant",
    at="section 3.2, on SGD and SGLD as N grows",
    stands="read",
    title="Covariances of SGLD and SGD do not vanish as N grows",
    says="At fixed eta the covariances of both are Theta(1), because gradients vary much.",
    given=SIXTH,
    printed=sizes("covariance", Integer(1), "sgld", "sgd"),
)

step, size, slope = letter("eta"), letter("N"), letter("slope", "real")  # the slope of U

eta_is_the_step = claim(
    "sec3_2.eta",
    at="section 3.2, gamma = eta/N",
    title="eta is the step for the normalised potential",
    says="A step gamma = eta/N along the gradient of U is a step eta along that of U/N.",
    read=Equal(step / size * slope, step * (slope / size)),
)

bias_eta = InvariantSize(
    "sec3_2.bias_sgld_sgd_eta",
    at="section 3.2, combining Proposition 5 and Theorem 7",
    stands="read",
    title="Biases of SGLD and SGD are of order eta",
    says="As eta vanishes, N at least 1/eta, the means of both are off the posterior's by Theta(eta).",
    given=SEVENTH,
    regime="eta",
    printed=sizes("bias", eta, "sgld", "sgd"),
)

covariance_eta = InvariantSize(
    "sec3_2.covariance_sgld_sgd_eta",
    at="section 3.2, combining Proposition 5 and Theorem 7",
    stands="read",
    title="Covariances of SGLD and SGD are of order eta",
    says="As eta vanishes, N at least 1/eta, the covariances of both are Theta(eta).",
    given=SEVENTH,
    regime="eta",
    printed=sizes("covariance", eta, "sgld", "sgd"),
)
