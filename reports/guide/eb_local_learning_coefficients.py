"""Local learning coefficients: what a chain's estimate is made of, and which step to take."""

from __future__ import annotations

from typing import Any

from reports.document import Block, Heading, Paragraph, prose
from reports.guide._running import command, python

TITLE = "Estimate a local learning coefficient"
SUMMARY = "How far an estimate by SGLD is off, and why; which step to take."

_PROBLEM = """\
{"hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 2]], "N": 1000, "S": 20,
 "params": {"eps": "1/2000", "beta": "1/7", "gamma": 30}, "start": {"theta": [0, 0]}}
"""

_STEPS = """\
import sgtheory as sg

problem = sg.Problem.of({
    "hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 2]], "N": 1000, "S": 20,
    "params": {"beta": "1/7", "gamma": 1}, "start": {"theta": [0, 0]},
})
for eps in (1e-3, 3e-4, 1e-4, 3e-5, 1e-5):
    told = sg.learning_coefficient("local_sgld", problem.with_params(eps=eps), draws=20_000)
    bias, scatter = told.expected / told.truth - 1, told.scatter / told.truth
    print(f"{eps:.0e} {100 * bias:+6.1f} % +- {100 * scatter:.1f} %")"""

_BY_HAND = """\
import numpy as np

A, C, b, k, eps, S = np.diag([2.0, 3.0]), np.diag([1.0, 2.0]), 1000 / 7, 30, 1 / 2000, 20
r = 1 - eps / 2 * (b * np.diag(A) + k)
variance = (eps + (eps * b / 2) ** 2 * np.diag(C) / S) / (1 - r**2)
print(b / 2 * np.diag(A) @ variance)
same = {"hessian": A.tolist(), "noise": C.tolist(), "N": 1000, "S": S,
        "params": {"eps": "1/2000", "beta": "1/7", "gamma": k}}
print(sg.learning_coefficient("local_sgld", same, draws=1).settled)"""

_SINGULAR = """\
from sgtheory.operator import local_coefficient

for loss, truth, gamma in (("w1**4", 1 / 4, 0), ("w1**2 + w2**4", 3 / 4, 1), ("(w1*w2)**2", 1 / 2, 5)):
    for eps in (1e-2, 1e-3):
        told = local_coefficient(loss, nbeta=50, eps=eps, gamma=gamma)
        by_step = 100 * (told.settled / told.localised - 1)
        print(f"{loss:14s} true {truth:.2f}  without a step {told.localised:.3f}  at {eps:.0e}"
              f" {told.settled:.3f}, {by_step:+.1f} %")"""


def blocks() -> tuple[Block, ...]:
    """The estimate and its parts, the step, the same by hand, and what other libraries call things."""
    names: dict[str, Any] = {}
    return (
        Paragraph(
            prose(
                "The local learning coefficient of a loss at a minimum says how fast the volume of good"
                " parameters shrinks there. It is estimated by a chain: $N beta$ times the mean of the"
                " loss above its minimum. The chain is SGLD that is after a tempered posterior, with a"
                " spring of strength $gamma$ to the minimum: `local_sgld` here. On a quadratic loss in"
                " $D$ dimensions the true coefficient is $D/2$, and the law of the chain is exact. So"
                " the error of an estimate can be told before anything is run, and what it is made of:"
            )
        ),
        *command(
            "sgtheory law local_sgld --problem problem.json --coefficient 1000",
            {"problem.json": _PROBLEM},
        ),
        Paragraph(
            "Three parts come in this order. The spring and weight decay hold the chain too near: the"
            " estimate is too small. The step, and the noise of minibatches, let it wander too far: it"
            " is too large. And a chain that starts at the minimum is too near at first. They can"
            " cancel, which is why an estimate that looks right is no proof that its step is."
        ),
        Heading(2, "Which step"),
        Paragraph(
            "A shorter step has less bias, and more scatter from one chain to another, because the same"
            " number of draws sees less of the posterior:"
        ),
        *python(_STEPS, names),
        Paragraph(prose("`advise` weighs the two for a budget, and chooses the batch as well:")),
        *command(
            "sgtheory advise --problem problem.json --passes 200 --care coefficient --start mode"
            " --fix beta=1/7 --fix gamma=1",
            {"problem.json": _PROBLEM},
        ),
        Heading(2, "The same by hand"),
        Paragraph(
            "Where curvature and noise have the same axes, each coordinate is a recursion of its own,"
            " and the estimate is a sum over them:"
        ),
        *python(_BY_HAND, names),
        Heading(2, "Minima that are no quadratic"),
        Paragraph(
            prose(
                "Coefficients are of interest where they are not $D/2$: of $w^4$ it is 1/4, of $(w1"
                " w2)^2$, whose valleys cross, 1/2. `local_coefficient` takes a loss as a formula, and"
                " tells what the localised posterior itself gives, and what the chain gives at its step,"
                " from its transition operator (with an error), or from an ensemble where there are more"
                " than two letters:"
            )
        ),
        *python(_SINGULAR, names),
        Paragraph(
            prose(
                "So the step is too long by the last column, as before. The spring costs more where"
                " valleys cross: the estimate comes near 1/2 only like one over the logarithm of $N"
                " beta$, and a strong spring hides the coefficient however short the step is. Five"
                " losses with known answers, with plain chains beside what is foretold, are in"
                " `examples/learning_coefficient/singular.py`."
            )
        ),
        Heading(2, "What other people call it"),
        Paragraph(
            prose(
                "devinterp's `SGMCMC.sgld` is `local_sgld` with `lr` for $eps$, `nbeta` for $N beta$,"
                " `localization` for $gamma$ and `weight_decay` for $delta$. It takes the loss before"
                " each step, the first one at the start itself; here it is taken after each step. So its"
                " mean over $T$ draws is ours over $T - 1$ of them, times $(T - 1)/T$. It sees the loss"
                " of the minibatch, which has the same mean and scatters more. At three steps its own"
                " estimates lie where the law says (`examples/learning_coefficient`)."
            )
        ),
    )
