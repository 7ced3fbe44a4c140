"""Appendix G: the covariance of averaged iterates, line by line."""

from sympy import Integral, Symbol

from sgtheory.declare import Parameter
from verification.claims.base import Printed
from verification.claims.definition import NotMathematical
from verification.claims.spectral import Spectral
from verification.claims.spectral_limit import SpectralLimit
from verification.notation import A, C, S, Sigma, eps, identity
from verification.papers.mandt2017.hypotheses import A3, A4, CONVEX
from verification.papers.mandt2017.window_hypotheses import A5
from verification.spectral.words import Averaged, Lagged, Lambda, MatrixExp, T, U, transposed

t, s = Parameter("t", positive=True), Parameter("s", positive=True)  # times that are given
_t, _s = Symbol("t", positive=True), Symbol("s", positive=True)  # and that are integrated over
c = Parameter("c", positive=True)
GIVEN = (A3, A4, CONVEX)
LESS = MatrixExp(-eps * T * Lambda) - identity

TWO_TIMES = Lagged(_t, _s)
BEFORE = Integral(TWO_TIMES, (_s, 0, _t), (_t, 0, T)) / T**2
AFTER = Integral(TWO_TIMES, (_s, _t, T), (_t, 0, T)) / T**2
FIRST = Integral(MatrixExp(-eps * A * (_t - _s)) * Sigma, (_s, 0, _t), (_t, 0, T)) / T**2
SECOND = (
    Integral(U * MatrixExp(-eps * Lambda * (_t - _s)) * transposed(U) * Sigma, (_s, 0, _t), (_t, 0, T))
    / T**2
)
THIRD = (
    Integral(
        U * Lambda**-1 * (identity - MatrixExp(-eps * _t * Lambda)) * transposed(U) * Sigma, (_t, 0, T)
    )
    / eps
    / T**2
)
FOURTH = A**-1 * Sigma / (eps * T) + U * Lambda**-2 * LESS * transposed(U) * Sigma / (eps * T) ** 2
ANALOGOUS = Sigma * A**-1 / (eps * T) + Sigma * U * Lambda**-2 * LESS * transposed(U) / (eps * T) ** 2

eq48_earlier = Spectral(
    "appG.eq48_earlier",
    at="Appendix G, Eq. 48, t < s",
    title="Covariance at two times, the first earlier",
    says="The stationary covariance, times the exponential of the lag on its right.",
    of="sgd",
    given=GIVEN,
    order=((t, s),),
    printed=(Printed(Lagged(t, s), Sigma * MatrixExp(-eps * A * (s - t))),),
)

eq48_later = Spectral(
    "appG.eq48_later",
    at="Appendix G, Eq. 48, t >= s",
    title="Covariance at two times, the first later",
    says="The exponential of the lag on its left, times the stationary covariance.",
    of="sgd",
    given=GIVEN,
    order=((s, t),),
    printed=(Printed(Lagged(t, s), MatrixExp(-eps * A * (t - s)) * Sigma),),
)

from_eq29 = NotMathematical(
    "appG.from_eq29",
    at="Appendix G, after Eq. 48",
    title="Which equation Eq. 48 is derived with",
    says="It names Eq. 29, the time average, where the formal solution of the process, Eq. 38, is used.",
)

from_eq38 = Spectral(
    "appG.from_eq38",
    at="Appendix G, after Eq. 48, with Eq. 38 as printed",
    stands="read",
    title="Eq. 48 from the formal solution as printed",
    says="The kicks of Eq. 38, each decaying like exp(-A t), are said to add up to Eq. 48.",
    of="sgd",
    given=GIVEN,
    order=((s, t),),
    printed=(
        Printed(
            eps
            / S
            * Integral(
                MatrixExp(-A * (t - Symbol("u", real=True)))
                * C
                * MatrixExp(-A * (s - Symbol("u", real=True))),
                (Symbol("u", real=True), 0, s),
            )
            + MatrixExp(-A * t) * Sigma * MatrixExp(-A * s),
            MatrixExp(-eps * A * (t - s)) * Sigma,
        ),
    ),
)

equal_times = Spectral(
    "appG.equal_times",
    at="Appendix G, after Eq. 48",
    title="Equal times",
    says="Where both times are one, the stationary covariance is left.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(Lagged(t, t), Sigma),),
)

double_integral = Spectral(
    "appG.double_integral",
    at="Appendix G, definition of D and the line below",
    title="Covariance of the average as a double integral",
    says="The covariance of the time average is that at two times, averaged over both.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(Averaged(T), Integral(TWO_TIMES, (_s, 0, T), (_t, 0, T)) / T**2),),
)

two_contributions = Spectral(
    "appG.two_contributions",
    at="Appendix G, the two contributions",
    title="The double integral in two parts",
    says="One part is over the times before, the other over the times after.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(Integral(TWO_TIMES, (_s, 0, T), (_t, 0, T)) / T**2, BEFORE + AFTER),),
)

exponential = Spectral(
    "appG.exponential",
    at="Appendix G, before Eq. 49",
    title="The exponential in the eigenbasis",
    says="The exponential of a multiple of A is that of its eigenvalues, turned by the eigenvectors.",
    given=(CONVEX,),
    printed=(Printed(MatrixExp(c * A), U * MatrixExp(c * Lambda) * transposed(U)),),
)

eq49_line1 = Spectral(
    "appG.eq49_line1",
    at="Appendix G, Eq. 49, first line",
    title="The first contribution: Eq. 48 put in",
    says="Among earlier times the covariance is the exponential times the stationary one.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(BEFORE, FIRST),),
)

eq49_line2 = Spectral(
    "appG.eq49_line2",
    at="Appendix G, Eq. 49, second line",
    title="The first contribution: in the eigenbasis",
    says="The exponential is written with eigenvectors and eigenvalues.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(FIRST, SECOND),),
)

eq49_line3 = Spectral(
    "appG.eq49_line3",
    at="Appendix G, Eq. 49, third line",
    title="The first contribution: the inner integral",
    says="The integral over earlier times is taken.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(SECOND, THIRD),),
)

eq49 = Spectral(
    "appG.eq49",
    at="Appendix G, Eq. 49, last line",
    title="The first contribution: the outer integral",
    says="The integral over the later time is taken.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(THIRD, FOURTH),),
)

second_term = Spectral(
    "appG.second_term",
    at="Appendix G, after Eq. 49",
    title="The second contribution",
    says="The part over later times is the transpose of the first.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(AFTER, ANALOGOUS),),
)

EQ50 = (A**-1 * Sigma + Sigma * A**-1) / (eps * T) + (
    U * Lambda**-2 * LESS * transposed(U) * Sigma + Sigma * U * Lambda**-2 * LESS * transposed(U)
) / (eps * T) ** 2

eq50 = Spectral(
    "appG.eq50",
    at="Appendix G, Eq. 50",
    title="Covariance of the averaged iterates",
    says="Both contributions together: a leading term in one over the window, and one that corrects it.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(Averaged(T), EQ50),),
)

long_window = SpectralLimit(
    "appG.long_window",
    at="Appendix G, after Eq. 50",
    title="Long windows",
    says="Where eps T Lambda is large the leading term of Eq. 50 is left, which is Eq. 30.",
    of="sgd",
    given=GIVEN,
    variable=T,
    limit="oo",
    printed=(Printed(Averaged(T), (A**-1 * Sigma + Sigma * A**-1) / (eps * T), "~"),),
)

eq33_again = Spectral(
    "appG.eq33_again",
    at="Appendix G, last display",
    title="Eq. 50 for an isotropic stationary covariance",
    says="With Sigma = eps/(2S) I, as in the well-specified model, Eq. 50 becomes Eq. 33.",
    of="sgd",
    given=(*GIVEN, A5),
    printed=(Printed(EQ50, A**-1 / (S * T) + U * Lambda**-2 * LESS * transposed(U) / (eps * S * T**2)),),
)
