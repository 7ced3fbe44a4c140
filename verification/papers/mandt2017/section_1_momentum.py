"""Section 1, contribution 3: what momentum does to the stationary covariance."""

from verification.notation import Sigma, mu, trace
from verification.papers.mandt2017.hypotheses import USUAL
from verification.statements import Equal, claim
from verification.theories.matrices.words import elsewhere, tr

scale_not_shape = claim(
    "sec1.scale_not_shape",
    at="section 1, contribution 3",
    title="Momentum changes the scale, not the shape",
    says="The stationary covariance with momentum is some multiple of that without it.",
    of="momentum",
    given=USUAL,
    read=Equal(Sigma / trace(Sigma), elsewhere(Sigma, of="sgd") / tr(elsewhere(Sigma, of="sgd"))),
    kinds=(("mu", "fraction"),),
)

scaling_factor = claim(
    "sec1.scaling_factor",
    at="section 1, contribution 3",
    title="The factor depends on the damping alone",
    says="The multiple is a simple function of the damping coefficient: one over it.",
    of="momentum",
    given=USUAL,
    read=Equal(Sigma, elsewhere(Sigma, of="sgd") / mu),
    kinds=(("mu", "fraction"),),
)
