"""Section 6.2: the assumptions at small eps/S, and data that need fewer gradients."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.linear_chains import COST, LinearChains
from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE
from verification.notation import N, S
from verification.papers.mandt2017.hypotheses import A4, CONVEX, USUAL
from verification.statements import Order, claim, growing

small_ratio = claim(
    "sec6_2.small_ratio",
    at="section 6.2, Approximation error, second paragraph",
    title="A small eps/S makes Assumption 3 hold",
    says="With eps/S small enough, here as minibatches grow, discretisation is negligible.",
    of="sgd",
    given=(A4,),
    read=Order(SIGMA_DISCRETE, "~", SIGMA_CONTINUOUS, growing(S)),
)

rho = sp.Symbol("rho", positive=True)

redundant_data = LinearChains(
    "sec6_2.redundant_data",
    at="section 6.2, last paragraph, Assumption 5 violated",
    stands="read",
    title="Data with other noise are no easier",
    says="Where the gradients' covariance is a multiple rho of the curvature, a sample costs no less.",
    given=(*USUAL, CONVEX),
    printed=(Printed(COST, N, ">="),),
    noise=rho,
)
