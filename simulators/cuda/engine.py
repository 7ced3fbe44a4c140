"""One chain a thread: the engine of a bound program on one GPU, or on the processor through the shim."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

import numpy as np

from simulators.bind import Bound
from simulators.cpu.engine import flat_constants
from simulators.cuda import emit
from simulators.cuda.devices import CupyDevice, Device
from simulators.cuda.record import DeviceRecorder, Slab
from simulators.cuda.sums import block_rows, folded, monomial_sums
from simulators.emit import Layout
from simulators.moments import LANES, Monomials
from simulators.philox import width
from simulators.record import Table
from simulators.reduce import Rows, subtrees

Array = np.ndarray[Any, Any]

# A launch is given this much work, in seconds at the rate at which instructions could be issued: it
# takes about three times as long, so Ctrl-C and a display's watchdog are served.
SECONDS_A_CALL = 0.1
# Sums of a chunk's blocks wait on the device to be added up.
_BLOCKS_A_CHUNK = 2**15
_BYTES_A_CHUNK = 2**30


def cut(layout: Layout, first: int, steps: int) -> Iterator[tuple[str, int, int]]:
    """Steps as kernels take them: singly up to a whole group, in groups, and singly."""
    fused = layout.fused
    alone = min(steps, -first % fused) if layout.unrolled else steps
    grouped = (steps - alone) // fused * fused
    for kernel, count in (("chains", alone), ("groups", grouped), ("chains", steps - alone - grouped)):
        if count:
            yield kernel, first, count
            first += count


def given_start(bound: Bound) -> tuple[Array, Array]:
    """The rows of a state that start at given numbers, and those."""
    states, D = bound.program.states, bound.D
    rows = [states.index(name) * D + np.arange(D) for name in bound.start]
    return np.concatenate(rows), np.concatenate([bound.start[name] for name in bound.start])


def steps_in_a_call(on: Device, layout: Layout, blocks: int) -> int:
    """How many steps of so many blocks a launch may take, so that it is over soon."""
    operations = SECONDS_A_CALL * on.operations_a_second(layout.dtype)
    # fewer chains than these do not go faster
    return max(1, int(operations / (max(blocks * LANES, 2**14) * layout.work)))


def blocks_of_rows(monomials: Monomials) -> int:
    """How many blocks have rows that are not too large."""
    return max(1, min(_BLOCKS_A_CHUNK, _BYTES_A_CHUNK // (8 * monomials.columns)))


class CudaEngine:
    """Kernels of a bound program on a device. A state is an array (blocks, size * 64) there."""

    device = "cuda"
    path = "chains"
    workers = 1

    def __init__(self, bound: Bound, on: Device | None = None, normals: str = "exact") -> None:
        self.layout = emit.layout(bound)
        self.normals = normals
        self.text = emit.source(self.layout, normals)
        self._bound = bound
        self._on = on or CupyDevice()
        self._form = emit.ONE
        before = time.perf_counter()
        self._on.build(self.text)
        self.compile_seconds = time.perf_counter() - before
        self._give_constants()

    def _give_constants(self) -> None:
        constants = flat_constants(self._bound)
        self._constants: tuple[Any, ...] = ()
        if emit.in_constant_memory(self.layout):
            self._on.set_constants(constants)
        else:
            self._constants = (self._on.put(constants),)

    def rebound(self, bound: Bound) -> CudaEngine:
        """The same kernels with other numbers. Those before are gone: problems take turns."""
        other = copy(self)
        other._bound = bound
        other._give_constants()
        return other

    def start(self, chain: int, blocks: int, seed: int) -> Any:
        """The states of blocks of chains before the first step, from chain number ``chain``."""
        bound = self._bound
        x = self._on.zeros((blocks, self.layout.size * LANES), bound.dtype)
        if bound.program.start.outputs:
            args = (x, *self._constants, np.uint32(chain), np.uint32(seed))
            self._on.launch("begin_chains", blocks * LANES, args)
        rows, given = (self._on.put(a) for a in given_start(bound))
        args = (x, rows, given, np.int64(len(rows)), np.int64(blocks))
        self._on.launch("place_start", blocks * len(rows) * LANES, args)
        return x

    def advance(self, x: Any, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place."""
        for kernel, begin, count in cut(self.layout, first, steps):
            self._carry_out(f"advance_{kernel}", x, chain, begin, count, seed)
        self._on.wait()

    def keep(self, x: Any, kept: Any, row: int, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place, with the states after each in a row of ``kept``."""
        for kernel, begin, count in cut(self.layout, first, steps):
            to = (kept, np.int64(row + begin - first), np.int64(kept.shape[1]))
            self._carry_out(f"keep_{kernel}", x, chain, begin, count, seed, to)

    def _carry_out(
        self, kernel: str, x: Any, chain: int, first: int, steps: int, seed: int,
        to: tuple[Any, ...] = (),
    ) -> None:  # fmt: skip
        schedule = self._bound.schedule(first, steps).ravel()
        table = self._on.put(schedule if schedule.size else np.zeros(1, self._bound.dtype))
        args = (x, *self._constants, table, np.uint32(chain), np.uint32(seed))
        self._on.launch(kernel, len(x) * LANES, (*args, np.int64(first), np.int64(steps), *to))

    def recorder(
        self, table: Table, centre: Array, chains: int, blocks: int,
        saved: Mapping[str, Array] | None = None,
    ) -> DeviceRecorder:  # fmt: skip
        """What records a chunk of so many blocks; the first time the kernels for that are compiled."""
        if not self._form.recorded:
            self._form = emit.RECORDED
            self._on.wait()  # what is queued needs the kernels that go
            self._on.build(emit.source(self.layout, self.normals, self._form))
            self._give_constants()
        row = self.layout.size * LANES
        slab = Slab(blocks * row, blocks, row, LANES)
        return DeviceRecorder(self._on, self, slab, table, centre, chains, saved)

    def steps_a_call(self, blocks: int) -> int:
        """How many steps of so many blocks a launch may take, so that it is over soon."""
        return steps_in_a_call(self._on, self.layout, blocks)

    def blocks_a_chunk(self, monomials: Monomials) -> int:
        """How many blocks are worth having in memory at once."""
        return blocks_of_rows(monomials)

    def bytes_needed(self, blocks: int, monomials: Monomials) -> int:
        """How much of the device's memory so many blocks take."""
        states = LANES * self.layout.size * self._bound.dtype.itemsize
        # what is folded is half as much again, and so on
        return blocks * (states + 2 * 8 * monomials.columns)

    def sums(self, x: Any, index: Array, centre: Array, chains: int) -> Array:
        """The sums of monomials over each block, of which ``chains`` chains exist in all."""
        on = self._on
        return on.get(monomial_sums(on, x, on.put(index), centre, chains, len(x), len(index)))

    def reduced(
        self, x: Any, monomials: Monomials, centre: Array, chains: int, first: int
    ) -> list[Rows]:
        """The rows of blocks ``first``, ``first + 1``, ..., added up as far as the tree has them."""
        rows = block_rows(self._on, x, monomials, centre, chains, len(x))
        found = subtrees(rows, first, lambda r: folded(self._on, r, len(r)))
        return [Rows(self._on.get(s.values), s.level) for s in found]

    def draws(self, purpose: int, chains: int, step: int, normals: int, seed: int) -> Array:
        """A step's normals for chains 0, 1, ..., as the kernels draw them: (chains, normals)."""
        spare = width(self._bound.dtype, purpose)
        out = self._on.zeros((chains, normals + 2 * spare), self._bound.dtype)
        words = (np.uint32(0), np.uint32(seed))
        self._on.launch(f"draw_{purpose}", chains, (out, *words, np.int64(step), np.int32(normals)))
        return self._on.get(out)[:, spare : spare + normals]

    def packed(self, x: Any) -> Array:
        """The states as they are, on the host."""
        return self._on.get(x)

    def unpacked(self, states: Array) -> Any:
        """The states that were packed, on the device."""
        return self._on.put(states)

    def host(self, x: Any) -> Array:
        """The states as a NumPy array (chains, size)."""
        lanes = self._on.get(x).reshape(len(x), self.layout.size, LANES)
        return np.moveaxis(lanes, 1, 2).reshape(-1, self.layout.size)

    def available_bytes(self) -> int | None:
        """Memory that a run may use."""
        return self._on.free_bytes()
