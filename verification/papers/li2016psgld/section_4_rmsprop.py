"""Preconditioned SGLD: the preconditioner of RMSprop (Eqs. 4 and 5) and Algorithm 1."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.papers.li2016psgld.hypotheses import A1, FORGETS
from verification.statements import (
    Compare,
    Equal,
    Order,
    claim,
    growing,
    letters,
    same,
    samples_posterior,
    vanishing,
)
from verification.terms.kinds import LOSS, PARAMETER, number

lam, alpha, g, v, g_1, g_2 = sp.symbols("lambda alpha g v g_1 g_2", positive=True)
G, V, V_new, gbar = sp.symbols("G V V_new gbar", positive=True)
s_1, s_2 = letters("sigma_1 sigma_2")
a, b = sp.symbols("a b", positive=True)
SLOPE = LOSS / PARAMETER

x, W, xi, old = sp.symbols("x W xi old", real=True)
eps = sp.Symbol("eps", positive=True)
G_x, Gamma_x, g_x, W_x = (sp.Function(n)(x) for n in ("G", "Gamma", "g", "root_of_G"))
P_W = sp.Function("G")(W)

eq4 = Definition(
    "eq4",
    at="Eq. 4",
    title="The preconditioner of RMSprop",
    says="An entry of G is one over lambda plus the root of V: lambda is measured as gradients are.",
    printed=(Printed(G, 1 / (lam + V ** sp.Rational(1, 2))),),
    declared=((G, number(1 / SLOPE)), (lam, number(SLOPE)), (V, number(SLOPE**2))),
)

eq5 = Definition(
    "eq5",
    at="Eq. 5",
    title="The running average of squared gradients",
    says="V is averaged with the square of the minibatch's mean gradient, coordinate by coordinate.",
    printed=(Printed(V_new, alpha * V + (1 - alpha) * gbar**2),),
    declared=(
        (V_new, number(SLOPE**2)),
        (V, number(SLOPE**2)),
        (alpha, number()),
        (gbar, number(SLOPE)),
    ),
)

positive = claim(
    "eq4.positive",
    at="before Eq. 4",
    title="The preconditioner is positive",
    says="G is a positive definite matrix, as a metric has to be.",
    read=Compare(1 / (lam + v), ">", sp.Integer(0)),
)

extremes = claim(
    "eq4.extremes",
    at="preconditioned SGLD, on tuning parameters",
    title="The parameter lambda bounds the preconditioner",
    says="No entry of G is larger than 1/lambda.",
    read=Compare(1 / (lam + v), "<=", 1 / lam),
)

convex = claim(
    "eq5.weights",
    at="Eq. 5, for alpha = 1/(1 + b)",
    title="V stays nonnegative",
    says="With alpha between 0 and 1 the average is never negative, so that its root exists.",
    derived=Compare(v / (1 + b) + b / (1 + b) * g**2, ">=", sp.Integer(0)),
)

curved = claim(
    "sec4.curved_landscapes",
    at="preconditioned SGLD, after Eq. 5",
    title="Curved landscapes have larger gradients",
    says="In the stationary law of a normal posterior the mean square gradient is the curvature.",
    read=Equal((1 / s_1**2) ** 2 * s_1**2, 1 / s_1**2),
)

equalises = claim(
    "sec4.equalises_gradient",
    at="preconditioned SGLD, interpretation i)",
    title="The preconditioner equalises the gradient",
    says="A gradient that stays the same is multiplied to one in all dimensions, as lambda vanishes.",
    read=Order(g / (lam + g), "~", sp.S.One, vanishing(lam)),
)

constant_step = claim(
    "sec4.equal_curvature",
    at="preconditioned SGLD, before Eq. 4 and interpretation i)",
    title="The curvature is equal in all directions",
    says="Two directions of a normal posterior, V at its stationary mean and lambda taken to zero: with"
    " G in front both have the same curvature.",
    read=Equal(s_1 / s_1**2, s_2 / s_2**2),
)

adaptive = claim(
    "sec4.adaptive_steps",
    at="preconditioned SGLD, interpretation ii)",
    title="Flat directions have larger steps",
    says="The direction with the smaller gradients has the larger entry of G.",
    read=Compare(1 / (lam + g_1), ">", 1 / (lam + g_1 + v)),
)

escape = claim(
    "sec4.saddle",
    at="preconditioned SGLD, on saddle points",
    title="SGLD is slow to leave a saddle point",
    says="With the largest stable step 4/a, a the positive curvature, a direction of curvature -b"
    " takes of the order of a/b steps to leave.",
    read=Order(sp.log(1 + 2 * b / a) ** -1, "Theta", a, growing(a)),
)

faster = NotMathematical(
    "sec4.faster",
    at="preconditioned SGLD, on saddle points",
    title="A preconditioned sampler moves much faster",
    says="Faster moves near saddle points are called possible.",
    because="opinion",
)

algorithm1 = claim(
    "alg1",
    at="Algorithm 1",
    title="Algorithm 1 samples the posterior as its step vanishes",
    says="With Gamma as the derivative of the formulas for G and V, and full gradients.",
    given=(A1, FORGETS),
    read=samples_posterior("psgld:algorithm1"),
    kinds=(("alpha", "unit"),),
)

with_eq3 = claim(
    "alg1.eq3",
    at="Algorithm 1, with the step of Eq. 3 as printed",
    title="Eqs. 3 to 5 sample the posterior as the step vanishes",
    says="The same with Gamma inside of what G multiplies.",
    given=(A1, FORGETS),
    read=samples_posterior("psgld:eq3"),
    kinds=(("alpha", "unit"),),
)

with_minibatches = claim(
    "alg1.minibatches",
    at="Algorithm 1, with a minibatch",
    title="Algorithm 1 with minibatches and no memory samples the posterior",
    says="One of two examples is drawn in each step, alpha is 0: G and gradient see the same one.",
    given=(A1,),
    read=samples_posterior("psgld:algorithm1", params=(("alpha", 0),), examples=2),
)

one_algorithm = claim(
    "alg1.is_eq3",
    at="Algorithm 1 against Eq. 3",
    title="Algorithm 1 is the step of Eq. 3",
    says="Both are given as the sampler; one adds Gamma, the other G times Gamma.",
    states=(x, xi, G_x.func, Gamma_x.func, g_x.func, W_x.func),
    read=same(
        Step((x,), ((x, x + eps / 2 * (G_x * g_x + Gamma_x) + eps * W_x * xi),), (xi,)),
        Step((x,), ((x, x + eps / 2 * G_x * (g_x + Gamma_x) + eps * W_x * xi),), (xi,)),
        ((x, x),),
    ),
)

indices = claim(
    "alg1.is_eqs_4_and_5",
    at="Algorithm 1 against Eqs. 4 and 5",
    title="V in Algorithm 1 is V of Eqs. 4 and 5",
    says="Eq. 5 makes G for a position from the gradient at the last one, Algorithm 1 from that at the"
    " same; here without Gamma and noise.",
    states=(x, W, g_x.func, G_x.func),
    read=same(
        Step((x, W), ((W, alpha * W + (1 - alpha) * g_x**2), (x, x + eps * P_W * g_x))),
        Step((x, W), ((old, P_W * g_x), (W, alpha * W + (1 - alpha) * g_x**2), (x, x + eps * old))),
        ((x, x), (W, W)),
    ),
)
