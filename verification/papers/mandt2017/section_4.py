"""Section 4, before 4.1: SGD as approximate inference, the set-up."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.bound import Bound
from verification.claims.equality import Equality
from verification.notation import N

LOG_JOINT, LOG_POSTERIOR, LOG_EVIDENCE = sp.symbols("log_joint log_posterior log_evidence", real=True)
MEAN_LOSS = sp.Symbol("L", real=True)

loss = Equality(
    "sec4.loss_is_negative_log_joint",
    at="section 4, second paragraph",
    title="The loss of Eqs. 2 and 3 is the negative log-joint",
    says="The loss of Eqs. 2 and 3, an average over examples, is the negative log-joint distribution.",
    printed=(Printed(MEAN_LOSS, -LOG_JOINT),),
    defined=((MEAN_LOSS, -LOG_JOINT / N),),
)

posterior = Equality(
    "sec4.posterior_up_to_constant",
    at="section 4, second paragraph",
    title="Negative log-joint and log-posterior differ by a constant",
    says="The negative log-joint is the negative log-posterior up to a constant in the parameters.",
    printed=(Printed(-LOG_JOINT, -LOG_POSTERIOR, "=c="),),
    defined=((LOG_JOINT, LOG_POSTERIOR + LOG_EVIDENCE),),
    constant_in=(LOG_POSTERIOR,),
)

one, other = sp.symbols("joint_1 joint_2", positive=True)

point_estimate = Bound(
    "sec4.map",
    at="section 4, second paragraph",
    title="The least loss is at the largest posterior",
    says="Where the log joint is no smaller, the loss, minus one N-th of it, is no larger.",
    printed=(Printed(-other / N, -one / N, "<="),),
    where=(Printed(one, other, "<="),),
)
