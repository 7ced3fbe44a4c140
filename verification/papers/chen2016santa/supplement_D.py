"""Supplement D: the proof of Corollary 3."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.papers.chen2016santa.section_4_3 import AT_REST
from verification.papers.chen2016santa.supplement_C import L, n, quadratic, t, total
from verification.papers.chen2016santa.supplement_C_mse import LONG
from verification.papers.chen2016santa.supplement_E import ALGORITHM_5, slope
from verification.papers.chen2016santa.supplement_letters import beta, h, theta
from verification.relations import Bounded, Compare, Equal
from verification.statements import Assumption, Printed, Section, exp, letter, sequences
from verification.terms.kinds import number

proof = Section(at="supplement D, proof of Corollary 3")
g_m, average = sp.symbols("g_m E")
mean_weight = proof("eq18", "Eq. 18").definition(
    "The functions $g_m$",
    "$g_m$ is minus $E$, the mean of $L$ factors $exp(-beta_l U)$, from $l = m$ on.",
    Printed(g_m, -average),
    kinds={g_m: number(), average: number()},
    stands="read",
)

x = sp.Symbol("x", positive=True)  # exp(-U(theta)), at most one where U is least at zero


def weight(first: int, length: int = 2) -> sp.Expr:
    """g_m for beta_l = l."""
    return -sp.Add(*(x**k for k in range(first, first + length))) / length


increasing = proof("eq18.increasing", "after Eq. 18, away from $theta*$").claim(
    "$g_m$ increases with $m$",
    "Where $U$ is more than zero, $g_1$ is less than $g_2$ (for $L = 2$, $beta_l = l$,"
    " $x = exp(-U(theta))$).",
    given=(Assumption("$U$ is zero at its minimum."), Compare(x, "<", sp.Integer(1))),
    derived=Compare(weight(1), "<", weight(2)),
    scope="two terms",
)

top = letter("x")

increasing_there = proof("eq18.increasing.minimum", "after Eq. 18, at $theta*$").claim(
    "$g_m$ increases with $m$, also at the minimum",
    "The same at the minimum, where $exp(-U)$ is one.",
    given=(Assumption("$U$ is zero at its minimum."),),
    derived=-(top + top**2) / 2 < -(top**2 + top**3) / 2,
    numbers={top: "1"},
)

(e,) = sequences("e")
vanishing = proof("eq18.limit", "after Eq. 18, at $theta*$").claim(
    "$g_m$ vanishes as $m$ grows, also at the minimum",
    "At the minimum, where each factor is $exp(0) = 1$, the mean of factors is zero in the limit (which"
    " no integral sees).",
    given=(Equal(e[t], exp(-letter("beta") * 0)),),
    derived=Equal(-total(e[t]) / L, 0),
)

integral = proof("cor3.integral", "the display after Eq. 18").claim(
    "The integral vanishes as temperatures do",
    "For $U = theta^2/2$ the integral of $exp(-beta U)$ falls at least as fast as $1/sqrt(beta)$.",
    given=(Compare(beta, ">=", 1),),
    derived=Bounded(quadratic(1)[1], beta ** sp.Rational(-1, 2)),
    scope="a quadratic potential",
)

# U' = theta (theta - 1)(theta + 2): minima at 1 and, lower, at -2
U = sp.integrate(sp.expand(theta * (theta - 1) * (theta + 2)), theta)
LOCAL, GLOBAL = sp.Integer(1), sp.Integer(-2)


def stays(step: Step) -> sp.Expr:
    """Where a step takes the position from the local minimum, at rest."""
    place, momentum, friction = step.state
    after = step.after({place: LOCAL, momentum: sp.Integer(0), friction: friction})[place]
    force = U.diff(theta)
    return sp.simplify(after.replace(slope, lambda at: force.subs(theta, at)))


local = proof("cor3.conclusion", "its last sentence, and Corollary 3").claim(
    "Refinement leaves only the terms of Corollary 3, without its hypotheses (not claimed)",
    "With exact gradients the bias of refinement is of order $1/(L h) + h^2$"
    " (for $U' = theta$ $(theta - 1)(theta + 2)$ and Algorithm 5, at rest in the higher minimum).",
    given=(*LONG, Assumption("Exact gradients."), AT_REST),
    derived=Bounded(U.subs(theta, stays(ALGORITHM_5)) - U.subs(theta, GLOBAL), 1 / (n * h) + h**2),
)
