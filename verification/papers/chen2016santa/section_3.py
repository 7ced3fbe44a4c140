"""Section 3: metrics, annealing, the two stages, and what is said of practice."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
from verification.notation import Sigma
from verification.papers.chen2016santa.processes import (
    STATE,
    G,
    K,
    Xi,
    c,
    density,
    equation,
    g,
    p,
    slope,
    x,
)
from verification.statements import (
    Equal,
    Moves,
    Preserves,
    claim,
    growing,
    index,
    letter,
    letters,
    over,
    same,
    sequences,
    vanishing,
)

T, rms, eta, beta = sp.symbols("T s eta beta", positive=True)
u, alpha = sp.symbols("u alpha", real=True)
schedule = sp.Symbol("t", positive=True)
# squared momenta, by the updates of the weights
squared, weight = sequences("u_squared alpha")
t, L = index("t"), letter("L", "count")
rate, inverse = letters("eta beta")
MOVE = ((u, (1 - alpha) * u - eta * g * sp.Function("f")(x)), (x, x + g * u))

fisher = claim(
    "sec3.fisher",
    at="section 3, second paragraph, with Algorithm 1",
    title="The vector g approximates the diagonal of the Fisher information",
    says="Where s, the root of the running mean v of squared gradients, is large, so should be g.",
    given=(Assumption("lambda, which only keeps the division safe, is zero"),),
    read=Moves(1 / sp.sqrt(rms), "grows", growing(rms)),
)

cheap = NotMathematical(
    "sec3.cheap",
    at="section 3, second paragraph",
    title="A diagonal captures less geometry and costs less",
    says="The Fisher information itself is said to be too expensive for many models.",
    because="opinion",
)

matching = claim(
    key="sec3.matching",
    at="section 3, third paragraph, with Algorithm 1",
    title="Momenta are matched to the temperature",
    says="In Algorithm 1 squared momenta are eta/beta on average over L steps, up to what the weight"
    " gains over L: exactly where it comes back.",
    given=(Equal(squared[t], weight[t + 1] - weight[t] + rate / inverse),),
    read=Equal(over(squared[t - 1], t, 1, L) / L, rate / inverse + (weight[L] - weight[0]) / L),
)

schedule_grows = claim(
    "sec3.schedule",
    at="section 3, third paragraph, with section 5",
    title="Inverse temperatures increase",
    says="The schedules that are used, powers of t, increase.",
    derived=Moves(schedule ** sp.Rational(1, 2), "grows", growing(schedule)),
)

deterministic = claim(
    "sec3.deterministic",
    at="section 3, third paragraph",
    title="At zero temperature SG-MCMC methods are deterministic",
    says=(
        "Without injected noise SGLD is SGD; were that deterministic its stationary variance would"
        " vanish."
    ),
    of="sgd",
    read=Equal(Sigma, 0),
    time="discrete",
)

global_mode = NotMathematical(
    "sec3.global_mode",
    at="section 3, fourth paragraph",
    title="Exploration escapes poor modes and ends close to the global one",
    says="What is proved of it is Theorem 2, recorded there.",
    because="opinion",
)

weights_vanish = claim(
    "sec3.weights_vanish",
    at="section 3, fourth paragraph, with Algorithm 1",
    title="At zero temperature the updates of the weights vanish",
    says="With 1/beta = 0 a step of Algorithm 1's exploration is one of its refinement.",
    states=(x, u, alpha, sp.Function("f")),
    read=same(
        Step((x, u, alpha), ((alpha, alpha + u**2), *MOVE)),
        Step((x, u, alpha), (*MOVE, (alpha, alpha))),
        ((x, x), (u, u), (alpha, alpha)),
    ),
)

ignored = claim(
    "sec3.ignored",
    at="section 3, practical considerations",
    title="Without its divergence term the sampler is slightly biased",
    says="Eq. 1 without the divergence of its first metric, at temperature T, keeps the density of"
    " Eq. 2.",
    read=Preserves(
        (
            (
                Diffusion(
                    STATE,
                    (G * p, -G * slope - Xi * p + G * (Xi - K) * K.diff(x), p**2 - T),
                    ((0,), (sp.sqrt(2 * T * K),), (0,)),
                ),
                density(K).subs(sp.Symbol("beta", positive=True), 1 / T),
            ),
        ),
        approached=vanishing(T),
    ),
)

performance = NotMathematical(
    "sec3.performance",
    at="section 3, practical considerations",
    title="Ignoring it did not decrease performance",
    says="That is what the authors found in their experiments.",
    because="timing",
)

constant_noise = claim(
    "sec3.constant_noise",
    at="section 3, practical considerations",
    title="The noise's metric may be a fixed constant",
    says="With any constant c for the metric of the noise, Eq. 1 keeps the same law of theta and p.",
    read=Preserves(((equation(G, c), density(c)),)),
)
