"""Appendix D: bias and variance of the average, and its variance by autocorrelations (Eqs. 31 to 45)."""

import sympy as sp

from verification.papers.li2016psgld.appendix_sequences import T, phi, t, total
from verification.papers.li2016psgld.hypotheses import BURNT_IN
from verification.relations import Equal, expanded, growing
from verification.statements import Assumption, Printed, at, index, mean, over, sequences, size
from verification.statements import number as digits
from verification.terms.kinds import PARAMETER, number
from verification.terms.term import INFINITY, MINUS_INFINITY, letter

# under the posterior, and under the chain's law
true, sampled = letter("phi_bar", "real"), letter("phi_eta", "real")
estimate = letter("phi_hat", "random")
(path,) = sequences("phi", "random sequence")
i, j = index("i"), index("j")
B, V = letter("B", "real"), letter("V", "real")
b, b_sampled, b_true = sp.symbols("B phi_eta phi_bar", real=True)
RISK = mean((true - estimate) ** 2)
VARIANCE = mean((sampled - estimate) ** 2)
CROSS = (true - sampled) * (sampled - estimate)
STATIONARY = Assumption(
    "the chain is in its stationary law: $A(t)$ does not depend on where it is counted from"
)
SUMMABLE = Assumption("the autocovariances are absolutely summable")
SETTLED = (BURNT_IN, Equal(mean(estimate), sampled))
(A,), (any_step,) = sequences("A", "autocovariances"), sequences("epsilon", "positive sequence")
OFF_I, OFF_J = sampled - path[i], sampled - path[j]
COVARIANCE = Equal(mean(OFF_I * OFF_J), A[size(i - j)])
SQUARE = mean(over(over(OFF_I * OFF_J, j, 1, T), i, 1, T)) / T**2  # the mean square of the deviation
PAIRS = over(over(A[size(i - j)], j, 1, T), i, 1, T) / T**2
ALL = over(A[size(t)], t, MINUS_INFINITY, INFINITY)
FAR = over(A[size(t)], t, MINUS_INFINITY, -2 * T - 1) + over(A[size(t)], t, 2 * T + 1, INFINITY)
NEAR, WHOLE = (over(lags, i, 1, T) / T**2 for lags in (ALL - FAR, ALL))
LATER = over(A[t], t, 1, INFINITY)

eq31 = at("appD.eq31", "Eq. 31, with Eqs. 32 and 33").claim(
    "Risk is squared bias plus variance",
    "The mean squared error is the square of $phi_eta - phi_bar$ plus the mean square about $phi_eta$.",
    given=SETTLED,
    printed=Equal(RISK, (sampled - true) ** 2 + VARIANCE),
)

square_expanded = at("appD.eq31_square", "proof of Eq. 31, second and third line").claim(
    "$phi_eta$ is inserted and the square expanded",
    "The square of a sum is the two squares and twice the product.",
    printed=Equal(RISK, mean((true - sampled) ** 2 + (sampled - estimate) ** 2 + 2 * CROSS)),
)

linear = at("appD.eq31_linear", "proof of Eq. 31, fourth line").claim(
    "The mean of a sum",
    "The mean of the three terms is the sum of their means.",
    printed=Equal(
        mean((true - sampled) ** 2 + (sampled - estimate) ** 2 + 2 * CROSS),
        mean((true - sampled) ** 2) + VARIANCE + 2 * mean(CROSS),
    ),
)

cross = at("appD.eq31_cross", "proof of Eq. 31, fifth line").claim(
    "The mixed term vanishes",
    "Of the three means the one of the product is left out.",
    given=SETTLED,
    printed=Equal(
        mean((true - sampled) ** 2) + VARIANCE + 2 * mean(CROSS), (true - sampled) ** 2 + VARIANCE
    ),
)

last = at("appD.eq31_last", "proof of Eq. 31, last line").claim(
    "Bias and variance by their definitions",
    "The square of $phi_bar - phi_eta$ is that of the bias.",
    printed=Equal((true - sampled) ** 2 + VARIANCE, B**2 + V),
    given=(Equal(B, sampled - true), Equal(V, VARIANCE)),
)

eq32 = at("appD.eq32", "Eq. 32").definition(
    "Bias",
    "The bias is $phi_eta - phi_bar$.",
    Printed(b, b_sampled - b_true),
    kinds={b: number(PARAMETER), b_sampled: number(PARAMETER), b_true: number(PARAMETER)},
)

eq34 = at("appD.eq34", "Eq. 34, first equality, against Eq. 33").claim(
    "The variance, about $phi_bar$",
    "The variance of Eq. 33 is the mean squared distance to $phi_bar$.",
    given=SETTLED,
    printed=Equal(VARIANCE, RISK),
)

eq35_average = at("appD.eq35_average", "Eq. 35, second line, with phi_hat of the main text").claim(
    "The average with equal weights",
    "The average weighted with the steps is the plain one, for any positive steps. (For every $phi$ it"
    " is where all steps are equal, and only there: $eps_t/S_T$ has to be $1/T$.)",
    read=Equal(total(any_step[t] * phi[t]) / total(any_step[t]), total(phi[t]) / T),
)

eq35_single = at("appD.eq35_square", "Eq. 35, third line").claim(
    "The square as a double sum",
    "The mean square of the plain average is that over all pairs of deviations.",
    printed=Equal(
        mean((sampled - total(path[t]) / T) ** 2),
        mean(over(over((sampled - path[i]) * (sampled - path[j]), j, 1, T), i, 1, T)) / T**2,
    ),
)

eq36 = at("appD.eq36", "Eq. 36").claim(
    "The mean square by autocovariances",
    "The mean of the product at steps $i$ and $j$ is $A(|i - j|)$.",
    given=(STATIONARY, COVARIANCE),
    printed=Equal(SQUARE, PAIRS),
)

eq37 = at("appD.eq37", "Eq. 37").claim(
    "The inner sum by all lags",
    "For each $i$ the sum over $j$ is that over all lags without those beyond $2 T$. (Where $A(0) = 1$,"
    " and $A(1) = 1/2$, of a moving average, one step gives 1 against 2.)",
    given=(STATIONARY, SUMMABLE),
    printed=Equal(PAIRS, NEAR),
)

eq38 = at("appD.eq38", "Eq. 38 and after Eq. 40: lags beyond 2 T are left out").claim(
    "Far lags are small",
    "For many steps the sum over lags beyond $2 T$ may be left out.",
    given=(STATIONARY, SUMMABLE),
    printed=expanded(NEAR, WHOLE, 1 / T, growing(T), "o"),
)

eq36_to_38 = at("appD.eq36_to_eq38", "Eqs. 36 to 38 together").claim(
    "The double sum by all lags",
    "For many steps the double sum is $T$ times the sum over all lags.",
    given=(STATIONARY, SUMMABLE),
    printed=expanded(PAIRS, WHOLE, 1 / T, growing(T), "o"),
)

eq39 = at("appD.eq39", "Eq. 39").claim(
    "Positive and negative lags",
    "The sum over all lags is $A(0)$ plus twice that over positive lags.",
    printed=Equal(WHOLE, (A[0] + 2 * LATER) / T),
)

now, beyond = (
    letter("A_0"),
    letter("A_later", "real"),
)  # the autocovariances of lag zero, and of all later

eq40 = at("appD.eq40", "Eq. 40").claim(
    "$A(0)$ is taken out",
    "The same with $A(0)/T$ as a factor.",
    printed=Equal((now + 2 * beyond) / T, now / T * (1 + 2 * beyond / now)),
)

eq42 = at("appD.eq42", "Eqs. 41 and 42").definition(
    "Autocorrelation",
    "The autocorrelation function is the autocovariance over that at lag zero.",
    Printed(sp.Symbol("gamma_t"), sp.Symbol("A_t") / sp.Symbol("A_0")),
    kinds={
        sp.Symbol("gamma_t"): number(1),
        sp.Symbol("A_t"): number(PARAMETER**2),
        sp.Symbol("A_0"): number(PARAMETER**2),
    },
)

tau, later, M = letter("tau"), letter("later"), letter("M")

eq44 = at("appD.eq44", "Eqs. 43 and 44 (and Eq. 9)").claim(
    "Effective samples by the correlation time",
    "$T$ over one plus twice the sum of later correlations is $T/(2 tau)$.",
    given=(Equal(tau, digits("1/2") + later),),
    printed=Equal(T / (1 + 2 * later), T / (2 * tau)),
)

eq43_interval = at("appD.eq43_interval", "after Eq. 43").claim(
    "$tau$ is the interval between independent samples",
    "It is said to measure it. With independent samples at intervals $tau$ there would be $T/tau$ among"
    " $T$ steps; they are $2 tau$ apart.",
    read=Equal(M, T / tau),
    given=(Equal(tau, digits("1/2") + later), Equal(M, T / (1 + 2 * later))),
)

eq45 = at("appD.eq45", "Eq. 45, second equality, and the right side of Eq. 34").claim(
    "$A(0)$ over the number of effective samples",
    "With the effective sample size of Eq. 44 the printed variance is $A(0)/M$.",
    given=(Equal(M, T / (1 + 2 * beyond / now)),),
    printed=Equal(now / T * (1 + 2 * beyond / now), now / M),
)

eq45_variance = at("appD.eq45_variance", "Eq. 45 and Eq. 34, the variance for many steps").claim(
    "The variance is about $A(0)/M$",
    "For many steps the mean square of the average's deviation is $A(0)/M$.",
    given=(STATIONARY, SUMMABLE, COVARIANCE, Equal(M, T / (1 + 2 * LATER / A[0]))),
    printed=expanded(SQUARE, A[0] / M, 1 / T, growing(T), "o"),
)
