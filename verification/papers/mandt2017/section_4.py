"""Section 4: SGD as approximate inference."""

from verification.claims.base import Printed
from verification.claims.best import DIAGONAL_OVER, GAIN_OVER, STEP_OVER
from verification.claims.minimiser import Minimiser
from verification.claims.posterior import SamplesPosterior
from verification.claims.stationary import StationaryLaw
from verification.notation import (
    A,
    C,
    D,
    Diagonal,
    H,
    N,
    S,
    Sigma,
    eps,
    mu,
    second,
    trace,
)
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL

thm1 = Minimiser(
    "thm1",
    at="Theorem 1, Eq. 15",
    title="The best constant learning rate",
    says="Among scalar learning rates this one brings the law of constant SGD closest to the posterior.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK),
    printed=(Printed(eps, 2 * S / N * D / trace(C)),),
    over=STEP_OVER,
)

thm2 = Minimiser(
    "thm2",
    at="Theorem 2, Eq. 17",
    title="The best preconditioner",
    says="Among positive-definite preconditioners this one brings the law closest to the posterior.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK),
    printed=(Printed(H, 2 * S / N * C**-1),),
    over=GAIN_OVER,
)

cor3 = Minimiser(
    "cor3",
    at="Corollary 3",
    title="The best diagonal preconditioner",
    says="Among diagonal preconditioners the inverse of the diagonal of the noise covariance is best.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK),
    printed=(Printed(H, 2 * S / N * Diagonal(C) ** -1),),
    over=DIAGONAL_OVER,
)

cor4 = SamplesPosterior(
    "cor4",
    at="Corollary 4",
    title="The full preconditioner samples the posterior",
    says="With the preconditioner of Theorem 2 the stationary law is the posterior itself.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK),
    printed=(Printed(H, 2 * S / N * C**-1),),
)

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
