"""Whatever foreign code does to its process, the check ends, tells it, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sgtheory.errors import UnusableInput
from tests.verification.checking import foreign
from verification.checking import child
from verification.checking.cases import cases
from verification.checking.judging import SLOW

FILE = Path(foreign.__file__)
PATIENCE = 60.0  # seconds for what takes one on an idle machine


def run(name, case=PATIENCE, loading=PATIENCE, tell=lambda *_: None, number=1, **limits):
    job = child.Job(f"{FILE}:{name}", None, "sgd", cases("sgd", dimensions=(1,) * number), 64)
    return [m for _, m in child.runs(job, child.Limits(case, loading, **limits), tell)]


LONG = pytest.mark.long  # each starts a process, which takes about a second


@pytest.mark.parametrize("name", ["talks", pytest.param("closes_its_streams", marks=LONG)])
def test_what_it_says_or_closes_does_no_harm(name):
    (found,) = run(name)
    assert found.fault == ""


def test_a_signal_is_told_by_name_with_the_place():
    (found,) = run("faults")
    assert found.fault == "crashed"
    assert "SIGSEGV" in found.words
    assert "foreign.py" in found.words or "ctypes" in found.words


@LONG
def test_a_kill_and_an_exit_are_told():
    (killed,) = run("kills_itself")
    assert "SIGKILL" in killed.words
    (left,) = run("exits")
    assert left.fault == "crashed"
    assert "status 0" in left.words


@LONG
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system tells no memory")
def test_memory_has_a_limit():
    (found,) = run("eats", memory=6e8)
    assert found.fault == "crashed"
    assert "0.6 GB" in found.words


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system tells no processes")
def test_processes_and_output_have_limits(monkeypatch, tmp_path):
    monkeypatch.setenv("SGTHEORY_TEST_NOTE", str(tmp_path / "note"))
    (found,) = run("hangs_with_children", processes=1)
    assert (found.fault, "2 processes; it may have 1" in found.words) == ("crashed", True), found.words
    (found,) = run("talks", output=1e4)
    assert (found.fault, "allow more with --output" in found.words) == ("crashed", True), found.words


def test_what_is_allowed_has_names_and_is_above_nothing():
    for wrong in ({"memmory": 1.0}, {"memory": 0.0}, {"output": float("nan")}):
        with pytest.raises(UnusableInput, match="expected memory, processes, output above 0"):
            child.Limits.of(1.0, 1.0, wrong)


def test_a_hanging_import_is_told_and_its_time_is_not_that_of_a_case(monkeypatch):
    monkeypatch.setenv("SGTHEORY_TEST_HANGS_AT_IMPORT", "1")
    (found,) = run("sgd", case=1e-3, loading=1.0)
    assert found.fault == "hangs"
    assert "did not finish loading in 1 seconds" in found.words


@LONG
def test_an_exit_at_import_is_told(monkeypatch):
    monkeypatch.setenv("SGTHEORY_TEST_ENDS_AT_IMPORT", "1")
    (found,) = run("sgd")
    assert found.words.endswith("no licence")


@LONG
def test_a_slow_sampler_is_no_hanging_one():
    assert run("slow", case=0.3)[0].fault == SLOW


@LONG
def test_progress_goes_up_and_tells_of_steps_within_a_case():
    heard = []
    run("slow", tell=lambda *words: heard.append(words), number=1)
    shares = [share for _, share in heard]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert any("step" in words and 0 < share < 1 for words, share in heard)


def lives(pid):
    """Whether a process is there and no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.strong
@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=LONG)])
def test_nothing_outlives_the_parent(number, tmp_path):
    note = tmp_path / "note"
    code = (
        "import sys; from verification.checking import check; check(sys.argv[1], 'sgd', dimensions=(1,))"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, f"{FILE}:hangs_with_children"],
        env=os.environ | {"SGTHEORY_TEST_NOTE": str(note)},
        cwd=FILE.parents[3],
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + PATIENCE
    while not (note.exists() and note.read_text().endswith("\n")):
        assert time.monotonic() < until
        assert parent.poll() is None
        time.sleep(0.05)
    pids = [int(word) for word in note.read_text().split()]
    assert len(pids) == 2
    assert all(map(lives, pids))
    parent.send_signal(number)
    assert parent.wait(PATIENCE) != 0
    while any(map(lives, pids)):
        assert time.monotonic() < until
        time.sleep(0.05)
