"""Analysing scalable MCMC algorithms: stochastic gradient Fisher scoring."""

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.claims.limit_process import LimitProcess
from verification.claims.one_step import OneStep
from verification.notation import A, B, E, H, eps
from verification.papers.mandt2016poster.hypotheses import SINGLE, USUAL
from verification.wiener import NOISY_GRADIENT, After, Change, Row, W, dt, dW, theta

update = OneStep(
    "scalable.update",
    at="Scalable MCMC, the update of Fisher scoring",
    title="A step of stochastic gradient Fisher scoring",
    says="A preconditioned step of SGD with noise of one's own.",
    of="sgfs",
    printed=(Row(After(theta), theta - eps * H * NOISY_GRADIENT + sp.sqrt(eps) * H * E * W),),
)

process = LimitProcess(
    "scalable.process",
    at="Scalable MCMC, the process of Fisher scoring",
    title="The Ornstein-Uhlenbeck process of Fisher scoring",
    says="The noise of the gradient and that of one's own are added, and drive one Wiener process.",
    of="sgfs",
    given=(*USUAL, SINGLE),
    printed=(Row(Change(theta), -H * A * theta * dt + H * (sp.sqrt(eps) * B + E) * dW),),
    lasts=eps,
)

shorter = NotMathematical(
    "scalable.shorter",
    at="Scalable MCMC, last lines",
    title="A shorter derivation, and the bias of a diagonal approximation",
    says="The derivation is called short; the bias of a diagonal approximation is called within reach.",
    because="opinion",
)
