"""Section 3: Algorithms 1 and 2, as schemes for Eq. 1 in p = u/h and Xi = alpha/h, h = sqrt(eta).

In these letters the noise sqrt(2 eta/beta) of u is sqrt(2/beta) of p, and a step takes the time h.
"""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
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
from verification.statements import Order, WeakOrder, claim, term, vanishing

EXACT = Assumption("gradients are exact")
CONSTANT = Assumption("the metric g = r^2 stands still, so that terms with its differences vanish")
metric = sp.Function("G", positive=True)
a, f = sp.Symbol("a", positive=True), sp.Symbol("f", real=True)  # a friction, a gradient
COLD = Diffusion((x, p), (r**2 * p, -(r**2) * slope - a * p), ((0,), (0,)))

alg1 = claim(
    "alg1",
    at="Algorithm 1, exploration",
    title="Algorithm 1 is the Euler scheme of Eq. 1",
    says="Its momentum gets a normal vector times sqrt(2 eta/beta) g, outside of the root.",
    given=(EXACT, CONSTANT),
    read=WeakOrder(equation(r**2, r**2, r), euler(sp.sqrt(2 / beta) * r**2, r**2), h, 1),
)

alg1_drift = claim(
    "alg1.drift",
    at="Algorithm 1, exploration",
    title="The drift of Algorithm 1 is that of Eq. 1",
    says="Both metrics being G(theta), with exact derivatives for its differences and no noise.",
    given=(EXACT,),
    read=WeakOrder(
        Diffusion(STATE, equation(G, G).drift, ((0,), (0,), (0,))),
        euler(sp.Integer(0), G, h * G.diff(x) / beta),
        h,
        1,
    ),
)

alg1_divides = claim(
    "alg1.difference",
    at="Algorithm 1, the first line of the momentum",
    title="The term with two metrics is the divergence term of Eq. 1",
    says="Over a step of eta it adds eta/beta times the slope of g, the old metric being that a step"
    " before.",
    states=(x, p),
    read=Order(
        term((1 - metric(x - metric(x) * p * h) / metric(x)) / p) - term(h * metric(x).diff(x)),
        "O",
        h**2,
        vanishing(h),
    ),
)

alg2 = claim(
    "alg2",
    at="Algorithm 2, exploration",
    title="Algorithm 2 is a scheme of second order for Eq. 1",
    says="Its momentum gets a normal vector times sqrt(2 g eta/beta), its gradient is that of the old"
    " position.",
    given=(EXACT, CONSTANT),
    read=WeakOrder(equation(r**2, r**2, r), splitting(sp.sqrt(2 / beta) * r, r**2, early=True), h, 2),
)

alg2_early = claim(
    "alg2.order",
    at="Algorithm 2, exploration, with the noise of Algorithm 4",
    title="With its noise mended Algorithm 2 is of second order",
    says="The gradient is evaluated at the old position, before the first half step of A.",
    given=(EXACT, CONSTANT),
    derived=WeakOrder(
        equation(r**2, r**2, r), splitting(sp.sqrt(2 * h / beta) * r, r**2, early=True), h, 2
    ),
)

alg1_refinement = claim(
    "alg1.refinement",
    at="Algorithm 1, refinement",
    title="Refinement is an Euler scheme of Eq. 1 at zero temperature",
    says="Frictions are fixed, and no noise is injected.",
    given=(EXACT, CONSTANT),
    read=WeakOrder(
        COLD, Step((x, p), ((p, (1 - h * a) * p - h * r**2 * slope), (x, x + h * r**2 * p))), h, 1
    ),
)

alg2_refinement = claim(
    "alg2.refinement",
    at="Algorithm 2, refinement",
    title="Refinement by splitting is of second order for Eq. 1 at zero temperature",
    says="Position and damping make half steps on either side of a kick with the old gradient.",
    given=(EXACT, CONSTANT),
    read=WeakOrder(
        COLD,
        Step(
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
        h,
        2,
    ),
)

accuracy = NotMathematical(
    "sec3.accuracy",
    at="section 3, sixth paragraph",
    title="The splitting is more accurate, at slightly more cost",
    says="It is recommended; its order as printed is recorded with Algorithm 2.",
    because="opinion",
)
