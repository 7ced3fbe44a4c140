"""Section 2: what is said of stochastic gradient Langevin dynamics in passing."""

from verification.laws.lagsums import SIGMA_LAGS
from verification.notation import A, N, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.statements import Compare, Order, claim, vanishing

step_must_shrink = claim(
    "sec2.sgld_step_must_shrink",
    at="section 2, on scalable MCMC",
    title="SGLD needs a shrinking step",
    says="At no fixed step is the law of SGLD the posterior: its variance is larger in every direction.",
    of="sgld",
    given=(*USUAL, CONVEX, FULL_RANK),
    read=Compare(Sigma, ">", (N * A) ** -1),
    kinds=(("B", "positive definite"),),  # C has full rank, and such a root
)

mixing_slows = claim(
    "sec2.sgld_mixing_slows",
    at="section 2, on scalable MCMC",
    title="SGLD mixes slowly at small steps",
    says="Autocovariances summed over lags grow like one over the step, and so does the time to mix.",
    of="sgld",
    given=(*USUAL, CONVEX),
    read=Order(trace(A * SIGMA_LAGS), "Theta", 1 / eps, vanishing(eps)),
)
