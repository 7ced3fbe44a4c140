"""Writes the three notebooks beside this file: ``python examples/notebooks/make.py``.

They are kept without results: running them makes them.
"""

from __future__ import annotations

from pathlib import Path

from reports.document import Block, Code, Page, Paragraph, prose
from reports.emit.notebook import SUFFIX, render
from sgtheory.files.writing import write

HERE = Path(__file__).parent


def _page(slug: str, title: str, *cells: str) -> Page:
    """Words and Python by turns, words first."""
    blocks: list[Block] = []
    for place, cell in enumerate(cells):
        blocks.append(Code(cell.strip(), "python") if place % 2 else Paragraph(prose(cell)))
    return Page(slug=slug, title=title, blocks=tuple(blocks))


STUDENT = _page(
    "student",
    "What does a constant step do?",
    "Stochastic gradient descent with a constant step never comes to rest: it samples a law of its own."
    " Here is the formula for its covariance, in the eigenbasis of the curvature, for every dimension.",
    """
import sgtheory as sg

law = sg.derive("sgd")
law.covariance.pair
""",
    "Where does it break down? The largest stable step:",
    """
law.stability.limit
""",
    "In numbers, on a problem with two parameters: how wide the chain is, how wide the posterior.",
    """
problem = {
    "hessian": [[2, 1], [1, "3/2"]],
    "noise": [[1, 0], [0, 2]],
    "N": 100,
    "S": 4,
    "params": {"eps": "1/20"},
}
told = sg.law("sgd", problem)
print(told.covariance["theta", "theta"])
print(told.posterior.covariance)
""",
    "Is that so? Run it: plain NumPy, 20,000 chains, nothing of this toolkit.",
    """
import numpy as np

rng = np.random.default_rng(0)
A, root = np.array([[2, 1], [1, 1.5]]), np.sqrt(np.array([1, 2]) / 4)
theta = np.zeros((20_000, 2))
for _ in range(400):
    theta = theta - (theta @ A + root * rng.normal(size=theta.shape)) / 20
ratio = np.cov(theta.T) / told.covariance["theta", "theta"]
assert np.abs(ratio - 1).max() < 0.1
ratio
""",
    "Every sampler has such a law. SGLD adds noise of its own so that small steps sample the posterior."
    " Its bias is proportional to the step; two runs, at a step and at half of it, take that away:",
    """
print(sg.derive("sgld").derivation("extrapolation").results[-1].equation.text)
""",
    "Which step of `sgd` is nearest to the posterior, and what do papers say?",
    """
sg.tune("sgd", problem)["eps"].best
""",
)

MAINTAINER = _page(
    "maintainer",
    "Is my sampler right?",
    "A sampler that is biased by design cannot be tested against its target. It can be held against the"
    " exact law of its own algorithm. Here is SGLD, as a library might have it.",
    '''
import numpy as np


def step(theta, gradient, rng, eps, N):
    """One step of SGLD."""
    noise = rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * noise
''',
    "It is run on random problems with Gaussian laws, in several dimensions:",
    """
from verification.checking import check

check(step, like="sgld", budget="quick").verdict
""",
    "A fault that no plot shows: the noise has standard deviation `eps` in place of its root.",
    '''
def faulty(theta, gradient, rng, eps, N):
    """The same, but for its noise."""
    return theta - eps / 2 * N * gradient(theta) + eps * rng.standard_normal(theta.shape)


found = check(faulty, like="sgld", budget="quick")
print(found.verdict)
''',
    "A run that is finished can be audited too, from its draws alone. This one was run with the wrong"
    " temperature:",
    """
from verification.finished import audit_run

rng, theta, draws = np.random.default_rng(1), np.zeros((2, 1)), []
for _ in range(6000):
    noise = rng.normal(size=(2, 1)) * np.sqrt(1.5e-3)
    theta = theta - 1e-3 / 2 * 100 * (2 * theta) + noise
    draws.append(theta)
problem = {"hessian": [[2]], "noise": [[0]], "N": 100, "S": 1, "params": {"eps": "1/1000"}}
audited = audit_run(np.array(draws).transpose(1, 0, 2)[:, 500:], problem, like="sgld")
print(audited.verdict)
""",
)

PRACTITIONER = _page(
    "practitioner",
    "Which sampler, which step, how long, and how wrong?",
    "A regression with 1,000 examples in 4 dimensions, and a budget of 50 passes over them.",
    """
import numpy as np

import sgtheory as sg

rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 4)) * [0.3, 1, 1, 2]
y = X @ rng.normal(size=4) + rng.normal(size=1000)
problem = sg.Problem.of({"model": "linear_regression", "X": X, "y": y, "ridge": 1})
""",
    "The error of a run is its bias and its scatter from run to run; both are exact for the algorithm as"
    " it runs, with real minibatches. Nothing is run to find the best numbers.",
    """
advice = sg.advise(problem, passes=50, samplers=["sgld", "sgldfp"])
for option in advice.options:
    print(f"{option.name:28} {option.error.value:.3f}", dict(option.params))
""",
    "Is it so? Two hundred runs of the choice:",
    """
from simulators.advised import check

ran = check(advice, chains=200)
print(round(ran.expected, 3), "foretold;", round(ran.measured, 3), "+-", round(ran.standard_error, 3))
""",
    "What if the curvature or the noise is not what was found? And what would more passes buy?",
    """
for one in advice.misjudged:
    print(one.what, one.factor, "unstable" if one.error is None else round(one.error.value, 3))
for option in advice.pareto:
    print(round(option.passes, 1), "passes:", option.name, round(option.error.value, 3))
""",
    "Only predictions matter? Then ask for their error:",
    """
sg.advise(problem, passes=50, care="predictive", samplers=["sgldfp"])
""",
)

ALL = (STUDENT, MAINTAINER, PRACTITIONER)


def main() -> None:
    """Write all three."""
    for page in ALL:
        write(HERE / f"{page.slug}{SUFFIX}", render(page))


if __name__ == "__main__":
    main()
