"""Finite-time error analysis: weighted averages, Theorem 1 and the remarks on it."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.claims.up_to_constant import UpTo, UpToConstant
from verification.laws.averages import MSE, NOISE, S_T, SQUARES, usual_families
from verification.papers.li2016psgld import appendix_sequences as own
from verification.papers.li2016psgld.hypotheses import A1, FORGETS, NOISY, SMOOTH, h, x
from verification.statements import (
    All,
    Order,
    averages_within,
    claim,
    growing,
    samples_posterior,
    sequences,
)
from verification.terms.kinds import number

BOUND = NOISE / S_T**2 + 1 / S_T + SQUARES**2 / S_T**2
TIME = sp.Symbol("time", positive=True)
(drawn,), FOREVER = sequences("Delta_V", "bounded sequence"), growing(own.T)
average, total, weighted = sp.symbols("phihat S_T weighted_sum", positive=True)
of_phi = sp.Symbol("unit_of_phi", positive=True)

estimate = Definition(
    "sec5.weighted_average",
    at="finite-time error analysis, first paragraph",
    title="The weighted sample average",
    says="Values of phi are weighted by the steps and divided by their sum S_T.",
    printed=(Printed(average, weighted / total),),
    declared=((average, number(of_phi)), (weighted, number(of_phi * TIME)), (total, number(TIME))),
)

prior_work = NotMathematical(
    "sec5.prior_work",
    at="pSGLD in practice, first paragraph",
    title="The analysis extends prior work",
    says="The theory is called an extension of that of Chen et al. to preconditioners.",
    because="attribution",
)

thm1 = claim(
    "thm1",
    at="Theorem 1, Eq. 6",
    title="The mean square error of pSGLD, Algorithm 1",
    says="A bound on the mean square error by gradient noise, time and squared steps, up to a constant.",
    given=(A1, SMOOTH, FORGETS),
    printed=averages_within(own.ERROR, own.BOUND, own.T, "psgld:algorithm1"),
    kinds=(("alpha", "unit"),),
)

thm1_eq3 = claim(
    "thm1.eq3",
    at="Theorem 1, Eq. 6, for the step of Eq. 3 as printed",
    title="The mean square error of pSGLD, Eq. 3",
    says="The same bound for the step with Gamma inside of what G multiplies.",
    given=(A1, SMOOTH, FORGETS),
    printed=averages_within(own.ERROR, own.BOUND, own.T, "psgld:eq3"),
    kinds=(("alpha", "unit"),),
)

thm1_constant = UpToConstant(
    "thm1.constant_preconditioner",
    at="Theorem 1, Eq. 6, with a preconditioner that stays",
    title="The mean square error with a constant preconditioner",
    says="The same bound where G is constant and the posterior normal, for the second moment.",
    given=(A1, SMOOTH),
    printed=(UpTo(MSE, BOUND),),
    families=usual_families(NOISY, h, x**2, delta=1),
)

thm1_mean = UpToConstant(
    "thm1.constant_preconditioner_mean",
    at="Theorem 1, Eq. 6, with a preconditioner that stays",
    title="The mean square error of the mean, with a constant preconditioner",
    says="The same for the first moment.",
    given=(A1, SMOOTH),
    printed=(UpTo(MSE, BOUND),),
    families=usual_families(NOISY, h, x, delta=1),
)

terms = claim(
    "thm1.terms_vanish",
    at="after Theorem 1",
    title="The terms of the bound vanish",
    says="Under Assumption 1 estimation and discretisation errors tend to zero.",
    given=(A1,),
    read=All(
        Order(own.total(own.steps[own.t] ** 2 * drawn[own.t] ** 2) / own.TIME**2, "o", 1, FOREVER),
        Order(1 / own.TIME, "o", 1, FOREVER),
        Order(own.SQUARED**2 / own.TIME**2, "o", 1, FOREVER),
    ),
)

consistent = claim(
    "thm1.consistent",
    at="after Theorem 1",
    title="pSGLD with decreasing steps is consistent",
    says="With decreasing steps the averages of Algorithm 1 tend to those over the posterior: so its law"
    " has to, as the steps vanish.",
    given=(A1, SMOOTH, FORGETS),
    read=samples_posterior("psgld:algorithm1"),
    kinds=(("alpha", "unit"),),
)

two_factors = UpToConstant(
    "thm1.discretisation",
    at="after Theorem 1, factor (ii)",
    stands="read",
    title="What integrators leave",
    says="Without gradient noise the error is bounded by the other two terms.",
    printed=(UpTo(MSE, 1 / S_T + SQUARES**2 / S_T**2),),
    families=usual_families(NOISY.put({NOISY.noises[1]: 0}), h, x**2),
)
