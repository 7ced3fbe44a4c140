"""Section 2: what is said of related work in numbers, and to whom results are ascribed."""

from dataclasses import replace

import sympy as sp
from sympy import Integer

from verification.laws.lagsums import SIGMA_LAGS
from verification.notation import A, C, LargestEigenvalue, N, S, Sigma, eps, identity, trace
from verification.papers.mandt2016poster import poster
from verification.papers.mandt2017.hypotheses import A1, A2, CONVEX, full_rank, sgld
from verification.papers.mandt2017.letters import KL
from verification.papers.mandt2017.section_7_1 import KL as KL_of_table
from verification.papers.mandt2017.section_7_1 import PRINTED, TABLE
from verification.statements import Best, Compare, Order, at, vanishing

sakrison = at("sec2.sakrison", "section 2, stochastic optimization").attribution(
    "The inverse noise covariance as the best preconditioner",
    "That the inverse noise covariance is the best preconditioner is ascribed to Sakrison (1965).",
)

learning = full_rank("sec2.learning_rate", "section 2, stochastic optimization, against Eq. 15").claim(
    "The best scalar learning rate, without its sizes",
    "The optimal scalar learning rate of Section 4 is 2 over the trace of the noise covariance.",
    printed=Best(eps, 2 / trace(C), of=KL),
    kinds=(("B", "positive definite"),),
)

stability = at("sec2.stability", "section 2, stochastic optimization").claim(
    "The learning rate $2/Tr(B B^T)$ is not beyond the edge of stability",
    "That rate also follows from stability: with it, $eps$ times the largest curvature is at most 2.",
    read=Compare(2 / trace(C) * LargestEigenvalue(A), "<=", Integer(2)),
)

sec2 = at("sec2.stability_of_filters", "section 2, stochastic optimization, least mean squares").claim(
    "The learning rate $2/Tr(A)$ is not beyond the edge of stability",
    "For least mean squares the trace is that of the inputs' covariance, which is the curvature $A$.",
    read=Compare(2 / trace(A) * LargestEigenvalue(A), "<=", Integer(2)),
    given=(CONVEX,),
    scope="the means, not their squares",
)

widrow = at("sec2.widrow_stearns", "section 2, stochastic optimization").attribution(
    "Least mean squares and the same learning rate",
    "The stability argument is ascribed to Widrow and Stearns (1985), for least mean squares.",
)

injected_noise_dominates = at(
    "sec2.injected_noise_dominates", "section 2, on scalable MCMC; section 5.1, first paragraph"
).claim(
    "Injected noise comes to dominate the gradient's",
    "As the step of SGLD vanishes, what a step's noise is per unit of the step is injected noise.",
    read=Order(identity + eps * N**2 / (4 * S) * C, "~", identity, vanishing(eps)),
)

averaged_gradients = at("sec2.averaged_gradients", "section 2, stochastic optimization").attribution(
    "Results on constant steps and averaging",
    "Rates for averages (of iterates; the text has gradients) and the extrapolation of their bias"
    " are ascribed to Bach and Moulines, Flammarion and Bach, Dieuleveut et al. and others.",
)

a, c = sp.symbols("a c", positive=True)

robbins_monro_gain = at("sec2.best_gain_of_robbins_monro", "section 2, stochastic optimization").claim(
    "The inverse noise covariance is best with decreasing steps",
    "With steps $K/t$ the variance times $t$ tends to $K^2 c/(2 K a - 1)$ along an axis of curvature $a$"
    " and gradient noise $c$. With the inverse noise, $K = 1/c$, it is to be no more than with $1/a$.",
    given=(Compare(c, "<", 2 * a),),
    read=Compare(1 / (2 * a - c), "<=", c / a**2),
)

continuous_limit = replace(
    poster.approximates,
    key="sec2.continuous_limit",
    at="section 2, stochastic differential equations; Assumption 3, with time in units of $1/eps$",
    title="The diffusion approximates SGD, whatever the loss, in one coordinate",
    given=(A1, A2),
)

similar_to_bbvi = at("sec2.similar_to_bbvi", "section 2, variational inference, against Table 1").degree(
    "Constant SGD does about as well as BBVI",
    "Constant SGD is found to perform similarly in practice.",
    {
        f"the divergence of SGD over that of BBVI on the {data} data": KL_of_table["SGD", data]
        / KL_of_table["BBVI", data]
        for data in TABLE
    },
    PRINTED,
)

step_must_shrink = sgld("sec2.sgld_step_must_shrink", "section 2, on scalable MCMC").claim(
    "SGLD needs a shrinking step",
    "At no fixed step is the law of SGLD the posterior: its variance is larger in every direction.",
    read=Compare(Sigma, ">", (N * A) ** -1),
    kinds=(("B", "positive definite"),),  # C has full rank, and such a root
)

mixing_slows = sgld("sec2.sgld_mixing_slows", "section 2, on scalable MCMC").claim(
    "SGLD mixes slowly at small steps",
    "Autocovariances summed over lags grow like one over the step, and so does the time to mix.",
    read=Order(trace(A * SIGMA_LAGS), "Theta", 1 / eps, vanishing(eps)),
)
