"""Section 4.3: Theorem 2, what is said of its terms, and Corollary 3."""

from itertools import permutations

import sympy as sp

from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
from verification.papers.chen2016santa.processes import beta, equation, euler, h, r, x
from verification.statements import (
    Adds,
    All,
    Compare,
    Equal,
    Moves,
    Order,
    Stated,
    Term,
    WeakOrder,
    claim,
    growing,
    term,
)
from verification.terms.normal_integrals import integral_over, mean_under

a, b, s, eta, g, L, t, V = sp.symbols("a b s eta g L t V", positive=True)
b_1, b_2 = sp.symbols("beta_1 beta_2", positive=True)
v, w = sp.symbols("v w", positive=True)  # the average of the potential is v - w, of either sign
QUADRATIC = Assumption("the potential is quadratic, in so many dimensions")
KEPT = Assumption("L grows and h vanishes at a temperature that changes ever less")


def excess(dimensions: int) -> sp.Expr:
    """What the potential is above its least value at equilibrium, over the integral of Theorem 2."""
    places = sp.symbols(f"x_1:{dimensions + 1}", real=True)
    energy = a * sum(y**2 for y in places) / 2
    over = -beta * energy
    return sp.simplify(mean_under(over, places, energy) / integral_over(over, places))


def first_part(key: str, title: str, says: str, quantity: sp.Expr) -> Stated:
    """Whether the first part of a bound is as large as what it has to bound."""
    return claim(
        key,
        at="Theorem 2",
        title=title,
        says=says,
        given=(QUADRATIC, KEPT),
        derived=Order(quantity, "O", sp.Integer(1), growing(beta)),
    )


bias = first_part(
    "thm2.bias",
    "The bias is at most a constant times the integral, and what vanishes",
    "At equilibrium in four dimensions, the excess of U over the integral of exp(-beta Delta U).",
    excess(4),
)

bias_plane = first_part(
    "thm2.bias_two_dimensions",
    "The same in two dimensions",
    "At equilibrium in two dimensions, the excess of U over the integral of exp(-beta Delta U).",
    excess(2),
)

mse = first_part(
    "thm2.mse",
    "The mean square error is at most a constant times the squared integral, and what vanishes",
    "At equilibrium in four dimensions averages have no variance left, and both sides are squares.",
    excess(4) ** 2,
)

exponentially = claim(
    "thm2.exponentially",
    at="after Theorem 2",
    title="The integrals decrease exponentially with the inverse temperature",
    says="Then minus the logarithm of one is proportional to beta; this one is of a quadratic in theta.",
    given=(QUADRATIC,),
    read=Order(-sp.log(integral_over(-beta * x**2 / 2, (x,))), "Theta", beta, growing(beta)),
)

second_order = claim(
    "thm2.second_order",
    at="Theorem 2, the terms h^2 and h^4",
    title="Euler's scheme has an error of h^2 over a time of one",
    says="Theorem 2 is stated of Santa; with the Euler scheme, its noise as in Algorithm 6, errors are"
    " these.",
    given=(Assumption("gradients are exact"), Assumption("the metric is constant")),
    derived=WeakOrder(equation(r**2, r**2, r), euler(sp.sqrt(2 * h / beta) * r, r**2), h, 2),
)

similar = NotMathematical(
    "thm2.similar",
    at="after Theorem 2",
    title="The second part is as for general SG-MCMC",
    says="Its form is ascribed to Chen et al. (2015).",
    because="attribution",
)

converges = claim(
    "thm2.controlled",
    at="after Theorem 2",
    title="The second part can be made to converge",
    says=(
        "Of the bias, with exact gradients and the best step L^(-1/3), as a power of the number of"
        " steps."
    ),
    read=Order(
        1 / (L * h) + h**2, "Theta", L ** sp.Rational(-2, 3), growing(L, (h, L ** sp.Rational(-1, 3)))
    ),
)

mse_converges = claim(
    "thm2.controlled_mse",
    at="after Theorem 2",
    title="That of the mean square error as well",
    says="With exact gradients and the best step L^(-1/5), as a power of the number of steps.",
    read=Order(
        1 / (L * h) + h**4, "Theta", L ** sp.Rational(-4, 5), growing(L, (h, L ** sp.Rational(-1, 5)))
    ),
)

finite_sum = claim(
    "thm2.finite_sum",
    at="after Theorem 2",
    title="The sum of the annealing sequence is finite",
    says=(
        "It is the condition for a term to vanish; the sequence of section 5.2, increasing, is t^(1/2)."
    ),
    derived=Adds(sp.sqrt(t), "to a finite sum", growing(t)),
)

vanishes = claim(
    "thm2.vanishes",
    at="after Theorem 2",
    title="Where that sum is finite the term with Delta V vanishes",
    says=(
        "With beta_t = t^(-2), whose sum is finite, and B_t = 1, it is the mean of 1/beta_t over L"
        " steps."
    ),
    read=Moves(sp.summation(t**2, (t, 1, L)) / L, "shrinks", growing(L)),
)

variance_part = claim(
    "thm2.mse_gradients",
    at="after Theorem 2",
    title="Similar arguments hold for the mean square error",
    says=(
        "With a mean squared norm V of Delta V in every step, its term falls like one over their number."
    ),
    read=Order(V / L, "Theta", 1 / L, growing(L)),
)

monotone = claim(
    "cor3.monotone",
    at="before Corollary 3",
    title="The sequence g_m increases",
    says="Terms shrink as the inverse temperature grows from beta_1 to beta_2: in logarithms, U_hat = v"
    " - w.",
    given=(Compare(b_1, "<=", b_2),),
    read=Compare(-b_2 * (v - w), "<=", -b_1 * (v - w)),
)

vanishing = claim(
    "cor3.integrals",
    at="before Corollary 3",
    title="The integrals vanish in the limit",
    says="With Delta U in the place of U_hat the integral of Theorem 2 shrinks, here of a quadratic.",
    given=(QUADRATIC,),
    read=Moves(integral_over(-beta * a * x**2 / 2, (x,)), "shrinks", growing(beta)),
)


WELLS = sp.integrate(sp.expand(x * (x - a) * (x + b)), x)  # with modes at a and -b


def pull(place: Term) -> Term:
    """What a step of refinement adds to a momentum at rest, less its slope."""
    return eta * g * (place * (place - a) * (place + b))


LEVEL = (sp.Integer(0), a, -b)  # where the slope vanishes
HEIGHTS = tuple(sp.factor(WELLS.subs(x, r)) for r in LEVEL)

corollary = claim(
    "cor3",
    at="Corollary 3",
    title="Averages of refinement come as close to the global optimum as steps allow",
    says="As L grows and h vanishes both bounds vanish, from every start, for a double well too. At rest"
    " where its slope is zero a step of refinement, p/(1 + s) - eta g U'(x), changes nothing: averages"
    " stay at that height, which has to be the least.",
    given=(Assumption("exact gradients, a constant metric g"),),
    derived=All(
        *(Equal(pull(term(r)), 0) for r in LEVEL),
        *(Compare(u, "<=", other) for u, other in permutations(HEIGHTS, 2)),
    ),
)

regret = NotMathematical(
    "cor3.regret",
    at="after Corollary 3",
    title="Regret bounds can be derived for refinement",
    says="They are argued in Supplement F.",
    because="attribution",
)
