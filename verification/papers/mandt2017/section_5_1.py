"""Section 5.1: stochastic gradient Langevin dynamics at a constant rate."""

from sympy import sqrt

from verification.laws.lagsums import SIGMA_LAGS
from verification.notation import A, B, C, N, S, Sigma, eps, identity, trace
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.statements import Compare, Equal, InLaw, Order, claim, vanishing
from verification.terms.stochastic import (
    NOISY_GRADIENT,
    After,
    Change,
    MatrixRoot,
    Row,
    V,
    dt,
    dV,
    dW,
    theta,
)

infinitely_slow = claim(
    "sec5_1.infinitely_slow",
    at="section 5.1, first paragraph",
    title="Mixing becomes infinitely slow as the step vanishes",
    says="The time over which SGLD forgets grows without bound, like one over the step.",
    of="sgld",
    given=(*USUAL, CONVEX),
    read=Order(trace(A * SIGMA_LAGS), "Theta", 1 / eps, vanishing(eps)),
)

update = claim(
    "sec5_1.update",
    at="section 5.1, first display",
    title="The update of SGLD",
    says="Half a step of the rescaled stochastic gradient, and a normal vector times the root of the"
    " step.",
    of="sgld",
    given=USUAL,
    printed=InLaw(Row(After(theta), theta - eps / 2 * N * NOISY_GRADIENT + sqrt(eps) * V)),
    time="discrete",
)

process = claim(
    "sec5_1.process",
    at="section 5.1, second display",
    title="SGLD as a stochastic differential equation",
    says="Half a step of drift, the injected noise, and the gradient noise with a factor of its own.",
    of="sgld",
    given=USUAL,
    printed=InLaw(
        Row(
            Change(theta),
            -eps * N * A * theta * dt / 2 + sqrt(eps) * dV + eps / sqrt(S) * N * B * dW,
        )
    ),
)

independent_noises = claim(
    "sec5_1.independent_noises",
    at="section 5.1, after the second display",
    title="The two noises are independent",
    says="Wiener noises without covariance drive the process like one whose covariance is their sum.",
    read=InLaw(
        Row(
            sqrt(eps) * dV + eps / sqrt(S) * N * B * dW,
            MatrixRoot(eps * identity + eps**2 * N**2 / S * C) * dW,
            "~",
        )
    ),
)

stationarity = claim(
    "sec5_1.stationarity",
    at="section 5.1",
    title="Stationary covariance of SGLD at a constant rate",
    says="The covariance of SGLD solves the analogue of Eq. 13, injected noise beside the gradient's.",
    of="sgld",
    given=USUAL,
    printed=Equal(N / 2 * (A * Sigma + Sigma * A), identity + eps * N / (2 * S) * C),
)

vanishing_step = claim(
    "sec5_1.vanishing_step",
    at="section 5.1, after the third display",
    title="At a vanishing step SGLD has the posterior covariance",
    says="As the step vanishes the covariance becomes the inverse of N A, and the law the posterior.",
    of="sgld",
    given=(*USUAL, CONVEX),
    printed=Order(N * A * Sigma, "~", identity, vanishing(eps)),
)

positive_corrections = claim(
    "sec5_1.positive_corrections",
    at="section 5.1, after the third display",
    title="The correction term is positive",
    says="What the stationarity equation has beside the identity is positive semidefinite.",
    read=Compare(eps * N / (2 * S) * C, ">=", 0),
)

overestimated = claim(
    "sec5_1.overestimated",
    at="section 5.1, last sentence",
    title="SGLD overestimates the posterior covariance",
    says="In no direction is the variance of SGLD at a constant rate below that of the posterior.",
    of="sgld",
    given=(*USUAL, CONVEX),
    read=Compare(Sigma, ">=", (N * A) ** -1),
)
