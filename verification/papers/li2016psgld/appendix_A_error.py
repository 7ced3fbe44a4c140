"""Appendix A, proof of Theorem 1: from one step to the mean squared error (Eqs. 15 to 18)."""

from typing import Any

from verification.papers.li2016psgld import appendix_sequences as own
from verification.papers.li2016psgld.appendix_sequences import SMOOTH, SQUARED, TIME, steps, total
from verification.papers.li2016psgld.hypotheses import A1, FORGETS
from verification.papers.li2016psgld.hypotheses import SMOOTH as ASSUMED
from verification.statements import (
    Bounded,
    Equal,
    Order,
    averages_within,
    claim,
    growing,
    letter,
    letters,
    mean,
    sequences,
)
from verification.statements import over as every
from verification.terms.term import total as added

k, step, N_T = own.t, own.eps, own.T
DELTA = letter("phi_hat - phi_bar", "real")
(bounded,), (noise,) = sequences("r", "bounded sequence"), sequences("x", "differences")
(random_psi,) = sequences("psi", "random sequence")
SUMMED = total(own.psi[k - 1]) + total(step[k] * own.L_psi[k - 1]) + total(step[k] * own.d[k])
four = letters("a b c d", "real")
psi_T, time = letter("psi_T", "random"), letter("S_T")
(off,), (within,), (drawn,) = (
    sequences("x"),
    sequences("d", "bounded sequence"),
    sequences("d", "random sequence"),
)
A_1 = letter("a", "real")  # psi(theta_0) - E psi(theta_T)


def error(x: Any, d: Any) -> Any:
    """What the average is off by, times the sum of steps."""
    return A_1 + total(x[k]) + total(steps[k] * d[k]) + SQUARED


eq15 = claim(
    "appA.eq15",
    at="Eq. 15, means given the step before",
    title="The expansion of one step, summed",
    says="Summed over all steps Eq. 13 with Eq. 12 gives Eq. 15, with what each step leaves over.",
    given=(
        SMOOTH,
        Equal(
            own.P[k], own.psi[k - 1] + step[k] * (own.L_psi[k - 1] + own.d[k]) + step[k] ** 2 * own.r[k]
        ),
    ),
    read=Equal(total(own.P[k]), SUMMED + total(step[k] ** 2 * own.r[k])),
)

eq15_constant = claim(
    "appA.eq15_constant",
    at="Eq. 15, last term",
    title="One constant for the remainders of all steps",
    says="Remainders of at most eps_t^2 add up to at most the sum of squared steps.",
    given=(SMOOTH,),
    read=total(step[k] ** 2 * bounded[k]) ** 2 <= own.SQUARES**2,
)

eq15_one_side = claim(
    "appA.eq15_one_side",
    at="Eq. 15, as printed: the mean on the left side only",
    title="The mean stands on one side of Eq. 15",
    says="A mean over all that is random stands on the left, none on the right.",
    given=(
        SMOOTH,
        Equal(
            own.L_psi[k],
            (random_psi[k + 1] - noise[k + 1] - random_psi[k]) / step[k + 1]
            - own.d[k + 1]
            - step[k + 1] * own.r[k + 1],
        ),
    ),
    printed=Equal(
        total(mean(random_psi[k])),
        total(random_psi[k - 1])
        + total(step[k] * own.L_psi[k - 1])
        + total(step[k] * own.d[k])
        + total(step[k] ** 2 * own.r[k]),
    ),
)

eq16 = claim(
    "appA.eq16",
    at="Eq. 16, from Eq. 15",
    title="The error of the average",
    says="Divided by S_T, Eq. 15 gives the error by psi at both ends, and three sums that are added.",
    given=(
        SMOOTH,
        Equal(
            DELTA,
            total(own.P[k] - own.psi[k - 1] - step[k] * own.d[k] - step[k] ** 2 * own.r[k]) / own.S_T,
        ),
    ),
    printed=Equal(
        DELTA,
        (own.P[N_T] - own.psi[0]) / own.S_T
        + every(own.P[k - 1] + own.psi[k - 1], k, 1, N_T - 1) / own.S_T
        + total(step[k] * own.d[k]) / own.S_T
        + total(step[k] ** 2 * own.r[k]) / own.S_T,
    ),
)

eq16_average = claim(
    "appA.eq16_average",
    at="Eq. 16, left side, with phi_hat of the main text",
    title="The average that Eq. 15 is about",
    says="With weight eps_t the averages of phi(theta_(t-1)) and of phi(theta_t) are one.",
    derived=Equal(total(step[k] * own.phi[k - 1]) / own.S_T, total(step[k] * own.phi[k]) / own.S_T),
)

eq17_four = claim(
    "appA.eq17_four_terms",
    at="Eq. 17, from Eq. 16: the square of four terms",
    title="The square of a sum of four",
    says="The square of a sum of four numbers is at most a constant times the sum of their squares.",
    derived=Bounded(added(four) ** 2, added(c**2 for c in four)),
)

eq17 = claim(
    "appA.eq17",
    at="Eq. 17, for the numbers themselves",
    title="The squared error by squares of single steps",
    says="Without a mean, the squared error is at most a constant times the squares of single steps.",
    given=(SMOOTH,),
    printed=Bounded(
        (error(off, own.d) / TIME) ** 2,
        A_1**2 / TIME**2
        + total(off[k] ** 2) / TIME**2
        + total(steps[k] ** 2 * own.d[k] ** 2) / TIME**2
        + (SQUARED / TIME) ** 2,
    ),
)

eq17_mean = claim(
    "appA.eq17_mean",
    at="Eqs. 17 and 18, in the mean",
    title="The mean squared error by those of single steps",
    says="The mean of the squared error is at most a constant times mean squares of single steps.",
    given=(SMOOTH,),
    read=Bounded(
        mean((error(noise, drawn) / TIME) ** 2),
        A_1**2 / TIME**2
        + total(mean(noise[k] ** 2)) / TIME**2
        + total(steps[k] ** 2 * mean(drawn[k] ** 2)) / TIME**2
        + (SQUARED / TIME) ** 2,
    ),
)

a1 = claim(
    "appA.a1_bounded",
    at="after Eq. 17, A_1",
    title="A_1 is bounded where second moments of psi are",
    says="The mean of (psi(theta_0) - psi(theta_T))^2 is at most a constant times second moments.",
    given=(SMOOTH,),
    read=Bounded(mean((four[0] - psi_T) ** 2), four[0] ** 2 + mean(psi_T**2)),
)

a2_sum = claim(
    "appA.a2_sum",
    at="after Eq. 17 and Eq. 18, A_2",
    title="A_2 is of the order of 1/S_T",
    says="Squares of single steps of at most eps_t add up to at most 1/S_T.",
    given=(SMOOTH,),
    read=Bounded(total(steps[k] * within[k] ** 2) / TIME**2, 1 / TIME),
)

a2_ignored = claim(
    "appA.a2_ignored",
    at="after Eq. 17, the terms that can be ignored",
    title="A_2 is smaller than the other terms",
    says="What A_2 adds, 1/S_T, is at most a constant times 1/S_T^2 and the last term of Eq. 17.",
    read=Bounded(1 / TIME, 1 / TIME**2 + (SQUARED / TIME) ** 2),
)

eq18_second = claim(
    "appA.eq18_second_line",
    at="Eq. 18, second line",
    title="The term 1/S_T^2 is left out",
    says="A constant that no schedule changes makes 1/S_T^2 part of 1/S_T.",
    read=Bounded(1 / time + 1 / time**2, 1 / time),
)

eq18 = claim(
    "appA.eq18",
    at="Eq. 18, last line, for Algorithm 1",
    title="The bound on the mean squared error, Algorithm 1",
    says="Gradient noise, time and squared steps bound the mean squared error up to a constant.",
    given=(A1, ASSUMED, FORGETS),
    printed=averages_within(own.ERROR, own.BOUND, N_T, "psgld:algorithm1"),
    kinds=(("alpha", "unit"),),
)

vanish_noise = claim(
    "appA.vanish_noise",
    at="after Eq. 18, first term",
    title="The term of stochastic gradients vanishes",
    says="The sum of eps_t^2 times bounded numbers, over S_T^2, tends to zero.",
    read=Order(total(steps[k] ** 2 * within[k] ** 2) / TIME**2, "o", 1, growing(N_T)),
)

vanish_time = claim(
    "appA.vanish_time",
    at="after Eq. 18, second term",
    title="The term 1/S_T vanishes",
    says="1/S_T tends to zero.",
    read=Order(1 / TIME, "o", 1, growing(N_T)),
)

vanish_steps = claim(
    "appA.vanish_steps",
    at="after Eq. 18, third term",
    title="The term of discretisation vanishes",
    says="The square of the sum of eps_t^2, over S_T^2, tends to zero.",
    read=Order(SQUARED**2 / TIME**2, "o", 1, growing(N_T)),
)
