"""Section 4.2: the best rate from the online estimate of Eq. 21."""

from verification.claims.base import Assumption
from verification.notation import S
from verification.statements import Equal, claim, growing
from verification.terms.batchwords import Average, BatchAverage, First, Inner, Online, columns

g = columns("g")  # the gradient of one example's loss
DEVIATION, CENTRED = First(g) - BatchAverage(g), g - Average(g)

rate_online = claim(
    "sec4_2.rate_online",
    at="section 4.2, after Eq. 22",
    title="The best rate can be estimated online",
    says="The trace in Eq. 15 is taken from the online estimate of Eq. 21.",
    given=(Assumption("the iterate stays where it is, so that C does not change"),),
    read=Equal(
        Online(Inner(DEVIATION, DEVIATION)), Average(Inner(CENTRED, CENTRED)), approached=growing(S)
    ),
)
