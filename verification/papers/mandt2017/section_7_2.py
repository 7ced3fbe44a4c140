"""Section 7.2: iterate averaging as approximate MCMC, the settings of Figures 3 to 5."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import NotMathematical
from verification.claims.schedule import Schedule
from verification.claims.settings import AtSettings
from verification.notation import D, N, S, eps

T, lam = sp.symbols("T lambda", positive=True)
t = sp.Symbol("t", integer=True, positive=True)
eps_0 = sp.Symbol("epsilon_0", positive=True)

# Eq. 34, of a direction with curvature lambda: the variance of an averaged iterate over the posterior's.
RATIO = 1 - (1 - sp.exp(-eps * T * lam)) / (eps * T * lam)
DECAYING = eps_0 / sp.sqrt(1000 + t)

fig3_iterations = AtSettings(
    "fig3.iterations",
    at="section 7.2, settings of Figure 3",
    title="Ten times D N iterations are a million",
    says="The number of iterations is given as a product and as a number.",
    printed=(Printed(10 * D * N, sp.Integer(10) ** 6),),
    settings=((D, "10"), (N, "10000")),
)

fig3_window = AtSettings(
    "fig3.window",
    at="section 7.2, settings of Figure 3",
    title="The window of Figure 3 is one pass",
    says="The averaging window is N/S iterations.",
    printed=(Printed(N / S, sp.Integer(10) ** 4),),
    settings=((N, "10000"), (S, "1")),
)

fig3_stable = AtSettings(
    "fig3.stable",
    at="section 7.2, settings of Figure 3",
    title="The learning rate of Figure 3 is stable",
    says=(
        "One example at a time with ten standard normal covariates, whose fourth moments make the"
        " mean-square limit 2/(D + 2)."
    ),
    printed=(Printed(eps, 2 / (D + 2), "<"),),
    settings=((eps, "0.005"), (D, "10")),
)

fig3 = AtSettings(
    "fig3",
    at="Figure 3",
    title="Averages over one pass have the posterior's covariance",
    says="At these settings Eq. 34 gives an averaged iterate at least 95 % of the posterior's variance.",
    printed=(Printed(RATIO, sp.Rational(95, 100), ">="),),
    settings=((eps, "0.005"), (T, "10000"), (lam, "1")),
)

fig4_window = AtSettings(
    "fig4.window",
    at="section 7.2, settings of Figure 4",
    title="The window of Figure 4 is one pass",
    says="The averaging window is N/S iterations.",
    printed=(Printed(N / S, sp.Integer(1000)),),
    settings=((N, "10000"), (S, "10")),
)

fig4_passes = AtSettings(
    "fig4.passes",
    at="section 7.2, settings of Figure 4",
    title="A thousand times D passes are ten thousand sweeps",
    says="The length of the runs is given once as a product and once as a number.",
    printed=(Printed(1000 * D, sp.Integer(10000)),),
    settings=((D, "10"),),
)

robbins_monro_reaches = Schedule(
    "sec7_2.steps_reach_everywhere",
    at="section 7.2, rates of SGLD",
    title="The decaying rates add up to infinity",
    says="The first half of what Robbins and Monro ask of a schedule.",
    printed=(Printed(sp.Sum(DECAYING, (t, 1, sp.oo)), sp.oo),),
    settings=((eps_0, "0.001"),),
)

robbins_monro_settles = Schedule(
    "sec7_2.robbins_monro",
    at="section 7.2, rates of SGLD",
    title="The decaying rates are a Robbins-Monro schedule",
    says="The other half: the squares of the rates have a finite sum.",
    printed=(Printed(sp.Sum(DECAYING**2, (t, 1, sp.oo)), sp.oo, "<"),),
    settings=((eps_0, "0.001"),),
)

sgld_stable = AtSettings(
    "sec7_2.sgld_stable",
    at="section 7.2, rates of SGLD",
    title="The first and largest rate of SGLD is stable",
    says="Half the rate times N times the curvature stays below 2.",
    printed=(Printed(eps_0 / sp.sqrt(1001) * N / 2 * lam, sp.Integer(2), "<"),),
    settings=((eps_0, "0.001"), (N, "10000"), (lam, "1")),
)

fig4 = AtSettings(
    "fig4",
    at="Figure 4, top row",
    title="Averages at the settings of Figure 4 have the posterior's variances",
    says="At these settings Eq. 34 gives an averaged iterate at least 95 % of the posterior's variance.",
    printed=(Printed(RATIO, sp.Rational(95, 100), ">="),),
    settings=((eps, "0.003"), (T, "1000"), (lam, "1")),
)

slight_bias = AtSettings(
    "sec7_2.slight_bias",
    at="section 7.2, last paragraph",
    title="Only the smallest variance is biased, and slightly",
    says=(
        "The smallest variance belongs to the largest curvature, about 1.065 for 10,000 standard normal"
        " covariates in ten dimensions, where Eq. 34 errs least; a slight bias is read as at most 10 %."
    ),
    printed=(Printed(RATIO, sp.Rational(9, 10), ">="),),
    settings=((eps, "0.003"), (T, "1000"), (lam, "1.065")),
)

fig5 = NotMathematical(
    "fig5",
    at="Figure 5",
    title="Posterior covariances as estimated by three methods",
    says="Pictures of matrices, after starts at the mode and at random.",
    because="picture",
)
