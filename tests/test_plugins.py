"""Other packages' samplers, models and papers; and what is said of those that are broken."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "examples" / "plugin"
OWN = """
from sgtheory.declare import Card, Sampler, gradient, positive, state
theta, h = state("theta"), positive("h")
ONE = Sampler((theta,), ((theta, theta - h * gradient(theta)),), Card(loss="mean", drift="h"))
NUMBER = 3
"""


def announced(folder, name, entries):
    """A folder that looks as if a distribution were installed in it."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = "".join(f"[sgtheory.{group}]\n{line}\n" for group, line in entries)
    (info / "entry_points.txt").write_text(groups)


def sgtheory(*words, path, cwd=None):
    where = os.pathsep.join([*map(str, path), os.environ.get("PYTHONPATH", "")])
    run = [sys.executable, "-m", "reports.terminal", *map(str, words)]
    env = {**os.environ, "PYTHONPATH": where, "SGTHEORY_CACHE": str(path[0] / "cache")}
    return subprocess.run(run, capture_output=True, text=True, check=False, cwd=cwd, env=env)


@pytest.fixture
def example(tmp_path):
    """The example, installed by what its own pyproject says."""
    import tomllib

    points = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [
        (group.removeprefix("sgtheory."), f"{name} = {value}")
        for group, known in points.items()
        for name, value in known.items()
    ]
    assert len(lines) == 3
    announced(tmp_path, "sgtheory-example", lines)
    return [tmp_path, EXAMPLE]


@pytest.mark.strong
def test_the_example_is_one_of_ours(example, tmp_path):
    listed = json.loads(sgtheory("list", "samplers", "--json", path=example).stdout)["samplers"]
    (row,) = (row for row in listed if row["name"] == "heavy_ball")
    assert row["title"] == "Heavy-ball SGD"
    run = sgtheory("new", "problem", "--for", "heavy_ball", path=example, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    law = sgtheory(
        "law", "heavy_ball", "--problem", "problem.json", "--json", path=example, cwd=tmp_path
    )
    assert json.loads(law.stdout)["sampler"] == "heavy_ball"


@pytest.mark.strong
def test_the_model_and_the_paper_of_the_example(example, tmp_path):
    sgtheory("new", "problem", "--model", "quartic", path=example, cwd=tmp_path)
    how = ("--problem", "problem.json", "--chains", 64, "--steps", 3, "--json")
    assert sgtheory("simulate", "sgld", *how, path=example, cwd=tmp_path).returncode == 0
    run = sgtheory("verify", "smith2020", "--json", "v.json", path=example, cwd=tmp_path)
    (claim,) = json.loads((tmp_path / "v.json").read_text())["claims"]
    assert claim["id"] == "smith2020.eq1", run.stderr
    assert claim["verdict"] in (
        "refuted",
        "limit-only",
        "proved-if",
    )
    assert "Smith, Anna" in sgtheory("cite", "heavy_ball", path=example).stdout


BROKEN = {
    "absent = no_such_module:ONE": "ModuleNotFoundError: No module named 'no_such_module'",
    "syntax = with_syntax:ONE": "SyntaxError: invalid syntax, in line 1 of with_syntax.py",
    "typo = with_typo:ONE": "NameError: name 'oops' is not defined, in line 2 of with_typo.py",
    "leaves = that_leaves:ONE": "SystemExit: bye, in line 2 of that_leaves.py",
    "nothing = fine:TWO": "AttributeError",
    "number = fine:NUMBER": "expected a Sampler; got a int",
    "sgd = fine:ONE": "the name sgd is one of sgtheory's own",
}


@pytest.fixture
def broken(tmp_path):
    texts = {
        "with_syntax": "def (:\n",
        "with_typo": "x = 1\noops\n",
        "that_leaves": "import sys\nsys.exit('bye')\n",
        "fine": OWN,
        "loud": OWN + "print('hello')\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    announced(tmp_path, "bad-one", [("samplers", line) for line in BROKEN])
    announced(tmp_path, "twin-a", [("samplers", "shared = fine:ONE")])
    announced(tmp_path, "twin-b", [("samplers", "shared = loud:ONE"), ("papers", "p2020 = no_such")])
    return [tmp_path]


@pytest.mark.strong
def test_broken_plug_ins_are_a_line_each_and_everything_else_goes_on(broken):
    run = sgtheory("list", "samplers", "--json", path=broken)
    names = {row["name"] for row in json.loads(run.stdout)["samplers"]}
    assert run.returncode == 0
    assert {"sgd", "shared"} <= names
    assert not names & {"absent", "syntax", "typo", "leaves", "nothing", "number"}
    lines = run.stderr.splitlines()
    for line, words in BROKEN.items():
        (told,) = (said for said in lines if f"sgtheory.samplers: {line})" in said)
        assert "plug-in bad-one" in told
        assert words in told
        assert len(told) < 400
    (twin,) = (said for said in lines if "twin-b (sgtheory.samplers" in said)
    assert "twin-a announces that name too" in twin
    assert len(set(lines)) == len(lines)


def test_one_that_is_broken_is_refused_by_its_name_in_one_line(broken, tmp_path):
    run = sgtheory("derive", "typo", path=broken)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert "the plug-in typo to load" in run.stderr.splitlines()[-1]


@pytest.mark.strong
def test_a_broken_paper_is_a_line_and_the_others_are_listed(broken):
    run = sgtheory("list", "papers", "--json", path=broken)
    assert run.returncode == 0, run.stderr
    assert "mandt2017" in {row["name"] for row in json.loads(run.stdout)["papers"]}
    assert "sgtheory.papers: p2020 = no_such)" in run.stderr
