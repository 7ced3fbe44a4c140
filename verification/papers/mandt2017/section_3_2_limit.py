"""Section 3.2: the process that constant SGD goes over into."""

from sympy import sqrt

from verification.notation import A, B, S, eps
from verification.papers.mandt2017.hypotheses import A1, A2, USUAL
from verification.statements import InLaw, claim
from verification.terms.stochastic import GRADIENT, Change, Row, dt, dW, theta

eq9 = claim(
    "eq9",
    at="Eq. 9",
    title="SGD as a stochastic differential equation",
    says="In a unit of time a step's gradient is drift, and its minibatch noise is that of a Wiener"
    " process.",
    of="sgd",
    given=(A1, A2),
    printed=InLaw(Row(Change(theta), -eps * GRADIENT * dt + eps / sqrt(S) * B * dW)),
)

eq11 = claim(
    "eq11",
    at="Eq. 11",
    title="SGD as an Ornstein-Uhlenbeck process",
    says="On a quadratic loss the drift is linear, and the process is one of Ornstein and Uhlenbeck.",
    of="sgd",
    given=USUAL,
    printed=InLaw(Row(Change(theta), -eps * A * theta * dt + 1 / sqrt(S) * eps * B * dW)),
)
