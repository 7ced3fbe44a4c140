"""Where files cannot be written and processes not be started: an answer, or one line."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reports.terminal import main
from sgtheory.command import spare_threads
from verification.judging import processes

ROOT = Path(__file__).parent.parent.parent.parent
ROOMS = ("sgtheory", "simulators", "verification", "reports")
PROBLEM = '{"hessian": [[2]], "noise": [[1]], "N": 40, "S": 4, "params": {"eps": "1/5"}}'


def no_threads(after):
    """A start of threads that fails after so many, as where a user may have no more processes."""
    left, start = [after], threading.Thread.start

    def begun(thread):
        if not left[0]:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        start(thread)

    return begun


@pytest.mark.parametrize("after", [0, 1])
def test_no_thread_is_a_line(after, tmp_path, monkeypatch, capsys):
    problem = tmp_path / "p.json"
    problem.write_text(PROBLEM)
    monkeypatch.setattr(threading.Thread, "start", no_threads(after))
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "sgd", "--problem", str(problem), "--chains", "64", "--steps", "2"])
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert "can't start new thread; end other processes" in said.err
    assert said.err.count("\n") == 1


def test_libraries_have_one_thread_where_few_are_left(monkeypatch):
    """OpenBLAS raises Ctrl-C where it gets fewer than it wants: the command would say "stopped"."""
    for given in (None, "3"):
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
        if given:
            monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
        spare_threads()
        assert os.environ.get("OPENBLAS_NUM_THREADS") == given
        with monkeypatch.context() as few:
            few.setattr(threading.Thread, "start", no_threads(3))
            spare_threads()
        assert os.environ["OPENBLAS_NUM_THREADS"] == (given or "1")


def test_a_worker_without_a_thread_leaves_without_a_word(monkeypatch, tmp_path):
    def left(status):
        raise SystemExit(status)

    monkeypatch.setattr(processes, "_exit", left)
    monkeypatch.setattr(processes.tempfile, "tempdir", None)
    monkeypatch.setattr(threading.Thread, "start", no_threads(0))
    monkeypatch.setattr(processes.signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit, match="1"):
        processes._serve(None, str(tmp_path), {})


@pytest.mark.long
@pytest.mark.skipif(
    os.name != "posix" or (os.geteuid() == 0 and shutil.which("setpriv") is None),
    reason="root writes anywhere, unless that is taken from it",
)
def test_an_installation_that_cannot_be_written(tmp_path):
    """Neither our files, nor the home, nor the folder one stands in; what is not kept is made again."""
    home, tree = tmp_path / "home", tmp_path / "tree"
    home.mkdir()
    (home / "p.json").write_text(PROBLEM)
    (home / "t.py").write_text(
        "def step(state, gradient, rng, eps):\n    return state - eps * gradient(state)\n"
    )
    for room in ROOMS:
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
    for one in (home, tree, *tree.rglob("*")):
        one.chmod(0o555 if one.is_dir() else 0o444)
    less = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"] * (os.geteuid() == 0)
    environment = {k: v for k, v in os.environ.items() if k not in ("SGTHEORY_CACHE", "XDG_CACHE_HOME")}
    environment |= {"HOME": str(home), "PYTHONPATH": str(tree)}

    def run(*words):
        command = [*less, sys.executable, "-c", "from sgtheory.command import main; main()", *words]
        done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
        return done.returncode, done.stderr

    try:
        for words in (
            ("law", "sgd", "--problem", "p.json"), ("list", "models"), ("verify", "mandt2017.eq25"),
            ("cache",),
            ("simulate", "sgd", "--problem", "p.json", "--chains", "64", "--steps", "2"),
            ("check", "t.py:step", "--like", "sgd", "--dimensions", "1"),
        ):  # fmt: skip
            assert run(*words) == (0, ""), words
        status, line = run("verify", "mandt2017.eq25", "--json", "v.json")
        assert (status, line.count("\n")) == (2, 1)
        assert "v.json: Permission denied" in line
    finally:
        for one in (home, tree, *tree.rglob("*")):
            one.chmod(0o755)
