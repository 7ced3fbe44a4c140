"""Experiments: the simulation, logistic regression, tables of neural networks; conclusion."""

import sympy as sp

from verification.papers.li2016psgld import appendix_E
from verification.papers.li2016psgld.appendix_sequences import T as count
from verification.papers.li2016psgld.appendix_sequences import eps as eps_of
from verification.papers.li2016psgld.appendix_sequences import t
from verification.papers.li2016psgld.hypotheses import EXACT, FROM_MODE, average, small, x
from verification.relations import All, Compare, Equal, Order, growing, vanishing
from verification.statements import Letter, at, letter, letters, mean, number, samples_posterior, term

eps, s, a, b = sp.symbols("eps s a b", positive=True)
c, width, rate, T, n, N, A_0, M, v = letters("c s eps T n N A_0 M v")
pSGLD, SGLD, DSVI, LBFGS, HFSGVI = letters("pSGLD SGLD DSVI LBFGS HFSGVI")

halving = at("sec6.block_decay", "experiments, settings").claim(
    "Averages along steps that are halved are consistent (not claimed)",
    "Steps are halved after every $L$ epochs, here after every step. Assumption 1 excludes steps of"
    " finite sum, and nothing is said of averages along them.",
    given=(EXACT, FROM_MODE, Equal(eps_of[t], term("0.5") ** t)),
    derived=Order(mean(average(x) ** 2), "o", 1, growing(count)),
)

simulation_stable = at("sec6.simulation_stable", "simulation, Fig. 1 (b)").claim(
    "The step 0.3 is stable for SGLD",
    "For variances of 0.16 and 1 the step of SGLD has to be below four times the smaller one.",
    derived=rate < 4 * width,
    numbers={rate: "0.3", width: "0.16"},
)

figure_1 = at("fig1", "Fig. 1").picture(
    "Errors and autocorrelation times in the simulation",
    "For large steps pSGLD is shown to have the lower error and autocorrelation time.",
)

small_steps = small("sec6.small_steps", "simulation, on small steps").claim(
    "With small steps and long times pSGLD and SGLD are alike (not claimed)",
    "Where small steps lead nowhere they are. Where the time grows too SGLD's law tends to the target;"
    " that of pSGLD without $Gamma$, as in the experiments, is to do so.",
    derived=samples_posterior("psgld:no_gamma"),
)

slow = at("sec6.small_steps_do_not_move", "simulation, on small steps").claim(
    "With small steps a sampler does not move much",
    "The mean square of a step is of the order of the step.",
    read=Order(eps * (1 + eps * a / 4), "Theta", eps, vanishing(eps)),
    scope="a normal posterior",
)

rescaled = at("sec6.rescaled_target", "simulation, on rescaled covariances").again(
    appendix_E.rescaled,
    "A mildly rescaled target needs no new step",
    "As Appendix E has it, with its numbers 0.5 and 2; the text has $N(0, diag(0.16, 1))$ here.",
)

sgld_tuned = at("sec6.sgld_tuned", "simulation, on rescaled covariances").claim(
    "SGLD needs a step for each scale",
    "What SGLD forgets in a step is the same for a target $c$ times as wide, where the step is $c^2$"
    " times as long.",
    read=Equal(rate / width**2, c**2 * rate / (c * width) ** 2),
)

proportional = at("sec6.time_per_sample", "Bayesian logistic regression, on Fig. 2 (a)").claim(
    "Time per effective sample is proportional to the variance",
    "By Eq. 8 the variance of an average is $A(0)/M$; so it is for one running time $T$ and one $A(0)$.",
    given=(Equal(v, A_0 / M),),
    read=Equal(T / M, T / A_0 * v),
)

figure_2 = at("fig2", "Fig. 2").picture(
    "Effective samples and errors on the Australian data",
    "pSGLD is shown to have more effective samples and smaller errors of weights.",
)

lower_risk = at("sec6.lower_risk", "Bayesian logistic regression, after Fig. 2").picture(
    "The overall risk is reduced",
    "From both parts of the figure it is concluded that the risk is smaller.",
)

passes = at("sec6.a9a_passes", "Bayesian logistic regression, a9a").claim(
    "Burn-in and thinning leave samples",
    "15000 iterations, a burn-in of 500 and every fiftieth kept: 290 samples in 23 passes.",
    derived=All(Equal((T - 500) / 50, 290), term(23) < T * n / N, T * n / N < 24),
    numbers={T: "15000", n: "50", N: "32561"},
)

table_1 = at("table1", "Table 1").claim(
    "Both stochastic gradient samplers are ahead on a9a",
    "Their test errors are below those of the three variational methods.",
    read=All(*(mine < other for mine in (pSGLD, SGLD) for other in (DSVI, LBFGS, HFSGVI))),
    numbers={pSGLD: "14.85", SGLD: "14.85", DSVI: "15.20", LBFGS: "14.91", HFSGVI: "15.16"},
)

figure_3 = at("fig3", "Fig. 3").picture(
    "Learning curves on a9a", "SGLD is shown to take at least twice the iterations of pSGLD."
)

prior_spread = at("sec6.prior_variance", "feedforward networks, on Fig. 4 (a)").claim(
    "A wider prior leaves more uncertainty",
    "With a normal prior of larger variance the variance of a normal posterior is larger.",
    read=Compare(1 / (a + 1 / s), "<", 1 / (a + 1 / (s + b))),
    scope="a normal posterior, one direction",
)

SIZES = ("400", "800", "1200")


def row(name: str) -> tuple[Letter, ...]:
    """One method's test errors, a letter for each network size."""
    return tuple(letter(f"{name}_{size}") for size in SIZES)


TABLE_2 = {
    "pSGLD_wide": ("1.40", "1.26", "1.14"),
    "pSGLD": ("1.45", "1.32", "1.24"),
    "distilled": ("1.44", "1.40", "1.41"),
    "SGLD": ("1.64", "1.41", "1.40"),
    "RMSprop": ("1.59", "1.43", "1.39"),
    "RMSspectral": ("1.65", "1.56", "1.46"),
    "SGD": ("1.72", "1.47", "1.47"),
    "BPB_Gaussian": ("1.82", "1.99", "2.04"),
    "BPB_mixture": ("1.32", "1.34", "1.32"),
    "dropout": ("1.51", "1.33", "1.36"),
}
wide, unit, distilled, sgld, rmsprop, spectral, sgd, gaussian, mixture, dropout = map(row, TABLE_2)
ERRORS = {
    size: error
    for name, errors in TABLE_2.items()
    for size, error in zip(row(name), errors, strict=True)
}


def below(first: tuple[Letter, ...], second: tuple[Letter, ...]) -> All:
    """Smaller at every size."""
    return All(*(a < b for a, b in zip(first, second, strict=True)))


def falling(errors: tuple[Letter, ...]) -> All:
    """Smaller with every size."""
    return All(errors[1] < errors[0], errors[2] < errors[1])


pixels = at("sec6.pixels", "feedforward networks, on MNIST").claim(
    "Inputs of 784 dimensions",
    "Images of 28 by 28 points are inputs of the network $784-X-X-10$.",
    printed=Equal(number(28) * 28, 784),
)

better_than_rmsprop = at("table2.psgld", "Table 2").claim(
    "pSGLD is better than RMSprop",
    "At every size the sampler has a smaller error than its counterpart in optimization.",
    read=All(below(wide, rmsprop), below(unit, rmsprop)),
    numbers=ERRORS,
)

better_than_sgd = at("table2.sgld", "Table 2").claim(
    "SGLD is better than SGD", "The other pair of counterparts.", read=below(sgld, sgd), numbers=ERRORS
)

better_than_sgld = at("table2.psgld_and_sgld", "introduction, and Table 2").claim(
    "pSGLD is better than SGLD",
    "At every size pSGLD has a smaller error than SGLD.",
    read=All(below(wide, sgld), below(unit, sgld)),
    numbers=ERRORS,
)

wide_prior = at("table2.prior", "Table 2").claim(
    "The wider prior performs better",
    "With a prior variance of 100 errors are smaller than with 1, at every size.",
    read=below(wide, unit),
    numbers=ERRORS,
)

state_of_the_art = at("table2.best", "after Table 2, and abstract").claim(
    "pSGLD is ahead of all methods compared",
    "State-of-the-art test accuracy: no other row of the table has a smaller error at any size.",
    read=All(
        *(below(wide, other) for other in (sgld, rmsprop, spectral, sgd, gaussian, dropout, mixture))
    ),
    numbers=ERRORS,
)

larger_is_better = at("table2.size", "after Table 2").claim(
    "pSGLD gains with the size of the network",
    "Its errors fall from each size to the next.",
    read=All(falling(wide), falling(unit)),
    numbers=ERRORS,
)

others_do_not = at("table2.size_of_others", "after Table 2").claim(
    "Other methods do not gain with the size",
    "The errors of BPB rise from 400 to 800, those of SGD with dropout from 800 to 1200.",
    read=All(gaussian[1] > gaussian[0], mixture[1] > mixture[0], dropout[2] > dropout[1]),
    numbers=ERRORS,
)

fast_version = at("table2.distilled", "feedforward networks, on distilled pSGLD").degree(
    "The distilled version performs well",
    "Its errors, over those of the samples that it stands for (prior variance 1).",
    {
        f"its error over theirs at size {size}": one / other
        for size, one, other in zip(SIZES, distilled, unit, strict=True)
    },
    ERRORS,
)

figure_4 = at("fig4", "Fig. 4").picture(
    "Weights and learning curves of the large network",
    "Wider priors are shown with wider weights, and pSGLD as the fastest and best.",
)

distilling = at("sec6.distilling", "feedforward networks, on distilled pSGLD").attribution(
    "One network in the place of many",
    "That a single network can learn the average of many is ascribed to Korattikara et al.",
)

networks, each = sp.symbols("M c", positive=True)
ensemble_cost = at("sec6.ensemble_cost", "feedforward networks, last paragraph").claim(
    "Ensembles cost more in testing",
    "The outputs of $M$ networks take $M$ times as many operations as that of one.",
    given=(Compare(networks, ">", sp.Integer(1)),),
    read=Compare(networks * each, ">", each),
)

psgld, trained = letter("pSGLD"), letter("SGD")

table_3 = at("table3", "convolutional networks, text on Table 3").claim(
    "pSGLD improves a convolutional network",
    "Its error of 0.45 % is below the 0.82 % of SGD.",
    read=psgld < trained,
    numbers={psgld: "0.45", trained: "0.82"},
)

figure_5 = at("fig5", "Fig. 5").picture(
    "Learning curves of the convolutional network", "Learning curves for the errors of Table 3."
)

conclusion = at("conclusion.controllable", "conclusion").opinion(
    "A controllable finite-time error",
    "The method is said to adapt to local geometry with a controllable error.",
)
