"""Section 1: the posterior. What else it announces is stated in Sections 4 to 6, and recorded there."""

import sympy as sp

from verification.claims.base import Printed
from verification.claims.definition import Definition, NotMathematical
from verification.terms.kinds import number

posterior, joint, evidence = sp.symbols("posterior joint evidence", positive=True)

eq1 = Definition(
    "eq1",
    at="Eq. 1",
    title="The posterior",
    says="The posterior is the joint density over the evidence, written with logarithms.",
    # evaluated: a process that is sent the claim would evaluate it, and judge another form
    printed=(Printed(posterior, sp.exp(sp.log(joint) - sp.log(evidence))),),
    declared=((posterior, number()), (joint, number()), (evidence, number())),
)

robbins_monro = NotMathematical(
    "sec1.robbins_monro",
    at="section 1, first paragraph",
    title="SGD with decreasing steps reaches the optimum",
    says="That SGD provably reaches an optimum is ascribed to Robbins and Monro (1951).",
    because="attribution",
)

implementation = NotMathematical(
    "sec1.effort_and_mixing",
    at="section 1, constant SGD as a sampler",
    title="Constant SGD needs little effort and mixes fast",
    says="Sampling by constant SGD is said to be easy to implement and typically to mix faster.",
    because="opinion",
)
