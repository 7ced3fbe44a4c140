"""Section 6.2: iterate averaging over windows as a sampler; its assumption and its algorithm.

Equations 32 to 34 and the remarks around them are in ``section_6_2_window``, costs and step sizes in
``section_6_2_efficiency``.
"""

from verification import notation
from verification.claims.base import Printed
from verification.claims.best_window import BestWindow
from verification.claims.best_window import T as window
from verification.claims.definition import NotMathematical
from verification.claims.wellspecified import WellSpecified
from verification.papers.mandt2017.hypotheses import A5 as WELL_SPECIFIED
from verification.papers.mandt2017.hypotheses import CONVEX, USUAL
from verification.papers.mandt2017.window_hypotheses import A5
from verification.statements import All, Compare, Equal, claim, letters
from verification.terms.notation import A, H, I, N, S, Sigma, eps
from verification.theories.time.words import averaged, long_run, remembered

T, k = letters("T k", "count")
ONE_PASS = ((N, S * T),)  # windows of N/S steps
GIVEN = (*USUAL, CONVEX, A5)
IN_WORDS = (*USUAL, CONVEX, WELL_SPECIFIED)  # for claims that are not in the language of statements

gradients_per_sample = claim(
    "sec6_2.gradients_per_sample",
    at="section 6.2, second paragraph, and section 1, contribution 5",
    title="N gradients per posterior sample",
    says="A mean of iterates is worth one posterior sample for every N gradients of one example.",
    of="sgd",
    given=GIVEN,
    read=Equal(S * N * A * long_run(), N * I),
)

independent_samples = claim(
    "sec6_2.gradients_per_independent_sample",
    at="section 6.2, second paragraph, with Theorem 2",
    title="Correlation time where SGD samples the posterior",
    says="With the gain of Theorem 2 an effectively independent sample takes N gradients.",
    of="sgd",
    given=(*GIVEN, Equal(H, 2 * S / (N * eps) * A**-1)),
    read=Equal(S * long_run(), N * Sigma),
)

without_replacement = claim(
    "sec6_2.gradients_per_sample_distinct",
    at="section 6.2, second paragraph, with section 3.1",
    title="N gradients, minibatches of distinct examples",
    says="The same count where the examples of a minibatch are drawn without replacement.",
    of="sgd",
    given=(*GIVEN, Compare(S, "<", N)),
    read=Equal((N - S) / (N - 1) * S * N * A * long_run(), N * I),
)

cramer_rao = claim(
    "sec6_2.cramer_rao",
    at="section 6.2, second paragraph",
    title="Averaging reaches the Cramer-Rao bound",
    says="Per gradient the mean of iterates has the inverse Fisher information for its covariance.",
    of="sgd",
    given=GIVEN,
    read=Equal(S * long_run(), A**-1),
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
    printed=(Printed(notation.A, notation.C),),
)

fisher_with_prior = WellSpecified(
    "sec6_2.fisher_is_hessian_with_prior",
    at="Assumption 5, with the prior of Eq. 3",
    title="The same with the prior in the loss",
    says="The agreement for the loss of Eq. 3, which has the prior in it.",
    printed=(Printed(notation.A, notation.C),),
    prior=True,
)

fisher_at_mode = WellSpecified(
    "sec6_2.fisher_is_hessian_at_mode",
    at="Assumption 5, with the noise of section 3.1 at the optimum",
    title="The same at the mode of the data",
    says="The agreement on average over data, with the noise taken where the chain is: at the mode.",
    printed=(Printed(notation.A, notation.C),),
    reading="expected",
)

fisher_of_data = WellSpecified(
    "sec6_2.fisher_is_hessian_of_data",
    at="Assumption 5, for the observed data",
    title="The same for the data at hand",
    says="The agreement for one data set that the model made.",
    printed=(Printed(notation.A, notation.C),),
    reading="data",
)

alg1_windows = claim(
    "alg1.windows",
    at="Algorithm 1, the line of the average",
    title="Which iterates a window averages",
    says="The windows use every iterate once: window k has those from k T - (T - 1) to k T, T of them;"
    " the first window begins with the first iterate, each other one where the one before has ended.",
    read=All(
        Equal(T - (T - 1), 1),
        Equal((k + 1) * T - (T - 1), k * T + 1),
        Equal(k * T - (k * T - (T - 1)) + 1, T),
    ),
)

alg1 = claim(
    "alg1",
    at="Algorithm 1",
    title="Means over one pass are posterior samples",
    says="The mean over N/S successive iterates has the posterior's covariance.",
    of="sgd",
    given=GIVEN,
    read=Equal(averaged(T), A**-1 / N),
    where=ONE_PASS,
)

alg1_independent = claim(
    "alg1.independent",
    at="Algorithm 1, output; section 6.2, Efficiency",
    title="Successive samples are independent",
    says="Means over two windows in succession are not correlated.",
    of="sgd",
    given=GIVEN,
    read=Equal(averaged(2 * T), averaged(T) / 2),
)

alg1_start = claim(
    "alg1.start",
    at="Algorithm 1, output",
    title="The first sample needs no burn-in",
    says="The first mean already has the law of the later ones, wherever the chain begins.",
    of="sgd",
    given=GIVEN,
    read=Equal(remembered(T), 0),
)

one_pass = BestWindow(
    "alg1.window_of_one_pass",
    at="Algorithm 1, input; before Eq. 34",
    stands="read",
    title="One pass is the window to choose",
    says="Of all windows that of N/S steps brings means closest to the posterior.",
    of="sgd",
    given=IN_WORDS,
    printed=(Printed(window, notation.N / notation.S),),
)

isotropic = claim(
    "sec6_2.isotropic",
    at="section 6.2, after Eq. 32",
    title="The law of SGD is isotropic",
    says="The variance of SGD is the same in all directions, whatever their curvature.",
    of="sgd",
    given=(*IN_WORDS, Equal(notation.C, notation.A)),
    read=Equal(Sigma, eps / (2 * S) * I),
)
