"""Section 4.1: exploration, the splitting of Eq. 1, and the approximation of its divergence."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
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
from verification.statements import (
    Equal,
    Order,
    WeakOrder,
    claim,
    growing,
    letter,
    letters,
    pi,
    sqrt,
    term,
    vanishing,
)
from verification.terms.normal_integrals import integral_over, mean_under

EXACT = Assumption("gradients and the derivatives of metrics are exact")
QUADRATIC = Assumption("near its minimum the potential is quadratic")
a, b, eta = sp.symbols("a b eta", positive=True)
R = sp.Function("R", positive=True)(x)  # the root of the second metric
first, other = (sp.Function(n, positive=True) for n in "GH")
G_1, G_2 = first(x, y), other(x, y)
dx, dy, u = sp.symbols("Delta_x Delta_y u", real=True)

ergodic = NotMathematical(
    "sec4_1.ergodic",
    at="section 4.1, second footnote",
    title="The algorithm is assumed to be ergodic",
    says="It is said to be not straightforward to check, and assumed as most work does.",
    because="opinion",
)

minimising = claim(
    "sec4_1.minimising",
    at="section 4.1, second paragraph",
    title="Minimising is sampling at zero temperature",
    says="Under exp(-beta U) the potential exceeds its least value by something of the order of 1/beta.",
    given=(QUADRATIC,),
    read=Order(mean_under(-beta * a * x**2 / 2, (x,), a * x**2 / 2), "Theta", 1 / beta, growing(beta)),
)

point_mass = claim(
    "sec4_1.point_mass",
    at="section 4.1, second paragraph, the limit rho_0",
    title="The limit of exp(-beta U) is a point mass",
    says="A point mass has mass one; with U = a x^2/2 this is the integral of what tends to it.",
    given=(QUADRATIC,),
    read=Order(integral_over(-beta * a * x**2 / 2, (x,)), "Theta", sp.Integer(1), growing(beta)),
)

inverse, first_curvature, second_curvature = letters("beta a b")

uniform = claim(
    "sec4_1.uniform",
    at="section 4.1, third footnote",
    title="Over several global modes the limit is uniform",
    says="Two modes of one height, with curvatures a and b, then have the same mass near them: the"
    " integrals of exp(-beta a x^2/2) and of exp(-beta b x^2/2).",
    given=(QUADRATIC,),
    read=Equal(sqrt(2 * pi / (inverse * first_curvature)), sqrt(2 * pi / (inverse * second_curvature))),
)

euler_order = claim(
    "sec4_1.euler",
    at="section 4.1, generating approximate samples",
    title="The Euler scheme of Eq. 1 is of first order",
    says="With both metrics any functions of the position, and the root of the step on the noise.",
    given=(EXACT,),
    read=WeakOrder(
        equation(G, R**2, R),
        Step(
            STATE,
            (
                (Xi, Xi + h * (p**2 - 1 / beta)),
                (p, p + h * (force(G, R**2) - Xi * p) + sp.sqrt(2 * h / beta) * R * zeta),
                (x, x + h * G * p),
            ),
            (zeta,),
        ),
        h,
        1,
    ),
)

sub_equations = claim(
    "sec4_1.sub_equations",
    at="section 4.1, the displays A, B and O",
    title="A, B and O together are Eq. 1",
    says="One after the other, for a step each, they solve Eq. 1 to first order.",
    given=(EXACT,),
    read=WeakOrder(
        equation(G, r**2, r),
        Step(
            STATE,
            (
                (Xi, Xi + h * (p**2 - 1 / beta)),
                (x, x + h * G * p),
                (p, p * sp.exp(-h * Xi)),
                (p, p + h * force(G, r**2) + sp.sqrt(2 * h / beta) * r * zeta),
            ),
            (zeta,),
        ),
        h,
        1,
    ),
)

solvable = claim(
    "sec4_1.solvable",
    at="section 4.1, with the solutions of Supplement A",
    title="Each part is solved analytically",
    says="The solution of A over a time h moves the position by G_1(theta) p h; it is tried to second"
    " order.",
    read=WeakOrder(
        Diffusion((x, p), (G * p, 0), ((0,), (0,))), Step((x, p), ((x, x + G * p * h),)), h, 2
    ),
)

constant = claim(
    "sec4_1.splitting_constant",
    at="section 4.1, the order A-B-O-B-A",
    title="The splitting is of second order where metrics are constant",
    says="Half steps of A and B on either side of a whole step of O.",
    given=(EXACT, Assumption("metrics are constant")),
    read=WeakOrder(equation(r**2, r**2, r), splitting(sp.sqrt(2 * h / beta) * r, r**2), h, 2),
)

moving = claim(
    "sec4_1.splitting",
    at="section 4.1, the order A-B-O-B-A",
    title="The splitting is of second order",
    says="The same with a first metric that depends on the position, and the solutions of Supplement A.",
    given=(EXACT,),
    read=WeakOrder(
        equation(G, r**2, r), splitting(sp.sqrt(2 * h / beta) * r, G, push=force(G, r**2)), h, 2
    ),
)

leapfrog = NotMathematical(
    "sec4_1.leapfrog",
    at="section 4.1, generating approximate samples",
    title="The splitting is like leapfrog steps",
    says="The analogy with Hamiltonian Monte Carlo is ascribed to Neal (2011).",
    because="attribution",
)

step_a1 = claim(
    "sec4_1.step_A1",
    at="section 4.1, the first step to Eq. 3",
    title="A difference over the move of one coordinate is its derivative",
    says="In two dimensions, where both coordinates move, entry (1, 1) of a diagonal metric.",
    states=(x, y),
    read=Order(
        term((first(x + dx * h, y + dy * h) - G_1) / (dx * h)) - term(G_1.diff(x)), "O", h, vanishing(h)
    ),
)

change, metric, momentum, rate = letter("Delta_G", "real"), *letters("g p eta")

step_a2 = claim(
    "sec4_1.step_A2",
    at="section 4.1, the second step to Eq. 3",
    title="The move of the position is metric times momentum",
    says="With h = sqrt(eta) and u = sqrt(eta) p the difference quotient is one in u, without the step.",
    printed=Equal(
        change / (metric * momentum * sqrt(rate)), change / (metric * (sqrt(rate) * momentum))
    ),
)

eq3 = claim(
    "eq3",
    at="Eq. 3",
    title="The approximation of the divergence is off by at most a constant times h",
    says="In two dimensions, for a diagonal metric whose entries G and H depend on both coordinates.",
    states=(x, y, p, q),
    printed=Order(
        term((first(x + G_1 * p * h, y + G_2 * q * h) - G_1) / (G_1 * p * h)) - term(G_1.diff(x)),
        "O",
        h,
        vanishing(h),
    ),
)

eq3_own = claim(
    "eq3.own_coordinate",
    at="Eq. 3",
    title="The same where each entry sees its own coordinate",
    says="In one dimension, or for a diagonal metric with entry i a function of theta_i.",
    states=(x, p),
    printed=Order(
        term((first(x + first(x) * p * h) - first(x)) / (first(x) * p * h)) - term(first(x).diff(x)),
        "O",
        h,
        vanishing(h),
    ),
)

absorbed = NotMathematical(
    "sec4_1.absorbed",
    at="section 4.1, after Eq. 3",
    title="The error is absorbed into that of stochastic gradients",
    says="It is called negligible; Theorem 2 has it in its operator Delta V.",
    because="opinion",
)

second_metric = claim(
    "sec4_1.second_metric",
    at="section 4.1, after Eq. 3, with Algorithm 1 and the noise of Algorithm 6",
    title="With one metric for both, Algorithm 1 solves Eq. 1",
    says="With exact derivatives where it has differences; Eq. 1 has a term with the second metric's"
    " too.",
    given=(EXACT,),
    read=WeakOrder(
        equation(R**2, R**2, R), euler(sp.sqrt(2 * h / beta) * R, R**2, h * (R**2).diff(x) / beta), h, 1
    ),
)
