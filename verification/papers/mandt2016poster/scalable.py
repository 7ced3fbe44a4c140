"""Analysing scalable MCMC algorithms: stochastic gradient Fisher scoring."""

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.notation import EE, A, B, C, E, H, N, Sigma, eps
from verification.papers.mandt2016poster.hypotheses import CONVEX, EXAMPLES, SINGLE, SUMMED, USUAL
from verification.statements import Best, InLaw, claim
from verification.terms.gaussians import Divergence
from verification.terms.stochastic import NOISY_GRADIENT, After, Change, Row, W, dt, dW, theta

q, f = sp.symbols("q f")


update = claim(
    "scalable.update",
    at="Scalable MCMC, the update of Fisher scoring",
    title="A step of stochastic gradient Fisher scoring",
    says="A preconditioned step of SGD with noise of one's own.",
    of="sgfs",
    printed=InLaw(Row(After(theta), theta - eps * H * NOISY_GRADIENT + sp.sqrt(eps) * H * E * W)),
    time="discrete",
)

process = claim(
    "scalable.process",
    at="Scalable MCMC, the process of Fisher scoring",
    title="The Ornstein-Uhlenbeck process of Fisher scoring",
    says="The noise of the gradient and that of one's own are added, and drive one Wiener process.",
    of="sgfs",
    given=(*USUAL, SINGLE),
    printed=InLaw(Row(Change(theta), -H * A * theta * dt + H * (sp.sqrt(eps) * B + E) * dW), lasts=eps),
)

gain = claim(
    "scalable.gain",
    at="Scalable MCMC, the optimal preconditioner",
    title="The best preconditioner of Fisher scoring, for the poster's loss",
    says="With the injected noise given, this gain brings the law closest to the posterior (for a loss"
    " that is a sum over N examples).",
    of="sgfs",
    given=(*USUAL, CONVEX, SUMMED, SINGLE),
    printed=Best(H, 2 / EXAMPLES * (eps * C + EE) ** -1, of=Divergence(Sigma, q, A**-1, f)),
)

gain_of_mean = claim(
    "scalable.gain_of_mean",
    at="Scalable MCMC, the optimal preconditioner, for a mean loss",
    title="The best preconditioner of Fisher scoring, for a mean loss",
    says="The same gain, read for a loss that is the mean over N examples, as in the paper of 2017.",
    of="sgfs",
    given=(*USUAL, CONVEX, SINGLE),
    printed=Best(H, 2 / N * (eps * C + EE) ** -1, of=Divergence(Sigma, q, A**-1 / N, f)),
)

shorter = NotMathematical(
    "scalable.shorter",
    at="Scalable MCMC, last lines",
    title="A shorter derivation, and the bias of a diagonal approximation",
    says="The derivation is called short; the bias of a diagonal approximation is called within reach.",
    because="opinion",
)
