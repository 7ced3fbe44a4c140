"""Section 1, contribution 3: what momentum does to the stationary covariance."""

from verification.claims.carried import Carried, SameFor
from verification.notation import Sigma, mu
from verification.papers.mandt2017.hypotheses import USUAL

scale_not_shape = Carried(
    "sec1.scale_not_shape",
    at="section 1, contribution 3",
    stands="read",
    title="Momentum changes the scale, not the shape",
    says="The stationary covariance with momentum is some multiple of that without it.",
    of="momentum",
    given=USUAL,
    printed=(SameFor(Sigma, None, other="sgd"),),
    kinds=(("mu", "fraction"),),
)

scaling_factor = Carried(
    "sec1.scaling_factor",
    at="section 1, contribution 3",
    stands="read",
    title="The factor depends on the damping alone",
    says="The multiple is a simple function of the damping coefficient: one over it.",
    of="momentum",
    given=USUAL,
    printed=(SameFor(Sigma, 1 / mu, other="sgd"),),
    kinds=(("mu", "fraction"),),
)
