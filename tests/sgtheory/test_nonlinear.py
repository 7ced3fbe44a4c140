"""Steps that are not linear: what is told of them is so, and where it ends is the right place."""

import json

import pytest
import sympy as sp
from click.testing import CliRunner

from reports.terminal import cli
from sgtheory import registry
from sgtheory.declare import BatchMean, State, curvature, prior, state
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.modepairs.quantities import WHATS
from sgtheory.onestep.closure import closure, in_one_dimension
from sgtheory.onestep.printings import difference, lines
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from sgtheory.symbolic import derive
from sgtheory.telling.nonlinear import nonlinear_terms
from tests.sgtheory.scanning import affine, nonlinear, on_quadratic, period

theta = state("theta")
UNSETTLED = [n for n in affine() if period(n) is None]
SLOW = ("msgnht", "sgrld_printed", "santa_sss")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[pytest.mark.strong] if n in SLOW else [])
        for n in (*nonlinear(), *UNSETTLED)
    ],
)
def test_every_form_prints_and_the_status_is_zero(name):
    told = derive(name).derivation()
    assert told.results
    assert "Matrix(" not in told.to_latex()
    assert told.to_latex().count("{") == told.to_latex().count("}")
    assert "```math" in told.to_markdown()
    done = CliRunner().invoke(cli, ["derive", name, "--format", "json"])
    assert done.exit_code == 0
    assert json.loads(done.output)["results"]
    assert all(derive(name).derivation(what) == told for what in WHATS[:2])


@pytest.mark.parametrize("name", nonlinear())
def test_there_is_no_covariance_and_the_terms_in_its_way_are_named(name):
    with pytest.raises(NotAffine):
        _ = derive(name).covariance
    terms = nonlinear_terms(on_quadratic(name))
    assert terms
    # a term is nonlinear in one dimension too: its second derivatives do not all vanish
    for _, term in terms:
        letters = sorted(term.atoms(sp.Symbol), key=str)
        vectors = [s for s in letters if hasattr(s, "law") or type(s).__name__ in ("State", "Local")]
        if not term.has(sp.Function):
            assert any(sp.diff(term, a, b) != 0 for a in vectors for b in vectors), term
    assert nonlinear_terms(on_quadratic("momentum")) == ()


def test_means_balance_in_simulated_stationary_states():
    """E[beta u^2 - 1] = 0 and E[g^2 - V] = 0, at any step: 7 standard errors; a factor 1.05 is found."""
    from reports.pages.simulated import simulated

    content = {"hessian": [[2]], "noise": [[1]], "N": 4, "S": 1}
    thermostat = Problem.of({**content, "params": {"eta": "1/8", "beta": "2"}})
    u = simulated(registry.sampler("msgnht"), thermostat, 300).rows[1]
    assert abs(u.variance + u.mean**2 - 0.5) < 7 * u.variance_error < 0.05 * u.variance * 2
    rms = Problem.of({**content, "params": {"eps": "1/8", "alpha": "1/2", "lambda": "1/2"}})
    position, V = simulated(registry.sampler("rmsprop"), rms, 300).rows
    square = 4 * (position.variance + position.mean**2) + 1  # A^2 E theta^2 + C/S
    slack = 7 * (V.mean_error + 4 * position.variance_error)
    assert abs(V.mean - square) < slack < 0.1 * square
    assert abs(1.1 * V.mean - square) > slack


def test_closure_agrees_with_the_moment_map_by_hand():
    """SGD on x^4: E[x'] needs x^3, and so on; on a quadratic the first two moments close."""
    found = closure(on_quadratic("sgd"), theta**2)
    assert found.closes
    assert found.needs == (theta**2,)
    well = Setting(registry.sampler("sgld"), registry.model("double_well"))
    assert not closure(well, theta).closes
    assert closure(well, theta).path[:2] == (theta, theta**3)
    step = sp.expand(in_one_dimension(well)[theta])
    assert sp.Poly(step, theta).degree() == 3  # what the path says of the first moment
    root = closure(on_quadratic("rmsprop"), theta)
    assert root.obstacle.is_Pow
    assert root.obstacle.exp == sp.Rational(1, 2)
    mean = closure(on_quadratic("adam:no_correction"), State("u", real=True))
    assert mean.path == (State("u", real=True), theta)


def test_a_squares_sum_never_settles():
    assert "never decreases" in derive("adagrad").derivation().to_text()
    assert "never decreases" not in derive("rmsprop").derivation().to_text()


def test_steps_that_are_never_alike_have_the_law_that_the_formulas_carry_on():
    from sgtheory.numbers.numeric import law

    content = {"hessian": [[2]], "noise": [[3]], "N": 4, "S": 2, "start": {"theta": [1]}}
    problem = Problem.of({**content, "params": {"eps": "1/8", "b": 2, "c": "3/4"}})
    results = {r.name: r.equation.right for r in derive("sgld_decreasing").derivation().results}
    numbers = {"N": 4, "S": 2, "eps": sp.Rational(1, 8), "b": 2, "c": sp.Rational(3, 4), "lambda": 2}
    numbers |= {"lambda_i": 2, "lambda_j": 2, "C_ij": 3, "delta_ij": 1}
    mean, variance = 1.0, 0.0
    for clock in range(7):
        known = numbers | {"t": clock}
        M, *Q = (
            float(results[k][0].subs({s: known[s.name] for s in results[k].free_symbols}))
            for k in ("step", "noise 0", "noise 1")
        )
        mean, variance = M * mean, M * M * variance + sum(Q)
    exact = law("sgld_decreasing", problem, at=7)
    assert exact.mean["theta"][0] == pytest.approx(mean, rel=1e-12)
    assert exact.covariance["theta", "theta"][0, 0] == pytest.approx(variance, rel=1e-12)
    early = law("sgld_decreasing", problem, at=6)  # the wrong twin
    assert early.mean["theta"][0] != pytest.approx(mean, rel=1e-3)
    alias = Problem.of({**content, "params": {"a": "1/8", "b": 2, "c": "3/4"}})
    assert law("sgld_decreasing", alias, at=7).mean["theta"][0] == exact.mean["theta"][0]


def slope_of(model_name, content, x):
    """The declared slope at a point, and a central difference of the declared gradient."""
    problem = Problem.of(content | {"model": model_name})
    sampler = registry.sampler("psgld")
    setting = Setting(sampler, problem.model)
    step = in_one_dimension(setting)[theta]
    assert step.has(theta)
    from sgtheory.operator.step import _numbers, _scalar

    known = _numbers(setting, problem.values("psgld"))
    found = [dict(setting.updates)[s] for s in dict(setting.updates) if s.name in ("f0", "slope")]
    gradient, slope = (_scalar(e).subs(known).subs({sp.Symbol("w0", real=True): 0}) for e in found)
    h = sp.Rational(1, 10**6)
    numbers = [gradient.subs({theta: x + d}) for d in (h, -h)]
    central = (numbers[0] - numbers[1]) / (2 * h)
    return float(slope.subs({theta: x})), float(central.subs(dict.fromkeys(central.free_symbols, 0)))


@pytest.mark.parametrize(
    ("model", "content"),
    [
        ("quadratic", {"hessian": [[3]]}),
        ("double_well", {}),
        ("potential", {"U": "exp(x) + x**4/4 - log(2 + x**2)"}),
    ],
)
def test_the_slope_is_that_of_the_gradient(model, content):
    params = {"N": 4, "S": 2, "noise": [[1]], "params": {"eps": "1/8"}}
    slope, central = slope_of(model, {**content, **params}, sp.Rational(3, 7))
    assert slope == pytest.approx(central, rel=1e-8)
    assert 1.01 * slope != pytest.approx(central, rel=1e-8)


def test_examples_that_are_curved_alike_have_a_slope():
    mean = Setting(registry.sampler("psgld"), registry.model("gaussian_mean"), sampled=True)
    assert [str(e) for s, e in mean.updates if s.name == "slope"] == ["ones"]


def test_a_prior_is_what_is_divided_by_N():
    x = registry.model("linear_regression").x
    assert registry.model("linear_regression").prior == registry.model("logistic_regression").prior
    assert str(registry.model("linear_regression").prior) == "ridge*x/N"
    assert registry.model("gaussian_mean").prior == 0  # its x belongs to every example
    assert registry.model("quadratic").prior == 0
    assert registry.model("linear_regression").prior.has(x)
    data = Setting(registry.sampler("psgld:no_gamma"), registry.model("logistic_regression"))
    (seen,) = (e for s, e in data.updates if s.name == "g")
    assert sp.sympify(seen).has(registry.sampler("psgld").state[0])
    assert str(prior(theta)) == "Prior(theta)"
    curved = Setting(registry.sampler("psgld"), registry.model("logistic_regression")).updates
    (seen,) = (e for s, e in curved if s.name == "slope")
    assert {b.args[1] for b in seen.atoms(BatchMean)} == {0}  # that of the same minibatch
    assert str(curvature(theta)) == "Curvature(theta, 0)"


def test_printings_differ_as_the_papers_lines_do():
    eps, G, Gamma = (next(s for s in difference("psgld:algorithm1", "psgld:eq3")[theta].free_symbols
                          if s.name == n) for n in ("eps", "G", "Gamma"))  # fmt: skip
    ((target, gap),) = lines("psgld:algorithm1", "psgld:eq3")
    assert target == theta
    assert sp.expand(gap - eps / 2 * Gamma * (1 - G)) == 0
    assert sp.expand(gap - difference("psgld:algorithm1", "psgld:eq3")[theta]) == 0
    assert lines("psgld:eq3", "psgld:eq3") == ()
    # Algorithm 1 of Santa: another power of the step in the noise, of g too, and a division by u
    ((target, gap),) = lines("santa_euler:algorithm1", "santa_euler:algorithm6")
    letters = {s.name: s for s in gap.free_symbols}
    zeta, g_old, g, u = (letters[n] for n in ("zeta", "g_old", "g", "u"))
    heat = letters["eta"] / (letters["beta"] * (letters["t"] + 1) ** letters["gamma"])
    noise = sp.sqrt(2 * heat) * (g_old - sp.sqrt(g_old) * letters["eta"] ** sp.Rational(1, 4))
    quotient = heat * (1 - g_old / g) / u
    assert sp.simplify((gap - noise * zeta).subs(letters["ones"], 1) - quotient) == 0
    # both forms of Adam in the supplement climb: on one gradient both move along it
    for form in ("supplement_f_1", "supplement_f_2"):
        step = in_one_dimension(on_quadratic(f"adam:{form}"))[theta]
        numbers = {"theta": 1, "u": 0, "v": 1, "A": 1, "B": 0, "N": 1, "S": 1, "w0": 0,
                   "eta": 0.1, "b1": 0.5, "lambda": 1, "sigma": 0.5}  # fmt: skip
        assert step.subs({s: numbers[s.name] for s in step.free_symbols}) > 1
    right = in_one_dimension(on_quadratic("adam:no_correction"))[theta]
    assert right.subs({s: numbers[s.name] for s in right.free_symbols}) < 1


def test_metrics_are_positive_and_their_derivative_is_taken():
    with pytest.raises(UnusableInput, match="positive"):
        registry.sampler("sgrld:x")
    with pytest.raises(UnusableInput, match="printing"):
        registry.sampler("psgld:algorithm9")
    updates = dict(registry.sampler("sgrld:exp(-x**2/2)").updates)
    G, Gamma = (next(e for s, e in updates.items() if s.name == n) for n in ("G", "Gamma"))
    assert sp.simplify(sp.diff(G, theta) - Gamma) == 0
    with pytest.raises(UnusableInput, match="depends on x"):
        registry.sampler("sgrld:2")
