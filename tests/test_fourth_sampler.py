"""Adding a sampler is adding one file: everything else finds it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
SAMPLER = '''"""Fisher scoring: a gain, and injected noise of one's own."""

from sympy import sqrt

from sgtheory.declare import Card, Sampler, gradient, matrix, normal, positive, positive_definite, state

theta = state("theta")
xi = normal("xi")
eps = positive("eps")
H = positive_definite("H")
E = matrix("E")

FOURTH = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - eps * H @ gradient(theta) + sqrt(eps) * H @ E @ xi),),
    convention=Card(loss="mean", drift="eps H", noise="sqrt(eps) H E"),
)
'''
PROBLEM = {
    "hessian": [[2, 1], [1, 2]],
    "noise": [[1, 0], [0, 3]],
    "N": 10,
    "S": 2,
    "params": {"eps": "1/5", "H": [[1, "1/4"], ["1/4", 1]], "E": [[1, 0], [2, 1]]},
}


PAGE = """
from pathlib import Path
from reports.emit import render
from reports.pages.index import index_page
from reports.pages.sampler import sampler_page
from sgtheory import registry
fourth = registry.samplers()["fourth"]
for page in (index_page((), (fourth,)), sampler_page(fourth)):
    Path("pages").mkdir(exist_ok=True)
    Path("pages", f"{page.slug}.html").write_text(render((page,), "html"))
"""


@pytest.fixture
def tree(tmp_path):
    """A copy of the sources with one file more."""
    for room in ("sgtheory", "simulators", "verification", "reports"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "sgtheory" / "samplers" / "fourth.py").write_text(SAMPLER)
    return tmp_path


def ran(tree, *arguments):
    """What Python prints there."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def has_pages(folder, *others):
    page = (folder / "sampler-fourth.html").read_text()
    assert "Fisher scoring" in page
    index = (folder / "index.html").read_text()
    assert all(f"sampler-{name}" in index for name in ("fourth", *others))


@pytest.mark.strong
def test_one_file_is_enough(tree):
    problem = tree / "problem.json"
    problem.write_text(json.dumps(PROBLEM))

    def sgtheory(*arguments):
        return ran(tree, "-m", "reports.terminal", *arguments)

    assert "Fisher scoring" in sgtheory("list", "samplers")
    assert "EE_ij" in sgtheory("derive", "fourth", "--what", "all", "--series", 1)
    law = json.loads(sgtheory("law", "fourth", "--problem", problem, "--at", 50, "--json"))
    run = json.loads(
        sgtheory("simulate", "fourth", "--problem", problem, "--steps", 50, "--chains", 50_000, "--json")
    )
    exact, measured = (np.array(d["covariance"]["theta,theta"]) for d in (law, run))
    errors = np.array(run["standard_error"]["covariance"]["theta,theta"])
    # 7 estimated standard errors: 3 entries, far below one false alarm in a billion
    assert (abs(exact - measured) < 7 * errors).all()
    scanned = sgtheory_tests_that_scan(tree)
    assert scanned, "no test is parametrised by the scan"
    ran(tree, "-c", PAGE)
    has_pages(tree / "pages")


@pytest.mark.long
def test_a_report_has_its_page(tree):
    for file in (tree / "sgtheory" / "samplers").glob("[!_]*.py"):  # a page to each takes a while
        if file.stem not in ("fourth", "sgd", "momentum", "sgld"):  # the guide has sgld
            file.unlink()
    ran(tree, "-m", "reports.terminal", "report", "mandt2017.eq13", "--out", tree / "pages")
    has_pages(tree / "pages", "momentum", "sgd")


def sgtheory_tests_that_scan(tree):
    """The tests that pick the new sampler up by themselves, collected without being run."""
    shutil.copytree(ROOT / "tests", tree / "tests")
    shutil.copy(ROOT / "pyproject.toml", tree / "pyproject.toml")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--collect-only",
            "-q",
            "tests/sgtheory",
            "-p",
            "no:cacheprovider",
        ],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in done.stdout.splitlines() if "fourth" in line]
