"""Plans: the least number of chains, no rule of thumb, and what budgets mean."""

import math

import pytest
from scipy.stats import norm

from sgtheory.errors import UnusableInput
from verification.statistics import chains_for, detectable, effect_of, plan
from verification.statistics.equivalence import Confirmation
from verification.statistics.kinds import Mean, Scale, WholeCovariance, WholeMean
from verification.statistics.mixtures import MeanMixture, ScaleMixture
from verification.statistics.planning import EFFECTS, power_of
from verification.statistics.robust import Robust
from verification.statistics.sequential import SequentialConfirmation

ALL = [
    Mean(), Scale(), Scale(6), WholeMean(4), WholeCovariance(4), MeanMixture(0.05),
    ScaleMixture(0.05), Robust(2.0), Confirmation(), SequentialConfirmation(0.05),
]  # fmt: skip


@pytest.mark.parametrize("kind", ALL, ids=str)
def test_it_is_the_least_number_with_the_power(kind):
    n = chains_for(0.05, 1e-4, 0.95, kind)
    assert power_of(kind, 0.05, n, 1e-4) >= 0.95 > power_of(kind, 0.05, n - 1, 1e-4)


@pytest.mark.parametrize("kind", ALL, ids=str)
def test_the_detectable_effect_is_its_inverse(kind):
    n = chains_for(0.05, 1e-4, 0.95, kind)
    assert detectable(n, 1e-4, 0.95, kind) == pytest.approx(0.05, rel=2 / math.sqrt(n))
    assert detectable(n, 1e-4, 0.95, kind) <= 0.05 * (1 + 1e-9)


def test_the_normal_approximation_is_near_and_not_enough():
    rough = ((norm.isf(5e-8) + norm.isf(0.01)) * math.sqrt(2) / 0.01) ** 2
    exact = chains_for(0.01, 1e-7)
    assert exact == pytest.approx(rough, rel=0.05)
    # the direction that is harder to see asks for more than it says
    assert exact > rough


def test_a_plan_is_made_for_the_test_that_needs_most():
    tests = [Mean(), Scale(), WholeCovariance(3)]
    planned = plan(0.02, 1e-6, 0.99, tests)
    assert planned.chains == max(chains_for(0.02, 1e-6 / 3, 0.99, t) for t in tests)
    assert all(power_of(t, 0.02, planned.chains, 1e-6 / 3) >= 0.99 for t in tests)
    assert set(planned.to_json()) == {"effect", "power", "false_alarm", "tests", "chains"}


def test_budgets_name_effects():
    chains = [plan(effect_of(b), 1e-6, 0.99, [Scale()]).chains for b in ("quick", "standard", "deep")]
    assert chains[1] / chains[0] == pytest.approx(
        (EFFECTS["quick"] / EFFECTS["standard"]) ** 2, rel=0.02
    )
    assert chains[2] / chains[0] == pytest.approx(100, rel=0.02)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: effect_of("huge"),
        lambda: plan(0.01, 1e-6, 0.99, []),
        lambda: chains_for(0.0, 1e-6),
        lambda: chains_for(0.01, 0.5, 0.1),
        lambda: chains_for(1e-9, 1e-6),
    ],
)
def test_what_cannot_be_planned_is_refused(ask):
    with pytest.raises(UnusableInput):
        ask()
