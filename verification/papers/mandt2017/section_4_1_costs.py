"""Section 4.1: what the online estimate costs.

Operations of a step are counted: S D for the mean gradient of a minibatch, D for the deviation of the
first gradient; with the diagonal 3 D for the recursion of Eq. 21 and 2 D for the gain, with the full
matrix 4 D^2 for both where the inverse is kept by updates of rank one.
"""

from sympy import Rational, symbols

from verification.statements import Compare, Order, claim, growing

d, s = symbols("d s", positive=True)  # dimensions, and examples of a minibatch
OF_THE_ESTIMATE = 6 * d  # deviation, recursion and gain

in_dimensions = claim(
    "sec4_1.cost_in_dimensions",
    at="section 4.1, end",
    title="A diagonal estimate costs as much as there are dimensions",
    says="What a diagonal estimate takes in a step is proportional to the dimension.",
    read=Order(OF_THE_ESTIMATE, "Theta", d, growing(d)),
)

not_spoiled = claim(
    "sec4_1.estimate_beside_gradients",
    at="section 4.1, end",
    title="The online estimate does not spoil the efficiency of SGD",
    says="What the estimate takes is at most a constant multiple of what the gradients take.",
    given=(Compare(1, "<=", s),),
    read=Compare(OF_THE_ESTIMATE, "<=", 6 * s * d),
)

in_minibatch = claim(
    "sec4_1.cost_in_minibatch",
    at="section 4.1, end",
    title="A diagonal estimate costs as much as there are examples",
    says="With a diagonal estimate the operations of a step are proportional to the minibatch size.",
    read=Order(s * d + OF_THE_ESTIMATE, "Theta", s, growing(s)),
)

full_gain = claim(
    "sec4_1.cost_of_the_full_gain",
    at="section 4.1, end",
    title="Full preconditioning costs the square of the dimension",
    says="With a full matrix, its inverse kept by updates of rank one, the cost is quadratic.",
    read=Order(s * d + d + 4 * d**2, "Theta", d**2, growing(d)),
)

inverting = claim(
    "sec4_1.cost_of_inverting",
    at="section 4.1, end, the estimate being inverted at every step",
    title="Inverting the full estimate costs the square of the dimension",
    says="With Eq. 21's matrix factored anew at every step, as Theorem 2 needs its inverse, the cost is"
    " still said to be quadratic.",
    read=Order(s * d + d + d**3 * Rational(1, 3) + 4 * d**2, "Theta", d**2, growing(d)),
)
