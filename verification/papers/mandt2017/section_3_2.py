"""Section 3.2: constant SGD as an Ornstein-Uhlenbeck process."""

from verification.claims.base import Printed
from verification.claims.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, eps
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL

eq13 = StationaryLaw(
    "eq13",
    at="Eq. 13",
    title="Stationary covariance of constant SGD",
    says="The covariance of the stationary law of constant SGD solves a Lyapunov equation.",
    of="sgd",
    given=(*USUAL, CONVEX),
    printed=(Printed(Sigma * A + A * Sigma, eps / S * C),),
)
