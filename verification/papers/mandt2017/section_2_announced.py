"""Section 2: more of what is said in passing of related work."""

from dataclasses import replace

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.notation import C, N, S, eps, identity
from verification.papers.mandt2016poster import limit
from verification.papers.mandt2017.hypotheses import A1, A2
from verification.papers.mandt2017.section_7_1 import KL, TABLE, of
from verification.statements import All, Compare, Order, claim, vanishing

injected_noise_dominates = claim(
    "sec2.injected_noise_dominates",
    at="section 2, on scalable MCMC; section 5.1, first paragraph",
    title="Injected noise comes to dominate the gradient's",
    says="As the step of SGLD vanishes, what a step's noise is per unit of the step is injected noise.",
    read=Order(identity + eps * N**2 / (4 * S) * C, "~", identity, vanishing(eps)),
)

averaged_gradients = NotMathematical(
    "sec2.averaged_gradients",
    at="section 2, stochastic optimization",
    title="Results on constant steps and averaging",
    says="Rates for averages (of iterates; the text has gradients) and the extrapolation of their bias"
    " are ascribed to Bach and Moulines, Flammarion and Bach, Dieuleveut et al. and others.",
    because="attribution",
)

a, c = sp.symbols("a c", positive=True)

# With steps K/t, along an axis of curvature a and noise c, t times the variance tends to
# K^2 c/(2 K a - 1) where 2 K a exceeds 1: c/a^2 with K = 1/a, the least. Take K = 1/c, scaled and in
# units such that it is best along one axis, where a = c = 1; along another it leaves 1/(2 a - c).
robbins_monro_gain = claim(
    "sec2.best_gain_of_robbins_monro",
    at="section 2, stochastic optimization",
    title="The inverse noise covariance is best with decreasing steps",
    says="With steps K/t the inverse noise covariance, scaled to be best along one axis, is to leave no"
    " more variance along another than the inverse curvature does.",
    given=(Compare(c, "<", 2 * a),),
    read=Compare(1 / (2 * a - c), "<=", c / a**2),
)

continuous_limit = replace(
    limit.approximates,
    key="sec2.continuous_limit",
    at="section 2, stochastic differential equations; Assumption 3, with time in units of 1/eps",
    title="The diffusion approximates SGD, for any loss",
    given=(A1, A2),
)

similar_to_bbvi = claim(
    "sec2.similar_to_bbvi",
    at="section 2, variational inference, against Table 1",
    title="Constant SGD does about as well as BBVI",
    says="The divergences of both are similar: within a factor of two, as it is read here.",
    read=All(
        *(
            KL[one, data] <= 2 * KL[other, data]
            for data in TABLE
            for one, other in (("SGD", "BBVI"), ("BBVI", "SGD"))
        )
    ),
    numbers=of("SGD", "BBVI"),
)
