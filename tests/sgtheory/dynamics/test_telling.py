"""What is told of declared samplers for any loss: against exact laws and the transition operator."""

import pytest
import sympy as sp

from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.telling import Declared, dynamics
from sgtheory.operator import stationary
from sgtheory.problem import Problem
from tests.sgtheory.dynamics.test_modified import POTENTIAL, covariance, expectation

theta = sp.Symbol("theta", real=True)
L = sp.Function("L")


def result(told, name):
    return next(r.equation.right for r in told.results if r.name == name)


def named(expr):
    return {s.name: s for s in expr.free_symbols}


@pytest.mark.strong
def test_sgld_in_a_double_well_with_gradient_noise_has_the_bias_that_is_told():
    told = result(dynamics("sgld"), "bias")
    letters = named(told)
    eps = letters["eps"]
    at = {letters[n]: v for n, v in {"N": 1, "S": 1, "C": 1, "H": 1}.items() if n in letters}
    well = POTENTIAL.subs(next(iter(POTENTIAL.free_symbols)), theta)
    g = sp.diff(told, eps).subs(at).subs(L(theta), well).doit()
    wanted = covariance(lambda s: s**2, sp.lambdify(theta, sp.expand(g)))
    ratios = []
    for size in ("1/32", "1/64", "1/128"):
        content = {"model": "double_well", "noise": [[1]], "N": 1, "S": 1, "params": {"eps": size}}
        value, error = stationary("sgld", Problem.of(content), accuracy=1e-8).expect(lambda s: s**2)
        ratios.append((value - expectation(lambda s: s**2)) / float(sp.Rational(size)))
        assert error < 1e-6
    far, mid, near = ratios
    found, lower = (8 * near - 6 * mid + far) / 3, 2 * near - mid
    assert abs(found - wanted) < abs(found - lower)
    quiet = sp.expand(g.subs(L(theta), well)) - sp.Rational(1, 4) * well  # without the gradient's noise
    assert abs(found - covariance(lambda s: s**2, sp.lambdify(theta, quiet))) > abs(found - lower)


@pytest.mark.parametrize("letters", ["OBABO", "BAOAB"])
def test_minibatches_raise_the_temperature_of_splittings_for_any_loss(letters):
    """On a parabola the told correction gives the first order of the exact second moments."""
    told = dynamics(f"underdamped:{letters}")
    correction = result(told, "bias")
    declared = Declared.of(f"underdamped:{letters}")
    eps = named(correction)["eps"]
    x, v = declared.step.state
    numbers = {
        s: n for s, n in zip(named(correction).values(), (2,) * 9, strict=False) if s not in (x, v, eps)
    }
    step = declared.step.put({s: 2 for s in declared.step.parameters if s != declared.h})
    parabola = Step(
        step.state, tuple((t, e.subs(L(x), x**2 / 2).doit()) for t, e in step.updates), step.noises
    )
    size = sp.Rational(1, 10**20)
    after = parabola.put({declared.h: size}).after({x: x, v: v})
    rows = [sp.expand(after[s]) for s in (x, v)]
    M = sp.Matrix([[sp.diff(e, s) for s in (x, v)] for e in rows]).evalf(60)
    B = sp.Matrix([[sp.diff(e, w) for w in parabola.noises] for e in rows]).evalf(60)
    P = (sp.eye(4) - sp.kronecker_product(M, M)).LUsolve((B * B.T).reshape(4, 1)).reshape(2, 2)
    # pi = exp(-(2 x^2/2 + v^2/2)/2): variances 1 and 2, fourth moments 3 and 12
    g = sp.Poly(sp.diff(correction, eps).subs(numbers).subs(L(x), x**2 / 2).doit(), x, v)
    by_x, by_v = g.coeff_monomial(x**2), g.coeff_monomial(v**2)
    assert abs((P[0, 0] - 1) / size - 2 * by_x) < 1e-15
    assert abs((P[1, 1] - 2) / size - 8 * by_v) < 1e-15
    assert by_v != 0


@pytest.mark.strong
def test_thermostats_have_their_density_with_the_friction_that_it_needs():
    told = dynamics("msgnht")
    density = result(told, "density")
    beta = named(density)["beta"]
    alpha, u = named(density)["alpha"], named(density)["u"]
    N = named(density)["N"]
    assert sp.expand(density + beta * (N * L(theta) + u**2 / 2 + (alpha - 1) ** 2 / 2)) == 0
    assert "Its density" in [s.title for s in told.steps]
    wrong = dynamics("msgnht", density.subs(alpha, alpha + 1))
    assert "Not its density" in [s.title for s in wrong.steps]
    assert [r.name for r in wrong.results][-1] == "remainder"


def test_momentum_is_told_in_the_variables_in_which_it_has_a_limit():
    found = dynamics("momentum")  # which finds these variables, by other names
    assert found.results[1].equation.text == "dp_v = (-c_mu*p_v - L'(theta)) dt"
    fixed = dynamics("momentum", scales={}, sizes={})
    assert [s.title for s in fixed.steps] == ["What stands in the way"]
    h, gamma = sp.symbols("h gamma", positive=True)
    p = sp.Symbol("p", real=True)
    told = dynamics("momentum", scales={"v": (p, h)}, sizes={"eps": h**2, "mu": gamma * h})
    assert result(told, "equation dtheta").text == "(p) dt"
    assert "gamma*p" in result(told, "equation dp").text
    refused = dynamics("momentum", sizes={"nothing": h})
    assert "names of states and parameters" in refused.steps[0].words


@pytest.mark.parametrize("name", ["reshuffled_sgd", "adagrad", "averaged_sgd"])
def test_what_has_no_limit_says_why(name):
    told = dynamics(name)
    assert [s.title for s in told.steps] == ["What stands in the way"]
    assert told.to_text()
    assert told.results == ()


def test_errors_are_told_by_derivatives_of_f_and_add_up_to_the_error():
    told = dynamics("sgrld")
    step = next(s for s in told.steps if s.title == "Weak order")
    total = sum(e.left * e.right for e in step.equations)
    (eps,) = (s for s in result(told, "error").free_symbols if s.name == "eps")
    assert sp.expand(total * eps**2 - result(told, "error")) == 0
    assert sp.expand(2 * total * eps**2 - result(told, "error")) != 0
    assert "f''(theta) : " in told.to_text()
    assert "Derivative(" not in told.to_text()


def test_a_table_of_examples_is_refused_by_name():
    assert "the table alpha, a value for each example" in dynamics("saga_ld").steps[0].words


def test_everything_prints():
    told = dynamics("underdamped:OBABO")
    assert r"\begin{pmatrix} 0 & - \tau \\ \tau & 0 \end{pmatrix}" in told.to_latex()
    assert "Q = [[0, -tau], [tau, 0]]" in told.to_text()
    assert r"\pi_{" in told.to_markdown()
    assert told.to_json()["results"]["density"]["text"] == "log pi = -N*L(theta)/tau - v**2/(2*tau)"
