"""The pytest plugin, run on test files of its own: wrong twins fail and leave a problem file."""

import json
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from scipy.stats import binom

from sgtheory import Problem
from sgtheory.errors import UnusableInput
from sgtheory.problem import read_problem
from verification.properties.budget import Demand, of_check, of_trial, read_budget, split
from verification.properties.experiment import Experiment, held

pytest_plugins = ("pytester",)
ROOT = Path(__file__).parents[2]
INSTALLED = any(e.value == "sgtheory.pytest_plugin" for e in entry_points(group="pytest11"))
HEAD = """
import json, os, pytest
from dataclasses import replace
from pathlib import Path
import sympy as sp
from hypothesis import strategies as st
from sgtheory import Problem, registry
from verification.strategies import problems, rational_problems

def off_by(factor):
    sgld = registry.sampler("sgld")
    (xi,) = sgld.noises
    updates = tuple((target, e.xreplace({xi: sp.Rational(factor) * xi})) for target, e in sgld.updates)
    return replace(sgld, updates=updates, name="sgld with wrong noise")
"""
SHARES = """
def shares(ensembles, name):
    with (Path(os.environ["SHARES"]) / name).open("a") as file:
        file.write(json.dumps([ensembles.demand.false_alarm, ensembles.test.seed]) + "\\n")

@pytest.mark.ensemble(false_alarm=4e-7)
def test_a(ensembles): shares(ensembles, "a")

@pytest.mark.ensemble(effect=0.2)
def test_b(ensembles): shares(ensembles, "b")

def test_c(ensembles):
    shares(ensembles, "c")
    content = {"hessian": [[1]], "noise": [[1]], "N": 1, "S": 1, "params": {"eps": 1, "mu": "1/2"}}
    one = st.just(Problem.of(content))
    ensembles.check(os.environ["SAMPLER"], one, like="momentum", steps=4, chains=2000)
def test_other(): pass
"""


@pytest.fixture
def run(pytester, monkeypatch, tmp_path_factory):
    """Runs a test file under the plugin, in this process unless xdist starts others."""
    shares = tmp_path_factory.mktemp("shares")
    monkeypatch.setenv("SHARES", str(shares))
    monkeypatch.setenv("SAMPLER", "momentum")

    def run(body, *arguments, ini=""):
        pytester.makeini(f"[pytest]\n{ini}")
        pytester.makepyfile(HEAD + body)
        plugin = () if INSTALLED else ("-p", "sgtheory.pytest_plugin")
        return pytester.runpytest(*plugin, "-p", "no:cacheprovider", *arguments)

    run.shares = lambda: {
        file.name: [json.loads(line) for line in file.read_text().splitlines()]
        for file in sorted(shares.iterdir())
    }
    return run


def failures(pytester):
    return sorted((pytester.path / ".sgtheory" / "failures").glob("*.json"))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.strong
def test_the_budget_is_split_alike_with_workers_and_without(run, pytester, monkeypatch, workers):
    monkeypatch.setenv("SAMPLER", "nesterov")
    result = run(SHARES, *(("-n", str(workers)) if workers else ()))
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*spent 1.5e-07 by 1 checks of 1 random problems"])
    assert len(failures(pytester)) == 1
    found = run.shares()
    assert {name: lines[0][0] for name, lines in found.items()} == pytest.approx(
        {"a": 4e-7, "b": 3e-7, "c": 3e-7}
    )
    assert len({lines[0][1] for lines in found.values()}) == 1  # one seed to a run


def test_only_what_is_selected_shares(run):
    run(SHARES, "-k", "test_c or test_other", ini="sgtheory_false_alarm = 1e-3").assert_outcomes(
        passed=2, deselected=2
    )
    assert run.shares()["c"][0][0] == 1e-3


@pytest.mark.parametrize(
    ("ini", "words", "workers"),
    [
        ("sgtheory_false_alarm = 3e-7", "at most 3e-07, the budget of the run; got 4e-07 in 1 tests", 0),
        ("sgtheory_false_alarm = 3e-7", "at most 3e-07, the budget of the run; got 4e-07 in 1 tests", 2),
        ("sgtheory_false_alarm = 4e-7", "which leaves nothing for 2 more", 0),
        ("sgtheory_false_alarm = often", "sgtheory_false_alarm as a probability; got 'often'", 0),
    ],
)
@pytest.mark.strong
def test_an_overdrawn_budget_is_a_usage_error(run, ini, words, workers):
    result = run(SHARES, *(("-n", str(workers)) if workers else ()), ini=ini)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert words in result.stdout.str() + result.stderr.str()
    assert run.shares() == {}  # nothing ran


def test_a_marker_that_says_nothing_known_is_refused(run):
    result = run("@pytest.mark.ensemble(efect=0.1)\ndef test_a(ensembles): pass\n")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "got efect" in result.stderr.str()


def test_a_right_sampler_passes_and_the_summary_says_what_was_seen(run):
    result = run(
        """
@pytest.mark.ensemble(effect=0.1, power=0.95)
def test_right(ensembles):
    verdict = ensembles.check("momentum", problems("momentum", dims=(1, 3)), count=40, steps=8)
    assert len(verdict.outcomes) == 40 and verdict.false_alarm == 5e-7
    assert ensembles.check("sgd", problems("sgd", dims=(1, 1), rank=1), count=5).false_alarm == 2.5e-7
""",
        "--sgtheory-seed=3",
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*false-alarm budget 1e-06, spent 7.5e-07 by 2 checks of 45 random problems",
            "*smallest effect resolved: * with probability 0.95; in every check: 0.1 *",
            "seed 3",
        ]
    )


@pytest.mark.strong
def test_noise_that_is_one_percent_off_fails_with_the_smallest_problem(run, pytester):
    result = run(
        """
@pytest.mark.ensemble(effect=0.02)
@pytest.mark.parametrize("factor", ["1", "101/100"])
def test_noise(ensembles, factor):
    drawn = problems("sgld", dims=(1, 2), gain=False)
    ensembles.check(off_by(factor), drawn, like="sgld", count=6, steps=6)
""",
        "--sgtheory-seed=1",
    )
    result.assert_outcomes(passed=1, failed=1)  # the right twin and the wrong one
    (path,) = failures(pytester)
    content = json.loads(path.read_text())
    assert (content["hessian"], content["noise"]) == ([[1]], [[1]])
    shown = str(path.relative_to(pytester.path))
    result.stdout.fnmatch_lines(
        [
            "*departs from the exact law of sgld*",
            f"*see: sgtheory law sgld --problem {shown} --at 6",
            f"*see: sgtheory verify sgld --problem {shown} --at 6",
            "*again: pytest '*::test_noise[[]101/100[]]' --sgtheory-seed=1",
            "*spent 5e-07 by 2 checks of 12 random problems*",
        ]
    )
    for verb in ("law", "verify"):
        assert_accepted(verb, "sgld", "--problem", path, "--at", 6)


def assert_accepted(*arguments):
    from reports.terminal import main

    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in arguments])
    assert not ended.value.code


@pytest.mark.strong
def test_the_same_seed_finds_the_same_problem(run, pytester):
    body = """
def test_where(ensembles):
    drawn = problems("momentum", dims=(1, 1))
    ensembles.check("nesterov", drawn, like="momentum", count=4, chains=2000)
"""
    found = []
    for seed in (7, 7, 8):
        result = run(body, f"--sgtheory-seed={seed}")
        result.assert_outcomes(failed=1)
        (path,) = failures(pytester)
        words = [line for line in result.outlines if "chains;" in line]
        found.append((words, path.read_text()))
        path.unlink()
    assert found[0] == found[1]
    assert found[0][0] != found[2][0]
    mu = read_problem_text(found[0][1], pytester).params["mu"]
    assert mu != 1  # where both samplers are plain SGD


def read_problem_text(text, pytester):
    path = pytester.path / "again.json"
    path.write_text(text)
    return read_problem(path)


@pytest.mark.strong
def test_theorems_hold_in_exact_numbers_or_leave_the_smallest_problem(run, pytester):
    result = run(
        """
from sgtheory.independent.fields import add, multiply
from sgtheory.setting import Setting
from verification.laws.rational import law_numbers

SGD = Setting(registry.sampler("sgd"), registry.model("quadratic"))

def left_over(problem, squares):
    \"\"\"Of A Sigma + Sigma A - eps A Sigma A = (eps/S) C: with its last term, or without.\"\"\"
    A, C = ([list(row) for row in m] for m in (problem.A, problem.C))
    Sigma = law_numbers(SGD, problem, "discrete").sigma
    eps, S = problem.scalars["eps"], problem.scalars["S"]
    inner = multiply(multiply(A, Sigma), A)
    both = add(multiply(A, Sigma), multiply(Sigma, A))
    return [both[i][j] - squares * eps * inner[i][j] - eps / S * C[i][j]
            for i in range(len(A)) for j in range(len(A))]

def test_discrete(theorem):
    theorem(lambda p: not any(left_over(p, 1)), rational_problems("sgd"), count=30)

def test_continuous(theorem):
    theorem(lambda p: not any(left_over(p, 0)), rational_problems("sgd"), sampler="sgd", count=30)

def small(p):
    assert p.D < 3, "too large"

def test_assertion(theorem):
    theorem(small, problems("sgd"), sampler="sgd", count=30)
"""
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["small does not hold for every example: too large*"])
    large, equation = (json.loads(p.read_text()) for p in failures(pytester))
    assert large["hessian"] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert equation["hessian"] == [["1"]]
    for path in failures(pytester):
        assert_accepted("law", "sgd", "--problem", path)


def test_verify_on_a_problem_says_what_it_would_have_seen(monkeypatch, tmp_path, capsys):
    """The wrong twin: an ensemble of a sampler whose noise is 1 % off is refuted, with status 1."""
    from dataclasses import replace

    from reports.terminal import main
    from verification.properties import experiment

    path = tmp_path / "problem.json"
    content = {"hessian": [[1]], "noise": [[1]], "N": 1, "S": 4, "params": {"eps": "1/2"}}
    path.write_text(json.dumps(content))

    def verify(file):
        with pytest.raises(SystemExit) as ended:
            main(["verify", "sgld", "--problem", str(path), "--json", file])
        return ended.value.code

    assert verify("-") == 0
    (claim,) = json.loads(capsys.readouterr().out)["claims"]
    assert claim["verdict"] == "confirmed"
    assert claim["evidence"][0]["detectable_relative_error"] <= 0.0101
    honest = experiment.Experiment.run
    scope = {}
    exec(HEAD, scope)
    wrong = scope["off_by"]("101/100")
    monkeypatch.setattr(
        experiment.Experiment, "run", lambda e, *rest: honest(replace(e, sampler=wrong), *rest)
    )
    assert verify(str(tmp_path / "verdicts.json")) == 1
    assert "refuted sgld" in capsys.readouterr().out
    assert json.loads((tmp_path / "verdicts.json").read_text())["claims"][0]["verdict"] == "refuted"


def test_a_coordinate_that_should_stand_still_must_not_move(run):
    body = """
def one(e):
    content = {"hessian": [[1, 0], [0, 2]], "noise": [[1, 0], [0, 0]], "N": 1, "S": 1}
    return st.just(Problem.of({**content, "params": {"eps": "1/2", "E": [[0, 0], [0, e]]}}))

@pytest.mark.parametrize("e", [0, "1/1000"])
def test_still(ensembles, e):
    ensembles.check("sgfs", one(e), like="sgd")
"""
    result = run(body)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*theta[[]1[]]: moves, and should not*"])


def test_what_has_no_gaussian_law_is_refused(run):
    result = run(
        """
from verification.strategies import regressions

def test_data(ensembles):
    ensembles.check("sgd", regressions("sgd"), count=3)

def test_late(request):
    request.getfixturevalue("ensembles")
"""
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*expected a sampler and a model whose law is Gaussian*", "*too late*"])


@pytest.mark.strong
def test_false_alarms_stay_within_the_budget_and_use_it():
    content = {"hessian": [[2, 1], [1, 2]], "noise": [[1, 0], [0, 2]], "N": 1, "S": 1}
    problem = Problem.of({**content, "params": {"eps": "1/4"}})
    repeats, rate = 400, 0.2
    outcomes = held(Experiment("sgd", "sgd", 2), [problem] * repeats, rate, 1, lambda _: 64)
    alarms = sum(o.fails for o in outcomes)
    # Bonferroni over correlated tests uses most of the rate
    assert binom.ppf(1e-6, repeats, rate / 2) <= alarms <= binom.ppf(1 - 1e-6, repeats, rate)


def test_shares_add_up():
    assert sum(of_check(1.0, k) for k in range(1, 60)) == pytest.approx(1)
    assert sum(of_trial(1.0, k) for k in range(1, 10_000)) == pytest.approx(1, abs=2e-4)
    assert split({str(k): 1e-7 for k in range(10)}, 1e-6)  # ten tenths, whatever the rounding
    with pytest.raises(UnusableInput):
        split({str(k): 1.001e-7 for k in range(10)}, 1e-6)
    for text in ("0", "1", "nan", "-1e-3", ""):
        with pytest.raises(UnusableInput):
            read_budget(text)
    for keywords in ({"power": 1}, {"effect": 0}, {"false_alarm": 2.0}, {"effect": "0.1"}):
        with pytest.raises(UnusableInput):
            Demand.read((), keywords)


def test_nobody_pays_who_does_not_use_it(run):
    result = run("def test_plain(): pass\n")
    result.assert_outcomes(passed=1)
    assert "false-alarm" not in result.stdout.str()
    assert (
        loaded("import sgtheory.pytest_plugin", "hypothesis", "verification", "sympy", "numpy") == set()
    )
    hook = "from sgtheory.hypothesis_types import register; register()"
    assert loaded(hook, "verification.strategies", "sympy", "numpy", "scipy") == set()


def loaded(code, *names):
    """Which of some modules are there after some code has run in a process of its own."""
    code += f"; import sys; print(*({set(names)} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.split())


def test_the_entry_points_lead_somewhere():
    announced = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert hasattr(import_module(announced["pytest11"]["sgtheory"]), "pytest_addoption")
    module, _, name = announced["hypothesis"]["sgtheory"].partition(":")
    assert callable(getattr(import_module(module), name))
