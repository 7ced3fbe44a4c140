"""Sections 4 and 4.1: the point estimate, the means, and what the online estimate costs.

Operations of a step are counted: S D for the mean gradient of a minibatch, D for the deviation of the
first gradient; with the diagonal 3 D for the recursion of Eq. 21 and 2 D for the gain, with the full
matrix 4 D^2 for both where the inverse is kept by updates of rank one.
"""

from sympy import Integer, Rational, symbols

from verification.claims.base import Printed
from verification.claims.bound import Bound
from verification.claims.rate import EXACTLY, Order, Rate
from verification.claims.stable import Settles, Stable
from verification.notation import N
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.wiener import theta

one, other, d, s = symbols("joint_1 joint_2 d s", positive=True)
OF_THE_ESTIMATE = 6 * d  # deviation, recursion and gain

point_estimate = Bound(
    "sec4.map",
    at="section 4, second paragraph",
    title="The least loss is at the largest posterior",
    says="Where the log joint is no smaller, the loss, minus one N-th of it, is no larger.",
    printed=(Printed(-other / N, -one / N, "<="),),
    where=(Printed(one, other, "<="),),
)

means_coincide = Stable(
    "sec4_1.means_coincide",
    at="section 4.1, before the display of KL(q || f)",
    title="The means of the law and of the posterior coincide",
    says="The mean of SGD's law is the minimum of the loss, which is the mean of the posterior.",
    of="sgd",
    given=(*USUAL, CONVEX),
    printed=(Settles(theta, Integer(0)),),
)

in_dimensions = Rate(
    "sec4_1.cost_in_dimensions",
    at="section 4.1, end",
    title="A diagonal estimate costs as much as there are dimensions",
    says="What a diagonal estimate takes in a step is proportional to the dimension.",
    printed=(Order(OF_THE_ESTIMATE, d, EXACTLY),),
    variable=d,
    limit="oo",
)

not_spoiled = Bound(
    "sec4_1.estimate_beside_gradients",
    at="section 4.1, end",
    title="The online estimate does not spoil the efficiency of SGD",
    says="What the estimate takes is at most a constant multiple of what the gradients take.",
    printed=(Printed(OF_THE_ESTIMATE, 6 * s * d, "<="),),
    where=(Printed(1, s, "<="),),
)

in_minibatch = Rate(
    "sec4_1.cost_in_minibatch",
    at="section 4.1, end",
    title="A diagonal estimate costs as much as there are examples",
    says="With a diagonal estimate the operations of a step are proportional to the minibatch size.",
    printed=(Order(s * d + OF_THE_ESTIMATE, s, EXACTLY),),
    variable=s,
    limit="oo",
)

full_gain = Rate(
    "sec4_1.cost_of_the_full_gain",
    at="section 4.1, end",
    title="Full preconditioning costs the square of the dimension",
    says="With a full matrix, its inverse kept by updates of rank one, the cost is quadratic.",
    printed=(Order(s * d + d + 4 * d**2, d**2, EXACTLY),),
    variable=d,
    limit="oo",
)

inverting = Rate(
    "sec4_1.cost_of_inverting",
    at="section 4.1, end, the estimate being inverted at every step",
    title="Inverting the full estimate costs the square of the dimension",
    says="With Eq. 21's matrix factored anew at every step, as Theorem 2 needs its inverse, the cost is"
    " still said to be quadratic.",
    printed=(Order(s * d + d + d**3 * Rational(1, 3) + 4 * d**2, d**2, EXACTLY),),
    variable=d,
    limit="oo",
)
