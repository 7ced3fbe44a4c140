"""Section 3.2: linear regression, the operators K, H and G, Theorems 6 and 7, sizes of biases."""

from typing import Any

from sympy import Symbol, symbols

from verification.notation import N, S, trace
from verification.papers.brosse2018.letters import D2U, STEPS, eta, on_paper, p
from verification.papers.brosse2018.section_3_2_hypotheses import (
    GROWING,
    H1,
    H2,
    HALF_MORE_ETA,
    HALF_MORE_N,
    SEVENTH,
    SIXTH,
    SMALLER_STEPS,
    WITH_NOISE,
    each,
)
from verification.relations import Equal, Order, Stable, expanded, growing, vanishing
from verification.statements import Assumption, Printed, Section, Stated, at, letter
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Expectation,
    FixedSquare,
    columns,
    outer,
    total,
)
from verification.terms.kinds import LOSS, PARAMETER, Transpose, column, number, square
from verification.theories.invariants import (
    HESSIAN,
    IDENTITY,
    LINEAR,
    NOISE,
    bias,
    cov,
    off,
    second,
    third,
    undone,
)
from verification.theories.minibatches.drawing import REPLACED

prop5_second = at("prop5.second", "Proposition 5, first display").claim(
    "Second moments of the posterior about the mode",
    "As $N$ grows the posterior's second moments about the mode are the inverse Hessian of $U$.",
    given=(H1, H2, GROWING),
    printed=expanded(second("pi"), HESSIAN**-1, HALF_MORE_N, growing(N)),
)

prop5_mean = at("prop5.mean", "Proposition 5, second display").claim(
    "The posterior's mean about the mode",
    "The posterior's mean is off the mode by the third derivative on the inverse Hessian.",
    given=(H1, H2, GROWING),
    printed=expanded(off("pi"), -(HESSIAN**-1) * third(HESSIAN**-1) / 2, HALF_MORE_N, growing(N)),
)

REGRESSION = "section 3.2, after Proposition 5, on Bayesian linear regression"

linear_posterior = at("sec3_2.linear_posterior", REGRESSION).claim(
    "The posterior's covariance for linear regression",
    "For linear regression Proposition 5 is exact: the covariance is the inverse Hessian of $U$.",
    given=(LINEAR,),
    derived=Equal(second("pi"), HESSIAN**-1),
)

SETTLES = Assumption("the step is one at which second moments settle: $I - gamma H$, or $G$, contracts")


def linear(sampler: str, called: str, nth: int, settled: Any, *given: Any) -> Stated:
    """An expansion without its remainder."""
    return at(f"sec3_2.linear_{sampler}", REGRESSION).claim(
        f"{called}'s covariance for linear regression",
        f"The covariance can be computed explicitly: Eq. {nth} without its remainder.",
        given=(LINEAR, *given, SETTLES),
        derived=Equal(second(sampler), settled),
    )


linear_lmc = linear("lmc", "LMC", 10, undone("H", 2 * IDENTITY))
linear_fp = linear("sgldfp", "SGLDFP", 11, undone("G", 2 * IDENTITY), REPLACED)
linear_sgld = linear("sgld", "SGLD", 12, undone("G", WITH_NOISE), REPLACED)
linear_sgd = linear("sgd", "SGD", 13, eta / p * undone("G", NOISE), REPLACED)

general_case = at("sec3_2.general_case", "section 3.2, after Proposition 5").opinion(
    "Only approximate expressions in the general case",
    "Outside of linear regression only approximate expressions are said to be available.",
)

sixth = Section(given=SIXTH)

bias_lmc_fp = sixth("sec3_2.bias_lmc_fp", "section 3.2, combining Proposition 5 and Theorem 6").claim(
    "Biases of LMC and SGLDFP are of order $1/N$",
    "At fixed $eta$ the means of both are off the posterior's by $Theta(1/N)$, in size.",
    read=each(bias, "Theta", 1 / N, STEPS, "lmc", "sgldfp"),
)

lmc_fp = sixth("sec3_2.covariance_lmc_fp", "section 3.2, combining Proposition 5 and Theorem 6").claim(
    "Covariances of LMC and SGLDFP are of order $1/N$",
    "At fixed $eta$ the covariances of both are $Theta(1/N)$.",
    read=each(cov, "Theta", 1 / N, STEPS, "lmc", "sgldfp"),
)

bias_constant = sixth(
    "sec3_2.bias_sgld_sgd_constant", "section 3.2, on SGD and SGLD as $N$ grows"
).claim(
    "Biases of SGLD and SGD do not vanish as $N$ grows",
    "At fixed $eta$ the means of both are off the posterior's by $Theta(1)$.",
    read=each(bias, "Theta", 1, STEPS, "sgld", "sgd"),
)

constant = sixth(
    "sec3_2.covariance_sgld_sgd_constant", "section 3.2, on SGD and SGLD as $N$ grows"
).claim(
    "Covariances of SGLD and SGD do not vanish as $N$ grows",
    "At fixed $eta$ the covariances of both are $Theta(1)$, because gradients vary much.",
    read=each(cov, "Theta", 1, STEPS, "sgld", "sgd"),
)

step, size, slope = letter("eta"), letter("N"), letter("slope", "real")  # the slope of U

eta_is_the_step = at("sec3_2.eta", "section 3.2, gamma = eta/N").claim(
    "$eta$ is the step for the normalised potential",
    "A step $gamma = eta/N$ along the gradient of $U$ is a step $eta$ along that of $U/N$.",
    read=Equal(step / size * slope, step * (slope / size)),
)

seventh = Section(given=SEVENTH)

in_eta = seventh("sec3_2.bias_sgld_sgd_eta", "section 3.2, combining Proposition 5 and Theorem 7").claim(
    "Biases of SGLD and SGD are of order $eta$",
    "As $eta$ vanishes, $N$ at least $1/eta$, the means of both are off the posterior's by"
    " $Theta(eta)$.",
    read=each(bias, "Theta", eta, SMALLER_STEPS, "sgld", "sgd"),
)

covariance_eta = seventh(
    "sec3_2.covariance_sgld_sgd_eta", "section 3.2, combining Proposition 5 and Theorem 7"
).claim(
    "Covariances of SGLD and SGD are of order $eta$",
    "As $eta$ vanishes, $N$ at least $1/eta$, the covariances of both are $Theta(eta)$.",
    read=each(cov, "Theta", eta, SMALLER_STEPS, "sgld", "sgd"),
)

hessian = D2U
argument, of_H, of_G, noise_K, left, right, tensor, first, other = (
    Symbol(name, commutative=False)
    for name in ("Q", "H_Q", "G_Q", "K_Q", "A_1", "A_2", "tensor", "theta_1", "theta_2")
)
image, squared, spread = map(on_paper, ("A_1_A_2_Q", "A_1_A_1_Q", "sum_R_Q_R"))
step, batch = symbols("gamma p", positive=True)
CURVATURE = LOSS / PARAMETER**2
operators = Section(
    kinds={
        hessian: square(CURVATURE),
        argument: square(PARAMETER**2),
        image: square(LOSS),
        of_H: square(LOSS),
        of_G: square(LOSS),
        noise_K: square(LOSS**2 / PARAMETER**2),
        step: number(PARAMETER**2 / LOSS),
    }
)

kronecker = operators("sec3_2.kronecker", "section 3.2, notation before Eq. 7").definition(
    "Kronecker products as maps on matrices",
    "The product of $A_1$ and $A_2$ takes $Q$ to $A_1 Q A_2$, and the square of $A_1$ takes it to"
    " $A_1 Q A_1$.",
    Printed(image, left * argument * right),
    Printed(squared, left * argument * left),
    kinds={left: square(CURVATURE), right: square(), squared: square(LOSS**2 / PARAMETER**2)},
)

tensor_product = at("sec3_2.tensor", "section 3.2, notation before Eq. 7").definition(
    "Tensor products of vectors, and the trace",
    "The tensor product of two vectors is the matrix of products of their coordinates.",
    Printed(tensor, first * Transpose(other)),
    kinds={tensor: square(PARAMETER**2), first: column(PARAMETER), other: column(PARAMETER)},
    stands="read",
)

eq7 = at("eq7", "Eq. 7").definition(
    "The operator $K$",
    "$K$ takes $Q$ to $N/p$ times the sum of $R_i Q R_i$, $R_i$ what an example's Hessian is off the"
    " mean.",
    Printed(noise_K, N / batch * spread),
    kinds={
        noise_K: square(LOSS**2 / PARAMETER**2),
        spread: square(LOSS**2 / PARAMETER**2),
        N: number(),
        batch: number(),
    },
)

h = columns("h")  # an example's Hessian is h h^T
Q = FixedSquare("Q", commutative=False)
R_i, R_S = outer(h) - Average(outer(h)), BatchAverage(outer(h)) - Average(outer(h))

eq7_noise = at("eq7.noise", "Eq. 7, and the remark after Eq. 9").claim(
    "$K$ is the noise of a minibatch's Hessian",
    "$N/p$ times the sum of $R_i Q R_i$ is the mean of what the noise of $N$ times the minibatch's"
    " Hessian makes of $Q$ (examples with Hessians of rank one, as in regression; $p$ is written $S$).",
    given=(REPLACED,),
    read=Equal(N / S * total(R_i * Q * R_i), N**2 * Expectation(R_S * Q * R_S)),
    scope="Hessians of rank one",
)

eq8 = operators("eq8", "Eq. 8").definition(
    "The operator $H$",
    "$H$ takes $Q$ to the Hessian times $Q$, plus $Q$ times the Hessian, less $gamma$ times the Hessian"
    " times $Q$ times the Hessian.",
    Printed(of_H, hessian * argument + argument * hessian - step * hessian * argument * hessian),
)

eq9 = operators("eq9", "Eq. 9").definition(
    "The operator $G$",
    "$G$ is $H$ less $gamma$ times $K$.",
    Printed(
        of_G, hessian * argument + argument * hessian - step * (hessian * argument * hessian + noise_K)
    ),
)

H_OF_Q = hessian * argument + argument * hessian - step * hessian * argument * hessian

whole_noise = at("sec3_2.perturbed_square", "section 3.2, after Eq. 9").claim(
    "With $K$ the square of the Hessian is that of a minibatch's",
    "Hessian squared plus $K$ is what $N$ times a minibatch's Hessian makes of $Q$ from both sides, on"
    " average ($p$ is written $S$).",
    given=(REPLACED,),
    read=Equal(
        N**2 * Average(outer(h)) * Q * Average(outer(h)) + N / S * total(R_i * Q * R_i),
        N**2 * Expectation(BatchAverage(outer(h)) * Q * BatchAverage(outer(h))),
    ),
    scope="Hessians of rank one",
)

noise_of_G = at("sec3_2.noise_of_G", "section 3.2, after Eq. 9").claim(
    "$G$ is off $H$ by the noise of Hessians alone",
    "What distinguishes $G$ from $H$ is $gamma$ times $K$, the noise of minibatches' Hessians.",
    read=Equal(
        hessian * argument
        + argument * hessian
        - step * (hessian * argument * hessian + noise_K)
        - H_OF_Q,
        -step * noise_K,
    ),
    kinds=(("Q", "positive definite"), ("D2U", "positive definite"), ("K_Q", "positive definite")),
)

noise_of_H = at("sec3_2.noise_of_H", "section 3.2, after Eq. 9").claim(
    "$H$ is perturbed by the noise of stochastic gradients",
    "$K$, $H$ and $G$ are read as perturbed by the noise of stochastic gradients; then, without that"
    " noise, $H$ would take $Q$ to the Hessian times $Q$ plus $Q$ times the Hessian. (What is left is an"
    " effect of the step: LMC has it, and no stochastic gradients.)",
    read=Equal(H_OF_Q, hessian * argument + argument * hessian),
    kinds=(("Q", "positive definite"), ("D2U", "positive definite")),
)

WITH_Q = trace(Transpose(argument) * H_OF_Q)  # zero where H takes Q to zero

H_invertible = at("sec3_2.H_invertible", "section 3.2, after Eq. 9").claim(
    "$H$ is invertible for small steps",
    "For small enough $gamma$ the operator $H$ is invertible: it takes no $Q$ but zero to zero, for the"
    " inner product of $Q$ and $H(Q)$ stays away from zero.",
    read=Order(WITH_Q, "Theta", 1, vanishing(step)),
    given=(H2, Assumption("$Q$ is not zero")),
    kinds=(("Q", "nonzero"), ("D2U", "positive definite")),
)

G_invertible = at("sec3_2.G_invertible", "section 3.2, after Eq. 9").claim(
    "$G$ is invertible for small steps",
    "For small enough $gamma$ the operator $G$ is invertible: the same of $G$, whatever $K$ takes $Q$"
    " to.",
    read=Order(WITH_Q - step * trace(Transpose(argument) * noise_K), "Theta", 1, vanishing(step)),
    given=(H2, Assumption("$Q$ is not zero")),
    kinds=(("Q", "nonzero"), ("D2U", "positive definite"), ("K_Q", "any")),
)

eq10 = sixth("thm6.eq10", "Theorem 6, Eq. 10").claim(
    "Second moments of LMC's invariant law",
    "As $N$ grows at fixed $eta$ they are $H^-1$ of twice the identity.",
    printed=expanded(second("lmc"), undone("H", 2 * IDENTITY), HALF_MORE_N, STEPS),
)

eq11 = sixth("thm6.eq11", "Theorem 6, Eq. 11").claim(
    "Second moments of SGLDFP's invariant law",
    "As $N$ grows at fixed $eta$ they are $G^-1$ of twice the identity.",
    printed=expanded(second("sgldfp"), undone("G", 2 * IDENTITY), HALF_MORE_N, STEPS),
)

thm6_mean_lmc = sixth("thm6.mean_lmc", "Theorem 6, third display").claim(
    "Mean of LMC's invariant law",
    "It is off the mode by the third derivative on $H^-1$ of the identity.",
    printed=expanded(off("lmc"), -(HESSIAN**-1) * third(undone("H", IDENTITY)), HALF_MORE_N, STEPS),
)

thm6_mean_fp = sixth("thm6.mean_fp", "Theorem 6, fourth display").claim(
    "Mean of SGLDFP's invariant law",
    "It is off the mode by the third derivative on $G^-1$ of the identity.",
    printed=expanded(off("sgldfp"), -(HESSIAN**-1) * third(undone("G", IDENTITY)), HALF_MORE_N, STEPS),
)

eq12 = seventh("thm7.eq12", "Theorem 7, Eq. 12").claim(
    "Second moments of SGLD's invariant law",
    "As $eta$ vanishes, $N$ at least $1/eta$, they are $G^-1$ of twice the identity and $eta/p M$.",
    printed=expanded(second("sgld"), undone("G", WITH_NOISE), HALF_MORE_ETA, SMALLER_STEPS),
)

eq13 = seventh("thm7.eq13", "Theorem 7, Eq. 13").claim(
    "Second moments of SGD's invariant law",
    "As $eta$ vanishes, $N$ at least $1/eta$, they are $eta/p$ times $G^-1$ of $M$.",
    printed=expanded(second("sgd"), eta / p * undone("G", NOISE), HALF_MORE_ETA, SMALLER_STEPS),
)

thm7_mean_sgld = seventh("thm7.mean_sgld", "Theorem 7, third display").claim(
    "Mean of SGLD's invariant law",
    "It is off the mode by half the third derivative on SGLD's second moments.",
    printed=expanded(
        off("sgld"), -(HESSIAN**-1) * third(undone("G", WITH_NOISE)) / 2, HALF_MORE_ETA, SMALLER_STEPS
    ),
)

thm7_mean_sgd = seventh("thm7.mean_sgd", "Theorem 7, fourth display").claim(
    "Mean of SGD's invariant law",
    "It is off the mode by $eta/(2p)$ times the third derivative on $G^-1$ of $M$.",
    printed=expanded(
        off("sgd"),
        -eta / (2 * p) * HESSIAN**-1 * third(undone("G", NOISE)),
        HALF_MORE_ETA,
        SMALLER_STEPS,
    ),
)

noise_sum, noise_M = on_paper("sum_g_g"), Symbol("M", commutative=False)

eq14 = at("thm7.eq14", "Theorem 7, Eq. 14").definition(
    "The matrix $M$",
    "$M$ is the sum over the examples of squared deviations of their gradients at the mode.",
    Printed(noise_M, noise_sum),
    kinds={noise_M: square(LOSS**2 / PARAMETER**2), noise_sum: square(LOSS**2 / PARAMETER**2)},
)

g = columns("g")  # an example's gradient at the mode

eq14_noise = at("thm7.eq14_noise", "Theorem 7, Eq. 14 in Eqs. 12 and 13").claim(
    "$N/p M$ is the noise of a minibatch's gradient",
    "$N$ times the mean gradient of a minibatch has at the mode the covariance $N/p M$, so that $gamma$"
    " times it is $eta/p M$ ($p$ is written $S$).",
    given=(REPLACED,),
    derived=Equal(
        N / S * total(outer(g - Average(g))), N**2 * Expectation(outer(BatchAverage(g) - Average(g)))
    ),
)

mean_bounded = sixth("thm7.mean_stays", "section 3.2, after Theorem 7").claim(
    "Means of SGLD and SGD stay away from the mode",
    "As $N$ grows the means of both stay away from the mode by a positive constant.",
    read=each(off, "Omega", 1, STEPS, "sgld", "sgd"),
)

covariance_bounded = sixth("thm7.covariance_stays", "section 3.2, after Theorem 7").claim(
    "Covariances of SGLD and SGD stay away from zero",
    "As $N$ grows the covariances of both stay above a positive constant.",
    read=each(cov, "Omega", 1, STEPS, "sgld", "sgd"),
)


any_eta = at("thm7.any_eta", "section 3.2, after Theorem 7").claim(
    "Whatever $eta$ is there is an invariant law, here of a quadratic potential",
    "The remark is about any positive $eta$, which is SGD's $eps$ here; $A$ is the Hessian of $U/N$,"
    " $lambda$ each of its eigenvalues."
    " Where curvatures vary among examples the limit is lower (thm4.ii.stable).",
    of="sgd",
    time="discrete",
    given=(Assumption("$A$ is positive definite"),),
    read=Stable(),
    scope="a quadratic potential, additive gradient noise",
)

supplement_figure = at("thm7.figure", "section 3.2, end").picture(
    "A figure of the supplement",
    "A figure in the supplement is said to illustrate Theorems 6 and 7 as $N$ grows.",
)
