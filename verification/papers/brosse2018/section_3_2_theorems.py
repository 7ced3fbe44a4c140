"""Section 3.2: Theorems 6 and 7, and the remark after them."""

from sympy import Integer, Symbol

from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.notation import N, S
from verification.papers.brosse2018.letters import STEPS, eta, p
from verification.papers.brosse2018.section_3_2_hypotheses import (
    HALF_MORE_ETA,
    HALF_MORE_N,
    SEVENTH,
    SIXTH,
    SMALLER_STEPS,
    WITH_NOISE,
    each,
)
from verification.statements import Compare, Equal, claim, expanded
from verification.terms.batchwords import Average, BatchAverage, Expectation, columns, outer, total
from verification.terms.kinds import LOSS, PARAMETER, square
from verification.theories.invariants import HESSIAN, IDENTITY, NOISE, cov, off, second, third, undone
from verification.theories.minibatches.drawing import REPLACED

eq10 = claim(
    "thm6.eq10",
    at="Theorem 6, Eq. 10",
    title="Second moments of LMC's invariant law",
    says="As N grows at fixed eta they are H^-1 of twice the identity.",
    given=SIXTH,
    printed=expanded(second("lmc"), undone("H", 2 * IDENTITY), HALF_MORE_N, STEPS),
)

eq11 = claim(
    "thm6.eq11",
    at="Theorem 6, Eq. 11",
    title="Second moments of SGLDFP's invariant law",
    says="As N grows at fixed eta they are G^-1 of twice the identity.",
    given=SIXTH,
    printed=expanded(second("sgldfp"), undone("G", 2 * IDENTITY), HALF_MORE_N, STEPS),
)

thm6_mean_lmc = claim(
    "thm6.mean_lmc",
    at="Theorem 6, third display",
    title="Mean of LMC's invariant law",
    says="It is off the mode by the third derivative on H^-1 of the identity.",
    given=SIXTH,
    printed=expanded(off("lmc"), -(HESSIAN**-1) * third(undone("H", IDENTITY)), HALF_MORE_N, STEPS),
)

thm6_mean_fp = claim(
    "thm6.mean_fp",
    at="Theorem 6, fourth display",
    title="Mean of SGLDFP's invariant law",
    says="It is off the mode by the third derivative on G^-1 of the identity.",
    given=SIXTH,
    printed=expanded(off("sgldfp"), -(HESSIAN**-1) * third(undone("G", IDENTITY)), HALF_MORE_N, STEPS),
)

eq12 = claim(
    "thm7.eq12",
    at="Theorem 7, Eq. 12",
    title="Second moments of SGLD's invariant law",
    says="As eta vanishes, N at least 1/eta, they are G^-1 of twice the identity and eta/p M.",
    given=SEVENTH,
    printed=expanded(second("sgld"), undone("G", WITH_NOISE), HALF_MORE_ETA, SMALLER_STEPS),
)

eq13 = claim(
    "thm7.eq13",
    at="Theorem 7, Eq. 13",
    title="Second moments of SGD's invariant law",
    says="As eta vanishes, N at least 1/eta, they are eta/p times G^-1 of M.",
    given=SEVENTH,
    printed=expanded(second("sgd"), eta / p * undone("G", NOISE), HALF_MORE_ETA, SMALLER_STEPS),
)

thm7_mean_sgld = claim(
    "thm7.mean_sgld",
    at="Theorem 7, third display",
    title="Mean of SGLD's invariant law",
    says="It is off the mode by half the third derivative on SGLD's second moments.",
    given=SEVENTH,
    printed=expanded(
        off("sgld"), -(HESSIAN**-1) * third(undone("G", WITH_NOISE)) / 2, HALF_MORE_ETA, SMALLER_STEPS
    ),
)

thm7_mean_sgd = claim(
    "thm7.mean_sgd",
    at="Theorem 7, fourth display",
    title="Mean of SGD's invariant law",
    says="It is off the mode by eta/(2p) times the third derivative on G^-1 of M.",
    given=SEVENTH,
    printed=expanded(
        off("sgd"),
        -eta / (2 * p) * HESSIAN**-1 * third(undone("G", NOISE)),
        HALF_MORE_ETA,
        SMALLER_STEPS,
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

g = columns("g")  # an example's gradient at the mode

eq14_noise = claim(
    "thm7.eq14_noise",
    at="Theorem 7, Eq. 14 in Eqs. 12 and 13",
    title="N/p M is the noise of a minibatch's gradient",
    says="N times the mean gradient of a minibatch has at the mode the covariance N/p M, so that gamma"
    " times it is eta/p M (p is written S).",
    given=(REPLACED,),
    derived=Equal(
        N / S * total(outer(g - Average(g))), N**2 * Expectation(outer(BatchAverage(g) - Average(g)))
    ),
)

mean_bounded = claim(
    "thm7.mean_stays",
    at="section 3.2, after Theorem 7",
    title="Means of SGLD and SGD stay away from the mode",
    says="As N grows the means of both stay away from the mode by a positive constant.",
    given=SIXTH,
    read=each(off, "Omega", 1, STEPS, "sgld", "sgd"),
)

covariance_bounded = claim(
    "thm7.covariance_stays",
    at="section 3.2, after Theorem 7",
    title="Covariances of SGLD and SGD stay away from zero",
    says="As N grows the covariances of both stay above a positive constant.",
    given=SIXTH,
    read=each(cov, "Omega", 1, STEPS, "sgld", "sgd"),
)

ANY = Symbol("eta", positive=True)

any_eta = claim(
    "thm7.any_eta",
    at="section 3.2, after Theorem 7",
    title="There is an invariant law for any eta",
    says="The remark is about any positive eta; where every example is theta^2/2, with a standard normal"
    " prior, the mean is multiplied by 1 - eta (1 + 1/N) in each step, which has to be at least -1.",
    read=Compare(ANY * (1 + 1 / N), "<=", Integer(2)),
)

supplement_figure = NotMathematical(
    "thm7.figure",
    at="section 3.2, end",
    title="A figure of the supplement",
    says="A figure in the supplement is said to illustrate Theorems 6 and 7 as N grows.",
    because="picture",
)
