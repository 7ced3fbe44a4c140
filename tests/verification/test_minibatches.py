"""Printed covariances at real minibatches: the place, the exact law, the measurement and its twin."""

from dataclasses import replace

import numpy as np
import pytest

from sgtheory.lawrecord import NumericLaw
from sgtheory.numeric import law
from verification import minibatches
from verification.library import select
from verification.measure import Plan
from verification.verdict import RoutesDisagree

PLAN = Plan("quick", "cpu", 5, 1e-6, 1)


def claim(id_):
    (found,) = select((id_,))
    return found


@pytest.fixture(autouse=True)
def few_chains(monkeypatch):
    monkeypatch.setattr(minibatches, "chains_for", lambda *_: 100_000)
    minibatches._ensemble.cache_clear()
    yield
    minibatches._ensemble.cache_clear()


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


def test_eq13_at_minibatches_of_both_models():
    linear, logistic = minibatches.on_minibatches(claim("mandt2017.eq13"), PLAN)
    for found in (linear, logistic):
        assert 0.01 < abs(found.data["printed_off_by"]) < 0.5
    for p in linear.data["points"]:
        assert abs(p["measured"] - p["exact"]) < 6 * p["standard_error"]
    last = linear.data["points"][-1]
    assert abs(last["measured"] - last["normal_noise"]) > 6 * last["standard_error"]
    assert all(p["exact"] is None for p in logistic.data["points"])
    assert "agree with the exact law" in linear.words
    assert "agree" not in logistic.words


def test_a_law_that_the_data_do_not_have_is_noticed(monkeypatch):
    def wrong(of, problem, **how):
        found = law(of, problem, **how)
        if problem.model.name == "quadratic" or found.covariance is None:
            return found
        scaled = {k: 1.05 * m for k, m in found.covariance.items()}
        return replace(found, covariance=scaled)

    assert NumericLaw
    monkeypatch.setattr(minibatches, "law", wrong)
    with pytest.raises(RoutesDisagree, match="minibatches contradict"):
        minibatches.on_minibatches(claim("mandt2017.eq13"), PLAN)


def test_a_printed_gain_is_set_and_ensembles_are_shared():
    one = minibatches.on_minibatches(claim("mandt2017.thm2"), PLAN)
    two = minibatches.on_minibatches(claim("mandt2017.cor4"), PLAN)
    assert [e.data["digest"] for e in one] == [e.data["digest"] for e in two]
    assert one[0].data["problem"]["params"]["H"] != [[1, 0], [0, 1]]


def test_a_claim_that_predicts_no_covariance_is_not_measured():
    assert minibatches.on_minibatches(claim("mandt2017.eq24"), PLAN) == ()
