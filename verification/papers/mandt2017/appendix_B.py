"""Appendix B: the stationary covariance from the solution of the process, line by line."""

from verification.papers.mandt2017.hypotheses import A4, CONVEX
from verification.relations import Equal, Order, Solves, growing
from verification.statements import MINUS_INFINITY, Section, at, letter, sqrt
from verification.terms.notation import A, C, S, Sigma, eps
from verification.theories.time.words import F, Q, derivative, expm, integral, variable

t, t_, tau = letter("t"), variable("tprime"), letter("tau")
GROWN = expm(-A * (t - t_))
INTEGRAND = GROWN * C * GROWN
MEAN, KICK = expm(-A * t), sqrt(eps / S) * GROWN

FIRST = (
    eps / S * integral(A * INTEGRAND, (t_, MINUS_INFINITY, t))
    + eps / S * integral(INTEGRAND, (t_, MINUS_INFINITY, t)) * A
)
SECOND = eps / S * integral(derivative(INTEGRAND, t_), (t_, MINUS_INFINITY, t))

eq38 = at("appB.eq38", "Appendix B, Eq. 38").claim(
    "The formal solution, read as one of Eq. 11",
    "Mean and kicks decay like $exp(-A t)$, and a fresh kick has covariance $eps/S B B^T$: that is to"
    " solve Eq. 11, whose drift and noise covariance are $F$ and $Q$.",
    of="sgd",
    printed=Solves(MEAN, KICK, t, t_, rate=F, covariance=Q),
)

eq38_rescaled = at("appB.eq38_rescaled", "Appendix B, Eq. 38, with time in units of 1/eps").claim(
    "The formal solution, read with time rescaled by the step",
    "The same, with $eps t$ called $t$: then drift and noise covariance are those of Eq. 11 over $eps$.",
    of="sgd",
    read=Solves(MEAN, KICK, t, t_, rate=F / eps, covariance=Q / eps),
)

main_paper = at("appB.main_paper", "Appendix B, before the display").reference(
    "Where the formal solution is printed",
    "It points to the main paper for the formal solution, which is printed in this appendix only.",
)

sgd = Section(of="sgd", given=(A4, CONVEX))

first_line = sgd("appB.first_line", "Appendix B, first line of the display").claim(
    "A times the covariance as integrals",
    "The formal solution turns the left side of Eq. 13 into two integrals over the past.",
    printed=Equal(A * Sigma + Sigma * A, FIRST),
)

second_line = sgd(
    "appB.second_line", "Appendix B, second line of the display (its dt' is missing in print)"
).claim(
    "The two integrals as one of a derivative",
    "Together the integrands are the derivative of one product with respect to the past time.",
    printed=Equal(FIRST, SECOND),
)

third_line = sgd("appB.third_line", "Appendix B, third line of the display").claim(
    "The integral of the derivative",
    "Only the upper limit contributes, and leaves the noise covariance times $eps/S$.",
    printed=Equal(SECOND, eps / S * C),
)

lower_limit = at("appB.lower_limit", "Appendix B, last sentence").claim(
    "The lower limit vanishes",
    "As the past time recedes the product of exponentials and noise covariance tends to zero.",
    given=(CONVEX,),
    read=Order(INTEGRAND.put({t_: t - tau}), "o", 1, growing(tau)),
)
