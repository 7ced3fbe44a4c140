"""Introduction: constant SGD on a sum over examples."""

import sympy as sp

from verification.batchwords import Expectation, batch_total, numbers, total
from verification.claims.base import Printed
from verification.claims.estimator import Estimator
from verification.claims.one_step import OneStep
from verification.claims.stable import Settles, Stable
from verification.notation import N, S, eps
from verification.papers.mandt2016poster.hypotheses import A1, A2, A4, CONVEX
from verification.wiener import NOISY_GRADIENT, After, Row, theta

ell = numbers("ell")  # of one example

estimate = Estimator(
    "introduction.estimate",
    at="Introduction, the objective and its estimate",
    title="The minibatch estimates the sum",
    says="The sum over a minibatch, times N/S, is right on average for the sum over all examples.",
    printed=(Printed(Expectation(N / S * batch_total(ell)), total(ell)),),
)

update = OneStep(
    "introduction.update",
    at="Introduction, the update",
    title="A step of SGD",
    says="A step goes against the gradient of a minibatch's estimate of the loss.",
    of="sgd",
    printed=(Row(After(theta), theta - eps * NOISY_GRADIENT),),
)

converges = Stable(
    "introduction.converges",
    at="Introduction, after the update",
    title="Constant SGD converges in distribution",
    says="With a constant step the law of the iterates tends to a stationary one: for normal noise on a"
    " quadratic, exactly where the means settle.",
    of="sgd",
    given=(A1, A2, A4, CONVEX),
    printed=(Settles(theta, sp.Integer(0)),),
    time="discrete",
)
