"""Section 4, the covertype data: variances of stochastic gradients, and test likelihoods."""

from verification.claims.definition import NotMathematical
from verification.notation import N, S
from verification.papers.brosse2018.letters import STEPS
from verification.papers.brosse2018.section_3_2_hypotheses import SIXTH, each
from verification.statements import Equal, claim, letter, term
from verification.terms.batchwords import Average, BatchAverage, Expectation, columns, outer
from verification.theories.invariants import gradient_noise
from verification.theories.minibatches.drawing import REPLACED

AT = "section 4, covertype data"
g = columns("g")
largest = letter("Ltilde")

data = NotMathematical(
    "sec4.covertype",
    at=AT,
    title="Logistic regression on covertype, without LMC",
    says="Training sets of 10^3, 10^4 and 10^5 examples; LMC is left out because of its cost.",
    because="attribution",
)

covertype_step = claim(
    "sec4.covertype_step",
    at=f"{AT}, the step, against Corollary 3",
    title="The step 1/N is one that the results admit",
    says="With gamma = 1/N eta is 1; Corollary 3 asks for eta at most 1/(2 L~), and L~ is at least 1,"
    " the prior's.",
    derived=term(1) <= 1 / (2 * largest),
    numbers={largest: "1"},
)

gradient_at_a_point = claim(
    "sec4.gradient_variance",
    at=f"{AT}, on Figure 3",
    title="At a given point the variance is N^2 times that of a mean",
    says="N times a minibatch's mean gradient has N^2/p times the covariance of the examples' gradients,"
    " for SGD, SGLD and, with differences for gradients, SGLDFP alike (p is written S).",
    given=(REPLACED,),
    derived=Equal(
        N**2 * Expectation(outer(BatchAverage(g) - Average(g))),
        N**2 / S * Average(outer(g - Average(g))),
    ),
)

gradient_sgld = claim(
    "sec4.gradient_variance_sgld_sgd",
    at=f"{AT}, on Figure 3",
    title="Along SGLD and SGD the variance grows as N^2",
    says="In the invariant laws the variance of the stochastic gradient is Theta(N^2).",
    given=SIXTH,
    read=each(gradient_noise, "Theta", N**2, STEPS, "sgld", "sgd"),
)

gradient_fp = claim(
    "sec4.gradient_variance_fp",
    at=f"{AT}, on Figure 3",
    title="Along SGLDFP the variance grows as N",
    says="In the invariant law of SGLDFP the variance of the stochastic gradient is Theta(N).",
    given=SIXTH,
    read=each(gradient_noise, "Theta", N, STEPS, "sgldfp"),
)

fig3 = NotMathematical(
    "fig3",
    at="Figure 3",
    title="Variances of stochastic gradients against N",
    says="The slopes are 2 for SGD and SGLD, and 1 for SGLDFP.",
    because="picture",
)

fig4 = NotMathematical(
    "fig4",
    at="Figure 4, and the text on it",
    title="Test likelihoods along the iterations",
    says="For large N SGLD and SGD are alike, and not as good as SGLDFP.",
    because="picture",
)
