"""Foreign code in a process of its own, with limits: what it does there is a finding, not ours.

The parent writes one job and reads one answer for each case, in files that appear whole or not at all;
whatever the foreign code prints cannot get between. Loading has a limit of its own, so that the time
of a case begins when there is something to run. Memory is what the process holds, asked for while it
runs where the system tells it (Linux): a limit on addresses would stop libraries that only reserve them.
"""

from __future__ import annotations

import math
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from verification.checking.cases import Case
from verification.checking.gradients import Refused
from verification.checking.guarded import Guarded, guarded
from verification.checking.judging import REMEMBERS, SLOW, UNSEEDED
from verification.checking.judging import runs as run_each
from verification.checking.running import Measured

_POLL, _TOLD = 0.05, 0.2  # seconds between two looks, and between two words of the child
_GRACE = 2.0  # seconds that a child may need to say itself that its time is over
_SHARE = 0.75  # of the memory that is free at the start
_AGAIN = 64  # chains of runs that are made once more, in processes of their own
_READY, _PROGRESS = "ready", "progress"

Tell = Callable[[str, float], None]


def _memory() -> float:
    from simulators.forecast import free_bytes

    return _SHARE * (free_bytes() or math.inf)


@dataclass(frozen=True)
class Limits:
    """What foreign code may take: seconds for a case, seconds to load, bytes of memory."""

    case: float
    loading: float
    memory: float = field(default_factory=_memory)


@dataclass(frozen=True)
class Job:
    """What a child is to do: run a target on cases, each with so many chains."""

    address: str
    kind: str | None
    like: Any  # a name, or a declared sampler
    cases: tuple[Case, ...]
    chains: int


def runs(job: Job, limits: Limits, tell: Tell = lambda *_: None) -> Iterator[tuple[Case, Measured]]:
    """Every case run in a child; after a crash or a hang the remaining cases are not run.

    ``tell`` hears where the child is: words, and the share of all cases that is done.
    """
    command = [sys.executable, "-X", "faulthandler", "-m", "verification.checking.child"]
    with tempfile.TemporaryDirectory(prefix="sgtheory-check-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "job").write_bytes(pickle.dumps((job, limits.case)))
        with guarded([*command, str(folder)]) as child:
            waiting = _Waiting(child, folder, limits, job, tell)
            lost = waiting.loading()
            for k, case in enumerate(job.cases):
                answer = lost or waiting.answer(k)
                if isinstance(answer, UnusableInput):
                    raise answer
                if answer.fault == UNSEEDED:
                    answer = _anew(job, case, limits, answer)
                yield case, answer
                tell(case.name, (k + 1) / len(job.cases))
                if lost or answer.fault in ("crashed", "hangs"):
                    return


def _anew(job: Job, case: Case, limits: Limits, answer: Measured) -> Measured:
    """A run that differs with the same seed: where two new processes agree, it is a hidden state."""
    few = replace(job, cases=(replace(case, again=False, chains=0),), chains=_AGAIN)
    (_, one), (_, other) = (next(iter(list(runs(few, limits)))) for _ in range(2))
    if one.fault or other.fault or not np.array_equal(one.shown, other.shown):
        return answer
    words = "the same seed gives the same positions in a new process, and others later in the same one"
    return replace(answer, fault=REMEMBERS, words=words)


@dataclass
class _Waiting:
    """The parent's side: looks for files, ends of processes, time and memory."""

    child: Guarded
    folder: Path
    limits: Limits
    job: Job
    tell: Tell
    heard: str = ""  # of the child's progress
    when: float = -math.inf

    def loading(self) -> Measured | UnusableInput | None:
        """A fault before there was anything to run, or None."""
        self.tell("loading", 0.0)
        seconds = self.limits.loading
        late = f"{self.job.address} did not finish loading in {seconds:g} seconds"
        return self._for(_READY, seconds, 0, lambda: ("hangs", late))

    def answer(self, k: int) -> Any:
        """The answer to a case, or a fault instead of it."""
        seconds = self.limits.case
        late = f"no answer after {seconds:g} seconds"

        def fault() -> tuple[str, str]:
            return (SLOW if time.monotonic() - self.when < seconds / 2 else "hangs"), late

        return self._for(f"answer{k}", seconds + _GRACE, k, fault)

    def _for(self, name: str, seconds: float, k: int, late: Callable[[], tuple[str, str]]) -> Any:
        until, path = time.monotonic() + seconds, self.folder / name
        while time.monotonic() < until:
            ended = self.child.ended  # asked first: an answer may have come before the end
            if path.exists():
                return pickle.loads(path.read_bytes())  # written by our own child
            if ended:
                return self._lost("crashed", self.child.how(), k)
            held = self.child.memory()
            if held > self.limits.memory:
                allowed = f"it may have {self.limits.memory / 1e9:.2g} GB"
                return self._lost("crashed", f"it took {held / 1e9:.2g} GB of memory; {allowed}", k)
            self._pass_on(k)
            time.sleep(_POLL)
        return self._lost(*late(), k)

    def _lost(self, fault: str, words: str, k: int) -> Measured:
        return Measured(self.job.cases[k].name, self.job.chains, fault=fault, words=words)

    def _pass_on(self, k: int) -> None:
        with suppress(OSError, ValueError):  # not yet there
            heard = (self.folder / _PROGRESS).read_text(encoding="ascii")
            case, steps = map(int, heard.split())
            if case == k and heard != self.heard:
                self.heard, self.when = heard, time.monotonic()
                self.tell(*_progress(self.job.cases, k, steps))


def _progress(cases: Sequence[Case], k: int, steps: int) -> tuple[str, float]:
    """Words, and the share of all cases that is done; what is repeated afterwards takes no time."""
    within = min(steps / max(cases[k].times), 1.0)
    return f"{cases[k].name}, step {steps}", (k + within) / len(cases)


def runs_here(
    runner: Any, like: Any, cases: Sequence[Case], chains: int, limit: float, tell: Tell
) -> Iterator[tuple[Case, Measured]]:
    """Every case run in this process, where a step that does not come back cannot be ended."""
    done = 0
    watched = Watched(runner, lambda steps: tell(*_progress(cases, done, steps)))
    for case, one in run_each(watched, like, cases, chains, limit):
        yield case, one
        done, watched.steps = done + 1, 0
        tell(case.name, done / len(cases))


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
    """The child: loads the target, says that it is ready, runs each case, writes each answer."""
    from verification.checking.adapters import adapter
    from verification.checking.targets import target_at

    job, limit = pickle.loads((folder / "job").read_bytes())
    try:
        target = target_at(job.address)
        runner = adapter(target, job.kind).runner(target)
    except UnusableInput as error:
        _write(folder, _READY, error)
        return
    except Refused as fault:
        words = str(fault)
        _write(folder, _READY, Measured(job.cases[0].name, job.chains, fault=fault.name, words=words))
        return
    _write(folder, _READY, None)
    done = 0
    watched = Watched(runner, lambda steps: _say(folder, f"{done} {steps}"))
    try:
        for _, one in run_each(watched, job.like, job.cases, job.chains, limit):
            _write(folder, f"answer{done}", one)
            done, watched.steps = done + 1, 0
    except UnusableInput as error:
        _write(folder, f"answer{done}", error)


def _write(folder: Path, name: str, value: Any) -> None:
    whole = folder / f"unfinished {name}"
    whole.write_bytes(pickle.dumps(value))
    whole.rename(folder / name)


def _say(folder: Path, words: str) -> None:
    (folder / "unfinished progress").write_text(words, encoding="ascii")
    (folder / "unfinished progress").rename(folder / _PROGRESS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
