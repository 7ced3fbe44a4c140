"""The abstract: what it announces, in numbers."""

import sympy as sp

from verification.notation import N
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.statements import Order, at, growing
from verification.theories.distances import EQUAL, QUADRATIC, TARGET, W2, law

p, rate = sp.symbols("p rate", positive=True)

practice = at("abstract.practice", "abstract").opinion(
    "Steps inversely proportional to N are usual",
    "That the step is set inversely proportional to the number of examples is called current practice.",
)

departs = at("abstract.sgld_departs", "abstract").claim(
    "The law of SGLD departs from the target",
    "With a step eta/N the invariant law of SGLD stays at a distance from the posterior as N grows"
    " (read for linear regression).",
    given=(QUADRATIC,),
    read=Order(W2(law("sgld"), TARGET), "Omega", 1, STEPS),
)

like_sgd = at("abstract.like_sgd", "abstract").claim(
    "SGLD behaves like SGD",
    "The invariant laws of SGLD and of SGD come close to each other as N grows.",
    read=Order(W2(law("sgld"), law("sgd")), "O", ROOT_N, STEPS),
)

variance = at("abstract.due_to_variance", "abstract").claim(
    "The difference is due to the noise of gradients",
    "Where examples have one gradient at the mode SGLD does come close to the target (read"
    " for linear"
    " regression).",
    given=(QUADRATIC, EQUAL),
    read=Order(W2(law("sgld"), TARGET), "O", ROOT_N, STEPS),
)

comparable = at("abstract.sgldfp_like_lmc", "abstract").claim(
    "SGLDFP is as accurate as LMC",
    "The invariant law of SGLDFP is N^(-1/2) from the posterior, which is what LMC has.",
    read=Order(W2(law("sgldfp"), TARGET), "O", ROOT_N, STEPS),
)

sublinear = at("abstract.sublinear", "abstract").claim(
    "The cost of SGLDFP is sublinear in N",
    "Minibatches of p examples over log(N)/rate steps, after which a squared distance that"
    " falls by a"
    " factor exp(-rate) a step has fallen to one N-th of what it was, cost at most of the order"
    " of sqrt(N)"
    " gradients.",
    read=Order(p * sp.log(N) / rate, "O", sp.sqrt(N), growing(N)),
)
