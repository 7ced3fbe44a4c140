"""Foreign code in a process of its own, with limits: what it does there is a finding, not ours.

The parent writes jobs and reads one answer for each case, in files that appear whole or not at all;
whatever the foreign code prints cannot get between, and answers are plain data that runs nothing when
it is read. Loading has a limit of its own, which begins when our own imports are done, so that the time
of a case begins when there is something to run. Memory is what the process holds, asked for while it
runs where the system tells it (Linux): a limit on addresses would stop libraries that only reserve them.
"""

from __future__ import annotations

import math
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.files.writing import TemporaryFolder, write
from verification.checking.adapters import adapter, asks_of, begun_as_declared
from verification.checking.cases import Case
from verification.checking.gradients import Refused
from verification.checking.guarded import Guarded, guarded
from verification.checking.judging import ENDING, REMEMBERS, SLOW, UNSEEDED
from verification.checking.judging import runs as run_each
from verification.checking.messages import message, plain
from verification.checking.running import Measured
from verification.checking.signatures import Asks
from verification.checking.targets import target_at

_POLL, _TOLD = 0.05, 0.2  # seconds between two looks, and between two words of the child
_GRACE = 2.0  # seconds that a child may need to say itself that its time is over
_SHARE = 0.75  # of the memory that is free at the start
_AGAIN = 64  # chains of runs that are made once more, in processes of their own
_UNFINISHED, _BLOCKS = "unfinished ", 2**13  # names of files, and bytes that any disk has left
_STARTED, _READY, _PROGRESS, _TARGET = "started", "ready", "progress", "target"
_STARTING = 120.0  # seconds that our own imports may take on a machine that is busy

PROCESSES, OUTPUT = 256, 1e9  # of a target, and bytes that it may print
_SAID = {
    "memory": "{:.2g} GB of memory", "processes": "{:g} processes", "output": "{:.2g} GB of output",
}  # fmt: skip

Tell = Callable[[str, float], None]


def _memory() -> float:
    from simulators.forecast import free_bytes

    return _SHARE * (free_bytes() or math.inf)


@dataclass(frozen=True)
class Limits:
    """What foreign code may take: seconds for a case, seconds to load, and of the machine."""

    case: float
    loading: float
    memory: float = field(default_factory=_memory)  # bytes, where the system tells them, as processes
    processes: float = PROCESSES
    output: float = OUTPUT  # bytes

    @classmethod
    def of(cls, case: float, loading: float, allowed: Mapping[str, float]) -> Limits:
        """With what is ``allowed`` in place of defaults.

        >>> Limits.of(1.0, 1.0, {"processes": 4}).processes
        4
        """
        if not set(allowed) <= set(_SAID) or not all(x > 0 for x in allowed.values()):
            given = ", ".join(f"{name}={x:g}" for name, x in allowed.items())
            raise UnusableInput(f"{', '.join(_SAID)} above 0", given, "allow {'memory': 2e9}, say")
        return cls(case, loading, **allowed)

    def over(self, taken: Mapping[str, float]) -> str:
        """In words, what was taken beyond that; empty where nothing was."""
        for name, amount in taken.items():
            most = getattr(self, name)
            if amount > most:
                one, other = (
                    _SAID[name].format(x if name == "processes" else x / 1e9) for x in (amount, most)
                )
                return f"it took {one}; it may have {other}: allow more with --{name}"
        return ""


@dataclass(frozen=True)
class Job:
    """What a child is to do: run a target on cases, each with so many chains."""

    address: str
    kind: str | None
    like: Any  # a name, or a declared sampler
    cases: tuple[Case, ...]
    chains: int
    declared_start: bool = False  # begin as the declaration says, whatever the target's own init


def runs(job: Job, limits: Limits, tell: Tell = lambda *_: None) -> Iterator[tuple[Case, Measured]]:
    """Every case run in a child of its own; after a crash or a hang the remaining cases are not run.

    ``tell`` hears where the child is: words, and the share of all cases that is done.
    """
    with session(job.address, job.kind, limits, tell) as opened:
        yield from opened.runs(job)


@contextmanager
def session(
    address: str, kind: str | None, limits: Limits, tell: Tell = lambda *_: None
) -> Iterator[Session]:
    """A child that has loaded a target, or failed to; raises where the address is of no use."""
    code = f"import sys, pathlib; from {__name__} import main; main(pathlib.Path(sys.argv[1]))"
    # -B: where a disk is full Python keeps half a compiled file, and then nobody can import it
    command = [sys.executable, "-B", "-X", "faulthandler", "-c", code]
    with TemporaryFolder("sgtheory-check-") as name:
        folder = Path(name)
        (folder / _TARGET).write_bytes(pickle.dumps((address, kind)))
        with guarded([*command, str(folder)], folder) as child:
            yield Session(child, folder, limits, address, kind, tell).loaded()


@dataclass
class Session:
    """The parent's side of a child: gives jobs; looks for files, ends of processes, time and memory."""

    child: Guarded
    folder: Path
    limits: Limits
    address: str
    kind: str | None
    tell: Tell
    asks: Asks | None = None  # what the target asks for, as far as it can be told
    loss: str = ""  # of which loss it expects the gradient, where it says so
    lost: tuple[str, str] | None = None  # the fault after which nothing more is run
    jobs: int = 0
    heard: str = ""  # of the child's progress
    when: float = -math.inf

    def loaded(self) -> Session:
        """When the target is there, or a fault before there was anything to run."""
        self.tell("loading", 0.0)
        seconds = self.limits.loading
        late = f"{self.address} did not finish loading in {seconds:g} seconds: allow more with --limit"
        found = self._for(_STARTED, _STARTING, lambda: ("hangs", "our own process did not start"))
        if not isinstance(found, tuple):
            found = self._for(_READY, seconds, lambda: ("hangs", late))
        if isinstance(found, UnusableInput):
            raise found
        if isinstance(found, tuple):
            self.lost = found
        else:
            self.asks, self.loss = found["asks"], found["loss"]
        return self

    def runs(self, job: Job) -> Iterator[tuple[Case, Measured]]:
        """Every case of a job; after a crash or a hang the remaining ones are not run."""
        number, self.jobs = self.jobs, self.jobs + 1
        write(self.folder / f"job{number}", pickle.dumps((job, self.limits.case)), durable=False)
        self.heard, self.when = "", -math.inf
        for k, case in enumerate(job.cases):
            answer = self._answer(job, number, k)
            if isinstance(answer, UnusableInput):
                raise answer
            if answer.fault == UNSEEDED:
                here = replace(job, address=self.address, kind=self.kind)
                answer = _anew(here, case, self.limits, answer)
            yield case, answer
            self.tell(case.name, (k + 1) / len(job.cases))
            if self.lost is not None or answer.fault in ENDING:
                return

    def _answer(self, job: Job, number: int, k: int) -> Any:
        """The answer to a case, or a fault instead of it."""
        seconds = self.limits.case
        late = f"no answer after {seconds:g} seconds"

        def fault() -> tuple[str, str]:
            return (SLOW if time.monotonic() - self.when < seconds / 2 else "hangs"), late

        def pass_on() -> None:
            with suppress(OSError, ValueError):  # not yet there
                heard = (self.folder / _PROGRESS).read_text(encoding="ascii")
                at, case, steps = map(int, heard.split())
                if (at, case) == (number, k) and heard != self.heard:
                    self.heard, self.when = heard, time.monotonic()
                    self.tell(*_progress(job.cases, k, steps))

        name = f"answer{number}-{k}"
        found = self.lost or self._for(name, seconds + _GRACE, fault, pass_on)
        if isinstance(found, tuple):
            self.lost = found
            return Measured(job.cases[k].name, job.chains, fault=found[0], words=found[1])
        return found

    def _for(
        self,
        name: str,
        seconds: float,
        late: Callable[[], tuple[str, str]],
        meanwhile: Callable[[], object] = lambda: None,
    ) -> Any:
        """What a file says when it is there, or the fault that came before it."""
        until, path = time.monotonic() + seconds, self.folder / name
        while time.monotonic() < until:
            ended = self.child.ended  # asked first: an answer may have come before the end
            if path.exists():
                return message(path)
            if ended:
                self._room()
                return "crashed", self.child.how()
            if words := self.limits.over(self.child.taken()):
                return "crashed", words
            meanwhile()
            time.sleep(_POLL)
        return late()

    def _room(self) -> None:
        """Raises where the child may have ended because its answer could not be written."""
        begun = sum(path.stat().st_size for path in self.folder.glob(f"{_UNFINISHED}*"))
        write(self.folder / "room", bytes(begun + _BLOCKS), durable=False)


def _anew(job: Job, case: Case, limits: Limits, answer: Measured) -> Measured:
    """A run that differs with the same seed: where two new processes agree, it is a hidden state."""
    few = replace(job, cases=(replace(case, again=False, chains=0),), chains=_AGAIN)
    (_, one), (_, other) = (next(iter(list(runs(few, limits)))) for _ in range(2))
    if one.fault or other.fault or not np.array_equal(one.shown, other.shown):
        return answer
    words = "the same seed gives the same positions in a new process, and others later in the same one"
    return replace(answer, fault=REMEMBERS, words=words)


def _progress(cases: Sequence[Case], k: int, steps: int) -> tuple[str, float]:
    """Words, and the share of all cases that is done; what is repeated afterwards takes no time."""
    within = min(steps / max(cases[k].times), 1.0)
    return f"{cases[k].name}, step {steps}", (k + within) / len(cases)


@dataclass
class Here:
    """A target in this process, where a step that does not come back cannot be ended."""

    target: Any
    kind: str | None
    limit: float
    tell: Tell
    runner: Any = field(init=False)
    asks: Asks | None = field(init=False)
    loss: str = field(init=False)

    def __post_init__(self) -> None:
        found = adapter(self.target, self.kind)
        self.runner = found.runner(self.target)
        self.asks = asks_of(found, self.target, self.runner)
        self.loss = str(getattr(self.runner, "loss", ""))

    def runs(self, job: Job) -> Iterator[tuple[Case, Measured]]:
        """Every case of a job."""
        done = 0
        runner = begun_as_declared(self.runner) if job.declared_start else self.runner
        watched = Watched(runner, lambda steps: self.tell(*_progress(job.cases, done, steps)))
        for case, one in run_each(watched, job.like, job.cases, job.chains, self.limit):
            yield case, one
            done, watched.steps = done + 1, 0
            self.tell(case.name, done / len(job.cases))


@contextmanager
def opened(
    target: Any, kind: str | None, limits: Limits, tell: Tell = lambda *_: None
) -> Iterator[Session | Here]:
    """A target that is ready to be run: in a process of its own where it is an address."""
    if not isinstance(target, str):
        yield Here(target, kind, limits.case, tell)
        return
    with session(target, kind, limits, tell) as there:
        yield there


@dataclass
class Watched:
    """A runner that tells how many steps it has made in the case that runs."""

    runner: Any
    say: Callable[[int], None]
    steps: int = 0
    last: float = 0.0

    def start(self, *given: Any) -> Any:
        """As the runner does."""
        return self.runner.start(*given)

    def step(self, *given: Any) -> Any:
        """As the runner does; now and then the number of steps is told."""
        self._count(1)
        return self.runner.step(*given)

    def position(self, *given: Any) -> Any:
        """As the runner does."""
        return self.runner.position(*given)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.runner, name)
        return partial(self._run, found) if name == "run" else found  # only some runners have that

    def _run(self, run: Callable[..., Any], *given: Any) -> Any:
        self._count(given[-1])
        return run(*given)

    def _count(self, steps: int) -> None:
        self.steps += steps
        if time.monotonic() - self.last > _TOLD:
            self.last = time.monotonic()
            self.say(self.steps)


def main(folder: Path) -> None:
    """The child: loads the target, says that it is ready, then does one job after the other."""
    _write(folder, _STARTED, plain({}))
    address, kind = pickle.loads((folder / _TARGET).read_bytes())  # our parent wrote it
    try:
        target = target_at(address)
        found = adapter(target, kind, address)
        runner = found.runner(target)
        loss = str(getattr(runner, "loss", ""))
        _write(folder, _READY, plain({"asks": asks_of(found, target, runner), "loss": loss}))
    except UnusableInput as error:
        _write(folder, _READY, plain(error))
        return
    except Refused as fault:
        _write(folder, _READY, plain((fault.name, str(fault))))
        return
    number = 0
    while True:
        path = folder / f"job{number}"
        while not path.exists():  # whoever watches over us ends us when there are no more
            time.sleep(_POLL)
        _work(folder, number, runner, *pickle.loads(path.read_bytes()))
        number += 1


def _work(folder: Path, number: int, runner: Any, job: Job, limit: float) -> None:
    done = 0
    if job.declared_start:
        runner = begun_as_declared(runner)
    watched = Watched(runner, lambda steps: _say(folder, f"{number} {done} {steps}"))
    try:
        for _, one in run_each(watched, job.like, job.cases, job.chains, limit):
            _write(folder, f"answer{number}-{done}", plain(one))
            done, watched.steps = done + 1, 0
    except UnusableInput as error:
        _write(folder, f"answer{number}-{done}", plain(error))


def _write(folder: Path, name: str, content: bytes) -> None:
    whole = folder / f"{_UNFINISHED}{name}"
    whole.write_bytes(content)
    whole.rename(folder / name)


def _say(folder: Path, words: str) -> None:
    with suppress(OSError):  # a full disk, of which the answer tells
        _write(folder, _PROGRESS, words.encode("ascii"))
