"""Fresh measured values: decided exactly where the law is known, by ensembles where it is not."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.claims.deciding import decide
from verification.claims.empirical import Empirical, Value, mean_of
from verification.judging.judge import judge
from verification.laws.decimals import decimal_law
from verification.laws.quantities import DIVERGENCE, Entry
from verification.measuring.ensembles import Plan
from verification.notation import A, Sigma, trace
from verification.refuter.script import run
from verification.verdicts.verdict import RoutesDisagree

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
PLAN = Plan("quick", "cpu", 5, 1e-6)
QUADRATIC = {
    "model": "quadratic",
    "hessian": [["2", "1"], ["1", "3"]],
    "noise": [["2", "1"], ["1", "3"]],
    "N": "10",
    "S": "2",
    "params": {"eps": "1/10", "mu": "1/2"},
    "start": {"theta": [1, -1]},
}
WELL = {
    "model": "double_well",
    "noise": [["2"]],
    "S": "2",
    "params": {"eps": "1/10"},
    "start": {"theta": [1]},
}


def value(left, right, tolerance, of="sgd", problem=QUADRATIC, steps=None):
    printed = (Value(left, right, tolerance=tolerance),)
    return Empirical("fresh", of=of, printed=printed, problem=problem, steps=steps, **COMMON)


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (value(Entry(Sigma, 0, 0), "0.0279", "0.0001"), "proved"),
        (value(Entry(Sigma, 0, 0), "0.0265", "0.0005"), "refuted"),
        (value(DIVERGENCE, "0.1913", "0.0001", of="momentum", steps=50), "proved"),
        (value(DIVERGENCE, "0.3", "0.05", of="momentum", steps=50), "refuted"),
        (value(mean_of(0), "0.5385", "0", steps=5), "proved"),
        (value(trace(A * Sigma), "0.2781", "0.00001", of="momentum"), "refuted"),
    ],
    ids=lambda c: c.printed[0].text() if hasattr(c, "printed") else c,
)
def test_affine_samplers_are_decided_exactly(claim, word):
    finding = claim.find()
    assert finding.verdict == word
    if word == "refuted":
        assert not run(finding.counterexample.script)
        mended = finding.counterexample.script.replace(
            f"F('{Fraction(claim.value.right)}')", f"F('{finding.counterexample.left}')"
        )
        assert run(mended)  # the true value passes the same script
    else:
        twins = claim.twins(finding)
        assert twins.tried >= 5
        assert twins.survivors == ()


def test_the_ensemble_confirms_the_exact_value():
    verdict = judge(value(Entry(Sigma, 0, 0), "0.0279", "0.002"), PLAN)
    low, high = verdict.measured.data["interval"]
    assert verdict.word == "proved"
    assert low < 0.027868852459 < high
    assert verdict.measured.data["decision"] == "confirmed"
    assert verdict.measured.data["twin"]["rejected"]


def test_an_exact_value_that_the_ensemble_contradicts_breaks_the_build(monkeypatch):
    monkeypatch.setattr(Empirical, "exactly", lambda self: Decimal("0.03"))
    monkeypatch.setattr(Empirical, "by_modes", lambda self: 0.03)
    broken = judge(value(Entry(Sigma, 0, 0), "0.03", "0.002"), PLAN).broken
    assert broken.kind == "routes disagree"
    assert {answer.route for answer in broken.answers} == {"the exact value", "the ensemble"}


def test_routes_to_the_exact_value_check_each_other(monkeypatch):
    monkeypatch.setattr(Empirical, "by_modes", lambda self: 0.0278689)
    with pytest.raises(RoutesDisagree):
        value(Entry(Sigma, 0, 0), "0.0279", "0.002").find()


@pytest.mark.parametrize(
    ("printed", "tolerance", "word"),
    [
        ("0.0392", "0.004", "confirmed"),
        ("0.05", "0.002", "refuted"),
        ("0.0392", "0.0005", "inconclusive"),
    ],
)
def test_other_models_are_measured(printed, tolerance, word):
    claim = value(Entry(Sigma, 0, 0), printed, tolerance, problem=WELL, steps=30)
    assert claim.find().verdict == "inconclusive"
    verdict = judge(claim, PLAN)
    assert verdict.word == word
    assert (verdict.measured.data["chains_needed"] is not None) == (word == "inconclusive")
    if word == "confirmed":
        assert verdict.twins.tried >= 5
        assert verdict.twins.survivors == ()
    assert verdict.to_json()["verdict"] == word


def test_what_cannot_be_decided_is_refused():
    with pytest.raises(UnusableInput, match="number of steps"):
        value(Entry(Sigma, 0, 0), "1", "1", problem=WELL).find()
    with pytest.raises(UnusableInput, match="a number"):
        value(Sigma, "1", "1").find()


SAMPLERS = {
    "sgd": {"eps": "1/50", "H": [[2, 1], [1, 1]]},
    "momentum": {"eps": "1/50", "mu": "1/3"},
    "sgld": {"eps": "1/50", "H": [[2, 1], [1, 1]]},
    "sgfs": {"eps": "1/50", "E": [[1, 0], [1, 2]]},
    "lmc": {"gamma": "1/50"},
}


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("steps", [None, 3])
def test_sixty_digits_agree_with_the_modes(name, steps):
    problem = Problem.of({**QUADRATIC, "params": SAMPLERS[name]})
    sampler = registry.sampler(name)
    found = decimal_law(Setting(sampler, problem.model), problem.values(sampler), steps)
    reference = law(name, problem, at=steps)
    again = np.array(found.block("theta", "theta"), float)
    assert np.allclose(again, reference.covariance["theta", "theta"], rtol=1e-10, atol=1e-14)
    other = law(name, problem, at=4)
    assert not np.allclose(again, other.covariance["theta", "theta"], rtol=1e-10)


def test_decisions_err_as_seldom_as_they_say():
    """The true value at the edge of the tolerance: neither word more often than alpha/2."""
    source, repeats, alarm = np.random.default_rng(3), 2_000, 0.1
    words = [decide(source.normal(1.0, 1.0, 16), 0.0, 1.0, alarm, 16).word for _ in range(repeats)]
    for word in ("confirmed", "refuted"):
        assert words.count(word) <= binom.ppf(1 - 1e-6, repeats, alarm / 2)
    assert words.count("refuted") >= binom.ppf(1e-6, repeats, alarm / 2)  # and it is used up


def test_the_chains_that_are_asked_for_decide():
    source = np.random.default_rng(4)
    first = decide(source.normal(0.0, 1.0, 16), 0.0, 0.5, 1e-3, 1_600)
    assert first.word == "inconclusive"
    scale = math.sqrt(1_600 / first.chains_needed)
    again = [decide(source.normal(0.0, 0.8 * scale, 16), 0.0, 0.5, 1e-3, 1).word for _ in range(200)]
    assert again.count("confirmed") > 100
