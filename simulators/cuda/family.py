"""Many problems in one launch: each has thread blocks of its own, and its numbers in a table.

Numbers are drawn by seed, chain and step, and blocks are added up by each problem's own tree, so each
problem's sums are to the bit those that it has alone.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from simulators.bind import Bound
from simulators.cpu.engine import flat_constants
from simulators.cuda import emit
from simulators.cuda.devices import THREADS, Device
from simulators.cuda.engine import blocks_of_rows, cut, given_start, steps_in_a_call
from simulators.cuda.sums import block_rows, totals
from simulators.emit import Layout
from simulators.ensemble import Ensemble, centre_of, ensemble_of
from simulators.forecast import fit
from simulators.moments import LANES, Monomials
from simulators.workers import Meter, in_order

Array = np.ndarray[Any, Any]

_BYTES_OF_TABLES = 2**30
_SCHEDULED = 2**24  # numbers that all problems' schedules have in a launch


class FamilyEngine:
    """Kernels of a program for many problems at once, on a device."""

    device = "cuda"
    path = "chains"

    def __init__(self, bound: Bound, on: Device, normals: str = "exact") -> None:
        self.layout, self.normals, self.on = emit.layout(bound), normals, on
        self.text = emit.source(self.layout, normals, emit.FAMILY)
        before = time.perf_counter()
        on.build(self.text)
        self.compile_seconds = time.perf_counter() - before


class Group:
    """Problems whose chains are carried out together: ``each`` blocks of every problem."""

    def __init__(
        self, engine: FamilyEngine, family: Sequence[Bound], seeds: Sequence[int], each: int
    ) -> None:
        self._layout, self._on, self._family, self._each = engine.layout, engine.on, family, each
        self._dtype = family[0].dtype
        self._table = self._on.put(np.stack([flat_constants(b) for b in family]))
        self._seeds = self._on.put(np.array(seeds, np.uint32))
        self._problems = (self._table, self._seeds, np.int64(each * LANES))
        self._threads = len(family) * -(-each * LANES // THREADS) * THREADS
        self._x = self._start()

    def _start(self) -> Any:
        """The states before the first step."""
        blocks = len(self._family) * self._each
        x = self._on.zeros((blocks, self._layout.size * LANES), self._dtype)
        if self._layout.program.start.outputs:
            self._on.launch("begin_chains", self._threads, (x, *self._problems))
        given = [given_start(b) for b in self._family]
        count = max(len(rows) for rows, _ in given)
        rows, values = np.full((len(given), count), -1, np.int64), np.zeros((len(given), count))
        for k, (places, numbers) in enumerate(given):
            rows[k, : len(places)], values[k, : len(places)] = places, numbers
        args = (x, self._on.put(rows), self._on.put(values), np.int64(count), np.int64(self._each))
        self._on.launch("place_start", blocks * count * LANES, args)
        return x

    def segment(self) -> int:
        """How many steps a launch may take: so that it is over soon, and its schedules are small."""
        most = steps_in_a_call(self._on, self._layout, len(self._x))
        scheduled = len(self._layout.program.scheduled) * len(self._family)
        most = min(most, _SCHEDULED // scheduled) if scheduled else most
        return max(1, most // self._layout.fused) * self._layout.fused

    def advance(self, first: int, steps: int) -> None:
        """Carry out some steps of all chains."""
        for kernel, begin, count in cut(self._layout, first, steps):
            schedules = np.stack([b.schedule(begin, count) for b in self._family])
            table = self._on.put(schedules if schedules.size else np.zeros(1, self._dtype))
            args = (self._x, *self._problems, table, np.int64(begin), np.int64(count))
            self._on.launch(f"advance_{kernel}", self._threads, args)
        self._on.wait()

    def centres(self, chains: int) -> Array:
        """What each problem's second moments are summed about."""
        size = self._layout.size
        first = self._on.get(self._x.reshape(len(self._family), -1)[:, : size * LANES])
        lanes = np.moveaxis(np.asarray(first).reshape(-1, 1, size, LANES), 2, 3)
        return np.array([centre_of(x.reshape(-1, size)[: min(LANES, chains)]) for x in lanes])

    def totals(self, centres: Array, chains: int) -> Array:
        """What each problem's blocks add up to."""
        monomials = Monomials(self._layout.size)
        rows = block_rows(self._on, self._x, monomials, centres, chains, self._each)
        return totals(self._on, rows, self._each)


def problems_a_group(layout: Layout, chains: int) -> int:
    """How many problems are worth having on a device at once; below 2 they had better take turns."""
    if not emit.fits(layout):
        return 0
    constants = max(layout.constant_count, 1) * np.dtype(layout.dtype).itemsize
    blocks = blocks_of_rows(Monomials(layout.size))
    return min(blocks // -(-chains // LANES), _BYTES_OF_TABLES // constants)


def ensembles(
    engines: Sequence[FamilyEngine], family: Sequence[Bound], chains: int, steps: int,
    seeds: Sequence[int], meter: Meter,
) -> Iterator[Ensemble]:  # fmt: skip
    """The ensemble of each problem, in groups that go to whichever device is free."""
    most = max(1, problems_a_group(engines[0].layout, chains))
    number = max(-(-len(family) // most), min(len(family), len(engines)))
    free: queue.SimpleQueue[FamilyEngine] = queue.SimpleQueue()
    for engine in engines:
        free.put(engine)
    ends = [len(family) * k // number for k in range(number + 1)]
    tasks = [
        partial(_taken, free, family[a:b], chains, steps, seeds[a:b], meter) for a, b in pairwise(ends)
    ]
    for found in in_order(tasks, len(engines), meter):
        yield from found


def _taken(free: queue.SimpleQueue[FamilyEngine], *task: Any) -> list[Ensemble]:
    engine = free.get()
    try:
        with np.errstate(all="ignore"):  # divergence is reported by ``finite``
            return _group(engine, *task)
    finally:
        free.put(engine)


def _group(
    engine: FamilyEngine, family: Sequence[Bound], chains: int, steps: int, seeds: Sequence[int],
    meter: Meter,
) -> list[Ensemble]:  # fmt: skip
    """The ensembles of some problems, which share the time that they took."""
    each, layout = -(-chains // LANES), engine.layout
    needed, remedy = bytes_needed(layout, each, len(family)), "simulate fewer chains at once"
    fit(needed, engine.on.free_bytes(), "the device's memory", remedy)
    wall, cpu = time.perf_counter(), time.thread_time()
    group, done = Group(engine, family, seeds, each), 0
    while done < steps:
        count = min(group.segment(), steps - done)
        group.advance(done, count)
        done += count
        meter.add(count * chains * len(family))
    centres = group.centres(chains)
    total = group.totals(centres, chains)
    count = len(family)
    taken = (time.perf_counter() - wall) / count, (time.thread_time() - cpu) / count
    return [
        ensemble_of(bound, engine, (chains, steps, seed), taken, total[k], centres[k])
        for k, (bound, seed) in enumerate(zip(family, seeds, strict=True))
    ]


def bytes_needed(layout: Layout, each: int, problems: int) -> int:
    """How much of the device's memory some problems take, with ``each`` blocks of chains."""
    states = LANES * layout.size * np.dtype(layout.dtype).itemsize
    constants = layout.constant_count * np.dtype(layout.dtype).itemsize
    # what is folded is half as much again, and so on
    return problems * (each * (states + 2 * 8 * Monomials(layout.size).columns) + constants)
