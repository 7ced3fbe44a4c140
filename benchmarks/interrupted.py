"""Commands that are killed, meet a full disk, run twice at once, or read what is damaged.

``python -m benchmarks.interrupted [--only LETTERS]... [--share 1.0] [--out FILE]`` does to ``advise``,
``audit-run``, ``check --against`` and ``verify NOTES.md`` what ``benchmarks.faults`` does to runs with a
checkpoint: SIGKILL, SIGTERM and Ctrl-C at random moments, a limit on the size of files, a second run
beside it, and a byte changed or an end cut off in each kind of file that is read. Each command is a fork
of this process, which has everything loaded. Nothing may be left half-written, no process stay, no
answer with status 0 be another; and the command run again says what it said before anything happened.

Two at once, each with a FILE of its own, take a core each, and about an hour on an idle machine:
``--only advise --only check`` and ``--only damaged --only audit --only verify``. Nobody may change our
sources meanwhile: a document names them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.damaged import DATA, LINE, QUADRATIC, damaged, kinds, run_file
from benchmarks.trees import session
from reports import terminal
from sgtheory import command
from sgtheory.files.writing import PART, write

ROOT = Path(__file__).resolve().parent.parent
RESULT = Path(__file__).parent / "results" / "interrupted.json"
PATIENCE = 300.0  # seconds until a command counts as one that hangs
SOON = 5.0  # seconds after a signal: two are promised, of a machine that is not busy
_STEP = "def step(state, gradient, rng, eps):\n    return state - eps * gradient(state)\n"
_NOTES = r"""# Notes

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| S | whole number | minibatch size |

Sampler: SGD, in discrete time.

**Claim 1.** $A \Sigma + \Sigma A = \frac{h}{S} C$.

**Claim 2.** The chain is stable if and only if h < 2/lambda_max(A).
"""


@dataclass(frozen=True)
class Door:
    """A command with its files, and the file that it writes."""

    name: str
    words: tuple[str, ...]
    files: Mapping[str, bytes]
    out: str


@dataclass(frozen=True)
class Ended:
    """How a command ended, what it said, and what it wrote."""

    status: int
    out: str
    err: str
    written: bytes | None
    late: float = 0.0  # seconds from the signal to its end
    after: bool = True  # whether it had ended before the signal

    @property
    def answer(self) -> tuple[int, str, bytes | None]:
        """What it must say again: all but how long it took, and how the run before it ended."""
        said = re.sub(r"\d[\d.]* (s|min)\b|against the last run: [a-z ]+\n", "", self.out)
        return self.status, said, self.file

    @property
    def file(self) -> bytes | None:
        """What it wrote, but for how long it took."""
        return None if self.written is None else timeless(self.written)


def timeless(content: bytes) -> bytes:
    """A document without the seconds that it tells."""
    return re.sub(rb'"seconds": [\d.]+', b"", content)


@dataclass
class Trial:
    """The same command again and again, each time in a folder of its own; what is kept is shared."""

    door: Door
    kept: Path
    right: tuple[int, str, bytes | None] = field(init=False)
    seconds: float = field(init=False)

    def __post_init__(self) -> None:
        for _ in range(2):  # the first compiles
            with tempfile.TemporaryDirectory() as folder:
                began = time.perf_counter()
                self.right = self.run(self.prepared(folder)).answer
                self.seconds = time.perf_counter() - began
        assert self.right[0] in (0, 1), self.right
        assert self.right[2], "nothing was written"

    def prepared(self, folder: str) -> Path:
        """An empty folder with the files of the door."""
        (Path(folder) / "tmp").mkdir()
        for name, content in self.door.files.items():
            (Path(folder) / name).write_bytes(content)
        return Path(folder)

    def start(self, folder: Path, most: int | None = None) -> tuple[int, int, int]:
        """The command in a process and a session of its own, and the pipes that it writes to."""
        pipes = [os.pipe() for _ in range(2)]
        sys.stdout.flush()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        child = os.fork()
        if child:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            for _, end in pipes:
                os.close(end)
            return child, pipes[0][0], pipes[1][0]
        try:
            signal.signal(signal.SIGINT, command.stopped)  # also where we were started without it
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            os.setsid()
            for number, (_, end) in enumerate(pipes, 1):
                os.dup2(end, number)
            os.chdir(folder)
            os.environ |= {"SGTHEORY_CACHE": str(self.kept), "TMPDIR": str(folder / "tmp")}
            tempfile.tempdir = None
            if most is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            terminal.main(list(self.door.words))
        except SystemExit as end:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else 0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(1)

    def end(self, started: tuple[int, int, int], folder: Path, how: int = 0, at: float = 0.0) -> Ended:
        """Wait for it, and send it a signal at that moment."""
        child, out, err = started
        began, told, after = time.perf_counter(), 0.0, True
        said: dict[int, bytes] = {out: b"", err: b""}
        for pipe in said:
            os.set_blocking(pipe, False)
        while True:
            _read(said)
            done, status = os.waitpid(child, os.WNOHANG)
            now = time.perf_counter() - began
            if done:
                break
            if how and not told and now >= at:
                told, after = now, False
                os.killpg(child, how) if how == signal.SIGINT else os.kill(child, how)
            if now > PATIENCE:
                os.killpg(child, signal.SIGKILL)
            time.sleep(0.005)
        _read(said)
        for pipe in said:
            os.close(pipe)
        path = folder / self.door.out
        written = path.read_bytes() if path.is_file() else None
        words = [text.decode(errors="replace") for text in said.values()]
        return Ended(
            os.waitstatus_to_exitcode(status),
            words[0],
            words[1],
            written,
            now - told if told else 0,
            after,
        )

    def run(self, folder: Path, most: int | None = None) -> Ended:
        """The command from its beginning to its end."""
        return self.end(self.start(folder, most), folder)

    def again(self, folder: Path) -> str:
        """Whether the command still says what it said."""
        return "" if self.run(folder).answer == self.right else "WRONG: another answer afterwards"


def _read(said: dict[int, bytes]) -> None:
    for pipe in said:
        with suppress(BlockingIOError):
            while found := os.read(pipe, 2**16):
                said[pipe] += found


def _left(folder: Path, door: Door) -> list[str]:
    """What is in a folder beside the files that were put there, and what was to be written."""
    stem = Path(door.out).stem  # a page has its drawings beside it
    known = {*door.files, "tmp"}
    return [p.name for p in folder.iterdir() if p.name not in known and not p.name.startswith(stem)] + [
        p.name for p in folder.rglob("*") if p.name.endswith(PART)
    ]


def killed(source: random.Random, trial: Trial, folder: Path) -> str:
    """A signal at a random moment."""
    how = source.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
    started = trial.start(folder)
    ended = trial.end(started, folder, how, source.uniform(0.0, 1.1 * trial.seconds))
    until = time.monotonic() + SOON
    while (left := session(started[0])) and time.monotonic() < until:
        time.sleep(0.05)
    for one in left:
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    if left:
        return f"WRONG: {len(left)} processes stay after {how.name}"
    if ended.after:
        return "ended before" if ended.answer == trial.right else "WRONG: another answer"
    if "Traceback" in ended.err:
        return f"WRONG: a traceback after {how.name}: {ended.err.strip().splitlines()[-1][:100]}"
    if ended.late > SOON:
        return f"WRONG: {ended.late:.0f} s to end after {how.name}"
    if ended.status not in (-how, 128 + how, trial.right[0]):
        return f"WRONG: status {ended.status} after {how.name}"
    if ended.file not in (None, trial.right[2]):
        return f"WRONG: half a file after {how.name}"
    if how != signal.SIGKILL:
        if left_there := [*_left(folder, trial.door), *(p.name for p in (folder / "tmp").iterdir())]:
            return f"WRONG: {left_there[0]} stays after {how.name}"
        if sum(line != "" for line in ended.err.splitlines()) > 2:  # a warning, and that it stopped
            return f"WRONG: more than a line after {how.name}"
    return trial.again(folder) or f"{how.name}, then the same answer"


def full(source: random.Random, trial: Trial, folder: Path) -> str:
    """A disk on which no file gets larger than so many bytes; later there is room again."""
    size = len(trial.right[2] or b"")
    most = source.choice((source.randrange(1, 3_000), source.randrange(1, 2 * size)))
    ended = trial.run(folder, most)
    if ended.status == 2:
        lines = ended.err.splitlines()
        if "Traceback" in ended.err or not lines[-1].startswith("sgtheory: ") or len(lines[-1]) >= LINE:
            return f"WRONG words: {ended.err[-100:]!r}"
        if ended.written is not None or _left(folder, trial.door):
            return "WRONG: something half-written stays"
        return trial.again(folder) or "one line, then the same answer"
    return "room enough" if ended.answer == trial.right else f"WRONG: status {ended.status}"


def double(source: random.Random, trial: Trial, folder: Path) -> str:
    """Two at once, which write the same file and share what is kept."""
    first = trial.start(folder)
    time.sleep(source.uniform(0.0, trial.seconds / 2))
    second = trial.start(folder)
    words = []
    for started in (first, second):
        ended = trial.end(started, folder)
        same = ended.status == trial.right[0] and ended.answer[1] == trial.right[1]
        line = ended.status == 2 and len(ended.err.splitlines()) == 1
        words.append(
            "the same answer" if same else "one line" if line else f"WRONG: {ended.err[-100:]!r}"
        )
    path = folder / trial.door.out
    if "the same answer" in words and timeless(path.read_bytes()) != trial.right[2]:
        return "WRONG: another file"
    return ", ".join(sorted(words))


def doors() -> tuple[Door, ...]:
    """The commands that came after those of ``benchmarks.faults``."""
    step, quadratic = _STEP.encode(), json.dumps(QUADRATIC).encode()
    advise = ("advise", "--problem", "p.json", "--passes", "100", "--samplers", "sgd")
    audited = ("audit-run", "run.npz", "--problem", "p.json")
    check = ("check", "step.py:step", "--like", "sgd", "--dimensions", "1")
    return (
        Door("advise", (*advise, "--page", "a.html"), {"p.json": json.dumps(DATA).encode()}, "a.html"),
        Door(
            "audit-run", (*audited, "--page", "a.html"),
            {"p.json": quadratic, "run.npz": run_file("run.npz")}, "a.html",
        ),
        Door(
            "check --against", (*check, "--against", "old.json", "--page", "a.html"),
            {"step.py": step, "old.json": _checked(step)}, "a.html",
        ),
        Door(
            "verify notes.md",
            ("verify", "notes.md", "--only", "claim2", "--jobs", "2", "--json", "a.json"),
            {"notes.md": _NOTES.encode()}, "a.json",
        ),
    )  # fmt: skip


def _checked(step: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "step.py").write_bytes(step)
        words = ("check", "step.py:step", "--like", "sgd", "--dimensions", "1", "--json")
        done = subprocess.run(
            [sys.executable, "-m", "reports.terminal", *words], cwd=folder, check=True,
            capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        return done.stdout


SHARES = {"advise": 0.4}  # of the counts; of the others all
COUNTS = {killed: 200, full: 100, double: 50}


def main() -> int:
    """All of them, and the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interrupted", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the 200, 100, 50 and 50 of each")
    parser.add_argument("--only", action="append", help="rows whose names have these letters")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    opened = doors()
    told = {"schema": "sgtheory.interrupted/1", "command": "python -m benchmarks.interrupted"}
    table: dict[str, Any] = {}

    def wanted(name: str) -> bool:
        return any(letters in name for letters in asked.only or [""])

    def tried(name: str, count: float, once: Callable[[random.Random, Path], str]) -> None:
        source, began, found = random.Random(name), time.perf_counter(), Counter[str]()
        for _ in range(max(1, round(asked.share * count))):
            with tempfile.TemporaryDirectory() as folder:
                found[once(source, Path(folder))] += 1
        table[name] = {"tried": found.total(), "outcomes": dict(sorted(found.items()))}
        print(name, table[name], f"{time.perf_counter() - began:.0f} s", flush=True)
        if asked.out:  # what is done so far, should it be interrupted itself; rows of others stay
            there = json.loads(asked.out.read_text("utf-8"))["table"] if asked.out.is_file() else {}
            whole = dict(sorted({**there, **table}.items()))
            write(asked.out, json.dumps({**told, "table": whole}, indent=1) + "\n")

    for kind in kinds({name: content for door in opened for name, content in door.files.items()}):
        if wanted(name := f"damaged {kind.name}"):
            tried(name, 50, lambda source, folder: damaged(source, kind, folder / kind.name))  # noqa: B023
    for door in opened:
        rows = {f"{door.name}: {fault.__name__}": fault for fault in COUNTS}
        if not any(map(wanted, rows)):
            continue
        with tempfile.TemporaryDirectory() as kept:
            trial = Trial(door, Path(kept))
            for name, fault in rows.items():
                if wanted(name):
                    tried(
                        name, SHARES.get(door.name, 1.0) * COUNTS[fault],
                        lambda source, folder: fault(source, trial, trial.prepared(str(folder))),  # noqa: B023
                    )  # fmt: skip
    return int(any("WRONG" in outcome for row in table.values() for outcome in row["outcomes"]))


if __name__ == "__main__":
    sys.exit(main())
