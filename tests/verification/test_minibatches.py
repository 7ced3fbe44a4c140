"""Printed covariances at real minibatches: the place, the exact law, the measurement and its twin."""

from dataclasses import replace

import numpy as np
import pytest

from sgtheory.numbers.numeric import law
from verification.library import select
from verification.measuring import ensembles, minibatches, windows
from verification.measuring.ensembles import Plan
from verification.verdicts.verdict import RoutesDisagree

PLAN = Plan("quick", "cpu", 5, 1e-6, 1)
AFFORDABLE = minibatches.affordable


def claim(id_):
    (found,) = select((id_,))
    return found


@pytest.fixture(autouse=True)
def few_chains(monkeypatch):
    for module in (minibatches, windows):  # seven standard errors of a variance are 0.05 here
        monkeypatch.setattr(module, "affordable", lambda *_: (100_000, 0.05))
    ensembles._simulated.cache_clear()
    yield
    ensembles._simulated.cache_clear()


def test_the_noise_covariance_of_the_place_is_that_of_the_data():
    linear, logistic = minibatches.data()
    place = minibatches.placed(claim("mandt2017.eq13"), linear)
    X = np.array([[float(x) for x in row] for row in linear.data["X"]])
    y = np.array([float(v) for v in linear.data["y"]])
    A = X.T @ X / len(X) + np.eye(2) / len(X)
    mode = np.linalg.solve(A, X.T @ y / len(X))
    g = (X @ mode - y)[:, None] * X + mode / len(X)
    C = np.cov(g.T, bias=True)
    assert np.allclose(np.array(place.quadratic.matrices["A"], float), A, rtol=1e-12)
    assert np.allclose(np.array(place.quadratic.matrices["C"], float), C, rtol=1e-12)
    assert abs(A @ C - C @ A).max() > 0.1
    assert law("sgd", place.data).spectral_radius > 0.8
    assert logistic.model.nonlinear


def test_steps_that_read_all_rows_of_a_nonlinear_loss_are_run_on_fewer_chains():
    linear, logistic = minibatches.data()
    most, fine = AFFORDABLE(PLAN, 100, "lmc", linear)  # one product with A
    assert (most, fine) == AFFORDABLE(PLAN, 100, "sgd", logistic)
    chains, coarse = AFFORDABLE(PLAN, 100, "lmc", logistic)
    assert chains == 10**8 * minibatches._ROWS // (100 * 64) < most
    assert np.isclose(coarse**2 * chains, fine**2 * most)


def test_eq13_at_minibatches_of_both_models():
    linear, logistic = minibatches.on_minibatches(claim("mandt2017.eq13"), PLAN)
    for found in (linear, logistic):
        assert 0.01 < abs(found.data["printed_off_by"]) < 0.5
    for p in linear.data["points"]:
        assert abs(p["measured"] - p["exact"]) < 6 * p["standard_error"]
    last = linear.data["points"][-1]
    assert abs(last["measured"] - last["normal_noise"]) > 6 * last["standard_error"]
    assert all(p["exact"] is None for p in logistic.data["points"])
    assert linear.data["twin"]["rejected"]
    assert "agree with the exact law" in linear.words
    assert "agree" not in logistic.words


def test_a_law_that_the_data_do_not_have_is_noticed(monkeypatch):
    def wrong(of, problem, **how):
        found = law(of, problem, **how)
        if problem.model.name == "quadratic" or not found.covariance:
            return found
        scaled = {k: 1.05 * m for k, m in found.covariance.items()}
        return replace(found, covariance=scaled)

    monkeypatch.setattr(minibatches, "law", wrong)
    with pytest.raises(RoutesDisagree, match="an ensemble of minibatches: it is not"):
        minibatches.on_minibatches(claim("mandt2017.eq13"), PLAN)


def test_a_printed_gain_is_set_and_ensembles_are_shared():
    one = minibatches.on_minibatches(claim("mandt2017.thm2"), PLAN)
    two = minibatches.on_minibatches(claim("mandt2017.cor4"), PLAN)
    assert [e.data["digest"] for e in one] == [e.data["digest"] for e in two]
    assert one[0].data["problem"]["params"]["H"] != [[1, 0], [0, 1]]


def test_a_claim_that_predicts_no_covariance_is_not_measured():
    assert minibatches.on_minibatches(claim("mandt2017.eq24"), PLAN) == ()


def test_averages_at_minibatches_against_their_exact_law():
    linear, logistic = windows.on_windows(claim("mandt2017.appG.eq50"), PLAN)
    assert linear.data["window"] == windows.WINDOW
    for p in linear.data["points"]:
        assert abs(p["measured"] - p["exact"]) < 6 * p["standard_error"]
    assert linear.data["twin"]["rejected"]
    assert 0.02 < abs(linear.data["printed_off_by"]) < 0.2
    assert abs(logistic.data["printed_off_by"]) < 0.2
    # one pass, where the paper assumes A = C and these data do not
    wrong, _ = windows.on_windows(claim("mandt2017.eq34.line1"), PLAN)
    assert abs(wrong.data["printed_off_by"]) > 0.3
    assert wrong.data["digest"] == linear.data["digest"]


def test_printed_averages_are_evaluated_as_they_are_printed():
    place = minibatches.placed(claim("mandt2017.appG.eq50"), minibatches.data()[0])
    matrices, scalars = windows.letters_of(place)
    (printed,) = claim("mandt2017.appG.eq50").printed
    value = windows.in_floats(printed.right, matrices, scalars)
    exact = law("sgd", place.quadratic, time="continuous", average=windows.WINDOW).average.covariance
    assert np.allclose(value, exact, rtol=1e-10)
    assert windows.on_windows(claim("mandt2017.eq13"), PLAN) == ()


def test_a_wrong_law_of_averages_is_noticed(monkeypatch):
    real = windows._averaged
    monkeypatch.setattr(windows, "_averaged", lambda *of: 1.05 * real(*of))
    with pytest.raises(RoutesDisagree, match="an ensemble of minibatches: it is not"):
        windows.on_windows(claim("mandt2017.appG.eq50"), PLAN)


def test_data_of_another_curvature_than_is_given_say_nothing():
    linear, logistic = minibatches.data()
    for key in ("appA.law", "appA.law_of_data"):  # of the identity
        assert all(
            minibatches.placed(claim(f"mandt2017.{key}"), one) is None for one in (linear, logistic)
        )
    assert minibatches.placed(claim("mandt2017.eq13"), linear) is not None
