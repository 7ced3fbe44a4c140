"""Terms from recordings to order 4, against the chains themselves."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from benchmarks.calibration.cases import coins
from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators.engines import engine_for
from simulators.ensemble import run
from simulators.family import bound_alike
from simulators.moments import LANES
from simulators.record import Recording
from verification.measuring.ensembles import stack
from verification.statistics.robust import compare_robustly
from verification.statistics.terms import Terms, fourth_order

CHAINS, STEPS = 128 * LANES, 4


@pytest.fixture(scope="module")
def made():
    """Two states and coins for noise: an ensemble with its recording, and its chains one by one."""
    problem = Problem.of(
        {"hessian": [[2, 1], [1, "3/2"]], "noise": [[0, 0], [0, 0]], "N": 4, "S": 1,
         "params": {"eta": "1/50", "alpha": "1/5"}, "start": {"theta": [1, -1]}}
    )  # fmt: skip
    sampler = coins(registry.sampler("sghmc"))
    setting = Setting(sampler, problem.model)
    (bound,) = bound_alike(setting, [problem.values(sampler)], "float64")
    engine = engine_for(bound, "cpu", 1, "exact")
    recording = Recording(fourth_order(("theta", "v"), 2), first=STEPS, last=STEPS)
    ensemble = run(bound, engine, CHAINS, STEPS, 5, record=[recording])
    x = engine.start(0, CHAINS // LANES, 5)
    engine.advance(x, 0, 0, STEPS, 5)
    names, mean, covariance = stack(law(sampler, problem, at=STEPS))
    return ensemble, engine.host(x), names, mean, covariance


def test_moments_of_terms_are_those_of_the_chains(made):
    ensemble, x, names, mean, covariance = made
    terms = Terms.of_recording(ensemble.recorded[0], CHAINS, mean, covariance, ("theta", "v"), names)
    y = x - mean
    products = [y[:, i] * y[:, j] for i, j in combinations_with_replacement(range(4), 2)]
    values = np.column_stack([y, *products])
    assert terms.mean == pytest.approx(values.mean(0), rel=1e-9, abs=1e-14)
    assert terms.variance == pytest.approx(values.var(0, ddof=1), rel=1e-7)
    d = y - y.mean(0)
    assert terms.skewness[:4] == pytest.approx((d**3).mean(0) / y.std(0) ** 3, abs=1e-8)
    assert terms.kurtosis[:4] == pytest.approx((d**4).mean(0) / y.std(0) ** 4 - 3, abs=1e-8)
    assert np.isnan(terms.skewness[4:]).all()


def test_not_gaussian_and_yet_in_agreement(made):
    """Errors that assume a Gaussian are too large here; those measured are not."""
    ensemble, _, names, mean, covariance = made
    terms = Terms.of_recording(ensemble.recorded[0], CHAINS, mean, covariance, ("theta", "v"), names)
    found = compare_robustly(terms, 1e-6)
    assert found.rejected == ()
    assert {t.name: t.reliable for t in found.tests}["mean theta[0]"]
    assert found.terms_needed is None
    k = names.index("v[0]")
    gaussian = 2 * covariance[k, k] ** 2
    assert terms.variance[terms.names.index("var v[0]")] < 0.8 * gaussian
    off = Terms.of_recording(ensemble.recorded[0], CHAINS, mean, 1.1 * covariance, ("theta", "v"), names)
    assert "var v[0]" in compare_robustly(off, 1e-6).rejected


def test_batches_say_the_same(made):
    ensemble, x, names, mean, covariance = made
    blocks = x.reshape(-1, LANES, 4)
    scatter = np.array([np.cov(b.T, bias=True) for b in blocks])
    batches = Terms.of_batches(blocks.mean(1), scatter, mean, covariance, names)
    terms = Terms.of_recording(ensemble.recorded[0], CHAINS, mean, covariance, ("theta", "v"), names)
    assert batches.names == terms.names
    assert batches.mean == pytest.approx(terms.mean, rel=1e-9, abs=1e-14)
    # of 128 batches: the variance of a variance is known to an eighth
    assert batches.variance * LANES == pytest.approx(terms.variance, rel=6 / 8)
    assert np.isfinite(batches.skewness).all()


def test_three_batches_are_too_few():
    with pytest.raises(UnusableInput):
        Terms.of_batches(np.zeros((3, 1)), np.ones((3, 1, 1)), np.zeros(1), np.eye(1), ["x"])
