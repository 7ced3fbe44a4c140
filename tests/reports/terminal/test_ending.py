"""A command that is told to end does so soon, quietly, with its workers; what it finished is kept."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reports import terminal
from reports.terminal import ending
from sgtheory import __version__
from sgtheory.errors import Ended

ROOT = Path(__file__).parent.parent.parent.parent
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def children(pid):
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@linux
@pytest.mark.strong
@pytest.mark.parametrize(
    ("how", "status", "words"),
    [(signal.SIGINT, 130, "sgtheory: stopped"), (signal.SIGTERM, 143, ""), (signal.SIGHUP, 129, "")],
)
def test_a_run_of_several_processes_ends(tmp_path, how, status, words):
    env = os.environ | {"SGTHEORY_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "reports.terminal", "verify", "mandt2017", "--jobs", "2"]
    run = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    kept, until = tmp_path / "cache" / "verdicts", time.monotonic() + 240
    while not (kept.is_dir() and any(kept.iterdir())) and time.monotonic() < until:
        time.sleep(0.1)
    workers = children(run.pid)
    assert len(workers) >= 2
    os.killpg(run.pid, how) if how != signal.SIGTERM else run.send_signal(how)
    began = time.monotonic()
    _, said = run.communicate(timeout=60)
    assert time.monotonic() - began < 5  # two seconds on a machine that is not busy
    assert run.returncode == status
    assert said.split("\n") == (["", words, ""] if words else [""])
    time.sleep(0.5)
    assert not any(map(lives, workers))
    assert any(kept.iterdir())


@pytest.mark.parametrize("told", [Ended(143), KeyboardInterrupt()])
def test_a_signal_that_a_library_takes_for_a_failure_is_a_signal(told):
    failed = ImportError("initialization failed")
    failed.__cause__ = told
    with pytest.raises(type(told)), ending.not_mistaken():
        raise failed
    with pytest.raises(ImportError), ending.not_mistaken():
        raise ImportError("no such module")


BEFORE = """
import os, signal, sys
from sgtheory import command

class Reports:
    def main(self):
        os.kill(os.getpid(), signal.SIGINT)

command.ours = lambda _: Reports()
command.main()
"""
WITHIN = """
import os, signal, sys
from reports import terminal
from sgtheory import command

class Left:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(10**5))

def work(**_):
    {}

terminal.cli.main = work
command.main()
"""
SWALLOWED = "Left()\n    import time\n    time.sleep(60)"


def said(program, ctrl_c=signal.SIG_DFL):
    """What a program says on standard error, wherever the tests themselves are run."""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, ctrl_c),
    )  # fmt: skip
    return ran.returncode, ran.stderr.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize(
    "program", [BEFORE, WITHIN.format("raise KeyboardInterrupt"), WITHIN.format(SWALLOWED)]
)
def test_ctrl_c_is_one_line_before_the_command_begins_too_and_where_python_would_go_on(program):
    assert said(program) == (130, "sgtheory: stopped")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
def test_a_signal_that_is_ignored_stays_so():
    program = WITHIN.format("os.kill(os.getpid(), signal.SIGINT)")
    assert said(program, signal.SIG_IGN) == (0, "")
    assert said(program) == (130, "sgtheory: stopped")


def test_a_command_that_is_told_to_end_while_it_loads_a_library_says_nothing(monkeypatch, capsys):
    def loads(**_):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        except SystemExit as error:
            raise ImportError("initialization failed") from error

    monkeypatch.setattr(terminal.cli, "main", loads)
    with pytest.raises(SystemExit) as ended:
        terminal.main(["list"])
    assert ended.value.code == 143
    assert capsys.readouterr().err == ""


def test_what_the_system_refuses_anywhere_is_one_line(monkeypatch, capsys):
    def full(**_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), "a.json")

    monkeypatch.setattr(terminal.cli, "main", full)
    with pytest.raises(SystemExit) as ended:
        terminal.main(["list"])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "got Too many open files: a.json; see that" in line


def test_the_version_is_told_where_only_the_tree_is():
    program = (
        "import importlib.metadata as m\n"
        "def none(name): raise m.PackageNotFoundError(name)\n"
        "m.version = none\n"
        "from sgtheory.command import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "--version"], cwd=ROOT, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"sgtheory {__version__}\n"
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text()
