"""Appendix E: the law and the divergence of stochastic gradient Fisher scoring, step by step."""

import sympy as sp
from sympy import Symbol, sqrt, symbols

from sgtheory.notation.matrixwords import Determinant
from verification.notation import EE, A, B, C, D, E, H, N, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, ONE_EXAMPLE, USUAL, sgfs
from verification.papers.mandt2017.letters import KL, logdet
from verification.statements import Assumption, Equal, FreeOf, InLaw, Section, at
from verification.terms.kinds import Transpose
from verification.terms.stochastic import Change, MatrixRoot, Row, dt, dV, dW, theta

T, A_prime, B_prime_squared = (Symbol(n, commutative=False) for n in ("T", "A'", "B'B'^T"))
_C, _D = symbols("C D", commutative=False)
_DRIFT = -eps * H * A * theta * dt
# the appendix begins with minibatch size S = 1
one_example = Section(of="sgfs", given=(*USUAL, CONVEX, FULL_RANK, ONE_EXAMPLE))

two_noises = one_example("appE.two_noises", "Appendix E, first display, upper line").claim(
    "Fisher scoring as a process with two noises",
    "Gradient noise and injected noise drive the process by Wiener processes of their own.",
    printed=InLaw(Row(Change(theta), _DRIFT + H * (eps * B * dW + sqrt(eps) * E * dV))),
)

one_noise = one_example("appE.one_noise", "Appendix E, first display, lower line").claim(
    "The same process with one noise",
    "With $A'$ and $B'$ put in, one Wiener process drives it, whose factor is a matrix root.",
    printed=InLaw(Row(Change(theta), _DRIFT + H * MatrixRoot(eps**2 * C + eps * EE) * dW)),
)

equivalence = at("appE.equivalence", "Appendix E, after the first display").claim(
    "Two independent noises are one",
    "A sum of two independent noises is a noise whose covariance is the sum of theirs.",
    printed=InLaw(
        Row(
            _C * dW + _D * dV,
            MatrixRoot(_C * Transpose(_C) + _D * Transpose(_D)) * dW,
            "~",
            plainly=True,
        )
    ),
    kinds=(("C", "any"), ("D", "any")),
)

squared = at("appE.squared_factor", "Appendix E, after the first display").claim(
    "The covariance of the one noise",
    "The factor times its transpose is the covariance of both noises, with a gain on each side.",
    given=(Assumption("$H$ is positive definite"),),
    read=InLaw(
        Row(
            H * MatrixRoot(eps**2 * C + eps * EE) * dW,
            MatrixRoot(eps * H * (eps * C + EE) * H) * dW,
            "~",
        )
    ),
)

stationarity = one_example("appE.stationarity", "Appendix E, before the second display").claim(
    "The equation of the stationary covariance",
    "Drift on the left and on the right of the covariance balances the noise.",
    printed=Equal(A_prime * Sigma + Sigma * Transpose(A_prime), B_prime_squared),
    where=((A_prime, eps * H * A), (B_prime_squared, eps * H * (eps * C + EE) * H)),
)

criterion = one_example("appE.criterion", "Appendix E, second display").claim(
    "The same equation, divided by the step",
    "Written out and divided by the step it balances gain, curvature and both noises.",
    printed=Equal(H * A * Sigma + Sigma * A * H, eps * H * C * H + H * EE * H),
)

multiplied = one_example("appE.multiplied", "Appendix E, third display, first line").claim(
    "The equation multiplied by the inverse gain",
    "Multiplied by the inverse gain from the left it begins with the product of $A$ and $Sigma$.",
    printed=Equal(A * Sigma + H**-1 * Sigma * A * H, eps * C * H + EE * H),
)

traced = one_example("appE.trace", "Appendix E, third display, second line").claim(
    "The trace of $A Sigma$",
    "The trace depends on the gain and the noises alone.",
    printed=Equal(trace(A * Sigma), trace(H * (eps * C + EE)) / 2),
)

independent = sgfs("appE.t_independent_of_h", "Appendix E, before the last but one display").claim(
    "$T$ does not depend on the gain",
    "The covariance is written as $T H$, and $T$ is said to be free of $H$.",
    read=FreeOf(Sigma * H**-1, H),
)

both_sides = one_example("appE.both_sides", "Appendix E, last but one display, second line").claim(
    "The equation with inverse gains on both sides",
    "Inverse gains from the left and from the right leave an equation for $Sigma H^(-1)$.",
    printed=Equal(A * Sigma * H**-1 + H**-1 * Sigma * A, eps * C + EE),
)

for_T = one_example("appE.equation_for_t", "Appendix E, last but one display, third line").claim(
    "The equation for $T$",
    "With $T$ for $Sigma H^(-1)$, $T$ and its transpose balance curvature and noises.",
    printed=Equal(A * T + Transpose(T) * A, eps * C + EE),
    where=((T, Sigma * H**-1),),
)

WITH_T = ((T, Sigma * H**-1),)
LOG_N_TIMES = sp.log(N * Determinant(A))  # log(N |A|), as printed
LINE_2 = N / 4 * trace(H * (eps * C + EE)) - D / 2 - LOG_N_TIMES / 2 - logdet(T) / 2 - logdet(H) / 2

constant = one_example("appE.kl_up_to_constant", "Appendix E, first display of KL").claim(
    "Divergence up to a constant",
    "A trace and a log determinant of the covariance, up to a constant.",
    printed=Equal(KL, N / 2 * trace(A * Sigma) - logdet(Sigma) / 2, constant_in=(H, eps, E)),
)

line_1 = one_example("appE.eq46.line_1", "Appendix E, Eq. 46, first line").claim(
    "Divergence with the covariance in it",
    "A trace, the dimension, log($N$ $|A|$) and the log determinant of the covariance.",
    printed=Equal(KL, N / 2 * trace(A * Sigma) - D / 2 - LOG_N_TIMES / 2 - logdet(Sigma) / 2),
)

line_2 = one_example("appE.eq46.line_2", "Appendix E, Eq. 46, second line").claim(
    "Divergence with the covariance taken out",
    "The trace by the noise covariances, and the log determinants of $T$ and $H$.",
    printed=Equal(KL, LINE_2),
    where=WITH_T,
)

main_text = one_example("appE.main_text", "Appendix E, after Eq. 46").claim(
    "Eq. 46 is the divergence of the main text",
    "Eq. 46, its log($N$ $|A|$) mended to log $|N A|$, is the result in the proof of Theorem 5.",
    read=Equal(
        LINE_2.subs(LOG_N_TIMES, logdet(N * A)),
        -N / 4 * trace(H * (eps * C + EE)) + logdet(T) / 2 + logdet(H) / 2 + logdet(N * A) / 2 + D / 2,
    ),
    where=WITH_T,
)
