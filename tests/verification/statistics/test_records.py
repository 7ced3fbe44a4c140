"""Comparisons: Holm within, and what each test would have seen."""

import pytest

from verification.statistics import Comparison, Test, detectable
from verification.statistics.kinds import Mean, Scale


def found(*p_values, level=0.05):
    tests = (Test(f"t{k}", 0.0, p, 0.0, Scale()) for k, p in enumerate(p_values))
    return Comparison((*tests, Test("certain", 0.0, 1.0, 0.0)), 1_000, level)


def test_holm_rejects_what_bonferroni_leaves():
    comparison = found(0.01, 0.02, 0.9)
    assert comparison.rejected == ("t0", "t1")
    assert comparison.threshold == pytest.approx(0.05 / 3)  # a test without chance has no share
    assert comparison.adjusted == pytest.approx({"t0": 0.03, "t1": 0.04, "t2": 0.9, "certain": 1.0})
    assert comparison.worst.name == "t0"


def test_nothing_is_rejected_unless_the_smallest_is():
    assert found(0.02, 0.024, 0.9).agrees
    assert not found(0.016, 0.9, 0.9).agrees


def test_a_certain_failure_is_rejected_at_any_level():
    comparison = Comparison((Test("t", 0, 0.5, 0, Mean()), Test("certain", 1, 0.0, 1)), 10, 1e-9)
    assert comparison.rejected == ("certain",)


def test_it_says_what_it_would_have_seen():
    comparison = found(0.5, 0.5)
    assert comparison.resolution == detectable(1_000, 0.025)
    assert comparison.sees("t0") == comparison.resolution
    assert comparison.sees("certain") == 0.0
    document = comparison.to_json()
    assert {"tests", "false_alarm", "smallest_p", "at", "agrees", "detectable_relative_error"} <= set(
        document
    )
    assert "planned" not in document
