"""Section 2: what is said of related work in numbers, and to whom results are ascribed."""

from sympy import Integer

from verification.claims.definition import NotMathematical
from verification.notation import A, C, LargestEigenvalue, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.papers.mandt2017.letters import KL
from verification.statements import Best, Compare, claim

sakrison = NotMathematical(
    "sec2.sakrison",
    at="section 2, stochastic optimization",
    title="The inverse noise covariance as the best preconditioner",
    says="That the inverse noise covariance is the best preconditioner is ascribed to Sakrison (1965).",
    because="attribution",
)

learning_rate = claim(
    "sec2.learning_rate",
    at="section 2, stochastic optimization, against Eq. 15",
    title="The best scalar learning rate, without its sizes",
    says="The optimal scalar learning rate of Section 4 is 2 over the trace of the noise covariance.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK),
    printed=Best(eps, 2 / trace(C), of=KL),
    kinds=(("B", "positive definite"),),
)

stability = claim(
    "sec2.stability",
    at="section 2, stochastic optimization",
    title="The learning rate 2/Tr(BB^T) is at the edge of stability",
    says="That rate also follows from stability: with it, eps times the largest curvature is at most 2.",
    read=Compare(2 / trace(C) * LargestEigenvalue(A), "<=", Integer(2)),
)

stability_of_filters = claim(
    "sec2.stability_of_filters",
    at="section 2, stochastic optimization, least mean squares",
    title="The learning rate 2/Tr(A) is stable",
    says="For least mean squares the trace is that of the inputs' covariance, which is the curvature A.",
    read=Compare(2 / trace(A) * LargestEigenvalue(A), "<=", Integer(2)),
)

widrow = NotMathematical(
    "sec2.widrow_stearns",
    at="section 2, stochastic optimization",
    title="Least mean squares and the same learning rate",
    says="The stability argument is ascribed to Widrow and Stearns (1985), for least mean squares.",
    because="attribution",
)
