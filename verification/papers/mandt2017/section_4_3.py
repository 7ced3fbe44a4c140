"""Section 4.3: SGD with momentum."""

from verification.claims.base import Printed
from verification.claims.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, eps, mu, second
from verification.papers.mandt2017.hypotheses import USUAL

eq24 = StationaryLaw(
    "eq24",
    at="Eq. 24",
    title="Energy balance and fluctuation-dissipation of momentum SGD",
    says="Velocities balance positions, and their covariance is that of the noise over the damping.",
    of="momentum",
    given=USUAL,
    printed=(
        Printed(second("v", "v"), eps / 2 * Sigma * A + eps / 2 * A * Sigma),
        Printed(mu * second("v", "v"), eps**2 / (2 * S) * C),
    ),
)

eq25 = StationaryLaw(
    "eq25",
    at="Eq. 25",
    title="Stationary covariance of SGD with momentum",
    says="Momentum only rescales the covariance of constant SGD by one over the damping.",
    of="momentum",
    given=USUAL,
    printed=(Printed(Sigma * A + A * Sigma, eps / (mu * S) * C),),
)
