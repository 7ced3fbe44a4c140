"""Potentials as text: read exactly, differentiated, and never run."""

import numpy as np
import pytest
import sympy as sp

from sgtheory import Problem, registry
from sgtheory.errors import UnusableInput
from sgtheory.reader.potentials import parsed
from sgtheory.setting import Setting
from simulators import interpret, simulate
from simulators.bind import bind
from simulators.lower import lower

SGLD, SGD = registry.sampler("sgld"), registry.sampler("sgd")


def problem(U, D=2, **more):
    noise = np.eye(D, dtype=int).tolist()
    content = {"model": "potential", "U": U, "noise": noise, "N": 4, "S": 2, "params": {"eps": "1/50"}}
    return Problem.of(content | {"start": {"theta": [0.5] * D}} | more)


def double_well():
    content = {k: v for k, v in problem("x").to_json().items() if k != "U"}
    return Problem.of(content | {"model": "double_well"})


CASES = [
    "x**4/4 - x**2/2", "exp(-x) + x", "log(1 + exp(2*x))", "sqrt(1 + x**2)", "1/(1 + x**2)",
    "2**x - 3*x", "0.1*x**2 + 0.25*x", "(x**2 - 1)**2/4",
]  # fmt: skip


@pytest.mark.parametrize("U", CASES)
def test_a_step_goes_down_the_slope(U):
    """Against a central difference of the text itself, in long double."""
    p = problem(U)
    b = bind(lower(Setting(SGD, p.model)), p.values(SGD))
    x = np.linspace(-1.3, 1.7, 8).reshape(4, 2)
    quiet = {"w0": np.zeros((4, 2))}
    state = {"theta": x}
    after = interpret.run_block(b, b.program.body, state, quiet, {})["theta"]
    value = eval(U, {"exp": np.exp, "log": np.log, "sqrt": np.sqrt}, {"x": x.astype(np.longdouble)})
    assert value.shape == x.shape
    h = np.longdouble(1e-5)
    slope = [
        eval(U, {"exp": np.exp, "log": np.log, "sqrt": np.sqrt}, {"x": x.astype(np.longdouble) + s * h})
        for s in (1, -1)
    ]
    expected = x - (slope[0] - slope[1]) / (2 * h) / 50
    assert np.abs(after - expected).max() < 1e-9
    assert np.abs(after - x).max() > 1e-4


def test_the_double_well_by_another_name():
    runs = [
        simulate(Setting(SGLD, p.model), p.values(SGLD), chains=640, steps=40)
        for p in (problem("(x**2 - 1)**2/4"), double_well())
    ]
    assert np.allclose(runs[0].covariance["theta,theta"], runs[1].covariance["theta,theta"], rtol=1e-9)


def test_a_problem_is_written_and_read_again():
    p = problem("exp(-x) + x")
    assert Problem.of(p.to_json()) == p
    assert p.to_json()["U"] == "exp(-x) + x"
    assert Problem.of(problem("x**2").to_json()) != p


def test_decimals_are_exact():
    assert parsed("0.1*x") == sp.Rational(1, 10) * parsed("x")
    assert parsed("1e-3 + x") == sp.Rational(1, 1000) + parsed("x")


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('true')", "x.__class__", "y**2", "lambda x: x", "open('f')", "x +", "[x]",
     "'x'", "x**x**1e9", "9**9**9", "((9**99)**99)**99", "exp(x, 2)", "x if x else 1", "True*x",
     "x*" * 600 + "x", 7, None],
)  # fmt: skip
def test_anything_else_is_refused(text):
    with pytest.raises(UnusableInput, match=r'expected a potential |"U" as text'):
        problem(text)


def test_other_models_have_no_potential():
    with pytest.raises(UnusableInput, match="known key"):
        Problem.of({"hessian": [[1]], "noise": [[1]], "U": "x**2"})
