"""Section 4.3: SGD with momentum, its process and law, what becomes of it at mu = 1, its dynamics."""

import sympy as sp
from sympy import Symbol, sqrt

from sgtheory.notation.matrixwords import Entry
from verification.laws.lagsums import correlation_time, correlation_time_of_square
from verification.laws.quantities import DIVERGENCE
from verification.notation import A, B, C, D, N, S, Sigma, eps, mu, second, trace
from verification.papers.mandt2017.hypotheses import A1, A2, A3_DAMPED, A4, CONVEX, momentum
from verification.papers.mandt2017.letters import GRADIENT, KL, THETA, THETA_NEXT, V_NEXT, V, a_step
from verification.refuter.conditions import OneDimensional
from verification.refuter.parameters import is_one
from verification.relations import All, Best, Equal, Exists, InLaw, Moves, Not, Stable, vanishing
from verification.statements import Printed, Section, at, letter, term
from verification.terms.stochastic import NOISY_GRADIENT, After, Change, Row, dt, dW
from verification.terms.stochastic import theta as position
from verification.terms.stochastic import v as velocity
from verification.theories.matrices.increments import mean_of, rate_of_mean
from verification.theories.matrices.relaxation import RELAXATION
from verification.theories.matrices.words import elsewhere

ZERO = sp.Integer(0)
b = sp.Symbol("b", positive=True)  # a factor between 0 and 1
c = sp.Symbol("c", positive=True, integer=True)  # a factor of the minibatch size

updates_defined = a_step("sec4_3.updates_defined", "section 4.3, the display before Eq. 23").definition(
    "Position and momentum",
    "A momentum in the units of the position keeps a share of itself and takes in the new gradient.",
    Printed(V_NEXT, (1 - mu) * V - eps * GRADIENT),
    Printed(THETA_NEXT, THETA + V_NEXT),
)

settling = Section(of="momentum", given=(A1, A2, A3_DAMPED, A4))  # whatever the noise
damping_range = settling("sec4_3.damping_range", "section 4.3, before Eq. 23").claim(
    "The damping coefficient is between 0 and 1",
    "Any damping $mu$ in the closed interval is admitted; does the process settle for each?",
    derived=Stable(),
    kinds=(("mu", "unit"),),
    given=(CONVEX,),
)

mean_velocity = momentum("sec4_3.mean_velocity", "section 4.3, the display after Eq. 23").claim(
    "First moment of the velocity",
    "The mean velocity is damped and pulled back by the mean force.",
    printed=Equal(rate_of_mean("v"), -mu * mean_of("v") - eps * A * mean_of("theta")),
)

mean_position = momentum("sec4_3.mean_position", "section 4.3, the display after Eq. 23").claim(
    "First moment of the position",
    "The mean position moves with the mean velocity.",
    printed=Equal(rate_of_mean("theta"), mean_of("v")),
)

means_settle = settling("sec4_3.means_settle", "section 4.3, after Eq. 23").claim(
    "The means converge to the optimum",
    "Mean position and mean velocity tend to zero, from wherever the chain begins.",
    read=Stable(),
    kinds=(("mu", "up to one"),),
    given=(CONVEX,),
)

eq24 = momentum("eq24", "Eq. 24").claim(
    "Energy balance and fluctuation-dissipation of momentum SGD",
    "Velocities balance positions, and their covariance is that of the noise over the damping.",
    printed=All(
        Equal(second("v", "v"), eps / 2 * Sigma * A + eps / 2 * A * Sigma),
        Equal(mu * second("v", "v"), eps**2 / (2 * S) * C),
    ),
)

eq24_first = momentum("eq24.first", "Eq. 24, first line").claim(
    "Velocities balance positions",
    "The velocity's covariance is $eps$ times the mean of $Sigma A$ and $A Sigma$.",
    printed=Equal(second("v", "v"), eps / 2 * Sigma * A + eps / 2 * A * Sigma),
)

eq24_second = momentum("eq24.second", "Eq. 24, second line").claim(
    "Velocities carry the noise over the damping",
    "The damping times the covariance of the velocity is half of the noise.",
    printed=Equal(mu * second("v", "v"), eps**2 / (2 * S) * C),
)

energies = momentum("sec4_3.energies", "section 4.3, after Eq. 24").claim(
    "Expected kinetic and potential energies are equal",
    "With the two matrices named as they are in the text, energy is conserved in expectation.",
    read=Equal(second("v", "v"), Sigma * A / 2 + A * Sigma / 2),
)

temperature = momentum("sec4_3.temperature", "section 4.3, after Eq. 24").claim(
    "The noise is a matrix-valued temperature",
    "The covariance of the velocity is a multiple of that of the noise.",
    read=Equal(second("v", "v"), eps**2 / (2 * mu * S) * C),
)

fluctuation_dissipation = at("sec4_3.fluctuation_dissipation", "section 4.3, after Eq. 24").attribution(
    "The theorem of Nyquist",
    "The relation between velocities and noise is named after Nyquist's theorem.",
)

eq25 = momentum("eq25", "Eq. 25").claim(
    "Stationary covariance of SGD with momentum",
    "Momentum only rescales the covariance of constant SGD by one over the damping.",
    printed=Equal(Sigma * A + A * Sigma, eps / (mu * S) * C),
)

same_as_sgd = momentum("sec4_3.same_as_sgd", "section 4.3, after Eq. 25").claim(
    "It is SGD's equation with the noise rescaled",
    "The covariance with momentum is that of SGD at the rate $eps/mu$.",
    read=Equal(Sigma, elsewhere(Sigma, (eps, eps / mu), of="sgd")),
    kinds=(("mu", "up to one"),),
)

only_the_combination = momentum("sec4_3.only_the_combination", "section 4.3, after Eq. 25").claim(
    "Only $eps/(mu S)$ affects the divergence",
    "As long as one ratio of rate, damping and batch size stays, so does the divergence: with damping"
    " $b$ times as large and batches $c$ times as large, $b$ below 1 and $c$ whole.",
    read=Equal(DIVERGENCE, elsewhere(DIVERGENCE, (eps, b * c * eps), (mu, b * mu), (S, c * S))),
    kinds=(("B", "positive definite"), ("mu", "up to one"), ("b", "fraction"), ("c", "square count")),
)

many_combinations = momentum("sec4_3.many_combinations", "section 4.3, after Eq. 25").claim(
    "Many combinations have one stationary law",
    "A smaller rate, $b$ times as large, with as much less damping leaves the stationary distribution"
    " as it is.",
    read=Equal(Sigma, elsewhere(Sigma, (eps, b * eps), (mu, b * mu))),
    kinds=(("mu", "up to one"), ("b", "fraction")),
)

batch_for_rate = momentum("sec4_3.batch_for_rate", "section 4.3, after Eq. 25").claim(
    "Rate and batch size play similar roles",
    "A larger rate, $c$ times as large for a whole $c$, with as much larger minibatches leaves the"
    " stationary distribution as it is.",
    read=Equal(Sigma, elsewhere(Sigma, (eps, c * eps), (S, c * S))),
    kinds=(("mu", "up to one"), ("c", "square count")),
    given=(c > 1,),
)

OVERDAMPED = is_one("mu")

updates = momentum.at_steps("sec4_3.updates", "section 4.3, before Eq. 23").claim(
    "The sampler of these entries takes the printed steps",
    "The velocity is damped and kicked first, then the position moves with the new velocity.",
    derived=InLaw(
        (
            Row(After(velocity), (1 - mu) * velocity - eps * NOISY_GRADIENT),
            Row(After(position), position + After(velocity)),
        )
    ),
    time="discrete",
)

mu_one = at("sec4_3.mu_one_is_sgd", "section 4.3, before Eq. 23").claim(
    "With $mu = 1$ the updates are those of SGD",
    "Without memory of earlier gradients a step of the position is a step of SGD.",
    of="momentum",
    given=(OVERDAMPED,),
    read=InLaw(Row(After(position), position - eps * NOISY_GRADIENT)),
    time="discrete",
)

overdamped = at("sec4_3.overdamped", "section 4.3, before Eq. 23").again(
    mu_one, "Infinite damping gives back SGD", "At $mu = 1$ the momentum is forgotten: a step is SGD's."
)

eq23 = momentum("eq23", "Eq. 23").claim(
    "SGD with momentum as a process",
    "The velocity feels damping, force and minibatch noise, and the position moves with it: what the"
    " updates add where step and damping are small.",
    printed=InLaw(
        (
            Row(
                Change(velocity),
                -mu * velocity * dt - eps * A * position * dt + 1 / sqrt(S) * eps * B * dW,
            ),
            Row(Change(position), velocity * dt),
        )
    ),
)

eq23_mu_one = momentum("eq23.mu_one", "section 4.3, Eq. 23 at $mu = 1$").claim(
    "With $mu = 1$ the process is that of SGD",
    "The updates become SGD's where the damping is one; does Eq. 23 become Eq. 11 as well?",
    derived=InLaw(Row(Change(position), -eps * A * position * dt + eps / sqrt(S) * B * dW)),
    given=(OVERDAMPED,),
)

# The rate eps/mu, held fixed, is the letter r. A chain's autocorrelation time can mean three things: the
# time in which its slowest direction relaxes, or the integrated time of the position, or that of its
# square. Sigma_lags is the sum (integral) of the position's autocovariances over all lags, Squares_lags
# the same for its square.
r = Symbol("r", positive=True)
nu = letter("nu", "up to one")  # another damping
AT_FIXED_RATE = ((eps, r * mu),)
ONE_MODE = OneDimensional(())  # what follows is said of each eigenvector by itself

steadier = settling.at_steps("sec4_3.steadier", "section 4.3, end").claim(
    "Less damping sometimes makes the algorithm stable",
    "At a given effective rate a smaller $mu$ can make the discretised dynamics stable.",
    read=Exists(Stable(), Not(Stable((mu, nu))), term(mu) < nu),
    sets=AT_FIXED_RATE,
    kinds=(("mu", "up to one"),),
    time="discrete",
    given=(CONVEX,),
)

observed = at("sec4_3.observed", "section 4.3, end").attribution(
    "An observation of Sutskever et al.",
    "That less damping can steady the algorithm is quoted as seen by others.",
)

relaxation = momentum("sec4_3.relaxation_time", "section 4.3, end").claim(
    "Little damping slows the chain down",
    "With $eps/mu$ held fixed, very small $mu$ eventually lengthens the relaxation time.",
    read=Moves(RELAXATION, "grows", vanishing(mu, *AT_FIXED_RATE)),
)

autocorrelation = momentum.at_steps("sec4_3.autocorrelation_time", "section 4.3, end").claim(
    "Little damping increases the autocorrelation time",
    "Read as a coordinate's integrated time in the Markov chain: it eventually increases as $mu$"
    " vanishes, to what it is for every $mu$ in the continuous-time limit.",
    read=Moves(correlation_time(lambda m: Entry(m, 0, 0)), "grows", vanishing(mu, *AT_FIXED_RATE)),
    time="discrete",
    given=(ONE_MODE,),
    scope="D = 1",
)

autocorrelation_of_square = momentum("sec4_3.autocorrelation_time_of_square", "section 4.3, end").claim(
    "Little damping increases the autocorrelation time of squares",
    "Read as the integrated time of a coordinate's square, which is what estimates a variance.",
    read=Moves(
        correlation_time_of_square(lambda m: Entry(m, 0, 0)), "grows", vanishing(mu, *AT_FIXED_RATE)
    ),
    given=(ONE_MODE,),
    scope="D = 1",
)

negligible = at("sec4_3.negligible", "section 4.3, end").opinion(
    "The effect is often negligible", "How much it matters in practice is a judgement."
)

rule = momentum("sec4_3.rule", "section 4.3, after Eq. 25").claim(
    "The best learning rate with momentum",
    "With momentum the step over the damping takes the place of the step in Theorem 1.",
    derived=Best(eps / (mu * S), 2 * D / (N * trace(C)), of=KL, by=eps),
    kinds=(("B", "positive definite"),),
)
