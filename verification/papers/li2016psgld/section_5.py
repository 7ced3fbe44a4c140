"""Finite-time error analysis: weighted averages, Theorem 1 and the remarks on it."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.papers.li2016psgld import appendix_sequences as own
from verification.papers.li2016psgld.hypotheses import (
    A1,
    BOUND,
    EXACT,
    FORGETS,
    FROM_ONE,
    NOISY,
    S_T,
    SHORT,
    SMOOTH,
    SQUARES,
    x,
)
from verification.papers.li2016psgld.hypotheses import average as averaged
from verification.statements import (
    All,
    Bounded,
    Order,
    at,
    averages_within,
    growing,
    mean,
    samples_posterior,
    sequences,
    term,
)
from verification.terms.kinds import number

QUARTER = term("1/4")  # the posterior's variance
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

thm1 = at("thm1", "Theorem 1, Eq. 6").claim(
    "The mean square error of pSGLD, Algorithm 1",
    "A bound on the mean square error by gradient noise, time and squared steps, up to a constant.",
    given=(A1, SMOOTH, FORGETS),
    printed=averages_within(own.ERROR, own.BOUND, own.T, "psgld:algorithm1"),
    kinds=(("alpha", "unit"),),
)

thm1_eq3 = at("thm1.eq3", "Theorem 1, Eq. 6, for the step of Eq. 3 as printed").claim(
    "The mean square error of pSGLD, Eq. 3",
    "The same bound for the step with Gamma inside of what G multiplies.",
    given=(A1, SMOOTH, FORGETS),
    printed=averages_within(own.ERROR, own.BOUND, own.T, "psgld:eq3"),
    kinds=(("alpha", "unit"),),
)

thm1_constant = at(
    "thm1.constant_preconditioner", "Theorem 1, Eq. 6, with a preconditioner that stays"
).claim(
    "The mean square error with a constant preconditioner",
    "The same bound where G is constant and the posterior normal, for the second moment.",
    given=(A1, SMOOTH, SHORT, NOISY, FROM_ONE),
    printed=Bounded(mean((averaged(x**2) - QUARTER) ** 2), BOUND),
)

thm1_mean = at(
    "thm1.constant_preconditioner_mean", "Theorem 1, Eq. 6, with a preconditioner that stays"
).claim(
    "The mean square error of the mean, with a constant preconditioner",
    "The same for the first moment.",
    given=(A1, SMOOTH, SHORT, NOISY, FROM_ONE),
    printed=Bounded(mean(averaged(x) ** 2), BOUND),
)

terms = at("thm1.terms_vanish", "after Theorem 1").claim(
    "The terms of the bound vanish",
    "Under Assumption 1 estimation and discretisation errors tend to zero.",
    given=(A1,),
    read=All(
        Order(own.total(own.steps[own.t] ** 2 * drawn[own.t] ** 2) / own.TIME**2, "o", 1, FOREVER),
        Order(1 / own.TIME, "o", 1, FOREVER),
        Order(own.SQUARED**2 / own.TIME**2, "o", 1, FOREVER),
    ),
)

consistent = at("thm1.consistent", "after Theorem 1").claim(
    "pSGLD with decreasing steps is consistent",
    "With decreasing steps the averages of Algorithm 1 tend to those over the posterior: so its law"
    " has to, as the steps vanish.",
    given=(A1, SMOOTH, FORGETS),
    read=samples_posterior("psgld:algorithm1"),
    kinds=(("alpha", "unit"),),
)

two_factors = at("thm1.discretisation", "after Theorem 1, factor (ii)").claim(
    "What integrators leave",
    "Without gradient noise the error is bounded by the other two terms.",
    given=(SHORT, EXACT, FROM_ONE),
    read=Bounded(mean((averaged(x**2) - QUARTER) ** 2), 1 / S_T + SQUARES**2 / S_T**2),
)
