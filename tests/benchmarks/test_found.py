"""What was found to break an older tree holds here; and each rule can fail."""

import json
import sys

import pytest

from benchmarks.found import (
    ROOT,
    Ran,
    as_ever,
    cases,
    crashed,
    finite,
    quiet,
    refused,
    tried,
    true_variance,
)

LINE = "sgtheory: expected a number; got 'x'; write 1\n"


@pytest.mark.parametrize(
    ("ran", "word"),
    [
        (Ran(0, "", "", False, 0), "status 0"),
        (Ran(1, "", "Traceback\nValueError: x", False, 0), "traceback"),
        (Ran(2, "", LINE * 2, False, 0), "2 lines"),
        (Ran(2, "", "x" * 401, False, 0), "401 letters"),
        (Ran(-9, "", "", True, 0), "no answer"),
        (Ran(2, "", LINE, False, 2**31), "gigabyte"),
    ],
)
def test_what_is_no_refusal(ran, word):
    assert word in refused(ran)
    assert refused(Ran(2, "", LINE, False, 0)) == ""


def test_numbers_that_are_none_and_numbers_that_are_wrong():
    assert "nan" in finite(Ran(0, "mean nan", "", False, 0))
    assert finite(Ran(1, "mean nan", "", False, 0)) == finite(Ran(0, "a banana, 2", "", False, 0)) == ""
    assert "without a number" in finite(Ran(0, "", "", False, 0))
    assert "5.6" in true_variance(Ran(0, "variance 5.6e-13", "", False, 0))
    assert true_variance(Ran(0, "variance 5.01e-13", "", False, 0)) == ""
    assert "no variance" in true_variance(Ran(0, "variance 7e-12", "", False, 0))
    assert true_variance(Ran(2, "", LINE, False, 0)) == ""


def test_a_warning_a_status_and_a_crash_that_is_not_told():
    assert "RuntimeWarning" in quiet(Ran(0, "mean 1", "x.py:3: RuntimeWarning: overflow", False, 0))
    assert quiet(Ran(0, "mean 1", "", False, 0)) == as_ever(Ran(0, "1", "", False, 0)) == ""
    assert as_ever(Ran(1, "", "", False, 0)) == "status 1"
    assert as_ever(Ran(0, "", "Exception ignored", False, 0))
    assert crashed(Ran(1, "crashed", "", False, 0)) == crashed(Ran(2, "", LINE, False, 0)) == ""
    assert "status 0" in crashed(Ran(0, "conforms", "", False, 0))


@pytest.mark.long
@pytest.mark.parametrize("one", list(cases()), ids=lambda one: one.name)
def test_it_holds_here(one):
    assert tried(one, ROOT, sys.executable) == ""


def test_every_case_of_the_table_was_broken_there_and_holds_here():
    rows = json.loads((ROOT / "benchmarks" / "results" / "found.json").read_text("utf-8"))["rows"]
    assert [row["case"] for row in rows] == [one.name for one in cases()]
    assert not [row["case"] for row in rows if row["here"] or not row["there"]]
