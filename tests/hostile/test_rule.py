"""One rule for whatever comes from outside, on inputs by the thousand (see ``trial``)."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sgtheory.errors import Unstable, UnusableInput
from tests.hostile import kinds
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


def test_the_tables_that_are_kept_have_every_kind_and_no_fault():
    """The first hundred thousand, and what the doors that were opened since then were given."""
    folder = Path(__file__).parents[2] / "benchmarks" / "results"
    tables = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("hostile*.json"))]
    assert all(table["faults"] == {} for table in tables)
    assert sum(table["cases"] for table in tables) > 100_000
    assert {kind for table in tables for kind in table["kinds"]} == set(KINDS)
    assert all(of_kind["refused"] for table in tables for of_kind in table["kinds"].values())


def _in_a_process(one, folder):
    """What a command says in a process of its own, with a gigabyte of memory at most."""
    for name, content in one.files.items():
        (folder / name).write_bytes(content)
    if one.prepare is not None:
        one.prepare(folder)
    root = Path(__file__).parents[2]
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30));"
        "from reports.terminal import main; main(sys.argv[1:])"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *one.words],
        cwd=folder, capture_output=True, text=True, timeout=120,
        env=os.environ | {"PYTHONPATH": str(root)}, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


SAMPLE = [s for s in range(2000, 2300) if kinds.case(s).kind in ("places", "arguments", "problem")]
MORE = [pytest.param(SAMPLE[k : k + 12], marks=pytest.mark.strong) for k in (4, 16, 28)]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("seeds", [SAMPLE[:4], *MORE])
def test_some_in_processes_of_their_own(tmp_path, seeds):
    for seed in seeds:
        one, folder = kinds.case(seed), tmp_path / str(seed)
        folder.mkdir()
        done = _in_a_process(one, folder)
        assert done.returncode in (0, 1, 2, 3), seed
        assert "Traceback" not in done.stderr, seed
        if done.returncode == 2:
            assert done.stderr.count("\n") == 1, seed
            assert len(done.stderr) < 400, seed
            assert not done.stdout, seed


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


@pytest.mark.parametrize(("refuses", "fault"), [(True, "takes too long to refuse"), (False, "")])
def test_a_search_may_take_longer_than_a_refusal(tmp_path, monkeypatch, refuses, fault):
    monkeypatch.setattr("tests.hostile.trial.SECONDS", 0.05)

    def late(folder):
        end = time.process_time() + 0.1
        while time.process_time() < end:
            pass
        if refuses:
            raise UnusableInput("a", "b", "c")

    assert run(replace(_call(late), most=10.0), tmp_path).fault == fault


def test_the_rule_sees_what_a_refusal_leaves(tmp_path):
    def leaves(folder):
        (folder / "half.txt").touch()
        raise UnusableInput("a", "b", "c")

    assert run(_call(leaves), tmp_path).fault == "leaves half.txt"


def test_the_rule_sees_a_long_line(tmp_path):
    def wordy(folder):
        raise Unstable("x" * 500)

    assert run(_call(wordy), tmp_path).fault == "a line of 510 characters"
