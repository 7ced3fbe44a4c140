"""Section 4.2: hyperparameters by constant SGD, as variational EM.

In Eq. 22 neither gradient has a hat, and the loss is a sum where Theorem 1 has a mean. Both are encoded
as printed. The updates are judged where all is known: a normal posterior with precision N A, a normal
prior whose precision lambda is sought, and the law that constant SGD really has."""

import sympy as sp

from sgtheory.notation.matrixwords import Determinant
from verification.notation import A, C, D, N, S, Sigma, eps, trace
from verification.papers.mandt2017 import section_7_3
from verification.papers.mandt2017.hypotheses import A1, A2, A4, CONVEX, full_rank
from verification.papers.mandt2017.letters import falling, reaches
from verification.statements import (
    Assumption,
    Equal,
    InLaw,
    Printed,
    Section,
    Stable,
    at,
    growing,
    letter,
    sequences,
    term,
)
from verification.terms.batchwords import Average, BatchAverage, First, Inner, Online, columns
from verification.terms.gaussians import Divergence, MeanLogDensity
from verification.terms.kinds import PARAMETER, number
from verification.terms.stochastic import GRADIENT, After, Row, theta

DATA = sp.Symbol("data", positive=True)  # what y is measured in
NAMES = ("p(y,theta|x,lambda)", "p(y|x,theta)", "p(theta|lambda)", "p(y|x,lambda)", "theta", "L")
joint, likelihood, prior, marginal, parameter, L = (sp.Symbol(name, positive=True) for name in NAMES)
lam, evidence = sp.Symbol("lambda", positive=True), letter("log_p", "real")
V = sp.Symbol("V", commutative=False)
noise = sp.Symbol("BB^T", positive=True)  # the gradient noise of one example, in one dimension
POSTERIOR = (N * A) ** -1
BEST_RATE = 2 * S / N * D / trace(C)

# what densities are measured in
density = Section(
    kinds={
        joint: number(1 / (DATA * PARAMETER)),
        marginal: number(1 / DATA),
        likelihood: number(1 / DATA),
        prior: number(1 / PARAMETER),
        parameter: number(PARAMETER),
    }
)

factorisation = density("sec4_2.factorisation", "section 4.2, first sentence").definition(
    "Likelihood times prior",
    "The joint density is a likelihood without the hyperparameter times a prior that has it.",
    Printed(joint, likelihood * prior),
)

overfitting = at("sec4_2.overfitting", "section 4.2, on joint point estimates").again(
    section_7_3.infinite_density,
    "Joint point estimates degenerate",
    "Read as: the log joint is unbounded, so that it has no largest value; that of Eq. 35 grows without"
    " end with $lambda$ at $theta = 0$.",
)

empirical_bayes = density("sec4_2.empirical_bayes", "section 4.2, first display").definition(
    "Empirical Bayes",
    "The best hyperparameter $lambda$ maximises the logarithm of this: the joint density integrated"
    " over $theta$.",
    Printed(marginal, sp.Integral(joint, parameter)),
)

# the mean of the log joint, which is log f and the log marginal, less that of log q
BOUND = term(MeanLogDensity(POSTERIOR, "f", V, "q")) + evidence - MeanLogDensity(V, "q", V, "q")

lower_bound = at("sec4_2.lower_bound", "section 4.2, on variational EM").claim(
    "How far the bound is below the log marginal",
    "The log marginal likelihood exceeds the bound by KL($q$ || posterior), which is never negative.",
    read=Equal(evidence - BOUND, Divergence(V, "q", POSTERIOR, "f")),
    scope="normal laws",
)

expected_log_joint = at("sec4_2.expected_log_joint", "section 4.2, on variational EM").claim(
    "The bound's part that has the hyperparameter",
    "Over $lambda$ the bound is the expected log joint: the entropy of $q$ does not change with it.",
    read=Equal(
        D / 2 * sp.log(lam) - lam / 2 * trace(V) + sp.log(Determinant(V)) / 2,
        D / 2 * sp.log(lam) - lam / 2 * trace(V),
        constant_in=(lam,),
    ),
    scope="a normal prior",
)

loss = at("sec4_2.loss", "section 4.2, before Eq. 22").definition(
    "The loss is the negative log joint",
    "Of the data as a whole: $N$ times the mean loss of Eq. 2. Densities are numbers here, in some units"
    " of data and parameters.",
    Printed(L, -sp.log(joint)),
    kinds={L: number(), joint: number()},
)

as_printed = at("eq22.without_noise", "Eq. 22, first update, as printed").claim(
    "The gradients have no hats",
    "The update of $theta$ is meant to be a step of constant SGD, but follows the full gradient.",
    of="sgd",
    given=(A1, A2, A4),
    read=InLaw(Row(After(theta), theta - eps * GRADIENT)),
    time="discrete",
)

rate_for_sums = at("eq22.rate_for_the_sum", "Eq. 22, first update").claim(
    "Theorem 1's rate on a loss that is a sum",
    "With Eq. 15's rate on the summed loss, which is one of $2 S/(B B^T)$ on the mean loss, the chain"
    " settles.",
    of="sgd",
    given=(A4, CONVEX),
    derived=Stable(),
    sets=((eps, N * (2 * S / (N * noise))),),
    kinds=(("S", "count"),),
    time="discrete",
    scope="one dimension",
)

fixed_point = full_rank("eq22.fixed_point", "Eq. 22 and after it").claim(
    "The hyperparameter settles at the empirical Bayes optimum",
    "$E$|$theta$|^2 under SGD's law, which fixes $lambda$, is that under the posterior.",
    derived=Equal(trace(Sigma), trace(A**-1) / N),
    sets=((eps, BEST_RATE),),
    kinds=(("B", "positive definite"),),
    scope="a normal prior",
)

(precision,) = sequences("lambda")
decreasing_rate = at("eq22.decreasing_rate", "Eq. 22, second update, and after it").claim(
    "A decreasing rate takes $lambda$ to its optimum",
    "Because $rho_t$ decreases, the updates of $lambda$ converge to a local optimum.",
    given=falling(precision),
    read=reaches(precision),
    scope="a quadratic bound",
)

cross_validation = at("sec4_2.cross_validation", "section 4.2, end").opinion(
    "A cheap alternative to cross-validation",
    "What is cheap enough is a judgement; the experiments are those of section 7.3.",
)

g = columns("g")  # the gradient of one example's loss
DEVIATION, CENTRED = First(g) - BatchAverage(g), g - Average(g)

rate_online = at("sec4_2.rate_online", "section 4.2, after Eq. 22").claim(
    "The best rate can be estimated online",
    "The trace in Eq. 15 is taken from the online estimate of Eq. 21.",
    given=(Assumption("the iterate stays where it is, so that $C$ does not change"),),
    read=Equal(
        Online(Inner(DEVIATION, DEVIATION)), Average(Inner(CENTRED, CENTRED)), approached=growing(S)
    ),
    scope="an iterate that stays",
)
