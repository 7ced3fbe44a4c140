"""Section 4.1: constant SGD, and the steps and gains that bring it closest to the posterior."""

from verification.claims.base import Printed
from verification.claims.freedom import DIAGONAL_OVER, GAIN_OVER, STEP_OVER
from verification.claims.minimiser import Minimiser
from verification.claims.posterior import SamplesPosterior
from verification.notation import (
    C,
    D,
    Diagonal,
    H,
    N,
    S,
    eps,
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
