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
from benchmarks.found_played import played
from benchmarks.trees import Stage

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


STUB = """
import subprocess, sys, threading, time
def main(*_):
    if "simulate" in sys.argv:
        threading.Thread(target=print).start()
        raise RuntimeError("so be it")
    for _ in range(4):
        subprocess.Popen(["sleep", "60"])
    time.sleep(60)
"""


def test_a_tree_that_leaves_processes_or_ends_in_tracebacks_is_found_out(tmp_path):
    for module, text in (("sgtheory/command", STUB), ("verification/experiments/job", "so be it")):
        path = tmp_path / "tree" / f"{module}.py"
        path.parent.mkdir(parents=True)
        (tmp_path / "tree" / module.partition("/")[0] / "__init__.py").touch()
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    plays = {one.name: one for one in played()}

    def told(name):
        folder = tmp_path / name
        folder.mkdir()
        return plays[name].tried(Stage(folder, tmp_path / "tree"))

    assert told("verify that is killed") == "4 processes stay"
    assert told("several runs on one checkpoint") == "a traceback: RuntimeError: so be it"
    assert (
        told("a machine without another thread") == "a traceback: RuntimeError: can't start new thread"
    )
    assert "traceback" in told("kept results that somebody replaced")
