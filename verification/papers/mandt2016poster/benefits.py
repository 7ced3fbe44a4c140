"""Benefits of the Ornstein-Uhlenbeck approximation, and SGD as approximate inference."""

from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion, gaussian
from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.notation import A, C, S, Sigma, eps
from verification.papers.mandt2016poster.hypotheses import USUAL
from verification.statements import Equal, FreeOf, Preserves, claim
from verification.terms.gaussians import Divergence, MeanLogDensity
from verification.terms.kinds import number

covariance = claim(
    "benefits.covariance",
    at="Benefits, the stationary distribution",
    title="Stationary covariance of SGD",
    says="The covariance of the stationary law solves a Lyapunov equation (A is symmetric).",
    of="sgd",
    given=USUAL,
    printed=Equal(Sigma * A + A * Sigma, eps / S * C),
)

step, size, a1, a2, b11, b22 = sp.symbols("eps S a_1 a_2 b_11 b_22", positive=True)
b21 = sp.Symbol("b_21", real=True)
x1, x2 = sp.symbols("theta_1 theta_2", real=True)


def _stated(
    state: tuple[Any, ...], curvatures: tuple[Any, ...], B: tuple[tuple[Any, ...], ...]
) -> tuple[Diffusion, Any]:
    """The process along the axes of A, and a density as printed whose Sigma solves the equation."""
    root, noise = sp.sqrt(step / size), sp.Matrix(B)
    C = noise * noise.T
    covariance = sp.Matrix(
        *C.shape, lambda i, j: step / size * C[i, j] / (curvatures[i] + curvatures[j])
    )
    drift = tuple(-a * x for a, x in zip(curvatures, state, strict=True))
    scaled = tuple(tuple(root * b for b in row) for row in B)
    return Diffusion(state, drift, scaled), sp.factor(sp.simplify(gaussian(state, covariance)))


ONE, TWO = _stated((x1,), (a1,), ((b11,),)), _stated((x1, x2), (a1, a2), ((b11, 0), (b21, b22)))

density = claim(
    "benefits.density",
    at="Benefits, the stationary distribution",
    title="The stationary density is normal",
    says="A normal density with the covariance that solves the equation is one that the process keeps"
    " (along the axes of A, in one dimension and in two).",
    given=USUAL,
    read=Preserves((ONE, TWO)),
)

by_step = claim(
    "benefits.by_step",
    at="Benefits, after the stationary distribution",
    title="How the step affects the stationary law",
    says="The covariance is proportional to the step.",
    of="sgd",
    given=USUAL,
    read=FreeOf(Sigma / eps, eps),
)

by_minibatch = claim(
    "benefits.by_minibatch",
    at="Benefits, after the stationary distribution",
    title="How the minibatch affects the stationary law",
    says="The covariance is inversely proportional to the size of the minibatch.",
    of="sgd",
    given=USUAL,
    read=FreeOf(S * Sigma, S),
)

loss, likelihood, prior = sp.symbols("L p(X|theta) p(theta)", positive=True)

objective = Definition(
    "benefits.objective",
    at="Main result, the objective",
    title="The loss as a log posterior",
    says="The loss is minus the sum of all log likelihoods, less the log prior.",
    printed=(Printed(loss, -sp.log(likelihood) - sp.log(prior)),),
    declared=tuple((letter, number()) for letter in (loss, likelihood, prior)),
)

q, f = sp.symbols("q f")
V = sp.Symbol("Sigma_q", commutative=False)  # the covariance of any normal q
kl_definition = claim(
    "benefits.kl_definition",
    at="Main result, the divergence",
    title="The divergence that is to be minimised",
    says="The divergence from q to f is defined as the mean under q of log f less that of log q.",
    printed=Equal(
        Divergence(V, q, A**-1, f), MeanLogDensity(A**-1, f, V, q) - MeanLogDensity(V, q, V, q)
    ),
)

proxy = NotMathematical(
    "benefits.proxy",
    at="Main result, the solution",
    title="The law of SGD as a proxy for the posterior",
    says="With suitable steps and minibatches the law of SGD may stand for the posterior.",
    because="opinion",
)
