"""Where a step is lost in the rounding of a state: refused, and only there."""

import numpy as np
import pytest

import sgtheory as sg
from sgtheory import registry
from simulators import simulate
from simulators.bind import bind
from simulators.lower import lower
from simulators.rounding import check, share_of_rounding

FAR = {"hessian": 1, "noise": 1, "N": 40, "S": 4, "params": {"eps": "1e-7"}, "start": {"theta": [1]}}


def _numbers(content, sampler="sgd"):
    problem = sg.Problem.of(content)
    declared = registry.sampler(sampler)
    return sg.Setting(declared, problem.model), problem.values(declared)


def _run(content, sampler="sgd", **how):
    return simulate(*_numbers(content, sampler), device="cpu", seed=1, **how)


def test_the_ensemble_of_the_issue_is_refused_with_its_remedy():
    with pytest.raises(sg.UnusableInput, match="use float64") as refused:
        _run(FAR, chains=1_000_000, steps=200, dtype="float32")
    assert len(str(refused.value)) < 400
    with pytest.raises(sg.UnusableInput, match="rounding"):  # the centre is given: no pilot
        _run(FAR, chains=100_000, steps=200, dtype="float32", centre=[1.0])


def test_in_float64_its_error_bar_holds_the_truth():
    found, (truth,) = (
        _run(FAR, chains=200_000, steps=200),
        sg.law("sgd", FAR, at=200).covariance["theta", "theta"][0],
    )
    gap = found.covariance["theta,theta"][0, 0] - truth
    assert abs(gap) < 6 * found.standard_error["covariance"]["theta,theta"][0, 0]


@pytest.mark.parametrize("a", [0.9, 3.0])  # below and above a power of two the unit differs
@pytest.mark.parametrize("ratio", [0.5, 1, 4])
def test_the_share_is_that_of_independent_uniform_rounding(a, ratio):
    """A unit q in the last place adds q^2/12 to the variance s^2 of a step."""
    unit = float(np.spacing(np.float32(a)))
    eps = ratio * unit * 2  # C/S is a quarter, so the noise of a step has deviation eps/2
    content = {**FAR, "params": {"eps": f"{eps:.12g}"}, "start": {"theta": [a]}}
    setting, values = _numbers(content)
    bound = bind(lower(setting), values, "float32")
    states = np.full((64, 1), a, np.float32)
    _, share = share_of_rounding(bound, states, 0, 1)
    # the product with the state is rounded before noise is added: up to two roundings
    assert 0.6 / 12 < share * ratio**2 < 2.6 / 12


def test_an_error_that_is_accumulated_is_as_large_as_was_foretold(monkeypatch):
    """Where the check is off, the ensemble is off by the share: 12 % here."""
    from simulators import ensemble

    monkeypatch.setattr(ensemble.rounding, "check", lambda *a: None)
    setting, values = _numbers(FAR)
    found = simulate(setting, values, chains=200_000, steps=200, seed=1, device="cpu", dtype="float32")
    truth = sg.law("sgd", FAR, at=200).covariance["theta", "theta"][0, 0]
    excess = found.covariance["theta,theta"][0, 0] / truth - 1
    _, share = share_of_rounding(
        bind(lower(setting), values, "float32"), np.full((64, 1), 1 - 2e-5, np.float32), 200, 1
    )
    assert excess == pytest.approx(share, rel=0.25)
    assert excess > 10 * np.sqrt(2 / 200_000)


@pytest.mark.parametrize(
    "sampler", ["sgd", "momentum", "sgld", "iasg", "reshuffled_sgd", "sghmc", "rmsprop", "adam", "psgld"]
)
def test_ordinary_runs_are_far_from_it(sampler):
    params = {
        "eps": "1/100",
        "mu": "1/3",
        "T": 5,
        "eta": "1/1000",
        "alpha": "1/10",
        "lambda": "1/100",
        "sigma": "9/10",
    }
    content = {
        "hessian": [[2, 1], [1, 3]],
        "noise": [[1, 0], [0, 2]],
        "N": 8,
        "S": 4,
        "start": {"theta": [1, 2]},
    }
    known = {p.name for p in registry.sampler(sampler).parameters}
    content["params"] = {k: v for k, v in params.items() if k in known}
    found = _run(content, sampler, chains=1024, steps=20, dtype="float32")
    assert found.finite
    setting, values = _numbers(content, sampler)
    states = np.tile(found.centre, (64, 1)) + 0.1 * np.random.default_rng(0).random(
        (64, len(found.centre))
    )
    check(
        bind(lower(setting), values, "float32"), states, 10**6, 20, 1
    )  # a million chains resolve 0.0014


def test_float64_has_its_limit_too():
    if np.finfo(np.longdouble).eps == np.finfo(float).eps:
        pytest.skip("no wider type here")
    with pytest.raises(sg.UnusableInput, match="larger step"):
        _run({**FAR, "params": {"eps": "1e-16"}}, chains=1000, steps=3)


def test_a_chain_without_noise_states_no_scatter_and_is_let_pass():
    assert _run({**FAR, "noise": 0}, chains=128, steps=5, dtype="float32").finite


# the gain's fourth row takes all noise away: what is left of it there is the rounding of a product
CANCELLED = {
    "hessian": [["3/2" if i == j else 0 for j in range(4)] for i in range(4)],
    "noise": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 9, -9], [0, 0, -9, 9]],
    "N": 21,
    "S": 6,
    "params": {
        "mu": "3/5",
        "eps": "1/25",
        "H": [
            ["15/2", -3, -3, -3],
            [-3, 9, "9/2", "-15/2"],
            [-3, "9/2", "9/2", -3],
            [-3, "-15/2", -3, "33/2"],
        ],
    },
    "start": {"theta": [3, 0, 3, 1], "v": [0, 0, 0, 0]},
}


def test_noise_that_a_gain_cancels_is_no_noise():
    assert _run(CANCELLED, "momentum", chains=67_383, steps=16).finite


def test_tiny_noise_in_all_coordinates_is_refused_still():
    tiny = [[x and f"{x}e-24" for x in row] for row in CANCELLED["noise"]]
    with pytest.raises(sg.UnusableInput, match="rounding"):
        _run({**CANCELLED, "noise": tiny}, "momentum", chains=67_383, steps=16)
