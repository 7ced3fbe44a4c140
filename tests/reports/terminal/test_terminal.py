"""The terminal: every command, every exit status, and one clear line for every wrong input."""

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest

from reports.terminal import main

PROBLEM = {
    "model": "quadratic",
    "hessian": [[2, 1], [1, "3/2"]],
    "noise": [[1, "1/4"], ["1/4", 2]],
    "N": 40,
    "S": 4,
    "params": {"eps": "1/50", "mu": "3/10", "H": [[1, 0], [0, "1/2"]], "E": [[1, 0], [0, 1]]},
}


def run(*arguments):
    """The command in this process: what it writes, and the status that it leaves with."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
        main([str(a) for a in arguments])
    return subprocess.CompletedProcess(arguments, left.value.code, out.getvalue(), err.getvalue())


def run_alone(*arguments):
    """The command in a process of its own, as a person types it."""
    return subprocess.run(
        [sys.executable, "-m", "reports.terminal", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(PROBLEM))
    return path


def changed(tmp_path, **changes):
    path = tmp_path / "changed.json"
    content = {k: v for k, v in {**PROBLEM, **changes}.items() if v is not None}
    path.write_text(json.dumps(content))
    return path


def refused(done):
    """Status 2, nothing on standard output, one line with what was expected, got, and what to do."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in lines[0]
    return lines[0]


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from reports.terminal import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as e: assert e.code == 0\n"
        "heavy = {'sympy', 'numpy', 'llvmlite', 'matplotlib', 'scipy', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "derive" in done.stdout


def test_law_json_has_the_keys_of_the_contract(problem):
    done = run("law", "momentum", "--problem", problem, "--average", 5, "--json")
    law = json.loads(done.stdout)
    assert done.returncode == 0
    assert law["schema"] == "sgtheory.law/1"
    assert law["state"] == ["theta", "v"]
    assert set(law["covariance"]) == {"theta,theta", "theta,v", "v,v"}
    assert law["average"]["window"] == 5
    assert law["stable"] is True
    assert law["kl_to_posterior"] > 0


@pytest.mark.strong
def test_a_process_of_its_own_says_the_same(problem, tmp_path):
    """Other tests call the command in theirs: status, output and errors do not depend on that."""
    wild = changed(tmp_path, params={"eps": 3})
    for how, status in (
        (("law", "momentum", "--problem", problem, "--json"), 0),
        (("law", "sgd", "--problem", wild, "--json"), 1),
        (("law", "sgd", "--problem", wild), 2),
    ):
        alone, here = run_alone(*how), run(*how)
        assert alone.returncode == here.returncode == status
        assert (alone.stdout, alone.stderr) == (here.stdout, here.stderr)


def test_law_with_gradient_and_fourth_moments(problem):
    done = run("law", "momentum", "--problem", problem, "--gradient", "eps", "--fourth", "--json")
    law = json.loads(done.stdout)
    assert law["gradient"]["parameter"] == "eps"
    distances = {"kl_to_posterior", "kl_from_posterior", "wasserstein2"}
    assert set(law["gradient"]) == {"parameter", "value", *distances}
    assert law["fourth"]["excess_kurtosis"] == [0, 0]
    told = run("law", "momentum", "--problem", problem, "--gradient", "H", "--fourth")
    assert "derivative of the KL to the posterior with respect to H" in told.stdout
    assert "excess kurtosis" in told.stdout
    late = run("law", "momentum", "--problem", problem, "--gradient", "eps", "--at", 3)
    assert late.returncode == 2
    assert late.stderr.count("\n") == 1


def test_gradients_and_fourth_moments_that_do_not_exist(problem, tmp_path):
    wrong = refused(run("law", "sgd", "--problem", problem, "--gradient", "N"))
    assert "moves the posterior" in wrong
    assert "eps" in refused(run("law", "sgd", "--problem", problem, "--gradient", "mass"))
    flat = tmp_path / "flat.json"
    data = {"model": "gaussian_mean", "X": [[1, 2], [1, 3]], "S": 1, "params": {"eps": "1/8"}}
    flat.write_text(json.dumps(data))
    law = json.loads(run("law", "sgd", "--problem", flat, "--fourth", "--json").stdout)
    assert law["fourth"]["excess_kurtosis"][0] is None
    assert run("law", "sgd", "--problem", flat, "--fourth").returncode == 0
    steep = {"model": "linear_regression", "X": [[3], [3], [3], [7]], "y": [1, -1, 1, 0], "S": 1}
    flat.write_text(json.dumps({**steep, "params": {"eps": "1/18"}}))
    assert "no fourth moments" in refused(run("law", "sgd", "--problem", flat, "--fourth"))


def test_tune_says_what_is_printed_and_what_is_best(problem):
    done = run("tune", "sgd", "--problem", problem, "--json")
    found = json.loads(done.stdout)
    assert found["schema"] == "sgtheory.tuning/1"
    assert [t["parameter"] for t in found["tuned"]] == ["H", "eps"]
    for tuned in found["tuned"]:
        assert {c["how"] for c in tuned["choices"]} == {"printed", "continuous", "exact"}
        assert tuned["certificate"]["holds"]
        best = min(tuned["choices"], key=lambda c: c.get("kl_to_posterior", float("inf")))
        assert best["how"] == "exact"
    told = run("tune", "sgd", "--problem", problem, "--only", "H")
    assert "H^(-1) = eps*N*C/(2*S) + eps*A/2" in told.stdout
    assert "certified" in told.stdout
    wrong = run("tune", "sgd", "--problem", problem, "--only", "mass")
    assert wrong.returncode == 2
    assert "expected a parameter among H, eps; got mass" in wrong.stderr


def test_unstable_law(problem, tmp_path):
    wild = changed(tmp_path, params={"eps": 3})
    done = run("law", "sgd", "--problem", wild, "--json")
    law = json.loads(done.stdout)
    assert done.returncode == 1
    assert law["stable"] is False
    assert "covariance" not in law
    assert "eps < 2/lambda" in done.stderr
    assert "eps < 2/lambda" in refused(run("law", "sgd", "--problem", wild))
    assert "eps < 2/lambda" in refused(run("simulate", "sgd", "--problem", wild))
    assert run("law", "sgd", "--problem", wild, "--at", 3).returncode == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hessian": [[2, 1], [0, 2]]}, "symmetric"),
        ({"hessian": [[1, 2], [2, 1]]}, "positive definite"),
        ({"noise": [[1, 2], [2, 1]]}, "positive semidefinite"),
        ({"noise": [[1]]}, "one dimension"),
        ({"hessian": [[1, 2]]}, "square"),
        ({"hessian": [[1]] * 30_000}, "at most 2000 rows"),
        ({"hessian": "A"}, "a finite number for hessian"),
        ({"hessian": None}, 'the key "hessian"'),
        ({"params": {}}, "one of eps, H"),
        ({"params": {"eps": -1}}, "positive eps"),
        ({"params": {"eps": "NaN"}}, "finite number for eps"),
        ({"params": {"epsilon": 1}}, "did you mean 'eps'"),
        ({"params": {"eps": [[1, 0], [0, 1]]}}, "the number eps"),
        ({"params": {"H": [[1, 2], [0, 1]]}}, "symmetric"),
        ({"hesian": [[1]]}, "did you mean 'hessian'"),
        ({"S": "3/2"}, "whole number"),
        ({"S": None}, "S for sgd"),
        ({"model": "cubic"}, "name of one of the models"),
    ],
)
def test_a_wrong_problem_gets_one_line(tmp_path, change, words):
    assert words in refused(run("law", "sgd", "--problem", changed(tmp_path, **change)))


@pytest.mark.parametrize("text", ['{"hessian": [[NaN]]}', "{", "[1]", '"x"', "\x00", "[" * 100_000])
def test_a_broken_file_gets_one_line(tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_text(text)
    refused(run("law", "sgd", "--problem", path))


def test_other_wrong_input_gets_one_line(problem, tmp_path):
    assert "choose one of" in refused(run("law", "sgld2", "--problem", problem))
    refused(run("law", "sgd", "--problem", tmp_path / "none.json"))
    refused(run("law", "sgd"))
    refused(run("nothing"))
    refused(run("derive", "sgd", "--time", "never"))
    assert "did you mean" in refused(run("verify", "mandt2017.eq3100"))
    refused(run("simulate", "sgd", "--problem", problem, "--chains", 0))
    refused(run("verify", tmp_path / "none.py"))
    refused(run("cite", "nobody"))
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert "can be written" in refused(run("report", "mandt2017.eq13", "--out", blocked / "pages"))
    assert "can be written" in refused(run("verify", "mandt2017.eq13", "--json", blocked / "v.json"))


def test_derive_in_every_format():
    text = run("derive", "momentum").stdout
    assert "eps*mu*C_ij*(2 - mu)" in text
    assert r"\frac" in run("derive", "sgd", "--format", "latex").stdout
    assert "```math" in run("derive", "sgd", "--format", "markdown").stdout
    document = json.loads(
        run("derive", "sgld", "--what", "all", "--series", 2, "--format", "json").stdout
    )
    assert document["schema"] == "sgtheory.notation.derivation/1"
    assert {"theta,theta", "limit", "series", "autocovariance"} <= set(document["results"])


def test_simulate_agrees_with_law_and_writes(problem, tmp_path):
    out = tmp_path / "deep" / "run.json"
    done = run(
        "simulate",
        "sgld",
        "--problem",
        problem,
        "--chains",
        20_000,
        "--steps",
        200,
        "--out",
        out,
        "--json",
    )
    document = json.loads(done.stdout)
    assert document == json.loads(out.read_text())
    law = json.loads(run("law", "sgld", "--problem", problem, "--at", 200, "--json").stdout)
    for i in range(2):
        for j in range(2):
            gap = document["covariance"]["theta,theta"][i][j] - law["covariance"]["theta,theta"][i][j]
            # 7 estimated standard errors: 3 entries, far below one false alarm in a billion
            assert abs(gap) < 7 * document["standard_error"]["covariance"]["theta,theta"][i][j]


@pytest.mark.strong
def test_verify_json_and_own_file(tmp_path):
    done = run("verify", "mandt2017.eq25", "--json", "-")
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["schema"] == "sgtheory.verdicts/1"
    (claim,) = document["claims"]
    assert claim["id"] == "mandt2017.eq25"
    assert claim["verdict"] == "proved-if"
    assert claim["corrected"]["verdict"] == "proved"
    assert {e["route"] for e in claim["evidence"]} == {"symbolic", "exact", "ensemble", "search"}
    assert claim["twins"]["tried"] == claim["twins"]["rejected"] >= 5

    file = tmp_path / "mine.py"
    file.write_text(
        "from verification.statements import Printed\n"
        "from verification.statements.stationary import StationaryLaw\n"
        "from verification.notation import A, C, S, Sigma, eps\n"
        "eq1 = StationaryLaw('eq1', at='Eq. 1', title='T', says='S.', of='sgd',\n"
        f"    printed=(Printed(Sigma * A + A * Sigma, {2} * eps / S * C),))\n"
    )
    wrong = run("verify", file)
    assert wrong.returncode == 1
    assert "refuted" in wrong.stdout
    assert "A*Sigma + Sigma*A = eps*C/S" in wrong.stdout
    right = tmp_path / "right.py"  # Python may keep what it compiled from a file of the same second
    right.write_text(file.read_text().replace("2 * eps", "1 * eps"))
    assert run_alone("verify", right).returncode == 0


@pytest.mark.strong
def test_errata_of_one_claim_and_of_none():
    done = run("errata", "mandt2017.eq25", "--format", "markdown")
    assert done.returncode == 0
    assert "Eq. 25" in done.stdout
    assert "Eq. 24" not in done.stdout
    wrong = run("errata", "mandt2017.eq2500")
    assert wrong.returncode == 2
    assert "did you mean mandt2017.eq2" in wrong.stderr


def test_lists_citations_completion():
    assert "torch.optim.SGD" in run("list", "samplers").stdout
    claims = json.loads(run("list", "claims", "--json").stdout)["claims"]
    assert "mandt2017.thm1" in {c["name"] for c in claims}
    assert "@article{mandt2017" in run("cite", "mandt2017.thm1").stdout
    assert "_SGTHEORY_COMPLETE" in run("completion", "bash").stdout
