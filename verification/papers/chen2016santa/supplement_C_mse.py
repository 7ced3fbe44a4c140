"""Supplement C: the proof of Theorem 2, the mean square error."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from verification.papers.chen2016santa.supplement_C import CONSTANT, FLAT, RANGE, L, n, step, t, total
from verification.papers.chen2016santa.supplement_letters import STATE, D, Xi, beta, g, h, p, zeta
from verification.statements import Assumption, Bounded, Compare, Equal, Section, mean, sequences

proof = Section(at="supplement C, proof of the MSE bound")
d, v, x, y = sp.symbols("d v x y", positive=True)
LONG = (*RANGE, Compare(n * h, ">=", 1))  # and L h at least one
ALL_ALIKE = Assumption("$L$ terms that are all one number (no mean of martingale differences)")

# E psi_(beta_t)(X_t) given the step before, psi_(beta_t)(X_t), and the terms of a step
m, s, lpsi, vpsi, qpsi, rest = sequences("m s l v q r")
EXPANDED = Equal(lpsi[t], (m[t] - s[t - 1] - step * vpsi[t] - step**2 / 2 * qpsi[t] - rest[t]) / step)

# psi = Xi^2/2 solves Poisson's equation at beta = 1, of phi = Xi (p^2 - 1)
PSI = Xi**2 / 2
COLD = Diffusion(STATE, tuple(b.subs(beta, 1) for b in FLAT.drift), ((0,), (sp.sqrt(2 * g),), (0,)))
PHI = COLD.generator(PSI)
MEAN = sp.expand(PHI).subs({p**2: 1 / beta}).subs(Xi, g)  # p and Xi are independent under Eq. 2

next_solution = proof("mse.step", "first display").claim(
    "The solution at one temperature for that at the next",
    "A step takes $psi$ of the old temperature to $psi$ of the new one, as if both solved the equation"
    " of the new one (for $phi = Xi$ $(p^2 - 1)$, $psi = Xi^2/2$, which solves it at $beta = 1$; of any"
    " $phi$ the difference of both $1/beta$ times $g psi_pp - psi_Xi$ is left over).",
    given=(CONSTANT,),
    states=STATE,
    derived=Equal(FLAT.generator(PSI), PHI - MEAN),
    scope="one coordinate",
)

summed = proof("mse.sum", "second display").claim(
    "The step summed over $t$",
    "The sum of means after the steps is that of values before them and four sums more.",
    given=(EXPANDED,),
    printed=Equal(
        total(m[t]),
        total(s[t - 1])
        + step * total(lpsi[t])
        + step * total(vpsi[t])
        + step**2 / 2 * total(qpsi[t])
        + total(rest[t]),
    ),
)

divided = proof("mse.divided", "third display").claim(
    "The error by a sum that telescopes",
    "Divided by $L h$ it leaves the ends, less (rightly: plus; Eq. 16 squares it) the differences of"
    " means and values, less three means (from a start that is given; the left side is the mean of"
    " $L psi$, printed as that of $phi$ less its mean: see eq14.poisson).",
    given=(EXPANDED, Equal(m[0], s[0])),
    read=Equal(
        total(lpsi[t]) / L,
        (m[L] - s[0]) / (L * step)
        - total(m[t - 1] - s[t - 1]) / (L * step)
        - total(vpsi[t]) / L
        - step / (2 * L) * total(qpsi[t])
        - total(rest[t]) / (L * step),
    ),
)

parts = sp.symbols("A B D E F", positive=True)
squares = proof("eq16", "Eq. 16").claim(
    "The square of a sum of five terms",
    "It is at most a constant times the sum of their squares.",
    read=Bounded(sum(parts) ** 2, sum(a**2 for a in parts)),
)

in_range = Section(at=proof.at, given=RANGE)

fluctuations = in_range("eq16.A2", "Eq. 16, A_2").claim(
    "The square of a sum by the sum of squares",
    "The squared sum of $L$ differences is at most a constant times the sum of their squares (Eq. 16 has"
    " no mean; in the mean, which Eq. 17 takes, it is: see the next).",
    read=Bounded((n * d) ** 2 / (n**2 * h**2), n * d**2 / (n**2 * h**2)),
    given=(ALL_ALIKE,),
)

(off,) = sequences("x", "differences")
in_the_mean = proof("eq16.A2.mean", "Eq. 16, A_2, in the mean that Eq. 17 takes").claim(
    "The mean square of a sum by mean squares",
    "Values of $psi$ less their means given the step before have mean zero given the past: with a"
    " constant of one.",
    read=mean(total(off[t]) ** 2) / (L * step) ** 2 <= total(mean(off[t] ** 2)) / (L**2 * step**2),
)

gradients = in_range("eq16.delta", "Eq. 16, the term of $Delta V$").claim(
    "The same for the errors of the gradient",
    "The squared mean of $L$ errors is at most a constant times the sum of their squares over $L^2$ (in"
    " the mean, of errors of mean zero, it is; $B_t/beta_t$ is of no such).",
    read=Bounded((n * v / n) ** 2, n * v**2 / n**2),
    given=(ALL_ALIKE,),
)

ends = proof("mse.A1", "after Eq. 16, $A_1$").claim(
    "The ends",
    "A bounded difference over $L h$, squared, is of order $1/(L h)$ where $L h$ is at least one.",
    given=LONG,
    read=Bounded(1 / (n * h) ** 2, 1 / (n * h)),
)

martingale = in_range("mse.A2", "after Eq. 16, $A_2$").claim(
    "The fluctuations",
    "$L$ squares of numbers of at most 3 $sqrt(h)$, over $L^2 h^2$, are of order $1/(L h)$.",
    read=Bounded(n * (3 * sp.sqrt(h)) ** 2 / (n**2 * h**2), 1 / (n * h)),
)

variance = proof("mse.A2.variance", "after Eq. 16").claim(
    "The variance of a step's noise",
    "The noise of a step of SDE (1), $sqrt(2 g h/beta)$ times a standard normal $zeta$, is said to have"
    " the variance $h$. It has $2 g h/beta$, the second derivative by $zeta$ of half its square: of"
    " order $h$, which is enough.",
    given=(CONSTANT,),
    states=(g, beta),
    read=Equal(D(FLAT.covariance[1][1] * h * zeta**2 / 2, zeta, zeta), h),
    scope="one coordinate",
)

share = sp.Symbol("w", real=True)
first, second = sp.symbols("S_1 S_2", real=True)
average = share * first + (1 - share) * second
split = proof("mse.A3.split", "the display of $A_3$, first two lines").claim(
    "A mean square by mean and variance",
    "The mean of a square is the square of the mean and the mean squared distance from it"
    " (for two values with probabilities $w$ and $1 - w$).",
    states=(share, first, second),
    derived=Equal(
        h**2 / (2 * n**2) * (share * first**2 + (1 - share) * second**2),
        h**2 / (2 * n**2) * average**2
        + h**2 / (2 * n**2) * (share * (first - average) ** 2 + (1 - share) * (second - average) ** 2),
    ),
    scope="two values",
)

apart = in_range("mse.A3.apart", "the display of $A_3$, third and fourth line").claim(
    "$B_2$ in two squares",
    "$h^2/(2 L^2)$ times the square of a sum is at most a constant times the squares of"
    " $h^2/(L h)$ times its parts.",
    read=Bounded(
        h**2 / (2 * n**2) * (x + y) ** 2, (h**2 / (n * h) * x) ** 2 + (h**2 / (n * h) * y) ** 2
    ),
)

SUM_15 = 1 / h + n * h  # the order of the sum of squared generators, by Eq. 15

mean_part = in_range("mse.A3.B1", "the display of $A_3$, fifth line, first term").claim(
    "The order of $B_1$",
    "With Eq. 15 the term $B_1$ is of order $1/(2 L^2) + L^2 h^2$.",
    read=Bounded(h**2 / (2 * n**2) * SUM_15**2, 1 / (2 * n**2) + n**2 * h**2),
)

square_part = proof("mse.A3.square", "the display of $A_3$, fifth line, second term").claim(
    "A squared sum by the sum of squares",
    "The square of $h^2/(L h)$ times a sum of $L$ terms is at most $h^2/L$ times the sum of their"
    " squares, over $L h$.",
    given=(*LONG, ALL_ALIKE),
    read=Bounded((h**2 / (n * h) * n * d) ** 2, h**2 / n * n * d**2 / (n * h)),
)

last_part = in_range("mse.A3.mean", "the display of $A_3$, fifth line, third term").claim(
    "The last square",
    "With Eq. 15 the square of $h^2/(L h)$ times the sum of means is of order $1/(L^2 h^2) + h^4$.",
    read=Bounded((h**2 / (n * h) * SUM_15) ** 2, 1 / (n**2 * h**2) + h**4),
)

gathered = in_range("mse.A3", "the display of $A_3$, last line").claim(
    "The order of $A_3$",
    "The three terms together are of order $1/(L h) + L^4$ (any bound of $L h$ from below will do).",
    printed=Bounded(
        1 / (2 * n**2) + n**2 * h**2 + h**2 / (n * h) + 1 / (n**2 * h**2) + h**4, 1 / (n * h) + n**4
    ),
)

collected = proof("eq17", "Eq. 17, from the last line of $A_3$").claim(
    "From the order of $A_3$ to Eq. 17",
    "$A_3$, of order $1/(L h) + L^4$, is in $1/(L h) + h^4$. ($L^4$ is a misprint of $h^4$: with Eq. 15"
    " its terms are of the order $h^4 + 1/(L^2 h^2)$; the step at fault is mse.A3.square.)",
    given=LONG,
    read=Bounded(1 / (n * h) + n**4, 1 / (n * h) + h**4),
)

twice = proof("mse.parts", "last display, first two lines").claim(
    "The mean square error in two parts",
    "The square of the error of sampling $x$ plus that of the temperatures $y$ is at most twice $x^2$"
    " (the second part is printed as the first again).",
    read=Bounded((x + y) ** 2, sp.Add(x**2, x**2, evaluate=False)),
)

bound = proof("mse.bound", "last display, last two lines").claim(
    "The bound on the mean square error",
    "With the squares of both parts, $x^2$ of Eq. 17 and $y^2$ of the integral, the error is of the"
    " order of their sum.",
    read=Bounded((y + x) ** 2, y**2 + x**2),
)
