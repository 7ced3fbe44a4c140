"""Appendix G: the covariance of averaged iterates, line by line."""

from verification.claims.definition import NotMathematical
from verification.papers.mandt2017.hypotheses import A3, A4, CONVEX
from verification.papers.mandt2017.window_hypotheses import A5
from verification.statements import Equal, Order, claim, growing, letter, letters
from verification.terms.notation import A, C, I, S, Sigma, eps
from verification.theories.matrices.words import transpose
from verification.theories.time.words import Lambda, U, averaged, expm, integral, lagged, variable

T, t, s = letters("T t s", "count")  # times that are given
_t, _s, u = map(variable, ("t", "s", "u"))  # and that are integrated over
c = letter("c")
GIVEN = (A3, A4, CONVEX)
LESS = expm(-eps * T * Lambda) - I

TWO_TIMES = lagged(_t, _s)
BEFORE = integral(TWO_TIMES, (_s, 0, _t), (_t, 0, T)) / T**2
AFTER = integral(TWO_TIMES, (_s, _t, T), (_t, 0, T)) / T**2
FIRST = integral(expm(-eps * A * (_t - _s)) * Sigma, (_s, 0, _t), (_t, 0, T)) / T**2
SECOND = (
    integral(U * expm(-eps * Lambda * (_t - _s)) * transpose(U) * Sigma, (_s, 0, _t), (_t, 0, T)) / T**2
)
THIRD = (
    integral(U * Lambda**-1 * (I - expm(-eps * _t * Lambda)) * transpose(U) * Sigma, (_t, 0, T))
    / eps
    / T**2
)
FOURTH = A**-1 * Sigma / (eps * T) + U * Lambda**-2 * LESS * transpose(U) * Sigma / (eps * T) ** 2
ANALOGOUS = Sigma * A**-1 / (eps * T) + Sigma * U * Lambda**-2 * LESS * transpose(U) / (eps * T) ** 2

eq48_earlier = claim(
    "appG.eq48_earlier",
    at="Appendix G, Eq. 48, t < s",
    title="Covariance at two times, the first earlier",
    says="The stationary covariance, times the exponential of the lag on its right.",
    of="sgd",
    given=(*GIVEN, t < s),
    printed=Equal(lagged(t, s), Sigma * expm(-eps * A * (s - t))),
)

eq48_later = claim(
    "appG.eq48_later",
    at="Appendix G, Eq. 48, t >= s",
    title="Covariance at two times, the first later",
    says="The exponential of the lag on its left, times the stationary covariance.",
    of="sgd",
    given=(*GIVEN, s < t),
    printed=Equal(lagged(t, s), expm(-eps * A * (t - s)) * Sigma),
)

from_eq29 = NotMathematical(
    "appG.from_eq29",
    at="Appendix G, after Eq. 48",
    title="Which equation Eq. 48 is derived with",
    says="It names Eq. 29, the time average, where the formal solution of the process, Eq. 38, is used.",
)

from_eq38 = claim(
    "appG.from_eq38",
    at="Appendix G, after Eq. 48, with Eq. 38 as printed",
    title="Eq. 48 from the formal solution as printed",
    says="The kicks of Eq. 38, each decaying like exp(-A t), are said to add up to Eq. 48.",
    of="sgd",
    given=(*GIVEN, s < t),
    read=Equal(
        eps
        / S
        * integral(
            expm(-A * (t - u)) * C * expm(-A * (s - u)),
            (u, 0, s),
        )
        + expm(-A * t) * Sigma * expm(-A * s),
        expm(-eps * A * (t - s)) * Sigma,
    ),
)

equal_times = claim(
    "appG.equal_times",
    at="Appendix G, after Eq. 48",
    title="Equal times",
    says="Where both times are one, the stationary covariance is left.",
    of="sgd",
    given=GIVEN,
    printed=Equal(lagged(t, t), Sigma),
)

double_integral = claim(
    "appG.double_integral",
    at="Appendix G, definition of D and the line below",
    title="Covariance of the average as a double integral",
    says="The covariance of the time average is that at two times, averaged over both.",
    of="sgd",
    given=GIVEN,
    printed=Equal(averaged(T), integral(TWO_TIMES, (_s, 0, T), (_t, 0, T)) / T**2),
)

two_contributions = claim(
    "appG.two_contributions",
    at="Appendix G, the two contributions",
    title="The double integral in two parts",
    says="One part is over the times before, the other over the times after.",
    of="sgd",
    given=GIVEN,
    printed=Equal(integral(TWO_TIMES, (_s, 0, T), (_t, 0, T)) / T**2, BEFORE + AFTER),
)

exponential = claim(
    "appG.exponential",
    at="Appendix G, before Eq. 49",
    title="The exponential in the eigenbasis",
    says="The exponential of a multiple of A is that of its eigenvalues, turned by the eigenvectors.",
    given=(CONVEX,),
    printed=Equal(expm(c * A), U * expm(c * Lambda) * transpose(U)),
)

eq49_line1 = claim(
    "appG.eq49_line1",
    at="Appendix G, Eq. 49, first line",
    title="The first contribution: Eq. 48 put in",
    says="Among earlier times the covariance is the exponential times the stationary one.",
    of="sgd",
    given=GIVEN,
    printed=Equal(BEFORE, FIRST),
)

eq49_line2 = claim(
    "appG.eq49_line2",
    at="Appendix G, Eq. 49, second line",
    title="The first contribution: in the eigenbasis",
    says="The exponential is written with eigenvectors and eigenvalues.",
    of="sgd",
    given=GIVEN,
    printed=Equal(FIRST, SECOND),
)

eq49_line3 = claim(
    "appG.eq49_line3",
    at="Appendix G, Eq. 49, third line",
    title="The first contribution: the inner integral",
    says="The integral over earlier times is taken.",
    of="sgd",
    given=GIVEN,
    printed=Equal(SECOND, THIRD),
)

eq49 = claim(
    "appG.eq49",
    at="Appendix G, Eq. 49, last line",
    title="The first contribution: the outer integral",
    says="The integral over the later time is taken.",
    of="sgd",
    given=GIVEN,
    printed=Equal(THIRD, FOURTH),
)

second_term = claim(
    "appG.second_term",
    at="Appendix G, after Eq. 49",
    title="The second contribution",
    says="The part over later times is the transpose of the first.",
    of="sgd",
    given=GIVEN,
    printed=Equal(AFTER, ANALOGOUS),
)

EQ50 = (A**-1 * Sigma + Sigma * A**-1) / (eps * T) + (
    U * Lambda**-2 * LESS * transpose(U) * Sigma + Sigma * U * Lambda**-2 * LESS * transpose(U)
) / (eps * T) ** 2

eq50 = claim(
    "appG.eq50",
    at="Appendix G, Eq. 50",
    title="Covariance of the averaged iterates",
    says="Both contributions together: a leading term in one over the window, and one that corrects it.",
    of="sgd",
    given=GIVEN,
    printed=Equal(averaged(T), EQ50),
)

long_window = claim(
    "appG.long_window",
    at="Appendix G, after Eq. 50",
    title="Long windows",
    says="Where eps T Lambda is large the leading term of Eq. 50 is left, which is Eq. 30.",
    of="sgd",
    given=GIVEN,
    printed=Order(averaged(T), "~", (A**-1 * Sigma + Sigma * A**-1) / (eps * T), growing(T)),
)

eq33_again = claim(
    "appG.eq33_again",
    at="Appendix G, last display",
    title="Eq. 50 for an isotropic stationary covariance",
    says="With Sigma = eps/(2S) I, as in the well-specified model, Eq. 50 becomes Eq. 33.",
    of="sgd",
    given=(*GIVEN, A5),
    printed=Equal(EQ50, A**-1 / (S * T) + U * Lambda**-2 * LESS * transpose(U) / (eps * S * T**2)),
)
