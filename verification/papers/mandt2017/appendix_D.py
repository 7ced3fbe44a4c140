"""Appendix D: the second moments of SGD with momentum, step by step."""

from verification.notation import A, C, S, Sigma, eps, mu, second
from verification.statements import All, Equal, claim
from verification.theories.matrices.increments import noise_of, products, rate

CHANGE_42, LEFT_42, RIGHT_42, _ = products("theta", "theta")
CHANGE_43, LEFT_43, RIGHT_43, _ = products("theta", "v")
CHANGE_44, LEFT_44, RIGHT_44, _ = products("v", "theta")
CHANGE_45, LEFT_45, RIGHT_45, BOTH_45 = products("v", "v")
ITO = Equal(noise_of("v", "v"), eps**2 / S * C)

eq42_products = claim(
    "appD.eq42.products",
    at="Appendix D, Eq. 42, first line",
    title="The position's second moment by the product rule",
    says="The position's second moment changes by increments on the left and on the right alone.",
    of="momentum",
    printed=Equal(CHANGE_42, LEFT_42 + RIGHT_42),
)

eq42 = claim(
    "appD.eq42",
    at="Appendix D, Eq. 42",
    title="Rate of the position's second moment",
    says="Positions move with the velocities.",
    of="momentum",
    printed=Equal(rate("theta", "theta"), second("v", "theta") + second("theta", "v")),
)

eq43_products = claim(
    "appD.eq43.products",
    at="Appendix D, Eq. 43, first line",
    title="The mixed moment by the product rule",
    says="The mixed moment changes by increments on the left and on the right alone.",
    of="momentum",
    printed=Equal(CHANGE_43, LEFT_43 + RIGHT_43),
)

eq43 = claim(
    "appD.eq43",
    at="Appendix D, Eq. 43",
    title="Rate of the mixed moment",
    says="Velocity enters, damping and force leave.",
    of="momentum",
    printed=Equal(rate("theta", "v"), second("v", "v") - mu * second("theta", "v") - eps * Sigma * A),
)

eq44_products = claim(
    "appD.eq44.products",
    at="Appendix D, Eq. 44, first line",
    title="The transposed mixed moment by the product rule",
    says="Neither does the transposed mixed moment have a product of both increments.",
    of="momentum",
    printed=Equal(CHANGE_44, LEFT_44 + RIGHT_44),
)

eq44 = claim(
    "appD.eq44",
    at="Appendix D, Eq. 44",
    title="Rate of the mixed moment, transposed",
    says="The transpose of the equation before.",
    of="momentum",
    printed=Equal(rate("v", "theta"), second("v", "v") - mu * second("v", "theta") - eps * A * Sigma),
)

eq45_products = claim(
    "appD.eq45.products",
    at="Appendix D, Eq. 45, first line",
    title="The velocity's second moment by the product rule",
    says="The velocity's second moment has the product of both increments besides.",
    of="momentum",
    printed=Equal(CHANGE_45, LEFT_45 + RIGHT_45 + BOTH_45),
)

eq45 = claim(
    "appD.eq45",
    at="Appendix D, Eq. 45",
    title="Rate of the velocity's second moment",
    says="Damping and force take out what the gradient noise puts in.",
    of="momentum",
    printed=Equal(
        rate("v", "v"),
        -2 * mu * second("v", "v")
        - eps * A * second("theta", "v")
        - eps * second("v", "theta") * A
        + eps**2 / S * C,
    ),
)

ito_correction = claim(
    "appD.ito_correction",
    at="Appendix D, after Eq. 45",
    title="Ito's correction for the velocity",
    says="The product of the velocity's increments is what the gradient noise puts in.",
    of="momentum",
    printed=ITO,
)

no_other_correction = claim(
    "appD.no_other_correction",
    at="Appendix D, after Eq. 45",
    title="No other moment has a correction",
    says="The product of the velocity's increments carries noise; those with the position's carry none.",
    of="momentum",
    read=All(
        ITO,
        Equal(noise_of("theta", "theta"), 0),
        Equal(noise_of("theta", "v"), 0),
        Equal(noise_of("v", "theta"), 0),
    ),
)

antisymmetry = claim(
    "appD.antisymmetry",
    at="Appendix D, after Eq. 45",
    title="Position and velocity are antisymmetrically correlated",
    says="In the stationary state the mixed moment is antisymmetric.",
    of="momentum",
    printed=Equal(second("v", "theta") + second("theta", "v"), 0),
)

added = claim(
    "appD.added",
    at="Appendix D, Eqs. 43 and 44 added",
    title="The two mixed equations added",
    says="Stationarity and antisymmetry leave the velocity's moment against the position's.",
    of="momentum",
    printed=Equal(0, 2 * second("v", "v") - eps * A * Sigma - eps * Sigma * A),
)

combined_first = claim(
    "appD.combined_first",
    at="Appendix D, last display, first line",
    title="Velocities balance positions",
    says="The sum of the mixed equations, solved for the velocity's moment.",
    of="momentum",
    printed=Equal(second("v", "v"), eps / 2 * Sigma * A + eps / 2 * A * Sigma),
)

combined_second = claim(
    "appD.combined_second",
    at="Appendix D, last display, second line",
    title="Velocities, noise, and a term of mixed moments",
    says="Eq. 45 in the stationary state, halved, with the term that is to vanish still there.",
    of="momentum",
    printed=Equal(
        mu * second("v", "v"),
        eps**2 / (2 * S) * C - eps / 2 * (A * second("theta", "v") + second("v", "theta") * A),
    ),
)

xi_antisymmetric = claim(
    "appD.xi_antisymmetric",
    at="Appendix D, definition of xi",
    title="The mixed moment is minus its transpose",
    says="The matrix that is called xi changes its sign under transposition.",
    of="momentum",
    printed=Equal(second("theta", "v"), -second("v", "theta")),
)

underbrace = claim(
    "appD.underbrace",
    at="Appendix D, underbraced term",
    title="The force term in the velocity's balance vanishes",
    says="A matrix is argued to be both symmetric and antisymmetric, and so zero.",
    of="momentum",
    printed=Equal(A * second("theta", "v") + second("v", "theta") * A, 0),
)
