"""Section 6.1: the process whose iterates are averaged, with a preconditioner."""

from sympy import sqrt

from verification.notation import A, B, H, S
from verification.papers.mandt2017.hypotheses import GAIN_FOR_STEP, USUAL
from verification.statements import InLaw, claim
from verification.terms.stochastic import Change, Row, dt, dW, theta

_PRINTED = (Row(Change(theta), -H * A * theta * dt + 1 / sqrt(S) * H * B * dW),)

beside = claim(
    "sec6_1.process",
    at="section 6.1, before Eq. 31",
    title="Preconditioned SGD as a process, the gain beside the step",
    says="The stochastic gradients of Eq. 28 are multiplied by a matrix, the learning rate staying.",
    of="sgd",
    given=USUAL,
    printed=InLaw(_PRINTED),
)

instead = claim(
    "sec6_1.process_with_gain_for_step",
    at="section 6.1, before Eq. 31",
    title="Preconditioned SGD as a process, the gain for the step",
    says="The same equation read as in section 4.1: the gain takes the place of the learning rate.",
    of="sgd",
    given=(*USUAL, GAIN_FOR_STEP),
    printed=InLaw(_PRINTED),
)
