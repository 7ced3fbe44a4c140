"""Section 4.1: preconditioned SGD as a process."""

from sympy import sqrt

from verification.notation import A, B, H, S
from verification.papers.mandt2017.hypotheses import GAIN_FOR_STEP, USUAL
from verification.statements import InLaw, claim
from verification.terms.stochastic import Change, Row, dt, dW, theta

process = claim(
    "thm2.process",
    at="proof of Theorem 2, before Eq. 18",
    title="The process of preconditioned SGD",
    says="With the gain in the place of the learning rate it stands before the drift and before the"
    " noise.",
    of="sgd",
    given=(*USUAL, GAIN_FOR_STEP),
    printed=InLaw(Row(Change(theta), -H * A * theta * dt + 1 / sqrt(S) * H * B * dW)),
)
