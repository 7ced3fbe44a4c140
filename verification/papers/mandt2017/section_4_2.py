"""Section 4.2: hyperparameters by constant SGD, as variational EM.

In Eq. 22 neither gradient has a hat, and the loss is a sum where Theorem 1 has a mean. Both are encoded
as printed. The updates are judged where all is known: a normal posterior with precision N A, a normal
prior whose precision lambda is sought, and the law that constant SGD really has.
"""

import sympy as sp

from sgtheory.notation.matrixwords import Determinant
from verification.claims.base import Printed
from verification.claims.decreasing import Arrives, DecreasingRate
from verification.claims.definition import Definition, NotMathematical
from verification.claims.stable import Settles, Stable
from verification.notation import A, C, D, N, S, Sigma, eps, trace
from verification.papers.mandt2017.hypotheses import CONVEX, FULL_RANK, USUAL
from verification.statements import Equal, InLaw, claim
from verification.terms.gaussians import Divergence, MeanLogDensity
from verification.terms.kinds import PARAMETER, number
from verification.terms.stochastic import GRADIENT, After, Row, theta

DATA = sp.Symbol("data", positive=True)  # what y is measured in
NAMES = ("p(y,theta)", "p(y|theta)", "p(theta)", "p(y)", "dtheta", "L", "lambda", "log_p(y)")
joint, likelihood, prior, marginal, volume, L, lam, evidence = (
    sp.Symbol(name, positive=True) for name in NAMES
)
V = sp.Symbol("V", commutative=False)
noise = sp.Symbol("BB^T", positive=True)  # the gradient noise of one example, in one dimension
POSTERIOR = (N * A) ** -1
BEST_RATE = 2 * S / N * D / trace(C)

factorisation = Definition(
    "sec4_2.factorisation",
    at="section 4.2, first sentence",
    title="Likelihood times prior",
    says="The joint density is a likelihood without the hyperparameter times a prior that has it.",
    printed=(Printed(joint, likelihood * prior),),
    declared=(
        (joint, number(1 / (DATA * PARAMETER))),
        (likelihood, number(1 / DATA)),
        (prior, number(1 / PARAMETER)),
    ),
)

overfitting = NotMathematical(
    "sec4_2.overfitting",
    at="section 4.2, on joint point estimates",
    title="Joint point estimates overfit",
    says="Following the gradients of the log joint is said to overfit; for Eq. 35 see section 7.3.",
    because="opinion",
)

empirical_bayes = Definition(
    "sec4_2.empirical_bayes",
    at="section 4.2, first display",
    title="Empirical Bayes",
    says="The best hyperparameter maximises the joint density integrated over theta.",
    printed=(Printed(marginal, joint * volume),),
    declared=(
        (marginal, number(1 / DATA)),
        (joint, number(1 / (DATA * PARAMETER))),
        (volume, number(PARAMETER)),
    ),
)

lower_bound = claim(
    "sec4_2.lower_bound",
    at="section 4.2, on variational EM",
    title="How far the bound is below the log marginal",
    says="The log marginal likelihood exceeds the bound by KL(q || posterior), which is never negative.",
    read=Equal(
        evidence - (MeanLogDensity(POSTERIOR, "f", V, "q") + evidence - MeanLogDensity(V, "q", V, "q")),
        Divergence(V, "q", POSTERIOR, "f"),
    ),
)

expected_log_joint = claim(
    "sec4_2.expected_log_joint",
    at="section 4.2, on variational EM",
    title="The bound's part that has the hyperparameter",
    says="Over lambda the bound is the expected log joint: the entropy of q does not change with it.",
    read=Equal(
        D / 2 * sp.log(lam) - lam / 2 * trace(V) + sp.log(Determinant(V)) / 2,
        D / 2 * sp.log(lam) - lam / 2 * trace(V),
        constant_in=(lam,),
    ),
)

loss = Definition(
    "sec4_2.loss",
    at="section 4.2, before Eq. 22",
    title="The loss is the negative log joint",
    says="Of the data as a whole: N times the mean loss of Eq. 2.",
    printed=(Printed(L, -sp.log(joint * DATA * PARAMETER)),),
    declared=(
        (L, number()),
        (joint, number(1 / (DATA * PARAMETER))),
        (DATA, number(DATA)),
        (PARAMETER, number(PARAMETER)),
    ),
)

as_printed = claim(
    "eq22.without_noise",
    at="Eq. 22, first update, as printed",
    title="The gradients have no hats",
    says="The update of theta is meant to be a step of constant SGD, but follows the full gradient.",
    of="sgd",
    given=USUAL,
    printed=InLaw(Row(After(theta), theta - eps * GRADIENT)),
    time="discrete",
)

rate_for_sums = Stable(
    "eq22.rate_for_the_sum",
    at="Eq. 22, first update",
    stands="derived",
    title="Theorem 1's rate on a loss that is a sum",
    says="A step of length eps* down the summed loss is one of N eps* down the mean loss.",
    of="sgd",
    printed=(Settles(theta, sp.Integer(0)),),
    sets=((eps, N * (2 * S / (N * noise))),),
    kinds=(("S", "count"),),
    time="discrete",
)

fixed_point = claim(
    "eq22.fixed_point",
    at="Eq. 22 and after it",
    title="The hyperparameter settles at the empirical Bayes optimum",
    says="E|theta|^2 under SGD's law, which fixes lambda, is that under the posterior.",
    of="sgd",
    given=(*USUAL, CONVEX, FULL_RANK),
    derived=Equal(trace(Sigma), trace(A**-1) / N),
    sets=((eps, BEST_RATE),),
    kinds=(("B", "positive definite"),),
)

decreasing_rate = DecreasingRate(
    "eq22.decreasing_rate",
    at="Eq. 22, second update, and after it",
    stands="read",
    title="A decreasing rate takes lambda to its optimum",
    says="Because rho_t decreases, the updates of lambda converge to a local optimum.",
    printed=(Arrives(lam, sp.Symbol("lambda^*")),),
)

cross_validation = NotMathematical(
    "sec4_2.cross_validation",
    at="section 4.2, end",
    title="A cheap alternative to cross-validation",
    says="What is cheap enough is a judgement; the experiments are those of section 7.3.",
    because="opinion",
)
