"""Section 2, last paragraph: SGLDFP around an estimate of theta*, and what stays of the bounds."""

from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
from verification.laws.direction import AT_CENTRE, EQ5
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.papers.brosse2018.section_3_1 import LMC_AND_SGLDFP
from verification.prover.couplings import n
from verification.statements import Order, claim
from verification.theories.distances import ANY, OTHER, QUADRATIC, W2, law

CLOSE = Assumption("the mean squared distance of the estimate from theta* is O(1/N)")

unchanged = claim(
    "sec2.bounds_unchanged",
    at="section 2, last paragraph, of Theorem 2 i",
    title="Around an estimate the bound is the same, letter by letter",
    says="With theta* replaced in Eq. 5 by an estimate that is off by h, the bound of Theorem 2"
    " i stays as"
    " it is printed.",
    given=(CLOSE,),
    read=W2(law("lmc", n, ANY), law("sgldfp", n, OTHER, centre=EQ5)) ** 2 <= LMC_AND_SGLDFP,
)

unchanged_with_gradient = claim(
    "sec2.bounds_unchanged_with_gradient",
    at="section 2, last paragraph, of Theorem 2 i",
    title="The same where the gradient at the estimate is added",
    says="The gradient at the estimate, which is not zero, is added so that steps are unbiased;"
    " the bound of"
    " Theorem 2 i stays as it is printed.",
    given=(CLOSE,),
    read=W2(law("lmc", n, ANY), law("sgldfp", n, OTHER, centre=AT_CENTRE)) ** 2 <= LMC_AND_SGLDFP,
)

same_rate = claim(
    "sec2.same_rate",
    at="section 2, last paragraph, of Corollary 3 i",
    title="Around an estimate the rate is the same",
    says="With theta* replaced in Eq. 5 by an estimate at a distance h/sqrt(N), the invariant"
    " laws of LMC and"
    " SGLDFP are still N^(-1/2) apart (read for linear regression).",
    given=(
        CLOSE,
        QUADRATIC,
    ),
    read=Order(W2(law("lmc"), law("sgldfp", centre=EQ5)), "O", ROOT_N, STEPS),
)

same_rate_with_gradient = claim(
    "sec2.same_rate_with_gradient",
    at="section 2, last paragraph, of Corollary 3 i",
    title="The same rate where the gradient at the estimate is added",
    says="With the gradient at the estimate added, the invariant laws of LMC and SGLDFP are"
    " N^(-1/2) apart"
    " (read for linear regression).",
    given=(
        CLOSE,
        QUADRATIC,
    ),
    read=Order(W2(law("lmc"), law("sgldfp", centre=AT_CENTRE)), "O", ROOT_N, STEPS),
)

found_by_sgd = NotMathematical(
    "sec2.estimate_by_sgd",
    at="section 2, last paragraph",
    title="SGD with decreasing steps finds such an estimate",
    says="That decreasing steps give such an estimate at a cost linear in N is ascribed to two papers.",
    because="attribution",
)
