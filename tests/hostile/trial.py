"""One hostile input: what it is made of, how it is run in this process, and the one rule.

The rule: status 2, one line below 400 characters, within seconds and a gigabyte, nothing written and
nothing executed; or an answer, with a status that is documented and finite numbers.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sgtheory.errors import NotAffine, Unstable, UnusableInput

TARGET = "touched"  # what code that ran would have made
SECONDS, GIGABYTE = 5.0, 2**30
_NO_NUMBER = re.compile(r"(?<![\w.])[-+]?(nan|inf|infinity)(?![\w])", re.IGNORECASE)


@dataclass(frozen=True)
class Case:
    """A command line with the files that it is given; or a call, where there is no command.

    ``prepare`` makes what is no file with bytes: links, pipes, folders. An answer may take ``most``
    seconds: a search takes more than a refusal.
    """

    kind: str
    words: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    call: Callable[[Path], Any] | None = None
    prepare: Callable[[Path], Any] | None = None
    most: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a case; ``fault`` is empty where the rule holds."""

    word: str  # refused, answered
    fault: str = ""
    line: str = ""
    seconds: float = 0.0


class _TooLong(BaseException):
    """Raised by the clock, so that no handler of errors takes it."""


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGPROF, stop)
    waiting = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of this process alone: the machine may be busy
    signal.setitimer(signal.ITIMER_REAL, 20 * seconds)  # and of all the time, for what only waits
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, before)
        signal.signal(signal.SIGALRM, waiting)


def run(one: Case, folder: Path) -> Outcome:
    """Carry out a case in an empty folder, which is left empty."""
    for name, content in one.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    if one.prepare is not None:
        one.prepare(folder)
    before = _names(folder)
    out, err = io.StringIO(), io.StringIO()
    memory, begun = _memory(), time.process_time()
    status: Any = 0
    fault = ""
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(record=True) as told,
            _within(one.most or SECONDS),
        ):
            warnings.simplefilter("always")
            status = _carried_out(one, folder)
    except _TooLong:
        fault = "takes too long"
    except Exception:
        fault = traceback.format_exc().strip().splitlines()[-1][:200]
    seconds = time.process_time() - begun
    if not fault:
        shown = [w for w in told if issubclass(w.category, RuntimeWarning) and one.call is None]
        fault = _fault(one, status, out.getvalue(), err.getvalue(), shown)
    if not fault and status == 2 and seconds > SECONDS and one.most is not None:
        fault = "takes too long to refuse"
    if not fault and _memory() - memory > GIGABYTE:
        fault = "takes more than a gigabyte"
    left = _names(folder) - before
    if status == 2 and not fault and one.kind != "checkpoint":  # which has what is done until then
        gone = [n for n, c in one.files.items() if not _holds(folder / n, c)]
        fault = f"leaves {min(left)}" if left else f"changes {gone[0]}" if gone else ""
    if TARGET in left:
        fault = "executes"
    for path in folder.iterdir():
        _remove(path)
    return Outcome("refused" if status == 2 else "answered", fault, err.getvalue(), seconds)


def apart(one: Case, folder: Path) -> Outcome:
    """The same, in a process of its own if it has Python, which may change any module for good."""
    if not any(name.endswith(".py") for name in one.files) or not hasattr(os, "fork"):
        return run(one, folder)
    here, there = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if not child:
        try:
            there.send(run(one, folder))
        finally:
            os._exit(0)
    there.close()
    try:
        return here.recv()
    except EOFError:
        return Outcome("answered", "ends the process")
    finally:
        here.close()
        os.waitpid(child, 0)


def _carried_out(one: Case, folder: Path) -> Any:
    if one.call is None:
        from reports.terminal import main

        try:
            main(list(one.words))
        except SystemExit as end:
            return end.code
        return 0
    try:
        one.call(folder)
    except (UnusableInput, Unstable, NotAffine) as error:
        print(f"sgtheory: {error}", file=sys.stderr)
        return 2
    return 0


def _fault(one: Case, status: Any, out: str, err: str, shown: list[Any]) -> str:
    if status not in (0, 1, 2, 3):
        return f"status {status}"
    if shown:
        return f"warns: {shown[0].message}"
    lines = err.splitlines()
    if any(name.endswith(".py") for name in one.files):
        lines = lines[-1:]  # before it stands what the file prints itself
    if "two routes disagree" in err or "please report" in err:
        return lines[0]
    if status == 2:
        if out:
            return "a refusal on standard output"
        if len(lines) != 1 or not err.endswith("\n"):
            return f"{len(lines)} lines"
        if len(lines[0]) >= 400 or not lines[0].isprintable():
            return f"a line of {len(lines[0])} characters"
        return ""
    if len(lines) > 1:
        return f"{len(lines)} lines beside an answer"
    if one.words[0] in ("law", "simulate") and _NO_NUMBER.search(out):
        return "an answer with numbers that are none"
    return ""


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform != "darwin" else 1)


def _names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*")}


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _remove(path: Path) -> None:
    import shutil

    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
