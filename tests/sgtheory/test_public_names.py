"""``import sgtheory as sg`` leads to what there is, and editors see its types."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import sympy as sp

import sgtheory as sg
import simulators
from sgtheory import registry
from sgtheory.onestep.affine import is_affine
from tests.sgtheory.test_display import CONTENT

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("package", [sg, simulators], ids=lambda p: p.__name__)
def test_dir_shows_every_public_name_and_each_is_there(package):
    assert set(package.__all__) <= set(dir(package))
    assert all(name in package.__all__ for name in dir(package) if not name.startswith("_"))
    for name in package.__all__:
        assert getattr(package, name) is not None
    assert len(set(package.__all__)) == len(package.__all__)


def test_dir_of_samplers_and_models_is_their_names():
    assert {"sgd", "momentum", "underdamped"} <= set(dir(sg.samplers))
    assert {"quadratic", "linear_regression"} <= set(dir(sg.models))


def test_everything_that_the_readme_asks_of_sg_is_there():
    asked = set(re.findall(r"\bsg\.(\w+)", README))
    assert {"derive", "tune", "read_problem", "samplers"} <= asked
    assert asked <= set(dir(sg))


def test_a_name_of_another_room_says_where_it_is():
    with pytest.raises(AttributeError, match="from simulators import simulate"):
        _ = sg.simulate
    with pytest.raises(AttributeError, match="dir"):
        _ = sg.nothing_of_this_name


def test_looking_at_what_there_is_imports_nothing():
    heavy = "{'numpy', 'sympy', 'scipy'}"
    asked = f"import sgtheory as sg, sys; dir(sg); print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.parametrize("ask", [sg.law, sg.tune, sg.fourth_moments])
def test_a_problem_may_be_given_as_its_content_or_its_file(ask, tmp_path):
    import json

    file = tmp_path / "problem.json"
    file.write_text(json.dumps(CONTENT))
    problem = sg.Problem.of(CONTENT)
    assert ask("sgd", CONTENT).to_json() == ask("sgd", file).to_json() == ask("sgd", problem).to_json()
    assert ask("sgd", str(file)).to_json() == ask("sgd", problem).to_json()


def test_records_print_on_few_lines():
    problem = sg.Problem.of(CONTENT)
    told = str(problem)
    assert told.splitlines()[0] == "Problem: quadratic, D = 2"
    assert "hessian: [[2, 1], [1, 3/2]]" in told
    assert "params: eps = 1/100" in told
    data = {"model": "linear_regression", "X": [[k, 1] for k in range(99)], "y": [1] * 99, "S": 2}
    shown = [problem.values("sgd"), sg.Problem.of(data).examples, sg.derive("momentum").pairs]
    for record in shown:
        assert len(repr(record)) < 90, repr(record)
    assert all(len(line) < 120 for line in str(sg.Problem.of(data)).splitlines())


def _formulas():
    for name in registry.names("samplers"):
        sampler = registry.sampler(name)
        yield from (side for update in sampler.updates for side in update)
        if is_affine(sg.Setting(sampler, registry.model("quadratic"))) and name in (
            "sgd",
            "sgld",
            "momentum",
        ):
            law = sg.derive(name)
            yield from (law.covariance.pair, law.stability.limit, law.covariance.series("eps", 2))


# What SymPy makes of a word that it does not know: its letters in a row, or the word upright.
SPELLED = re.compile(
    r"(?<![\\a-zA-Z])(eps|mu|xi|eta|theta|lambda|gamma|ones|mode)(?![a-zA-Z])|operatorname"
)


def test_sympys_own_latex_has_greek_letters():
    written = [sp.latex(formula) for formula in _formulas()]
    assert len(written) > 100
    assert not [text for text in written if SPELLED.search(text)]
    assert any(r"\epsilon" in text for text in written)
    assert any(r"\hat{g}(\theta)" in text for text in written)  # SymPy's own gradient is another


def test_sympys_other_printers_take_every_formula():
    for formula in _formulas():
        assert sp.pretty(formula)
        assert formula._repr_latex_().startswith("$")


def test_settings_of_sympys_latex_are_obeyed():
    formula = sg.derive("sgd").covariance.pair
    assert r"\cdot" in sp.latex(formula, mul_symbol="dot")
    assert sp.latex(formula, mode="equation").startswith(r"\begin{equation}")


USER = """
import numpy as np

import sgtheory as sg
from sgtheory.declare import Card, Sampler, gradient, positive, state
from sgtheory.estimate import read
from sgtheory.problem import Problem
from simulators import Ensemble, simulate
from verification.statements import Printed
from verification.statements.stationary import StationaryLaw
from reports.document import Page

problem = sg.Problem.of({"hessian": np.eye(2), "noise": np.eye(2), "params": {"eps": 0.1}})
reveal_type(problem)
reveal_type(sg.derive(sg.samplers.momentum))
reveal_type(sg.law("sgd", problem).kl_to_posterior)
reveal_type(sg.tune("sgd", problem)["eps"])
run: Ensemble = simulate(sg.Setting(sg.registry.sampler("sgd"), problem.model), problem.values("sgd"))
wrong: int = sg.law("sgd", problem)
"""


@pytest.mark.strong
def test_a_users_file_sees_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(tmp_path / "kept"),
        "user.py",
    ]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    for kind in (
        "sgtheory.problem.Problem",
        "sgtheory.symbolic.SymbolicLaw",
        "float | None",
        "records.Tuned",
    ):
        assert f'{kind}"' in told, told
    errors = [line for line in told.splitlines() if ": error:" in line]
    assert len(errors) == 1, told  # the wrong line, and nothing about packages without types
    assert "NumericLaw" in errors[0]


@pytest.mark.parametrize("package", ["sgtheory", "simulators", "verification", "reports"])
def test_packages_say_that_they_are_typed(package):
    assert (ROOT / package / "py.typed").is_file()
