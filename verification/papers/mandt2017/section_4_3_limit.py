"""Section 4.3: SGD with momentum as a process, and what becomes of it at mu = 1."""

from sympy import sqrt

from verification.notation import A, B, S, eps, mu
from verification.papers.mandt2017.hypotheses import USUAL
from verification.refuter.parameters import is_one
from verification.statements import InLaw, claim
from verification.terms.stochastic import NOISY_GRADIENT, After, Change, Row, dt, dW, theta, v

OVERDAMPED = is_one("mu")

updates = claim(
    "sec4_3.updates",
    at="section 4.3, before Eq. 23",
    title="The updates of SGD with momentum",
    says="The velocity is damped and kicked first, then the position moves with the new velocity.",
    of="momentum",
    given=USUAL,
    printed=InLaw(
        (Row(After(v), (1 - mu) * v - eps * NOISY_GRADIENT), Row(After(theta), theta + After(v)))
    ),
    time="discrete",
)

mu_one = claim(
    "sec4_3.mu_one_is_sgd",
    at="section 4.3, before Eq. 23",
    title="With mu = 1 the updates are those of SGD",
    says="Without memory of earlier gradients a step of the position is a step of SGD.",
    of="momentum",
    given=(OVERDAMPED,),
    read=InLaw(Row(After(theta), theta - eps * NOISY_GRADIENT)),
    time="discrete",
)

eq23 = claim(
    "eq23",
    at="Eq. 23",
    title="SGD with momentum as a process",
    says="The velocity feels damping, force and minibatch noise, and the position moves with it.",
    of="momentum",
    given=USUAL,
    printed=InLaw(
        (
            Row(Change(v), -mu * v * dt - eps * A * theta * dt + 1 / sqrt(S) * eps * B * dW),
            Row(Change(theta), v * dt),
        )
    ),
)

eq23_mu_one = claim(
    "eq23.mu_one",
    at="section 4.3, Eq. 23 at mu = 1",
    title="With mu = 1 the process is that of SGD",
    says="Eq. 23 is taken to become Eq. 11, the process of SGD, where the damping is one.",
    of="momentum",
    given=(*USUAL, OVERDAMPED),
    read=InLaw(Row(Change(theta), -eps * A * theta * dt + eps / sqrt(S) * B * dW)),
)
