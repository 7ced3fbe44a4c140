"""Section 8: what the conclusions say once more, in words of their own."""

from dataclasses import replace

from verification.notation import A, D, Sigma, identity, trace
from verification.papers.mandt2017 import section_3_2
from verification.papers.mandt2017.hypotheses import full_rank
from verification.statements import Equal

ornstein_uhlenbeck = replace(
    section_3_2.eq11,
    key="sec8.ornstein_uhlenbeck",
    at="section 8, first paragraph",
    stands="read",
    title="SGD is approximated by an Ornstein-Uhlenbeck process",
)

shape_by_rate = full_rank("sec8.shape_by_the_rate", "section 8, second paragraph").claim(
    "The learning rate controls the shape of the law",
    "By choice of the rate the stationary covariance is to have the posterior's shape: some"
    " multiple of the inverse of $A$.",
    read=Equal(D * A * Sigma, trace(A * Sigma) * identity),
    kinds=(("B", "positive definite"),),
)
