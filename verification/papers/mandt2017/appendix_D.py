"""Appendix D: the second moments of SGD with momentum, step by step."""

from sympy import Integer

from verification.claims.base import Printed
from verification.claims.moments import MomentEquation
from verification.claims.products import NoiseProduct, ProductRule, Products
from verification.claims.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, eps, mu, second

ZERO = Integer(0)

eq42_products = ProductRule(
    "appD.eq42.products",
    at="Appendix D, Eq. 42, first line",
    title="The position's second moment by the product rule",
    says="The position's second moment changes by increments on the left and on the right alone.",
    of="momentum",
    printed=(Products("theta", "theta"),),
)

eq42 = MomentEquation(
    "appD.eq42",
    at="Appendix D, Eq. 42",
    title="Rate of the position's second moment",
    says="Positions move with the velocities.",
    of="momentum",
    printed=(Printed(ZERO, second("v", "theta") + second("theta", "v")),),
    moment=("theta", "theta"),
)

eq43_products = ProductRule(
    "appD.eq43.products",
    at="Appendix D, Eq. 43, first line",
    title="The mixed moment by the product rule",
    says="The mixed moment changes by increments on the left and on the right alone.",
    of="momentum",
    printed=(Products("theta", "v"),),
)

eq43 = MomentEquation(
    "appD.eq43",
    at="Appendix D, Eq. 43",
    title="Rate of the mixed moment",
    says="Velocity enters, damping and force leave.",
    of="momentum",
    printed=(Printed(ZERO, second("v", "v") - mu * second("theta", "v") - eps * Sigma * A),),
    moment=("theta", "v"),
)

eq44_products = ProductRule(
    "appD.eq44.products",
    at="Appendix D, Eq. 44, first line",
    title="The transposed mixed moment by the product rule",
    says="Neither does the transposed mixed moment have a product of both increments.",
    of="momentum",
    printed=(Products("v", "theta"),),
)

eq44 = MomentEquation(
    "appD.eq44",
    at="Appendix D, Eq. 44",
    title="Rate of the mixed moment, transposed",
    says="The transpose of the equation before.",
    of="momentum",
    printed=(Printed(ZERO, second("v", "v") - mu * second("v", "theta") - eps * A * Sigma),),
    moment=("v", "theta"),
)

eq45_products = ProductRule(
    "appD.eq45.products",
    at="Appendix D, Eq. 45, first line",
    title="The velocity's second moment by the product rule",
    says="The velocity's second moment has the product of both increments besides.",
    of="momentum",
    printed=(Products("v", "v", times=(1, 1, 1)),),
)

eq45 = MomentEquation(
    "appD.eq45",
    at="Appendix D, Eq. 45",
    title="Rate of the velocity's second moment",
    says="Damping and force take out what the gradient noise puts in.",
    of="momentum",
    printed=(
        Printed(
            ZERO,
            -2 * mu * second("v", "v")
            - eps * A * second("theta", "v")
            - eps * second("v", "theta") * A
            + eps**2 / S * C,
        ),
    ),
    moment=("v", "v"),
)

ito_correction = NoiseProduct(
    "appD.ito_correction",
    at="Appendix D, after Eq. 45",
    title="Ito's correction for the velocity",
    says="The product of the velocity's increments is what the gradient noise puts in.",
    of="momentum",
    printed=(Printed(second("v", "v"), eps**2 / S * C),),
)

no_other_correction = NoiseProduct(
    "appD.no_other_correction",
    at="Appendix D, after Eq. 45",
    stands="read",
    title="No other moment has a correction",
    says="Products of increments with the position's carry no noise.",
    of="momentum",
    printed=(
        Printed(Sigma, ZERO),
        Printed(second("theta", "v"), ZERO),
        Printed(second("v", "theta"), ZERO),
    ),
)

antisymmetry = StationaryLaw(
    "appD.antisymmetry",
    at="Appendix D, after Eq. 45",
    title="Position and velocity are antisymmetrically correlated",
    says="In the stationary state the mixed moment is antisymmetric.",
    of="momentum",
    printed=(Printed(second("v", "theta") + second("theta", "v"), ZERO),),
)

added = StationaryLaw(
    "appD.added",
    at="Appendix D, Eqs. 43 and 44 added",
    title="The two mixed equations added",
    says="Stationarity and antisymmetry leave the velocity's moment against the position's.",
    of="momentum",
    printed=(Printed(ZERO, 2 * second("v", "v") - eps * A * Sigma - eps * Sigma * A),),
)

combined_first = StationaryLaw(
    "appD.combined_first",
    at="Appendix D, last display, first line",
    title="Velocities balance positions",
    says="The sum of the mixed equations, solved for the velocity's moment.",
    of="momentum",
    printed=(Printed(second("v", "v"), eps / 2 * Sigma * A + eps / 2 * A * Sigma),),
)

combined_second = StationaryLaw(
    "appD.combined_second",
    at="Appendix D, last display, second line",
    title="Velocities, noise, and a term of mixed moments",
    says="Eq. 45 in the stationary state, halved, with the term that is to vanish still there.",
    of="momentum",
    printed=(
        Printed(
            mu * second("v", "v"),
            eps**2 / (2 * S) * C - eps / 2 * (A * second("theta", "v") + second("v", "theta") * A),
        ),
    ),
)

xi_antisymmetric = StationaryLaw(
    "appD.xi_antisymmetric",
    at="Appendix D, definition of xi",
    title="The mixed moment is minus its transpose",
    says="The matrix that is called xi changes its sign under transposition.",
    of="momentum",
    printed=(Printed(second("theta", "v"), -second("v", "theta")),),
)

underbrace = StationaryLaw(
    "appD.underbrace",
    at="Appendix D, underbraced term",
    title="The force term in the velocity's balance vanishes",
    says="A matrix is argued to be both symmetric and antisymmetric, and so zero.",
    of="momentum",
    printed=(Printed(A * second("theta", "v") + second("v", "theta") * A, ZERO),),
)
