"""Printed numbers against printed formulas: exact, in intervals, by a script; and schedules."""

from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.errors import UnusableInput
from verification.claims import settings
from verification.claims.base import Printed
from verification.claims.schedule import Schedule
from verification.claims.settings import AtSettings
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

x, y = sp.symbols("x y", positive=True)
t = sp.Symbol("t", integer=True, positive=True)


def about(left, right, relation="=", **values):
    letters = tuple((sp.Symbol(n, positive=True), v) for n, v in values.items())
    printed = (Printed(sp.sympify(left), sp.sympify(right), relation),)
    return AtSettings("k", at="a", title="t", says="s", printed=printed, settings=letters, paper="p")


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (about(10 * x * y, 20, x="0.5", y="4"), "proved"),
        (about(10 * x * y, 21, x="0.5", y="4"), "refuted"),
        (about(x, sp.Rational(1, 3), "<", x="0.3333333333333333333333333333333333"), "proved"),
        (about(x, sp.Rational(1, 3), "<", x="0.3333333333333333333333333333333334"), "refuted"),
        (about(sp.exp(x), y, ">", x="1", y="2.718281828459045235360287471352662497"), "proved"),
        (about(sp.exp(x), y, ">", x="1", y="2.718281828459045235360287471352662498"), "refuted"),
        (about(sp.sqrt(x) ** 2 + sp.log(sp.exp(y)), 5, x="2", y="3"), "proved"),
        (about(x ** sp.Rational(1, 3), sp.Max(x, y) / 2, "<=", x="3", y="4"), "proved"),
    ],
    ids=range(8),
)
def test_numbers_decide(claim, verdict):
    found = claim.find()
    assert found.verdict == verdict
    if verdict == "refuted":
        assert not run(found.counterexample.script)
        assert found.counterexample.problem == {str(a): b for a, b in claim.settings}
    else:
        assert claim.twins(found).rejected > 0


def test_a_letter_without_a_number_is_named():
    with pytest.raises(UnusableInput, match="none for y"):
        about(x, y, x="1").find()


def test_equal_numbers_are_not_decided_by_digits(monkeypatch):
    monkeypatch.setattr(sp, "simplify", lambda e: e)  # what it sees is decided
    with pytest.raises(UnusableInput, match="two bounds"):
        about((9 + 4 * sp.sqrt(x)) ** sp.Rational(1, 3), (3 + sp.sqrt(x)) / 2, x="5").find()


def test_routes_that_disagree_are_noticed(monkeypatch):
    monkeypatch.setattr(settings, "run", lambda script: "== " in script)
    with pytest.raises(RoutesDisagree):
        about(x, 2, "<", x="1").find()


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
