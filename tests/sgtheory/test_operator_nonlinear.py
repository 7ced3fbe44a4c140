"""Simulated chains of adaptive samplers and thermostats against their transition operators.

The two agree within the operator's stated error and seven standard errors of the simulation; a variance
that is 5 % off does not. In the long run there are ten million chains, at two steps.
"""

import pytest

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.operator import stationary
from sgtheory.operator.step import one_step
from sgtheory.problem import Problem
from sgtheory.setting import Setting

QUADRATIC = {"hessian": [[2]], "noise": [[1]], "N": 4, "S": 1}
WELL = {"model": "double_well", "noise": [[1]], "N": 1, "S": 1}
TILTED = {"model": "potential", "U": "x**4/4 - x**2/2 + x/4", "noise": [[1]], "N": 1, "S": 1}
HALF = {"alpha": "1/2", "lambda": "1/2"}
MOMENTS = {"b1": "1/2", "sigma": "1/2", "lambda": "1/2"}
SANTA = {"sigma": "1/2", "lambda": "1/2"}
FIXED = {"sigma": "1", "lambda": "1/2"}  # v stays zero: what moves has three numbers
LAST = {"sigma": "0", "lambda": "1/2"}  # v is the last gradient's square, which nothing reads

LONG = [
    *(("rmsprop", m, HALF | {"eps": e}) for m in (QUADRATIC, WELL) for e in ("1/8", "1/16")),
    *(("psgld:no_gamma", m, HALF | {"eps": e}) for m in (QUADRATIC, WELL) for e in ("1/16", "1/32")),
    *(("psgld:algorithm1", m, HALF | {"eps": e}) for m in (QUADRATIC, WELL) for e in ("1/16", "1/32")),
    *(("psgld:eq3", QUADRATIC, HALF | {"eps": e}) for e in ("1/16", "1/32")),
    *(("psgld:preconditioner_of_old_gradient", QUADRATIC, HALF | {"eps": e}) for e in ("1/16", "1/32")),
    *((n, m, {"eps": e}) for n in ("sgrld", "sgrld_printed") for m in (WELL, TILTED)
      for e in ("1/8", "1/16")),
    *(("adam:no_correction", QUADRATIC, MOMENTS | {"eta": e}) for e in ("1/8", "1/16")),
    *(("sgnht", m, {"eta": e, "a": 1}) for m in (QUADRATIC, WELL) for e in ("1/8", "1/16")),
    *(("msgnht", m, {"eta": e}) for m in (QUADRATIC, WELL) for e in ("1/8", "1/16")),
    *((f"santa_refinement:{p}", QUADRATIC, SANTA | {"eta": e})
      for p in ("algorithm5", "algorithm7") for e in ("1/64", "1/128")),
    *(("santa_refinement:santa_r", QUADRATIC, LAST | {"eta": e}) for e in ("1/64", "1/128")),
    *(("santa_euler:algorithm6", WELL, FIXED | {"eta": e}) for e in ("1/64", "1/128")),
    *(("santa_sss:algorithm4", m, FIXED | {"eta": e}) for m in (QUADRATIC, WELL)
      for e in ("1/64", "1/128")),
]  # fmt: skip
SHORT = [
    ("rmsprop", QUADRATIC, HALF | {"eps": "1/8"}),
    pytest.param(("sgrld_printed", TILTED, {"eps": "1/16"}), marks=pytest.mark.strong),
]


def label(case):
    name, model, params = case
    step = params.get("eps", params.get("eta"))
    return f"{name} on {model.get('model', 'quadratic')} at {step}".replace("-", "_")


def compare(case, chains, accuracy, steps=400):
    name, model, params = case
    from simulators.ensemble import simulate

    problem = Problem.of({**model, "params": params})
    found = stationary(name, problem, accuracy=accuracy, clock=1)
    sampler = registry.sampler(name)
    run = simulate(
        Setting(sampler, problem.model), problem.values(sampler), chains=chains, steps=steps, seed=17
    )
    for state in found.states:
        mean, mean_error = found.mean(state)
        variance, error = found.covariance(state, state)
        spread = run.standard_error["covariance"][f"{state},{state}"][0, 0]
        measured = run.covariance[f"{state},{state}"][0, 0]
        # two numbers to a state: a false alarm in some ten thousand million
        assert abs(run.mean[state][0] - mean) < mean_error + 7 * run.standard_error["mean"][state][0]
        assert abs(measured - variance) < error + 7 * spread, (state, measured, variance, error)
        if state == "theta":
            assert abs(1.05 * measured - variance) > error + 7 * spread
    return found


@pytest.mark.parametrize("case", SHORT, ids=label)
def test_simulation_agrees(case):
    found = compare(case, 200_000, 3e-2, steps=1000 if case[1] is TILTED else 400)
    assert found.covariance("theta", "theta")[1] < 0.01 * found.covariance("theta", "theta")[0]


@pytest.mark.long
@pytest.mark.parametrize("case", LONG, ids=label)
def test_ten_million_chains_agree(case):
    slow = case[1] is TILTED or case[0].endswith("santa_r")  # between wells; without injected noise
    compare(case, 10_000_000, 1e-6, steps=2000 if slow else 400)


def test_printings_have_laws_of_their_own():
    """Gamma inside of G or outside: the operator's laws differ by far more than their errors."""
    problem = Problem.of({**TILTED, "params": {"eps": "1/16"}})
    laws = [stationary(n, problem).covariance("theta", "theta") for n in ("sgrld", "sgrld_printed")]
    assert abs(laws[0][0] - laws[1][0]) > 100 * (laws[0][1] + laws[1][1])


@pytest.mark.long
def test_a_thermostat_keeps_its_temperature_exactly():
    """E[u^2] = 1/beta at any step, which the linear theory does not see and the operator finds."""
    problem = Problem.of({**QUADRATIC, "params": {"eta": "1/8", "beta": "3/2"}})
    value, error = stationary("msgnht", problem, accuracy=1e-1).expect(lambda theta, u, alpha: u**2)
    assert abs(value - 2 / 3) < error < 0.01
    assert abs(1.05 * value - 2 / 3) > error


def test_states_that_stand_still_are_numbers():
    def states(name, **params):
        problem = Problem.of({**QUADRATIC, "params": {"eta": "1/8", "lambda": "1/2", **params}})
        sampler = registry.sampler(name)
        return one_step(Setting(sampler, problem.model), problem.values(sampler), 1)

    assert states("santa_refinement:algorithm5", sigma="1/2").states == ("theta", "u", "v")
    assert states("santa_refinement:santa_r", sigma=0).states == ("theta", "u", "alpha")
    assert states("santa_sss:algorithm4", sigma=1).states == ("theta", "u", "alpha")
    assert len(states("santa_sss:algorithm4", sigma="1/2").states) == 4
    # the friction that stands still is that of the start
    weak, strong = (states("santa_refinement:algorithm7", sigma=0, C0=c) for c in (0, 1))
    after = [float(s.after(0.0, 1.0, 0.0, 0.0)[1]) for s in (weak, strong)]
    assert after[0] - after[1] == pytest.approx(0.125**0.5)
    problem = Problem.of({**QUADRATIC, "params": {"eta": "1/8", "sigma": "1/2", "lambda": "1/2"}})
    with pytest.raises(UnusableInput, match="three states"):
        stationary("santa_sss:algorithm4", problem, clock=1)
