"""Section 4.1, the remark at its end: estimating the noise covariance while SGD runs (Eq. 21)."""

from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
from verification.notation import N, S
from verification.statements import Equal, Order, claim, growing
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Expectation,
    First,
    Inner,
    Online,
    columns,
    covariance,
    outer,
)

g = columns("g")  # the gradient of one example's loss
DEVIATION = First(g) - BatchAverage(g)
STILL = Assumption("the iterate stays where it is, so that C does not change")

first_is_noisier = claim(
    "sec4_1.first_is_noisier",
    at="section 4.1, remark before Eq. 21",
    title="One example's gradient has S times the variance",
    says="The gradient of a minibatch's first example has a much larger variance: S times that of all.",
    read=Equal(
        Expectation(Inner(First(g) - Average(g), First(g) - Average(g))),
        S * Expectation(Inner(BatchAverage(g) - Average(g), BatchAverage(g) - Average(g))),
    ),
)

large_S_estimate = claim(
    "sec4_1.estimator_for_large_S",
    at="section 4.1, remark before Eq. 21",
    title="An estimator of C from the first example, large S",
    says="For large S the squared deviation of the first gradient from the minibatch's estimates C.",
    read=Order(Expectation(outer(DEVIATION)), "~", covariance(g), growing(S)),
)

eq21 = claim(
    "eq21",
    at="Eq. 21",
    title="The online estimate approaches C",
    says="Averaging the squared deviation over steps, with weights 1/t, approaches C.",
    given=(STILL,),
    read=Equal(Online(outer(DEVIATION)), covariance(g), approached=growing(S)),
)

large_N = claim(
    "eq21.large_N",
    at="section 4.1, after Eq. 21",
    title="The online estimate converges to C for large N",
    says="With weights 1/t the online average converges to C, provided that N is sufficiently large.",
    given=(STILL,),
    read=Order(Online(outer(DEVIATION)), "~", covariance(g), growing(N)),
)

ahn = NotMathematical(
    "sec4_1.ahn_2012",
    at="section 4.1, after Eq. 21",
    title="Ahn et al. (2012) proved the convergence",
    says="That the online average converges is ascribed to Ahn, Korattikara and Welling (2012).",
    because="attribution",
)

works_well = NotMathematical(
    "sec4_1.estimator_works_well",
    at="section 4.1, after Eq. 21",
    title="The online estimator works well in practice",
    says="The online estimate was found to do well in the authors' experiments.",
    because="opinion",
)
