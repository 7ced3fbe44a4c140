"""Section 6.2: iterate averaging over windows as a sampler; its assumption and its algorithm.

Equations 32 to 34 and the remarks around them are in ``section_6_2_window``, costs and step sizes in
``section_6_2_efficiency``.
"""

from sgtheory.modepairs.pairs import LI
from verification.claims.along_mode import AlongMode
from verification.claims.base import Printed
from verification.claims.best_window import BestWindow
from verification.claims.definition import NotMathematical
from verification.claims.wellspecified import WellSpecified
from verification.claims.windows import Windows
from verification.laws.modechain import LONG_RUN, NEXT, START, VARIANCE, WINDOW, T
from verification.notation import A, C, N, S, Sigma, eps, identity
from verification.papers.mandt2017.hypotheses import A5, CONVEX, USUAL
from verification.statements import Equal, claim

ONE_PASS = ((N, S * T),)  # windows of N/S steps
GIVEN = (*USUAL, CONVEX, A5)

gradients_per_sample = AlongMode(
    "sec6_2.gradients_per_sample",
    at="section 6.2, second paragraph, and section 1, contribution 5",
    stands="read",
    title="N gradients per posterior sample",
    says="A mean of iterates is worth one posterior sample for every N gradients of one example.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(S * N * LI * LONG_RUN, N),),
)

independent_samples = AlongMode(
    "sec6_2.gradients_per_independent_sample",
    at="section 6.2, second paragraph, with Theorem 2",
    stands="read",
    title="Correlation time where SGD samples the posterior",
    says="With the gain of Theorem 2 an effectively independent sample takes N gradients.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(S * LONG_RUN / VARIANCE, N),),
    gain=2 * S / (N * LI),
    small=(N, "oo"),
)

without_replacement = AlongMode(
    "sec6_2.gradients_per_sample_distinct",
    at="section 6.2, second paragraph, with section 3.1",
    stands="read",
    title="N gradients, minibatches of distinct examples",
    says="The same count where the examples of a minibatch are drawn without replacement.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(S * N * LI * LONG_RUN, N),),
    distinct=True,
    small=(N, "oo"),
)

cramer_rao = AlongMode(
    "sec6_2.cramer_rao",
    at="section 6.2, second paragraph",
    stands="read",
    title="Averaging reaches the Cramer-Rao bound",
    says="Per gradient the mean of iterates has the inverse Fisher information for its covariance.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(S * LONG_RUN, 1 / LI),),
)

bernstein_von_mises = NotMathematical(
    "sec6_2.bernstein_von_mises",
    at="Assumption 5",
    title="The posterior is normal for much data",
    says="For so many data that the theorem of Bernstein and von Mises applies the posterior is normal.",
    because="attribution",
)

fisher = WellSpecified(
    "sec6_2.fisher_is_hessian",
    at="Assumption 5",
    title="Hessian and noise agree on the model's own data",
    says="On average over the model's data, at its parameter, the Hessian is the gradients' covariance.",
    printed=(Printed(A, C),),
)

fisher_with_prior = WellSpecified(
    "sec6_2.fisher_is_hessian_with_prior",
    at="Assumption 5, with the prior of Eq. 3",
    title="The same with the prior in the loss",
    says="The agreement for the loss of Eq. 3, which has the prior in it.",
    printed=(Printed(A, C),),
    prior=True,
)

fisher_at_mode = WellSpecified(
    "sec6_2.fisher_is_hessian_at_mode",
    at="Assumption 5, with the noise of section 3.1 at the optimum",
    title="The same at the mode of the data",
    says="The agreement on average over data, with the noise taken where the chain is: at the mode.",
    printed=(Printed(A, C),),
    reading="expected",
)

fisher_of_data = WellSpecified(
    "sec6_2.fisher_is_hessian_of_data",
    at="Assumption 5, for the observed data",
    title="The same for the data at hand",
    says="The agreement for one data set that the model made.",
    printed=(Printed(A, C),),
    reading="data",
)

alg1_windows = Windows(
    "alg1.windows",
    at="Algorithm 1, the line of the average",
    title="Which iterates a window averages",
    says="The windows of the algorithm use every iterate from the first to the last once.",
)

alg1 = AlongMode(
    "alg1",
    at="Algorithm 1",
    stands="read",
    title="Means over one pass are posterior samples",
    says="The mean over N/S successive iterates has the posterior's covariance.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(N * LI * WINDOW, 1),),
    where=ONE_PASS,
    small=(T, "oo"),
)

alg1_independent = AlongMode(
    "alg1.independent",
    at="Algorithm 1, output; section 6.2, Efficiency",
    stands="read",
    title="Successive samples are independent",
    says="Means over two windows in succession are not correlated.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(NEXT / WINDOW, 0),),
    where=ONE_PASS,
    small=(T, "oo"),
)

alg1_start = AlongMode(
    "alg1.start",
    at="Algorithm 1, output",
    stands="read",
    title="The first sample needs no burn-in",
    says="The first mean already has the law of the later ones, wherever the chain begins.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(START, 0),),
    where=ONE_PASS,
    small=(T, "oo"),
)

one_pass = BestWindow(
    "alg1.window_of_one_pass",
    at="Algorithm 1, input; before Eq. 34",
    stands="read",
    title="One pass is the window to choose",
    says="Of all windows that of N/S steps brings means closest to the posterior.",
    of="sgd",
    given=GIVEN,
    printed=(Printed(T, N / S),),
)

isotropic = claim(
    "sec6_2.isotropic",
    at="section 6.2, after Eq. 32",
    title="The law of SGD is isotropic",
    says="The variance of SGD is the same in all directions, whatever their curvature.",
    of="sgd",
    given=(*GIVEN, Equal(C, A)),
    read=Equal(Sigma, eps / (2 * S) * identity),
)
