"""Ensembles are held against their laws in every place; the table that is kept has no false one."""

import json

import numpy as np
import pytest

from benchmarks import truth
from verification.measuring import ensembles


@pytest.mark.strong
@pytest.mark.parametrize("place", [p for p in truth.PLACES if p not in truth.NOISES])
def test_a_sampler_agrees_and_a_wrong_law_does_not(place):
    row = truth.row("momentum", place, "float64", 1e6, "cpu", 1e-6)
    assert row["agrees"]
    assert row["twin_rejected"]


@pytest.mark.parametrize("place", truth.NOISES)
def test_noise_that_is_not_normal_agrees_and_a_wrong_law_does_not(place, monkeypatch):
    """One step from a point: the state is no sum of many steps' noises. Its correlation is tested."""
    row = truth.noisy_row("sgld", place, "float64", 1, "cpu", 1e-9)
    assert row["steps"] == 1
    assert row["agrees"]
    assert row["reliable"]
    assert row["twin_rejected"]

    def correlated(exact):
        names, mean, covariance = right(exact)
        return names, mean, abs(covariance) + 0.05 * np.sqrt(np.outer(*2 * [np.diag(covariance)]))

    right = ensembles.stack
    monkeypatch.setattr(ensembles, "stack", correlated)
    assert not truth.noisy_row("sgld", place, "float64", 1, "cpu", 1e-9)["agrees"]


def test_the_table_has_every_place_in_both_precisions():
    table = json.loads(truth.RESULT.read_text("utf-8"))
    assert table["passed"]
    assert {(r["place"], r["dtype"]) for r in table["rows"]} == {
        (place, dtype) for place in truth.PLACES for dtype in truth.DTYPES
    }
    assert all(r["reliable"] for r in table["rows"] if r["place"] in truth.NOISES and "refused" not in r)
    assert (
        sum(r["threshold"] * r["tests"] for r in table["rows"] if "refused" not in r)
        <= 1.001 * truth.FALSE_ALARM
    )
    assert table["measured"] > 0.9 * len(table["rows"])
    for row in table["rows"]:
        least = 1.6e7 if row["place"] in truth.NOISES else 9.6e7 if row["place"] == "wide" else 1e9
        assert "refused" in row or row["chains"] * row["steps"] >= least


def test_a_device_that_is_not_there_is_refused_for_every_noise(monkeypatch):
    monkeypatch.setattr("simulators.cuda.devices.all_devices", list)
    assert "CUDA" in truth.noisy_row("sgld", "uniform", "float64", 1, "cuda", 1e-9)["refused"]
