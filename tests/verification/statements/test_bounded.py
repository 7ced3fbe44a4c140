"""Bounds with a constant that no letter moves: by exponents, and by powers of exact places."""

from dataclasses import replace
from fractions import Fraction

import pytest

from verification.refuter.script import run
from verification.statements import Bounded, claim, letters, sqrt
from verification.theories.answers import Proved
from verification.theories.scalars import Numbers
from verification.verdicts.verdict import RoutesDisagree

n, h, x, y = letters("n h x y")
RANGE = (n >= 1, h <= 1)


def stated(left, right, *given):
    made = claim("k", at="a", title="t", says="s", printed=Bounded(left, right), given=given)
    return replace(made, paper="p")


@pytest.mark.parametrize(
    "true",
    [
        stated(sqrt(h / n), 1 / n + h, *RANGE),
        stated((x + y) ** 2, x**2 + y**2),
        stated(1 / (n + h), 1 / n, *RANGE),
        stated(x * y, x**2 - x * y + y**2),
        stated(1 / n**2, 1 / n, *RANGE),
    ],
    ids=lambda c: c.statement.text(),
)
def test_true_bounds_are_proved_and_their_twins_rejected(true):
    finding = true.find()
    assert finding.verdict == "proved"
    twins = true.twins(finding, most=16)
    assert twins.rejected >= 3
    assert twins.survivors == ()


@pytest.mark.parametrize(
    ("false", "true"),
    [
        (stated(h * n + h, h + h**2, *RANGE), "h*n + h = O(h + h**2 + h*n)"),
        (stated((x + y) ** 2, 2 * x**2), "(x + y)**2 = O(2*x**2 + y**2)"),
        (stated(x * y, (x - y) ** 2), None),
        # that it is n times the right side is in the reason: that it is of its own size is no correction
        (stated(x**2, x**2 / n, *RANGE), None),
    ],
    ids=lambda c: getattr(c, "key", ""),
)
def test_false_bounds_are_refuted_with_what_they_lack(false, true):
    finding = false.find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
    assert getattr(finding.corrected, "text", None) == true


def test_a_factor_that_a_bound_lacks_is_told():
    found = stated(x**2, x**2 / n, *RANGE).find()
    assert str(found.reason).endswith("which is smaller by a factor of the order n.")


def test_a_bound_that_needs_a_letter_beyond_one_says_so():
    finding = stated(1 / n**2, 1 / n).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "n has a lower bound above zero")
    assert finding.converse.known == "necessary"  # without one the quotient grows as n vanishes
    assert run(finding.counterexample.script) is False


def test_a_bound_may_need_that_a_product_is_not_small_and_what_it_lacks_is_no_correction():
    left = 1 / (2 * n**2) + n**2 * h**2 + h / n + 1 / (n**2 * h**2) + h**4
    finding = stated(left, 1 / (n * h) + n**4, *RANGE).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "n*h has a lower bound above zero")
    assert finding.converse.known == "not known"  # it holds along n = h**(-1/3), too
    assert run(finding.counterexample.script) is False


def test_no_condition_leaves_one_value_of_what_is_given():
    finding = stated(h, h**2, *RANGE).find()  # where h >= 1, h would be 1
    assert (finding.verdict, finding.condition) == ("refuted", None)


def test_a_sabotaged_comparison_of_exponents_is_caught_by_numbers(monkeypatch):
    monkeypatch.setattr(Numbers, "is_bounded", lambda *_: Proved("So it is said."))
    with pytest.raises(RoutesDisagree):
        stated(n, h, *RANGE).find()


@pytest.mark.parametrize(
    ("left", "right", "given", "verdict"),
    [
        (1 / h, 1, h >= Fraction(1, 2), "proved"),
        (h, 1, h <= 2, "proved"),
        (x, y, x <= 3 * y, "proved"),
        (x, y, x <= y**2, "refuted"),
        (1 / h, 1, h <= Fraction(1, 2), "refuted"),
    ],
)
def test_far_out_what_is_given_holds_too(left, right, given, verdict):
    """The powers of h = 1/2 are below one half, and at them 1/h was no bound."""
    assert stated(left, right, given).find().verdict == verdict
