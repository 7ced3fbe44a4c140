"""A short form of the comparison of ensembles with transition operators, and what was recorded of it."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks import nonlinear
from sgtheory.errors import UnusableInput

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "nonlinear.json"
EIGHTH = Fraction(1, 8)


def case(name, problem="quadratic", step=EIGHTH):
    return nonlinear.Case(name, problem, step, nonlinear.params_of(name, step, "1/2"))


@pytest.mark.parametrize(
    ("name", "other"),
    [("sgd", "lmc"), pytest.param("sgrld", "sgrld_printed", marks=pytest.mark.long)],
)
def test_an_ensemble_has_its_own_law_and_no_other(name, other):
    """Gamma outside of G and inside of it, as two places print it: an ensemble has its own law only."""
    both = [case(n, "labels" if other == "lmc" else "soft") for n in (name, other)]
    laws = [nonlinear.answer(c) for c in both]
    for k, c in enumerate(both):
        run = nonlinear.ensemble(c, 200_000)
        assert nonlinear.agrees(nonlinear.deviations(run, laws[k]), 1e-6)
        assert not nonlinear.agrees(nonlinear.deviations(run, laws[1 - k]), 1e-6)
    found = nonlinear.row(both[0], both[:1], 200_000, 1e-6)
    assert found["agrees"]
    assert list(found["twins"]) == ["covariances 1 % off"]


def test_entries_share_the_budget_and_slack_is_allowed():
    inside = {"theta": (2.5e-3, 0.0, 1e-3), "theta,theta": (1.0, 1.0, 1e-3)}
    assert nonlinear.agrees(inside, 1e-2)
    assert not nonlinear.agrees({**inside, "theta": (2.5e-3, 0.0, 5e-4)}, 1e-2)
    assert not nonlinear.agrees({**inside, "theta,theta": (1.1, 1.0, 1e-3)}, 1e-2)


def test_a_sampler_without_a_rejected_twin_does_not_pass():
    row = {"sampler": "a", "agrees": True, "twins": {"b": True}}
    assert nonlinear.passed([row])
    assert not nonlinear.passed([{**row, "twins": {"b": False}}])
    assert not nonlinear.passed([{**row, "agrees": False}])
    assert not nonlinear.passed([])


@pytest.mark.strong
def test_refreshed_velocities_are_taken_a_period_at_a_time():
    taken = case("sghmc_refreshed", "labels", EIGHTH / 4)
    assert nonlinear.stepped(taken).period == 2
    assert nonlinear.states(taken) == ("theta",)
    told, run = nonlinear.answer(taken), nonlinear.ensemble(taken, 200_000)
    assert nonlinear.agrees(nonlinear.deviations(run, told), 1e-6)
    off = {k: (1.1 * v, error) for k, (v, error) in told.moments.items()}
    assert not nonlinear.agrees(nonlinear.deviations(run, replace(told, moments=off)), 1e-6)


def test_what_does_not_settle_is_refused_in_words():
    with pytest.raises(UnusableInput, match="never decreases"):
        nonlinear.states(case("adagrad"))
    with pytest.raises(UnusableInput, match="one that changes"):
        nonlinear.states(case("sgld_decreasing"))
    with pytest.raises(UnusableInput, match="three states"):
        nonlinear.states(case("santa_sss:algorithm4"))


def test_every_sampler_is_taken_or_refused():
    scanned = set(nonlinear.names())
    assert {
        "psgld:eq3",
        "santa_euler:algorithm6",
        "sgnht",
        "adam:kingma_ba",
        "underdamped:BAOAB",
    } <= scanned
    recorded = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert recorded["passed"]
    assert recorded["passed"] == nonlinear.passed(recorded["cases"])
    assert all(r["chains"] == 10_000_000 for r in recorded["cases"])


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({n.partition(":")[0] for n in nonlinear.names()}))
def test_ten_million_chains(name):
    found = nonlinear.table([name], 10_000_000, 2, None)
    assert found["passed"] or not found["cases"]
    assert found["cases"] or found["refused"]
