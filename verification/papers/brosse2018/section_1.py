"""The abstract and Section 1: what is ascribed to others, and the contributions in advance."""

import sympy as sp

from verification.notation import N, S
from verification.papers.brosse2018 import section_3_1
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.papers.brosse2018.section_3_1_regression import SETTLED, linear
from verification.statements import Assumption, Equal, Order, Section, at, growing
from verification.terms.batchwords import Average, BatchAverage, Expectation, numbers
from verification.theories.distances import EQUAL, TARGET, W2, law
from verification.theories.minibatches.drawing import WITH, Drawn

p, rate, d, h, n = sp.symbols("p rate d h n", positive=True)

practice = at("abstract.practice", "abstract").opinion(
    "Steps inversely proportional to $N$ are usual",
    "That the step is set inversely proportional to the number of examples is called current practice.",
)

regression = linear.within("linear regression")
departs = regression("abstract.sgld_departs", "abstract").claim(
    "The law of SGLD departs from the target",
    "With a step $eta/N$ the invariant law of SGLD stays at a distance from the posterior as $N$ grows.",
    given=SETTLED,
    read=Order(W2(law("sgld"), TARGET), "Omega", 1, STEPS),
)

like_sgd = at("abstract.like_sgd", "abstract").again(
    section_3_1.cor3_ii_invariant, "SGLD behaves like SGD"
)

variance = regression("abstract.due_to_variance", "abstract").claim(
    "The difference is due to the noise of gradients",
    "Where examples have one gradient at the mode SGLD does come close to the target.",
    given=(*SETTLED, EQUAL),
    read=Order(W2(law("sgld"), TARGET), "O", ROOT_N, STEPS),
)

comparable = section_3_1.grows("abstract.sgldfp_like_lmc", "abstract").claim(
    "SGLDFP is as accurate as LMC",
    "The invariant law of SGLDFP is $N^(-1/2)$ from the posterior, which is what LMC has.",
    read=Order(W2(law("sgldfp"), TARGET), "O", ROOT_N, STEPS),
)

sublinear = at("abstract.sublinear", "abstract").claim(
    "After preprocessing the cost of SGLDFP is sublinear in $N$",
    "The mode and the gradients there cost order $N$, once. Minibatches of $p$ examples over"
    " $log(N)$/rate steps, after which a squared distance that falls by"
    " a factor exp(-rate) a step has fallen to one $N$-th of what it was, cost a vanishing share of $N$"
    " gradients.",
    given=(Assumption("$gamma = eta/N$, $m/N$ above zero: the rate does not depend on $N$"),),
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
    "With a bias of the order of the step $h$, and a deviation of that of $(n h)^(-1/2)$, steps of"
    " $n^(-1/3)$ leave errors of $n^(-1/3)$ (that no others leave less is not shown here).",
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

CONTRIBUTION = Section(at="section 1, main contribution")
lmc_closer = CONTRIBUTION("sec1.lmc_comes_closer").again(
    section_3_1.cor3_i_target, "LMC comes closer to the posterior as $N$ grows"
)
sgldfp_closer = CONTRIBUTION("sec1.sgldfp_comes_closer").again(
    comparable, "SGLDFP comes closer to the posterior as $N$ grows"
)
never = CONTRIBUTION("sec1.sgld_never_close").again(departs, "SGLD never comes close to the posterior")
similar = CONTRIBUTION("sec1.sgld_similar_to_sgd").again(like_sgd, "SGLD is very similar to SGD")
