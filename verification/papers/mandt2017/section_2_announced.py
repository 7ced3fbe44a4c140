"""Section 2: more of what is said in passing of related work."""

from dataclasses import replace

import sympy as sp

from verification.claims.asymptotic import Asymptotic
from verification.claims.base import Printed
from verification.claims.bound import Bound
from verification.claims.definition import NotMathematical
from verification.claims.settings import AtSettings
from verification.notation import C, N, S, eps, identity
from verification.papers.mandt2016poster import limit
from verification.papers.mandt2017.hypotheses import A1, A2
from verification.papers.mandt2017.section_7_1 import KL, TABLE, of

injected_noise_dominates = Asymptotic(
    "sec2.injected_noise_dominates",
    at="section 2, on scalable MCMC; section 5.1, first paragraph",
    title="Injected noise comes to dominate the gradient's",
    says="As the step of SGLD vanishes, what a step's noise is per unit of the step is injected noise.",
    printed=(Printed(identity + eps * N**2 / (4 * S) * C, identity, "~"),),
)

averaged_gradients = NotMathematical(
    "sec2.averaged_gradients",
    at="section 2, stochastic optimization",
    title="Results on constant steps and averaging",
    says="Rates for averages (of iterates; the text has gradients) and the extrapolation of their bias"
    " are ascribed to Bach and Moulines, Flammarion and Bach, Dieuleveut et al. and others.",
    because="attribution",
)

a1, a2, c1, c2 = sp.symbols("a_1 a_2 c_1 c_2", positive=True)

# With steps K/t, along an axis of curvature a and noise c, t times the variance tends to
# K^2 c/(2 K a - 1) where 2 K a exceeds 1. With K = 1/c that is 1/(2 a - c), and a factor of K only
# changes the units of a and c; with K = 1/a it is c/a^2.
robbins_monro_gain = Bound(
    "sec2.best_gain_of_robbins_monro",
    at="section 2, stochastic optimization",
    title="The inverse noise covariance is best with decreasing steps",
    says="With steps K/t, along two axes, the inverse noise covariance is to leave no more variance"
    " than any other gain: than the inverse curvature, here.",
    printed=(Printed(1 / (2 * a1 - c1) + 1 / (2 * a2 - c2), c1 / a1**2 + c2 / a2**2, "<="),),
    where=(Printed(c1, 2 * a1, "<"), Printed(c2, 2 * a2, "<")),
)

continuous_limit = replace(
    limit.approximates,
    key="sec2.continuous_limit",
    at="section 2, stochastic differential equations; Assumption 3, with time in units of 1/eps",
    title="The diffusion approximates SGD, for any loss",
    given=(A1, A2),
)

similar_to_bbvi = AtSettings(
    "sec2.similar_to_bbvi",
    at="section 2, variational inference, against Table 1",
    title="Constant SGD does about as well as BBVI",
    says="The divergences of both are similar: within a factor of two, as it is read here.",
    printed=tuple(
        p
        for data in TABLE
        for p in (
            Printed(KL["SGD", data], 2 * KL["BBVI", data], "<="),
            Printed(KL["BBVI", data], 2 * KL["SGD", data], "<="),
        )
    ),
    settings=of("SGD", "BBVI"),
)
