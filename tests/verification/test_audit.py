"""The audit: each check finds its wrong twin, and lets the entry beside it pass."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.verification.papers.test_every_claim import EXPECTED
from verification import papers
from verification.auditing import Judged, all_checks
from verification.auditing.reasons import EVERY, reasons
from verification.library import claims
from verification.verdicts.verdict import Twins, Verdict

CHECKS = {check.name: check for check in all_checks()}


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_finds_its_wrong_twin(name):
    check = CHECKS[name]
    entries = check.bad()
    found = list(check.of_all(entries))
    assert [(one.id, one.kind) for one in found][-1:] == [(entries[-1].id, name)]
    assert all(one.words.endswith(".") and one.remedy for one in found)


@pytest.mark.parametrize("name", [name for name, check in CHECKS.items() if not check.at_all])
def test_each_wrong_twin_is_found(name):
    """A check has a twin for each thing that it looks for."""
    check = CHECKS[name]
    for entry in check.bad():
        assert [one.kind for one in check.of_one(entry)], entry.verdict


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_lets_a_good_entry_pass(name):
    assert list(CHECKS[name].of_all(CHECKS[name].good())) == []


def test_every_check_says_in_a_sentence_what_it_asks():
    for check in CHECKS.values():
        assert check.sentence[0].isupper(), check.name
        assert check.sentence.endswith("."), check.name


def kinds_of_fault(review):
    """The checks that are named beside each kind of fault."""
    rows = re.findall(r"^\| (\d+)\. [^|]+\| ([^|]+) \|", review, re.MULTILINE)
    return {int(kind): set(re.findall("`([^`]+)`", named)) for kind, named in rows}


def test_each_of_the_ten_kinds_of_fault_has_its_checks():
    """The rest look at what stands in no kind; a name that is no check is found."""
    (folder,) = papers.__path__
    review = (Path(folder) / "REVIEW.md").read_text()
    told = kinds_of_fault(review)
    assert sorted(told) == list(range(1, 11))
    assert all(told.values())
    assert set().union(*told.values()) == set(CHECKS)
    wrong = kinds_of_fault(review.replace("`sizes`", "`size`"))
    assert set().union(*wrong.values()) - set(CHECKS) == {"size"}


def test_a_reason_is_for_a_check_and_an_entry_that_there_are():
    assert {kind for _, kind in reasons()} <= set(CHECKS)
    assert {id_ for id_, _ in reasons()} <= {EVERY, *EXPECTED}


@pytest.mark.parametrize(("share", "found"), [(1, []), (2, ["corrections"])])
def test_a_correction_that_sets_a_letter_otherwise_is_judged_as_a_claim(share, found):
    """The gain with which the law is the posterior is proved of the statement; twice it is not."""
    (entry,) = (c for c in claims("mandt2017") if c.key == "sec5_2.any_step")
    finding = entry.find()
    sets = tuple((letter, share * value) for letter, value in finding.corrected.sets)
    corrected = replace(finding.corrected, sets=sets)
    judged = Judged(Verdict(entry, replace(finding, corrected=corrected), None, None, Twins(0, 0)))
    checks = (CHECKS["corrections"], CHECKS["unstated corrections"])
    assert [one.kind for check in checks for one in check.of_one(judged)] == found
