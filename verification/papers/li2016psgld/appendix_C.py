"""Appendix C: thinning. Operators of steps, their composition, Corollary 3 (Eqs. 28 to 30)."""

import sympy as sp

from verification.claims.base import Assumption, Printed
from verification.claims.operator_series import Expanded, OperatorSeries
from verification.claims.sums import Sums
from verification.papers.li2016psgld.appendix_letters import S_T, SQUARES, STEPS, eps
from verification.sequences.relations import UpTo
from verification.sequences.words import T, ell, m, numbers, over
from verification.statements import Equal, claim, index, letter, sequences
from verification.statements import over as every
from verification.terms.term import Term

h = sp.Symbol("epsilon", positive=True)
a, b, c = (sp.Symbol(f"a_{n}", positive=True) for n in (1, 2, 3))  # steps in units of h
p = sp.Symbol("p", positive=True)
P, P_1, P_2 = sp.symbols("K K_1 K_2", commutative=False)
L, L_1, L_2, L_3 = sp.symbols("L L_1 L_2 L_3", commutative=False)
R, R_1, R_2 = sp.symbols("R R_1 R_2", commutative=False)
ONE_STEP = ((P, 1 + h * L + h**2 * R),)
TWO_STEPS = ((P_1, 1 + h * a * L_1 + h**2 * R_1), (P_2, 1 + h * b * L_2 + h**2 * R_2))
generator, noise = sequences("L_f Delta_V")  # of each step, applied to one function
(step,) = sequences("epsilon", "positive sequence")
own, k = letter("L_f", "real"), index("l")
first, second = numbers("u"), numbers("v")  # L_l is u_l A + v_l B for two operators A and B
EULER = Assumption("each step is one of Euler's integrator: 1 + eps L up to eps^2")
POSITIVE = ((eps, "positive"),)
PAIRS = over(
    over(eps[ell] * eps[m] * (first[ell] * second[m] - second[ell] * first[m]), m, ell + 1), ell
)


def total(body: Term) -> Term:
    """The sum over all steps from theta_i to theta_j."""
    return every(body, k, 1, letter("T", "count"))


S_ij = total(step[k])

eq28 = OperatorSeries(
    "appC.eq28",
    at="Eq. 28, as operators on f, looked at where the step starts",
    stands="read",
    title="The operator of one step",
    says="The operator of one step is e^(eps L) up to eps^2.",
    given=(EULER,),
    printed=(Expanded(P, sp.exp(h * L), small=h, order=2),),
    where=ONE_STEP,
)

eq28_printed = OperatorSeries(
    "appC.eq28_printed",
    at="Eq. 28, with theta_l on both sides as printed",
    title="The mean at theta_l, and e^(eps L) f at theta_l",
    says="The mean of f(theta_l) is that of e^(eps L) f at theta_l itself, up to eps^2.",
    given=(EULER,),
    printed=(Expanded(P, P * sp.exp(h * L), small=h, order=2),),
    where=ONE_STEP,
)

eq13_second = OperatorSeries(
    "appC.eq13_second_line",
    at="Eq. 28 with the second line of Eq. 13",
    title="The exponential, cut after its first term",
    says="e^(eps L) is 1 + eps L up to eps^2.",
    printed=(Expanded(sp.exp(h * L), 1 + h * L, small=h, order=2),),
)

eq29_printed = OperatorSeries(
    "appC.eq29_printed",
    at="Eq. 29, with t_i on both sides and in every factor, as printed",
    title="One operator is a product of operators",
    says="The operator of one step is a composition of two such operators.",
    given=(EULER,),
    printed=(Expanded(P, P * P, small=h, order=2),),
    where=ONE_STEP,
)

eq29_first = OperatorSeries(
    "appC.eq29_first_factor",
    at="Eq. 29, the factors from i to j",
    stands="read",
    title="The step that leads to theta_i is among the factors",
    says="From theta_i to the next sample the operators of both steps, i and the next, are composed.",
    given=(EULER,),
    printed=(Expanded(P_2, P_1 * P_2, small=h, order=2),),
    where=TWO_STEPS,
)

eq30 = OperatorSeries(
    "appC.eq30_three_steps",
    at="Eq. 30, first line, for three steps",
    stands="derived",
    title="A product of exponentials is one exponential",
    says="The operators of three steps make the exponential of the sum of generators, up to eps^2.",
    given=(EULER,),
    printed=(
        Expanded(
            sp.exp(h * a * L_1) * sp.exp(h * b * L_2) * sp.exp(h * c * L_3),
            sp.exp(h * (a * L_1 + b * L_2 + c * L_3)),
            small=h,
            order=2,
        ),
    ),
)

eq30_remainder = Sums(
    "appC.eq30_remainder",
    at="Eq. 30, first line, for any number of steps",
    stands="read",
    title="Commutators of different steps are O of the sum of squared steps",
    says="What commutators of all pairs of steps leave is at most a constant times the sum of eps_l^2.",
    printed=(
        UpTo(
            over(
                over(eps[ell] * eps[m] * (first[ell] * second[m] - second[ell] * first[m]), m, ell + 1),
                ell,
            )
            ** 2,
            SQUARES**2,
        ),
    ),
    kinds=(*POSITIVE, (first, "at most one"), (second, "at most one")),
)

eq30_pairs = Sums(
    "appC.eq30_pairs",
    at="Eq. 30, second line: all pairs of steps",
    stands="read",
    title="Pairs of steps add up to at most S^2",
    says="Products of bounded numbers over all pairs of steps are at most the square of S_ij.",
    printed=(
        UpTo(over(eps[ell] * sp.Abs(first[ell]), ell) * over(eps[m] * sp.Abs(second[m]), m), S_T**2),
    ),
    kinds=(*POSITIVE, (first, "at most one"), (second, "at most one")),
)

eq30_squares = Sums(
    "appC.eq30_squares",
    at="Eq. 30, second line: the remainders of single steps",
    stands="read",
    title="Squared steps add up to at most S^2",
    says="The sum of eps_l^2 is at most the square of S_ij.",
    printed=(Printed(SQUARES, S_T**2, "<="),),
    kinds=POSITIVE,
)

definitions = claim(
    "appC.mean_generator",
    at="after Eq. 30, the definition of the mean generator",
    title="S_ij times the mean generator",
    says="S_ij times the mean generator is the sum of steps times generators.",
    read=Equal(total(step[k] * generator[k]), S_ij * total(step[k] / S_ij * generator[k])),
)

same_form = claim(
    "appC.same_form",
    at="after Eq. 30",
    title="The mean generator has the form of the generator",
    says="The mean of L + Delta V_l, weighted with the steps, is L plus the mean of Delta V_l.",
    read=Equal(total(step[k] * (own + noise[k])) / S_ij, own + total(step[k] * noise[k]) / S_ij),
)

local_integrator = OperatorSeries(
    "appC.first_order_integrator",
    at="after Eq. 30: a first-order local integrator with step S_ij",
    stands="read",
    title="Two steps are one of first order",
    says="Two Euler steps, shares p and 1 - p of S_ij = eps, are the exponential of S_ij times the mean"
    " generator, up to its square.",
    given=(EULER,),
    printed=(Expanded(P_1 * P_2, sp.exp(h * (p * L_1 + (1 - p) * L_2)), small=h, order=2),),
    where=((P_1, 1 + h * p * L_1 + h**2 * R_1), (P_2, 1 + h * (1 - p) * L_2 + h**2 * R_2)),
)

same_error = Sums(
    "appC.same_mse",
    at="Appendix C, last sentence: the third term of the bound",
    stands="read",
    title="Thinning leaves the bound as it is",
    says="The squared step between kept samples is at most a constant times its parts' squares.",
    printed=(UpTo(S_T**2, SQUARES),),
    kinds=STEPS,
)

thinned_vanishes = Sums(
    "appC.thinned_steps",
    at="Appendix C, last sentence, T steps between kept samples",
    stands="derived",
    title="The same with the thinning interval",
    says="The squared step between kept samples is at most T times its parts' squares.",
    printed=(Printed(S_T**2, T * SQUARES, "<="),),
    kinds=STEPS,
)
