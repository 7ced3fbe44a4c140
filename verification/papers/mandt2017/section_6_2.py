"""Section 6.2: iterate averaging over windows as a sampler; costs and step sizes have a file too."""

from typing import Any

import sympy as sp

from sgtheory.declare import Card, Sampler, local, normal, positive, real, state
from sgtheory.declare import gradient as gradient_at
from verification import notation
from verification.laws.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE
from verification.papers.mandt2017.hypotheses import A4, A5, A5_IN_WORDS, CONVEX, USUAL
from verification.relations import All, Best, Compare, Equal, Order, growing, vanishing
from verification.statements import Assumption, Section, at, exp, letter, letters, log
from verification.terms.batchwords import (
    At,
    Average,
    FixedColumn,
    Gradient,
    Hessian,
    Inner,
    OverNoise,
    columns,
    numbers,
    outer,
)
from verification.terms.batchwords import theta as point
from verification.terms.notation import A, C, H, I, N, S, Sigma, eps
from verification.theories.matrices.words import det, tr, transpose
from verification.theories.time.words import Lambda, U, averaged, derivative, expm, long_run, remembered

T, k = letters("T k", "count")
ONE_PASS = ((N, S * T),)  # windows of N/S steps

fitted = Section(of="sgd", given=(*USUAL, CONVEX, A5))

# a linear chain that sees the loss through stochastic gradients only, at a look-ahead, with momentum and
# with noise of its own; each position has to be a point of rest where the gradient vanishes
theta, v = state("theta v")
seen, (zeta, xi) = local("g"), normal("zeta xi")
decay, ahead, kick, shaken, pushed = real("c y k r s")
CHAIN = Sampler(
    state=(theta, v),
    noises=(zeta, xi),
    updates=(
        (seen, gradient_at(theta + ahead * v)),
        (theta, theta + v - positive("eps") * seen + shaken * zeta),
        (v, decay * v - kick * seen + pushed * xi),
    ),
    convention=Card(loss="mean", drift="eps", order="both by the old velocity"),
)
ONE_MORE = Assumption(
    "the chain is $theta' = theta + v - eps g + r zeta$, $v' = c v - k g + s xi$ with $g$ a gradient at"
    " $theta + y v$ and normal $zeta$, $xi$: it rests where gradients vanish; more vectors beside $v$"
    " change nothing"
)
chain = Section(of=CHAIN, given=(*USUAL, CONVEX, ONE_MORE)).at_steps
A_PASS = Compare(S * N * A * long_run(), ">=", N * I)  # N gradients of one example, at least

long_windows = fitted.within("long windows")
gradients_per_sample = long_windows(
    "sec6_2.gradients_per_sample", "section 6.2, second paragraph, and section 1, contribution 5"
).claim(
    "$N$ gradients per posterior sample",
    "A mean of iterates is worth one posterior sample for every $N$ gradients of one example: its"
    " covariance over $T$ steps, times their $S T$ gradients, is $N$ times that of the posterior.",
    read=Equal(S * N * A * long_run(), N * I),
)

independent_samples = fitted(
    "sec6_2.gradients_per_independent_sample", "section 6.2, second paragraph, with Theorem 2"
).claim(
    "Correlation time where SGD samples the posterior",
    "With the gain of Theorem 2 an effectively independent sample takes $N$ gradients.",
    read=Equal(S * long_run(), N * Sigma),
    given=(Equal(H, 2 * S / (N * eps) * A**-1),),
)

without_replacement = fitted(
    "sec6_2.gradients_per_sample_distinct", "section 6.2, second paragraph, with section 3.1"
).claim(
    "$N$ gradients, minibatches of distinct examples",
    "The same count where the examples of a minibatch are drawn without replacement.",
    read=Equal((N - S) / (N - 1) * S * N * A * long_run(), N * I),
    given=(Compare(S, "<", N),),
)

cramer_rao = long_windows("sec6_2.cramer_rao", "section 6.2, second paragraph").claim(
    "Averaging reaches the Cramer-Rao bound",
    "Per gradient the mean of iterates has the inverse Fisher information for its covariance.",
    read=Equal(S * long_run(), A**-1),
)

bernstein_von_mises = at("sec6_2.bernstein_von_mises", "Assumption 5").assumption(
    "The posterior is normal for much data",
    "For so many data that the theorem of Bernstein and von Mises applies the posterior is normal.",
)

# Bayesian linear regression on data of its own model: y is x^T theta_0 and noise of deviation sigma
inputs, (y, z) = columns("x"), numbers("y z")
truth = FixedColumn("theta_0", commutative=False)
sigma, of_prior = sp.symbols("sigma rho", positive=True)
MODELLED = Inner(inputs, truth) + sigma * z
SECOND = Average(outer(inputs))  # whose inverse leads to the mode


def loss(target: Any, prior: Any = 0) -> Any:
    """Of one example, with a share of the prior."""
    share = prior * Inner(point, point) / (2 * notation.N)
    return (Inner(inputs, point) - target) ** 2 / (2 * sigma**2) + share


def gradient(target: Any, where: Any, prior: Any = 0) -> Any:
    """Of one example's loss, at a point."""
    return At(Gradient(loss(target, prior)), where)


regression = at.within("linear regression")
fisher = regression("sec6_2.fisher_is_hessian", "Assumption 5").claim(
    "Hessian and noise agree on the model's own data",
    "On average over the model's data, at its parameter, the Hessian is the gradients' covariance.",
    read=Equal(A, C),
    where=(
        (A, Hessian(Average(loss(MODELLED)))),
        (C, Average(OverNoise(outer(gradient(MODELLED, truth)), z))),
    ),
)

OF_PRIOR = gradient(MODELLED, truth, of_prior)
prior_too = regression(
    "sec6_2.fisher_is_hessian_with_prior", "Assumption 5, with the prior of Eq. 3"
).claim(
    "The same with the prior in the loss",
    "The agreement for the loss of Eq. 3, which has the prior in it.",
    given=(Compare(Average(Inner(inputs, inputs)), ">", 0),),
    read=Equal(A, C, approached=growing(N)),
    where=(
        (A, Hessian(Average(loss(MODELLED, of_prior)))),
        (C, Average(OverNoise(outer(OF_PRIOR), z) - outer(OverNoise(OF_PRIOR, z)))),
    ),
)

fisher_at_mode = regression(
    "sec6_2.fisher_is_hessian_at_mode", "Assumption 5, with the noise of section 3.1 at the optimum"
).claim(
    "The same at the mode of the data",
    "The agreement on average over data, with the noise taken where the chain is: at the mode.",
    read=Equal(A, C, approached=growing(N)),
    where=(
        (A, Hessian(Average(loss(MODELLED)))),
        (C, OverNoise(Average(outer(gradient(MODELLED, SECOND**-1 * Average(MODELLED * inputs)))), z)),
    ),
)

RESIDUAL = y - Inner(inputs, SECOND**-1 * Average(y * inputs))  # at the mode
fisher_of_data = at("sec6_2.fisher_is_hessian_of_data", "Assumption 5, for the observed data").claim(
    "What they differ by for the data at hand",
    "For one data set, whatever it is, by a mean over its residuals at the mode: of data of the model it"
    " vanishes as they grow.",
    derived=Equal(A - C, Average((1 - RESIDUAL**2 / sigma**2) * outer(inputs)) / sigma**2),
    where=(
        (A, Hessian(Average(loss(y)))),
        (C, Average(outer(gradient(y, SECOND**-1 * Average(y * inputs))))),
    ),
)

alg1_windows = at("alg1.windows", "Algorithm 1, the line of the average").claim(
    "Which iterates a window averages",
    "The windows use every iterate once: window $k$ has those from $k T - (T - 1)$ to $k T$, $T$ of"
    " them; the first window begins with the first iterate, each other one where the one before has"
    " ended.",
    read=All(
        Equal(T - (T - 1), 1),
        Equal((k + 1) * T - (T - 1), k * T + 1),
        Equal(k * T - (k * T - (T - 1)) + 1, T),
    ),
)

alg1 = fitted("alg1", "Algorithm 1").claim(
    "Means over one pass are posterior samples",
    "The mean over $N/S$ successive iterates has the posterior's covariance.",
    read=Equal(averaged(T), A**-1 / N),
    where=ONE_PASS,
)

alg1_independent = fitted("alg1.independent", "Algorithm 1, output; section 6.2, Efficiency").claim(
    "Successive samples are independent",
    "Means over two windows in succession are not correlated.",
    read=Equal(averaged(2 * T), averaged(T) / 2),
)

alg1_start = fitted("alg1.start", "Algorithm 1, output").claim(
    "The first sample of a chain that begins anywhere needs no burn-in",
    "The mean of the first one has nothing of where the chain begins. Section 6.1 has it begin in the"
    " stationary law, where that is so; Algorithm 1 does not ask for it.",
    derived=Equal(remembered(T), 0),
)

one_pass = fitted("alg1.window_of_one_pass", "Algorithm 1, input; before Eq. 34").claim(
    "One pass is the window to choose",
    "Of all windows that of $N/S$ steps brings means closest to the posterior.",
    read=Best(T, N / S, of=tr(N * A * averaged(T)) - log(det(averaged(T)))),
)

isotropic = at("sec6_2.isotropic", "section 6.2, after Eq. 32").claim(
    "The law of SGD is isotropic",
    "The variance of SGD is the same in all directions, whatever their curvature.",
    of="sgd",
    given=(*USUAL, CONVEX, A5_IN_WORDS, Equal(notation.C, notation.A)),
    read=Equal(Sigma, eps / (2 * S) * I),
)

(T,), lam = letters("T", "count"), letter("lambda_k")
OF_A_PASS = averaged(N / S)
LESS = expm(-eps / S * N * Lambda) - I
EQ34 = A**-1 / N + S / eps / N**2 * U * Lambda**-2 * LESS * transpose(U)
RELATIVE = N * A * OF_A_PASS - I  # the relative error, direction by direction
x = eps * N * lam / S

eq32 = fitted("eq32", "section 6.2, Eq. 32").claim(
    "Isotropic stationary covariance in the well-specified model",
    "Where $B B^T$ is $A$, the covariance of constant SGD is $eps/(2S)$ times the identity.",
    printed=Equal(Sigma, eps / (2 * S) * I),
)

eq33 = fitted("eq33", "section 6.2, Eq. 33").claim(
    "Covariance of averages over a window",
    "A scaled inverse of $A$, and a correction with an exponential of the window's length.",
    printed=Equal(
        averaged(T),
        A**-1 / (S * T)
        + U * Lambda**-2 * (expm(-eps * T * Lambda) - I) * transpose(U) / (eps * S * T**2),
    ),
)

scaled_posterior = fitted("sec6_2.scaled_posterior", "section 6.2, after Eq. 33").claim(
    "To leading order a scaled posterior",
    "As $eps T Lambda$ grows, the covariance is that of the posterior times $N/(S T)$.",
    read=Order(averaged(T), "~", N / (S * T) * A**-1 / N, growing(T)),
)

one_pass_window = fitted("sec6_2.one_pass", "section 6.2, before Eq. 34").claim(
    "One pass to an average gives the posterior's covariance",
    "With windows of $N/S$ steps the covariance is, for many examples, that of the posterior.",
    read=Order(OF_A_PASS, "~", A**-1 / N, growing(N)),
)

eq34_line1 = fitted("eq34.line1", "section 6.2, Eq. 34, first line").claim(
    "Covariance of averages over one pass",
    "Eq. 33 with $N/S$ for the window.",
    printed=Equal(OF_A_PASS, EQ34),
)

eq34_line2 = fitted("eq34.line2", "section 6.2, Eq. 34, second line").claim(
    "Covariance of averages over one pass, factored",
    "The posterior's eigenvalues, each times one minus its relative error.",
    printed=Equal(EQ34, U * Lambda**-1 * (I + S / eps / N * Lambda**-1 * LESS) * transpose(U) / N),
)

same_eigenvectors = fitted("sec6_2.same_eigenvectors", "section 6.2, after Eq. 34").claim(
    "The average's covariance has the posterior's eigenvectors",
    "The covariance of averages over one pass commutes with the inverse of $A$.",
    read=Equal(OF_A_PASS * A**-1, A**-1 * OF_A_PASS),
)

factor_to_zero = fitted("sec6_2.factor_to_zero", "section 6.2, after Eq. 34, by the word").claim(
    "The factor by which eigenvalues differ goes to zero",
    "What is meant is their relative difference, see sec6_2.error_to_zero; as $eps/S$ grows, does their"
    " ratio to the posterior's go to zero? It is of the process: stability bounds the algorithm's step.",
    derived=Order(N * A * OF_A_PASS, "o", 1, growing(eps)),
)

to_zero = fitted("sec6_2.error_to_zero", "section 6.2, after Eq. 34, of relative differences").claim(
    "The relative difference of the eigenvalues goes to zero",
    "As $eps/S$ grows, the eigenvalues' relative difference from the posterior's goes to zero. It is of"
    " the process: stability keeps the algorithm's step below $2/lambda_max$, near which it grows.",
    read=Order(RELATIVE, "o", 1, growing(eps)),
)

small_steps = fitted("sec6_2.small_steps", "section 6.2, after Eq. 34").claim(
    "For small steps the average has the covariance of SGD itself",
    "As $eps/S$ vanishes all eigenvalues approach $eps/(2S)$.",
    read=Order(OF_A_PASS, "~", eps / (2 * S) * I, vanishing(eps)),
)

convex = Section(given=(CONVEX,))

second_order = convex("sec6_2.second_order", "section 6.2, after Eq. 34, in brackets").claim(
    "The second-order Maclaurin polynomial is enough",
    "With $1 - x + x^2/2$ for the exponential, Eq. 34 is $eps/(2S)$ times the identity.",
    read=Equal(
        A**-1 / N + S / eps / N**2 * A**-2 * (-eps / S * N * A + (eps / S * N * A) ** 2 / 2),
        eps / (2 * S) * I,
    ),
)

first_order = convex(
    "sec6_2.first_order", "section 6.2, after Eq. 34: would a first-order polynomial do?"
).claim(
    "A first-order Maclaurin polynomial is not enough",
    "With $1 - x$ for the exponential, nothing is left of Eq. 34.",
    derived=Equal(A**-1 / N, S / eps / N**2 * A**-2 * (eps / S * N * A)),
)

largest_error = convex("sec6_2.largest_error", "section 6.2, approximation error").claim(
    "The relative error is largest along the smallest eigenvalue",
    "The size of the relative error of Eq. 34 falls as the eigenvalue grows.",
    read=Compare(derivative((1 - exp(-x)) / x, lam), "<=", 0),
)

err_max = fitted("sec6_2.err_max", "section 6.2, err_max").claim(
    "The largest relative error",
    "The relative error of Eq. 34, printed of the smallest eigenvalue and here of all, has $S/eps$"
    " as the rate in its exponential.",
    read=Equal(RELATIVE, S / eps / N * A**-1 * (expm(-S / eps * N * A) - I)),
)

err_max_sign = fitted("sec6_2.err_max_sign", "section 6.2, err_max, which is to be made small").claim(
    "The relative error has the printed sign",
    "err_max is printed as a negative number; it is its size that is to be made small.",
    derived=Compare(RELATIVE, "<=", 0),
)

below_posterior = fitted("sec6_2.below_posterior", "section 6.2, Eq. 34 against the posterior").claim(
    "Averages over one pass are never too wide",
    "In every direction the covariance of the averages is at most that of the posterior.",
    derived=Compare(OF_A_PASS, "<=", A**-1 / N),
)

large_enough = convex("sec6_2.large_enough", "section 6.2, $eps/S > c/(N lambda_min)$").claim(
    "A step that makes the error small",
    "The size of the relative error is at most one over $eps N lambda / S$, so at most $1/c$.",
    read=Compare((1 - exp(-x)) / x, "<=", 1 / x),
)

small_ratio = at("sec6_2.small_ratio", "section 6.2, Approximation error, second paragraph").claim(
    "A small $eps/S$ makes Assumption 3 hold",
    "With $eps/S$ small enough, here as minibatches grow, discretisation is negligible.",
    of="sgd",
    given=(A4,),
    read=Order(SIGMA_DISCRETE, "~", SIGMA_CONTINUOUS, growing(notation.S)),
)

redundant = chain("sec6_2.redundant_data", "section 6.2, last paragraph, Assumption 5 violated").claim(
    "Data with other noise are no easier",
    "The paper expects so, see sec6_2.assumptions_are_optimistic. Where the gradients' covariance is a"
    " multiple $rho$ of the curvature, would a sample cost no less?",
    given=(Equal(C, letter("rho") * A),),
    time="discrete",
    derived=A_PASS,
)
