"""``sgtheory check`` through a real process: what it says, its exit status, and what GitHub is told."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from reports.terminal import checked
from reports.terminal.commands.check import command
from reports.terminal.common import repeated
from verification.checking.judging import Diagnosis

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "check"
STEPS = """
import time
import numpy as np

def right(theta, gradient, rng, eps, H):
    return theta - eps * gradient(theta) @ H

def wrong(theta, gradient, rng, eps, H):
    return theta - 2 * eps * gradient(theta) @ H

def raises(theta, gradient, rng, eps=0.0):
    raise RuntimeError("out of cheese")

def slow(theta, gradient, rng, eps, H):
    time.sleep(0.3)
    return right(theta, gradient, rng, eps, H)

def misnamed(theta, gradient, rng, epsilon): ...
def short(theta, rng): ...
number = 3
"""


def run(folder, *arguments, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB")}
    path = os.pathsep.join([str(ROOT), clean.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "reports.terminal", "check", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**clean, "PYTHONPATH": path, **environment},
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(STEPS)
    (tmp_path / "broken.py").write_text("def step(:")
    return tmp_path


@pytest.mark.strong
@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        pytest.param(
            ("right",), 0, "✓ conforms  mine.py:right has the exact law", marks=pytest.mark.long
        ),
        (("wrong",), 1, "✗ deviates  mine.py:wrong does not have the exact law of sgd"),
        pytest.param(("raises",), 1, "✗ crashed", marks=pytest.mark.long),
        pytest.param(("slow", "--limit", "1"), 3, "? inconclusive", marks=pytest.mark.long),
    ],
)
def test_the_status_says_what_came_out(folder, arguments, status, words):
    name, *more = arguments
    found = run(folder, f"mine.py:{name}", "--like", "sgd", "--dimensions", "1", *more)
    assert (found.returncode, found.stderr) == (status, "")
    assert words in found.stdout
    assert "\x1b" not in found.stdout  # no colours: it is no terminal
    assert max(map(len, found.stdout.splitlines())) < 200


@pytest.mark.parametrize(
    ("target", "more", "expected", "remedy"),
    [
        ("mine.py:right", ("--like", "sgdl"), "got 'sgdl'", "did you mean 'sgld'?"),
        *(
            pytest.param(*values, marks=pytest.mark.long)
            for values in (
                ("mine.py", (), "expected module:attribute, file.py:name", "add a colon"),
                ("nowhere.py:step", (), "expected a Python file; got nowhere.py", "check the path"),
                ("mine.py:rigth", (), "expected rigth in mine.py", "did you mean right?"),
                ("no_such_module:step", (), "expected a module no_such_module", "install it"),
                ("broken.py:step", (), "got SyntaxError", "mend it"),
                ("mine.py:number", (), "expected a step function", "see the adapters"),
                ("mine.py:misnamed", (), "got epsilon", "rename epsilon to eps"),
                (
                    "mine.py:short",
                    (),
                    "expected short(state, gradient, rng, **params)",
                    "take rng in place 3",
                ),
                ("mine.py:right", ("--kind", "numpi"), "expected a kind of target", "choose one"),
                ("mine.py:right", ("--page", "page.pdf"), "expected a page that ends in", "check.html"),
                ("mine.py:right", ("--dimensions", "0"), "expected numbers from 1", "such as"),
                ("mine.py:right", ("--budget", "huge"), "'huge' is not one of", "--help"),
            )
        ),
    ],
)
def test_what_cannot_be_used_is_told_in_a_line(folder, target, more, expected, remedy):
    like = () if "--like" in more else ("--like", "sgd")
    dimensions = () if "--dimensions" in more else ("--dimensions", "1")
    found = run(folder, target, *like, *dimensions, *more)
    assert (found.returncode, found.stdout) == (2, "")
    (line,) = found.stderr.splitlines()
    assert expected in line
    assert remedy in line


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything may be read by root")
def test_a_file_that_may_not_be_read(folder):
    (folder / "mine.py").chmod(0)
    found = run(folder, "mine.py:right", "--like", "sgd")
    assert found.returncode == 2
    assert "expected a file that may be read" in found.stderr


@pytest.mark.long
def test_github_is_told_and_json_stays_alone(folder):
    summary = folder / "summary.md"
    settings = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    arguments = ("mine.py:wrong", "--like", "sgd", "--dimensions", "1")
    found = run(folder, *arguments, "--json", **settings)
    assert json.loads(found.stdout)["verdict"] == "deviates"
    assert found.stderr.startswith("::error file=mine.py,line=8,title=mine.py%3Awrong deviates")
    assert "sgtheory check mine.py:wrong --like sgd --seed 1 --dimensions 1" in summary.read_text()
    shown = run(folder, *arguments, **settings)
    assert shown.stdout.count("::error") == 1
    assert summary.read_text().count("# mine.py:wrong against the law of sgd") == 2


def test_annotations_are_escaped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a,b.py").write_text("x = 1\n\ndef step(): ...\n")
    words = "5 % off\nhere: see"
    found = SimpleNamespace(
        verdict="deviates", target="a,b.py:step", like="sgd", diagnosis=(Diagnosis("n", "", words, 1.0),)
    )
    assert checked.annotation(found) == (
        "::error file=a%2Cb.py,line=3,title=a%2Cb.py%3Astep deviates against sgd::5 %25 off%0Ahere: see"
    )


def test_the_command_to_repeat_names_what_is_not_default():
    given = ["a b.py:step", "--like", "sgd", "--limit", "9", "--json", "--page", "x.html"]
    context = click.Context(command, info_name="check")
    command.parse_args(context, given)
    assert repeated(context) == "sgtheory check 'a b.py:step' --like sgd --seed 1 --limit 9"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "like", "status"), [("sgld", "sgld", 0), ("sgld_faulty", "sgld", 1), ("sghmc", "sghmc", 0)]
)
def test_the_examples_do_what_they_say(name, like, status):
    found = run(EXAMPLES, f"{name}.py:step", "--like", like)
    assert found.returncode == status
    assert ("standard deviation eps, should be sqrt(eps)" in found.stdout) == (status == 1)


@pytest.mark.long
def test_a_suite_with_the_examples_passes(tmp_path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLES)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=env)
    assert "3 passed, 1 xfailed" in done.stdout


def test_a_time_stands_in_place_of_a_budget(tmp_path):
    (tmp_path / "steps.py").write_text(STEPS)
    target = f"{tmp_path / 'steps.py'}:right"
    both = run(tmp_path, target, "--like", "sgd", "--minutes", "1", "--budget", "quick")
    assert both.returncode == 2
    assert "expected --minutes or --budget; got both; leave one of them out" in both.stderr


@pytest.mark.strong
def test_a_step_without_a_law_has_a_page_too(tmp_path):
    """Curves of an exact law were drawn of a step that has none: status 2, and no page."""
    steps = Path(__file__).parents[2] / "doors" / "steps" / "numpy" / "psgld.py"
    given = ("--like", "psgld:no_gamma", "--with", "delta=lambda", "--budget", "quick")
    page = tmp_path / "page.txt"
    found = run(tmp_path, f"{steps}:step", *given, "--dimensions", "1", "--page", str(page))
    assert found.returncode == 0, found.stderr
    assert "samples of psgld:no_gamma" in found.stdout
    assert "samples of" in page.read_text()
