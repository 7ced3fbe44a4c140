"""What the paper assumes, as data: each claim lists what it leans on."""

from verification.refuter.conditions import FullRank
from verification.refuter.parameters import is_one
from verification.statements import Assumption, Section
from verification.theories.time.given import WELL_SPECIFIED

A1 = Assumption("A1: the gradient noise of a minibatch is normal, by the central limit theorem")
A2 = Assumption("A2: its covariance $C/S$ does not depend on the position")
A3 = Assumption("A3: the step is small enough for the continuous-time limit", small=("eps",))
A4 = Assumption("A4: the loss is quadratic where the chain is")
A5 = WELL_SPECIFIED  # the model is that of the data, so that B B^T = A
A5_IN_WORDS = Assumption(
    "A5: the posterior is normal, and the data were drawn from the model, so that $A = B B^T$"
)
CONVEX = Assumption("$A$ is positive definite")
FULL_RANK = FullRank(("C",))

USUAL = (A1, A2, A3, A4)

# what most entries are about
sgd = Section(of="sgd", given=(*USUAL, CONVEX))
# from section 4 on B B^T has full rank, as is assumed at the end of section 3
full_rank, sgld, sgfs = (
    Section(of=name, given=(*USUAL, CONVEX, FULL_RANK)) for name in ("sgd", "sgld", "sgfs")
)
DAMPED = Assumption("$mu$ is positive: without damping there is no stationary law")
A3_DAMPED = Assumption(
    "A3: step and damping are small enough for the continuous-time limit", small=("eps", "mu")
)
momentum = Section(of="momentum", given=(A1, A2, A3_DAMPED, A4, CONVEX, FULL_RANK, DAMPED))

# what a paper sets for simplicity can be imposed and dropped
ONE_EXAMPLE = is_one("S")
GAIN_FOR_STEP = is_one("eps")
