"""The abstract: what it announces, in numbers."""

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.notation import N
from verification.papers.brosse2018.letters import ROOT_N, STEPS
from verification.statements import Order, claim, growing
from verification.theories.distances import EQUAL, QUADRATIC, TARGET, W2, law

p, rate = sp.symbols("p rate", positive=True)

practice = NotMathematical(
    "abstract.practice",
    at="abstract",
    title="Steps inversely proportional to N are usual",
    says="That the step is set inversely proportional to the number of examples is called"
    " current practice.",
    because="opinion",
)

departs = claim(
    "abstract.sgld_departs",
    at="abstract",
    title="The law of SGLD departs from the target",
    says="With a step eta/N the invariant law of SGLD stays at a distance from the posterior as N grows"
    " (read for linear regression).",
    given=(QUADRATIC,),
    read=Order(W2(law("sgld"), TARGET), "Omega", 1, STEPS),
)

like_sgd = claim(
    "abstract.like_sgd",
    at="abstract",
    title="SGLD behaves like SGD",
    says="The invariant laws of SGLD and of SGD come close to each other as N grows.",
    read=Order(W2(law("sgld"), law("sgd")), "O", ROOT_N, STEPS),
)

variance = claim(
    "abstract.due_to_variance",
    at="abstract",
    title="The difference is due to the noise of gradients",
    says="Where examples have one gradient at the mode SGLD does come close to the target (read"
    " for linear"
    " regression).",
    given=(QUADRATIC, EQUAL),
    read=Order(W2(law("sgld"), TARGET), "O", ROOT_N, STEPS),
)

comparable = claim(
    "abstract.sgldfp_like_lmc",
    at="abstract",
    title="SGLDFP is as accurate as LMC",
    says="The invariant law of SGLDFP is N^(-1/2) from the posterior, which is what LMC has.",
    read=Order(W2(law("sgldfp"), TARGET), "O", ROOT_N, STEPS),
)

sublinear = claim(
    "abstract.sublinear",
    at="abstract",
    title="The cost of SGLDFP is sublinear in N",
    says="Minibatches of p examples over log(N)/rate steps, after which a squared distance that"
    " falls by a"
    " factor exp(-rate) a step has fallen to one N-th of what it was, cost at most of the order"
    " of sqrt(N)"
    " gradients.",
    read=Order(p * sp.log(N) / rate, "O", sp.sqrt(N), growing(N)),
)
