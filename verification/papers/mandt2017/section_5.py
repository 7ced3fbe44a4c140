"""Section 5: what is said of all stochastic gradient MCMC algorithms."""

from verification.claims.definition import NotMathematical
from verification.notation import A, D, N, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.statements import Order, claim, vanishing

family = NotMathematical(
    "sec5.family",
    at="section 5, first paragraph",
    title="Which algorithms use stochastic gradients",
    says="Modern MCMC methods with stochastic gradients are attributed to several authors.",
)

asymptotically_exact = claim(
    "sec5.asymptotically_exact",
    at="section 5, first paragraph",
    title="Injected noise makes the sampler asymptotically exact",
    says="With injected noise the mean potential energy becomes that of the posterior as the step"
    " vanishes.",
    of="sgld",
    given=(*USUAL, CONVEX),
    read=Order(N * trace(A * Sigma), "~", D, vanishing(eps)),
)
