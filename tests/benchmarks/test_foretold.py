"""What was measured of foretold errors is what the table says, and within what is promised of them."""

import json

import pytest

from benchmarks import foretold

ROWS = json.loads(foretold.KEPT.read_text())["rows"]


def test_the_table_is_that_of_the_rows():
    assert foretold.KEPT.with_suffix(".md").read_text() == foretold.table(ROWS)
    assert {row["data"] for row in ROWS} == set(foretold.CASES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["data"])
def test_a_choice_is_within_a_twentieth_of_the_best_of_its_grid(row):
    assert row["over_grid"] <= 1.05
    assert row["grid"]["points"] > 300
    off = abs(row["measured"] / row["expected"] - 1)
    assert row["agrees"] if row["model"] == "linear" else off < 0.1


def test_single_quantities_of_linear_regressions_lie_in_their_intervals():
    """At least 95 % of them in their 99 % intervals; of 95 % ones a right formula has about as many."""
    assert foretold.of_linear(ROWS, "within_99") >= 0.95
    assert foretold.of_linear(ROWS, "within") >= 0.9
