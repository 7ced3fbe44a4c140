"""Supplement F: refinement against Adam, Lemma 5, and the regret."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.papers.chen2016santa.supplement_letters import eta, theta
from verification.relations import All, Compare, Equal, Order, growing
from verification.statements import (
    Assumption,
    OnlineStep,
    at,
    claim,
    index,
    letter,
    letters,
    over,
    same,
    sqrt,
)
from verification.statements import regret as regret_of

GIVEN_G = Assumption("One coordinate, with $g_t$ and $g_(t-1)$ given.")
FROM_ZERO = Assumption("One coordinate, $u_0 = 0$ and $v_0 = 0$, gradient $f > 0$.")

u, w, v, f = sp.symbols("u w v f", real=True)
b, lam, sigma, g, g_old, m, s = sp.symbols("b lambda sigma g g_old m s", positive=True)
BELOW_ONE = Compare(b, "<", 1), Compare(sigma, "<", 1)  # as Lemma 5 has them
slope = sp.Function("slope")
SEE = (f, slope(theta))
SECOND = (v, sigma * v + (1 - sigma) * f**2)
FIRST = (u, (1 - b) * u + b * f)
damping, second = letters("lambda v")
ROOT_METRIC = 1 / sqrt(damping + sqrt(second))
METRIC = 1 / sp.sqrt(lam + sp.sqrt(v))
STATE = (theta, u, v)

ADAM = Step(STATE, (SEE, SECOND, FIRST, (theta, theta - eta * u / (lam + sp.sqrt(v)))))
PRINTED = Step(STATE, (SEE, SECOND, FIRST, (theta, theta + eta * METRIC**2 * u)))

adam = at("supF.adam", "supplement F, first display").claim(
    "The key steps of Adam",
    "The printed lines do what Adam does without its corrections of bias.",
    given=(Assumption("$theta_(t-1)$ on the right of the last line."),),
    states=(theta, u, v, slope),
    read=same(ADAM, PRINTED, tuple((x, x) for x in STATE)),
)

position = at("supF.adam.position", "supplement F, first display, last line").claim(
    "The new position on both sides",
    "$theta_t$ is $theta_t$ plus a step, with no value of $theta_t$ before.",
    states=(theta, u),
    printed=Equal(theta, theta + eta * g**2 * u),
)

preconditioner = at("supF.preconditioner", "supplement F, after the first display").claim(
    "The square of $g$ is Adam's preconditioner",
    "$g_t g_t$ is one over $lambda$ plus the root of $v_t$.",
    read=Equal(ROOT_METRIC * ROOT_METRIC, 1 / (damping + sqrt(second))),
)

one_weight = at("supF.one_weight", "supplement F, after the first display").attribution(
    "Adam has one momentum weight", "In the Adam of Kingma and Ba all entries of $b_1$ are one number."
)

on_a_line = at.within("one coordinate")
equivalent = on_a_line("supF.equivalent", "supplement F, second display").claim(
    "The second formulation is equivalent",
    "With $u = -eta*g_(t-1)$ times the first momentum before a step, it is $-eta g_t$ times that"
    " after it, and both move the position alike.",
    given=(GIVEN_G, BELOW_ONE[0]),
    states=(theta, u, w, f),
    read=All(
        Equal((1 - b) * (-eta * g_old * u) - eta * (g * b * f), -eta * g * ((1 - b) * u + b * f)),
        Equal(
            sp.Add(theta, -sp.Mul(g, -eta * g * w, evaluate=False), evaluate=False),
            theta + eta * g * g * w,
        ),
    ),
)

PAIR = (theta, u)
WITHOUT_B = Step(PAIR, (SEE, (u, (1 - b) * u - eta * g * f), (theta, theta - g * u)))
REFINEMENT = Step(PAIR, (SEE, (u, (1 - b) * u - eta * g * f), (theta, theta + g * u)))

only_difference = at("supF.only_differences", "supplement F, after the second display").claim(
    "Santa differs from it in $b_1$ only",
    "With the factor $b_1$ before the gradient left out, the second formulation is the refinement of"
    " Algorithm 1, whose friction stands for $b_1$.",
    given=(GIVEN_G, BELOW_ONE[0]),
    states=(theta, u, slope),
    read=same(WITHOUT_B, REFINEMENT, tuple((x, x) for x in PAIR)),
)

second_moment = at(
    "supF.only_differences.v", "supplement F, after the second display, the line of v"
).claim(
    "Santa and Adam have one second moment",
    "The average of squared gradients is that of Algorithm 1, which divides by the square of $m$.",
    given=BELOW_ONE[1:],
    states=(v, f),
    read=Equal(sigma * v + (1 - sigma) * f**2, sigma * v + (1 - sigma) / m**2 * f**2),
)

gamma = on_a_line("lemma5.gamma", "supplement F, Lemma 5").claim(
    "$Gamma$ in Lemma 5",
    "$b_1^2/sqrt(sigma)$ is Adam's $gamma$, which in these letters is $(1 - b_1)^2/sqrt(sigma)$: the"
    " weight of the old momentum is $1 - b_1$ ($s$ is the root of $sigma$).",
    given=(BELOW_ONE[0], Compare(s, "<", 1), Compare(b**2, "<", s)),
    read=Equal(b**2 / s, (1 - b) ** 2 / s),
)

# after one step u = -eta b g f and v = (1 - sigma) f^2; s stands for the root of 1 - sigma
size = sp.Symbol("f", positive=True)
AFTER_ONE = 1 / sp.sqrt(lam + s * size)  # g

first_step = at("lemma5", "supplement F, Lemma 5, for T = 1").claim(
    "The bound on momenta, after one step",
    "$u^2/sqrt(g^2)$, with $u$ and $g$ of the second display, is at most a multiple of the gradient"
    " that depends on $b_1$ and $sigma = 1 - s^2$ only.",
    given=(FROM_ZERO, BELOW_ONE[0], Compare(s, "<", 1), Compare(b**4, "<", 1 - s**2)),
    derived=Order((eta * b * AFTER_ONE * size) ** 2 / AFTER_ONE, "O", size, growing(size)),
)

decay, T = letter("sigma", "fraction"), letter("T", "count")
now, then = index("t"), index("s")
squares = (1 - decay) * over(decay ** (now - then) / then, then, 1, now) / (1 - decay**now)
element_wise = at("lemma5.element_wise", "supplement F, before and after Lemma 5").claim(
    "Lemma 10.4 of Adam holds element-wise, for every $T$",
    "Kingma and Ba bound the sum of $m_t^2/sqrt(t v_t)$, averages of gradients and of squares with their"
    " bias mended, by $2/((1 - gamma)*sqrt(1 - sigma))$ times the root of the sum of squares. For"
    " gradients $t^(-1/2)$ and no momentum ($gamma = 0$) the left grows as $log(T)$, the right"
    " as its root.",
    derived=over(1 / now / sqrt(now * squares), now, 1, T)
    <= 2 / sqrt(1 - decay) * sqrt(over(1 / now, now, 1, T)),
    numbers={T: "40", decay: "1/100"},
)

force = sp.Symbol("force", real=True)  # the gradient that a loss has
ONLINE = Step(
    STATE,
    (
        (v, sigma * v + (1 - sigma) * force**2),
        (u, (1 - b) * u - eta * METRIC * b * force),
        (theta, theta + METRIC * u),
    ),
)

R = regret_of(
    "R",
    OnlineStep(
        ONLINE,
        place=theta,
        slope=force,
        size=eta,
        values=((eta, "1"), (b, "1/2"), (sigma, "3/10"), (lam, "1/100")),
        steep=6,
        level=5,
    ),
)
WITHIN = Assumption(
    "A bounded set, on which iterates are projected, bounded gradients; $b_1$, $sigma$ and $gamma$ below"
    " one, and $b_1$ constant (in Adam's theorem the weight of old momenta decays)."
)
regret = claim(
    "supF.regret",
    at="supplement $F$, after the second display, and its last sentence",
    title="The regret of the modified refinement",
    says="With the gradient multiplied by $b_1$, convex losses and steps $eta/sqrt(t)$ the regret is of"
    " order $sqrt(T)$, as is said of Adam. ($1 - b_1$ is Adam's weight of old momenta; at $b_1 = 1/2$"
    " the printed $gamma = b_1^2/sqrt(sigma)$ and Adam's, $(1 - b_1)^2/sqrt(sigma)$, are 0.46.)",
    given=(WITHIN,),
    read=Order(R, "O", sqrt(T), growing(T)),
)
