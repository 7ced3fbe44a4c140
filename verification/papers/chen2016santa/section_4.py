"""Section 4: the reparameterisation, Eq. 1, Lemma 1 with Eq. 2."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.papers.chen2016santa.processes import (
    STATE,
    G,
    K,
    U,
    Ups,
    Xi,
    beta,
    c,
    density,
    equation,
    p,
    plane,
    q,
    slope,
    x,
    y,
)
from verification.statements import Assumption, Equal, Preserves, Printed, at, log_integral, same
from verification.terms.kinds import LOSS, PARAMETER, column, number, square

h, w = sp.symbols("h w", positive=True)
u, alpha = sp.symbols("u alpha", real=True)
f = sp.Function("f")


def positive(name: str, *at: sp.Symbol) -> sp.Expr:
    """An unspecified positive function."""
    return sp.Function(name, positive=True)(*at)


kick, kicked = (p, (1 - h * Xi) * p - h * c * f(x)), (u, (1 - alpha) * u - h**2 * c * f(y))

on_a_line = at.within("one coordinate")
reparameterised = on_a_line("sec4.reparameterised", "section 4, second paragraph").claim(
    "Momentum and friction are measured in the root of the step",
    "With $u = h p$, $alpha = h Xi$ and $eta = h^2$ Algorithm 1 without noise is an Euler step of"
    " length $h$.",
    given=(Assumption("the metric is a constant $g$"),),
    states=(x, p, Xi, f),
    read=same(
        Step((x, p, Xi), ((Xi, Xi + h * (p**2 - w)), kick, (x, x + h * c * p))),
        Step((y, u, alpha), ((alpha, alpha + u**2 - h**2 * w), kicked, (y, y + c * u))),
        ((y, x), (u, h * p), (alpha, h * Xi)),
    ),
)

THERMOSTAT = Diffusion(STATE, (p, -slope - Xi * p, p**2 - 1), ((0,), (sp.sqrt(2 * c),), (0,)))

msgnht_posterior = on_a_line("sec4.msgnht_posterior", "section 4, third paragraph").claim(
    "The thermostat has the posterior for its law, whatever its noise",
    "With gradient noise and injected noise of any total size $c$, Eq. 1 with metric one keeps"
    " $exp(-U)$.",
    given=(Assumption("gradient noise is normal and the same everywhere"),),
    read=Preserves(((THERMOSTAT, density(c).subs(beta, 1)),)),
)

ROOT = LOSS ** sp.Rational(1, 2)
letters = (
    dict.fromkeys(("dp", "p"), column(ROOT))
    | dict.fromkeys(("dXi", "G_2", "Xi"), square(ROOT))
    | {"dtheta": column(PARAMETER), "G_1": square(PARAMETER), "Q": square(LOSS)}
    | {"slope": column(LOSS / PARAMETER), "divG_1": column(), "divG_2": column(ROOT / PARAMETER)}
)
words = {n: sp.Symbol(n, commutative=False) for n in letters}
dt, one = sp.Symbol("dt", positive=True), sp.Symbol("I", commutative=False)
amplitude, dw = sp.symbols("(2G_2/beta)^{1/2} dw", commutative=False)
push = -words["G_1"] * words["slope"] - words["Xi"] * words["p"] + words["divG_1"] / beta
pull = words["G_1"] * (words["Xi"] - words["G_2"]) * words["divG_2"]

eq1 = at("eq1", "Eq. 1").definition(
    "The stochastic differential equation of Santa",
    "Of position, momentum and friction. Units fit where time has that of one over the root of a loss.",
    Printed(words["dtheta"], words["G_1"] * words["p"] * dt),
    Printed(words["dp"], (push + pull) * dt + amplitude * dw),
    Printed(words["dXi"], (words["Q"] - one / beta) * dt),
    kinds={
        **{words[n]: kind for n, kind in letters.items()},
        beta: number(1 / LOSS),
        dt: number(LOSS ** sp.Rational(-1, 2)),
        amplitude: square(LOSS ** sp.Rational(3, 4)),
        dw: column(LOSS ** sp.Rational(-1, 4)),
    },
)

anywhere = plane((positive("a", x, y), positive("b", x, y)), (positive("c", x, y), positive("d", x, y)))

lem1 = at("lem1", "Lemma 1, Eq. 2").claim(
    "Eq. 2 is the stationary density of Eq. 1",
    "In two dimensions, with diagonal metrics whose entries depend on both coordinates. (What it needs"
    " is lem1.own_coordinates; of Eq. 10 the same is eq10.two_coordinates.)",
    printed=Preserves((anywhere,)),
)

one_dimension = on_a_line("lem1.one_dimension", "Lemma 1, Eq. 2").claim(
    "Eq. 2 is the stationary density of Eq. 1 in one dimension",
    "With any two positive metrics that depend on the position.",
    printed=Preserves(((equation(G, K), density(K)),)),
)

own = plane((positive("a", x, y), positive("b", x, y)), (positive("c", x), positive("d", y)))

own_coordinates = at("lem1.own_coordinates", "Lemma 1, Eq. 2").claim(
    "The same where each entry of the second metric sees its own coordinate",
    "In one and two dimensions; entries of the first metric may depend on all coordinates.",
    given=(
        Assumption("both metrics are diagonal, and entry $i$ of the second depends on $theta_i$ only"),
    ),
    printed=Preserves(((equation(G, K), density(K)), own)),
    scope="one and two coordinates",
)

potential = sp.Function("U")(x, y)
full = [[positive("a", x, y), sp.Function("e")(x, y)], [sp.Function("e")(x, y), positive("b", x, y)]]
full_drift = [full[i][0] * p + full[i][1] * q for i in (0, 1)]
for i, friction in enumerate((Xi * p, Ups * q)):
    drawn = -full[i][0] * potential.diff(x) - full[i][1] * potential.diff(y)
    spread = (full[i][0].diff(x) + full[i][1].diff(y)) / beta
    full_drift.append(drawn - friction + spread)
full_drift += [p**2 - 1 / beta, q**2 - 1 / beta]
none = [(0, 0)] * 2
kinetic = potential + (p**2 + q**2) / 2
amplitude = sp.sqrt(2 / beta) * w

FULL = Diffusion(
    (x, y, p, q, Xi, Ups), tuple(full_drift), (*none, (amplitude, 0), (0, amplitude), *none)
)

full_metric = at("lem1.full_metric", "Lemma 1, Eq. 2, with the first footnote's divergence").claim(
    "The first metric may be a full symmetric matrix, here of two coordinates",
    "In two dimensions, with a full first metric and a constant multiple of the identity for the"
    " second.",
    printed=Preserves(((FULL, -beta * (kinetic + ((Xi - w**2) ** 2 + (Ups - w**2) ** 2) / 2)),)),
    scope="two coordinates",
)

s1, s2, k = sp.symbols("s_1 s_2 k", positive=True)
forces = (-potential.diff(x) - Xi * p, -potential.diff(y) - Ups * q)
spread = ((sp.sqrt(2 / beta) * s1, 0), (sp.sqrt(2 / beta) * k, sp.sqrt(2 / beta) * s2))
OBLIQUE = Diffusion(
    (x, y, p, q, Xi, Ups), (p, q, *forces, p**2 - 1 / beta, q**2 - 1 / beta), (*none, *spread, *none)
)
LEVELS = ((Xi - s1**2) ** 2 + (Ups - s2**2 - k**2) ** 2) / 2

full_noise = at("lem1.full_noise", "Lemma 1, Eq. 2").claim(
    "The second metric may be a matrix that is not diagonal",
    "In two dimensions, the second metric constant, $s_1 k$ off its diagonal, frictions diagonal.",
    printed=Preserves(((OBLIQUE, -beta * (kinetic + LEVELS)),)),
)

posterior = on_a_line("lem1.posterior", "section 4, before and after Lemma 1").claim(
    "At $beta = 1$ the marginal of Eq. 2 is the posterior",
    "Momenta and frictions integrated out, $exp(-U)$ is left, whatever the second metric.",
    read=Equal(log_integral(density(K).subs(beta, 1), *STATE[1:]), -U, constant_in=(x,)),
)

tempered = on_a_line("eq2", "Eq. 2, with section 4.1").claim(
    "The marginal of Eq. 2 at an inverse temperature $beta$",
    "Momenta and frictions integrated out, $exp(-beta U)$ is left.",
    read=Equal(log_integral(density(K), *STATE[1:]), -beta * U, constant_in=(x,)),
)

friction = at("sec4.friction", "section 4, after Lemma 1").opinion(
    "The friction keeps the particle from moving too far",
    "What each term of Eq. 1 is for; that the density stays invariant is Lemma 1.",
)

feasible = at("sec4.feasible", "section 4, after Eq. 1").attribution(
    "Metrics are commonly the Fisher information",
    "It is ascribed to Girolami and Calderhead (2011); the RMSprop metric is used as it is cheap.",
)
