"""Section 4.1: exploration, the splitting of Eq. 1, and the approximation of its divergence."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.papers.chen2016santa.processes import (
    STATE,
    G,
    Xi,
    beta,
    equation,
    euler,
    force,
    h,
    p,
    q,
    r,
    splitting,
    x,
    y,
    zeta,
)
from verification.relations import Equal, Order, WeakOrder, growing, vanishing
from verification.statements import (
    Assumption,
    Section,
    at,
    letter,
    letters,
    log_integral,
    mean_under,
    pi,
    sqrt,
    term,
)

EXACT = Assumption("gradients and the derivatives of metrics are exact")
QUADRATIC = Assumption("the potential is quadratic, in one coordinate, with least value zero")
CONSTANT_2 = Assumption("the second metric is a constant $r^2$")
a, b, eta = sp.symbols("a b eta", positive=True)
R = sp.Function("R", positive=True)(x)  # the root of the second metric
first, other = (sp.Function(n, positive=True) for n in "GH")
G_1, G_2 = first(x, y), other(x, y)
dx, dy, u = sp.symbols("Delta_x Delta_y u", real=True)

ergodic = at("sec4_1.ergodic", "section 4.1, second footnote").assumption(
    "The algorithm is assumed to be ergodic",
    "It is said to be not straightforward to check, and assumed as most work does.",
)

minimising = at("sec4_1.minimising", "section 4.1, second paragraph").claim(
    "Minimising is sampling at zero temperature",
    "Under $exp(-beta U)$ the potential exceeds its least value by something of the order of $1/beta$.",
    given=(QUADRATIC,),
    read=Order(mean_under(-beta * a * x**2 / 2, a * x**2 / 2, x), "Theta", 1 / beta, growing(beta)),
    scope="a quadratic potential, one coordinate",
)

point_mass = at("sec4_1.point_mass", "section 4.1, second paragraph, the limit rho_0").claim(
    "The limit of $exp(-beta U)$ is a point mass",
    "A point mass has mass one, whose logarithm is 0; with $U = a$ $x^2/2$ this is that of the mass of"
    " what tends to it. (The line above has the factor that is missing: $exp(-beta U)/Z_beta$ has mass"
    " one.)",
    given=(QUADRATIC,),
    read=Order(log_integral(-beta * a * x**2 / 2, x), "o", 1, growing(beta)),
)

inverse, first_curvature, second_curvature = letters("beta a b")

uniform = at("sec4_1.uniform", "section 4.1, third footnote").claim(
    "Over several global modes the limit is uniform",
    "Two modes of one height, with curvatures a and $b$, then have the same mass near them: the"
    " integrals of exp($-beta$ a $x^2/2$) and of $exp(-beta b x^2/2)$.",
    given=(QUADRATIC,),
    read=Equal(sqrt(2 * pi / (inverse * first_curvature)), sqrt(2 * pi / (inverse * second_curvature))),
)

exact = Section(given=(EXACT,), scope="one coordinate")
friction, move, damp = (Xi, Xi + h * (p**2 - 1 / beta)), (x, x + h * G * p), (p, p * sp.exp(-h * Xi))
kick = (p, p + h * (force(G, R**2) - Xi * p) + sp.sqrt(2 * h / beta) * R * zeta)
push = (p, p + h * force(G, r**2) + sp.sqrt(2 * h / beta) * r * zeta)

euler_order = exact("sec4_1.euler", "section 4.1, generating approximate samples").claim(
    "The Euler scheme of Eq. 1 is of first order",
    "With both metrics any functions of the position, and the root of the step on the noise.",
    read=WeakOrder(equation(G, R**2, R), Step(STATE, (friction, kick, move), (zeta,)), h, 1),
)

sub_equations = exact("sec4_1.sub_equations", "section 4.1, the displays $A$, $B$ and $O$").claim(
    "A, $B$ and $O$ together are Eq. 1",
    "One after the other, for a step each, they solve Eq. 1 to first order.",
    given=(CONSTANT_2,),
    read=WeakOrder(equation(G, r**2, r), Step(STATE, (friction, move, damp, push), (zeta,)), h, 1),
)

solvable = at("sec4_1.solvable", "section 4.1, with the solutions of Supplement A").claim(
    "Each part is solved analytically",
    "The solution of $A$ over a time $h$ moves the position by $G_1(theta) p h$. Were it the solution,"
    " the step would be right to every order, and so to the second. (What it needs is eq6.A.)",
    read=WeakOrder(
        Diffusion((x, p), (G * p, 0), ((0,), (0,))), Step((x, p), ((x, x + G * p * h),)), h, 2
    ),
)

constant = exact("sec4_1.splitting_constant", "section 4.1, the order $A-B-O-B-A$").claim(
    "The splitting is of second order where metrics are constant",
    "Half steps of $A$ and $B$ on either side of a whole step of $O$.",
    read=WeakOrder(equation(r**2, r**2, r), splitting(sp.sqrt(2 * h / beta) * r, r**2), h, 2),
    given=(Assumption("metrics are constant"),),
)

moving = exact("sec4_1.splitting", "section 4.1, the order $A-B-O-B-A$").claim(
    "The splitting is of second order",
    "The same with a first metric that depends on the position, and the solutions of Supplement $A$.",
    given=(CONSTANT_2,),
    read=WeakOrder(
        equation(G, r**2, r), splitting(sp.sqrt(2 * h / beta) * r, G, push=force(G, r**2)), h, 2
    ),
)

leapfrog = at("sec4_1.leapfrog", "section 4.1, generating approximate samples").attribution(
    "The splitting is like leapfrog steps",
    "The analogy with Hamiltonian Monte Carlo is ascribed to Neal (2011).",
)

step_a1 = at("sec4_1.step_A1", "section 4.1, the first step to Eq. 3").claim(
    "A difference over the move of one coordinate is its derivative",
    "In two dimensions, where both coordinates move, entry (1, 1) of a diagonal metric. (Of the whole"
    " of Eq. 3 it is eq3, and what that needs eq3.own_coordinate.)",
    states=(x, y),
    read=Order(
        term((first(x + dx * h, y + dy * h) - G_1) / (dx * h)) - term(G_1.diff(x)), "O", h, vanishing(h)
    ),
    scope="two coordinates",
)

error = letter("B")
change, metric, momentum, rate = letter("Delta_G", "real"), *letters("g p eta")

step_a2 = at("sec4_1.step_A2", "section 4.1, the second step to Eq. 3").claim(
    "The move of the position is metric times momentum",
    "With $h = sqrt(eta)$ and $u = sqrt(eta) p$ the difference quotient is one in $u$, without the"
    " step. (Algorithm 1 takes the move of the step before, of the old momentum, which is this one up to"
    " the order of $h$.)",
    printed=Equal(
        change / (metric * momentum * sqrt(rate)), change / (metric * (sqrt(rate) * momentum))
    ),
)

eq3 = at("eq3", "Eq. 3").claim(
    "The approximation of the divergence is off by at most a constant times $h$",
    "In two dimensions, for a diagonal metric whose entries $G$ and $H$ depend on both coordinates.",
    states=(x, y, p, q),
    printed=Order(
        term((first(x + G_1 * p * h, y + G_2 * q * h) - G_1) / (G_1 * p * h)) - term(G_1.diff(x)),
        "O",
        h,
        vanishing(h),
    ),
)

eq3_own = at("eq3.own_coordinate", "Eq. 3").claim(
    "The same where each entry sees its own coordinate",
    "In one dimension, or for a diagonal metric with entry $i$ a function of $theta_i$.",
    states=(x, p),
    printed=Order(
        term((first(x + first(x) * p * h) - first(x)) / (first(x) * p * h)) - term(first(x).diff(x)),
        "O",
        h,
        vanishing(h),
    ),
    scope="one coordinate",
)

absorbed = at("sec4_1.absorbed", "section 4.1, after Eq. 3").claim(
    "The error is absorbed into that of stochastic gradients",
    "In $Delta V$ an error $B$ of the divergence stands over $beta$: where it is bounded that vanishes"
    " with the temperature. (In two coordinates, eq3, it is not: it has $q/p$ in it, of which the mean"
    " size is infinite at every temperature.)",
    derived=Order(error / inverse, "o", 1, growing(inverse)),
)

second_metric = exact(
    "sec4_1.second_metric", "section 4.1, after Eq. 3, with Algorithm 1 and the noise of Algorithm 6"
).claim(
    "With one metric for both, Algorithm 1 solves Eq. 1",
    "With exact derivatives where it has differences; Eq. 1 has a term with the second metric's too.",
    read=WeakOrder(
        equation(R**2, R**2, R), euler(sp.sqrt(2 * h / beta) * R, R**2, h * (R**2).diff(x) / beta), h, 1
    ),
)
