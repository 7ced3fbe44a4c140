"""Finished runs: right ones are as foretold as often as is said, and wrong twins are told by name."""

import json

import numpy as np
import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.errors import NotAffine, Unstable, UnusableInput
from tests.verification.finished.runs import PROBLEM, A, heavy_ball, sgld
from verification.checking.cases import Case, cases
from verification.checking.faults.variant import Numbers, Variant
from verification.finished import AS_FORETOLD, DIFFERS, INCONCLUSIVE, audit_run
from verification.finished.facts import estimated_sizes, facts
from verification.finished.steps import Step, innovations

HMC = PROBLEM | {"params": {"eta": "1/2000", "alpha": "1/10", "beta": 0}}


def audited(run, problem=PROBLEM, like="sgld", **how):
    return audit_run(run, problem, like=like, **how)


def test_a_right_run_is_as_foretold():
    found = audited(sgld(1))
    assert (found.verdict, found.because) == (AS_FORETOLD, ())
    assert found.resolution < 0.15
    assert abs(found.held.size[0] - 1) < 4 * found.held.size[1]


TWINS = {
    "temperature": {"temperature": 1.5},
    "step": {"eps": 1 / 250},
    "still moving": {"start": (2, -2), "warm": 0, "draws": 400},
    "gradients": {"factor": 1.6},
    "gradient noise": {"S": 1},
    "thinning": {"every": 3},
    "mode": {"mode": (0.3, 0.1)},
    "not quadratic": {"cubic": 40.0, "draws": 16_000},
}


@pytest.mark.parametrize("name", TWINS)
def test_a_wrong_twin_is_told_by_name(name):
    found = audited(sgld(2, **TWINS[name]))
    assert found.verdict == DIFFERS
    assert found.because[0].name == name
    told = found.because[0]
    expected = {"temperature": 1.5, "step": 2, "gradients": 1.6, "gradient noise": 4, "thinning": 3}
    if name in expected:
        assert told.value == pytest.approx(expected[name], abs=max(4 * told.error, 1e-9))


@pytest.mark.parametrize(
    ("wrong", "name"), [({}, None), ({"tau": 1.5}, "temperature"), ({"eta": 1 / 1000 * 0.8}, "step")]
)
def test_a_sampler_whose_velocity_is_not_seen(wrong, name):
    found = audited(heavy_ball(3, **wrong), HMC, "sghmc")
    assert [r.name for r in found.because][:1] == ([name] if name else [])


def test_a_curvature_that_is_another_along_one_axis():
    problem = PROBLEM | {"hessian": [[2, 1], [1, 3]]}
    found = audited(sgld(2, draws=8000), problem)
    assert found.because[0].name == "curvature"
    assert "axis 2" in found.because[0].words


def test_two_faults_at_once_are_both_told():
    found = audited(sgld(4, temperature=2.0, start=(3, -3), warm=0))
    assert [reason.name for reason in found.because] == ["temperature", "still moving"]


def test_what_must_be_left_out_is_enough():
    run = sgld(5, start=(2, -2), warm=0, draws=3000)
    far = audited(run)
    assert far.because[0].name == "still moving"
    assert audited(run, burn_in=far.left.burn_in).verdict == AS_FORETOLD


def test_a_run_that_runs_away_and_one_that_stands():
    with np.errstate(all="ignore"):
        away = sgld(6, eps=1 / 25, draws=300)
    assert audited(away[:, :80]).because[0].name == "unstable"
    assert audited(np.zeros((2, 100, 2))).because[0].name == "never moves"


def test_a_short_run_is_inconclusive():
    assert audited(sgld(7, draws=8, chains=1)).verdict == INCONCLUSIVE


def test_a_fault_that_only_the_checker_knows():
    found = audited(sgld(8, bias=0.3))
    assert found.verdict == DIFFERS  # a mean of the noise moves where it rests, and nothing else
    assert found.because[0].name == "mode"


def alarms(level, make, how, times):
    return sum(audited(make(seed), false_alarm=level, **how).verdict == DIFFERS for seed in range(times))


def _bound(level, times):
    """What a right rate exceeds once in ten thousand times."""
    from scipy.stats import binom

    return binom.isf(1e-4, times, level)


def test_the_false_alarm_rate_is_what_is_said():
    times, level = 150, 0.1
    found = alarms(level, lambda seed: sgld(100 + seed, draws=60, chains=2, warm=250), {}, times)
    assert found <= _bound(level, times)


@pytest.mark.long
@pytest.mark.parametrize("draws", [30, 300])
def test_the_false_alarm_rate_in_a_thousand_runs(draws):
    found = alarms(0.05, lambda seed: sgld(5000 + seed, draws=draws, chains=1, warm=250), {}, 1000)
    assert found <= _bound(0.05, 1000)


@pytest.mark.strong
def test_the_false_alarm_rate_of_a_hidden_velocity():
    how = {"problem": HMC, "like": "sghmc"}
    assert alarms(0.1, lambda seed: heavy_ball(900 + seed, draws=80), how, 100) <= _bound(0.1, 100)


def data(**more):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3)) @ np.diag([0.5, 1, 2])
    y = X @ [1, 2, -1] + rng.standard_t(5, size=60)
    return {"model": "linear_regression", "X": X, "y": y, "ridge": 1, "S": 5} | more


def on_data(problem, seed, eps=1 / 2000, draws=4000, chains=2, warm=1500, S=5, ridge=1):
    rng, X, y = np.random.default_rng(seed), problem["X"], problem["y"]
    x, out = np.zeros((chains, 3)), np.empty((chains, draws, 3))
    for k in range(warm + draws):
        rows = rng.integers(0, 60, (chains, S))
        errors = np.einsum("csd,cd->cs", X[rows], x) - y[rows]
        gradient = np.einsum("cs,csd->cd", errors, X[rows]) / S + ridge * x / 60
        x = x - eps / 2 * 60 * gradient + np.sqrt(eps) * rng.standard_normal((chains, 3))
        if k >= warm:
            out[:, k - warm] = x
    return out


def test_real_minibatches():
    problem = data(params={"eps": "1/2000"})
    assert audited(on_data(problem, 1), problem).verdict == AS_FORETOLD
    found = audited(on_data(problem, 2, eps=1 / 1000), problem)
    assert found.because[0].name == "step"


def test_another_batch_and_another_prior_on_data():
    problem = data(params={"eps": "1/2000"})
    batch = audited(on_data(problem, 3, S=2), problem).because[0]
    assert batch.name == "gradient noise"
    assert batch.value == pytest.approx(2.5, abs=5 * batch.error)
    prior = audited(on_data(problem, 4, ridge=4, draws=8000), problem).because[0]
    assert prior.name in ("mode", "curvature")
    assert "prior" in prior.words


@pytest.mark.strong
def test_the_false_alarm_rate_on_real_minibatches():
    problem, times = data(params={"eps": "1/2000"}), 60
    found = alarms(
        0.1, lambda seed: on_data(problem, 50 + seed, draws=1500), {"problem": problem}, times
    )
    assert found <= _bound(0.1, times)


def test_innovations_have_the_likelihood_of_the_whole_run():
    """Against the joint normal law of all positions, which knows no filter."""
    case = cases("sghmc", dimensions=(2,))[0]
    numbers = Numbers.of("sghmc", case)
    step = Step.of(Variant.of(registry.sampler("sghmc")), numbers)
    rng, n = np.random.default_rng(0), 6
    x = rng.normal(size=(1, n, 2))
    blocks = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            M = np.linalg.matrix_power(step.M, abs(i - j))
            cov = (M @ step.settled)[step.seen, step.seen]
            blocks[i][j] = cov if i >= j else cov.T
    P, away = np.block(blocks), x.ravel() - np.tile(step.rest[step.seen], n)
    whole = -np.linalg.slogdet(P)[1] / 2 - away @ np.linalg.solve(P, away) / 2
    first, one = P[:2, :2], away[:2]
    begin = -np.linalg.slogdet(first)[1] / 2 - one @ np.linalg.solve(first, one) / 2
    assert innovations(step, x).logarithm == pytest.approx(whole - begin, rel=1e-9)


def test_a_step_is_that_of_the_law():
    """Moments of the settled step are those of ``law``, which is found along modes."""
    problem = sg.Problem.of(HMC)
    step = Step.of(
        Variant.of(registry.sampler("sghmc")), Numbers.of("sghmc", Case("x", problem, (0.0, 0.0), 1))
    )
    law = sg.law("sghmc", problem)
    assert np.allclose(step.settled[:2, :2], law.covariance["theta", "theta"], rtol=1e-9)
    found = facts(step, heavy_ball(1), A, 40.0)
    times = 6000 / (found[1].foretold / found[0].error ** 2)
    assert times == pytest.approx(law.autocorrelation_time, rel=0.05)


@pytest.mark.strong
def test_standard_errors_are_those_of_many_runs():
    problem = sg.Problem.of(PROBLEM)
    step = Step.of(
        Variant.of(registry.sampler("sgld")), Numbers.of("sgld", Case("x", problem, (0.0, 0.0), 1))
    )
    runs = sgld(11, draws=300, chains=2000, warm=300)
    each = [facts(step, runs[k : k + 1], A, 40.0) for k in range(len(runs))]
    for k, fact in enumerate(each[0]):
        spread = np.std([f[k].measured for f in each], axis=0)
        assert spread == pytest.approx(fact.error, rel=0.12), fact.name


def test_estimated_sizes_are_arvizs():
    arviz = pytest.importorskip("arviz")
    run = sgld(12)
    theirs = arviz.ess(arviz.from_dict({"theta": run}), method="mean")["theta"].values
    assert estimated_sizes(run) == pytest.approx(theirs, rel=0.01)


def test_exact_sizes_are_near_those_that_many_draws_show():
    run = sgld(13, draws=20_000, chains=8)
    found = audited(run)
    assert found.effective == pytest.approx(found.estimated, rel=0.15)


def test_the_document_is_json():
    document = audited(sgld(2, temperature=1.5)).to_json()
    told = json.loads(json.dumps(document, allow_nan=False))
    assert {"verdict", "because", "measured", "foretold", "ess"} <= set(told)
    assert told["schema"] == "sgtheory.run/1"
    assert set(told["ess"]) == {"exact", "arviz"}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"like": None}, "--like"),
        ({"like": "rmsprop"}, "linear"),
        ({"burn_in": 10_000}, "draws"),
        ({"mode": ["1"]}, "2 numbers"),
        ({"run": np.zeros((3, 4))}, "chains"),
    ],
)
def test_what_cannot_be_audited_is_one_line(how, words):
    how = {"run": sgld(1, draws=50), "problem": PROBLEM, "like": "sgld"} | how
    with pytest.raises((UnusableInput, NotAffine)) as caught:
        audit_run(how.pop("run"), how.pop("problem"), **how)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unstable_declaration_has_no_law():
    with pytest.raises(Unstable):
        audited(sgld(1, draws=50), PROBLEM | {"params": {"eps": 1}})
