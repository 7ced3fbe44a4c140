"""A small calibration: what the long one does, with bounds that a true test misses once in 10^6 runs."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from benchmarks.calibration import alarms, power
from benchmarks.calibration.cases import coin_case, gaussian, powered, sample
from sgtheory import registry
from verification.statistics import compare
from verification.statistics.rates import Rate, false_alarms

RUNS, CONFIDENCE = 300, 1 - 1e-6
CASES = {c.name: c for c in gaussian()}
RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "calibration.json"


def kept(found, loose=frozenset()):
    return {r.name: r.kept for r in false_alarms(found, 0.05, CONFIDENCE, loose)}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.strong
def test_true_laws_are_rejected_as_often_as_stated(name):
    """With six chains in four dimensions, so that no limit theorem helps."""
    case = replace(CASES[name], chains=6)
    found, loose = alarms.of_case(replace(case, name="few chains"), RUNS, 11)
    found = {k: np.array(v) for k, v in found.items()}
    assert all(kept(found, loose).values())


@pytest.mark.strong
def test_the_machinery_calls_wrong_tests_wrong():
    found, _ = alarms.of_case(replace(CASES["momentum"], chains=6), RUNS, 12)
    wrong = {k: np.array(v) for k, v in found.items() if "wrong: not corrected" in k}
    assert list(kept(wrong).values()) == [False]
    # a law whose variances are off by a half is rejected far too often to be taken for true
    case = CASES["sgld"]
    names, mean, covariance = case.stacked
    p = [
        compare(*sample(case, e), mean, covariance * 1.5, case.chains, 0.05, names).tests[3].p_value
        for e in case.ensembles(range(RUNS))
    ]
    assert not kept({"var": np.array(p)})["var"]


def test_robust_tests_on_noise_that_is_not_normal():
    found, doubted = alarms.of_coins(coin_case(), 60, 13)
    assert all(kept({k: np.array(v) for k, v in found.items()}).values())
    assert doubted["mean theta[0], by recorded moments"] == 0


def test_planned_chains_find_a_corrupted_declaration():
    row = power.of_case(powered()["sgld"], sp.Rational(1, 5), 0.9, 100, 14)
    assert row["passed"]
    assert row["effect"] == pytest.approx(1.2**2 - 1)
    # the wrong twin: chains for a chance of one half keep no promise of 0.99
    half = power.of_case(powered()["sgld"], sp.Rational(1, 5), 0.2, 100, 15)
    assert half["planned"]["chains"] < row["planned"]["chains"]
    var = next(t for t in half["tests"] if t["name"] == "var theta[0]")
    assert not Rate("var", var["hits"], 100, 0.999, 0.99).kept


def test_what_is_corrupted_is_the_declaration():
    case = powered()["sgld"]
    wrong = case.corrupted(sp.Rational(1, 100))
    assert str(wrong.sampler.updates[0][1]) != str(registry.sampler("sgld").updates[0][1])
    assert wrong.stacked[2] == pytest.approx(1.01**2 * case.stacked[2], rel=1e-12)
    assert wrong.stacked[1] == pytest.approx(case.stacked[1])


def test_the_committed_results_say_what_their_counts_say():
    found = json.loads(RESULTS.read_text())
    told = found["false_alarms"]
    assert found["command"].startswith("python -m benchmarks.calibration --runs 10000")
    each = 1 - (1 - told["confidence"]) / len(told["tests"])
    for row in told["tests"]:
        rate = Rate(row["name"], row["hits"], row["runs"], each, told["level"], row["exactly"])
        assert row["interval"] == pytest.approx(rate.interval, rel=1e-9, abs=1e-12)
        assert (row["runs"], rate.kept) == (10_000, True)
    assert not any(row["kept"] for row in told["wrong_tests"])
    assert all(row["passed"] for row in found["power"]["rows"])
