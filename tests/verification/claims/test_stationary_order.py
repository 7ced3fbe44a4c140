"""Orders of stationary laws in the step size, and laws that are exact at every step."""

import pytest

from sgtheory.declare import N, positive
from sgtheory.pairs import LI
from verification.claims.stationary_order import EXACT, StationaryOrder
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}
tau = positive("tau")
POSITION, VELOCITY = ("theta", "theta"), ("v", "v")
POSTERIOR = tau / (N * LI)


def order(of, entry, target, claimed=EXACT):
    return StationaryOrder(of=of, entry=entry, target=target, order=claimed, **COMMON)


@pytest.mark.parametrize(
    ("of", "entry", "target", "claimed"),
    [
        ("underdamped:BAOAB", POSITION, POSTERIOR, EXACT),  # of weak order 2 only
        ("underdamped:BAOAB", VELOCITY, tau, 2),
        ("underdamped:OBABO", POSITION, POSTERIOR, 2),
        ("underdamped:BAO", POSITION, POSTERIOR, 1),
        ("lmc", POSITION, 1 / (N * LI), 1),
    ],
)
def test_true_orders_are_proved_and_their_wrong_twins_rejected(of, entry, target, claimed):
    claim = order(of, entry, target, claimed)
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried >= 5
    assert twins.rejected == twins.tried, twins.survivors


def test_exactness_that_holds_to_leading_order_only():
    finding = order("underdamped:ABOBA", VELOCITY, tau).find()
    assert finding.verdict == "limit-only"
    assert finding.gap.order == "2"
    assert finding.corrected.text.endswith("(1 + O(h**2))")
    assert run(finding.counterexample.script) is False


def test_an_order_too_high_is_refuted():
    finding = order("lmc", POSITION, 1 / (N * LI), 2).find()
    assert finding.verdict == "refuted"
    assert finding.counterexample.left == "1.000"
    assert run(finding.counterexample.script) is False


def test_a_sabotaged_expansion_is_caught(monkeypatch):
    monkeypatch.setattr(StationaryOrder, "error", property(lambda self: None))
    with pytest.raises(RoutesDisagree):
        order("lmc", POSITION, 1 / (N * LI)).find()
