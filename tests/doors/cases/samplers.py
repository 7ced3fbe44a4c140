"""Samplers in files of the user's own, wherever the name of one of ours is taken."""

from __future__ import annotations

import json
import math

from tests.doors.case import Case, Step, near, wrong

HEAD = '''\
"""Heavy-ball SGD: the paper's own words."""

from sgtheory.declare import Card, Sampler, gradient, positive, state
'''

HEAVY = (
    HEAD
    + """
theta, v = state("theta v")
eps, beta = positive("eps beta")

HEAVY_BALL = Sampler(
    state=(theta, v),
    updates=(
        (v, beta * v - eps * gradient(theta)),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="velocity first"),
)
"""
)

# Steps that contain an exponential of a product, a root of the step, and a root of one minus a letter.
EXPONENTIAL = (
    HEAD
    + """from sympy import exp

theta, v = state("theta v")
h, gamma = positive("h gamma")

EXPONENTIAL = Sampler(
    state=(theta, v),
    updates=(
        (v, exp(-gamma * h) * v - h * gradient(theta)),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="h", order="velocity first"),
)
"""
)
ROOT = (
    HEAD
    + """from sympy import sqrt

theta = state("theta")
h, beta = positive("h beta")

ROOT = Sampler(
    state=(theta,),
    updates=((theta, theta - sqrt(h) * sqrt(1 - beta) * gradient(theta)),),
    convention=Card(loss="mean", drift="sqrt(h (1 - beta))", order="one update"),
)
"""
)


def heavy_ball(a: float, q: float, eps: float, b: float) -> float:
    """The variance of x <- (1 + b - eps a) x - b x_old - eps n, n of variance q: an AR(2).

    >>> heavy_ball(2, 1.5, 0.25, 0.5)
    0.225
    """
    return eps * q * (1 + b) / (a * (1 - b) * (2 * (1 + b) - eps * a))


def plain(a: float, q: float, eps: float) -> float:
    """The variance of x <- (1 - eps a) x - eps n: an AR(1).

    >>> plain(2, 1.5, 0.25)
    0.125
    """
    return eps * q / (a * (2 - eps * a))


def problem(**params: object) -> str:
    """Curvature 2, gradient noise 3 of one example, batches of 2: q = 3/2."""
    return json.dumps(
        {"model": "quadratic", "hessian": [[2]], "noise": [[3]], "N": 10, "S": 2, "params": params}
    )


FILES = {"my_sampler.py": HEAVY, "problem.json": problem(eps="1/4", beta="1/2")}
LAW = {"stable": True, "covariance/theta,theta/0/0": 0.225}

STEP = """\
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, eps, beta):
    v = beta * state["v"] - eps * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}
"""


def _heavy(name: str, title: str, *steps: Step, **files: str) -> Case:
    return Case(
        f"sampler.{name}", title, steps, {**FILES, **{k.replace("__", "."): v for k, v in files.items()}}
    )


CASES = (
    _heavy(
        "derive",
        "derive of FILE.py:NAME",
        Step("sgtheory derive my_sampler.py:HEAVY_BALL", has=("beta|β",)),
    ),
    _heavy(
        "derive_file",
        "derive of FILE.py with one sampler",
        Step("sgtheory derive my_sampler.py", has=("beta|β",)),
    ),
    _heavy(
        "derive_module",
        "derive of module:NAME, the module in this folder",
        Step("sgtheory derive my_sampler:HEAVY_BALL", has=("beta|β",)),
    ),
    _heavy(
        "derive_latex",
        "derive of FILE.py:NAME as LaTeX, stability too",
        Step("sgtheory derive my_sampler.py:HEAVY_BALL --format latex", has=(r"\\beta",)),
        Step("sgtheory derive my_sampler.py:HEAVY_BALL --what stability", has=("beta|β",)),
        Step("sgtheory derive my_sampler.py:HEAVY_BALL --time continuous", has=("beta|β",)),
    ),
    _heavy(
        "law",
        "law of FILE.py:NAME, a number known by hand",
        Step("sgtheory law my_sampler.py:HEAVY_BALL --problem problem.json --json", facts=LAW),
        Step("sgtheory law my_sampler.py:HEAVY_BALL --problem problem.json", has=(r"0\.225|9/40",)),
        Step("sgtheory law my_sampler.py --problem problem.json --json", facts=LAW),
        Step("sgtheory law my_sampler:HEAVY_BALL --problem problem.json --json", facts=LAW),
    ),
    _heavy(
        "law_after_steps",
        "law of FILE.py:NAME after one step: eps^2 q",
        Step(
            "sgtheory law my_sampler.py:HEAVY_BALL --problem problem.json --at 1 --json",
            facts={"covariance/theta,theta/0/0": 0.25**2 * 1.5},
        ),
    ),
    _heavy(
        "tune",
        "tune of FILE.py:NAME chooses both parameters",
        Step("sgtheory tune my_sampler.py:HEAVY_BALL --problem problem.json", has=("eps|ε", "beta|β")),
        Step("sgtheory tune my_sampler.py:HEAVY_BALL --problem problem.json --only eps --json"),
    ),
    _heavy(
        "simulate",
        "simulate FILE.py:NAME, a variance known by hand",
        Step(
            "sgtheory simulate my_sampler.py:HEAVY_BALL --problem "
            "problem.json --chains 40000 --steps 200 --json",
            facts={"covariance/theta,theta/0/0": near(0.225, 0.05), "chains": 40000},
        ),
    ),
    _heavy(
        "check",
        "check against the law of FILE.py:NAME",
        Step(
            "sgtheory check step.py:step --like my_sampler.py:HEAVY_BALL --dimensions 2,1,3",
            has=("conforms",),
        ),
        step__py=STEP,
    ),
    _heavy(
        "check_faulty",
        "check of a faulty step against the law of FILE.py:NAME",
        Step(
            "sgtheory check step.py:step --like my_sampler.py:HEAVY_BALL --dimensions 2,1,3",
            status=(1,),
            has=("deviates",),
        ),
        step__py=STEP.replace("beta * state", "(1 - beta) * state"),
    ),
    _heavy(
        "report",
        "report on FILE.py:NAME",
        Step("sgtheory report my_sampler.py:HEAVY_BALL --out pages", wrote=("pages/index.html",)),
    ),
    _heavy(
        "verify",
        "verify FILE.py:NAME on a problem",
        Step("sgtheory verify my_sampler.py:HEAVY_BALL --problem problem.json", lacks=("reject",)),
    ),
    _heavy(
        "cite_none",
        "cite FILE.py:NAME whose card cites nothing says so",
        Step(
            "sgtheory cite my_sampler.py:HEAVY_BALL",
            has=("no reference|cites nothing|none|no citation",),
        ),
    ),
    Case(
        "sampler.cite",
        "cite FILE.py:NAME gives what its card cites",
        (
            Step(
                "sgtheory cite my_sampler.py:HEAVY_BALL", has=("@article|@misc|@inproceedings", "Mandt")
            ),
        ),
        {
            "my_sampler.py": HEAVY.replace(
                'order="velocity first"),',
                'order="velocity first"),\n    cites=("mandt2017 section 4.3",),',
            )
        },
    ),
    _heavy(
        "load",
        "sg.load in Python",
        Step("python run.py", has=("came to the end",)),
        run__py="""\
import sgtheory as sg

mine = sg.load("my_sampler.py:HEAVY_BALL")
law = sg.derive(mine)
problem = sg.read_problem("problem.json")
assert abs(float(law.at(problem).covariance["theta", "theta"][0][0]) - 0.225) < 1e-12
assert "beta" in str(law.covariance.pair)
assert "beta" in str(law.stability.limit)
print(sg.tune(mine, problem)["eps"].exact.values)
print("came to the end")
""",
    ),
    _heavy(
        "imported",
        "a sampler imported as any other Python object",
        Step("python run.py", has=("came to the end",)),
        run__py="""\
import sgtheory as sg
from my_sampler import HEAVY_BALL

problem = sg.read_problem("problem.json")
assert abs(float(sg.derive(HEAVY_BALL).at(problem).covariance["theta", "theta"][0][0]) - 0.225) < 1e-12
print("came to the end")
""",
    ),
    Case(
        "sampler.exponential",
        "a step with exp(-gamma*h): derive, law, simulate, check",
        (
            Step("sgtheory derive my_sampler.py:EXPONENTIAL", has=("exp|e\\^|ℯ",)),
            Step(
                "sgtheory law my_sampler.py:EXPONENTIAL --problem problem.json --json",
                facts={"covariance/theta,theta/0/0": heavy_ball(2, 1.5, 0.25, math.exp(-0.5))},
            ),
            Step(
                "sgtheory simulate my_sampler.py:EXPONENTIAL --problem "
                "problem.json --chains 40000 --steps 200 --json",
                facts={
                    "covariance/theta,theta/0/0": near(heavy_ball(2, 1.5, 0.25, math.exp(-0.5)), 0.05)
                },
            ),
            Step(
                "sgtheory check step.py:step --like my_sampler.py:EXPONENTIAL --dimensions 2,1",
                has=("conforms",),
            ),
        ),
        {
            "my_sampler.py": EXPONENTIAL,
            "problem.json": problem(h="1/4", gamma=2),
            "step.py": """\
import numpy as np


def init(theta, rng):
    return {"theta": theta, "v": np.zeros_like(theta)}


def step(state, gradient, rng, h, gamma):
    v = np.exp(-gamma * h) * state["v"] - h * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}
""",
        },
    ),
    Case(
        "sampler.root",
        "a step with sqrt(h) and sqrt(1 - beta): derive, law, tune, check",
        (
            Step("sgtheory derive my_sampler.py", has=("h",)),
            Step(
                "sgtheory law my_sampler.py:ROOT --problem problem.json --json",
                facts={"covariance/theta,theta/0/0": plain(2, 1.5, math.sqrt(0.03 * 0.25))},
            ),
            Step("sgtheory tune my_sampler.py:ROOT --problem problem.json", has=("beta|β",)),
            Step(
                "sgtheory check step.py:step --like my_sampler.py:ROOT --dimensions 2,1",
                has=("conforms",),
            ),
        ),
        {
            "my_sampler.py": ROOT,
            "problem.json": problem(h=0.03, beta="3/4"),
            "step.py": (
                "def step(theta, gradient, rng, h, beta):\n"
                "    return theta - (h * (1 - beta)) ** 0.5 * gradient(theta)\n"
            ),
        },
    ),
    Case(
        "sampler.two_in_a_file",
        "FILE.py with two samplers asks which, naming both",
        (
            wrong("sgtheory derive my_sampler.py", "HEAVY_BALL", "OTHER"),
            Step("sgtheory derive my_sampler.py:OTHER"),
        ),
        {
            "my_sampler.py": HEAVY
            + "\n\nOTHER = Sampler(state=(theta,), updates=((theta, theta - eps * gradient(theta)),),"
            ' convention=Card(loss="mean", drift="eps", order="one update"))\n'
        },
    ),
    _heavy(
        "misspelt_name",
        "FILE.py:NAME that is not there suggests what is",
        wrong("sgtheory derive my_sampler.py:HEAVYBALL", "HEAVY_BALL"),
        wrong("sgtheory law my_samplr.py:HEAVY_BALL --problem problem.json", "my_samplr"),
    ),
    Case(
        "sampler.syntax_error",
        "a sampler's file with a typo is one line that names file and line",
        (wrong("sgtheory derive my_sampler.py:HEAVY_BALL", "my_sampler.py", r"\b6\b"),),
        {"my_sampler.py": HEAVY.replace('positive("eps beta")', 'positive("eps beta"')},
    ),
    Case(
        "sampler.name_error",
        "a sampler's file with an undeclared letter is one line",
        (wrong("sgtheory derive my_sampler.py:HEAVY_BALL", "my_sampler.py", "kappa"),),
        {"my_sampler.py": HEAVY.replace("beta * v", "kappa * v")},
    ),
    Case(
        "sampler.no_sampler",
        "a file without a sampler says so",
        (wrong("sgtheory derive my_sampler.py", "my_sampler.py", "[Ss]ampler"),),
        {"my_sampler.py": "x = 1\n"},
    ),
    Case(
        "sampler.new",
        "sgtheory new sampler, problem, test: first files that work at once",
        (
            Step("sgtheory new sampler my_sampler.py", wrote=("my_sampler.py",)),
            Step("sgtheory derive my_sampler.py"),
            Step("sgtheory new problem problem.json", wrote=("problem.json",)),
            Step("sgtheory law sgd --problem problem.json --json", facts={"stable": True}),
            Step("sgtheory new test test_mine.py", wrote=("test_mine.py",)),
            Step("pytest -q test_mine.py", has=("passed",), lacks=("failed",)),
        ),
    ),
    Case(
        "sampler.new_step",
        "a declared sampler as a step: it conforms, and one without a form says so",
        (
            Step("sgtheory new step mine.py --for adagrad", wrote=("mine.py",), has=("lambda_=lambda",)),
            Step(
                "sgtheory check mine.py:step --like adagrad --with lambda_=lambda --dimensions 1",
                has=("conforms",),
            ),
            wrong("sgtheory new step other.py --for saga_ld", "saga_ld", "remembers"),
            wrong("sgtheory new step other.py --for sgdl", "sgdl"),
        ),
    ),
    Case(
        "sampler.new_kept",
        "sgtheory new does not write over a file",
        (wrong("sgtheory new claim mine.py", "mine.py"),),
        {"mine.py": "x = 1\n"},
    ),
)
