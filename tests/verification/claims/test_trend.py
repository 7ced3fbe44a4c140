"""Fresh claims that something grows as a letter vanishes."""

import pytest
import sympy as sp

from verification.claims.trend import DOWN, UP, Eventually, Trend
from verification.lagsums import correlation_time, correlation_time_of_square
from verification.miner.conditions import OneDimensional
from verification.notation import eps, mu
from verification.quantities import Entry
from verification.refuter.script import run

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
x, a, r = sp.symbols("x a r", positive=True)
ONE = (OneDimensional(()),)


def trend(left, way=UP, **more):
    more = {"variable": mu if "of" in more else x, **more}
    return Eventually("fresh", printed=(Trend(left, more["variable"], way),), **COMMON, **more)


def coordinate(matrix):
    return Entry(matrix, 0, 0)


TRUE = [
    trend(1 / (a + x)),
    trend(1 / x - 5 / (x + a)),  # shrinks at first
    trend(sp.sqrt(a + x), DOWN),
    trend(-sp.log(x)),
]
FALSE = [trend(x / (a + x)), trend(a), trend(1 / x, DOWN), trend(x - x**2 - a)]


@pytest.mark.parametrize("claim", TRUE)
def test_true_trends(claim):
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried >= 2
    assert twins.survivors == ()


@pytest.mark.parametrize("claim", FALSE)
def test_false_trends_have_a_script(claim):
    finding = claim.find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_what_is_constant_is_said_to_be():
    assert "does not depend on x: it is a" in trend(a).find().reason


def of_momentum(quantity, time, step):
    where = ((eps, step),)
    return trend(quantity, of="momentum", time=time, where=where, given=ONE)


def test_correlation_times_of_momentum_at_one_rate():
    one, square = correlation_time(coordinate), correlation_time_of_square(coordinate)
    finding = of_momentum(one, "continuous", r * mu).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text.endswith("= 2/(lambda_i*r)")
    assert "tends to 2/(lambda_i*r)" in of_momentum(one, "discrete", r * mu).find().reason
    finding = of_momentum(square, "continuous", r * mu).find()
    assert finding.verdict == "proved"
    assert "is 1/mu to first order" in finding.reason
    assert of_momentum(one, "continuous", r).find().verdict == "refuted"  # the step alone held fixed
