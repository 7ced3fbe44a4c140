"""Appendix A, proof of Theorem 1: from one step to the mean squared error (Eqs. 15 to 18)."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.sums import Sums
from verification.claims.vanishing_step import ConsistentBound
from verification.papers.li2016psgld.appendix_letters import (
    A_1,
    S_T,
    SMOOTH,
    SQUARES,
    STEPS,
    L_psi,
    P,
    d,
    eps,
    phi,
    psi,
    r,
    x,
)
from verification.papers.li2016psgld.hypotheses import A1
from verification.papers.li2016psgld.hypotheses import SMOOTH as ASSUMED
from verification.papers.li2016psgld.section_5 import BOUND
from verification.sequences.relations import UpTo, Vanishes
from verification.sequences.words import E, T, over, t

# Eq. 13 for every step, with Eq. 12 in it
ONE_STEP = psi[t - 1] + eps[t] * (L_psi[t - 1] + d[t]) + eps[t] ** 2 * r[t]
LEFT_OVER = over(eps[t] ** 2 * r[t])
DELTA = sp.Symbol("phi_hat - phi_bar", real=True)
four = sp.symbols("a b c d", real=True)
X = sp.Symbol("psi_T", real=True)
s = sp.Symbol("S_T", positive=True)
KINDS = (*STEPS, (x, "differences"), (d, "random"))
ERROR = A_1 + over(x[t]) + over(eps[t] * d[t]) + SQUARES

eq15 = Sums(
    "appA.eq15",
    at="Eq. 15, means given the step before",
    stands="read",
    title="The expansion of one step, summed",
    says="Summed over all steps Eq. 13 with Eq. 12 gives Eq. 15, with what each step leaves over.",
    given=(SMOOTH,),
    printed=(
        Printed(
            over(P[t]),
            over(psi[t - 1]) + over(eps[t] * L_psi[t - 1]) + over(eps[t] * d[t]) + LEFT_OVER,
        ),
    ),
    kinds=STEPS,
    where=((P, ONE_STEP),),
)

eq15_constant = Sums(
    "appA.eq15_constant",
    at="Eq. 15, last term",
    stands="read",
    title="One constant for the remainders of all steps",
    says="Remainders of at most eps_t^2 add up to at most the sum of squared steps.",
    given=(SMOOTH,),
    printed=(Printed(LEFT_OVER**2, SQUARES**2, "<="),),
    kinds=(*STEPS, (r, "at most one")),
)

eq15_one_side = Sums(
    "appA.eq15_one_side",
    at="Eq. 15, as printed: the mean on the left side only",
    title="The mean stands on one side of Eq. 15",
    says="A mean over all that is random stands on the left, none on the right.",
    given=(SMOOTH,),
    printed=(
        Printed(
            over(E(psi[t])),
            over(psi[t - 1]) + over(eps[t] * L_psi[t - 1]) + over(eps[t] * d[t]) + LEFT_OVER,
        ),
    ),
    kinds=(*STEPS, (x, "differences"), (psi, "random")),
    where=((L_psi, (psi[t + 1] - x[t + 1] - psi[t]) / eps[t + 1] - d[t + 1] - eps[t + 1] * r[t + 1]),),
)

eq16 = Sums(
    "appA.eq16",
    at="Eq. 16, from Eq. 15",
    title="The error of the average",
    says="Divided by S_T, Eq. 15 gives the error by psi at both ends, and three sums that are added.",
    given=(SMOOTH,),
    printed=(
        Printed(
            DELTA,
            (P[T] - psi[0]) / S_T
            + over(P[t - 1] + psi[t - 1], t, 1, T - 1) / S_T
            + over(eps[t] * d[t]) / S_T
            + LEFT_OVER / S_T,
        ),
    ),
    kinds=STEPS,
    where=((DELTA, over(P[t] - psi[t - 1] - eps[t] * d[t] - eps[t] ** 2 * r[t]) / S_T),),
)

eq16_average = Sums(
    "appA.eq16_average",
    at="Eq. 16, left side, with phi_hat of the main text",
    stands="derived",
    title="The average that Eq. 15 is about",
    says="With weight eps_t the averages of phi(theta_(t-1)) and of phi(theta_t) are one.",
    printed=(Printed(over(eps[t] * phi[t - 1]) / S_T, over(eps[t] * phi[t]) / S_T),),
    kinds=STEPS,
)

eq17_four = Sums(
    "appA.eq17_four_terms",
    at="Eq. 17, from Eq. 16: the square of four terms",
    stands="derived",
    title="The square of a sum of four",
    says="The square of a sum of four numbers is at most a constant times the sum of their squares.",
    printed=(UpTo(sum(four) ** 2, sum(c**2 for c in four)),),
)

eq17 = Sums(
    "appA.eq17",
    at="Eq. 17, for the numbers themselves",
    title="The squared error by squares of single steps",
    says="Without a mean, the squared error is at most a constant times the squares of single steps.",
    given=(SMOOTH,),
    printed=(
        UpTo(
            (ERROR / S_T) ** 2,
            A_1**2 / S_T**2
            + over(x[t] ** 2) / S_T**2
            + over(eps[t] ** 2 * d[t] ** 2) / S_T**2
            + (SQUARES / S_T) ** 2,
        ),
    ),
    kinds=STEPS,
)

eq17_mean = Sums(
    "appA.eq17_mean",
    at="Eqs. 17 and 18, in the mean",
    stands="read",
    title="The mean squared error by those of single steps",
    says="The mean of the squared error is at most a constant times mean squares of single steps.",
    given=(SMOOTH,),
    printed=(
        UpTo(
            E((ERROR / S_T) ** 2),
            A_1**2 / S_T**2
            + over(E(x[t] ** 2)) / S_T**2
            + over(eps[t] ** 2 * E(d[t] ** 2)) / S_T**2
            + (SQUARES / S_T) ** 2,
        ),
    ),
    kinds=KINDS,
)

a1 = Sums(
    "appA.a1_bounded",
    at="after Eq. 17, A_1",
    stands="read",
    title="A_1 is bounded where second moments of psi are",
    says="The mean of (psi(theta_0) - psi(theta_T))^2 is at most a constant times second moments.",
    given=(SMOOTH,),
    printed=(UpTo(E((four[0] - X) ** 2), four[0] ** 2 + E(X**2)),),
    kinds=((X, "random"),),
)

a2_sum = Sums(
    "appA.a2_sum",
    at="after Eq. 17 and Eq. 18, A_2",
    stands="read",
    title="A_2 is of the order of 1/S_T",
    says="Squares of single steps of at most eps_t add up to at most 1/S_T.",
    given=(SMOOTH,),
    printed=(UpTo(over(eps[t] * x[t] ** 2) / S_T**2, 1 / S_T),),
    kinds=(*STEPS, (x, "at most one")),
)

a2_ignored = Sums(
    "appA.a2_ignored",
    at="after Eq. 17, the terms that can be ignored",
    stands="read",
    title="A_2 is smaller than the other terms",
    says="What A_2 adds, 1/S_T, is at most a constant times 1/S_T^2 and the last term of Eq. 17.",
    printed=(UpTo(1 / S_T, 1 / S_T**2 + (SQUARES / S_T) ** 2),),
    kinds=STEPS,
)

eq18_second = Sums(
    "appA.eq18_second_line",
    at="Eq. 18, second line",
    stands="read",
    title="The term 1/S_T^2 is left out",
    says="A constant that no schedule changes makes 1/S_T^2 part of 1/S_T.",
    printed=(UpTo(1 / s + 1 / s**2, 1 / s),),
    kinds=((s, "positive"),),
)

eq18 = ConsistentBound(
    "appA.eq18",
    at="Eq. 18, last line, for Algorithm 1",
    title="The bound on the mean squared error, Algorithm 1",
    says="Gradient noise, time and squared steps bound the mean squared error up to a constant.",
    given=(A1, ASSUMED),
    sampler="psgld:algorithm1",
    bound=BOUND,
)

vanish_noise = Sums(
    "appA.vanish_noise",
    at="after Eq. 18, first term",
    stands="read",
    title="The term of stochastic gradients vanishes",
    says="The sum of eps_t^2 times bounded numbers, over S_T^2, tends to zero.",
    printed=(Vanishes(over(eps[t] ** 2 * d[t] ** 2) / S_T**2),),
    kinds=(*STEPS, (d, "at most one")),
)

vanish_time = Sums(
    "appA.vanish_time",
    at="after Eq. 18, second term",
    stands="read",
    title="The term 1/S_T vanishes",
    says="1/S_T tends to zero.",
    printed=(Vanishes(1 / S_T),),
    kinds=STEPS,
)

vanish_steps = Sums(
    "appA.vanish_steps",
    at="after Eq. 18, third term",
    stands="read",
    title="The term of discretisation vanishes",
    says="The square of the sum of eps_t^2, over S_T^2, tends to zero.",
    printed=(Vanishes(SQUARES**2 / S_T**2),),
    kinds=STEPS,
)
