"""Section 3.1: the loss, its stochastic gradient, and the update of SGD."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import Definition
from verification.notation import N, S, eps
from verification.statements import Equal, claim
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Expectation,
    columns,
    numbers,
    total,
)
from verification.terms.kinds import LOSS, PARAMETER, column, number

g_n = columns("g")  # the gradient of one example's loss
log_likelihood = numbers("loglik")
loss, loss_sum, batch_loss, batch_sum, log_prior = sp.symbols(
    "L ell_sum Lhat_S ellhat_sum logprior", real=True
)
estimate, new, old = sp.symbols("ghat_S theta_new theta_old", commutative=False)

eq2 = Definition(
    "eq2",
    at="Eq. 2",
    title="The loss is a mean over examples",
    says="The loss is one N-th of the sum of the examples' losses, and g is its gradient.",
    printed=(Printed(loss, loss_sum / N),),
    declared=((loss, number(LOSS)), (loss_sum, number(LOSS)), (N, number())),
)

eq3 = claim(
    "eq3",
    at="Eqs. 2 and 3",
    title="The mean loss of Eq. 3 is minus the log joint, over N",
    says="With one N-th of the log prior in every example, N times the loss is minus the log joint.",
    derived=Equal(total(-log_likelihood - log_prior / N) / N, -(total(log_likelihood) + log_prior) / N),
)

minibatch_loss = claim(
    "sec3_1.minibatch_loss",
    at="section 3.1, Eqs. 3 and 4",
    title="The minibatch's loss estimates the loss",
    says="The mean of Eq. 3 over a minibatch is a stochastic estimate of the loss: right on average.",
    read=Equal(
        Expectation(BatchAverage(-log_likelihood - log_prior / N)),
        Average(-log_likelihood - log_prior / N),
    ),
)

eq4 = Definition(
    "eq4",
    at="Eq. 4",
    title="Loss and gradient of a minibatch",
    says="The estimated loss is one S-th of the sum over the minibatch, and has the estimated gradient.",
    printed=(Printed(batch_loss, batch_sum / S),),
    declared=((batch_loss, number(LOSS)), (batch_sum, number(LOSS)), (S, number())),
)

unbiased = claim(
    "sec3_1.unbiased",
    at="section 3.1, after Eq. 4",
    title="The stochastic gradient is right on average",
    says="Over all minibatches the stochastic gradient averages to the full gradient.",
    printed=Equal(Average(g_n), Expectation(BatchAverage(g_n))),
)

eq5 = Definition(
    "eq5",
    at="Eq. 5",
    title="One step of SGD",
    says="A step subtracts the learning rate times the stochastic gradient.",
    printed=(Printed(new, old - eps * estimate),),
    declared=(
        (new, column(PARAMETER)),
        (old, column(PARAMETER)),
        (eps, number(PARAMETER**2 / LOSS)),
        (estimate, column(LOSS / PARAMETER)),
    ),
)
