"""Projects with packages of their own that are called as ours are; third parties' plug-ins."""

from __future__ import annotations

from tests.doors.case import Case, Step

TEST = "def test_mine():\n    assert 1 + 1 == 2\n"
SAMPLES = """\
import numpy as np


def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * rng.standard_normal(theta.shape)


def test_step(assert_samples_law):
    assert_samples_law(step, like="sgld", dimensions=(1, 2))
"""
SCRIPT = """\
import sgtheory as sg

print(sg.derive("sgd").covariance.pair)
print("came to the end")
"""


def shadowed(name: str) -> Case:
    """A project with a package of this name: its tests and scripts start, the command too."""
    return Case(
        f"project.{name}",
        f"a project with a package {name} of its own",
        (
            Step("python -m pytest -q", has=("1 passed",)),
            Step("pytest -q", has=("1 passed",)),
            Step("python script.py", has=("mine", "came to the end")),
            Step("sgtheory derive sgd", has=("eps|ε",)),
        ),
        {
            f"{name}/__init__.py": "WHOSE = 'mine'\n",
            f"{name}/monthly.py": "x = 1\n",
            "test_mine.py": f"import {name}\nfrom {name} import monthly\n\n\ndef test_mine():\n "
            f"   assert {name}.WHOSE == 'mine' and monthly.x == 1\n",
            "script.py": f"import {name}\n\nprint({name}.WHOSE)\n" + SCRIPT,
        },
    )


def plugin(name: str, group: str, module: str) -> dict[str, str]:
    """An installed distribution with one entry point, as pip leaves it."""
    return {
        f"site/{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"site/{name}-1.0.dist-info/entry_points.txt": f"[{group}]\n{name} = {name}_plugin\n",
        f"site/{name}_plugin.py": module,
    }


SITE = {"PYTHONPATH": "{folder}/site"}
TYPO = "from sgtheory.declare import Smapler\n"

CASES = (
    shadowed("reports"),
    shadowed("simulators"),
    shadowed("verification"),
    Case(
        "project.folder",
        "a project with a folder reports/ of files, no package",
        (
            Step("python -m pytest -q", has=("1 passed",)),
            Step("python script.py", has=("came to the end",)),
            Step("python -m pytest -q tests", has=("1 passed",)),
        ),
        {"reports/2024.txt": "x\n", "tests/test_mine.py": TEST, "script.py": SCRIPT},
    ),
    Case(
        "project.uses_ours",
        "a project with a package reports whose tests use our "
        "fixture: it passes, or one line says why not",
        (Step("python -m pytest -q", status=(0, 1), has=("1 passed|shadow|reports",)),),
        {"reports/__init__.py": "", "test_mine.py": SAMPLES},
    ),
    Case(
        "project.fixture",
        "a project's test with our fixture and a step without a preconditioner",
        (Step("python -m pytest -q", has=("1 passed",)),),
        {"test_mine.py": SAMPLES},
    ),
    Case(
        "project.fixture_faulty",
        "a project's test of a faulty step fails and says what is wrong",
        (Step("python -m pytest -q", status=(1,), has=("1 failed", "eps")),),
        {"test_mine.py": SAMPLES.replace("np.sqrt(eps)", "eps")},
    ),
    Case(
        "plugin.broken_sampler",
        "a third party's sampler with a typo is one line, and everything else is listed",
        (
            Step("sgtheory list samplers", has=("broken", "momentum", "sgnht", "Smapler"), env=SITE),
            Step("sgtheory derive momentum", has=("mu|μ",), env=SITE),
            Step("sgtheory list papers", has=("mandt2017",), env=SITE),
        ),
        plugin("broken", "sgtheory.samplers", TYPO),
    ),
    Case(
        "plugin.missing_module",
        "a third party's sampler whose module is not there",
        (Step("sgtheory list samplers", has=("lost", "momentum", "sgnht"), env=SITE),),
        {k: v for k, v in plugin("lost", "sgtheory.samplers", "").items() if not k.endswith(".py")},
    ),
    Case(
        "plugin.broken_paper",
        "a third party's paper with a typo is one line, and everything else is listed",
        (
            Step("sgtheory list papers", has=("broken", "mandt2017"), env=SITE),
            Step("sgtheory list claims", has=("mandt2017.eq25",), env=SITE),
            Step("sgtheory verify mandt2017.eq25", has=("eq25",), env=SITE),
        ),
        plugin("broken", "sgtheory.papers", "import no_such_module\n"),
    ),
    Case(
        "plugin.broken_model",
        "a third party's model with a typo is one line, and everything else is listed",
        (
            Step("sgtheory list models", has=("broken", "quadratic"), env=SITE),
            Step("sgtheory derive sgd", env=SITE),
        ),
        plugin("broken", "sgtheory.models", "def (:\n"),
    ),
)
