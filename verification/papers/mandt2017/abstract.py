"""Abstract. What else it announces is stated, and recorded, where the paper derives it."""

from verification.papers.mandt2017.hypotheses import A1, A2, A4, CONVEX
from verification.statements import Stable, claim

stationary = claim(
    "abstract.stationary",
    at="abstract, first sentence; section 1, constant SGD as a sampler",
    title="Constant SGD has a stationary distribution",
    says="With a constant step the law of the iterates tends to a stationary one: for normal noise on a"
    " quadratic loss, exactly where the means settle.",
    of="sgd",
    given=(A1, A2, A4, CONVEX),
    read=Stable(),
    time="discrete",
)
