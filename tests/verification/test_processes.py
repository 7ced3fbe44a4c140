"""Workers end with their parent, however it ends; results come in order; faults are told."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from multiprocessing import active_children, resource_tracker, util
from multiprocessing.process import BaseProcess

import pytest

from sgtheory.errors import UnusableInput
from verification.judging import processes
from verification.judging.processes import each

PROGRAM = """
import os, sys, time
from tests.verification import test_processes
from verification.judging.processes import each
if __name__ == "__main__":
    for word in each(test_processes.told, [(sys.argv[1], k) for k in range(4)], 2):
        pass
"""


def squared(n, seconds=0.0):
    time.sleep(seconds)
    return n * n


def told(folder, k):
    """Says which process does this, and takes for ever, with a temporary file."""
    tempfile.mkstemp()
    open(os.path.join(folder, str(os.getpid())), "x").close()
    time.sleep(600)


def leaves(k):
    if k == 2:
        os._exit(0)
    return k


class Odd(Exception):
    def __init__(self, one, two):
        super().__init__(one)


def raises(k):
    if k == 1:
        raise Odd("this one", "cannot be made again from its words")
    return k


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_results_come_in_order_whichever_ends_first():
    tasks = [(0, 0.3), *((n,) for n in range(1, 20))]
    assert list(each(squared, tasks, 2)) == [n * n for n in range(20)]
    assert not active_children()


def test_a_worker_that_is_gone_is_one_line():
    with pytest.raises(UnusableInput, match="fewer --jobs"):
        list(each(leaves, [(k,) for k in range(6)], 2))
    assert not active_children()


def test_what_cannot_travel_is_told_in_words():
    answers = each(raises, [(k,) for k in range(3)], 2)
    assert next(answers) == 0
    with pytest.raises(RuntimeError, match="Odd: this one"):
        next(answers)


def test_left_early_nobody_stays():
    answers = each(squared, [(1,), (2, 600), (3, 600)], 2)
    assert next(answers) == 1
    before = time.monotonic()
    answers.close()
    assert time.monotonic() - before < 5
    assert not active_children()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    "how",
    [
        signal.SIGKILL,
        *(pytest.param(s, marks=pytest.mark.strong) for s in (signal.SIGTERM, signal.SIGHUP)),
    ],
)
def test_workers_end_with_their_parent(tmp_path, how):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    folder = tmp_path / "told"
    folder.mkdir()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    parent = subprocess.Popen(
        [sys.executable, str(program), str(folder)],
        env=os.environ | {"PYTHONPATH": root, "TMPDIR": str(temporary)},
    )
    until = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    workers = [int(p.name) for p in folder.iterdir()]
    assert len(workers) == 2
    assert all(map(lives, workers))
    assert len(list(temporary.rglob("tmp*"))) == 2
    parent.send_signal(how)
    assert parent.wait(20) == -how
    until = time.monotonic() + 10
    while any(map(lives, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(lives, workers))
    assert not list(temporary.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="starts processes in another way")
def test_a_signal_waits_until_a_worker_has_begun(monkeypatch, capfd):
    begun, pids = util.spawnv_passfds, []

    def told(*given):
        pids.append(begun(*given))
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)  # here it would be raised
        return pids[-1]

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    resource_tracker.ensure_running()
    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()  # it gets what we do not
    monkeypatch.setattr(util, "spawnv_passfds", told)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(each(squared, [(1,), (2,)], 2))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    until = time.monotonic() + 10
    while lives(pids[-1]) and time.monotonic() < until:
        time.sleep(0.05)
    assert capfd.readouterr().err == ""


def temporary(k):
    return tempfile.mkstemp()[1]


def test_temporary_files_of_workers_go_with_them():
    paths = list(each(temporary, [(k,) for k in range(4)], 2))
    assert not any(map(os.path.exists, paths))
    assert not os.path.exists(os.path.dirname(paths[0]))


def test_temporary_files_go_where_ctrl_c_comes_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    answers, joined = each(squared, [(1,), (2,)], 2), BaseProcess.join
    assert next(answers) == 1
    assert list(tmp_path.iterdir())

    def told(process, timeout=None):
        monkeypatch.setattr(BaseProcess, "join", joined)
        raise KeyboardInterrupt

    monkeypatch.setattr(BaseProcess, "join", told)
    with pytest.raises(KeyboardInterrupt):
        list(answers)
    assert not list(tmp_path.iterdir())


def test_what_workers_find_does_not_hang_on_the_order_of_sets(monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    assert len(set(each(hash, [("a letter",)] * 2, 2))) == 1
    once, again = (next(iter(each(hash, [("a letter",)] * 2, 2))) for _ in range(2))
    assert once == again
    assert "PYTHONHASHSEED" not in os.environ
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    assert next(iter(each(hash, [("a letter",)] * 2, 2))) != once


UNGUARDED = """
import sys
from verification.judging.processes import each
print("begins")
print(list(each({}, [(2, 5), (3, 2)], 2)))
"""
OWN = """
from verification.judging.processes import each
def power(a, b):
    return a ** b
if __name__ == "__main__":
    try:
        print(list(each(power, [(2, 5), (3, 2)], 2)))
    except ValueError as error:
        print(error)
"""


def said(tmp_path, program, by_file):
    path = tmp_path / "script.py"
    path.write_text(program, encoding="utf-8")
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    done = subprocess.run(
        [sys.executable, str(path) if by_file else "-"],
        input=None if by_file else program, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": root}, timeout=120,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("by_file", [True, pytest.param(False, marks=pytest.mark.strong)])
def test_a_script_that_starts_workers_is_not_run_again(tmp_path, by_file):
    """Not as a file without a guard, nor from standard input, where nothing is left to read."""
    assert said(tmp_path, UNGUARDED.format("pow"), by_file) == "begins\n[32, 9]\n"


@pytest.mark.strong
def test_what_a_script_has_of_its_own_travels_where_it_is_a_file(tmp_path):
    assert said(tmp_path, OWN, True) == "[32, 9]\n"
    assert "expected functions and classes that another process" in said(tmp_path, OWN, False)


def test_a_worker_first_has_what_is_about_what_it_has_had():
    left, about, known = deque(enumerate("abcd")), ("sgd", "sgld", "sgd", None), {}
    given = [processes._next(left, worker, about, known)[0] for worker in ("first", "second")]
    assert given == [0, 1]
    assert processes._next(left, "first", about, known)[0] == 2
    assert processes._next(left, "first", about, known)[0] == 3
    assert not left
    left.append((2, "c"))
    assert processes._next(left, "second", about, known)[0] == 2  # nothing else is left


def test_tasks_about_something_are_all_done_in_order():
    about = ["ab"[k % 2] for k in range(12)]
    assert list(each(squared, [(k,) for k in range(12)], 2, about=about)) == [k * k for k in range(12)]
