"""Section 3.2, Assumptions 1 and 2: what the noise of a minibatch is, and the step of Eq. 8."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import Definition
from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE
from verification.notation import C as NOISE_COVARIANCE
from verification.notation import S, eps
from verification.papers.mandt2017.hypotheses import A4
from verification.statements import All, Compare, Equal, Order, claim, growing, vanishing
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
from verification.theories.minibatches.drawing import NOT_REPLACED, REPLACED

g = columns("g")  # the gradient of one example's loss
g_along = numbers("g")  # its component along some direction
NOISE = BatchAverage(g) - Average(g)
ALONG = BatchAverage(g_along) - Average(g_along)

independent = claim(
    "sec3_2.independent_draws",
    at="Assumption 1, against section 3.1",
    title="The contributions of a minibatch are independent",
    says="A stochastic gradient has S independent contributions: the first says nothing of the others.",
    read=Equal(Expectation((First(g) - Average(g)) * Transpose(S * BatchAverage(g) - First(g))), 0),
)

eq6 = claim(
    "eq6",
    at="Assumption 1, Eq. 6, minibatches of independent draws",
    title="Mean and covariance of the gradient's noise",
    says="The noise has mean zero and one S-th of the covariance C of one example's gradient.",
    given=(REPLACED,),
    read=All(Equal(Expectation(NOISE), 0), Equal(Expectation(outer(NOISE)), covariance(g) / S)),
)

eq6_as_a_set = claim(
    "eq6.drawn_as_a_set",
    at="Assumption 1, Eq. 6, minibatches that are sets, as in section 3.1",
    title="Covariance of the noise of a minibatch that is a set",
    says="The noise of a set of S different examples has the covariance C/S.",
    given=(NOT_REPLACED,),
    read=Equal(Expectation(outer(NOISE)), covariance(g) / S),
)

skewness = claim(
    "sec3_2.normal_third_moment",
    at="Assumption 1",
    title="The noise has the third moment of a normal law",
    says="By the central limit theorem the noise is normal: along a direction its third moment is zero.",
    given=(REPLACED,),
    read=Equal(
        Expectation(ALONG**3), 0, approached=growing(S), scale=Expectation(ALONG**2) ** sp.Rational(3, 2)
    ),
)

kurtosis = claim(
    "sec3_2.normal_fourth_moment",
    at="Assumption 1",
    title="The noise has the fourth moment of a normal law",
    says="By the central limit theorem its fourth moment is three times the square of its variance.",
    given=(REPLACED,),
    read=Equal(Expectation(ALONG**4), 3 * Expectation(ALONG**2) ** 2, approached=growing(S)),
)

x, y = columns("x"), numbers("y")
RESIDUAL_GRADIENT = x * (Inner(x, theta) - y)

constant_noise = claim(
    "sec3_2.constant_noise",
    at="Assumption 2, taken exactly for linear regression",
    title="The noise covariance does not depend on theta",
    says="The covariance of the gradients is constant in theta, here for least squares and exactly.",
    read=Compare(Degree(covariance(RESIDUAL_GRADIENT)), "<=", sp.Integer(0)),
)

B, C = sp.symbols("B C", commutative=False)

eq7 = Definition(
    "eq7",
    at="Assumption 2, Eq. 7",
    title="A factor of the noise covariance",
    says="The noise covariance is B times its transpose.",
    printed=(Printed(C, B * Transpose(B)),),
    declared=((C, square((LOSS / PARAMETER) ** 2)), (B, square(LOSS / PARAMETER))),
)

semidefinite = claim(
    "sec3_2.semidefinite",
    at="Assumption 2",
    title="The noise covariance is positive semidefinite",
    says="The noise covariance, which is to have a factor B, is nowhere negative.",
    read=Compare(NOISE_COVARIANCE, ">=", 0),
)

t = sp.Symbol("t", positive=True)
r, sigma = sp.symbols("r sigma", positive=True)

# the gradient x (x t - e) of least squares: x normal of variance r, e of variance sigma^2
small_region = claim(
    "sec3_2.small_region",
    at="after Assumption 2",
    title="In a small region the noise covariance is constant",
    says="As the distance t to the optimum vanishes the noise covariance becomes that at the optimum,"
    " here of least squares with a normal covariate.",
    read=Order(sigma**2 * r + 2 * r**2 * t**2, "~", sigma**2 * r, vanishing(t)),
)

eq8 = claim(
    "eq8",
    at="Eq. 8, minibatches of independent draws",
    title="Mean and covariance of one step of SGD",
    says="A step has mean minus eps g, and eps B/sqrt(S) times a standard normal vector is its noise.",
    given=(REPLACED,),
    read=All(
        Equal(Expectation(-eps * BatchAverage(g)), -eps * Average(g)),
        Equal(Expectation(outer(-eps * BatchAverage(g) + eps * Average(g))), eps**2 / S * covariance(g)),
    ),
)

small_rates = claim(
    "sec3_2.small_rates",
    at="Assumption 3",
    title="Small learning rates make the discretisation error negligible",
    says="As the learning rate vanishes the covariance of SGD becomes that of its continuous limit.",
    of="sgd",
    given=(A4,),
    read=Order(SIGMA_DISCRETE, "~", SIGMA_CONTINUOUS, vanishing(eps)),
)

small_gradients = claim(
    "sec3_2.small_gradients",
    at="Assumption 3, gradients small because the chain stays near the optimum",
    title="Small gradients make the discretisation error negligible",
    says="As the noise vanishes, and gradients with it, the two covariances become equal.",
    of="sgd",
    given=(A4,),
    read=Order(SIGMA_DISCRETE, "~", SIGMA_CONTINUOUS, growing(S)),
)
