"""Appendix D: the second moments of SGD with momentum, step by step."""

from sympy import Integer

from verification.claims.base import Printed
from verification.claims.moments import MomentEquation
from verification.claims.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, eps, mu, second

ZERO = Integer(0)

eq42 = MomentEquation(
    "appD.eq42",
    at="Appendix D, Eq. 42",
    title="Rate of the position's second moment",
    says="Positions move with the velocities.",
    of="momentum",
    printed=(Printed(ZERO, second("v", "theta") + second("theta", "v")),),
    moment=("theta", "theta"),
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

eq44 = MomentEquation(
    "appD.eq44",
    at="Appendix D, Eq. 44",
    title="Rate of the mixed moment, transposed",
    says="The transpose of the equation before.",
    of="momentum",
    printed=(Printed(ZERO, second("v", "v") - mu * second("v", "theta") - eps * A * Sigma),),
    moment=("v", "theta"),
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

antisymmetry = StationaryLaw(
    "appD.antisymmetry",
    at="Appendix D, after Eq. 45",
    title="Position and velocity are antisymmetrically correlated",
    says="In the stationary state the mixed moment is antisymmetric.",
    of="momentum",
    printed=(Printed(second("v", "theta") + second("theta", "v"), ZERO),),
)

underbrace = StationaryLaw(
    "appD.underbrace",
    at="Appendix D, underbraced term",
    title="The force term in the velocity's balance vanishes",
    says="A matrix is argued to be both symmetric and antisymmetric, and so zero.",
    of="momentum",
    printed=(Printed(A * second("theta", "v") + second("v", "theta") * A, ZERO),),
)
