"""Section 6.2: averages over one pass through the data as samples; their covariance and its error."""

from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.papers.mandt2017.window_hypotheses import A5
from verification.statements import (
    Compare,
    Equal,
    Order,
    claim,
    exp,
    growing,
    letter,
    letters,
    vanishing,
)
from verification.terms.notation import A, I, N, S, Sigma, eps
from verification.theories.matrices.words import transpose
from verification.theories.time.words import Lambda, U, averaged, derivative, expm

(T,), lam = letters("T", "count"), letter("lambda_k")
GIVEN = (*USUAL, CONVEX, A5)
ONE_PASS = averaged(N / S)
LESS = expm(-eps / S * N * Lambda) - I
EQ34 = A**-1 / N + S / eps / N**2 * U * Lambda**-2 * LESS * transpose(U)
RELATIVE = N * A * ONE_PASS - I  # the relative error, direction by direction
x = eps * N * lam / S

eq32 = claim(
    "eq32",
    at="section 6.2, Eq. 32",
    title="Isotropic stationary covariance in the well-specified model",
    says="Where B B^T is A, the covariance of constant SGD is eps/(2S) times the identity.",
    of="sgd",
    given=GIVEN,
    printed=Equal(Sigma, eps / (2 * S) * I),
)

eq33 = claim(
    "eq33",
    at="section 6.2, Eq. 33",
    title="Covariance of averages over a window",
    says="A scaled inverse of A, and a correction with an exponential of the window's length.",
    of="sgd",
    given=GIVEN,
    printed=Equal(
        averaged(T),
        A**-1 / (S * T)
        + U * Lambda**-2 * (expm(-eps * T * Lambda) - I) * transpose(U) / (eps * S * T**2),
    ),
)

scaled_posterior = claim(
    "sec6_2.scaled_posterior",
    at="section 6.2, after Eq. 33",
    title="To leading order a scaled posterior",
    says="As eps T Lambda grows, the covariance is that of the posterior times N/(S T).",
    of="sgd",
    given=GIVEN,
    read=Order(averaged(T), "~", N / (S * T) * A**-1 / N, growing(T)),
)

one_pass = claim(
    "sec6_2.one_pass",
    at="section 6.2, before Eq. 34",
    title="One pass to an average gives the posterior's covariance",
    says="With windows of N/S steps the covariance is, for many examples, that of the posterior.",
    of="sgd",
    given=GIVEN,
    read=Order(ONE_PASS, "~", A**-1 / N, growing(N)),
)

eq34_line1 = claim(
    "eq34.line1",
    at="section 6.2, Eq. 34, first line",
    title="Covariance of averages over one pass",
    says="Eq. 33 with N/S for the window.",
    of="sgd",
    given=GIVEN,
    printed=Equal(ONE_PASS, EQ34),
)

eq34_line2 = claim(
    "eq34.line2",
    at="section 6.2, Eq. 34, second line",
    title="Covariance of averages over one pass, factored",
    says="The posterior's eigenvalues, each times one minus its relative error.",
    of="sgd",
    given=GIVEN,
    printed=Equal(EQ34, U * Lambda**-1 * (I + S / eps / N * Lambda**-1 * LESS) * transpose(U) / N),
)

same_eigenvectors = claim(
    "sec6_2.same_eigenvectors",
    at="section 6.2, after Eq. 34",
    title="The average's covariance has the posterior's eigenvectors",
    says="The covariance of averages over one pass commutes with the inverse of A.",
    of="sgd",
    given=GIVEN,
    read=Equal(ONE_PASS * A**-1, A**-1 * ONE_PASS),
)

factor_to_zero = claim(
    "sec6_2.factor_to_zero",
    at="section 6.2, after Eq. 34, by the word",
    title="The factor by which eigenvalues differ goes to zero",
    says="As eps/S grows, the ratio of the eigenvalues to the posterior's would go to zero.",
    of="sgd",
    given=GIVEN,
    read=Order(N * A * ONE_PASS, "o", 1, growing(eps)),
)

error_to_zero = claim(
    "sec6_2.error_to_zero",
    at="section 6.2, after Eq. 34, of relative differences",
    title="The relative difference of the eigenvalues goes to zero",
    says="As eps/S grows, the eigenvalues' relative difference from the posterior's goes to zero.",
    of="sgd",
    given=GIVEN,
    read=Order(RELATIVE, "o", 1, growing(eps)),
)

small_steps = claim(
    "sec6_2.small_steps",
    at="section 6.2, after Eq. 34",
    title="For small steps the average has the covariance of SGD itself",
    says="As eps/S vanishes all eigenvalues approach eps/(2S).",
    of="sgd",
    given=GIVEN,
    read=Order(ONE_PASS, "~", eps / (2 * S) * I, vanishing(eps)),
)

second_order = claim(
    "sec6_2.second_order",
    at="section 6.2, after Eq. 34, in brackets",
    title="The second-order Maclaurin polynomial is enough",
    says="With 1 - x + x^2/2 for the exponential, Eq. 34 is eps/(2S) times the identity.",
    given=(CONVEX,),
    read=Equal(
        A**-1 / N + S / eps / N**2 * A**-2 * (-eps / S * N * A + (eps / S * N * A) ** 2 / 2),
        eps / (2 * S) * I,
    ),
)

first_order = claim(
    "sec6_2.first_order",
    at="section 6.2, after Eq. 34: would a first-order polynomial do?",
    title="A first-order Maclaurin polynomial is not enough",
    says="With 1 - x for the exponential, nothing is left of Eq. 34.",
    given=(CONVEX,),
    derived=Equal(A**-1 / N, S / eps / N**2 * A**-2 * (eps / S * N * A)),
)

largest_error = claim(
    "sec6_2.largest_error",
    at="section 6.2, approximation error",
    title="The relative error is largest along the smallest eigenvalue",
    says="The size of the relative error of Eq. 34 falls as the eigenvalue grows.",
    given=(CONVEX,),
    read=Compare(derivative((1 - exp(-x)) / x, lam), "<=", 0),
)

err_max = claim(
    "sec6_2.err_max",
    at="section 6.2, err_max",
    title="The largest relative error",
    says="The relative error of Eq. 34 has S/eps as the rate in its exponential.",
    of="sgd",
    given=GIVEN,
    printed=Equal(RELATIVE, S / eps / N * A**-1 * (expm(-S / eps * N * A) - I)),
)

err_max_sign = claim(
    "sec6_2.err_max_sign",
    at="section 6.2, err_max, which is to be made small",
    title="The largest relative error as a size",
    says="The relative error, of which the largest is to be made small, is taken as a positive number.",
    of="sgd",
    given=GIVEN,
    derived=Compare(RELATIVE, ">=", 0),
)

below_posterior = claim(
    "sec6_2.below_posterior",
    at="section 6.2, Eq. 34 against the posterior",
    title="Averages over one pass are never too wide",
    says="In every direction the covariance of the averages is at most that of the posterior.",
    of="sgd",
    given=GIVEN,
    derived=Compare(ONE_PASS, "<=", A**-1 / N),
)

large_enough = claim(
    "sec6_2.large_enough",
    at="section 6.2, eps/S > c/(N lambda_min)",
    title="A step that makes the error small",
    says="The size of the relative error is at most one over eps N lambda / S, so at most 1/c.",
    given=(CONVEX,),
    read=Compare((1 - exp(-x)) / x, "<=", 1 / x),
)
