"""The abstract and Section 1: what is ascribed to others, and the contributions in advance."""

import sympy as sp

from verification.notation import N, S
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.statements import Equal, Order, at, growing
from verification.terms.batchwords import Average, BatchAverage, Expectation, numbers
from verification.theories.distances import EQUAL, QUADRATIC, TARGET, W2, law
from verification.theories.minibatches.drawing import WITH, Drawn

p, rate, d, h, n = sp.symbols("p rate d h n", positive=True)

practice = at("abstract.practice", "abstract").opinion(
    "Steps inversely proportional to $N$ are usual",
    "That the step is set inversely proportional to the number of examples is called current practice.",
)

regression = at.within("linear regression")
departs = regression("abstract.sgld_departs", "abstract").claim(
    "The law of SGLD departs from the target",
    "With a step $eta/N$ the invariant law of SGLD stays at a distance from the posterior as $N$ grows.",
    given=(QUADRATIC,),
    read=Order(W2(law("sgld"), TARGET), "Omega", 1, STEPS),
)

like_sgd = at("abstract.like_sgd", "abstract").claim(
    "SGLD behaves like SGD",
    "The invariant laws of SGLD and of SGD come close to each other as $N$ grows.",
    read=Order(W2(law("sgld"), law("sgd")), "O", ROOT_N, STEPS),
)

variance = regression("abstract.due_to_variance", "abstract").claim(
    "The difference is due to the noise of gradients",
    "Where examples have one gradient at the mode SGLD does come close to the target.",
    given=(QUADRATIC, EQUAL),
    read=Order(W2(law("sgld"), TARGET), "O", ROOT_N, STEPS),
)

comparable = at("abstract.sgldfp_like_lmc", "abstract").claim(
    "SGLDFP is as accurate as LMC",
    "The invariant law of SGLDFP is $N^(-1/2)$ from the posterior, which is what LMC has.",
    read=Order(W2(law("sgldfp"), TARGET), "O", ROOT_N, STEPS),
)

sublinear = at("abstract.sublinear", "abstract").claim(
    "The cost of SGLDFP is sublinear in $N$",
    "Minibatches of $p$ examples over $log(N)$/rate steps, after which a squared distance that falls by"
    " a factor exp(-rate) a step has fallen to one $N$-th of what it was, cost a vanishing share of $N$"
    " gradients.",
    read=Order(p * sp.log(N) / rate, "o", N, growing(N)),
)

g = numbers("g")

costs = at("sec1.metropolis_costs", "section 1, first paragraph").claim(
    "What Metropolis-Hastings costs at large $N$",
    "A gradient and two likelihoods of $N$ examples take operations in proportion to $N$.",
    read=Order(3 * N * d + 3 * d, "Theta", N, growing(N)),
)

BEST = n ** sp.Rational(-1, 3)
decreasing = at("sec1.decreasing_steps", "section 1, third paragraph").claim(
    "SGLD with decreasing steps converges at the rate $n^(-1/3)$",
    "The best rate: with a bias of the order of the step $h$, and a deviation of that of $(n h)^(-1/2)$,"
    " steps of $n^(-1/3)$ leave errors of $n^(-1/3)$.",
    read=Order(
        h + (n * h) ** sp.Rational(-1, 2),
        "Theta",
        n ** sp.Rational(-1, 3),
        growing(n, (h, n ** sp.Rational(-1, 3))),
    ),
)

minibatch_size = at("sec1.minibatch_size", "section 1, third paragraph").claim(
    "The minibatch's size controls the variance",
    "Drawn with replacement, $p$ examples give a gradient whose variance is that of one, over $p$.",
    given=(Drawn((), WITH),),
    read=Equal(
        Expectation((N * BatchAverage(g) - N * Average(g)) ** 2),
        N**2 / S * Average((g - Average(g)) ** 2),
    ),
)

no_gain = at("sec1.sgld_does_not_gain", "section 1, third paragraph").attribution(
    "At a given precision SGLD is not cheaper than LMC",
    "That plain SGLD does not improve over LMC at a given precision is ascribed to three papers.",
)

fixed_point = at("sec1.control_variates", "section 1, fourth paragraph").attribution(
    "Bounds and costs of SGLDFP in the literature",
    "Bounds on SGLDFP and a cost that is sublinear after preprocessing are ascribed to two papers.",
)

lmc_closer = at("sec1.lmc_comes_closer", "section 1, main contribution").claim(
    "LMC comes closer to the posterior as $N$ grows",
    "The distance of LMC's invariant law from the posterior vanishes with $N$, like $N^(-1/2)$.",
    read=Order(W2(law("lmc"), TARGET), "O", ROOT_N, STEPS),
)

sgldfp_closer = at("sec1.sgldfp_comes_closer", "section 1, main contribution").claim(
    "SGLDFP comes closer to the posterior as $N$ grows",
    "The distance of SGLDFP's invariant law from the posterior vanishes with $N$, like $N^(-1/2)$.",
    read=Order(W2(law("sgldfp"), TARGET), "O", ROOT_N, STEPS),
)

never = regression("sec1.sgld_never_close", "section 1, main contribution").claim(
    "SGLD never comes close to the posterior",
    "Its invariant law stays at a distance that does not vanish with $N$.",
    given=(QUADRATIC,),
    read=Order(W2(law("sgld"), TARGET), "Omega", 1, STEPS),
)

similar = at("sec1.sgld_similar_to_sgd", "section 1, main contribution").claim(
    "SGLD is very similar to SGD",
    "The distance of their invariant laws vanishes with $N$, like $N^(-1/2)$.",
    read=Order(W2(law("sgld"), law("sgd")), "O", ROOT_N, STEPS),
)
