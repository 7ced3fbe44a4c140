"""Appendix B: the stationary covariance from the solution of the process, line by line."""

from sympy import Derivative, Integer, Integral, Symbol, oo, sqrt

from verification.claims.base import Printed
from verification.claims.definition import NotMathematical
from verification.claims.spectral import Spectral
from verification.claims.spectral_limit import SpectralLimit, Tends
from verification.claims.spectral_solution import Solution
from verification.notation import A, C, S, Sigma, eps
from verification.papers.mandt2017.hypotheses import A4, CONVEX
from verification.spectral.words import MatrixExp

t, t_ = Symbol("t", positive=True), Symbol("tprime", real=True)
GROWN = MatrixExp(-A * (t - t_))
INTEGRAND = GROWN * C * GROWN
MEAN, KICK = MatrixExp(-A * t), sqrt(eps / S) * GROWN

FIRST = eps / S * Integral(A * INTEGRAND, (t_, -oo, t)) + eps / S * Integral(INTEGRAND, (t_, -oo, t)) * A
SECOND = eps / S * Integral(Derivative(INTEGRAND, t_), (t_, -oo, t))

eq38 = Solution(
    "appB.eq38",
    at="Appendix B, Eq. 38",
    title="The formal solution, read as one of Eq. 11",
    says="Mean and kicks decay like exp(-A t), and a fresh kick has covariance eps/S B B^T: that is to"
    " solve Eq. 11, whose drift and noise covariance are F and Q.",
    of="sgd",
    mean=MEAN,
    kick=KICK,
    now=t,
    past=t_,
)

eq38_rescaled = Solution(
    "appB.eq38_rescaled",
    at="Appendix B, Eq. 38, with time in units of 1/eps",
    title="The formal solution, read with time rescaled by the step",
    says="The same, with eps t called t: then drift and noise covariance are those of Eq. 11 over eps.",
    of="sgd",
    mean=MEAN,
    kick=KICK,
    now=t,
    past=t_,
    clock=1 / eps,
)

main_paper = NotMathematical(
    "appB.main_paper",
    at="Appendix B, before the display",
    title="Where the formal solution is printed",
    says="It points to the main paper for the formal solution, which is printed in this appendix only.",
)

first_line = Spectral(
    "appB.first_line",
    at="Appendix B, first line of the display",
    title="A times the covariance as integrals",
    says="The formal solution turns the left side of Eq. 13 into two integrals over the past.",
    of="sgd",
    given=(A4, CONVEX),
    printed=(Printed(A * Sigma + Sigma * A, FIRST),),
)

second_line = Spectral(
    "appB.second_line",
    at="Appendix B, second line of the display (its dt' is missing in print)",
    title="The two integrals as one of a derivative",
    says="Together the integrands are the derivative of one product with respect to the past time.",
    of="sgd",
    given=(A4, CONVEX),
    printed=(Printed(FIRST, SECOND),),
)

third_line = Spectral(
    "appB.third_line",
    at="Appendix B, third line of the display",
    title="The integral of the derivative",
    says="Only the upper limit contributes, and leaves the noise covariance times eps/S.",
    of="sgd",
    given=(A4, CONVEX),
    printed=(Printed(SECOND, eps / S * C),),
)

lower_limit = SpectralLimit(
    "appB.lower_limit",
    at="Appendix B, last sentence",
    stands="read",
    title="The lower limit vanishes",
    says="As the past time recedes the product of exponentials and noise covariance tends to zero.",
    given=(CONVEX,),
    variable=Symbol("tau", positive=True),
    limit="oo",
    printed=(Tends(INTEGRAND.subs(t_, t - Symbol("tau", positive=True)), Integer(0)),),
)
