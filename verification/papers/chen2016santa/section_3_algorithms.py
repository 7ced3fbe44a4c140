"""Section 3: Algorithms 1 and 2, as schemes for Eq. 1 in p = u/h and Xi = alpha/h, h = sqrt(eta).

In these letters the noise sqrt(2 eta/beta) of u is sqrt(2/beta) of p, and a step takes the time h.
"""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.claims.approximation import Approximates
from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
from verification.claims.weak_order import WeakOrder
from verification.papers.chen2016santa.processes import (
    STATE,
    G,
    beta,
    equation,
    euler,
    h,
    p,
    r,
    slope,
    splitting,
    x,
)

EXACT = Assumption("gradients are exact")
CONSTANT = Assumption("the metric g = r^2 stands still, so that terms with its differences vanish")
metric = sp.Function("G", positive=True)
a, f = sp.Symbol("a", positive=True), sp.Symbol("f", real=True)  # a friction, a gradient
COLD = Diffusion((x, p), (r**2 * p, -(r**2) * slope - a * p), ((0,), (0,)))

alg1 = WeakOrder(
    key="alg1",
    at="Algorithm 1, exploration",
    stands="read",
    title="Algorithm 1 is the Euler scheme of Eq. 1",
    says="Its momentum gets a normal vector times sqrt(2 eta/beta) g, outside of the root.",
    given=(EXACT, CONSTANT),
    process=equation(r**2, r**2, r),
    step=euler(sp.sqrt(2 / beta) * r**2, r**2),
    h=h,
    order=1,
)

alg1_drift = WeakOrder(
    key="alg1.drift",
    at="Algorithm 1, exploration",
    stands="read",
    title="The drift of Algorithm 1 is that of Eq. 1",
    says="Both metrics being G(theta), with exact derivatives for its differences and no noise.",
    given=(EXACT,),
    process=Diffusion(STATE, equation(G, G).drift, ((0,), (0,), (0,))),
    step=euler(sp.Integer(0), G, h * G.diff(x) / beta),
    h=h,
    order=1,
)

alg1_divides = Approximates(
    key="alg1.difference",
    at="Algorithm 1, the first line of the momentum",
    stands="read",
    title="The term with two metrics is the divergence term of Eq. 1",
    says=(
        "Over a step of eta it adds eta/beta times the slope of g, the old metric being that a step"
        " before."
    ),
    left=(1 - metric(x - metric(x) * p * h) / metric(x)) / p,
    right=h * metric(x).diff(x),
    h=h,
    order=2,
    state=(x, p),
)

alg2 = WeakOrder(
    key="alg2",
    at="Algorithm 2, exploration",
    stands="read",
    title="Algorithm 2 is a scheme of second order for Eq. 1",
    says=(
        "Its momentum gets a normal vector times sqrt(2 g eta/beta), its gradient is that of the old"
        " position."
    ),
    given=(EXACT, CONSTANT),
    process=equation(r**2, r**2, r),
    step=splitting(sp.sqrt(2 / beta) * r, r**2, early=True),
    h=h,
    order=2,
)

alg2_early = WeakOrder(
    key="alg2.order",
    at="Algorithm 2, exploration, with the noise of Algorithm 4",
    stands="derived",
    title="With its noise mended Algorithm 2 is of second order",
    says="The gradient is evaluated at the old position, before the first half step of A.",
    given=(EXACT, CONSTANT),
    process=equation(r**2, r**2, r),
    step=splitting(sp.sqrt(2 * h / beta) * r, r**2, early=True),
    h=h,
    order=2,
)

alg1_refinement = WeakOrder(
    key="alg1.refinement",
    at="Algorithm 1, refinement",
    stands="read",
    title="Refinement is an Euler scheme of Eq. 1 at zero temperature",
    says="Frictions are fixed, and no noise is injected.",
    given=(EXACT, CONSTANT),
    process=COLD,
    step=Step((x, p), ((p, (1 - h * a) * p - h * r**2 * slope), (x, x + h * r**2 * p))),
    h=h,
    order=1,
)

alg2_refinement = WeakOrder(
    key="alg2.refinement",
    at="Algorithm 2, refinement",
    stands="read",
    title="Refinement by splitting is of second order for Eq. 1 at zero temperature",
    says="Position and damping make half steps on either side of a kick with the old gradient.",
    given=(EXACT, CONSTANT),
    process=COLD,
    step=Step(
        (x, p),
        (
            (f, -(r**2) * slope),
            (x, x + r**2 * p * h / 2),
            (p, p * sp.exp(-a * h / 2)),
            (p, p + h * f),
            (p, p * sp.exp(-a * h / 2)),
            (x, x + r**2 * p * h / 2),
        ),
    ),
    h=h,
    order=2,
)

accuracy = NotMathematical(
    "sec3.accuracy",
    at="section 3, sixth paragraph",
    title="The splitting is more accurate, at slightly more cost",
    says="It is recommended; its order as printed is recorded with Algorithm 2.",
    because="opinion",
)
