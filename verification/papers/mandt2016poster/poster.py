"""The poster: constant SGD on a sum over examples, its limit, its best parameters, Fisher scoring."""

from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion, gaussian
from sgtheory.dynamics.steps import Step
from sgtheory.notation.matrixwords import Determinant
from verification.notation import EE, A, B, C, Diagonal, E, H, N, S, Sigma, eps, trace
from verification.papers.mandt2016poster import hypotheses as known
from verification.relations import Best, Compare, Equal, FreeOf, InLaw, Preserves, Stable, WeakOrder
from verification.statements import Printed, Section, at, growing
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Expectation,
    batch_total,
    columns,
    covariance,
    numbers,
    outer,
    total,
)
from verification.terms.gaussians import Divergence, MeanForm, MeanLogDensity
from verification.terms.kinds import LOSS, PARAMETER, Transpose, column, number, square
from verification.terms.stochastic import (
    GRADIENT,
    NOISY_GRADIENT,
    After,
    Change,
    Difference,
    MatrixRoot,
    Row,
    W,
    dt,
    dW,
    theta,
)
from verification.theories.minibatches.drawing import NOT_REPLACED, REPLACED

ell = numbers("ell")  # of one example

estimate = at("introduction.estimate", "Introduction, the objective and its estimate").claim(
    "The minibatch estimates the sum",
    "The sum over a minibatch, times $N/S$, is right on average for the sum over all examples.",
    derived=Equal(Expectation(N / S * batch_total(ell)), total(ell)),
)

update = at("introduction.update", "Introduction, the update").claim(
    "A step of SGD",
    "A step goes against the gradient of the estimate, which is $N/S$ times the minibatch's sum: so does"
    " the sampler of the entries, with the poster's loss.",
    of="sgd",
    derived=InLaw(Row(After(theta), theta - eps * NOISY_GRADIENT)),
    time="discrete",
)

converges = at("introduction.converges", "Introduction, after the update").claim(
    "Constant SGD converges in distribution",
    "With a constant step the law of the iterates tends to a stationary one: for normal noise on a"
    " quadratic, exactly where the means settle.",
    of="sgd",
    given=(known.A1, known.A2, known.A4, known.CONVEX),
    read=Stable(),
    time="discrete",
    scope="a quadratic loss",
)

no_point = at("introduction.no_point", "Introduction, after the update").claim(
    "Constant SGD does not converge to a point",
    "In the stationary state the variance is positive in every direction.",
    of="sgd",
    given=(known.A1, known.A2, known.A4, known.CONVEX, known.FULL_RANK, known.STABLE),
    read=Compare(Sigma, ">", 0),
    kinds=(("B", "positive definite"),),  # C has full rank, and such a root
    time="discrete",
    scope="a quadratic loss",
)

SCALED = sp.sqrt(eps / S) * B  # B_{eps/S}

g, g_k = columns("g"), numbers("g_k")  # of one example, and one coordinate of it
NOISE, NOISES = BatchAverage(g_k) - Average(g_k), N * (BatchAverage(g) - Average(g))
L = sp.Symbol("L", positive=True)
B_eps, place = sp.symbols("B_eps/S theta", commutative=False)
FORCE = LOSS / PARAMETER
letters = Section(
    kinds={
        L: number(LOSS),
        eps: number(PARAMETER**2 / LOSS),
        S: number(),
        A: square(LOSS / PARAMETER**2),
        B: square(FORCE),
        C: square(FORCE**2),
        B_eps: square(sp.sqrt(LOSS)),
        place: column(PARAMETER),
    }
)

quadratic = letters("limit.quadratic", "Continuous-time limit, A4").definition(
    "The loss is quadratic",
    "Near its minimum, in coordinates about it, the loss is a form in its Hessian.",
    Printed(L, Transpose(place) * A * place / 2),
)

clt = at("limit.clt", "Continuous-time limit, comment on A1").claim(
    "The noise is normal by the central limit theorem",
    "A coordinate of the noise has the fourth moment of a normal one, as minibatches grow that are small"
    " parts of the data: as good as drawn with replacement, which is our simplification of its subsets.",
    given=(REPLACED,),
    read=Equal(Expectation(NOISE**4), 3 * Expectation(NOISE**2) ** 2, approached=growing(S)),
    scope="the fourth moment",
)

covariance_over_size = at("limit.covariance", "Continuous-time limit, comment on A1").claim(
    "The noise covariance is inversely proportional to $S$",
    "For subsets that are small parts of the data, which is read as a limit in $N$, the noise of the"
    " summed gradient has covariance $C/S$, $C$ free of $S$.",
    given=(NOT_REPLACED,),
    read=Equal(Expectation(outer(NOISES)), N**2 * covariance(g) / S, approached=growing(N)),
)

factor = letters("limit.factor", "Continuous-time limit, after A2").definition(
    "Factors of the noise covariance",
    "The covariance of the noise is split in two factors, and one of them scaled.",
    Row(C, B * Transpose(B), plainly=True),
    Row(B_eps, sp.sqrt(eps / S) * B),
    given=(known.A2,),
)

noise = at("limit.noise", "Continuous-time limit, after A2").claim(
    "The noise of a step in the scaled factor",
    "The step times a normal noise of covariance $C/S$ is the root of the step times $B_(eps/S) W$.",
    given=(known.A1, known.A2),
    read=InLaw(Row(eps * MatrixRoot(C / S) * W, sp.sqrt(eps) * SCALED * W, "~")),
)

difference = at("limit.difference", "Continuous-time limit, the difference equation").claim(
    "SGD as a difference equation",
    "A step of SGD goes against the gradient, with normal noise that step and minibatch scale.",
    of="sgd",
    given=(known.A1, known.A2),
    printed=InLaw(Row(Difference(theta), -eps * GRADIENT + sp.sqrt(eps) * SCALED * W)),
    time="discrete",
)

sde = at("limit.sde", "Continuous-time limit, after A3").claim(
    "The stochastic differential equation of SGD",
    "In a time of which a step takes $eps$, SGD goes over into a diffusion down the gradient.",
    of="sgd",
    given=(known.A1, known.A2, known.A3),
    printed=InLaw(Row(Change(theta), -GRADIENT * dt + SCALED * dW), lasts=eps),
)

x, xi = sp.symbols("theta xi", real=True)
step, b, size = sp.symbols("eps b S", positive=True)
SLOPE = sp.Function("ell")(x).diff(x)  # L is the generator
AMPLITUDE = sp.sqrt(step / size) * b

approximates = at("limit.approximates", "Continuous-time limit, A3 and the last line").claim(
    "The diffusion approximates SGD, whatever the loss, in one coordinate",
    "Means over one step of size $eps$ are those of the diffusion up to the square of the step. That"
    " needs no noise, as its share in one step is of that order; but the first error below has no $b$:"
    " of that order the noise of both agrees, and would for no other $b$.",
    given=(known.A1, known.A2),
    read=WeakOrder(
        Diffusion((x,), (-SLOPE,), ((AMPLITUDE,),)),
        Step((x,), ((x, x - step * SLOPE + sp.sqrt(step) * AMPLITUDE * xi),), (xi,)),
        step,
        1,
    ),
    scope="one step, one coordinate, a smooth loss",
)

sgd = Section(of="sgd", given=known.USUAL)
settled = Section(of="sgd", given=(*known.USUAL, known.CONVEX))

ornstein_uhlenbeck = sgd("limit.ornstein_uhlenbeck", "Continuous-time limit, after A4").claim(
    "The Ornstein-Uhlenbeck process of SGD",
    "On a quadratic loss the diffusion is an Ornstein-Uhlenbeck process.",
    printed=InLaw(Row(Change(theta), -A * theta * dt + SCALED * dW), lasts=eps),
)

benefits_covariance = settled("benefits.covariance", "Benefits, the stationary distribution").claim(
    "Stationary covariance of SGD",
    "The covariance of the stationary law solves a Lyapunov equation ($A$ is symmetric).",
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
    benefits_covariance = sp.Matrix(
        *C.shape, lambda i, j: step / size * C[i, j] / (curvatures[i] + curvatures[j])
    )
    drift = tuple(-a * x for a, x in zip(curvatures, state, strict=True))
    scaled = tuple(tuple(root * b for b in row) for row in B)
    return Diffusion(state, drift, scaled), sp.factor(sp.simplify(gaussian(state, benefits_covariance)))


ONE, TWO = _stated((x1,), (a1,), ((b11,),)), _stated((x1, x2), (a1, a2), ((b11, 0), (b21, b22)))

density = at("benefits.density", "Benefits, the stationary distribution").claim(
    "The stationary density is normal",
    "A normal density with the covariance that solves the equation is one that the process keeps"
    " (along the axes of $A$, in one dimension and in two).",
    given=(*known.USUAL, known.CONVEX, known.FULL_RANK),
    read=Preserves((ONE, TWO)),
    scope="one and two dimensions",
)

by_step = settled("benefits.by_step", "Benefits, after the stationary distribution").claim(
    "How the step affects the stationary law",
    "The covariance is proportional to the step.",
    read=FreeOf(Sigma / eps, eps),
)

by_minibatch = settled("benefits.by_minibatch", "Benefits, after the stationary distribution").claim(
    "How the minibatch affects the stationary law",
    "The covariance is inversely proportional to the size of the minibatch.",
    read=FreeOf(S * Sigma, S),
)

loss, likelihood, prior, each = sp.symbols("L p(x_n|theta) p(theta) n", positive=True)

objective = at("benefits.objective", "Main result, the objective").definition(
    "The loss as a log posterior",
    "The loss is minus the sum of all log likelihoods, less the log prior.",
    Printed(loss, -sp.Sum(sp.log(likelihood), (each, 1, N)) - sp.log(prior)),
    kinds={letter: number() for letter in (loss, likelihood, prior, each, N)},
)

q, f = sp.symbols("q f")
V = sp.Symbol("Sigma_q", commutative=False)  # the covariance of any normal q
kl_definition = at("benefits.kl_definition", "Main result, the divergence").claim(
    "The divergence that is to be minimised",
    "The divergence from $q$ to $f$ is defined as the mean under $q$ of log $f$ less that of log $q$.",
    printed=Equal(
        Divergence(V, q, A**-1, f), MeanLogDensity(A**-1, f, V, q) - MeanLogDensity(V, q, V, q)
    ),
)

proxy = at("benefits.proxy", "Main result, the solution").opinion(
    "The law of SGD as a proxy for the posterior",
    "With suitable steps and minibatches the law of SGD may stand for the posterior.",
)
KL = Divergence(Sigma, q, A**-1, f)

posterior = at(
    "optimal.posterior", "Main result, the posterior; variational optimal parameters, first line"
).claim(
    "The posterior of a quadratic loss",
    "Where the loss is a form in $A$, the exponential of minus it is a density of covariance $A^(-1)$:"
    " means of both under any normal law differ by one constant.",
    read=Equal(MeanLogDensity(A**-1, f, V, q), -MeanForm(A, V, q) / 2, constant_in=(V,)),
)

kl = at("optimal.kl", "Variational optimal parameters, the divergence of normal laws").claim(
    "The divergence of two normal laws",
    "The divergence is half of a trace less two log determinants and one half (log $A$ read as that"
    " of the determinant).",
    printed=Equal(
        Divergence(V, q, A**-1, f),
        (trace(A * V) - sp.log(Determinant(A)) - sp.log(Determinant(V)) - sp.Rational(1, 2)) / 2,
    ),
)

kl_step = settled("optimal.kl_step", "Variational optimal parameters, the divergence of SGD").claim(
    "The divergence as a function of the step",
    "Up to a constant the divergence of SGD (this side of the line is not legible) is a trace that grows"
    " with the step, less a logarithm.",
    read=Equal(KL, eps / (2 * S) * trace(C) - sp.log(eps / S), constant_in=(eps, S)),
    given=(known.FULL_RANK,),
)

best_step = settled("optimal.step", "Variational optimal parameters, after the divergence").claim(
    "The best learning rate",
    "Among learning rates this one brings the law of SGD closest to the posterior.",
    printed=Best(eps, 2 * S / trace(C), of=KL),
    kinds=(("B", "positive definite"),),
    given=(known.FULL_RANK, known.SUMMED),
)

preconditioned = sgd(
    "optimal.preconditioned", "Variational optimal parameters, the preconditioned process"
).claim(
    "The preconditioned Ornstein-Uhlenbeck process",
    "A preconditioner stands before the drift and before the noise.",
    printed=InLaw(Row(Change(theta), -H * A * theta * dt + H * (sp.sqrt(eps / S) * B) * dW), lasts=eps),
)

kl_gain = settled(
    "optimal.kl_gain", "Variational optimal parameters, the divergence with a preconditioner"
).claim(
    "The divergence with a preconditioner",
    "The divergence is a sum of a trace, a log determinant of the preconditioner and more: printed to be"
    " equal, read up to what does not depend on step, minibatch and preconditioner.",
    printed=Equal(
        KL,
        eps / (2 * S) * trace(C * H)
        + sp.log(Determinant(H))
        + sp.log(eps / S) / 2
        - sp.log(Determinant(Sigma)),
        constant_in=(eps, S, H),
    ),
    given=(known.FULL_RANK,),
)

diagonal = settled(
    "optimal.diagonal", "Variational optimal parameters, the diagonal preconditioner"
).claim(
    "The best diagonal preconditioner",
    "Up to a factor, in which the step is, the best diagonal preconditioner is the inverse of the"
    " noise's diagonal.",
    printed=Best(H, Diagonal(C) ** -1 / 2, of=KL, among="diagonal", up_to_factor=True),
    sets=((eps, 1),),
    kinds=(("B", "positive definite"),),
    given=(known.FULL_RANK, known.SUMMED),
)

adagrad = at("optimal.adagrad", "Variational optimal parameters, last line").attribution(
    "Relation to AdaGrad",
    "The diagonal preconditioner is likened to AdaGrad's, which has square roots in it.",
)

figures = at("experiments.figures", "Experiments on real-world data").picture(
    "Figures of iterates and of learning curves",
    "Pictures of the laws of SGD with several steps and preconditioners.",
)

scalable_update = at("scalable.update", "Scalable MCMC, the update of Fisher scoring").claim(
    "A step of stochastic gradient Fisher scoring",
    "A preconditioned step of SGD with noise of one's own: the sampler of these entries takes it.",
    of="sgfs",
    derived=InLaw(Row(After(theta), theta - eps * H * NOISY_GRADIENT + sp.sqrt(eps) * H * E * W)),
    time="discrete",
)

process = at("scalable.process", "Scalable MCMC, the process of Fisher scoring").claim(
    "The Ornstein-Uhlenbeck process of Fisher scoring",
    "The noise of the gradient and one's own are added, and driven by one Wiener process; $B$ and $E$"
    " are any factors of their covariances, and the poster's $B_(eps)$ is read as $sqrt(eps) B$.",
    of="sgfs",
    given=(*known.USUAL, known.SINGLE),
    printed=InLaw(Row(Change(theta), -H * A * theta * dt + H * (sp.sqrt(eps) * B + E) * dW), lasts=eps),
)

gain = at("scalable.gain", "Scalable MCMC, the optimal preconditioner").claim(
    "The best preconditioner of Fisher scoring, for the poster's loss",
    "With the injected noise given, this gain brings the law closest to the posterior, for a loss that"
    " is a sum over the examples, of which there are $N_(data)$.",
    of="sgfs",
    given=(*known.USUAL, known.CONVEX, known.INVERTIBLE, known.SUMMED, known.SINGLE),
    printed=Best(H, 2 / known.EXAMPLES * (eps * C + EE) ** -1, of=Divergence(Sigma, q, A**-1, f)),
)

of_mean = at(
    "scalable.gain_of_mean", "Scalable MCMC, the optimal preconditioner, for a mean loss"
).claim(
    "The best preconditioner of Fisher scoring, for a mean loss",
    "The same gain, read for a loss that is the mean over $N$ examples, as in the paper of 2017.",
    of="sgfs",
    given=(*known.USUAL, known.CONVEX, known.INVERTIBLE, known.SINGLE),
    read=Best(H, 2 / N * (eps * C + EE) ** -1, of=Divergence(Sigma, q, A**-1 / N, f)),
)

shorter = at("scalable.shorter", "Scalable MCMC, last lines").opinion(
    "A shorter derivation, and the bias of a diagonal approximation",
    "The derivation is called short; the bias of a diagonal approximation is called within reach.",
)

criteria = at("conclusion.criteria", "Conclusion").opinion(
    "SGD as approximate Bayesian inference",
    "Constant SGD samples approximately, and small divergences are criteria for its parameters.",
)
