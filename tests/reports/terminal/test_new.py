"""First files that work at once, as they are written."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from reports.terminal import cli, main
from sgtheory import registry
from sgtheory.errors import UnusableInput

KINDS = {
    "claim": "my_paper.py",
    "sampler": "my_sampler.py",
    "problem": "problem.json",
    "test": "test_my_sampler.py",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def done(*words):
    found = CliRunner().invoke(cli, list(map(str, words)), catch_exceptions=False)
    return found.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_written_once_and_over_only_by_force(here, kind):
    done("new", kind)
    path = here / KINDS[kind]
    first = path.read_text()
    path.write_text("mine")
    with pytest.raises(UnusableInput, match="--force"):
        done("new", kind)
    assert path.read_text() == "mine"
    done("new", kind, "--force")
    assert path.read_text() == first


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_of_another_kind_is_one_line(here, kind, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["new", kind, "file.txt"])
    assert caught.value.code == 2
    assert "a name that ends in ." in capsys.readouterr().err


def test_a_sampler_works_at_once(here):
    done("new", "sampler", "own.py")
    done("new", "problem", "--for", "own.py")
    assert "Sigma_ij" in done("derive", "own.py")
    law = json.loads(done("law", "own.py", "--problem", "problem.json", "--json"))
    assert law["stable"]
    assert law["sampler"] == "own.py:MY_SAMPLER"
    how = ("--problem", "problem.json", "--chains", 2000, "--steps", 10, "--json")
    assert json.loads(done("simulate", "own.py", *how))["sampler"] == "own.py:MY_SAMPLER"


@pytest.mark.strong
def test_the_step_of_a_first_sampler_is_really_held_against_its_declaration(here):
    done("new", "sampler", "own.py")
    check = ("check", "own.py:step", "--like", "own.py", "--dimensions", "1,2", "--json")
    assert json.loads(done(*check))["verdict"] == "conforms"
    path = here / "own.py"
    path.write_text(path.read_text().replace("np.sqrt(2 * mu * h)", "np.sqrt(mu * h)"))
    assert json.loads(done(*check))["verdict"] == "deviates"


@pytest.mark.parametrize("model", registry.names("models"))
def test_a_problem_of_every_model_runs(here, model):
    done("new", "problem", "--model", model)
    how = ("--problem", "problem.json", "--chains", 64, "--steps", 3, "--json")
    assert json.loads(done("simulate", "sgld", *how))["chains"] == 64


@pytest.mark.strong
def test_a_first_test_passes_and_a_wrong_step_fails_it(here):
    done("new", "test", "test_own.py")
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_own.py"]
    assert subprocess.run(run, check=False, capture_output=True).returncode == 0
    path = here / "test_own.py"
    path.write_text(path.read_text().replace("eps / 2", "eps"))
    assert subprocess.run(run, check=False, capture_output=True).returncode == 1


COUPLED = """
from sgtheory.declare import Card, N, Sampler, gradient, positive, state

theta, v, m = state("theta v m")
rate, friction, h = positive("rate friction h")
COUPLED = Sampler(
    state=(theta, v, m),
    updates=(
        (m, (1 - rate) * m + rate * gradient(theta)),
        (v, (1 - friction) * v - {force} * h * N * m),
        (theta, theta + v),
    ),
    given=(rate <= 1, friction <= 1),
    convention=Card(loss="mean", drift="h N"),
)
"""


@pytest.mark.parametrize("force", [1, -1])
def test_a_first_problem_is_stable_or_says_that_it_is_not(here, force):
    (here / "own.py").write_text(COUPLED.format(force=force))
    told = done("new", "problem", "--for", "own.py")
    law = json.loads(
        CliRunner().invoke(cli, ["law", "own.py", "--problem", "problem.json", "--json"]).stdout
    )
    assert law["stable"] == (force == 1)
    assert ("No parameters were found" in told) == (force == -1)  # uphill, no step is stable
