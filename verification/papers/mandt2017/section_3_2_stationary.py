"""Section 3.2, Assumption 4 and the stationary law: constant SGD as an Ornstein-Uhlenbeck process."""

import sympy as sp

from verification.claims.base import Assumption, Printed
from verification.claims.definition import Definition, NotMathematical
from verification.notation import A, C, D, S, Sigma, eps, identity
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.statements import Compare, Equal, FreeOf, claim, letter
from verification.terms.batchwords import At, FixedColumn, FixedSquare, Gradient, Hessian, Inner, theta
from verification.terms.kinds import PARAMETER, Transpose, column, number, square
from verification.theories.matrices.words import elsewhere, rank

c = letter("c")  # a number that multiplies A
CURVATURE = FixedSquare("A", commutative=False)
optimum = FixedColumn("optimum", commutative=False)
QUADRATIC = Inner(theta, CURVATURE * theta) / 2

eq10 = claim(
    "eq10",
    at="Assumption 4, Eq. 10",
    title="Gradient of the quadratic loss",
    says="The gradient of half theta A theta is A theta, the drift of Eq. 11.",
    derived=Equal(Gradient(QUADRATIC), CURVATURE * theta),
)

hessian = claim(
    "sec3_2.hessian",
    at="Assumption 4, after Eq. 10",
    title="A is the Hessian at the optimum",
    says="The symmetric matrix A of Eq. 10 is the Hessian of the loss.",
    read=Equal(Hessian(QUADRATIC), CURVATURE),
)

minimum_at_zero = claim(
    "sec3_2.minimum_at_zero",
    at="Assumption 4, after Eq. 10",
    title="The minimum may be taken to be at 0",
    says="A quadratic loss about any optimum is that of Eq. 10 in coordinates that start there.",
    read=Equal(
        At(Inner(theta - optimum, CURVATURE * (theta - optimum)) / 2, theta + optimum), QUADRATIC
    ),
)

kramers = NotMathematical(
    "sec3_2.exit_times",
    at="section 3.2, after Eq. 10",
    title="Exit times are exponential in the height of barriers",
    says="That minima are left after times exponential in the barriers' height is ascribed to Kramers.",
    because="attribution",
)

q = sp.Symbol("q")
position, covariance = sp.symbols("theta Sigma", commutative=False)

eq12 = Definition(
    "eq12",
    at="Eq. 12",
    title="The stationary density is normal",
    says="The stationary density is the exponential of minus half a quadratic form of Sigma's inverse.",
    printed=(Printed(q, sp.exp(-Transpose(position) * covariance**-1 * position / 2)),),
    declared=((q, number()), (position, column(PARAMETER)), (covariance, square(PARAMETER**2))),
)

eq13 = claim(
    "eq13",
    at="Eq. 13",
    title="Stationary covariance of constant SGD",
    says="The covariance of the stationary law of constant SGD solves a Lyapunov equation.",
    of="sgd",
    given=(*USUAL, CONVEX),
    printed=Equal(Sigma * A + A * Sigma, eps / S * C),
)

proportional_to_eps = claim(
    "sec3_2.proportional_to_eps",
    at="section 3.2, after Eq. 13",
    title="Sigma is proportional to the learning rate",
    says="The stationary covariance is proportional to the learning rate.",
    of="sgd",
    given=(*USUAL, CONVEX),
    read=FreeOf(Sigma / eps, eps),
)

inverse_to_A = claim(
    "sec3_2.inverse_to_A",
    at="section 3.2, after Eq. 13",
    title="Sigma is inversely proportional to the magnitude of A",
    says="With A multiplied by a number the stationary covariance is divided by it.",
    of="sgd",
    given=(*USUAL, CONVEX),
    read=Equal(c * elsewhere(Sigma, (A, c * A)), Sigma),
)

inverse_to_S = claim(
    "sec3_2.inverse_to_S",
    at="section 3.2, after Eq. 13",
    title="Sigma is inversely proportional to the minibatch size",
    says="The stationary covariance is inversely proportional to the size of minibatches.",
    of="sgd",
    given=(*USUAL, CONVEX),
    read=FreeOf(S * Sigma, S),
)

phases = NotMathematical(
    "sec3_2.three_phases",
    at="section 3.2, discussion of Assumptions 1-4",
    title="SGD has three phases",
    says="SGD is said to search, then to approach an optimum, and then to sample around it.",
    because="opinion",
)

deficient = claim(
    "sec3_2.rank",
    at="section 3.2, last paragraph",
    title="Deficient noise gives a deficient covariance",
    says="Where the noise covariance has not full rank, neither has the stationary covariance.",
    of="sgd",
    given=(*USUAL, CONVEX, Compare(rank(C), "<", D)),
    read=Compare(rank(Sigma), "<", D),
)

isotropic_noise = claim(
    "sec3_2.isotropic_noise",
    at="section 3.2, last paragraph",
    title="A little isotropic noise enforces full rank",
    says="With isotropic noise added, however small, the noise covariance has full rank: is definite.",
    given=(Assumption("the added noise is normal, with covariance delta I, independent of the data"),),
    read=Compare(C + letter("delta") * identity, ">", 0),
)
