"""Appendix D: the second moments of SGD with momentum, step by step."""

from sympy import Add, Symbol

from verification.notation import A, C, S, Sigma, eps, mu, second
from verification.papers.mandt2017.hypotheses import momentum
from verification.statements import All, Equal, at
from verification.terms.kinds import Transpose
from verification.theories.matrices.increments import products, rate

CHANGE_42, LEFT_42, RIGHT_42, BOTH_42 = products("theta", "theta")
CHANGE_43, LEFT_43, RIGHT_43, BOTH_43 = products("theta", "v")
CHANGE_44, LEFT_44, RIGHT_44, BOTH_44 = products("v", "theta")
CHANGE_45, LEFT_45, RIGHT_45, BOTH_45 = products("v", "v")
ITO = Equal(BOTH_45, eps**2 / S * C)

eq42_products = momentum("appD.eq42.products", "Appendix D, Eq. 42, first line").claim(
    "The position's second moment by the product rule",
    "The position's second moment changes by increments on the left and on the right alone.",
    printed=Equal(CHANGE_42, LEFT_42 + RIGHT_42),
)

eq42 = momentum("appD.eq42", "Appendix D, Eq. 42").claim(
    "Rate of the position's second moment",
    "Positions move with the velocities.",
    printed=Equal(rate("theta", "theta"), second("v", "theta") + second("theta", "v")),
)

eq43_products = momentum("appD.eq43.products", "Appendix D, Eq. 43, first line").claim(
    "The mixed moment by the product rule",
    "The mixed moment changes by increments on the left and on the right alone.",
    printed=Equal(CHANGE_43, LEFT_43 + RIGHT_43),
)

eq43 = momentum("appD.eq43", "Appendix D, Eq. 43").claim(
    "Rate of the mixed moment",
    "Velocity enters, damping and force leave.",
    printed=Equal(rate("theta", "v"), second("v", "v") - mu * second("theta", "v") - eps * Sigma * A),
)

eq44_products = momentum("appD.eq44.products", "Appendix D, Eq. 44, first line").claim(
    "The transposed mixed moment by the product rule",
    "Neither does the transposed mixed moment have a product of both increments.",
    printed=Equal(CHANGE_44, LEFT_44 + RIGHT_44),
)

eq44 = momentum("appD.eq44", "Appendix D, Eq. 44").claim(
    "Rate of the mixed moment, transposed",
    "The transpose of the equation before.",
    printed=Equal(rate("v", "theta"), second("v", "v") - mu * second("v", "theta") - eps * A * Sigma),
)

eq45_products = momentum("appD.eq45.products", "Appendix D, Eq. 45, first line").claim(
    "The velocity's second moment by the product rule",
    "The velocity's second moment has the product of both increments besides.",
    printed=Equal(CHANGE_45, LEFT_45 + RIGHT_45 + BOTH_45),
)

eq45 = momentum("appD.eq45", "Appendix D, Eq. 45").claim(
    "Rate of the velocity's second moment",
    "Damping and force take out what the gradient noise puts in.",
    printed=Equal(
        rate("v", "v"),
        -2 * mu * second("v", "v")
        - eps * A * second("theta", "v")
        - eps * second("v", "theta") * A
        + eps**2 / S * C,
    ),
)

ito_correction = momentum("appD.ito_correction", "Appendix D, after Eq. 45").claim(
    "Ito's correction for the velocity",
    "The product of the velocity's increments is what the gradient noise puts in.",
    printed=ITO,
)

no_other_correction = momentum("appD.no_other_correction", "Appendix D, after Eq. 45").claim(
    "No other moment has a correction",
    "The product of the velocity's increments carries noise; those with the position's carry none.",
    read=All(
        ITO,
        *(Equal(product, 0) for product in (BOTH_42, BOTH_43, BOTH_44)),
    ),
)

antisymmetry = momentum("appD.antisymmetry", "Appendix D, after Eq. 45").claim(
    "Position and velocity are antisymmetrically correlated",
    "In the stationary state the mixed moment is antisymmetric.",
    printed=Equal(second("v", "theta") + second("theta", "v"), 0),
)

added = momentum("appD.added", "Appendix D, Eqs. 43 and 44 added").claim(
    "The two mixed equations added",
    "Stationarity and antisymmetry leave the velocity's moment against the position's.",
    printed=Equal(0, 2 * second("v", "v") - eps * A * Sigma - eps * Sigma * A),
)

combined_first = momentum("appD.combined_first", "Appendix D, last display, first line").claim(
    "Velocities balance positions",
    "The sum of the mixed equations, solved for the velocity's moment.",
    printed=Equal(second("v", "v"), eps / 2 * Sigma * A + eps / 2 * A * Sigma),
)

combined_second = momentum("appD.combined_second", "Appendix D, last display, second line").claim(
    "Velocities, noise, and a term of mixed moments",
    "Eq. 45 in the stationary state, halved, with the term that is to vanish still there.",
    printed=Equal(
        mu * second("v", "v"),
        eps**2 / (2 * S) * C - eps / 2 * (A * second("theta", "v") + second("v", "theta") * A),
    ),
)

xi_antisymmetric = momentum("appD.xi_antisymmetric", "Appendix D, definition of $xi$").claim(
    "The mixed moment is minus its transpose",
    "The matrix that is called $xi$ changes its sign under transposition.",
    printed=Equal(second("theta", "v"), -second("v", "theta")),
)

underbrace = momentum("appD.underbrace", "Appendix D, underbraced term").claim(
    "The force term in the velocity's balance vanishes",
    "A matrix is argued to be both symmetric and antisymmetric, and so zero.",
    printed=Equal(A * second("theta", "v") + second("v", "theta") * A, 0),
)

# xi stands for any antisymmetric matrix. A sum over k of A_ik xi_kj is entry (i, j) of A xi, and one of
# xi_ki A_jk is entry (j, i) of it.
Xi, M = (Symbol(n, commutative=False) for n in ("xi", "M"))
ANTISYMMETRIC = (("xi", "antisymmetric"),)
TERM = A * Xi + Transpose(Xi) * A

symmetric = at("appD.term_symmetric", "Appendix D, last paragraph").claim(
    "The term is symmetric",
    "A matrix plus its own transpose is symmetric: here $A xi$, with $xi$ antisymmetric.",
    read=Equal(Transpose(TERM), TERM),
    kinds=ANTISYMMETRIC,
)

first = at("appD.index_first", "Appendix D, last paragraph, first equality of the calculation").claim(
    "The transpose of $xi$ written as minus $xi$",
    "In the second sum the transpose is traded for a sign, and the indices are exchanged as well.",
    printed=Equal(A * Xi + Transpose(Xi) * Transpose(A), A * Xi - Transpose(A * Xi)),
    kinds=ANTISYMMETRIC,
)

index = at("appD.index_second", "Appendix D, last paragraph, second equality of the calculation").claim(
    "Two factors exchanged under a sum",
    "The entries of $A$ and $xi$ are numbers, so that their order does not matter.",
    printed=Equal(A * Xi - Transpose(Xi) * Transpose(A), A * Xi - Transpose(A * Xi)),
    kinds=ANTISYMMETRIC,
)

index_swap = at("appD.index_swap", "Appendix D, last paragraph, after the calculation").claim(
    "The last expression changes its sign with $i$ and $j$ exchanged",
    "What the calculation ends with is antisymmetric ($xi$ is).",
    read=Equal(Transpose(A * Xi - Transpose(A * Xi)), -(A * Xi - Transpose(A * Xi))),
    kinds=ANTISYMMETRIC,
)

simultaneously_antisymmetric = at("appD.term_antisymmetric", "Appendix D, last paragraph").claim(
    "The term is antisymmetric as well",
    "The calculation is taken to show that the term changes its sign under transposition ($xi$ does).",
    read=Equal(Transpose(TERM), -TERM),
    kinds=ANTISYMMETRIC,
)

both_vanish = at("appD.both_vanish", "Appendix D, last sentence").claim(
    "What is symmetric and antisymmetric is zero",
    "Twice a matrix is what symmetry makes zero plus what antisymmetry makes zero.",
    read=Equal(2 * M, Add(M - Transpose(M), M + Transpose(M), evaluate=False)),
    kinds=(("M", "any"),),
)
