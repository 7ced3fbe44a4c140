"""Introduction: constant SGD on a sum over examples."""

from verification.claims.one_step import OneStep
from verification.notation import eps
from verification.wiener import NOISY_GRADIENT, After, Row, theta

update = OneStep(
    "introduction.update",
    at="Introduction, the update",
    title="A step of SGD",
    says="A step goes against the gradient of a minibatch's estimate of the loss.",
    of="sgd",
    printed=(Row(After(theta), theta - eps * NOISY_GRADIENT),),
)
