"""Section 7.2: iterate averaging as approximate MCMC, the settings of Figures 3 to 5."""

from verification.claims.definition import NotMathematical
from verification.statements import Adds, Equal, claim, exp, growing, letter, letters, sqrt, term

D, N, S, T, eps, lam = letters("D N S T eps lambda")
first = letter("epsilon_0")
t = letter("t")

# Eq. 34, of a direction with curvature lambda: the variance of an averaged iterate over the posterior's.
RATIO = 1 - (1 - exp(-eps * T * lam)) / (eps * T * lam)
DECAYING = first / sqrt(1000 + t)

fig3_iterations = claim(
    "fig3.iterations",
    at="section 7.2, settings of Figure 3",
    title="Ten times D N iterations are a million",
    says="The number of iterations is given as a product and as a number.",
    printed=Equal(10 * D * N, term(10) ** 6),
    numbers={D: "10", N: "10000"},
)

fig3_window = claim(
    "fig3.window",
    at="section 7.2, settings of Figure 3",
    title="The window of Figure 3 is one pass",
    says="The averaging window is N/S iterations.",
    printed=Equal(N / S, term(10) ** 4),
    numbers={N: "10000", S: "1"},
)

fig3_stable = claim(
    "fig3.stable",
    at="section 7.2, settings of Figure 3",
    title="The learning rate of Figure 3 is stable",
    says=(
        "One example at a time with ten standard normal covariates, whose fourth moments make the"
        " mean-square limit 2/(D + 2)."
    ),
    derived=eps < 2 / (D + 2),
    numbers={eps: "0.005", D: "10"},
)

fig3 = claim(
    "fig3",
    at="Figure 3",
    title="Averages over one pass have the posterior's covariance",
    says="At these settings Eq. 34 gives an averaged iterate at least 95 % of the posterior's variance.",
    read=RATIO >= "0.95",
    numbers={eps: "0.005", T: "10000", lam: "1"},
)

fig4_window = claim(
    "fig4.window",
    at="section 7.2, settings of Figure 4",
    title="The window of Figure 4 is one pass",
    says="The averaging window is N/S iterations.",
    printed=Equal(N / S, 1000),
    numbers={N: "10000", S: "10"},
)

fig4_passes = claim(
    "fig4.passes",
    at="section 7.2, settings of Figure 4",
    title="A thousand times D passes are ten thousand sweeps",
    says="The length of the runs is given once as a product and once as a number.",
    printed=Equal(1000 * D, 10000),
    numbers={D: "10"},
)

robbins_monro_reaches = claim(
    "sec7_2.steps_reach_everywhere",
    at="section 7.2, rates of SGLD",
    title="The decaying rates add up to infinity",
    says="The first half of what Robbins and Monro ask of a schedule.",
    read=Adds(DECAYING, "without end", growing(t)),
)

robbins_monro_settles = claim(
    "sec7_2.robbins_monro",
    at="section 7.2, rates of SGLD",
    title="The decaying rates are a Robbins-Monro schedule",
    says="The other half: the squares of the rates have a finite sum.",
    read=Adds(DECAYING**2, "to a finite sum", growing(t)),
)

sgld_stable = claim(
    "sec7_2.sgld_stable",
    at="section 7.2, rates of SGLD",
    title="The first and largest rate of SGLD is stable",
    says="Half the rate times N times the curvature stays below 2.",
    derived=first / sqrt(1001) * N / 2 * lam < 2,
    numbers={first: "0.001", N: "10000", lam: "1"},
)

fig4 = claim(
    "fig4",
    at="Figure 4, top row",
    title="Averages at the settings of Figure 4 have the posterior's variances",
    says="At these settings Eq. 34 gives an averaged iterate at least 95 % of the posterior's variance.",
    read=RATIO >= "0.95",
    numbers={eps: "0.003", T: "1000", lam: "1"},
)

slight_bias = claim(
    "sec7_2.slight_bias",
    at="section 7.2, last paragraph",
    title="Only the smallest variance is biased, and slightly",
    says=(
        "The smallest variance belongs to the largest curvature, about 1.065 for 10,000 standard normal"
        " covariates in ten dimensions, where Eq. 34 errs least; a slight bias is read as at most 10 %."
    ),
    read=RATIO >= "0.9",
    numbers={eps: "0.003", T: "1000", lam: "1.065"},
)

fig5 = NotMathematical(
    "fig5",
    at="Figure 5",
    title="Posterior covariances as estimated by three methods",
    says="Pictures of matrices, after starts at the mode and at random.",
    because="picture",
)
