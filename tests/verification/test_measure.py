"""Ensembles of the real algorithm against its exact law, at the size that the issue asks for."""

import pytest

from sgtheory import registry
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators.ensemble import simulate
from tests.sgtheory.scanning import affine
from tests.sgtheory.strategies import scaled_for
from verification.judging.judge import FALSE_ALARM, document, judge
from verification.library import select
from verification.measuring.ensembles import Plan, against

PROBLEM = Problem.of(
    {"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 43, "S": 4,
     "params": {"eps": "1/50", "mu": "3/10", "H": [[1, "1/3"], ["1/3", "1/2"]], "E": [[1, 0], [1, 2]]},
     "start": {"theta": [1, -1]}}
)  # fmt: skip


@pytest.mark.parametrize("name", affine())
def test_a_million_chains_agree_with_the_law_at_a_finite_step(name):
    sampler = registry.sampler(name)
    problem, steps = scaled_for(PROBLEM, sampler), 6
    run = simulate(
        Setting(sampler, problem.model), problem.values(sampler), chains=1_000_000, steps=steps, seed=7
    )
    exact = law(name, problem, at=steps)
    comparison = against(run, exact, FALSE_ALARM)
    assert comparison.agrees, comparison.worst
    assert comparison.resolution < 0.013
    # the wrong twin: one step more or less is another law, and is noticed
    assert not against(run, law(name, problem, at=steps - 1), FALSE_ALARM).agrees


def test_a_verdict_carries_everything(monkeypatch):
    (claim,) = select(("mandt2017.sec5_1.stationarity",))
    verdict = judge(claim, Plan("quick", "cpu", 5, 1e-6))
    content = document([verdict.to_json()], budget="quick", seed=5, seconds=1.0, false_alarm=1e-6)
    assert content["schema"] == "sgtheory.verdicts/1"
    (entry,) = content["claims"]
    assert entry["verdict"] == "refuted"
    assert entry["corrected"]["verdict"] == "proved"
    assert entry["counterexample"]["left"] != entry["counterexample"]["right"]
    ensemble = next(e for e in entry["evidence"] if e["route"] == "ensemble")
    assert ensemble["agrees"]
    assert ensemble["twin"]["rejected"]
    assert {"digest", "seed", "chains", "steps", "device", "kernel", "false_alarm"} <= set(ensemble)
    # quick resolves one per cent of a variance, and not by the number of chains that somebody chose
    assert ensemble["planned"]["chains"] == ensemble["chains"]
    assert 0.0099 < ensemble["detectable_relative_error"] <= ensemble["planned"]["effect"] == 0.01
    assert 0 < ensemble["confirmed_within"] < 0.02


def test_an_ensemble_of_another_algorithm_is_caught(monkeypatch):
    """A simulator that is wrong by 5 % in its covariance breaks the build, whatever the symbols say."""
    import simulators.ensemble as room

    honest = room.simulate

    def biased(setting, values, **options):
        run = honest(setting, values, **options)
        worse = {k: 1.05 * v for k, v in run.covariance.items()}
        return type(run)(**{**vars(run), "covariance": worse})

    monkeypatch.setattr(room, "simulate", biased)
    (claim,) = select(("mandt2017.eq13",))
    verdict = judge(claim, Plan("quick", "cpu", 5, 1e-6))
    assert (verdict.word, verdict.broken.kind) == ("inconclusive", "routes disagree")
    assert {answer.route for answer in verdict.broken.answers} == {"the exact law", "the ensemble"}
