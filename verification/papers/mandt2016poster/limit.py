"""Continuous-time limit of SGD revisited: from a noisy step to an Ornstein-Uhlenbeck process."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.claims.base import Printed
from verification.claims.definition import Definition
from verification.notation import A, B, N, S, eps
from verification.papers.mandt2016poster.hypotheses import A1, A2, A3, USUAL
from verification.statements import Equal, InLaw, WeakOrder, claim, growing
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Expectation,
    columns,
    covariance,
    numbers,
    outer,
)
from verification.terms.kinds import LOSS, PARAMETER, Transpose, column, number, square
from verification.terms.stochastic import GRADIENT, Change, Difference, MatrixRoot, Row, W, dt, dW, theta
from verification.theories.minibatches.drawing import NOT_REPLACED

SCALED = sp.sqrt(eps / S) * B  # B_{eps/S}

g, g_k = columns("g"), numbers("g_k")  # of one example, and one coordinate of it
NOISE, NOISES = BatchAverage(g_k) - Average(g_k), N * (BatchAverage(g) - Average(g))
L = sp.Symbol("L", positive=True)
C, B_eps, place = sp.symbols("C B_eps/S theta", commutative=False)
FORCE = LOSS / PARAMETER
KINDS = (
    (L, number(LOSS)),
    (eps, number(PARAMETER**2 / LOSS)),
    (S, number()),
    (A, square(LOSS / PARAMETER**2)),
    (B, square(FORCE)),
    (C, square(FORCE**2)),
    (B_eps, square(sp.sqrt(LOSS))),
    (place, column(PARAMETER)),
)

quadratic = Definition(
    "limit.quadratic",
    at="Continuous-time limit, A4",
    title="The loss is quadratic",
    says="Near its minimum, in coordinates about it, the loss is a form in its Hessian.",
    printed=(Printed(L, Transpose(place) * A * place / 2),),
    declared=KINDS,
)

clt = claim(
    "limit.clt",
    at="Continuous-time limit, comment on A1",
    title="The noise is normal by the central limit theorem",
    says="A coordinate of the noise has the fourth moment of a normal one, as minibatches grow.",
    read=Equal(Expectation(NOISE**4), 3 * Expectation(NOISE**2) ** 2, approached=growing(S)),
)

covariance_over_size = claim(
    "limit.covariance",
    at="Continuous-time limit, comment on A1",
    title="The noise covariance is inversely proportional to S",
    says="For subsets of the data the noise of the summed gradient has covariance C/S, C free of S.",
    given=(NOT_REPLACED,),
    read=Equal(Expectation(outer(NOISES)), N**2 * covariance(g) / S, approached=growing(N)),
)

factor = Definition(
    "limit.factor",
    at="Continuous-time limit, after A2",
    title="Factors of the noise covariance",
    says="The covariance of the noise is split in two factors, and one of them scaled.",
    given=(A2,),
    printed=(Row(C, B * Transpose(B), plainly=True), Row(B_eps, sp.sqrt(eps / S) * B)),
    declared=KINDS,
)

noise = claim(
    "limit.noise",
    at="Continuous-time limit, after A2",
    title="The noise of a step in the scaled factor",
    says="The step times a normal noise of covariance C/S is the root of the step times B_{eps/S} W.",
    given=(A1, A2),
    read=InLaw(Row(eps * MatrixRoot(C / S) * W, sp.sqrt(eps) * SCALED * W, "~")),
)

difference = claim(
    "limit.difference",
    at="Continuous-time limit, the difference equation",
    title="SGD as a difference equation",
    says="A step of SGD goes against the gradient, and by normal noise scaled as step and minibatch.",
    of="sgd",
    given=(A1, A2),
    printed=InLaw(Row(Difference(theta), -eps * GRADIENT + sp.sqrt(eps) * SCALED * W)),
    time="discrete",
)

sde = claim(
    "limit.sde",
    at="Continuous-time limit, after A3",
    title="The stochastic differential equation of SGD",
    says="In a time of which a step takes eps, SGD goes over into a diffusion down the gradient.",
    of="sgd",
    given=(A1, A2, A3),
    printed=InLaw(Row(Change(theta), -GRADIENT * dt + SCALED * dW), lasts=eps),
)

x, xi = sp.symbols("theta xi", real=True)
step, b, size = sp.symbols("eps b S", positive=True)
SLOPE = sp.Function("L")(x).diff(x)
AMPLITUDE = sp.sqrt(step / size) * b

approximates = claim(
    "limit.approximates",
    at="Continuous-time limit, A3 and the last line",
    title="The diffusion approximates SGD, for any loss",
    says="Means over one step of size eps are those of the diffusion up to the square of the step"
    " (in one coordinate, where the noise is b).",
    given=(A1, A2),
    read=WeakOrder(
        Diffusion((x,), (-SLOPE,), ((AMPLITUDE,),)),
        Step((x,), ((x, x - step * SLOPE + sp.sqrt(step) * AMPLITUDE * xi),), (xi,)),
        step,
        1,
    ),
)

ornstein_uhlenbeck = claim(
    "limit.ornstein_uhlenbeck",
    at="Continuous-time limit, after A4",
    title="The Ornstein-Uhlenbeck process of SGD",
    says="On a quadratic loss the diffusion is an Ornstein-Uhlenbeck process.",
    of="sgd",
    given=USUAL,
    printed=InLaw(Row(Change(theta), -A * theta * dt + SCALED * dW), lasts=eps),
)
