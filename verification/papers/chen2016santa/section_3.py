"""Section 3: metrics, annealing, practice, Algorithms 1 and 2.

In p = u/h and Xi = alpha/h, h = sqrt(eta), these are schemes for Eq. 1: noise sqrt(2 eta/beta) of u is
sqrt(2/beta) of p, and a step takes the time h.
"""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.notation import Sigma
from verification.papers.chen2016santa.processes import (
    STATE,
    G,
    K,
    Xi,
    beta,
    c,
    density,
    equation,
    euler,
    g,
    h,
    p,
    r,
    slope,
    splitting,
    x,
)
from verification.relations import All, Equal, Moves, Order, Preserves, WeakOrder, growing, vanishing
from verification.statements import Assumption, Section, at, index, over, same, sequences
from verification.terms.term import letter, letters, term

T, rms, eta = sp.symbols("T s eta", positive=True)
u, alpha = sp.symbols("u alpha", real=True)
schedule = sp.Symbol("t", positive=True)
# squared momenta, by the updates of the weights
squared, weight = sequences("u_squared alpha")
t, L = index("t"), letter("L", "count")
rate, inverse = letters("eta beta")
MOVE = ((u, (1 - alpha) * u - eta * g * sp.Function("f")(x)), (x, x + g * u))

fisher = at("sec3.fisher", "section 3, second paragraph, with Algorithm 1").claim(
    "The vector $g$ approximates the diagonal of the Fisher information",
    "Where $s$, the root of the running mean $v$ of squared gradients, is large, so should be $g$.",
    given=(Assumption("$lambda$, which only keeps the division safe, is zero"),),
    read=Moves(1 / sp.sqrt(rms), "grows", growing(rms)),
)

cheap = at("sec3.cheap", "section 3, second paragraph").opinion(
    "A diagonal captures less geometry and costs less",
    "The Fisher information itself is said to be too expensive for many models.",
)

matching = at("sec3.matching", "section 3, third paragraph, with Algorithm 1").claim(
    "Momenta are matched to the temperature",
    "At one temperature squared momenta of Algorithm 1 are $eta/beta$ on average over $L$ steps, up to"
    " what the weight gains over $L$: exactly where it returns to its first value.",
    given=(Equal(squared[t], weight[t + 1] - weight[t] + rate / inverse),),
    read=Equal(over(squared[t - 1], t, 1, L) / L, rate / inverse + (weight[L] - weight[0]) / L),
)

schedule_grows = at("sec3.schedule", "section 3, third paragraph, with section 5").claim(
    "Inverse temperatures increase",
    "The schedules that are used are powers of $t$, from 0.1 to 2.",
    derived=All(*(Moves(schedule ** sp.Rational(k, 10), "grows", growing(schedule)) for k in (1, 20))),
)

deterministic = at("sec3.deterministic", "section 3, third paragraph").claim(
    "At zero temperature SG-MCMC methods are deterministic",
    "Without injected noise SGLD is SGD; were that deterministic its stationary covariance would be 0.",
    of="sgd",
    read=Equal(Sigma, 0),
    time="discrete",
)

global_mode = at("sec3.global_mode", "section 3, fourth paragraph").opinion(
    "Exploration escapes poor modes and ends close to the global one",
    "What is proved of it is Theorem 2, recorded there.",
)

weights_vanish = at("sec3.weights_vanish", "section 3, fourth paragraph, with Algorithm 1").claim(
    "At zero temperature the updates of the weights vanish, from any state (not claimed)",
    "With the equilibrium that section 4.2 assumes they do (sec4_2.friction_stops); without it a step of"
    " exploration at $1/beta = 0$ would be one of refinement.",
    states=(x, u, alpha, sp.Function("f")),
    derived=same(
        Step((x, u, alpha), ((alpha, alpha + u**2), *MOVE)),
        Step((x, u, alpha), (*MOVE, (alpha, alpha))),
        ((x, x), (u, u), (alpha, alpha)),
    ),
)

drift = (G * p, -G * slope - Xi * p + G * (Xi - K) * K.diff(x), p**2 - T)
WITHOUT = Diffusion(STATE, drift, ((0,), (sp.sqrt(2 * T * K),), (0,)))

on_a_line = at.within("one coordinate")
ignored = on_a_line("sec3.ignored", "section 3, practical considerations").claim(
    "Without its divergence term the sampler keeps the density of Eq. 2 over its first metric",
    "It is said to be biased slightly. At every temperature its density is off by the factor $1/G$."
    " Where $U$ has one lowest point both laws come to it as $T$ vanishes; between two of one curvature"
    " $G$ decides.",
    derived=Preserves(((WITHOUT, density(K).subs(beta, 1 / T) - sp.log(G)),)),
)

performance = at("sec3.performance", "section 3, practical considerations").opinion(
    "Ignoring it did not decrease performance", "That is what the authors found in their experiments."
)

constant_noise = on_a_line("sec3.constant_noise", "section 3, practical considerations").claim(
    "The noise's metric may be a fixed constant",
    "With any constant $c$ for the metric of the noise, Eq. 1 keeps the same stationary law of $theta$"
    " and $p$ (paths differ).",
    read=Preserves(((equation(G, c), density(c)),)),
)

EXACT = Assumption("gradients are exact")
CONSTANT = Assumption("the metric $g = r^2$ stands still, so that terms with its differences vanish")
FUNCTION = Assumption(
    "the metric is a function of the present position: no average over steps, no noise"
)
metric = sp.Function("G", positive=True)
a, f = sp.Symbol("a", positive=True), sp.Symbol("force", real=True)  # a friction; a stored gradient
COLD = Diffusion((x, p), (r**2 * p, -(r**2) * slope - a * p), ((0,), (0,)))
exact = Section(given=(EXACT, CONSTANT), scope="one coordinate")

alg1 = exact("alg1", "Algorithm 1, exploration").claim(
    "Algorithm 1 is the Euler scheme of Eq. 1",
    "Its momentum gets a normal vector times $sqrt(2 eta/beta) g$, outside of the root.",
    read=WeakOrder(equation(r**2, r**2, r), euler(sp.sqrt(2 / beta) * r**2, r**2), h, 1),
)

STILL = Diffusion(STATE, equation(G, G).drift, ((0,), (0,), (0,)))

alg1_drift = at("alg1.drift", "Algorithm 1, exploration").claim(
    "The drift of Algorithm 1 is that of Eq. 1",
    "Both metrics being $G(theta)$, with exact derivatives for its differences and no noise.",
    given=(EXACT,),
    read=WeakOrder(STILL, euler(sp.Integer(0), G, h * G.diff(x) / beta), h, 1),
)

alg1_divides = on_a_line("alg1.difference", "Algorithm 1, the first line of the momentum").claim(
    "The term with two metrics is the divergence term of Eq. 1",
    "Over a step of $eta$ it adds $eta/beta$ times the slope of $g$, the old metric being that a step"
    " before.",
    given=(FUNCTION,),
    states=(x, p),
    read=Order(
        term((1 - metric(x - metric(x) * p * h) / metric(x)) / p) - term(h * metric(x).diff(x)),
        "O",
        h**2,
        vanishing(h),
    ),
)

alg2 = exact("alg2", "Algorithm 2, exploration").claim(
    "Algorithm 2 is a scheme of second order for Eq. 1",
    "Its momentum gets a normal vector times $sqrt(2 g eta/beta)$, its gradient is that of the old"
    " position.",
    read=WeakOrder(equation(r**2, r**2, r), splitting(sp.sqrt(2 / beta) * r, r**2, early=True), h, 2),
)

alg2_early = exact("alg2.order", "Algorithm 2, exploration, with the noise of Algorithm 4").claim(
    "With its noise mended Algorithm 2 is of second order",
    "The gradient is evaluated at the old position, before the first half step of $A$.",
    derived=WeakOrder(
        equation(r**2, r**2, r), splitting(sp.sqrt(2 * h / beta) * r, r**2, early=True), h, 2
    ),
)

alg1_refinement = exact("alg1.refinement", "Algorithm 1, refinement").claim(
    "Refinement is an Euler scheme of Eq. 1 at zero temperature",
    "Frictions are fixed, and no noise is injected.",
    read=WeakOrder(
        COLD, Step((x, p), ((p, (1 - h * a) * p - h * r**2 * slope), (x, x + h * r**2 * p))), h, 1
    ),
)

move, damp = (x, x + r**2 * p * h / 2), (p, p * sp.exp(-a * h / 2))
SPLIT = Step((x, p), ((f, -(r**2) * slope), move, damp, (p, p + h * f), damp, move))

alg2_refinement = exact("alg2.refinement", "Algorithm 2, refinement").claim(
    "Refinement by splitting is of second order for Eq. 1 at zero temperature",
    "Position and damping make half steps on either side of a kick with the old gradient.",
    read=WeakOrder(COLD, SPLIT, h, 2),
)

accuracy = at("sec3.accuracy", "section 3, sixth paragraph").opinion(
    "The splitting is more accurate, at slightly more cost",
    "It is recommended; its order as printed is recorded with Algorithm 2.",
)
