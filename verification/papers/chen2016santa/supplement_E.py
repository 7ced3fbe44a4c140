"""Supplement E: Algorithms 3 to 7, against Algorithms 1 and 2, one another, and SDE (1)."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.papers.chen2016santa.supplement_letters import Xi, beta, eta, g, h, p, theta, zeta
from verification.statements import Assumption, Equal, Section, WeakOrder, at, same

GIVEN_G = Assumption("One coordinate, with $g_t$ and $g_(t-1)$ given.")
CONSTANT_G = Assumption(
    "One coordinate, the metrics a constant $g$, $u = sqrt(eta) p$, $alpha = sqrt(eta) Xi$."
)

u, alpha, f, u_old = sp.symbols("u alpha f u_old", real=True)
g_old = sp.Symbol("g_old", positive=True)
STATE = (theta, u, alpha)
SAME = tuple((s, s) for s in STATE)
slope = sp.Function("slope")
half = sp.Rational(1, 2)
SEE = (f, slope(theta))
HEAT = eta / beta
FINE = sp.sqrt(2 * g_old * eta ** sp.Rational(3, 2) / beta) * zeta  # of Algorithms 4 and 6


def splitting(warm: Any, kick: Any, keep: Sequence[Any] = ()) -> tuple[Any, ...]:
    """Lines of the symmetric scheme; ``warm`` moves alpha by a half step."""
    damp = (u, sp.exp(-alpha / 2) * u)
    rows = (SEE, (theta, theta + g * u / 2), *keep, warm, damp, (u, kick), damp, warm)
    return (*rows, (theta, theta + g * u / 2))


WARM = (alpha, alpha + (u**2 - HEAT) / 2)
STILL = (alpha, alpha)
KICK = u - eta * g * f
PULL = HEAT * (1 - g_old / g) / u_old
ALGORITHM_2 = Step(
    STATE, splitting(WARM, KICK + sp.sqrt(2 * g_old * eta / beta) * zeta + PULL, ((u_old, u),)), (zeta,)
)
ALGORITHM_4 = Step(STATE, splitting(WARM, KICK + FINE), (zeta,))
ALGORITHM_5 = Step(STATE, splitting(STILL, KICK))
HALF_MOVE, DAMP = (theta, theta + g * u / 2), (u, sp.exp(-alpha / 2) * u)
REFINED_2 = Step(STATE, (SEE, HALF_MOVE, DAMP, (u, u - g * f * eta), DAMP, HALF_MOVE))
EULER = (u, (1 - alpha) * u - eta * g * f)
MOVE = (theta, theta + g * u)
WARMED = (alpha, alpha + (u**2 - HEAT))
ALGORITHM_6 = Step(STATE, (SEE, WARMED, (u, EULER[1] + FINE), MOVE), (zeta,))
FIRST = (u, HEAT * (1 - g_old / g) / u_old + sp.sqrt(2 * HEAT) * g_old * zeta)
THEN = (u, u + (1 - alpha) * u_old - eta * g * f)
ALGORITHM_1 = Step(STATE, (SEE, WARMED, (u_old, u), FIRST, THEN, MOVE), (zeta,))
ALGORITHM_7 = Step(STATE, (SEE, EULER, MOVE))
REFINED_1 = Step(STATE, (SEE, (u_old, u), (u, sp.Integer(0)), THEN, MOVE))
y, k, q = sp.symbols("y k q", positive=True)
# noises are rational in the letters; metrics stand still, and what is announced as ignored is zero
ROOTS = {eta: y**4, g: k**2, g_old: k**2, beta: q**2}
COLD_4 = Step(STATE, splitting((alpha, alpha + u**2 / 2), KICK))

U = sp.Function("U")(theta)
DRIFT = (g * p, -g * U.diff(theta) - Xi * p, p**2 - 1 / beta)
EQUATION = Diffusion((theta, p, Xi), DRIFT, ((0,), (sp.sqrt(2 * g / beta),), (0,)))


def in_time(step: Step) -> Step:
    """Line by line in the letters of SDE (1), at a constant metric, with the slope of U."""
    renamed = {u: h * p, alpha: h * Xi, eta: h**2, g_old: g, slope(theta): U.diff(theta)}
    root = {u: p, alpha: Xi}
    lines = []
    for target, expr in step.updates:
        value = expr.subs(renamed)
        moved = root.get(target, target)
        lines.append((moved, sp.expand(value / h) if target in root else value))
    return Step((theta, p, Xi), tuple(lines), step.noises)


def _added(first: Step, second: Step) -> Equal:
    """What the lines with noise in them give the momentum."""
    lines = [[e for s, e in step.updates if s == u and e.has(zeta)] for step in (first, second)]
    (one,), (two,) = lines
    if not one.has(f):  # Algorithm 1 adds the kick in a line of its own
        one, two = one, two.subs(u, u_old) - EULER[1].subs(u, u_old)
    return Equal(sp.expand(one.subs(ROOTS)), sp.expand(two.subs(ROOTS)))


algorithm_3 = at("alg3", "supplement E, Algorithm 3").reference(
    "The frame of Santa",
    "A listing that calls one of Algorithms 4 to 7 in each step; our text of it lacks its lines.",
)

on_a_line = at.within("one coordinate")
algorithm_4 = on_a_line("alg4", "supplement E, Algorithm 4").claim(
    "Exploration by splitting solves SDE (1)",
    "One step of Algorithm 4 is one of SDE (1) over the time $sqrt(eta)$, to first order.",
    given=(CONSTANT_G,),
    read=WeakOrder(EQUATION, in_time(ALGORITHM_4), h, 1),
)

algorithm_4_second = at(
    "alg4.second_order", "supplement E, Algorithm 4, against the second-order integrator of supplement C"
).claim(
    "Exploration by splitting is of second order",
    "The same to second order, with the gradient taken before the position moves, as in Algorithm 2.",
    given=(CONSTANT_G,),
    read=WeakOrder(EQUATION, in_time(ALGORITHM_4), h, 2),
)

given_g = Section(given=(GIVEN_G,), scope="one coordinate")
STILL_G = (Assumption("the metric stands still: what section 3 announces as ignored is zero"),)

alg4 = given_g(
    "alg4.reformulates", "supplement $E$, Algorithm 4, fourth line, against Algorithm 2"
).claim(
    "Algorithm 4 reformulates the exploration of Algorithm 2",
    "Both add the same to the momentum, whatever the step and the metric are ($eta = y^4$, $g = k^2$,"
    " $beta = q^2$); all other lines are the same.",
    given=STILL_G,
    states=(u, u_old, f, zeta, y, k),
    read=_added(ALGORITHM_2, ALGORITHM_4),
)

algorithm_5 = given_g("alg5", "supplement $E$, Algorithm 5 against Algorithm 2").claim(
    "Algorithm 5 reformulates the refinement of Algorithm 2",
    "Both do the same to position, momentum and friction.",
    states=(theta, u, alpha, slope),
    read=same(REFINED_2, ALGORITHM_5, SAME),
)

cold = given_g("alg5.limit", "supplement $E$, Algorithm 5 against Algorithm 4").claim(
    "Algorithm 5 is Algorithm 4 at temperature zero, from any state (not claimed)",
    "With $1/beta = 0$ a step of exploration would be one of refinement without the equilibrium that"
    " section 4.2 assumes, at which squared momenta vanish.",
    states=(theta, u, alpha, slope),
    derived=same(COLD_4, ALGORITHM_5, SAME),
)

algorithm_6 = on_a_line("alg6", "supplement E, Algorithm 6").claim(
    "Exploration by Euler's scheme solves SDE (1)",
    "One step of Algorithm 6 is one of SDE (1) over the time $sqrt(eta)$, to first order"
    " (with $theta_(t-1)$ on the right of its third line).",
    given=(CONSTANT_G,),
    read=WeakOrder(EQUATION, in_time(ALGORITHM_6), h, 1),
)

alg6 = given_g(
    "alg6.reformulates", "supplement $E$, Algorithm 6, second line, against Algorithm 1"
).claim(
    "Algorithm 6 reformulates the exploration of Algorithm 1",
    "Both add the same to the momentum, whatever the step and the metric are ($eta = y^4$, $g = k^2$,"
    " $beta = q^2$); of the other lines that of the position differs (alg6.position).",
    given=STILL_G,
    states=(u, u_old, f, zeta, y, k),
    read=_added(ALGORITHM_1, ALGORITHM_6),
)

position = at("alg6.position", "supplement E, Algorithms 6 and 7, the line of the position").claim(
    "The new position on both sides",
    "$theta_t$ is $theta_t$ plus $g_t u_t$, where Algorithms 4 and 5 have set $theta_t$ before"
    " and Algorithms 6 and 7 have not.",
    states=(theta, u),
    printed=Equal(theta, theta + g * u),
)

algorithm_7 = given_g("alg7", "supplement $E$, Algorithm 7 against Algorithm 1").claim(
    "Algorithm 7 reformulates the refinement of Algorithm 1",
    "Both do the same to position and momentum, the friction being fixed"
    " (with $theta_(t-1)$ on the right of its third line).",
    states=(theta, u, alpha, slope),
    read=same(REFINED_1, ALGORITHM_7, SAME),
)
