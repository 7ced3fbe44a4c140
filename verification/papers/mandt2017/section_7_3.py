"""Section 7.3: the loss of Bayesian softmax regression, and its degenerate optimum.

Eq. 35 is written out for two features, two classes and two examples, one of each class; ``minus_log``
is made from the densities themselves.
"""

import sympy as sp

from verification.statements import Equal, Moves, at, exp, growing, letter, log, pi, sqrt, total

TWO = range(2)
lam = letter("lambda")
theta = [[letter(f"theta_{d}{k}", "real") for k in TWO] for d in TWO]  # feature, class
x = [[letter(f"x_{n}{d}", "real") for d in TWO] for n in TWO]  # example, feature
WEIGHTS = [w for row in theta for w in row]
score = [[total(x[n][d] * theta[d][k] for d in TWO) for k in TWO] for n in TWO]  # example n, class k
label = (0, 1)

penalty = lam / 2 * total(w**2 for w in WEIGHTS)
printed_prior = penalty - 2 * log(lam) + 2 * log(2 * pi)
normalisers = [log(total(exp(score[n][k]) for k in TWO)) for n in TWO]
hits = [score[n][label[n]] for n in TWO]

minus_log_prior = -total(log(sqrt(lam / (2 * pi)) * exp(-lam * w**2 / 2)) for w in WEIGHTS)
minus_log_likelihood = -total(
    log(exp(score[n][label[n]]) / total(exp(score[n][k]) for k in TWO)) for n in TWO
)
minus_log = minus_log_prior + minus_log_likelihood

eq35 = at("eq35", "Eq. 35, both terms of the second line under the sum").claim(
    "The negative log joint of softmax regression",
    "Normal priors and softmax likelihoods, as a sum of logarithms; each example gives two terms.",
    printed=Equal(
        printed_prior + total(a - h for a, h in zip(normalisers, hits, strict=True)), minus_log
    ),
    scope="two features, classes and examples",
)

eq35_as_parenthesised = at("eq35.as_parenthesised", "Eq. 35, the sum over the first term alone").claim(
    "The sum ends before the last term",
    "Without brackets the last term is outside of the sum, here that of the last example.",
    read=Equal(printed_prior + total(normalisers) - hits[-1], minus_log),
    scope="two features, classes and examples, of classes 1 and 2",
)

prior = at("eq35.prior", "Eq. 35, first line").claim(
    "The normal prior",
    "The first line is the negative logarithm of independent normal densities of precision $lambda$.",
    derived=Equal(printed_prior, minus_log_prior),
    scope="two features and classes",
)

lam, s = sp.symbols("lambda s", positive=True)
DK, K, N = sp.symbols("DK K N", positive=True, integer=True)  # weights, classes, examples

# at theta = 0 every class has probability 1/K
AT_ZERO = -DK / 2 * sp.log(lam) + DK / 2 * sp.log(2 * sp.pi) + N * sp.log(K)

degenerate_maximizer = at("sec7_3.degenerate_maximizer", "section 7.3, after Eq. 35").claim(
    "Eq. 35 has a degenerate maximiser",
    "Eq. 35, a loss, with $DK$ weights, is said to become largest at $theta = 0$ as $lambda$ grows"
    " beyond all bounds.",
    read=Moves(AT_ZERO, "grows", growing(lam)),
)

infinite_density = at("sec7_3.infinite_density", "section 7.3, after Eq. 35").claim(
    "The density grows beyond all bounds there",
    "At $theta = 0$ the log joint density grows without end as $lambda$ does.",
    read=Moves(-AT_ZERO, "grows", growing(lam)),
)

# the likelihood's part is never negative, so Eq. 35 lies above this with all weights equal to s
FROM_BELOW = lam / 2 * DK * s**2 - DK / 2 * sp.log(lam) + DK / 2 * sp.log(2 * sp.pi)

maximizing = at("sec7_3.maximizing", "section 7.3, on Fig. 6").claim(
    "Eq. 35 is maximised over the weights",
    "A maximum needs Eq. 35 to fall for large weights; already its prior part grows, with all of the"
    " $DK$ weights equal to $s$, and the other part is never negative.",
    read=Moves(FROM_BELOW, "shrinks", growing(s)),
)

fig6 = at("fig6", "Fig. 6").picture(
    "Validation loss against the regulariser",
    "A curve over $lambda$, and where two methods put $lambda$, for two data sets.",
)

similar_results = at("sec7_3.similar_results", "section 7.3, end").picture(
    "Constant SGD and BBVI do alike",
    "By Figure 6 constant SGD is called an inexpensive alternative to cross-validation.",
)
