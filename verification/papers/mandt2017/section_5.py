"""Section 5: stochastic gradient MCMC algorithms; Section 5.1: SGLD at a constant rate."""

from sympy import sqrt

from verification.laws.lagsums import SIGMA_LAGS
from verification.notation import A, B, C, D, N, S, Sigma, eps, identity, trace
from verification.papers.mandt2017.hypotheses import USUAL, sgld
from verification.statements import Compare, Equal, InLaw, Order, Section, at, vanishing
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

family = at("sec5.family", "section 5, first paragraph").attribution(
    "Which algorithms use stochastic gradients",
    "Modern MCMC methods with stochastic gradients are attributed to several authors.",
)

asymptotically_exact = sgld("sec5.asymptotically_exact", "section 5, first paragraph").claim(
    "Injected noise makes the sampler asymptotically exact",
    "With injected noise the mean potential energy becomes that of the posterior as the step vanishes.",
    read=Order(N * trace(A * Sigma), "~", D, vanishing(eps)),
    scope="the mean potential energy",
)

infinitely_slow = sgld("sec5_1.infinitely_slow", "section 5.1, first paragraph").claim(
    "Mixing becomes infinitely slow as the step vanishes",
    "The time over which SGLD forgets grows without bound, like one over the step.",
    read=Order(trace(A * SIGMA_LAGS), "Theta", 1 / eps, vanishing(eps)),
)

usual = Section(of="sgld", given=USUAL)

update = usual.at_steps("sec5_1.update", "section 5.1, first display").claim(
    "The update of SGLD",
    "Half a step of the rescaled stochastic gradient, and a normal vector times the root of the step.",
    printed=InLaw(Row(After(theta), theta - eps / 2 * N * NOISY_GRADIENT + sqrt(eps) * V)),
    time="discrete",
)

process = usual("sec5_1.process", "section 5.1, second display").claim(
    "SGLD as a stochastic differential equation",
    "Half a step of drift, the injected noise, and the gradient noise with a factor of its own.",
    printed=InLaw(
        Row(Change(theta), -eps * N * A * theta * dt / 2 + sqrt(eps) * dV + eps / sqrt(S) * N * B * dW)
    ),
)

independent_noises = at("sec5_1.independent_noises", "section 5.1, after the second display").claim(
    "The two noises are independent",
    "Wiener noises without covariance drive the process like one whose covariance is their sum.",
    read=InLaw(
        Row(
            sqrt(eps) * dV + eps / sqrt(S) * N * B * dW,
            MatrixRoot(eps * identity + eps**2 * N**2 / S * C) * dW,
            "~",
        )
    ),
)

stationarity = usual("sec5_1.stationarity", "section 5.1").claim(
    "Stationary covariance of SGLD at a constant rate",
    "The covariance of SGLD solves the analogue of Eq. 13, injected noise beside the gradient's.",
    printed=Equal(N / 2 * (A * Sigma + Sigma * A), identity + eps * N / (2 * S) * C),
)

vanishing_step = sgld("sec5_1.vanishing_step", "section 5.1, after the third display").claim(
    "At a vanishing step SGLD has the posterior covariance",
    "As the step vanishes the covariance becomes the inverse of $N A$, and the law the posterior.",
    printed=Order(N * A * Sigma, "~", identity, vanishing(eps)),
)

positive_corrections = at("sec5_1.positive_corrections", "section 5.1, after the third display").claim(
    "The correction term is positive",
    "What the stationarity equation has beside the identity is positive semidefinite, as printed; so is"
    " $eps N^2 C/(4 S)$, which it should have been (see sec5_1.stationarity).",
    read=Compare(eps * N / (2 * S) * C, ">=", 0),
)

overestimated = sgld("sec5_1.overestimated", "section 5.1, last sentence").claim(
    "SGLD overestimates the posterior covariance",
    "In no direction is the variance of SGLD at a constant rate below that of the posterior.",
    read=Compare(Sigma, ">=", (N * A) ** -1),
)
