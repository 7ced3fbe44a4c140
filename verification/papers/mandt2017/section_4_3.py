"""Section 4.3: SGD with momentum, its updates, its stationary law, and which parameters matter."""

import sympy as sp

from sgtheory import registry
from sgtheory.dynamics.steps import Step
from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.laws.quantities import DIVERGENCE
from verification.notation import A, C, S, Sigma, eps, mu, second
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.statements import All, Equal, Stable, claim, same
from verification.terms.kinds import LOSS, PARAMETER, column, number
from verification.theories.matrices.increments import mean_of, rate_of_mean
from verification.theories.matrices.words import elsewhere

ZERO = sp.Integer(0)
theta, v, v_next, theta_next, g = sp.symbols("theta v v_next theta_next g", commutative=False)
x, u = sp.symbols("theta v", real=True)
gradient = sp.Function("gradient")
b = sp.Symbol("b", positive=True)  # a factor between 0 and 1
c = sp.Symbol("c", positive=True, integer=True)  # a factor of the minibatch size

updates_defined = Definition(
    "sec4_3.updates_defined",
    at="section 4.3, the display before Eq. 23",
    title="Position and momentum",
    says="A momentum of the kind of the position keeps a share of itself and takes in the new gradient.",
    printed=(Printed(v_next, (1 - mu) * v - eps * g), Printed(theta_next, theta + v_next)),
    declared=(
        (v, column(PARAMETER)),
        (v_next, column(PARAMETER)),
        (theta, column(PARAMETER)),
        (theta_next, column(PARAMETER)),
        (g, column(LOSS / PARAMETER)),
        (eps, number(PARAMETER**2 / LOSS)),
        (mu, number()),
    ),
)

damping_range = claim(
    "sec4_3.damping_range",
    at="section 4.3, before Eq. 23",
    title="The damping coefficient is between 0 and 1",
    says="Any damping in the closed interval is admitted; then the process has to settle for each.",
    of="momentum",
    given=USUAL,
    read=Stable(),
    kinds=(("mu", "unit"),),
)

overdamped = claim(
    "sec4_3.overdamped",
    at="section 4.3, before Eq. 23",
    title="Infinite damping gives back SGD",
    says="At mu = 1 the momentum is forgotten, and positions are those of SGD, whatever the loss.",
    states=(x, u, gradient),
    read=same(
        Step((x, u), ((u, -eps * gradient(x)), (x, x + u))),
        Step.of(registry.sampler("sgd")),
        ((registry.sampler("sgd").state[0], x),),
    ),
)

mean_velocity = claim(
    "sec4_3.mean_velocity",
    at="section 4.3, the display after Eq. 23",
    title="First moment of the velocity",
    says="The mean velocity is damped and pulled back by the mean force.",
    of="momentum",
    given=USUAL,
    printed=Equal(rate_of_mean("v"), -mu * mean_of("v") - eps * A * mean_of("theta")),
)

mean_position = claim(
    "sec4_3.mean_position",
    at="section 4.3, the display after Eq. 23",
    title="First moment of the position",
    says="The mean position moves with the mean velocity.",
    of="momentum",
    given=USUAL,
    printed=Equal(rate_of_mean("theta"), mean_of("v")),
)

means_settle = claim(
    "sec4_3.means_settle",
    at="section 4.3, after Eq. 23",
    title="The means converge to the optimum",
    says="Mean position and mean velocity tend to zero, from wherever the chain begins.",
    of="momentum",
    given=(*USUAL, CONVEX),
    read=Stable(),
    kinds=(("mu", "up to one"),),
)

eq24 = claim(
    "eq24",
    at="Eq. 24",
    title="Energy balance and fluctuation-dissipation of momentum SGD",
    says="Velocities balance positions, and their covariance is that of the noise over the damping.",
    of="momentum",
    given=USUAL,
    printed=All(
        Equal(second("v", "v"), eps / 2 * Sigma * A + eps / 2 * A * Sigma),
        Equal(mu * second("v", "v"), eps**2 / (2 * S) * C),
    ),
)

eq24_first = claim(
    "eq24.first",
    at="Eq. 24, first line",
    title="Velocities balance positions",
    says="The velocity's covariance is the position's, multiplied by the curvature from both sides.",
    of="momentum",
    given=USUAL,
    printed=Equal(second("v", "v"), eps / 2 * Sigma * A + eps / 2 * A * Sigma),
)

eq24_second = claim(
    "eq24.second",
    at="Eq. 24, second line",
    title="Velocities carry the noise over the damping",
    says="The damping times the covariance of the velocity is half of the noise.",
    of="momentum",
    given=USUAL,
    printed=Equal(mu * second("v", "v"), eps**2 / (2 * S) * C),
)

energies = claim(
    "sec4_3.energies",
    at="section 4.3, after Eq. 24",
    title="Expected kinetic and potential energies are equal",
    says="With the two matrices named as they are in the text, energy is conserved in expectation.",
    of="momentum",
    given=USUAL,
    read=Equal(second("v", "v"), Sigma * A / 2 + A * Sigma / 2),
)

temperature = claim(
    "sec4_3.temperature",
    at="section 4.3, after Eq. 24",
    title="The noise is a matrix-valued temperature",
    says="The covariance of the velocity is a multiple of that of the noise.",
    of="momentum",
    given=USUAL,
    read=Equal(second("v", "v"), eps**2 / (2 * mu * S) * C),
)

fluctuation_dissipation = NotMathematical(
    "sec4_3.fluctuation_dissipation",
    at="section 4.3, after Eq. 24",
    title="The theorem of Nyquist",
    says="The relation between velocities and noise is named after Nyquist's theorem.",
    because="attribution",
)

eq25 = claim(
    "eq25",
    at="Eq. 25",
    title="Stationary covariance of SGD with momentum",
    says="Momentum only rescales the covariance of constant SGD by one over the damping.",
    of="momentum",
    given=USUAL,
    printed=Equal(Sigma * A + A * Sigma, eps / (mu * S) * C),
)

same_as_sgd = claim(
    "sec4_3.same_as_sgd",
    at="section 4.3, after Eq. 25",
    title="It is SGD's equation with the noise rescaled",
    says="The covariance with momentum is that of SGD at the rate eps/mu.",
    of="momentum",
    given=USUAL,
    read=Equal(Sigma, elsewhere(Sigma, (eps, eps / mu), of="sgd")),
    kinds=(("mu", "fraction"),),
)

only_the_combination = claim(
    "sec4_3.only_the_combination",
    at="section 4.3, after Eq. 25",
    title="Only eps/(mu S) affects the divergence",
    says="As long as one ratio of rate, damping and batch size stays, so does the divergence.",
    of="momentum",
    given=(*USUAL, CONVEX, FULL_RANK),
    read=Equal(DIVERGENCE, elsewhere(DIVERGENCE, (eps, b * c * eps), (mu, b * mu), (S, c * S))),
    kinds=(("B", "positive definite"), ("mu", "up to one"), ("b", "fraction"), ("c", "square count")),
)

many_combinations = claim(
    "sec4_3.many_combinations",
    at="section 4.3, after Eq. 25",
    title="Many combinations have one stationary law",
    says="A smaller rate with as much less damping leaves the stationary distribution as it is.",
    of="momentum",
    given=USUAL,
    read=Equal(Sigma, elsewhere(Sigma, (eps, b * eps), (mu, b * mu))),
    kinds=(("mu", "up to one"), ("b", "fraction")),
)

batch_for_rate = claim(
    "sec4_3.batch_for_rate",
    at="section 4.3, after Eq. 25",
    title="Rate and batch size play similar roles",
    says="A larger rate with as much larger minibatches leaves the stationary distribution as it is.",
    of="momentum",
    given=USUAL,
    read=Equal(Sigma, elsewhere(Sigma, (eps, c * eps), (S, c * S))),
    kinds=(("mu", "up to one"), ("c", "square count")),
)
