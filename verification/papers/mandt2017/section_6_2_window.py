"""Section 6.2: averages over one pass through the data as samples; their covariance and its error."""

from sympy import Derivative, Integer, Mul, exp

from sgtheory.declare import Parameter
from verification.claims.base import Printed
from verification.claims.spectral import Spectral
from verification.claims.spectral_bound import SpectralBound
from verification.claims.spectral_limit import SpectralLimit, Tends
from verification.notation import A, N, S, Sigma, eps, identity
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.papers.mandt2017.window_hypotheses import A5
from verification.spectral.words import Averaged, Lambda, MatrixExp, T, U, transposed

GIVEN = (*USUAL, CONVEX, A5)
ONE_PASS = Averaged(N / S)
LESS = MatrixExp(-eps / S * N * Lambda) - identity
EQ34 = A**-1 / N + S / eps / N**2 * U * Lambda**-2 * LESS * transposed(U)
RELATIVE = N * A * ONE_PASS - identity  # the relative error, direction by direction
lam = Parameter("lambda_k", positive=True)
x = eps * N * lam / S

eq32 = Spectral(
    "eq32",
    at="section 6.2, Eq. 32",
    title="Isotropic stationary covariance in the well-specified model",
    says="Where B B^T is A, the covariance of constant SGD is eps/(2S) times the identity.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(Sigma, eps / (2 * S) * identity),),
)

eq33 = Spectral(
    "eq33",
    at="section 6.2, Eq. 33",
    title="Covariance of averages over a window",
    says="A scaled inverse of A, and a correction with an exponential of the window's length.",
    of="sgd",
    given=GIVEN,
    printed=(
        Printed(
            Averaged(T),
            A**-1 / (S * T)
            + U
            * Lambda**-2
            * (MatrixExp(-eps * T * Lambda) - identity)
            * transposed(U)
            / (eps * S * T**2),
        ),
    ),
)

scaled_posterior = SpectralLimit(
    "sec6_2.scaled_posterior",
    at="section 6.2, after Eq. 33",
    stands="read",
    title="To leading order a scaled posterior",
    says="As eps T Lambda grows, the covariance is that of the posterior times N/(S T).",
    of="sgd",
    given=GIVEN,
    variable=T,
    limit="oo",
    printed=(Printed(Averaged(T), N / (S * T) * A**-1 / N, "~"),),
)

one_pass = SpectralLimit(
    "sec6_2.one_pass",
    at="section 6.2, before Eq. 34",
    stands="read",
    title="One pass to an average gives the posterior's covariance",
    says="With windows of N/S steps the covariance is, for many examples, that of the posterior.",
    of="sgd",
    given=GIVEN,
    variable=N,
    limit="oo",
    printed=(Printed(ONE_PASS, A**-1 / N, "~"),),
)

eq34_line1 = Spectral(
    "eq34.line1",
    at="section 6.2, Eq. 34, first line",
    title="Covariance of averages over one pass",
    says="Eq. 33 with N/S for the window.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(ONE_PASS, EQ34),),
)

eq34_line2 = Spectral(
    "eq34.line2",
    at="section 6.2, Eq. 34, second line",
    title="Covariance of averages over one pass, factored",
    says="The posterior's eigenvalues, each times one minus its relative error.",
    of="sgd",
    given=GIVEN,
    printed=(
        Printed(
            EQ34,
            U * Lambda**-1 * (identity + S / eps / N * Lambda**-1 * LESS) * transposed(U) / N,
        ),
    ),
)

same_eigenvectors = Spectral(
    "sec6_2.same_eigenvectors",
    at="section 6.2, after Eq. 34",
    stands="read",
    title="The average's covariance has the posterior's eigenvectors",
    says="The covariance of averages over one pass commutes with the inverse of A.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(ONE_PASS * A**-1, A**-1 * ONE_PASS),),
)

factor_to_zero = SpectralLimit(
    "sec6_2.factor_to_zero",
    at="section 6.2, after Eq. 34, by the word",
    stands="read",
    title="The factor by which eigenvalues differ goes to zero",
    says="As eps/S grows, the ratio of the eigenvalues to the posterior's would go to zero.",
    of="sgd",
    given=GIVEN,
    variable=eps,
    limit="oo",
    printed=(Tends(N * A * ONE_PASS, Integer(0)),),
)

error_to_zero = SpectralLimit(
    "sec6_2.error_to_zero",
    at="section 6.2, after Eq. 34, of relative differences",
    stands="read",
    title="The relative difference of the eigenvalues goes to zero",
    says="As eps/S grows, the eigenvalues' relative difference from the posterior's goes to zero.",
    of="sgd",
    given=GIVEN,
    variable=eps,
    limit="oo",
    printed=(Tends(RELATIVE, Integer(0)),),
)

small_steps = SpectralLimit(
    "sec6_2.small_steps",
    at="section 6.2, after Eq. 34",
    stands="read",
    title="For small steps the average has the covariance of SGD itself",
    says="As eps/S vanishes all eigenvalues approach eps/(2S).",
    of="sgd",
    given=GIVEN,
    variable=eps,
    limit="0",
    printed=(Printed(ONE_PASS, eps / (2 * S) * identity, "~"),),
)

second_order = Spectral(
    "sec6_2.second_order",
    at="section 6.2, after Eq. 34, in brackets",
    stands="read",
    title="The second-order Maclaurin polynomial is enough",
    says="With 1 - x + x^2/2 for the exponential, Eq. 34 is eps/(2S) times the identity.",
    given=(CONVEX,),
    printed=(
        Printed(
            A**-1 / N + S / eps / N**2 * A**-2 * (-eps / S * N * A + (eps / S * N * A) ** 2 / 2),
            eps / (2 * S) * identity,
        ),
    ),
)

first_order = Spectral(
    "sec6_2.first_order",
    at="section 6.2, after Eq. 34: would a first-order polynomial do?",
    stands="derived",
    title="A first-order Maclaurin polynomial is not enough",
    says="With 1 - x for the exponential, nothing is left of Eq. 34.",
    given=(CONVEX,),
    printed=(Printed(A**-1 / N, Mul(S / eps / N**2, A**-2, eps / S * N * A, evaluate=False)),),
)

largest_error = SpectralBound(
    "sec6_2.largest_error",
    at="section 6.2, approximation error",
    stands="read",
    title="The relative error is largest along the smallest eigenvalue",
    says="The size of the relative error of Eq. 34 falls as the eigenvalue grows.",
    given=(CONVEX,),
    printed=(Printed(Derivative((1 - exp(-x)) / x, lam), Integer(0), "<="),),
)

err_max = Spectral(
    "sec6_2.err_max",
    at="section 6.2, err_max",
    title="The largest relative error",
    says="The relative error of Eq. 34 has S/eps as the rate in its exponential.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(RELATIVE, S / eps / N * A**-1 * (MatrixExp(-S / eps * N * A) - identity)),),
)

err_max_sign = SpectralBound(
    "sec6_2.err_max_sign",
    at="section 6.2, err_max, which is to be made small",
    stands="derived",
    title="The largest relative error as a size",
    says="The relative error, of which the largest is to be made small, is taken as a positive number.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(RELATIVE, Integer(0), ">="),),
)

below_posterior = SpectralBound(
    "sec6_2.below_posterior",
    at="section 6.2, Eq. 34 against the posterior",
    stands="derived",
    title="Averages over one pass are never too wide",
    says="In every direction the covariance of the averages is at most that of the posterior.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(ONE_PASS, A**-1 / N, "<="),),
)

large_enough = SpectralBound(
    "sec6_2.large_enough",
    at="section 6.2, eps/S > c/(N lambda_min)",
    stands="read",
    title="A step that makes the error small",
    says="The size of the relative error is at most one over eps N lambda / S, so at most 1/c.",
    given=(CONVEX,),
    printed=(Printed((1 - exp(-x)) / x, 1 / x, "<="),),
)
