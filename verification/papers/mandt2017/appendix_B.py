"""Appendix B: the stationary covariance from the solution of the process, line by line."""

from verification.claims.definition import NotMathematical
from verification.papers.mandt2017.hypotheses import A4, CONVEX
from verification.statements import Equal, Order, Solves, claim, growing, letter, sqrt
from verification.terms.notation import A, C, S, Sigma, eps
from verification.theories.time.words import MINUS_INFINITY, F, Q, derivative, expm, integral, variable

t, t_, tau = letter("t"), variable("tprime"), letter("tau")
GROWN = expm(-A * (t - t_))
INTEGRAND = GROWN * C * GROWN
MEAN, KICK = expm(-A * t), sqrt(eps / S) * GROWN

FIRST = (
    eps / S * integral(A * INTEGRAND, (t_, MINUS_INFINITY, t))
    + eps / S * integral(INTEGRAND, (t_, MINUS_INFINITY, t)) * A
)
SECOND = eps / S * integral(derivative(INTEGRAND, t_), (t_, MINUS_INFINITY, t))

eq38 = claim(
    "appB.eq38",
    at="Appendix B, Eq. 38",
    title="The formal solution, read as one of Eq. 11",
    says="Mean and kicks decay like exp(-A t), and a fresh kick has covariance eps/S B B^T: that is to"
    " solve Eq. 11, whose drift and noise covariance are F and Q.",
    of="sgd",
    printed=Solves(MEAN, KICK, t, t_, rate=F, covariance=Q),
)

eq38_rescaled = claim(
    "appB.eq38_rescaled",
    at="Appendix B, Eq. 38, with time in units of 1/eps",
    title="The formal solution, read with time rescaled by the step",
    says="The same, with eps t called t: then drift and noise covariance are those of Eq. 11 over eps.",
    of="sgd",
    printed=Solves(MEAN, KICK, t, t_, rate=F / eps, covariance=Q / eps),
)

main_paper = NotMathematical(
    "appB.main_paper",
    at="Appendix B, before the display",
    title="Where the formal solution is printed",
    says="It points to the main paper for the formal solution, which is printed in this appendix only.",
)

first_line = claim(
    "appB.first_line",
    at="Appendix B, first line of the display",
    title="A times the covariance as integrals",
    says="The formal solution turns the left side of Eq. 13 into two integrals over the past.",
    of="sgd",
    given=(A4, CONVEX),
    printed=Equal(A * Sigma + Sigma * A, FIRST),
)

second_line = claim(
    "appB.second_line",
    at="Appendix B, second line of the display (its dt' is missing in print)",
    title="The two integrals as one of a derivative",
    says="Together the integrands are the derivative of one product with respect to the past time.",
    of="sgd",
    given=(A4, CONVEX),
    printed=Equal(FIRST, SECOND),
)

third_line = claim(
    "appB.third_line",
    at="Appendix B, third line of the display",
    title="The integral of the derivative",
    says="Only the upper limit contributes, and leaves the noise covariance times eps/S.",
    of="sgd",
    given=(A4, CONVEX),
    printed=Equal(SECOND, eps / S * C),
)

lower_limit = claim(
    "appB.lower_limit",
    at="Appendix B, last sentence",
    title="The lower limit vanishes",
    says="As the past time recedes the product of exponentials and noise covariance tends to zero.",
    given=(CONVEX,),
    read=Order(INTEGRAND.put({t_: t - tau}), "o", 1, growing(tau)),
)
