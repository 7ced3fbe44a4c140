"""One rule for whatever comes from outside, on inputs by the thousand (see ``trial``)."""

import pytest

from sgtheory.errors import Unstable, UnusableInput
from tests.hostile.counting import counted
from tests.hostile.kinds import KINDS
from tests.hostile.trial import Case, run


@pytest.mark.parametrize("first", [0, 1000])
def test_two_thousand_hostile_inputs(first):
    table = counted(range(first, first + 1000))
    assert table["faults"] == {}, "see python -m tests.hostile --show NUMBER"
    assert all(table["kinds"][kind]["refused"] > 20 for kind in KINDS)
    assert all(table["kinds"][kind]["answered"] for kind in ("problem", "parameters", "verdicts"))
    assert table["different_lines"] > 300


@pytest.mark.long
@pytest.mark.parametrize("first", range(10_000, 30_000, 2_500))
def test_twenty_thousand_hostile_inputs(first):
    assert counted(range(first, first + 2_500))["faults"] == {}


def _call(what):
    return Case("problem", ("law",), {}, what)


def _loud(folder):
    import sys

    print("one\ntwo", file=sys.stderr)


def _endless(folder):
    while True:
        pass


@pytest.mark.parametrize(
    ("what", "fault"),
    [
        (lambda folder: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda folder: print("mean nan"), "an answer with numbers that are none"),
        (lambda folder: (folder / "touched").touch(), "executes"),
        (_loud, "2 lines beside an answer"),
        (lambda folder: print("mean 1.5, nanometres"), ""),
    ],
)
def test_the_rule_sees_what_breaks_it(tmp_path, what, fault):
    assert run(_call(what), tmp_path).fault == fault


def test_the_rule_sees_what_takes_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.hostile.trial.SECONDS", 0.2)
    assert run(_call(_endless), tmp_path).fault == "takes too long"


def test_the_rule_sees_what_a_refusal_leaves(tmp_path):
    def leaves(folder):
        (folder / "half.txt").touch()
        raise UnusableInput("a", "b", "c")

    assert run(_call(leaves), tmp_path).fault == "leaves half.txt"


def test_the_rule_sees_a_long_line(tmp_path):
    def wordy(folder):
        raise Unstable("x" * 500)

    assert run(_call(wordy), tmp_path).fault == "a line of 510 characters"
