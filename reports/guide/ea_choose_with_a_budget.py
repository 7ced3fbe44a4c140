"""Which sampler, which step, which batch, how long, and how wrong: a worked case."""

from __future__ import annotations

from typing import Any

from reports.document import Block, Heading, Paragraph, prose
from reports.guide._running import PROBLEM, command, python

TITLE = "Choose a sampler for a budget"
SUMMARY = "Which sampler, which step and batch, how long, and how wrong the answer will be."

_DATA = """\
import numpy as np
import sgtheory as sg

rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 8)) @ np.diag(np.linspace(0.3, 2, 8))
y = X @ rng.normal(size=8) + rng.normal(size=2000)
problem = sg.Problem.of({"model": "linear_regression", "X": X, "y": y, "ridge": 1})"""

_TABLE = """\
for option in advice.options:
    error = option.error
    print(f"{option.name:24} {error.value:.3f} {error.bias:.3f} {error.scatter:.3f}")"""

_BY_HAND = """\
def of_means(S, eps, passes=200):
    content = problem.to_json() | {"S": S, "params": {"eps": eps}}
    law = sg.law("sgld", content, average=passes * 2000 // S)
    share = np.diag(law.average.covariance) / np.diag(law.posterior.covariance)
    return float(np.sqrt(share.mean()))

means = sg.advise(problem, passes=200, care="mean", samplers=["sgld"])
plain = next(option for option in means.options if not option.gain)
print(dict(plain.params), round(plain.error.value, 4))
print(round(of_means(16, 3.2e-6), 4), round(of_means(**plain.params), 4))"""

_TWO_RUNS = """\
small = {"hessian": [[2, 1], [1, 1.5]], "noise": [[1, 0], [0, 2]], "N": 40}
for passes in (50, 10**7):
    best = sg.advise(small, passes=passes, samplers=["sgld"], fixed={"S": 4}).best
    print(best.name, round(best.error.value, 5), round(best.error.bias, 5))"""

_CHECK = """\
from simulators.advised import check

ran = check(advice, chains=200)
print(ran.agrees, round(ran.expected, 4), round(ran.measured, 4), round(ran.standard_error, 4))"""


def blocks() -> tuple[Block, ...]:
    """The question, the answer, and how far to trust it."""
    names: dict[str, Any] = {}
    return (
        Paragraph(
            "Small steps are exact and slow, long ones fast and wrong. With a budget there is a best"
            " one. The error of a run is its bias and its scatter from run to run; both follow from the"
            " law of the algorithm and from its autocovariances, in discrete time and with the"
            " minibatches that it really draws. So nothing has to be run to find the best numbers."
        ),
        *command(
            "sgtheory advise --problem problem.json --passes 100 --samplers sgld,sghmc",
            {"problem.json": PROBLEM},
        ),
        Heading(2, "From data"),
        Paragraph(
            "Linear regression with 2,000 examples in 8 dimensions, and 200 passes over them. What"
            " matters, unless one says otherwise, are the means and the variances of the posterior:"
        ),
        *python(f"{_DATA}\n\nadvice = sg.advise(problem, passes=200)\nadvice", names),
        Paragraph("The best of every sampler, with its error, its bias and its scatter:"),
        *python(_TABLE, names),
        Paragraph(
            "Constant SGD is no sampler of the posterior, but with the inverse of the curvature for a"
            " gain it can be tuned to be nearly one, if the covariance of gradients is what was found"
            " here. The advice says what happens if it is not:"
        ),
        *python(
            "for one in advice.misjudged:\n    print(one.what, one.factor, round(one.error.value, 3))",
            names,
        ),
        Heading(2, "The same by hand"),
        Paragraph(
            prose(
                "Whoever cares for means alone can find a step from `law(..., average=T)`: it has the"
                " covariance of the mean over a window of a settled chain. The search finds numbers at"
                " least as good, and counts what the start leaves:"
            )
        ),
        *python(_BY_HAND, names),
        Heading(2, "Checked by running it"),
        Paragraph(
            prose(
                "`--check`, or `check`, runs exactly the chain that was advised, with its start, its"
                " burn-in, its length and its averaging, and measures the error. A difference of five"
                " standard errors is refused:"
            )
        ),
        *python(_CHECK, names),
        Heading(2, "Two runs in place of one"),
        Paragraph(
            prose(
                "An option that is called extrapolated is two independent runs, at a step and at half of"
                " it, whose answers are put together: twice the finer one less the coarser one. What is"
                " proportional to the step in their bias goes. The runs share no noise: their variances"
                " add up, four times that of the finer one: it takes a large budget to be worth it."
            )
        ),
        *python(_TWO_RUNS, names),
        Heading(2, "Other questions"),
        Paragraph(
            prose(
                "`--care variance`, `worst` (the mean in its worst direction), `predictive` (means of"
                " predictions, of a linear model) or `kl` (the law of the last state) ask for other"
                " errors, `--of 1,0,-1` for that of a linear functional, `--care quadratic --of 1,0;0,2`"
                " for that of a quadratic one,"
                " `--start zero` for a run that begins there, `--keep 1000` for a run of which so many"
                " states may be kept, `--fix S=32` for a batch that is given, and `--seconds 30` for a"
                " budget in time. Of a model that is not quadratic the answer is that for its quadratic"
                " at the mode, and says so. Of a logistic regression it also foretells the error of the"
                " model itself, with what that is uncertain by: if the two are far apart, ask with a"
                " shorter step (`--fix eps=...`). A check runs the model itself."
            )
        ),
    )
