"""Section 1: the stationary covariance."""

from sgtheory_example.heavy_ball import HEAVY_BALL, keep, rate
from verification.notation import A, C, S, Sigma
from verification.statements import Equal, claim

eq1 = claim(
    "eq1",
    at="Eq. 1",
    title="Stationary covariance of the heavy ball",
    says="The covariance is that of SGD with the step rate/(1 - keep).",
    of=HEAVY_BALL,
    printed=Equal(A * Sigma + Sigma * A, rate / ((1 - keep) * S) * C),
)
