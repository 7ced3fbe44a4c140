"""The abstract: what it announces, in numbers."""

import sympy as sp

from sgtheory.wasserstein import DIFFUSION
from verification.claims.definition import NotMathematical
from verification.claims.distance_order import AT_LEAST, NONE, REGRESSION, DistanceOrder, Order
from verification.notation import N
from verification.statements import Order as Grows
from verification.statements import claim, growing

p, rate = sp.symbols("p rate", positive=True)

practice = NotMathematical(
    "abstract.practice",
    at="abstract",
    title="Steps inversely proportional to N are usual",
    says="That the step is set inversely proportional to the number of examples is called"
    " current practice.",
    because="opinion",
)

departs = DistanceOrder(
    "abstract.sgld_departs",
    at="abstract",
    stands="read",
    title="The law of SGLD departs from the target",
    says="With a step eta/N the invariant law of SGLD stays at a distance from the posterior as N grows"
    " (read for linear regression).",
    printed=(Order("sgld", sp.Integer(1), second=DIFFUSION, relation=AT_LEAST),),
    scope=REGRESSION,
)

like_sgd = DistanceOrder(
    "abstract.like_sgd",
    at="abstract",
    stands="read",
    title="SGLD behaves like SGD",
    says="The invariant laws of SGLD and of SGD come close to each other as N grows.",
    printed=(Order("sgld", N ** sp.Rational(-1, 2), second="sgd"),),
)

variance = DistanceOrder(
    "abstract.due_to_variance",
    at="abstract",
    stands="read",
    title="The difference is due to the noise of gradients",
    says="Where examples have one gradient at the mode SGLD does come close to the target (read"
    " for linear"
    " regression).",
    printed=(Order("sgld", N ** sp.Rational(-1, 2), second=DIFFUSION),),
    noise=NONE,
    scope=REGRESSION,
)

comparable = DistanceOrder(
    "abstract.sgldfp_like_lmc",
    at="abstract",
    stands="read",
    title="SGLDFP is as accurate as LMC",
    says="The invariant law of SGLDFP is N^(-1/2) from the posterior, which is what LMC has.",
    printed=(Order("sgldfp", N ** sp.Rational(-1, 2), second=DIFFUSION),),
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
    read=Grows(p * sp.log(N) / rate, "O", sp.sqrt(N), growing(N)),
)
