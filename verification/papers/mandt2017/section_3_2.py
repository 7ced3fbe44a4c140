"""Section 3.2, Assumptions 1 and 2: what the noise of a minibatch is, and the step of Eq. 8."""

import sympy as sp
from sympy import sqrt

from verification.claims.base import Printed
from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE
from verification.notation import A, S, eps
from verification.notation import B as ROOT
from verification.notation import C as NOISE_COVARIANCE
from verification.papers.mandt2017.hypotheses import A1, A2, A4, USUAL
from verification.statements import All, Compare, Equal, InLaw, Order, Section, at, growing, vanishing
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Degree,
    Expectation,
    First,
    Inner,
    columns,
    covariance,
    numbers,
    outer,
    theta,
)
from verification.terms.kinds import LOSS, PARAMETER, Transpose, square
from verification.terms.stochastic import GRADIENT, Change, Row, dt, dW
from verification.terms.stochastic import theta as place
from verification.theories.minibatches.drawing import NOT_REPLACED, REPLACED

g = columns("g")  # the gradient of one example's loss
g_along = numbers("g")  # its component along some direction
NOISE = BatchAverage(g) - Average(g)
ALONG = BatchAverage(g_along) - Average(g_along)

independent = at("sec3_2.independent_draws", "Assumption 1, against section 3.1").claim(
    "The contributions of a minibatch are independent",
    "A stochastic gradient has S independent contributions: the first says nothing of the others.",
    read=Equal(Expectation((First(g) - Average(g)) * Transpose(S * BatchAverage(g) - First(g))), 0),
)

replaced = Section(given=(REPLACED,))

eq6 = replaced("eq6", "Assumption 1, Eq. 6, minibatches of independent draws").claim(
    "Mean and covariance of the gradient's noise",
    "The noise has mean zero and one S-th of the covariance C of one example's gradient.",
    read=All(Equal(Expectation(NOISE), 0), Equal(Expectation(outer(NOISE)), covariance(g) / S)),
)

eq6_as_a_set = at(
    "eq6.drawn_as_a_set", "Assumption 1, Eq. 6, minibatches that are sets, as in section 3.1"
).claim(
    "Covariance of the noise of a minibatch that is a set",
    "The noise of a set of S different examples has the covariance C/S.",
    given=(NOT_REPLACED,),
    read=Equal(Expectation(outer(NOISE)), covariance(g) / S),
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
    "The noise covariance does not depend on theta",
    "The covariance of the gradients is constant in theta, here for least squares and exactly.",
    read=Compare(Degree(covariance(RESIDUAL_GRADIENT)), "<=", sp.Integer(0)),
)

B, C = sp.symbols("B C", commutative=False)

eq7 = at("eq7", "Assumption 2, Eq. 7").definition(
    "A factor of the noise covariance",
    "The noise covariance is B times its transpose.",
    Printed(C, B * Transpose(B)),
    kinds={C: square((LOSS / PARAMETER) ** 2), B: square(LOSS / PARAMETER)},
)

semidefinite = at("sec3_2.semidefinite", "Assumption 2").claim(
    "The noise covariance is positive semidefinite",
    "The noise covariance, which is to have a factor B, is nowhere negative.",
    read=Compare(NOISE_COVARIANCE, ">=", 0),
)

t = sp.Symbol("t", positive=True)
r, sigma = sp.symbols("r sigma", positive=True)

# the gradient x (x t - e) of least squares: x normal of variance r, e of variance sigma^2
small_region = at("sec3_2.small_region", "after Assumption 2").claim(
    "In a small region the noise covariance is constant",
    "As the distance t to the optimum vanishes the noise covariance becomes that at the optimum,"
    " here of least squares with a normal covariate.",
    read=Order(sigma**2 * r + 2 * r**2 * t**2, "~", sigma**2 * r, vanishing(t)),
)

eq8 = replaced("eq8", "Eq. 8, minibatches of independent draws").claim(
    "Mean and covariance of one step of SGD",
    "A step has mean minus eps g, and eps B/sqrt(S) times a standard normal vector is its noise.",
    read=All(
        Equal(Expectation(-eps * BatchAverage(g)), -eps * Average(g)),
        Equal(Expectation(outer(-eps * BatchAverage(g) + eps * Average(g))), eps**2 / S * covariance(g)),
    ),
)

sgd = Section(of="sgd", given=(A4,))

small_rates = sgd("sec3_2.small_rates", "Assumption 3").claim(
    "Small learning rates make the discretisation error negligible",
    "As the learning rate vanishes the covariance of SGD becomes that of its continuous limit.",
    read=Order(SIGMA_DISCRETE, "~", SIGMA_CONTINUOUS, vanishing(eps)),
)

small_gradients = sgd(
    "sec3_2.small_gradients", "Assumption 3, gradients small because the chain stays near the optimum"
).claim(
    "Small gradients make the discretisation error negligible",
    "As the noise vanishes, and gradients with it, the two covariances become equal.",
    read=Order(SIGMA_DISCRETE, "~", SIGMA_CONTINUOUS, growing(S)),
)

eq9 = at("eq9", "Eq. 9").claim(
    "SGD as a stochastic differential equation",
    "In a unit of time a step's gradient is drift, and its minibatch noise is that of a Wiener process.",
    of="sgd",
    given=(A1, A2),
    printed=InLaw(Row(Change(place), -eps * GRADIENT * dt + eps / sqrt(S) * ROOT * dW)),
)

eq11 = at("eq11", "Eq. 11").claim(
    "SGD as an Ornstein-Uhlenbeck process",
    "On a quadratic loss the drift is linear, and the process is one of Ornstein and Uhlenbeck.",
    of="sgd",
    given=USUAL,
    printed=InLaw(Row(Change(place), -eps * A * place * dt + 1 / sqrt(S) * eps * ROOT * dW)),
)
