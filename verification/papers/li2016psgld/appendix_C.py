"""Appendix C: thinning. Operators of steps, their composition, Corollary 3 (Eqs. 28 to 30)."""

from verification.papers.li2016psgld import appendix_sequences as own
from verification.relations import Bounded, Equal, Order, vanishing
from verification.statements import Assumption, Section, at, index, sequences, size
from verification.statements import over as every
from verification.terms.notation import I
from verification.terms.term import Letter, Term, letter, letters
from verification.theories.time.words import expm

h, p, a, b, c = letters("epsilon p a_1 a_2 a_3")  # the last are steps in units of the first
P, P_1, P_2 = letters("K K_1 K_2", "matrix")
L, L_1, L_2, L_3, R, R_1, R_2 = letters("L L_1 L_2 L_3 R R_1 R_2", "matrix")
ONE_STEP = ((P, I + h * L + h**2 * R),)
TWO_STEPS = ((P_1, I + h * a * L_1 + h**2 * R_1), (P_2, I + h * b * L_2 + h**2 * R_2))
generator, noise = sequences("L_f Delta_V")  # of each step, applied to one function
(step,) = sequences("epsilon", "positive sequence")
steps = own.steps  # the same, under Assumption 1
same, k = letter("L_f", "real"), index("l")
first, second = sequences("u v", "bounded sequence")  # L_l is u_l A + v_l B for two operators A and B
EULER = Assumption("each step is one of Euler's integrator: $1 + eps L$ up to $eps^2$")


def operators(*any_: Letter) -> tuple[tuple[str, str], ...]:
    """Letters that stand for any operators."""
    return tuple((a.name, "operator") for a in any_)


def up_to(power: int, left: Term, right: Term) -> Order:
    """Two operators agree up to a power of the step."""
    return Order(left - right, "O", h**power, vanishing(h))


def total(body: Term) -> Term:
    """The sum over all steps from theta_i to theta_j."""
    return every(body, k, 1, letter("T", "count"))


S_ij, SQUARED = total(step[k]), total(step[k] ** 2)
m = index("m")
TURNED = first[k] * second[m] - second[k] * first[m]
PAIRS = total(every(steps[k] * steps[m] * TURNED, m, k + 1, own.T))
euler = Section(given=(EULER,))

eq28 = euler("appC.eq28", "Eq. 28, as operators on $f$, looked at where the step starts").claim(
    "The operator of one step",
    "The operator of one step is $e^(eps L)$ up to $eps^2$.",
    read=up_to(2, P, expm(h * L)),
    where=ONE_STEP,
    kinds=operators(L, R),
)

eq28_printed = euler("appC.eq28_printed", "Eq. 28, with $theta_l$ on both sides as printed").claim(
    "The mean at $theta_l$, and $e^(eps L) f$ at $theta_l$",
    "The mean of $f(theta_l)$ is that of $e^(eps L) f$ at $theta_l$ itself, up to $eps^2$.",
    read=up_to(2, P, P * expm(h * L)),
    where=ONE_STEP,
    kinds=operators(L, R),
)

eq13_second = at("appC.eq13_second_line", "Eq. 28 with the second line of Eq. 13").claim(
    "The exponential, cut after its first term",
    "$e^(eps L)$ is $1 + eps L$ up to $eps^2$.",
    printed=up_to(2, expm(h * L), I + h * L),
    kinds=operators(L),
)

eq29_printed = euler(
    "appC.eq29_printed", "Eq. 29, with $t_i$ on both sides and in every factor, as printed"
).claim(
    "One operator is a product of operators",
    "The operator of one step is a composition of two such operators.",
    read=up_to(2, P, P * P),
    where=ONE_STEP,
    kinds=operators(L, R),
)

eq29_first = euler("appC.eq29_first_factor", "Eq. 29, the factors from $i$ to $j$").claim(
    "The step that leads to $theta_i$ is among the factors",
    "From $theta_i$ to the next sample the operators of both steps, $i$ and the next, are composed.",
    read=up_to(2, P_2, P_1 * P_2),
    where=TWO_STEPS,
    kinds=operators(L_1, L_2, R_1, R_2),
)

eq30 = euler("appC.eq30_three_steps", "Eq. 30, first line, for three steps").claim(
    "A product of exponentials is one exponential",
    "The operators of three steps make the exponential of the sum of generators, up to $eps^2$.",
    derived=up_to(
        2,
        expm(h * a * L_1) * expm(h * b * L_2) * expm(h * c * L_3),
        expm(h * (a * L_1 + b * L_2 + c * L_3)),
    ),
    kinds=operators(L_1, L_2, L_3),
    scope="three steps",
)

eq30_remainder = at("appC.eq30_remainder", "Eq. 30, first line, for any number of steps").claim(
    "Commutators of different steps are $O$ of the sum of squared steps",
    "What commutators of all pairs of steps leave is at most the sum of $eps_l^2$ times a constant that"
    " is the same for any number $T$ of steps. (For each number one is enough, such as $T$.)",
    read=Bounded(PAIRS**2, own.SQUARED**2),
)

eq30_pairs = at("appC.eq30_pairs", "Eq. 30, second line: all pairs of steps").claim(
    "Pairs of steps add up to at most $S^2$",
    "Products of bounded numbers over all pairs of steps are at most the square of $S_ij$.",
    read=Bounded(total(step[k] * size(first[k])) * total(step[k] * size(second[k])), S_ij**2),
)

eq30_squares = at("appC.eq30_squares", "Eq. 30, second line: the remainders of single steps").claim(
    "Squared steps add up to at most $S^2$",
    "The sum of $eps_l^2$ is at most the square of $S_ij$.",
    read=total(step[k] ** 2) <= S_ij**2,
)

definitions = at("appC.mean_generator", "after Eq. 30, the definition of the mean generator").claim(
    "$S_ij$ times the mean generator",
    "$S_ij$ times the mean generator is the sum of steps times generators, here as applied to $f$.",
    read=Equal(total(step[k] * generator[k]), S_ij * every(step[m] / S_ij * generator[m], m, 1, own.T)),
)

same_form = at("appC.same_form", "after Eq. 30").claim(
    "The mean generator has the form of the generator",
    "The mean of $L + Delta V_l$, weighted with the steps, is $L$ plus the mean of $Delta V_l$.",
    read=Equal(total(step[k] * (same + noise[k])) / S_ij, same + total(step[k] * noise[k]) / S_ij),
)

local_integrator = euler(
    "appC.first_order_integrator", "after Eq. 30: a first-order local integrator with step $S_ij$"
).claim(
    "Two steps are one of first order",
    "Two Euler steps, shares $p$ and $1 - p$ of $S_ij = eps$, are the exponential of $S_ij$ times the"
    " mean generator, up to its square.",
    read=up_to(2, P_1 * P_2, expm(h * (p * L_1 + (1 - p) * L_2))),
    where=((P_1, I + h * p * L_1 + h**2 * R_1), (P_2, I + h * (1 - p) * L_2 + h**2 * R_2)),
    kinds=operators(L_1, L_2, R_1, R_2),
    scope="two steps",
)

same_error = at("appC.same_mse", "Appendix C, last sentence: the third term of the bound").claim(
    "Thinning leaves the bound as it is, with one constant for all intervals (not claimed)",
    "The squared step between kept samples is at most a constant times its parts' squares, the same for"
    " every number $T$ of steps between them. (For each interval one is enough: see the next.)",
    derived=Bounded(own.TIME**2, own.SQUARED),
)

vanishes = at("appC.thinned_steps", "Appendix C, last sentence, T steps between kept samples").claim(
    "The same with the thinning interval",
    "The squared step between kept samples is at most $T$ times its parts' squares.",
    derived=own.S_T**2 <= own.T * own.SQUARES,
)
