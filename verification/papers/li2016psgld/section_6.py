"""Experiments: settings, the simulation, and logistic regression."""

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.claims.vanishing import ToZero, Vanishing
from verification.laws.averages import MSE, t
from verification.papers.li2016psgld.hypotheses import EXACT, FORGETS, along
from verification.statements import (
    All,
    Compare,
    Equal,
    Order,
    claim,
    letters,
    samples_posterior,
    term,
    vanishing,
)

eps, s, a, b = sp.symbols("eps s a b", positive=True)
c, width, rate, T, n, N, A_0, M = letters("c s eps T n N A_0 M")
pSGLD, SGLD, DSVI, LBFGS, HFSGVI = letters("pSGLD SGLD DSVI LBFGS HFSGVI")

halving = Vanishing(
    "sec6.block_decay",
    at="experiments, settings",
    stands="derived",
    title="Averages along steps that are halved are consistent",
    says="Steps are halved after every L epochs; averages along them are to be consistent.",
    printed=(ToZero(MSE),),
    families=(along("steps that are halved every 16", 2 ** -sp.floor(t / 16) / 2, step=EXACT),),
)

simulation_stable = claim(
    "sec6.simulation_stable",
    at="simulation, Fig. 1 (b)",
    title="The step 0.3 is stable for SGLD",
    says="For variances of 0.16 and 1 the step of SGLD has to be below four times the smaller one.",
    derived=rate < 4 * width,
    numbers={rate: "0.3", width: "0.16"},
)

figure_1 = NotMathematical(
    "fig1",
    at="Fig. 1",
    title="Errors and autocorrelation times in the simulation",
    says="For large steps pSGLD is shown to have the lower error and autocorrelation time.",
    because="picture",
)

small_steps = claim(
    "sec6.small_steps",
    at="simulation, on small steps",
    title="With small steps pSGLD and SGLD are alike",
    says="SGLD's law tends to the target; for estimates to become similar, that of pSGLD without"
    " Gamma, as in the experiments, has to do so too.",
    given=(FORGETS,),
    read=samples_posterior("psgld:no_gamma"),
    kinds=(("alpha", "unit"),),
)

slow = claim(
    "sec6.small_steps_do_not_move",
    at="simulation, on small steps",
    title="With small steps a sampler does not move much",
    says="The mean square of a step is of the order of the step.",
    read=Order(eps * (1 + eps * s / 4), "Theta", eps, vanishing(eps)),
)

rescaled = claim(
    "sec6.rescaled_target",
    at="simulation, on rescaled covariances",
    title="A rescaled target needs no new step",
    says="What a step of pSGLD forgets, eps G/s^2, is the same for a target c times as wide, V at its"
    " stationary mean 1/s^2 and lambda taken to zero.",
    read=Equal(rate * width / width**2, rate * c * width / (c * width) ** 2),
)

sgld_tuned = claim(
    "sec6.sgld_tuned",
    at="simulation, on rescaled covariances",
    title="SGLD needs a step for each scale",
    says="What SGLD forgets in a step is the same for a target c times as wide, where the step is c^2"
    " times as long.",
    read=Equal(rate / width**2, c**2 * rate / (c * width) ** 2),
)

proportional = claim(
    "sec6.time_per_sample",
    at="Bayesian logistic regression, on Fig. 2 (a)",
    title="Time per effective sample is proportional to the variance",
    says="By Eq. 8 the variance of an average times its effective size is A(0).",
    read=Equal(A_0 / M * M, A_0),
)

figure_2 = NotMathematical(
    "fig2",
    at="Fig. 2",
    title="Effective samples and errors on the Australian data",
    says="pSGLD is shown to have more effective samples and smaller errors of weights.",
    because="picture",
)

lower_risk = NotMathematical(
    "sec6.lower_risk",
    at="Bayesian logistic regression, after Fig. 2",
    title="The overall risk is reduced",
    says="From both parts of the figure it is concluded that the risk is smaller.",
    because="picture",
)

passes = claim(
    "sec6.a9a_passes",
    at="Bayesian logistic regression, a9a",
    title="Burn-in and thinning leave samples",
    says="15000 iterations, a burn-in of 500 and every fiftieth kept: 290 samples in 23 passes.",
    derived=All(Equal((T - 500) / 50, 290), term(23) < T * n / N, T * n / N < 24),
    numbers={T: "15000", n: "50", N: "32561"},
)

table_1 = claim(
    "table1",
    at="Table 1",
    title="Both stochastic gradient samplers are ahead on a9a",
    says="Their test errors are below those of the three variational methods.",
    read=All(*(mine < other for mine in (pSGLD, SGLD) for other in (DSVI, LBFGS, HFSGVI))),
    numbers={pSGLD: "14.85", SGLD: "14.85", DSVI: "15.20", LBFGS: "14.91", HFSGVI: "15.16"},
)

figure_3 = NotMathematical(
    "fig3",
    at="Fig. 3",
    title="Learning curves on a9a",
    says="SGLD is shown to take at least twice the iterations of pSGLD.",
    because="picture",
)

prior_spread = claim(
    "sec6.prior_variance",
    at="feedforward networks, on Fig. 4 (a)",
    title="A wider prior leaves more uncertainty",
    says="With a normal prior of larger variance the variance of a normal posterior is larger.",
    read=Compare(1 / (a + 1 / s), "<", 1 / (a + 1 / (s + b))),
)
