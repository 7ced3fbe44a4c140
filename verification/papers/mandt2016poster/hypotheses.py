"""What the poster assumes, as data, and what its letters are."""

import sympy as sp

from verification.refuter.conditions import FullRank
from verification.refuter.parameters import is_one
from verification.statements import Assumption

A1 = Assumption("A1: the gradient noise is normal")
A2 = Assumption("A2: its covariance does not depend on the position")
A3 = Assumption("A3: the step is small enough for the continuous-time limit", small=("eps",))
A4 = Assumption("A4: the loss is quadratic where the stationary law is")
CONVEX = Assumption("$A$ is positive definite")
STABLE = Assumption("the step is stable, so that there is a stationary law")
FULL_RANK = FullRank(("C",))
INVERTIBLE = Assumption("$eps B B^T + E E^T$ has full rank")

SUMMED = is_one("N", "the loss is a sum over the examples: the posterior's factor $N$ is 1")
SINGLE = is_one("S", "no minibatch size is printed: $S = 1$")

# the number of examples, where the loss is their sum: the posterior does not count them again
EXAMPLES = sp.Symbol("N_data", positive=True)
USUAL = (A1, A2, A3, A4)
