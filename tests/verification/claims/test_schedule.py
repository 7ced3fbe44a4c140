"""Schedules: finite and infinite sums of steps, by the power of t and by blocks."""

from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.errors import UnusableInput
from verification.claims.base import Printed
from verification.claims.schedule import Schedule
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

t = sp.Symbol("t", integer=True, positive=True)


def schedule(term, relation, power=1):
    printed = Printed(sp.Sum(term**power, (t, 1, sp.oo)), sp.oo, relation)
    return Schedule("k", at="a", title="t", says="s", printed=(printed,), paper="p")


@pytest.mark.parametrize("numerator", range(1, 9))
def test_a_power_of_t_has_a_finite_sum_from_one_on(numerator):
    power = Fraction(numerator, 4)
    term = (3 + t) ** -sp.Rational(power)
    finite, infinite = schedule(term, "<"), schedule(term, "=")
    true, false = (finite, infinite) if power > 1 else (infinite, finite)
    assert true.find().verdict == "proved"
    found = false.find()
    assert found.verdict == "refuted"
    assert not run(found.counterexample.script)
    assert true.twins(true.find()).rejected >= 1


def test_a_schedule_that_is_no_power_is_refused():
    with pytest.raises(UnusableInput, match="like a power of t"):
        schedule(sp.exp(-t), "<").find()


def test_blocks_that_contradict_the_power_are_noticed(monkeypatch):
    monkeypatch.setattr(Schedule, "_blocks", lambda self, printed: ([1.0, 2.0], 2.0))
    with pytest.raises(RoutesDisagree, match="blocks change by"):
        schedule(1 / t, "=").find()
