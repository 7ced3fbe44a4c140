"""Section 4.3: Poisson's equation, what is assumed of it, and the operator Delta V."""

import sympy as sp

from verification.claims.base import Assumption, Printed
from verification.claims.definition import Definition, NotMathematical
from verification.papers.chen2016santa.processes import U, Xi, beta, g, p, x
from verification.statements import Equal, claim, letters, mean_under
from verification.terms.kinds import LOSS, TIME, number

a, k, L, time = sp.symbols("a k L h", positive=True)
u_hat, u_sum, u_bar, u_at, excess = sp.symbols("U_hat U_sum U_bar U_theta Delta_U", real=True)
after, before, generated = sp.symbols("Ef_after f_before Lf", real=True)
f_t, f, divergence, B_t = letters("f_t f D_1 B_t", "real")
metric, inverse = letters("g beta")
psi = sp.Function("psi")(x)
QUADRATIC = a * x**2 / 2 + u_bar  # least at zero, with value u_bar
GENERAL = number(LOSS)

framework = NotMathematical(
    "sec4_3.framework",
    at="section 4.3, first paragraph",
    title="The framework of Chen et al. (2015)",
    says="Rates weaker than those of many optimisers are said to hold for problems that are not convex.",
    because="attribution",
)

averages = Definition(
    "sec4_3.averages",
    at="section 4.3, second paragraph",
    title="The sample average of the potential",
    says="The mean of the potential over L parameters of the chain.",
    printed=(Printed(u_hat, u_sum / L),),
    declared=((u_hat, GENERAL), (u_sum, GENERAL), (L, number())),
)

generator = Definition(
    "sec4_3.generator",
    at="section 4.3, after Eq. 4",
    title="The generator",
    says="The rate at which the mean of a function changes, over a time h that vanishes.",
    printed=(Printed(generated, (after - before) / time),),
    declared=(
        (generated, number(LOSS / TIME)),
        (after, GENERAL),
        (before, GENERAL),
        (time, number(TIME)),
    ),
)

eq4 = claim(
    "eq4",
    at="Eq. 4",
    title="Poisson's equation with the least value of the potential",
    says=(
        "What a generator makes of a function averages to zero under its stationary density, so a"
        " solution asks that the right side does: U less its least value, here for a quadratic."
    ),
    given=(Assumption("the second metric is a constant k"),),
    derived=Equal(
        mean_under(-beta * (QUADRATIC + p**2 / 2 + (Xi - k) ** 2 / 2), QUADRATIC - u_bar, x, p, Xi), 0
    ),
)

of_theta = claim(
    "eq4.of_theta",
    at="Eq. 4 and after it",
    title="The solution is a function of theta alone",
    says=(
        "Of psi(theta) Eq. 1 makes g p psi'(theta); its mean over momenta would have to be U less U_bar."
    ),
    states=(x, psi.func, U.func),
    derived=Equal(mean_under(-beta * p**2 / 2, g * p * psi.diff(x), p), U - u_bar),
)

unique = NotMathematical(
    "eq4.unique",
    at="after Eq. 4",
    title="The equation typically has one smooth solution",
    says="It is ascribed to Mattingly et al. (2010), for elliptic and hypoelliptic settings.",
    because="attribution",
)

assumption_1 = NotMathematical(
    "assumption1",
    at="Assumption 1",
    title="The solution and its derivatives are bounded by a function with moments",
    says="A hypothesis on the solutions of Eq. 4, as in Chen et al. (2015).",
    because="attribution",
)

gap = Definition(
    "sec4_3.excess",
    at="section 4.3, before Theorem 2",
    title="The excess of the potential",
    says="The potential less its least value.",
    printed=(Printed(excess, u_at - u_bar),),
    declared=((excess, GENERAL), (u_at, GENERAL), (u_bar, GENERAL)),
)

delta_v = claim(
    "sec4_3.delta_v",
    at="section 4.3, before Theorem 2",
    title="Delta V is what the stochastic generator has beyond the generator",
    says=(
        "The drift of the momentum with a stochastic gradient f_t and a divergence D_1 that is off by"
        " B_t, less that of Eq. 1."
    ),
    read=Equal(
        metric * (f_t - f) + B_t / inverse,
        (-metric * f_t + (divergence + B_t) / inverse) - (-metric * f + divergence / inverse),
    ),
)
