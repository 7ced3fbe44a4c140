"""Appendix E: the stationary law of stochastic gradient Fisher scoring, step by step."""

from sympy import Symbol, sqrt, symbols

from verification.notation import EE, A, B, C, E, H, S, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, ONE_EXAMPLE, USUAL
from verification.statements import Equal, FreeOf, InLaw, claim
from verification.terms.kinds import Transpose
from verification.terms.stochastic import Change, MatrixRoot, Row, dt, dV, dW, theta

T, A_prime, B_prime_squared = (Symbol(n, commutative=False) for n in ("T", "Aprime", "BBprime"))
_C, _D = symbols("C D", commutative=False)
_ONE = ((S, 1),)
_DRIFT = -eps * H * A * theta * dt

two_noises = claim(
    "appE.two_noises",
    at="Appendix E, first display, upper line",
    title="Fisher scoring as a process with two noises",
    says="Gradient noise and injected noise drive the process by Wiener processes of their own.",
    of="sgfs",
    given=(*USUAL, ONE_EXAMPLE),
    printed=InLaw(Row(Change(theta), _DRIFT + H * (eps * B * dW + sqrt(eps) * E * dV))),
)

one_noise = claim(
    "appE.one_noise",
    at="Appendix E, first display, lower line",
    title="The same process with one noise",
    says="With A' and B' put in, one Wiener process drives it, whose factor is a matrix root.",
    of="sgfs",
    given=(*USUAL, ONE_EXAMPLE),
    printed=InLaw(Row(Change(theta), _DRIFT + H * MatrixRoot(eps**2 * C + eps * EE) * dW)),
)

equivalence = claim(
    "appE.equivalence",
    at="Appendix E, after the first display",
    title="Two independent noises are one",
    says="A sum of two independent noises is a noise whose covariance is the sum of theirs.",
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

squared = claim(
    "appE.squared_factor",
    at="Appendix E, after the first display",
    title="The covariance of the one noise",
    says="The factor times its transpose is the covariance of both noises, with a gain on each side.",
    printed=InLaw(
        Row(
            H * MatrixRoot(eps**2 * C + eps * EE) * dW,
            MatrixRoot(eps * H * (eps * C + EE) * H) * dW,
            "~",
        )
    ),
)

stationarity = claim(
    "appE.stationarity",
    at="Appendix E, before the second display",
    title="The equation of the stationary covariance",
    says="Drift on the left and on the right of the covariance balances the noise.",
    of="sgfs",
    given=(*USUAL, CONVEX),
    printed=Equal(A_prime * Sigma + Sigma * Transpose(A_prime), B_prime_squared),
    where=((A_prime, eps * H * A), (B_prime_squared, eps * H * (eps * C + EE) * H)),
    sets=_ONE,
)

criterion = claim(
    "appE.criterion",
    at="Appendix E, second display",
    title="The same equation, divided by the step",
    says="Written out and divided by the step it balances gain, curvature and both noises.",
    of="sgfs",
    given=(*USUAL, CONVEX),
    printed=Equal(H * A * Sigma + Sigma * A * H, eps * H * C * H + H * EE * H),
    sets=_ONE,
)

multiplied = claim(
    "appE.multiplied",
    at="Appendix E, third display, first line",
    title="The equation multiplied by the inverse gain",
    says="Multiplied by the inverse gain from the left it begins with the product of A and Sigma.",
    of="sgfs",
    given=(*USUAL, CONVEX),
    printed=Equal(A * Sigma + H**-1 * Sigma * A * H, eps * C * H + EE * H),
    sets=_ONE,
)

traced = claim(
    "appE.trace",
    at="Appendix E, third display, second line",
    title="The trace of A Sigma",
    says="The trace depends on the gain and the noises alone.",
    of="sgfs",
    given=(*USUAL, CONVEX),
    printed=Equal(trace(A * Sigma), trace(H * (eps * C + EE)) / 2),
    sets=_ONE,
)

independent = claim(
    "appE.t_independent_of_h",
    at="Appendix E, before the last but one display",
    title="T does not depend on the gain",
    says="The covariance is written as T H, and T is said to be free of H.",
    of="sgfs",
    given=(*USUAL, CONVEX),
    read=FreeOf(Sigma * H**-1, H),
)

both_sides = claim(
    "appE.both_sides",
    at="Appendix E, last but one display, second line",
    title="The equation with inverse gains on both sides",
    says="Inverse gains from the left and from the right leave an equation for Sigma H^(-1).",
    of="sgfs",
    given=(*USUAL, CONVEX),
    printed=Equal(A * Sigma * H**-1 + H**-1 * Sigma * A, eps * C + EE),
    sets=_ONE,
)

for_T = claim(
    "appE.equation_for_t",
    at="Appendix E, last but one display, third line",
    title="The equation for T",
    says="With T for Sigma H^(-1), T and its transpose balance curvature and noises.",
    of="sgfs",
    given=(*USUAL, CONVEX),
    printed=Equal(A * T + Transpose(T) * A, eps * C + EE),
    where=((T, Sigma * H**-1),),
    sets=_ONE,
)
