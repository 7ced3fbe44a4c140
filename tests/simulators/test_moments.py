"""Estimates from block sums, against the chains themselves."""

import numpy as np
import pytest

from simulators.moments import LANES, Monomials, estimate


def sums_of(x, centre):
    """What a kernel gives: per block of 64 chains, the sums of first and second monomials."""
    index = Monomials(x.shape[1]).index
    blocks = [x[k : k + LANES] - centre for k in range(0, len(x), LANES)]
    return np.array([[(b[:, i] * (b[:, j] if j >= 0 else 1.0)).sum() for i, j in index] for b in blocks])


def estimated(x, centre):
    monomials = Monomials(x.shape[1])
    rows = monomials.rows(sums_of(x, centre), len(x))
    return estimate(monomials, rows.sum(axis=0), len(x), centre)


@pytest.mark.parametrize("chains", [64, 100, 640, 1000])
@pytest.mark.parametrize("shift", [0.0, 30.0])
def test_mean_and_covariance_are_those_of_the_chains(chains, shift):
    x = np.random.default_rng(1).normal(size=(chains, 3)) @ np.triu(np.ones((3, 3))) + shift
    found = estimated(x, np.zeros(3))
    # rounding of second moments about 0 is relative to shift^2
    slack = 1e-13 * (1 + shift**2)
    assert np.allclose(found.mean, x.mean(axis=0), atol=slack)
    assert np.allclose(found.covariance, np.cov(x.T, bias=True), atol=slack)


def test_errors_are_the_scatter_of_whole_blocks():
    x = np.random.default_rng(2).exponential(size=(640 + 10, 2))
    found = estimated(x, np.ones(2))
    blocks = [np.cov(x[k : k + LANES].T) for k in range(0, 640, LANES)]
    expected = np.std(blocks, axis=0, ddof=1) * np.sqrt(LANES / len(x))
    assert np.allclose(found.covariance_error, expected, rtol=1e-10)
    assert np.allclose(found.mean_error, x.std(axis=0) / np.sqrt(len(x) - 1), rtol=1e-10)


def test_one_block_has_no_error_of_its_covariance():
    found = estimated(np.random.default_rng(3).normal(size=(100, 1)), np.zeros(1))
    assert np.isnan(found.covariance_error).all()
    assert np.isfinite(found.mean_error).all()


def test_errors_do_not_depend_on_the_centre_and_would_without_the_correction():
    x = np.random.default_rng(4).normal(size=(6400, 1))
    near, far = (estimated(x, np.array([c])) for c in (0.0, 5.0))
    assert np.allclose(near.covariance_error, far.covariance_error, rtol=1e-9)
    raw = sums_of(x, np.array([5.0]))[:, 1] / LANES
    uncorrected = raw.std(ddof=1) / np.sqrt(len(raw))
    assert uncorrected > 3 * far.covariance_error[0, 0]
