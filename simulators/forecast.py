"""What a run will need, told before it starts: memory by counting, time by a short measurement."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf, log10
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.reader import limits
from simulators.engines import Engine
from simulators.moments import LANES, Monomials
from simulators.plan import Plan
from simulators.record import Table
from simulators.recorder import recorder_of
from simulators.workers import Meter

_SHARE = 0.8  # of the free memory that a run may take
_MEASURE = 0.2  # seconds of steps that are measured
_ROW_COPIES = 2.5  # the kernel's sums, the rows, and half of them and again as the tree begins
_SAVED_COPIES = 4  # packed, in a buffer, out of it, and with its checksum
_LAST_ROWS = 8  # matrices of the final estimates, counted in rows


@dataclass(frozen=True)
class Memory:
    """Bytes that a run holds at its worst moment."""

    workers: int  # where the states are
    driver: int  # where sums are added up and saved


def memory_of(engine: Engine, plan: Plan, saved: bool, table: Table | None = None) -> Memory:
    """What a run will hold.

    Each worker has a chunk's states and their rows; a few chunks, added up, wait for their turn; the
    tree has a row for each level; a checkpoint copies what it saves.
    """
    columns = Monomials(engine.layout.size).columns + (3 * table.columns if table else 0)
    row, together = 8 * columns, engine.workers * plan.chunk  # blocks under way
    kept, of_it = table.bytes_needed(_states(engine, 1), engine.device) if table else (0, 0)
    levels = plan.blocks.bit_length() + 1
    waiting = (3 * engine.workers + 1) * min(plan.chunk, 2 * plan.chunk.bit_length()) * row
    tree = levels * row * (1 + _SAVED_COPIES * saved)
    copies = _SAVED_COPIES * together * (_states(engine, 1) + of_it) * saved
    workers = bytes_needed(engine, plan.chunk) + together * kept
    return Memory(workers, waiting + tree + copies + _LAST_ROWS * row)


def _states(engine: Engine, blocks: int) -> int:
    return LANES * engine.layout.size * np.dtype(engine.layout.dtype).itemsize * blocks


@runtime_checkable
class _Counted(Protocol):
    """An engine that knows what its memory holds, or a driver that was told."""

    def bytes_needed(self, blocks: int, monomials: Monomials) -> int: ...


def bytes_needed(engine: Engine, blocks: int) -> int:
    """How much of the memory where states are all workers take, with so many blocks each."""
    monomials = Monomials(engine.layout.size)
    if isinstance(engine, _Counted):
        return engine.bytes_needed(blocks, monomials)
    rows = int(_ROW_COPIES * 8 * monomials.columns * blocks)
    return engine.workers * (_states(engine, blocks) + rows)


def check_memory(
    engine: Engine, plan: Plan, saved: bool, afar: bool, table: Table | None = None
) -> None:
    """Refuse a run that does not fit, before it starts."""
    needed = memory_of(engine, plan, saved and not afar, table)
    if engine.device == "cpu" and not afar:
        fit(needed.workers + needed.driver, engine.available_bytes(), "memory")
    else:
        where = "the workers' memory" if afar else "the device's memory"
        fit(needed.workers, engine.available_bytes(), where)
        fit(needed.driver, free_bytes(), "memory")


def fit(
    needed: int, available: int | None, where: str, remedy: str = "lower chunk, or the dimension"
) -> None:
    """Refuse what needs more bytes than there are."""
    if available is not None and needed > _SHARE * available:
        raise UnusableInput(
            f"a run that fits in {_SHARE * available / 1e9:.1f} GB of {where}",
            f"one that needs about {needed / 1e9:.1f} GB",
            remedy,
        )


def free_bytes() -> int | None:
    """Memory of this machine that is free; None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return None


@dataclass(frozen=True)
class Pace:
    """How long one worker takes for some blocks of chains while the others work too."""

    blocks: int
    fixed: float  # seconds, whatever the steps
    step: float  # seconds for each step

    def seconds(self, steps: int, blocks: int) -> float:
        """For other blocks, in proportion."""
        return (self.fixed + self.step * steps) * blocks / self.blocks


@dataclass(frozen=True)
class Forecast:
    """How long a run will take: its first blocks, on which all wait, and its chunks in rounds.

    >>> paces = {"pilot": Pace(1, 0.0, 1e-6), "chunk": Pace(10, 0.0, 1e-5)}
    >>> found = Forecast(chains=64 * 41, steps=1000, finished=0, workers=2, **paces)
    >>> found.seconds()
    0.021
    >>> found.seconds(steps=2000) / found.seconds()
    2.0
    """

    chains: int
    steps: int
    finished: int  # blocks, in a checkpoint
    workers: int
    pilot: Pace | None
    chunk: Pace
    again: bool = False  # the pilot's chains are carried out again, to be recorded

    def seconds(self, chains: int | None = None, steps: int | None = None) -> float:
        """For the run as it is planned, or with other numbers of chains or steps."""
        chains, steps = chains or self.chains, self.steps if steps is None else steps
        blocks = -(-chains // LANES) - self.finished
        if blocks <= 0:
            return 0.0
        alone = min(self.pilot.blocks, blocks) if self.pilot else 0
        first = self.pilot.seconds(steps, alone) if self.pilot else 0.0
        full, rest = divmod(blocks - (0 if self.again else alone), self.chunk.blocks)
        rounds, over = divmod(full, self.workers)
        last = self.chunk.blocks if over else rest
        return first + self.chunk.seconds(steps, rounds * self.chunk.blocks + last)

    @property
    def rate(self) -> float:
        """Chain-steps a second."""
        return self.chains * self.steps / self.seconds() if self.seconds() else inf


def forecast(work: Any, centre: Any) -> Forecast:
    """Measure the run that is about to start, where it would be carried out."""
    plan, engine = work.plan, work.engine
    tree, middle = work.begun()
    pilot = None
    recorded = work.table is not None
    if middle is None and centre is None:
        first = plan.pilot(engine, recorded)
        (pilot,) = work.carry_out(pace, [(first, _MEASURE / 4, False)], Meter(0))
    size = max(1, min(plan.chunk, plan.blocks - 1))
    # all workers at once, as they will be: they share memory, caches and the processor's clock
    places = [(size, _MEASURE, recorded)] * min(engine.workers, -(-plan.blocks // size))
    found = list(work.carry_out(pace, places, Meter(0)))
    chunk = Pace(size, _mean([p.fixed for p in found]), _mean([p.step for p in found]))
    return Forecast(plan.chains, plan.steps, tree.blocks, engine.workers, pilot, chunk, recorded)


def pace(work: Any, meter: Meter, blocks: int, lasting: float, recorded: bool) -> Pace:
    """Carry out a few steps of some blocks, and their sums, and tell how long that took."""
    engine, plan, recorder = work.engine, work.plan, None
    begun = time.perf_counter()
    x = engine.start(0, blocks, plan.seed)
    fixed, middle = time.perf_counter() - begun, np.zeros(engine.layout.size)
    step = _step(work, engine, x, 0, plan.steps, lasting, meter)
    if recorded and plan.steps:
        first, last = work.table.wanted
        recorder = recorder_of(work.table, engine, middle, blocks * LANES, blocks)
        slow = _step(work, recorder, x, first - 1, last - first + 1, lasting, meter)
        step += (slow - step) * (last - first + 1) / plan.steps
    begun = time.perf_counter()
    with np.errstate(all="ignore"):
        work.sums(middle, x, 0, recorder)
    return Pace(blocks, fixed + time.perf_counter() - begun, step)


def _step(work: Any, by: Any, x: Any, first: int, steps: int, lasting: float, meter: Meter) -> float:
    """Seconds for one of some steps, by the longest calls; the same steps are carried out many times."""
    seed, count = work.plan.seed, min(work.engine.layout.fused, steps)
    if not count:
        return 0.0
    by.advance(x, 0, first, count, seed)  # what is made with the first call is made once
    taken: dict[int, list[float]] = {}
    begun = before = time.perf_counter()
    while before - begun < lasting:
        by.advance(x, 0, first, count, seed)
        now = time.perf_counter()
        taken.setdefault(count, []).append((now - before) / count)
        before, count = now, min(2 * count, work.plan.segment, steps)
        meter.add(0)
    return _mean(taken[max(taken)])


def check_time(work: Any, centre: Any, limit: float | None) -> None:
    """Refuse a run beyond its limit; without one only a long run is measured, and has a month."""
    if limit is not None or work.plan.chains * work.plan.steps > limits.FORECAST:
        allow(forecast(work, centre), limits.MONTH if limit is None else limit)


def allow(found: Forecast, limit: float) -> None:
    """Refuse a run that would take longer than ``limit`` seconds, and say what would fit."""
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit < inf:
        raise UnusableInput("a time limit of more than 0 seconds", repr(limit), "change the time limit")
    if found.seconds() <= limit:
        return
    fitting = {
        "chains": _largest(lambda n: found.seconds(chains=n) <= limit, found.chains),
        "steps": _largest(lambda n: found.seconds(steps=n) <= limit, found.steps),
    }
    told = [f"{count:,} {name}" for name, count in fitting.items() if count]
    raise UnusableInput(
        f"a run of at most {duration(limit)}",
        f"one of about {duration(found.seconds())}, at {found.rate:.2g} chain-steps a second",
        f"about {' or '.join(told)} would fit" if told else "raise the time limit",
    )


def _largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number below ``most`` that fits, two digits of it; 0 if none does."""
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    unit = 10 ** max(0, floor(log10(low)) - 1) if low else 1
    return low // unit * unit


def duration(seconds: float) -> str:
    """A duration that a person reads.

    >>> [duration(s) for s in (0.25, 90, 5400, 86400 * 3)]
    ['0.25 s', '1.5 min', '1.5 h', '3 days']
    """
    for limit, unit, name in ((60, 1, "s"), (3600, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.2g} {name}"
    return f"{seconds / 86_400:,.3g} days"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
