"""Introduction: constant SGD on a sum over examples."""

from verification.notation import N, S, Sigma, eps
from verification.papers.mandt2016poster.hypotheses import A1, A2, A4, CONVEX, FULL_RANK
from verification.statements import Compare, Equal, InLaw, Stable, claim
from verification.terms.batchwords import Expectation, batch_total, numbers, total
from verification.terms.stochastic import NOISY_GRADIENT, After, Row, theta

ell = numbers("ell")  # of one example

estimate = claim(
    "introduction.estimate",
    at="Introduction, the objective and its estimate",
    title="The minibatch estimates the sum",
    says="The sum over a minibatch, times N/S, is right on average for the sum over all examples.",
    derived=Equal(Expectation(N / S * batch_total(ell)), total(ell)),
)

update = claim(
    "introduction.update",
    at="Introduction, the update",
    title="A step of SGD",
    says="A step goes against the gradient of a minibatch's estimate of the loss.",
    of="sgd",
    printed=InLaw(Row(After(theta), theta - eps * NOISY_GRADIENT)),
    time="discrete",
)

converges = claim(
    "introduction.converges",
    at="Introduction, after the update",
    title="Constant SGD converges in distribution",
    says="With a constant step the law of the iterates tends to a stationary one: for normal noise on a"
    " quadratic, exactly where the means settle.",
    of="sgd",
    given=(A1, A2, A4, CONVEX),
    read=Stable(),
    time="discrete",
)

no_point = claim(
    "introduction.no_point",
    at="Introduction, after the update",
    title="Constant SGD does not converge to a point",
    says="In the stationary state the variance is positive in every direction.",
    of="sgd",
    given=(A1, A2, A4, CONVEX, FULL_RANK),
    read=Compare(Sigma, ">", 0),
    kinds=(("B", "positive definite"),),  # C has full rank, and such a root
    time="discrete",
)
