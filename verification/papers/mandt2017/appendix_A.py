"""Appendix A: two examples, the mean of a Gaussian and linear regression."""

import sympy as sp

from verification.notation import C, N, S, Sigma, eps, identity
from verification.papers.mandt2017.hypotheses import USUAL
from verification.refuter.conditions import IsIdentity
from verification.statements import All, Assumption, Compare, Equal, Moves, at, growing
from verification.terms.batchwords import (
    At,
    Average,
    BatchAverage,
    Degree,
    Expectation,
    Gradient,
    Hessian,
    Inner,
    batch_total,
    columns,
    covariance,
    numbers,
    outer,
    theta,
    total,
)
from verification.theories.minibatches.drawing import REPLACED

x = columns("x")
y = numbers("y")
MEAN = Average(x)
BATCH_MEAN_NOISE = batch_total(x - MEAN)

# -- the mean of a Gaussian: Eq. 36 -------------------------------------------------------------------
LOSS_36 = -total(Inner(x - theta, x - theta)) / (2 * N)

eq36_gradient = at("appA.eq36", "Appendix A, Eq. 36").claim(
    "Gradient of the quadratic loss",
    "The gradient of the printed loss is the mean of the data minus $theta$.",
    printed=Equal(Gradient(LOSS_36), MEAN - theta),
)

s, v, m_xx, m_xy, m_yy = sp.symbols("s v m_xx m_xy m_yy", positive=True)

eq36_minimum = at("appA.eq36.minimised", "Appendix A, Eq. 36").claim(
    "The printed loss has a minimum",
    "To be minimised the loss has to grow far out; at distance $s$ from the mean, with $v$ the spread"
    " of the data, it is this.",
    derived=Moves(-(s**2 + v) / 2, "grows", growing(s)),
)

stochastic_gradient = at("appA.stochastic_gradient", "Appendix A, after Eq. 36").claim(
    "Stochastic gradient of the quadratic loss",
    "Its stochastic gradient is the mean over the minibatch of the examples minus $theta$.",
    printed=Equal(
        Gradient(-batch_total(Inner(x - theta, x - theta)) / (2 * S)), batch_total(x - theta) / S
    ),
)

data_covariance = at("appA.data_covariance", "Appendix A, after Eq. 36").claim(
    "The gradient's noise covariance $C$ is that of the data",
    "Because the gradient is linear in the data, $C$ is just that of the data; by Assumption 1 it is $S$"
    " times the covariance of a minibatch's noise.",
    given=(REPLACED,),
    read=Equal(S * Expectation(outer(BatchAverage(x - theta) - (MEAN - theta))), covariance(x)),
)

double_sum = at("appA.double_sum", "Appendix A, after Eq. 36").claim(
    "The noise covariance as a double sum over the minibatch",
    "The covariance of the stochastic gradient is a mean double sum of deviations over $S$ squared.",
    printed=Equal(
        Expectation(outer(BatchAverage(x - theta) - (MEAN - theta))),
        Expectation(outer(BATCH_MEAN_NOISE)) / S**2,
    ),
)

double_sum_is_single = at("appA.double_sum_is_single", "Appendix A, after Eq. 36").claim(
    "The double sum is one $S$-th of the data's covariance",
    "Terms of different examples drop out, which leaves the covariance of the data over $S$.",
    given=(REPLACED,),  # Assumption 1: contributions are independent
    printed=Equal(Expectation(outer(BATCH_MEAN_NOISE)) / S**2, covariance(x) / S),
)

shift = at("appA.shift", "Appendix A, after Eq. 36").claim(
    "Shifting $theta$ by the mean moves the optimum to 0",
    "With $theta + xbar$ for $theta$ the gradient vanishes at 0.",
    read=Equal(At(Gradient(LOSS_36.subs(theta, theta + MEAN)), 0 * theta), 0 * theta),
)

hessian = at("appA.hessian", "Appendix A, after Eq. 36").claim(
    "The Hessian of the quadratic loss is the identity",
    "The Hessian of the printed loss is the identity.",
    printed=Equal(Hessian(LOSS_36), identity),
)

MENDED = Assumption("the sign of Eq. 36 is mended, so that $A$ is the identity, as is said")

law_over_S = at("appA.law", "Appendix A, after Eq. 36, with Sigma_x = C/S as defined there").claim(
    "The stationary law of the quadratic example",
    "The stationary covariance is $eps/S$ times $Sigma_x$, the noise covariance $C/S$.",
    of="sgd",
    given=(*USUAL, MENDED, IsIdentity(("A",)), Compare(1, "<", N)),
    printed=Equal(Sigma, eps / S * (C / S)),
)

data = at("appA.law_of_data", "Appendix A, after Eq. 36, with Sigma_x the covariance of the data").claim(
    "The stationary law, with the covariance of the data",
    "The stationary covariance is $eps/S$ times the covariance of the data.",
    of="sgd",
    given=(*USUAL, MENDED, IsIdentity(("A",)), Compare(1, "<", N)),
    read=Equal(Sigma, eps / S * C),
)

# -- linear regression: Eq. 37 ------------------------------------------------------------------------
A_HAT, MU_HAT = BatchAverage(outer(x)), BatchAverage(x * y)
G_HAT = A_HAT * theta - MU_HAT
G = Average(outer(x)) * theta - Average(x * y)

eq37_gradient = at("appA.eq37", "Appendix A, Eq. 37").claim(
    "Stochastic gradient of linear regression",
    "The stochastic gradient of the printed loss is $A_hat theta$ minus $mu_hat$.",
    printed=Equal(Gradient(-batch_total((y - Inner(x, theta)) ** 2) / (2 * S)), G_HAT),
)

eq37_minimum = at("appA.eq37.minimised", "Appendix A, Eq. 37").claim(
    "The printed loss of regression has a minimum",
    "To be minimised the loss has to grow far out; along a direction, $m_xx$, $m_xy$ and $m_yy$ being"
    " means of products, it is this.",
    read=Moves(-(m_yy - 2 * m_xy * s + m_xx * s**2) / 2, "grows", growing(s)),
)

estimates = at("appA.estimates", "Appendix A, after Eq. 37").claim(
    "$A_hat$ and $mu_hat$ are estimates",
    "Over all minibatches $A_hat$ and $mu_hat$ average to their values on the whole data.",
    read=All(Equal(Expectation(A_HAT), Average(outer(x))), Equal(Expectation(MU_HAT), Average(x * y))),
)

noise_covariance = at("appA.noise_covariance", "Appendix A, after Eq. 37").claim(
    "The noise covariance as a difference of second moments",
    "The covariance of the gradient is its mean square minus the square of its mean.",
    printed=Equal(Expectation(outer(G_HAT - G)), Expectation(outer(G_HAT)) - outer(G)),
)

clash = at("appA.noise_covariance_of_one", "Appendix A, after Eq. 37, against Assumption 1").claim(
    "$C(theta)$ of the minibatch is $C$ of one example",
    "$C(theta)$ is the covariance of a minibatch's gradient, where Eq. 6 has $C/S$ for that.",
    derived=Equal(Expectation(outer(G_HAT - G)), covariance((outer(x) * theta) - x * y)),
)

quadratic = at("appA.quadratic", "Appendix A, after Eq. 37").claim(
    "The noise covariance is quadratic in $theta$",
    "As a polynomial in $theta$ the noise covariance has degree two.",
    read=Compare(Degree(Expectation(outer(G_HAT)) - outer(G)), "<=", sp.Integer(2)),
)

no_simpler = at("appA.no_simpler", "Appendix A, after Eq. 37").opinion(
    "The noise covariance cannot be simplified further",
    "What is simple is a judgement; with replacement it is one $S$-th of that of one gradient.",
)

fig1 = at("appA.fig1", "Appendix A, last paragraph").reference(
    "What Fig. 1 shows, and in which colours",
    "Fig. 1 is said to show the objective in blue and the law of SGD in yellow, on simulated data; its"
    " caption has the posterior, the iterates' covariance and two real data sets.",
)
