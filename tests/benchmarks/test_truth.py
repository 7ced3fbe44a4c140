"""Ensembles are held against their laws in every place; the table that is kept has no false one."""

import json

import pytest

from benchmarks import truth


@pytest.mark.strong
@pytest.mark.parametrize("place", truth.PLACES)
def test_a_sampler_agrees_and_a_wrong_law_does_not(place):
    row = truth.row("momentum", place, "float64", 1e6, "cpu", 1e-6)
    assert row["agrees"]
    assert row["twin_rejected"]


def test_the_table_has_every_place_in_both_precisions():
    table = json.loads(truth.RESULT.read_text("utf-8"))
    assert table["passed"]
    assert {(r["place"], r["dtype"]) for r in table["rows"]} == {
        (place, dtype) for place in truth.PLACES for dtype in truth.DTYPES
    }
    assert table["measured"] > 0.9 * len(table["rows"])
