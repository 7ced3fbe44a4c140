"""Section 3.2: Assumptions 1 to 4, and the stationary law of constant SGD as a process."""

import sympy as sp
from sympy import sqrt

from sgtheory.dynamics.diffusion import Diffusion
from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE
from verification.notation import A, B, C, D, N, S, Sigma, eps, identity
from verification.papers.mandt2016poster.poster import ONE, TWO
from verification.papers.mandt2017.hypotheses import A1, A2, A3, A4, CONVEX, FULL_RANK, USUAL, sgd
from verification.relations import All, Compare, Equal, FreeOf, InLaw, Order, Preserves, growing
from verification.statements import Assumption, Printed, Section, at, letter, vanishing
from verification.terms.batchwords import (
    At,
    Average,
    BatchAverage,
    Degree,
    Expectation,
    First,
    FixedColumn,
    FixedSquare,
    Gradient,
    Hessian,
    Inner,
    columns,
    covariance,
    numbers,
    outer,
    theta,
)
from verification.terms.kinds import LOSS, PARAMETER, Transpose, column, number, square
from verification.terms.stochastic import GRADIENT, Change, Row, dt, dW
from verification.terms.stochastic import theta as place
from verification.theories.matrices.words import elsewhere, rank
from verification.theories.minibatches.drawing import NOT_REPLACED, REPLACED

g = columns("g")  # the gradient of one example's loss
g_along = numbers("g")  # its component along some direction
NOISE = BatchAverage(g) - Average(g)
ALONG = BatchAverage(g_along) - Average(g_along)

independent = at("sec3_2.independent_draws", "Assumption 1, against section 3.1").claim(
    "The contributions of a minibatch are independent",
    "A stochastic gradient has $S$ independent contributions: the first says nothing of the others.",
    read=Equal(Expectation((First(g) - Average(g)) * Transpose(S * BatchAverage(g) - First(g))), 0),
    scope="second moments",
)

replaced = Section(given=(REPLACED,))

eq6 = replaced("eq6", "Assumption 1, Eq. 6, minibatches of independent draws").claim(
    "Mean and covariance of the gradient's noise",
    "The noise has mean zero and one $S$-th of the covariance $C$ of one example's gradient.",
    read=All(Equal(Expectation(NOISE), 0), Equal(Expectation(outer(NOISE)), covariance(g) / S)),
)

eq6_as_a_set = at(
    "eq6.drawn_as_a_set", "Assumption 1, Eq. 6, minibatches that are sets, as in section 3.1"
).claim(
    "Covariance of the noise of a minibatch that is a set",
    "The noise of a set of $S$ different examples has the covariance $C/S$.",
    given=(NOT_REPLACED,),
    read=Equal(Expectation(outer(NOISE)), covariance(g) / S, approached=growing(N)),
)

skewness = replaced("sec3_2.normal_third_moment", "Assumption 1").claim(
    "The noise has the third moment of a normal law",
    "By the central limit theorem the noise is normal: along a direction its third moment is zero.",
    read=Equal(
        Expectation(ALONG**3), 0, approached=growing(S), scale=Expectation(ALONG**2) ** sp.Rational(3, 2)
    ),
)

kurtosis = replaced("sec3_2.normal_fourth_moment", "Assumption 1").claim(
    "The noise has the fourth moment of a normal law",
    "By the central limit theorem its fourth moment is three times the square of its variance.",
    read=Equal(Expectation(ALONG**4), 3 * Expectation(ALONG**2) ** 2, approached=growing(S)),
)

x, y = columns("x"), numbers("y")
RESIDUAL_GRADIENT = x * (Inner(x, theta) - y)

constant_noise = at("sec3_2.constant_noise", "Assumption 2, taken exactly for linear regression").claim(
    "The noise covariance does not depend on $theta$",
    "The covariance of the gradients is constant in $theta$, here for least squares and exactly.",
    read=Compare(Degree(covariance(RESIDUAL_GRADIENT)), "<=", sp.Integer(0)),
)

eq7 = at("eq7", "Assumption 2, Eq. 7").definition(
    "A factor of the noise covariance",
    "The noise covariance, taken as constant in $theta$, is $B$ times its transpose.",
    Printed(C, B * Transpose(B)),
    kinds={C: square((LOSS / PARAMETER) ** 2), B: square(LOSS / PARAMETER)},
)

semidefinite = at("sec3_2.semidefinite", "Assumption 2").claim(
    "The noise covariance is positive semidefinite",
    "The noise covariance, which is to have a factor $B$, is nowhere negative.",
    read=Compare(C, ">=", 0),
)

t = sp.Symbol("t", positive=True)
r, sigma = sp.symbols("r sigma", positive=True)

# the gradient x (x t - e) of least squares: x normal of variance r, e of variance sigma^2
small_region = at("sec3_2.small_region", "after Assumption 2").claim(
    "In a small region the noise covariance is constant",
    "As the distance $t$ to the optimum vanishes the noise covariance becomes that at the optimum, here"
    " of least squares, with a normal covariate of variance $r$ and residuals of variance $sigma^2$.",
    read=Order(sigma**2 * r + 2 * r**2 * t**2, "~", sigma**2 * r, vanishing(t)),
    scope="least squares, one normal covariate",
)

eq8 = replaced("eq8", "Eq. 8, minibatches of independent draws").claim(
    "Mean and covariance of one step of SGD",
    "Its mean is minus $eps g$, its covariance that of $eps B/sqrt(S)$ times a standard normal vector;"
    " that it is normal is Assumption 1.",
    read=All(
        Equal(Expectation(-eps * BatchAverage(g)), -eps * Average(g)),
        Equal(Expectation(outer(-eps * BatchAverage(g) + eps * Average(g))), eps**2 / S * covariance(g)),
    ),
)

quadratic = Section(of="sgd", given=(A2, A4))

small_rates = quadratic("sec3_2.small_rates", "Assumption 3").claim(
    "Small learning rates make the discretisation error negligible",
    "As the learning rate vanishes the covariance of SGD becomes that of its continuous limit.",
    read=Order(SIGMA_DISCRETE, "~", SIGMA_CONTINUOUS, vanishing(eps)),
)

small_gradients = quadratic(
    "sec3_2.small_gradients", "Assumption 3, gradients small because the chain stays near the optimum"
).claim(
    "Small gradients make the discretisation error negligible, the noise being small",
    "Gradients being small because minibatches grow, the ratio of the two covariances tends to one."
    " (Their difference vanishes; where it is $A$ that is small the ratio tends to one.)",
    derived=Order(SIGMA_DISCRETE, "~", SIGMA_CONTINUOUS, growing(S)),
)

eq9 = at("eq9", "Eq. 9").claim(
    "SGD as a stochastic differential equation",
    "In a unit of time a step's gradient is drift, and its minibatch noise is that of a Wiener process:"
    " the replacement that Assumption 3 makes.",
    of="sgd",
    given=(A1, A2, A3),
    printed=InLaw(Row(Change(place), -eps * GRADIENT * dt + eps / sqrt(S) * B * dW)),
)

eq11 = at("eq11", "Eq. 11").claim(
    "SGD as an Ornstein-Uhlenbeck process",
    "On a quadratic loss the drift is linear, and the process is one of Ornstein and Uhlenbeck.",
    of="sgd",
    given=USUAL,
    printed=InLaw(Row(Change(place), -eps * A * place * dt + 1 / sqrt(S) * eps * B * dW)),
)

c = letter("c")  # a number that multiplies A
CURVATURE = FixedSquare("A", commutative=False)
optimum = FixedColumn("optimum", commutative=False)
QUADRATIC = Inner(theta, CURVATURE * theta) / 2

eq10 = at("eq10", "Assumption 4, Eq. 10").claim(
    "Gradient of the quadratic loss",
    "With $A$ symmetric, the gradient of half $theta A theta$ is $A theta$, the drift of Eq. 11.",
    derived=Equal(Gradient(QUADRATIC), CURVATURE * theta),
)

hessian = at("sec3_2.hessian", "Assumption 4, after Eq. 10").claim(
    "$A$ is the Hessian at the optimum",
    "The symmetric matrix $A$ of Eq. 10 is the Hessian of the loss.",
    read=Equal(Hessian(QUADRATIC), CURVATURE),
)

minimum_at_zero = at("sec3_2.minimum_at_zero", "Assumption 4, after Eq. 10").claim(
    "The minimum may be taken to be at 0",
    "A quadratic loss about any optimum is that of Eq. 10 in coordinates that start there.",
    read=Equal(
        At(Inner(theta - optimum, CURVATURE * (theta - optimum)) / 2, theta + optimum), QUADRATIC
    ),
)

kramers = at("sec3_2.exit_times", "section 3.2, after Eq. 10").theorem(
    "Exit times are exponential in the height of barriers",
    "That minima are left after times exponential in the barriers' height is ascribed to Kramers.",
)

q = sp.Symbol("q(theta)")
position, spread = sp.symbols("theta Sigma", commutative=False)

eq12 = at("eq12", "Eq. 12").definition(
    "The letter Sigma in the stationary density",
    "The density (see sec3_2.gaussian) is the exponential of minus half a form of Sigma's inverse.",
    Printed(q, sp.exp(-Transpose(position) * spread**-1 * position / 2), "propto"),
    kinds={q: number(), position: column(PARAMETER), spread: square(PARAMETER**2)},
)

eq13 = sgd("eq13", "Eq. 13").claim(
    "Stationary covariance of constant SGD",
    "The covariance of the stationary law of constant SGD solves a Lyapunov equation.",
    printed=Equal(Sigma * A + A * Sigma, eps / S * C),
)

proportional_to_eps = sgd("sec3_2.proportional_to_eps", "section 3.2, after Eq. 13").claim(
    "$Sigma$ is proportional to the learning rate",
    "The stationary covariance is proportional to the learning rate.",
    read=FreeOf(Sigma / eps, eps),
)

inverse_to_A = sgd("sec3_2.inverse_to_A", "section 3.2, after Eq. 13").claim(
    "$Sigma$ is inversely proportional to the magnitude of $A$",
    "With $A$ multiplied by a number the stationary covariance is divided by it.",
    read=Equal(c * elsewhere(Sigma, (A, c * A)), Sigma),
)

inverse_to_S = sgd("sec3_2.inverse_to_S", "section 3.2, after Eq. 13").claim(
    "$Sigma$ is inversely proportional to the minibatch size",
    "The stationary covariance is inversely proportional to the size of minibatches.",
    read=FreeOf(S * Sigma, S),
)

phases = at("sec3_2.three_phases", "section 3.2, discussion of Assumptions 1-4").opinion(
    "SGD has three phases",
    "SGD is said to search, then to approach an optimum, and then to sample around it.",
)

deficient = sgd("sec3_2.rank", "section 3.2, last paragraph").claim(
    "Deficient noise gives a deficient covariance",
    "Where the noise covariance has not full rank, neither has the stationary covariance.",
    read=Compare(rank(Sigma), "<", D),
    given=(Compare(rank(C), "<", D),),
)

isotropic_noise = at("sec3_2.isotropic_noise", "section 3.2, last paragraph").claim(
    "A little isotropic noise enforces full rank",
    "With isotropic noise added to each example's gradient, however small, the noise covariance has full"
    " rank: is definite.",
    given=(Assumption("the added noise is normal, with covariance $delta I$, $delta > 0$"),),
    read=Compare(C + letter("delta") * identity, ">", 0),
)


def _by_step(process: Diffusion) -> Diffusion:
    """The same process where a unit of time is a step."""
    step = sp.Symbol("eps", positive=True)
    drift = tuple(step * d for d in process.drift)
    return Diffusion(
        process.state, drift, tuple(tuple(sp.sqrt(step) * b for b in row) for row in process.noise)
    )


gaussian = at("sec3_2.gaussian", "section 3.2, after Eq. 11, and Eqs. 12 and 13").claim(
    "The process has a normal stationary density",
    "The normal density whose covariance solves Eq. 13 is one that the process of Eq. 11 keeps"
    " (along the axes of $A$, in one dimension and in two).",
    given=(*USUAL, CONVEX, FULL_RANK),
    read=Preserves(((_by_step(ONE[0]), ONE[1]), (_by_step(TWO[0]), TWO[1]))),
    scope="one and two dimensions",
)

with_the_loss = sgd(
    "sec3_2.inverse_to_A_with_the_loss", "section 3.2, after Eq. 13, the loss being multiplied"
).claim(
    "$Sigma$ is doubled with the loss",
    "A loss that is doubled doubles $A$ and every gradient, so that $B B^T$ is four times as large; a"
    " caution of ours: the covariance is inversely proportional to $A$ where the noise stays.",
    derived=Equal(2 * Sigma, elsewhere(Sigma, (A, 2 * A), (C, 4 * C))),
)

small_gradient = sgd(
    "sec3_2.small_gradient_near_optimum", "section 3.2, discussion of Assumptions 1-4, third phase"
).claim(
    "Near the optimum gradients are small against their noise",
    "In the stationary state the covariance of the gradient is of the order of the step, where its noise"
    " is not zero; that of its noise is $C/S$ whatever the step.",
    read=Order(A * Sigma * A, "Theta", eps, vanishing(eps)),
)
