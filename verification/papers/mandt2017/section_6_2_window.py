"""Section 6.2: averages over one pass through the data as samples; their covariance and its error."""

from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.papers.mandt2017.window_hypotheses import A5
from verification.statements import (
    Compare,
    Equal,
    Order,
    Section,
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

sgd = Section(of="sgd", given=GIVEN)

eq32 = sgd("eq32", "section 6.2, Eq. 32").claim(
    "Isotropic stationary covariance in the well-specified model",
    "Where B B^T is A, the covariance of constant SGD is eps/(2S) times the identity.",
    printed=Equal(Sigma, eps / (2 * S) * I),
)

eq33 = sgd("eq33", "section 6.2, Eq. 33").claim(
    "Covariance of averages over a window",
    "A scaled inverse of A, and a correction with an exponential of the window's length.",
    printed=Equal(
        averaged(T),
        A**-1 / (S * T)
        + U * Lambda**-2 * (expm(-eps * T * Lambda) - I) * transpose(U) / (eps * S * T**2),
    ),
)

scaled_posterior = sgd("sec6_2.scaled_posterior", "section 6.2, after Eq. 33").claim(
    "To leading order a scaled posterior",
    "As eps T Lambda grows, the covariance is that of the posterior times N/(S T).",
    read=Order(averaged(T), "~", N / (S * T) * A**-1 / N, growing(T)),
)

one_pass = sgd("sec6_2.one_pass", "section 6.2, before Eq. 34").claim(
    "One pass to an average gives the posterior's covariance",
    "With windows of N/S steps the covariance is, for many examples, that of the posterior.",
    read=Order(ONE_PASS, "~", A**-1 / N, growing(N)),
)

eq34_line1 = sgd("eq34.line1", "section 6.2, Eq. 34, first line").claim(
    "Covariance of averages over one pass",
    "Eq. 33 with N/S for the window.",
    printed=Equal(ONE_PASS, EQ34),
)

eq34_line2 = sgd("eq34.line2", "section 6.2, Eq. 34, second line").claim(
    "Covariance of averages over one pass, factored",
    "The posterior's eigenvalues, each times one minus its relative error.",
    printed=Equal(EQ34, U * Lambda**-1 * (I + S / eps / N * Lambda**-1 * LESS) * transpose(U) / N),
)

same_eigenvectors = sgd("sec6_2.same_eigenvectors", "section 6.2, after Eq. 34").claim(
    "The average's covariance has the posterior's eigenvectors",
    "The covariance of averages over one pass commutes with the inverse of A.",
    read=Equal(ONE_PASS * A**-1, A**-1 * ONE_PASS),
)

factor_to_zero = sgd("sec6_2.factor_to_zero", "section 6.2, after Eq. 34, by the word").claim(
    "The factor by which eigenvalues differ goes to zero",
    "As eps/S grows, the ratio of the eigenvalues to the posterior's would go to zero.",
    read=Order(N * A * ONE_PASS, "o", 1, growing(eps)),
)

error_to_zero = sgd("sec6_2.error_to_zero", "section 6.2, after Eq. 34, of relative differences").claim(
    "The relative difference of the eigenvalues goes to zero",
    "As eps/S grows, the eigenvalues' relative difference from the posterior's goes to zero.",
    read=Order(RELATIVE, "o", 1, growing(eps)),
)

small_steps = sgd("sec6_2.small_steps", "section 6.2, after Eq. 34").claim(
    "For small steps the average has the covariance of SGD itself",
    "As eps/S vanishes all eigenvalues approach eps/(2S).",
    read=Order(ONE_PASS, "~", eps / (2 * S) * I, vanishing(eps)),
)

convex = Section(given=(CONVEX,))

second_order = convex("sec6_2.second_order", "section 6.2, after Eq. 34, in brackets").claim(
    "The second-order Maclaurin polynomial is enough",
    "With 1 - x + x^2/2 for the exponential, Eq. 34 is eps/(2S) times the identity.",
    read=Equal(
        A**-1 / N + S / eps / N**2 * A**-2 * (-eps / S * N * A + (eps / S * N * A) ** 2 / 2),
        eps / (2 * S) * I,
    ),
)

first_order = convex(
    "sec6_2.first_order", "section 6.2, after Eq. 34: would a first-order polynomial do?"
).claim(
    "A first-order Maclaurin polynomial is not enough",
    "With 1 - x for the exponential, nothing is left of Eq. 34.",
    derived=Equal(A**-1 / N, S / eps / N**2 * A**-2 * (eps / S * N * A)),
)

largest_error = convex("sec6_2.largest_error", "section 6.2, approximation error").claim(
    "The relative error is largest along the smallest eigenvalue",
    "The size of the relative error of Eq. 34 falls as the eigenvalue grows.",
    read=Compare(derivative((1 - exp(-x)) / x, lam), "<=", 0),
)

err_max = sgd("sec6_2.err_max", "section 6.2, err_max").claim(
    "The largest relative error",
    "The relative error of Eq. 34 has S/eps as the rate in its exponential.",
    printed=Equal(RELATIVE, S / eps / N * A**-1 * (expm(-S / eps * N * A) - I)),
)

err_max_sign = sgd("sec6_2.err_max_sign", "section 6.2, err_max, which is to be made small").claim(
    "The largest relative error as a size",
    "The relative error, of which the largest is to be made small, is taken as a positive number.",
    derived=Compare(RELATIVE, ">=", 0),
)

below_posterior = sgd("sec6_2.below_posterior", "section 6.2, Eq. 34 against the posterior").claim(
    "Averages over one pass are never too wide",
    "In every direction the covariance of the averages is at most that of the posterior.",
    derived=Compare(ONE_PASS, "<=", A**-1 / N),
)

large_enough = convex("sec6_2.large_enough", "section 6.2, eps/S > c/(N lambda_min)").claim(
    "A step that makes the error small",
    "The size of the relative error is at most one over eps N lambda / S, so at most 1/c.",
    read=Compare((1 - exp(-x)) / x, "<=", 1 / x),
)
