"""Problems are read exactly, and what is wrong is said in one line."""

from fractions import Fraction

import pytest
from hypothesis import given

from sgtheory.errors import UnusableInput
from sgtheory.onestep.full import at_clock
from sgtheory.problem import Problem, read_problem
from tests.sgtheory.strategies import problems

GOOD = {"hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 1]], "N": 9, "S": 3, "params": {"eps": 0.1}}


def refused(content, sampler="sgld"):
    with pytest.raises(UnusableInput) as caught:
        Problem.of(content).values(sampler)
    return str(caught.value)


@given(problem=problems())
def test_writing_and_reading_back(problem):
    assert Problem.of(problem.to_json()).to_json() == problem.to_json()


def test_decimals_are_exact_in_json_and_toml(tmp_path):
    for name, text in (
        ("a.json", '{"hessian": [[0.1]], "noise": [[1e-3]], "N": 9, "S": 3, "params": {"eps": "1/7"}}'),
        ("a.toml", 'hessian = [[0.1]]\nnoise = [[1e-3]]\nN = 9\nS = 3\n[params]\neps = "1/7"\n'),
    ):
        (tmp_path / name).write_text(text)
        problem = read_problem(tmp_path / name)
        assert problem.matrices["A"] == ((Fraction(1, 10),),)
        assert problem.matrices["C"] == ((Fraction(1, 1000),),)
        assert problem.params["eps"] == Fraction(1, 7)


def test_infinity_and_nan_are_refused(tmp_path):
    for name, text in (
        ("a.json", '{"hessian": [[NaN]], "noise": [[1]]}'),
        ("b.json", '{"hessian": [[Infinity]], "noise": [[1]]}'),
        ("a.toml", "hessian = [[nan]]\nnoise = [[1]]"),
        ("b.toml", "hessian = [[inf]]\nnoise = [[1]]"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UnusableInput, match="finite"):
            read_problem(tmp_path / name)


def test_other_letters_mean_the_same():
    by_gamma = Problem.of({**GOOD, "params": {"gamma": "1/20"}}).values("sgld")
    assert by_gamma.scalars["eps"] == Fraction(1, 10)
    assert Problem.of({**GOOD, "S": 3, "p": 3}).sizes["S"] == 3
    assert "one value for S" in refused({**GOOD, "p": 4})
    assert "one value for eps" in refused({**GOOD, "params": {"eps": "1/10", "gamma": "1/10"}})


def test_defaults_and_needs():
    only_gain = Problem.of({**GOOD, "params": {"H": [[1, 0], [0, 2]]}}).values("sgd")
    assert only_gain.scalars["eps"] == 1
    only_step = Problem.of(GOOD).values("sgd")
    assert only_step.matrices["H"] == ((1, 0), (0, 1))
    assert "one of eps, H for sgd" in refused({**GOOD, "params": {}}, "sgd")
    assert "mu <= 1" in refused({**GOOD, "params": {"eps": 1, "mu": 2}}, "momentum")


def test_shapes_and_types():
    assert "start of theta as a list of 2" in refused({**GOOD, "start": {"theta": [1]}})
    assert '"start" as an object' in refused({**GOOD, "start": [1]})
    assert "H as a 2 x 2 matrix" in refused({**GOOD, "params": {"H": [[1]]}}, "sgd")
    assert "a number for N" in refused({**GOOD, "N": True})
    assert "N as a whole number" in refused({**GOOD, "N": 0})
    assert "a list of rows" in refused({**GOOD, "hessian": [1, 2]})
    assert "a number for hessian[0][0]" in refused({**GOOD, "hessian": [[[1]]]})
    big = 10**6
    assert "8,000 GB" in refused({**GOOD, "hessian": [[0]] * big})


def test_definiteness_is_decided_exactly():
    barely = [[1, "999999999999/1000000000000"], ["999999999999/1000000000000", 1]]
    Problem.of({**GOOD, "hessian": barely})
    assert "positive definite" in refused({**GOOD, "hessian": [[1, 1], [1, 1]]})
    Problem.of({**GOOD, "noise": [[1, 1], [1, 1]]})  # semidefinite is enough for noise
    assert "positive semidefinite" in refused({**GOOD, "noise": [[0, 1], [1, 1]]})


def test_a_default_that_the_problem_does_not_determine_is_refused():
    content = {"model": "quadratic", "hessian": [[1, 0], [0, 2]], "N": 4, "S": 1, "params": {"eps": 1}}
    with pytest.raises(UnusableInput, match="give H yourself"):
        Problem.of({**content, "noise": [[1, 0], [0, 0]]}).values("sgd_square_root")
    # with noise in every direction it is determined
    assert Problem.of({**content, "noise": [[1, 0], [0, 4]]}).values("sgd_square_root")


def test_what_is_read_is_a_file():
    with pytest.raises(UnusableInput, match="name of a problem file; got a dict"):
        read_problem({"hessian": 2})


def test_the_clock_rounds_no_matrix_again():
    problem = Problem.of({"hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 1]], "N": 9, "S": 1,
                          "params": {"eps": "1/10"}})  # fmt: skip
    values = problem.values("sgd")
    later = at_clock(values, 3)
    assert later.scalars["t"] == 3
    assert later.arrays is values.arrays
