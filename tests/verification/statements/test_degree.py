"""Sentences that say how much and print no number are shown in numbers, and neither hold nor fail."""

import pytest

from sgtheory.errors import UnusableInput
from verification.judging.judge import judge, plans
from verification.papers.mandt2017 import section_7_2
from verification.statements import at, degree, exp, letters
from verification.verdicts.verdict import RoutesDisagree
from verification.verdicts.wording import DEGREE

x, y = letters("x y")
slight = at("slight", "after Eq. 1").degree(
    "A slight bias", "It is called slight.", {"the bias": 1 - exp(-x * y)}, {x: "0.5", y: "1"}
)


def test_its_numbers_are_shown_and_nothing_is_decided():
    finding = slight.find()
    assert finding.verdict == DEGREE
    assert finding.reason == "No number is printed that would decide it: the bias is 0.393469."
    assert finding.evidence[0].data["about"] == "0.393469"


def test_no_letter_is_left_open_and_something_is_shown():
    with pytest.raises(UnusableInput, match="numbers to show in slight"):
        at("slight").degree("A slight bias", "It is called slight.", {"the bias": x * y}, {x: "0.5"})
    with pytest.raises(UnusableInput, match="numbers to show in slight"):
        at("slight").degree("A slight bias", "It is called slight.", {})


def test_a_number_that_decimals_do_not_confirm_is_no_number(monkeypatch):
    monkeypatch.setattr(degree, "says", lambda *_: False)
    with pytest.raises(RoutesDisagree, match="the bias is"):
        slight.find()


def test_it_is_neither_as_printed_nor_not():
    ((claim, plan),) = plans([section_7_2.fig4])
    document = judge(claim, plan).to_json()
    assert document["verdict"] == DEGREE
    assert document["as_printed"] is None
    assert document["stands"] == "read"
