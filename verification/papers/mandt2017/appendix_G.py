"""Appendix G: the covariance of averaged iterates, line by line."""

from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.statements import Assumption, Equal, Order, Section, at, growing, letter, letters
from verification.terms.notation import A, C, I, S, Sigma, eps
from verification.theories.matrices.words import transpose
from verification.theories.time.words import Lambda, U, averaged, expm, integral, lagged, variable

T, t, s = letters("T t s", "count")  # times that are given
_t, _s, u = map(variable, ("t", "s", "u"))  # and that are integrated over
c = letter("c")
GIVEN = (*USUAL, CONVEX, Assumption("the chain is in its stationary law"))
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
sgd = Section(of="sgd", given=GIVEN)

eq48_earlier = sgd("appG.eq48_earlier", "Appendix G, Eq. 48, $t < s$").claim(
    "Covariance at two times, the first earlier",
    "The stationary covariance, times the exponential of the lag on its right.",
    printed=Equal(lagged(t, s), Sigma * expm(-eps * A * (s - t))),
    given=(t < s,),
)

eq48_later = sgd("appG.eq48_later", "Appendix G, Eq. 48, $t >= s$").claim(
    "Covariance at two times, the first later",
    "The exponential of the lag on its left, times the stationary covariance.",
    printed=Equal(lagged(t, s), expm(-eps * A * (t - s)) * Sigma),
    given=(s < t,),
)

from_eq29 = at("appG.from_eq29", "Appendix G, after Eq. 48").reference(
    "Which equation Eq. 48 is derived with",
    "It names Eq. 29, the time average, where the formal solution of the process, Eq. 38, is used.",
)

from_eq38 = sgd("appG.from_eq38", "Appendix G, after Eq. 48, with Eq. 38 as printed").claim(
    "Eq. 48 from the formal solution as printed",
    "The kicks of Eq. 38, each decaying like $exp(-A t)$, are said to add up to Eq. 48.",
    read=Equal(
        eps / S * integral(expm(-A * (t - u)) * C * expm(-A * (s - u)), (u, 0, s))
        + expm(-A * t) * Sigma * expm(-A * s),
        expm(-eps * A * (t - s)) * Sigma,
    ),
    given=(s < t,),
)

equal_times = sgd("appG.equal_times", "Appendix G, after Eq. 48").claim(
    "Equal times",
    "Where both times are one, the stationary covariance is left.",
    printed=Equal(lagged(t, t), Sigma),
)

double_integral = sgd("appG.double_integral", "Appendix G, definition of $D$ and the line below").claim(
    "Covariance of the average as a double integral",
    "The covariance of the time average is that at two times, averaged over both.",
    printed=Equal(averaged(T), integral(TWO_TIMES, (_s, 0, T), (_t, 0, T)) / T**2),
)

two_contributions = sgd("appG.two_contributions", "Appendix G, the two contributions").claim(
    "The double integral in two parts",
    "One part is over the times before, the other over the times after.",
    printed=Equal(integral(TWO_TIMES, (_s, 0, T), (_t, 0, T)) / T**2, BEFORE + AFTER),
)

exponential = at("appG.exponential", "Appendix G, before Eq. 49").claim(
    "The exponential in the eigenbasis",
    "The exponential of a multiple of $A$ is that of its eigenvalues, turned by the eigenvectors.",
    given=(CONVEX,),
    printed=Equal(expm(c * A), U * expm(c * Lambda) * transpose(U)),
)

eq49_line1 = sgd("appG.eq49_line1", "Appendix G, Eq. 49, first line").claim(
    "The first contribution: Eq. 48 put in",
    "Among earlier times the covariance is the exponential times the stationary one.",
    printed=Equal(BEFORE, FIRST),
)

eq49_line2 = sgd("appG.eq49_line2", "Appendix G, Eq. 49, second line").claim(
    "The first contribution: in the eigenbasis",
    "The exponential is written with eigenvectors and eigenvalues.",
    printed=Equal(FIRST, SECOND),
)

eq49_line3 = sgd("appG.eq49_line3", "Appendix G, Eq. 49, third line").claim(
    "The first contribution: the inner integral",
    "The integral over earlier times is taken.",
    printed=Equal(SECOND, THIRD),
)

eq49 = sgd("appG.eq49", "Appendix G, Eq. 49, last line").claim(
    "The first contribution: the outer integral",
    "The integral over the later time is taken.",
    printed=Equal(THIRD, FOURTH),
)

second_term = sgd("appG.second_term", "Appendix G, after Eq. 49").claim(
    "The second contribution",
    "The part over later times is the transpose of the first.",
    printed=Equal(AFTER, ANALOGOUS),
)

EQ50 = (A**-1 * Sigma + Sigma * A**-1) / (eps * T) + (
    U * Lambda**-2 * LESS * transpose(U) * Sigma + Sigma * U * Lambda**-2 * LESS * transpose(U)
) / (eps * T) ** 2

eq50 = sgd("appG.eq50", "Appendix G, Eq. 50").claim(
    "Covariance of the averaged iterates",
    "Both contributions together: a leading term in one over the window, and one that corrects it.",
    printed=Equal(averaged(T), EQ50),
)

long_window = sgd("appG.long_window", "Appendix G, after Eq. 50").claim(
    "Long windows",
    "Where $eps T Lambda$ is large the leading term of Eq. 50 is left, which is Eq. 30.",
    printed=Order(averaged(T), "~", (A**-1 * Sigma + Sigma * A**-1) / (eps * T), growing(T)),
)

eq33_again = sgd("appG.eq33_again", "Appendix G, last display").claim(
    "Eq. 50 for an isotropic stationary covariance",
    "With $Sigma = eps/(2S) I$, as in the well-specified model, Eq. 50 becomes Eq. 33.",
    printed=Equal(EQ50, A**-1 / (S * T) + U * Lambda**-2 * LESS * transpose(U) / (eps * S * T**2)),
    where=((Sigma, eps / (2 * S) * I),),
)
