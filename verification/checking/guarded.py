"""A process for code that is not ours: it can hang, crash, eat memory or talk without end, and no more.

It runs in a process group of its own together with a small watcher, which holds the reading end of a
pipe. When this process ends, however it ends, the pipe closes and the watcher ends the whole group, all
that left it for a session of its own (where the system tells environments, as Linux does), and removes
the folder that they shared with us.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

_KEPT = 65_536  # bytes of what was said last
_MARK = "SGTHEORY_CHECKED"  # in the environment of the process and of whatever it starts
# the read ends when the pipe closes; what left the group is known by its mark; 0 is the watcher's group
_WATCH = """read _
test -n "$2" && rm -rf -- "$2"
for file in $(grep -ls "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}
    kill -9 "${pid%/environ}" 2>/dev/null
done
kill -9 0"""
# of libraries for matrices, where the user says nothing: with many rows and small matrices threads cost
# far more than they save, and what comes out would depend on how many there are
_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_ENDING = 10.0  # seconds that the watcher may take for that
_GROUPS = os.name == "posix"


@dataclass
class Said:
    """The end of what a process prints: read all the time, so that it never waits, and forgotten."""

    stream: IO[bytes]
    last: bytes = b""
    total: int = 0  # bytes
    thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # closed under us
            while piece := os.read(self.stream.fileno(), _KEPT):
                self.last = (self.last + piece)[-_KEPT:]
                self.total += len(piece)

    def lines(self) -> list[str]:
        """Its last lines; waits a moment for what a process that has ended still had to say."""
        self.thread.join(timeout=1)
        return self.last.decode(errors="replace").strip().splitlines()


@dataclass(frozen=True)
class Guarded:
    """A running process, and what it says."""

    process: subprocess.Popen[bytes]
    said: Said

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    def how(self) -> str:
        """How it ended and where, for the one who reads the finding.

        >>> import sys
        >>> with guarded([sys.executable, "-c", "raise SystemExit('out of cheese')"]) as child:
        ...     _ = child.process.wait()
        ...     child.how()
        'its process ended with status 1: out of cheese'
        """
        code = self.process.wait()
        lines = self.said.lines()
        if code >= 0:
            return f"its process ended with status {code}: {lines[-1] if lines else 'it said nothing'}"
        where = _where(lines)
        return f"its process was ended by {_signal(-code)}{where and ', in ' + where}"

    def taken(self) -> dict[str, int]:
        """Bytes in memory, processes and bytes of output, with all that it started, as far as told."""
        family = list(_family(self.process.pid))
        held = sum(_resident(pid) for pid in family)
        return {"memory": held, "processes": len(family), "output": self.said.total}


def _signal(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    words = signal.strsignal(number)
    # the kernel ends processes so when memory runs out, and says nothing to them
    hint = ", perhaps because memory ran out" if name == "SIGKILL" else ""
    return f"{name} ({words}{hint})"


def _where(lines: Sequence[str]) -> str:
    """The innermost Python frame, as the fault handler printed it."""
    told = [k for k, line in enumerate(lines) if "most recent call first" in line]
    frames = [line.strip() for line in lines[told[-1] :] if line.startswith("  File ")] if told else []
    return frames[0].removeprefix("File ").replace('"', "") if frames else ""


def _family(pid: int) -> Iterator[int]:
    yield pid
    with contextlib.suppress(OSError, ValueError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
            yield from _family(int(child))


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return 0


@contextlib.contextmanager
def guarded(command: Sequence[str], folder: Path | None = None) -> Iterator[Guarded]:
    """Run a command as long as the block runs; whatever is left of its group then is ended.

    Output goes nowhere but into ``said``; there is no input. ``folder`` goes with the processes.
    """
    mark = f"{_MARK}={secrets.token_hex(8)}"
    watcher = _watcher(mark, folder) if _GROUPS else None
    group: dict[str, Any] = {} if watcher is None else {"process_group": watcher.pid}
    none, pipe, same = subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT
    process = None
    try:
        known = {**dict.fromkeys(_THREADS, "1"), **os.environ, _MARK: mark.partition("=")[2]}
        process = subprocess.Popen(command, stdin=none, stdout=pipe, stderr=same, env=known, **group)
        assert process.stdout is not None
        yield Guarded(process, Said(process.stdout))
    finally:
        _end(process, watcher)


def _watcher(mark: str, folder: Path | None) -> subprocess.Popen[bytes]:
    """The first process of the group; it stays until the end, so that no other group gets its number."""
    quiet = subprocess.DEVNULL
    words = ["/bin/sh", "-c", _WATCH, "watcher", mark, "" if folder is None else str(folder)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, process_group=0)


def _end(process: subprocess.Popen[bytes] | None, watcher: subprocess.Popen[bytes] | None) -> None:
    if watcher is not None:
        assert watcher.stdin is not None
        watcher.stdin.close()
        try:
            watcher.wait(_ENDING)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(watcher.pid, signal.SIGKILL)
            watcher.wait()
    if process is not None:
        close(process)


def close(process: subprocess.Popen[bytes]) -> None:
    """End a process and close what leads to it."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):  # what was not yet written has no reader
                stream.close()
