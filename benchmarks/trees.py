"""The command of a tree, ours or another, in a folder of its own, with bounds on what it takes."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

SECONDS = 20  # of a processor
MAIN = """
try:
    from sgtheory.command import main
except ImportError:  # as it was called
    from reports.terminal import main
main()
"""


@dataclass(frozen=True)
class Ran:
    """How a command ended; ``late`` where it had to be ended."""

    status: int
    out: str
    err: str
    late: bool
    bytes: int


@dataclass(frozen=True)
class Stage:
    """A tree, and the folder in which its command is run."""

    folder: Path
    tree: Path
    python: str = sys.executable

    @property
    def cache(self) -> Path:
        """Where the command keeps what it keeps."""
        return self.folder / "cache"

    def run(self, *words: str, unread: bool = False, seconds: int = SECONDS, **more: str) -> Ran:
        """The command from its beginning to its end."""
        return self.end(self.start(*words, unread=unread, seconds=seconds, **more), seconds)

    def script(self, text: str, *words: str, seconds: int = SECONDS) -> Ran:
        """A script with the sources of the tree, in place of the command."""
        return self.end(self.start(*words, main=text, seconds=seconds), seconds)

    def start(
        self, *words: str, main: str = MAIN, unread: bool = False, seconds: int = SECONDS, **more: str
    ) -> subprocess.Popen[bytes]:
        """The command in a session of its own; what it says goes into files named after its process."""
        kept = {"SGTHEORY_CACHE": str(self.cache), "XDG_CACHE_HOME": str(self.cache)}
        environment = {**os.environ, **kept, "PYTHONPATH": str(self.tree), "OPENBLAS_NUM_THREADS": "1"}
        out, err = self.folder / "out", self.folder / "err"
        with out.open("w") as said, err.open("w") as told:
            process = subprocess.Popen(
                [self.python, "-c", main, *words], cwd=self.folder, env={**environment, **more},
                stdout=_nobody() if unread else said, stderr=told, stdin=subprocess.DEVNULL,
                start_new_session=True, preexec_fn=partial(_bounded, seconds),
            )  # fmt: skip
        for path in (out, err):
            path.rename(f"{path}{process.pid}")
        return process

    def end(self, process: subprocess.Popen[bytes], seconds: int = SECONDS) -> Ran:
        """Wait for it; what it left behind in its session is ended."""
        patience = threading.Timer(4 * seconds, os.killpg, (process.pid, signal.SIGKILL))
        patience.start()
        _, status, used = os.wait4(process.pid, 0)
        patience.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.returncode = os.waitstatus_to_exitcode(status)
        said, told = (
            (self.folder / f"{n}{process.pid}").read_text(errors="replace") for n in ("out", "err")
        )
        late = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        return Ran(process.returncode, said, told, late, used.ru_maxrss * 1024)


def session(leader: int) -> list[int]:
    """The processes of a session, but for those that have ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == leader and fields[0] != "Z":
                    found.append(int(entry.name))
    return found


def worked(process: int) -> float:
    """The seconds of a processor that a process has had."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until(true: Any, seconds: float) -> bool:
    """Wait for something, and say whether it came."""
    end = time.monotonic() + seconds
    while not (came := bool(true())) and time.monotonic() < end:
        time.sleep(0.05)
    return came


def _nobody() -> int:
    """A pipe whose reader has left."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def _bounded(seconds: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # also where we were started without it
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
