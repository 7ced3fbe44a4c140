"""Section 1: decreasing and constant steps, what gradients cost, where the law lies, what moves it."""

import sympy as sp

from verification.claims.decreasing import Arrives, DecreasingRate
from verification.claims.stable import Settles, Stable
from verification.notation import S, Sigma, eps
from verification.papers.mandt2017.hypotheses import A1, A2, CONVEX, USUAL
from verification.statements import All, Compare, Equal, FreeOf, claim, letter, letters, mean_under
from verification.terms.stochastic import theta

s, n, d = sp.symbols("s n d", positive=True)  # examples, and operations for one of them

decreasing_step = DecreasingRate(
    "sec1.decreasing_step",
    at="section 1, first paragraph",
    stands="read",
    title="A decreasing step reaches the optimum",
    says="Following gradients with a decreasing step size is said to reach the optimum.",
    printed=(Arrives(sp.Symbol("theta"), sp.Symbol("theta^*")),),
)

cheap_gradients = claim(
    "sec1.cheap_gradients",
    at="section 1, first paragraph",
    title="Gradients of a random part of the data are cheaper",
    says="A gradient of S examples takes no more operations than one of all N.",
    given=(Compare(s, "<=", n),),
    read=Compare(s * d, "<=", n * d),
)

centred = Stable(
    "sec1.centred",
    at="section 1, constant SGD as a sampler; section 7.1, on Figure 1",
    stands="read",
    title="The stationary law is centred on the optimum",
    says="The mean of the stationary law is the optimum, here of a quadratic loss.",
    of="sgd",
    given=(*USUAL, CONVEX),
    printed=(Settles(theta, sp.Integer(0)),),
)

x, xi, b, optimum = (letter(name, "real") for name in ("theta", "xi", "b", "o"))
step, a, noise, V = letters("eps a c V")
OFF = x - optimum
SLOPE = a * OFF + b * OFF**2 / 2  # of the loss a x^2/2 + b x^3/6, x from the optimum
NORMAL = -(OFF**2) / (2 * V) - xi**2 / 2

centred_on_any_loss = claim(
    "sec1.centred_on_any_loss",
    at="section 1, constant SGD as a sampler; section 6.1, after Eq. 29",
    title="The law is centred on the optimum of any loss",
    says="A normal law of some variance V about the optimum o keeps its mean under a step, here in one"
    " dimension for a loss with a cubic term.",
    given=(A1, A2),
    states=(x, xi),
    read=Equal(mean_under(NORMAL, x - step * SLOPE + step * noise * xi, x, xi), optimum),
)

rate_and_minibatch = claim(
    "sec1.rate_and_minibatch_matter",
    at="section 1, tunable parameters",
    title="Learning rate and minibatch size shape the law",
    says="The stationary covariance grows with the learning rate as it falls with the minibatch size.",
    of="sgd",
    given=(*USUAL, CONVEX),
    read=All(FreeOf(Sigma / eps, eps), FreeOf(S * Sigma, S)),
)
