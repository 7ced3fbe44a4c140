"""Section 3.1: the loss, its stochastic gradient, and the update of SGD."""

import sympy as sp

from verification.notation import N, S, eps
from verification.papers.mandt2017.letters import GRADIENT, THETA, THETA_NEXT, a_step
from verification.statements import Equal, Printed, at
from verification.terms.batchwords import Average, BatchAverage, Expectation, columns, numbers, total
from verification.terms.kinds import LOSS, number

g_n = columns("g")  # the gradient of one example's loss
log_likelihood = numbers("loglik")
loss, loss_sum, batch_loss, batch_sum, log_prior = sp.symbols(
    "L ell_sum Lhat_S ellhat_sum logprior", real=True
)

eq2 = at("eq2", "Eq. 2").definition(
    "The loss is a mean over examples",
    "The loss is one $N$-th of the sum of the examples' losses, and $g$ is its gradient.",
    Printed(loss, loss_sum / N),
    kinds={loss: number(LOSS), loss_sum: number(LOSS), N: number()},
)

eq3 = at("eq3", "Eqs. 2 and 3").claim(
    "The mean loss of Eq. 3 is minus the log joint, over $N$",
    "With one $N$-th of the log prior in every example, $N$ times the loss is minus the log joint.",
    derived=Equal(total(-log_likelihood - log_prior / N) / N, -(total(log_likelihood) + log_prior) / N),
)

minibatch_loss = at("sec3_1.minibatch_loss", "section 3.1, Eqs. 3 and 4").claim(
    "The minibatch's loss estimates the loss",
    "The mean of Eq. 3 over a minibatch is a stochastic estimate of the loss: right on average.",
    read=Equal(
        Expectation(BatchAverage(-log_likelihood - log_prior / N)),
        Average(-log_likelihood - log_prior / N),
    ),
)

eq4 = at("eq4", "Eq. 4").definition(
    "Loss and gradient of a minibatch",
    "The estimated loss is one $S$-th of the sum over the minibatch, and has the estimated gradient.",
    Printed(batch_loss, batch_sum / S),
    kinds={batch_loss: number(LOSS), batch_sum: number(LOSS), S: number()},
)

unbiased = at("sec3_1.unbiased", "section 3.1, after Eq. 4").claim(
    "The stochastic gradient is right on average",
    "Over all minibatches the stochastic gradient averages to the full gradient.",
    printed=Equal(Average(g_n), Expectation(BatchAverage(g_n))),
)

eq5 = a_step("eq5", "Eq. 5").definition(
    "One step of SGD",
    "A step subtracts the learning rate times the stochastic gradient.",
    Printed(THETA_NEXT, THETA - eps * GRADIENT),
)
