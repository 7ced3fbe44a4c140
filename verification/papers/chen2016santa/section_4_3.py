"""Section 4.3: Poisson's equation, the operator Delta V, Theorem 2 and Corollary 3."""

import sympy as sp

from verification.papers.chen2016santa import supplement_F
from verification.papers.chen2016santa.processes import U, Xi, beta, equation, euler, g, h, p, r, x
from verification.papers.chen2016santa.supplement_C import L as steps
from verification.papers.chen2016santa.supplement_C import t as step
from verification.papers.chen2016santa.supplement_C import total
from verification.relations import Adds, All, Bounded, Compare, Equal, Moves, Order, WeakOrder, growing
from verification.statements import Assumption, Printed, Section, at, mean_under, sequences
from verification.terms.kinds import LOSS, TIME, number
from verification.terms.normal_integrals import integral_over
from verification.terms.term import Term, letters, term

a, k, L, time = sp.symbols("a k L h", positive=True)
u_hat, u_sum, u_bar, u_at, excess = sp.symbols("U_hat U_sum U_bar U_theta Delta_U", real=True)
after, before, generated = sp.symbols("Ef_after f_before Lf", real=True)
f_t, f, divergence, B_t = letters("f_t f D_1 B_t", "real")
metric, inverse = letters("g beta")
psi = sp.Function("psi")(x)
QUADRATIC = a * x**2 / 2 + u_bar  # least at zero, with value u_bar
GENERAL = number(LOSS)

framework = at("sec4_3.framework", "section 4.3, first paragraph").attribution(
    "The framework of Chen et al. (2015)",
    "Rates weaker than those of many optimisers are said to hold for problems that are not convex.",
)

averages = at("sec4_3.averages", "section 4.3, second paragraph").definition(
    "The sample average of the potential",
    "The mean of the potential over $L$ parameters of the chain.",
    Printed(u_hat, u_sum / L),
    kinds={u_hat: GENERAL, u_sum: GENERAL, L: number()},
)

generator = at("sec4_3.generator", "section 4.3, after Eq. 4").definition(
    "The generator",
    "The rate at which the mean of a function changes, over a time $h$ that vanishes.",
    Printed(generated, (after - before) / time),
    kinds={generated: number(LOSS / TIME), after: GENERAL, before: GENERAL, time: number(TIME)},
    stands="read",
)

eq4 = at("eq4", "Eq. 4").claim(
    "Poisson's equation with the least value of the potential",
    "What a generator makes of a function averages to zero under its stationary density, so a"
    " solution asks that the right side does: $U$ less its least value, here for a quadratic.",
    given=(Assumption("the second metric is a constant $k$"),),
    derived=Equal(
        mean_under(-beta * (QUADRATIC + p**2 / 2 + (Xi - k) ** 2 / 2), QUADRATIC - u_bar, x, p, Xi), 0
    ),
)

of_theta = at("eq4.of_theta", "Eq. 4 and after it").claim(
    "The solution is a function of $theta$ alone",
    "Of $psi(theta)$ Eq. 1 makes $g p psi'(theta)$; its mean over momenta would have to be $U$ less"
    " $U_bar$.",
    given=(Compare(u_bar, "<=", U),),
    states=(x, psi.func, U.func),
    derived=Equal(mean_under(-beta * p**2 / 2, g * p * psi.diff(x), p), U - u_bar),
)

constant = sp.Symbol("c", positive=True)
unique = at("eq4.unique", "after Eq. 4").claim(
    "The equation typically has one solution",
    "A generator has no term without a derivative, so that with $psi$ goes $psi + c$: a solution is"
    " unique up to a constant, or among functions of mean zero.",
    states=(x, psi.func),
    read=All(Equal(sp.Derivative(psi + constant, x), psi.diff(x)), Equal(psi + constant, psi)),
)

assumption_1 = at("assumption1", "Assumption 1").assumption(
    "The solution and its derivatives are bounded by a function with moments",
    "A hypothesis on the solutions of Eq. 4, as in Chen et al. (2015).",
)

gap = at("sec4_3.excess", "section 4.3, before Theorem 2").definition(
    "The excess of the potential",
    "The potential less its least value.",
    Printed(excess, u_at - u_bar),
    kinds={excess: GENERAL, u_at: GENERAL, u_bar: GENERAL},
)

delta_v = at("sec4_3.delta_v", "section 4.3, before Theorem 2").claim(
    "$Delta V$ is what the stochastic generator has beyond the generator",
    "The drift of the momentum with a stochastic gradient $f_t$ and a divergence $D_1$ that is off by"
    " $B_t$, less that of Eq. 1. By Eq. 3 what stands for $B_t$ is at most $B_t h$.",
    read=Equal(
        metric * (f_t - f) + B_t / inverse,
        (-metric * f_t + (divergence + B_t) / inverse) - (-metric * f + divergence / inverse),
    ),
)

a, b, s, eta, g, L, t = sp.symbols("a b s eta g L t", positive=True)
(norms,) = sequences("V", "bounded sequence")
b_1, b_2 = sp.symbols("beta_1 beta_2", positive=True)
v, w = sp.symbols("v w", positive=True)  # the average of the potential is v - w, of either sign
QUADRATIC = Assumption("the potential is quadratic, in so many dimensions")
KEPT = Assumption("$L$ grows and $h$ vanishes at a temperature that changes ever less")
EXACT = Assumption("gradients are exact and the metric is constant, so that $Delta V$ is zero")
MEANT = Assumption("Assumption 1, with the mean under $exp(-beta_t U)$ for $U_bar$ in Eq. 4 (see eq4)")


def within(dimensions: int, power: int = 1) -> Order:
    """At equilibrium the excess of the potential is of the order of Theorem 2's integral, or smaller."""
    places = sp.symbols(f"x_1:{dimensions + 1}", real=True)
    energy = a * sum(y**2 for y in places) / 2
    over = -beta * energy
    integral, excess = sp.simplify(integral_over(over, places)), mean_under(over, energy, *places)
    return Order(excess if power == 1 else excess**power, "O", integral**power, growing(beta))


first_part = Section(at="Theorem 2", given=(QUADRATIC, KEPT, MEANT, EXACT))

bias = first_part("thm2.bias").claim(
    "The bias is at most a constant times the integral, and what vanishes",
    "At equilibrium in four dimensions: the mean of $Delta U$, on the left, and the integral of"
    " $exp(-beta Delta U)$, which falls faster.",
    derived=within(4),
)

bias_plane = first_part("thm2.bias_two_dimensions").claim(
    "The same in two dimensions",
    "In two dimensions both fall alike.",
    derived=within(2),
    scope="a quadratic potential",
)

mse = first_part("thm2.mse").claim(
    "The mean square error is at most a constant times the squared integral, and what vanishes",
    "At equilibrium in four dimensions averages have no variance left, and both sides are squares.",
    derived=within(4, 2),
)

exponentially = at("thm2.exponentially", "after Theorem 2").claim(
    "The integrals decrease exponentially with the inverse temperature",
    "Then minus the logarithm of one is proportional to $beta$; this one is of a quadratic in $theta$,"
    " and falls as $beta^(-1/2)$, in d dimensions as $beta^(-d/2)$. (Read of $exp(-beta_t U)$ at each"
    " $theta$, relative to $theta*$, the sentence is right.)",
    given=(QUADRATIC,),
    read=Order(-sp.log(integral_over(-beta * x**2 / 2, (x,))), "Theta", beta, growing(beta)),
)

second_order = at("thm2.second_order", "Theorem 2, the terms h^2 and h^4").claim(
    "Euler's scheme has an error of $h^2$ over a time of one",
    'Theorem 2 is stated of Santa, and its proof begins with "our 2nd-order integrator", the splitting.'
    " Of the Euler scheme, its noise as in Algorithm 6, errors would be these.",
    given=(Assumption("gradients are exact"), Assumption("the metric is constant")),
    derived=WeakOrder(equation(r**2, r**2, r), euler(sp.sqrt(2 * h / beta) * r, r**2), h, 2),
)

similar = at("thm2.similar", "after Theorem 2").attribution(
    "The second part is as for general SG-MCMC", "Its form is ascribed to Chen et al. (2015)."
)

converges = at("thm2.controlled", "after Theorem 2").claim(
    "The second part can be made to converge",
    "Of the bias, with exact gradients, a constant metric ($B_t = 0$) and the best step $L^(-1/3)$, as a"
    " power of the number of steps.",
    read=Order(
        1 / (L * h) + h**2, "Theta", L ** sp.Rational(-2, 3), growing(L, (h, L ** sp.Rational(-1, 3)))
    ),
)

mse_converges = at("thm2.controlled_mse", "after Theorem 2").claim(
    "That of the mean square error as well",
    "With exact gradients and the best step $L^(-1/5)$, as a power of the number of steps.",
    read=Order(
        1 / (L * h) + h**4, "Theta", L ** sp.Rational(-4, 5), growing(L, (h, L ** sp.Rational(-1, 5)))
    ),
)

finite_sum = at("thm2.finite_sum", "after Theorem 2").claim(
    "The sum of the annealing sequence is finite",
    "It is the condition for a term to vanish, which footnote 6 says may be neglected; here for the"
    " sequence $t^(1/2)$ of section 5.4. What the term needs, that $1/beta_t$ tends to 0, holds.",
    derived=Adds(sp.sqrt(t), "to a finite sum", growing(t)),
)

vanishes = at("thm2.vanishes", "after Theorem 2").claim(
    "Were that sum finite, the term with $Delta V$ would grow",
    "No sequence that increases, as $beta_t$ does, has a finite sum. With $beta_t = t^(-2)$, $B_t = 1$"
    " and exact gradients the term is the mean of $t^2$: what it needs is that $1/beta_t$ tends to 0.",
    derived=Moves(sp.summation(t**2, (t, 1, L)) / L, "grows", growing(L)),
)

variance_part = at("thm2.mse_gradients", "after Theorem 2").claim(
    "Similar arguments hold for the mean square error",
    "Where mean squared norms of $Delta V$ are bounded, their term of the bound vanishes. (What Eq. 16"
    " makes of it is eq16.delta.)",
    read=Bounded(total(norms[step] ** 2) / steps**2, 1 / steps),
)

monotone = at("cor3.monotone", "before Corollary 3").claim(
    "The sequence $g_m$ increases",
    "The logarithm of a term, $-beta U_hat$, is less at $beta_2$ than at $beta_1$. $U_hat$ may have"
    " either sign: it is a difference $v - w$ of two positive numbers.",
    given=(Compare(b_1, "<", b_2),),
    read=Compare(-b_2 * (v - w), "<", -b_1 * (v - w)),
)

vanishing = at("cor3.integrals", "before Corollary 3").claim(
    "The integrals vanish in the limit",
    "With $Delta U$ in the place of $U_hat$ the integral of Theorem 2 vanishes, here of a quadratic.",
    given=(QUADRATIC,),
    read=Order(integral_over(-beta * a * x**2 / 2, (x,)), "o", 1, growing(beta)),
    scope="a quadratic potential",
)

WELLS = sp.integrate(sp.expand(x * (x - a) * (x + b)), x)  # with modes at a and -b


def pull(place: Term) -> Term:
    """What a step of refinement adds to a momentum at rest, less its slope."""
    return eta * g * (place * (place - a) * (place + b))


LEVEL = (a, -b)  # its minima, where the slope vanishes
HEIGHTS = tuple(WELLS.subs(x, r) for r in LEVEL)

AT_REST = Assumption("not Assumption 1 (at rest Eq. 4 has no solution), nor section 4.2's equilibrium")
corollary = at("cor3", "Corollary 3, why it has Assumption 1").claim(
    "At rest in a minimum that is not the least refinement stays",
    "There Eq. 4 has no solution. At rest a step adds $-eta g U'(x)$ to the momentum: nothing at both"
    " minima of this potential, whose heights differ where a and $b$ do.",
    given=(Assumption("exact gradients, a constant metric $g$"),),
    derived=All(
        *(Equal(pull(term(r)), 0) for r in LEVEL),
        Equal(HEIGHTS[0] - HEIGHTS[1], (b - a) * (a + b) ** 3 / 12),
    ),
)

regret = at("cor3.regret", "after Corollary 3").again(
    supplement_F.regret, "Regret bounds can be derived for refinement"
)
