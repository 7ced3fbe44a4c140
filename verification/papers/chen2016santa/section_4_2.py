"""Section 4.2: refinement, the limit of zero temperature, and its relatives among optimisers."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.papers.chen2016santa import supplement_F
from verification.papers.chen2016santa.processes import Xi, beta, g, p, q, x, y
from verification.statements import Assumption, Order, Section, at, growing, mean_under, same

k, eta, b_1 = sp.symbols("k eta b_1", positive=True)
f = sp.Function("f")
THERMAL = -beta * (p**2 / 2 + (Xi - k) ** 2 / 2)  # the part of Eq. 2 with momentum and friction
EQUILIBRIUM = Assumption("the chain has reached its equilibrium, Eq. 2")
equilibrium = Section(at="section 4.2, second paragraph", given=(EQUILIBRIUM,))

noise_vanishes = equilibrium("sec4_2.noise").claim(
    "The variance of the noise vanishes",
    "Of Eq. 1, with $k$ for its second metric.",
    read=Order(2 * k / beta, "Theta", 1 / beta, growing(beta)),
)

divergence_vanishes = equilibrium("sec4_2.divergence").claim(
    "The divergence term vanishes",
    "Of Eq. 1, with $k$ for the slope of its first metric.",
    read=Order(k / beta, "Theta", 1 / beta, growing(beta)),
)

friction_settles = equilibrium("sec4_2.friction").claim(
    "The friction approaches the second metric",
    "Their mean squared difference at equilibrium, of each coordinate: so the term with it vanishes.",
    read=Order(mean_under(THERMAL, (Xi - k) ** 2, p, Xi), "Theta", 1 / beta, growing(beta)),
)

momentum_stops = equilibrium("sec4_2.momentum").claim(
    "Mean squared momenta vanish",
    "At equilibrium each coordinate has the temperature.",
    read=Order(mean_under(THERMAL, p**2, p, Xi), "Theta", 1 / beta, growing(beta)),
)

friction_stops = equilibrium("sec4_2.friction_stops").claim(
    "The equation of the friction vanishes",
    "The mean square of its right side at equilibrium.",
    read=Order(mean_under(THERMAL, (p**2 - 1 / beta) ** 2, p, Xi), "Theta", 1 / beta**2, growing(beta)),
)

two_updates = at("sec4_2.two_updates", "section 4.2, end of the second paragraph").again(
    friction_stops,
    "Only position and momentum are updated in refinement",
    "What the friction's equation would add vanishes at equilibrium, in mean square.",
)

adaptive = at("sec4_2.compared", "section 4.2, relation to stochastic optimisation algorithms").opinion(
    "Adaptive in gradient and momentum, unlike SGD-$M$, Adagrad and RMSprop",
    "Which of the two each of them has; that Santa extends all current algorithms is said as well.",
)

adam = at("sec4_2.adam", "section 4.2, relation to stochastic optimisation algorithms").claim(
    "With another variable refinement is nearly Adam",
    "At a constant metric $g$ it is Adam without its corrections, at a step of $eta/b_1$.",
    given=(Assumption("the metric is constant, which Adam's is not: hence nearly"),),
    states=(x, p, f),
    read=same(
        Step((x, p), ((p, (1 - b_1) * p + b_1 * f(x)), (x, x - eta / b_1 * g**2 * p))),
        Step((y, q), ((q, (1 - b_1) * q - eta * g * f(y)), (y, y + g * q))),
        ((y, x), (q, -eta * g / b_1 * p)),
    ),
    scope="one coordinate",
)

regret = at("sec4_2.regret", "section 4.2, end").again(
    supplement_F.regret, "The regret of Adam holds for refinement"
)
