"""Section 1: what is ascribed to others, and the main contribution in advance."""

from verification.claims.definition import NotMathematical
from verification.notation import N, S
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.statements import Equal, Order, claim
from verification.terms.batchwords import Average, BatchAverage, Expectation, numbers
from verification.theories.distances import QUADRATIC, TARGET, W2, law
from verification.theories.minibatches.drawing import WITH, Drawn

g = numbers("g")

costs = NotMathematical(
    "sec1.metropolis_costs",
    at="section 1, first paragraph",
    title="What Metropolis-Hastings costs at large N",
    says="Proposals and acceptance steps are said to cost the more the more examples there are.",
    because="timing",
)

decreasing = NotMathematical(
    "sec1.decreasing_steps",
    at="section 1, third paragraph",
    title="SGLD with decreasing steps converges at the rate n^(-1/3)",
    says="Weak convergence and the best rate n^(-1/3) are ascribed to Teh, Thiery and Vollmer.",
    because="attribution",
)

minibatch_size = claim(
    "sec1.minibatch_size",
    at="section 1, third paragraph",
    title="The minibatch's size controls the variance",
    says="Drawn with replacement, p examples give a gradient whose variance is that of one, over p.",
    given=(Drawn((), WITH),),
    read=Equal(
        Expectation((N * BatchAverage(g) - N * Average(g)) ** 2),
        N**2 / S * Average((g - Average(g)) ** 2),
    ),
)

no_gain = NotMathematical(
    "sec1.sgld_does_not_gain",
    at="section 1, third paragraph",
    title="At a given precision SGLD is not cheaper than LMC",
    says="That plain SGLD does not improve over LMC at a given precision is ascribed to three papers.",
    because="attribution",
)

fixed_point = NotMathematical(
    "sec1.control_variates",
    at="section 1, fourth paragraph",
    title="Bounds and costs of SGLDFP in the literature",
    says="Bounds on SGLDFP and a cost that is sublinear after preprocessing are ascribed to two papers.",
    because="attribution",
)

lmc_closer = claim(
    "sec1.lmc_comes_closer",
    at="section 1, main contribution",
    title="LMC comes closer to the posterior as N grows",
    says="The distance of LMC's invariant law from the posterior vanishes with N, like N^(-1/2).",
    read=Order(W2(law("lmc"), TARGET), "O", ROOT_N, STEPS),
)

sgldfp_closer = claim(
    "sec1.sgldfp_comes_closer",
    at="section 1, main contribution",
    title="SGLDFP comes closer to the posterior as N grows",
    says="The distance of SGLDFP's invariant law from the posterior vanishes with N, like N^(-1/2).",
    read=Order(W2(law("sgldfp"), TARGET), "O", ROOT_N, STEPS),
)

never = claim(
    "sec1.sgld_never_close",
    at="section 1, main contribution",
    title="SGLD never comes close to the posterior",
    says="Its invariant law stays at a distance that does not vanish with N (read for linear"
    " regression).",
    given=(QUADRATIC,),
    read=Order(W2(law("sgld"), TARGET), "Omega", 1, STEPS),
)

similar = claim(
    "sec1.sgld_similar_to_sgd",
    at="section 1, main contribution",
    title="SGLD is very similar to SGD",
    says="The distance of their invariant laws vanishes with N, like N^(-1/2).",
    read=Order(W2(law("sgld"), law("sgd")), "O", ROOT_N, STEPS),
)
