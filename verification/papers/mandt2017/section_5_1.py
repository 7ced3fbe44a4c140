"""Section 5.1: stochastic gradient Langevin dynamics at a constant rate."""

from verification.claims.base import Printed
from verification.claims.stationary import StationaryLaw
from verification.notation import A, C, N, S, Sigma, eps, identity
from verification.papers.mandt2017.hypotheses import USUAL

stationarity = StationaryLaw(
    "sec5_1.stationarity",
    at="section 5.1",
    title="Stationary covariance of SGLD at a constant rate",
    says="The covariance of SGLD solves the analogue of Eq. 13, injected noise beside the gradient's.",
    of="sgld",
    given=USUAL,
    printed=(Printed(N / 2 * (A * Sigma + Sigma * A), identity + eps * N / (2 * S) * C),),
)
