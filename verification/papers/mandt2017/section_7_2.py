"""Section 7.2: iterate averaging as approximate MCMC, the settings of Figures 3 to 5."""

from verification.statements import Adds, Equal, at, exp, growing, letter, letters, sqrt, term

D, N, S, T, eps, lam = letters("D N S T eps lambda")
first = letter("epsilon_0")
t = letter("t")

# Eq. 34, of a direction with curvature lambda: the variance of an averaged iterate over the posterior's.
RATIO = 1 - (1 - exp(-eps * T * lam)) / (eps * T * lam)
OVER_POSTERIOR = "the variance of an averaged iterate over the posterior's"
DECAYING = first / sqrt(1000 + t)

fig3_iterations = at("fig3.iterations", "section 7.2, settings of Figure 3").claim(
    "Ten times $D N$ iterations are a million",
    "The number of iterations is given as a product and as a number.",
    printed=Equal(10 * D * N, term(10) ** 6),
    numbers={D: "10", N: "10000"},
)

fig3_window = at("fig3.window", "section 7.2, settings of Figure 3").claim(
    "The window of Figure 3 is one pass",
    "The averaging window is $N/S$ iterations.",
    printed=Equal(N / S, term(10) ** 4),
    numbers={N: "10000", S: "1"},
)

fig3_stable = at("fig3.stable", "section 7.2, settings of Figure 3").claim(
    "The learning rate of Figure 3 is stable",
    "One example at a time with ten standard normal covariates, whose fourth moments make the"
    " mean-square limit $2/(D + 2)$.",
    derived=eps < 2 / (D + 2),
    numbers={eps: "0.005", D: "10"},
)

fig3 = at("fig3", "Figure 3").degree(
    "Averages over one pass strongly resemble the posterior",
    "The covariance of averaged iterates is said to resemble the posterior's; by Eq. 34 it is less.",
    {OVER_POSTERIOR: RATIO},
    {eps: "0.005", T: "10000", lam: "1"},
)

fig4_window = at("fig4.window", "section 7.2, settings of Figure 4").claim(
    "The window of Figure 4 is one pass",
    "The averaging window is $N/S$ iterations.",
    printed=Equal(N / S, 1000),
    numbers={N: "10000", S: "10"},
)

fig4_passes = at("fig4.passes", "section 7.2, settings of Figure 4").claim(
    "A thousand times $D$ passes are ten thousand sweeps",
    "The length of the runs is given once as a product and once as a number.",
    printed=Equal(1000 * D, 10000),
    numbers={D: "10"},
)

robbins_monro_reaches = at("sec7_2.steps_reach_everywhere", "section 7.2, rates of SGLD").claim(
    "The decaying rates add up to $infinity$",
    "The first half of what Robbins and Monro ask of a schedule.",
    read=Adds(DECAYING, "without end", growing(t)),
)

robbins_monro_settles = at("sec7_2.robbins_monro", "section 7.2, rates of SGLD").claim(
    "The decaying rates are a Robbins-Monro schedule",
    "The other half: the squares of the rates have a finite sum.",
    read=Adds(DECAYING**2, "to a finite sum", growing(t)),
)

sgld_stable = at("sec7_2.sgld_stable", "section 7.2, rates of SGLD").claim(
    "The first and largest rate of SGLD is stable",
    "Half the rate times $N$ times the curvature stays below 2, the limit of the means.",
    derived=first / sqrt(1001) * N / 2 * lam < 2,
    numbers={first: "0.001", N: "10000", lam: "1"},
)

fig4 = at("fig4", "Figure 4, top row").degree(
    "Averages at the settings of Figure 4 approximate the posterior's variances",
    "A fast approximate solution to the posterior is said to be found; by Eq. 34 variances are less.",
    {OVER_POSTERIOR: RATIO},
    {eps: "0.003", T: "1000", lam: "1"},
)

slight_bias = at("sec7_2.slight_bias", "section 7.2, last paragraph").degree(
    "Estimates of the smallest variance are slightly biased",
    "The smallest of ten marginal variances belongs to a curvature of about 1.02 for 10,000 standard"
    " normal covariates in ten dimensions; by Eq. 34 the bias is larger where curvatures are smaller.",
    {OVER_POSTERIOR: RATIO},
    {eps: "0.003", T: "1000", lam: "1.02"},
)

fig5 = at("fig5", "Figure 5").picture(
    "Posterior covariances as estimated by three methods",
    "Pictures of matrices, after starts at the mode and at random.",
)
