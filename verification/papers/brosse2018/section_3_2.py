"""Section 3.2: moments of the posterior, the operators K, H, G, and Theorems 6 and 7."""

from sympy import Rational, Symbol, symbols

from verification.batchwords import Average, BatchAverage, Expectation, FixedSquare, columns, outer, total
from verification.claims.base import Assumption, Printed
from verification.claims.definition import Definition
from verification.claims.estimator import Estimator
from verification.claims.invariant_moment import Expanded, InvariantMoment
from verification.invariants.words import D2U, Cubic, GInverse, HInverse, M, eta, mean, p, second
from verification.kinds import LOSS, PARAMETER, number, square
from verification.miner.drawing import REPLACED
from verification.notation import N, S, identity

H1 = Assumption("U_i four times differentiable, second to fourth derivatives bounded by L~ (H1)")
H2 = Assumption("U strongly convex with constant m (H2)")
H3 = Assumption("every U_i convex (H3)")
GROWING = Assumption("lim inf m/N > 0")
STEP = Assumption("gamma = eta/N, 0 < eta < eta_0, and eta_0 does not depend on N")
ENOUGH = Assumption("N >= 1/eta")

HALF_MORE_N, HALF_MORE_ETA = N ** Rational(-3, 2), eta ** Rational(3, 2)
WITH_NOISE = 2 * identity + eta / p * M

prop5_second = InvariantMoment(
    "prop5.second",
    at="Proposition 5, first display",
    title="Second moments of the posterior about the mode",
    says="As N grows the posterior's second moments about the mode are the inverse Hessian of U.",
    law="posterior",
    what="second",
    given=(H1, H2, GROWING),
    printed=(Expanded(second(""), D2U**-1, remainder=HALF_MORE_N),),
)

prop5_mean = InvariantMoment(
    "prop5.mean",
    at="Proposition 5, second display",
    title="The posterior's mean about the mode",
    says="The posterior's mean is off the mode by the third derivative on the inverse Hessian.",
    law="posterior",
    what="mean",
    given=(H1, H2, GROWING),
    printed=(Expanded(mean(""), -(D2U**-1) * Cubic(D2U**-1) / 2, remainder=HALF_MORE_N),),
)

hessian, argument, image, noise_K, step = (
    Symbol("D2U", commutative=False),
    Symbol("Q", commutative=False),
    Symbol("image", commutative=False),
    Symbol("K_Q", commutative=False),
    Symbol("gamma", positive=True),
)
spread, batch = Symbol("R_sum_Q", commutative=False), symbols("p", positive=True)
CURVATURE = LOSS / PARAMETER**2
LETTERS = (
    (hessian, square(CURVATURE)),
    (argument, square(PARAMETER**2)),
    (image, square(LOSS)),
    (noise_K, square(LOSS**2 / PARAMETER**2)),
    (step, number(PARAMETER**2 / LOSS)),
)

eq7 = Definition(
    "eq7",
    at="Eq. 7",
    title="The operator K",
    says="K takes Q to N/p times the sum of R_i Q R_i, R_i what an example's Hessian is off the mean.",
    printed=(Printed(noise_K, N / batch * spread),),
    declared=(
        (noise_K, square(LOSS**2 / PARAMETER**2)),
        (spread, square(LOSS**2 / PARAMETER**2)),
        (N, number()),
        (batch, number()),
    ),
)

h, g = columns("h g")  # of one example: its Hessian is h h^T, its gradient at the mode g
Q = FixedSquare("Q", commutative=False)
R_i, R_S = outer(h) - Average(outer(h)), BatchAverage(outer(h)) - Average(outer(h))

eq7_noise = Estimator(
    "eq7.noise",
    at="Eq. 7, and the remark after Eq. 9",
    title="K is the noise of a minibatch's Hessian",
    says="N/p times the sum of R_i Q R_i is the mean of what the noise of N times the minibatch's Hessian"
    " makes of Q (examples with Hessians of rank one, as in regression; p is written S).",
    given=(REPLACED,),
    printed=(Printed(N / S * total(R_i * Q * R_i), N**2 * Expectation(R_S * Q * R_S)),),
)

eq8 = Definition(
    "eq8",
    at="Eq. 8",
    title="The operator H",
    says="H takes Q to the Hessian times Q, plus Q times the Hessian, less gamma times both.",
    printed=(Printed(image, hessian * argument + argument * hessian - step * hessian * argument * hessian),),
    declared=LETTERS,
)

eq9 = Definition(
    "eq9",
    at="Eq. 9",
    title="The operator G",
    says="G is H less gamma times K.",
    printed=(
        Printed(
            image,
            hessian * argument
            + argument * hessian
            - step * (hessian * argument * hessian + noise_K),
        ),
    ),
    declared=LETTERS,
)

eq10 = InvariantMoment(
    "thm6.eq10",
    at="Theorem 6, Eq. 10",
    title="Second moments of LMC's invariant law",
    says="As N grows at fixed eta they are H^-1 of twice the identity.",
    of="lmc",
    what="second",
    given=(H1, H2, H3, GROWING, STEP),
    printed=(Expanded(second("LMC"), HInverse(2 * identity), remainder=HALF_MORE_N),),
)

eq11 = InvariantMoment(
    "thm6.eq11",
    at="Theorem 6, Eq. 11",
    title="Second moments of SGLDFP's invariant law",
    says="As N grows at fixed eta they are G^-1 of twice the identity.",
    of="sgldfp",
    what="second",
    given=(H1, H2, H3, GROWING, STEP),
    printed=(Expanded(second("FP"), GInverse(2 * identity), remainder=HALF_MORE_N),),
)

thm6_mean_lmc = InvariantMoment(
    "thm6.mean_lmc",
    at="Theorem 6, third display",
    title="Mean of LMC's invariant law",
    says="It is off the mode by the third derivative on H^-1 of the identity.",
    of="lmc",
    what="mean",
    given=(H1, H2, H3, GROWING, STEP),
    printed=(Expanded(mean("LMC"), -(D2U**-1) * Cubic(HInverse(identity)), remainder=HALF_MORE_N),),
)

thm6_mean_fp = InvariantMoment(
    "thm6.mean_fp",
    at="Theorem 6, fourth display",
    title="Mean of SGLDFP's invariant law",
    says="It is off the mode by the third derivative on G^-1 of the identity.",
    of="sgldfp",
    what="mean",
    given=(H1, H2, H3, GROWING, STEP),
    printed=(Expanded(mean("FP"), -(D2U**-1) * Cubic(GInverse(identity)), remainder=HALF_MORE_N),),
)

eq12 = InvariantMoment(
    "thm7.eq12",
    at="Theorem 7, Eq. 12",
    title="Second moments of SGLD's invariant law",
    says="As eta vanishes, N at least 1/eta, they are G^-1 of twice the identity and eta/p M.",
    of="sgld",
    what="second",
    given=(H1, H2, H3, GROWING, STEP, ENOUGH),
    printed=(Expanded(second("SGLD"), GInverse(WITH_NOISE), remainder=HALF_MORE_ETA),),
)

eq13 = InvariantMoment(
    "thm7.eq13",
    at="Theorem 7, Eq. 13",
    title="Second moments of SGD's invariant law",
    says="As eta vanishes, N at least 1/eta, they are eta/p times G^-1 of M.",
    of="sgd",
    what="second",
    given=(H1, H2, H3, GROWING, STEP, ENOUGH),
    printed=(Expanded(second("SGD"), eta / p * GInverse(M), remainder=HALF_MORE_ETA),),
)

thm7_mean_sgld = InvariantMoment(
    "thm7.mean_sgld",
    at="Theorem 7, third display",
    title="Mean of SGLD's invariant law",
    says="It is off the mode by half the third derivative on SGLD's second moments.",
    of="sgld",
    what="mean",
    given=(H1, H2, H3, GROWING, STEP, ENOUGH),
    printed=(
        Expanded(mean("SGLD"), -(D2U**-1) * Cubic(GInverse(WITH_NOISE)) / 2, remainder=HALF_MORE_ETA),
    ),
)

thm7_mean_sgd = InvariantMoment(
    "thm7.mean_sgd",
    at="Theorem 7, fourth display",
    title="Mean of SGD's invariant law",
    says="It is off the mode by eta/(2p) times the third derivative on G^-1 of M.",
    of="sgd",
    what="mean",
    given=(H1, H2, H3, GROWING, STEP, ENOUGH),
    printed=(
        Expanded(mean("SGD"), -eta / (2 * p) * D2U**-1 * Cubic(GInverse(M)), remainder=HALF_MORE_ETA),
    ),
)

noise_sum, noise_M = Symbol("g_sum", commutative=False), Symbol("M", commutative=False)

eq14 = Definition(
    "thm7.eq14",
    at="Theorem 7, Eq. 14",
    title="The matrix M",
    says="M is the sum over the examples of squared deviations of their gradients at the mode.",
    printed=(Printed(noise_M, noise_sum),),
    declared=(
        (noise_M, square(LOSS**2 / PARAMETER**2)),
        (noise_sum, square(LOSS**2 / PARAMETER**2)),
    ),
)

eq14_noise = Estimator(
    "thm7.eq14_noise",
    at="Theorem 7, Eq. 14 in Eqs. 12 and 13",
    title="N/p M is the noise of a minibatch's gradient",
    says="N times the mean gradient of a minibatch has at the mode the covariance N/p M, so that gamma"
    " times it is eta/p M (p is written S).",
    given=(REPLACED,),
    printed=(
        Printed(
            N / S * total(outer(g - Average(g))),
            N**2 * Expectation(outer(BatchAverage(g) - Average(g))),
        ),
    ),
)
