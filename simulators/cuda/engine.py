"""One chain a thread: the engine of a bound program on one GPU, or on the processor through the shim."""

from __future__ import annotations

import time
from copy import copy
from typing import Any

import numpy as np

from simulators.bind import Bound
from simulators.cpu.engine import flat_constants
from simulators.cuda import emit
from simulators.cuda.devices import CupyDevice, Device
from simulators.moments import LANES, Monomials
from simulators.philox import width
from simulators.reduce import Rows, subtrees

Array = np.ndarray[Any, Any]

# A launch is given this much work, in seconds at the rate at which instructions could be issued: it
# takes about three times as long, so Ctrl-C and a display's watchdog are served.
SECONDS_A_CALL = 0.1
# Sums of a chunk's blocks wait on the device to be added up.
_BLOCKS_A_CHUNK = 2**15
_BYTES_A_CHUNK = 2**30


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
        bound, states = self._bound, self._bound.program.states
        x = self._on.zeros((blocks, self.layout.size * LANES), bound.dtype)
        if bound.program.start.outputs:
            args = (x, *self._constants, np.uint32(chain), np.uint32(seed))
            self._on.launch("begin_chains", blocks * LANES, args)
        given = np.concatenate([bound.start[name] for name in bound.start])
        rows = np.concatenate(
            [states.index(name) * bound.D + np.arange(bound.D) for name in bound.start]
        )
        args = (x, self._on.put(rows), self._on.put(given), np.int64(len(rows)))
        self._on.launch("place_start", blocks * len(rows) * LANES, args)
        return x

    def advance(self, x: Any, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place: singly up to a whole group, in groups, and singly."""
        fused = self.layout.fused
        alone = min(steps, -first % fused) if self.layout.unrolled else steps
        grouped = (steps - alone) // fused * fused
        for kernel, count in (
            ("advance_chains", alone),
            ("advance_groups", grouped),
            ("advance_chains", steps - alone - grouped),
        ):
            if count:
                self._advance(kernel, x, chain, first, count, seed)
                first += count
        self._on.wait()

    def _advance(self, kernel: str, x: Any, chain: int, first: int, steps: int, seed: int) -> None:
        schedule = self._bound.schedule(first, steps).ravel()
        table = self._on.put(schedule if schedule.size else np.zeros(1, self._bound.dtype))
        args = (x, *self._constants, table, np.uint32(chain), np.uint32(seed))
        self._on.launch(kernel, len(x) * LANES, (*args, np.int64(first), np.int64(steps)))

    def steps_a_call(self, blocks: int) -> int:
        """How many steps of so many blocks a launch may take, so that it is over soon."""
        operations = SECONDS_A_CALL * self._on.operations_a_second(self._bound.dtype.name)
        # fewer chains than these do not go faster
        chains = max(blocks * LANES, 2**14)
        return max(1, int(operations / (chains * self.layout.work)))

    def blocks_a_chunk(self, monomials: Monomials) -> int:
        """How many blocks are worth having in memory at once."""
        return max(1, min(_BLOCKS_A_CHUNK, _BYTES_A_CHUNK // (8 * monomials.columns)))

    def bytes_needed(self, blocks: int, monomials: Monomials) -> int:
        """How much of the device's memory so many blocks take."""
        states = LANES * self.layout.size * self._bound.dtype.itemsize
        # what is folded is half as much again, and so on
        return blocks * (states + 2 * 8 * monomials.columns)

    def sums(self, x: Any, index: Array, centre: Array, chains: int) -> Array:
        """The sums of monomials over each block, of which ``chains`` chains exist in all."""
        return self._on.get(self._sums(x, self._on.put(index), centre, chains, len(index)))

    def _sums(self, x: Any, index: Any, centre: Array, chains: int, columns: int) -> Any:
        """A table with the sums in the first columns of its rows."""
        rows = self._on.empty((len(x), columns), np.float64)
        args = (
            x, index, np.int64(len(index)), self._on.put(np.asarray(centre, np.float64)),
            np.int64(chains), rows, np.int64(columns),
        )  # fmt: skip
        self._on.launch("sum_monomials", len(x) * len(index), args)
        return rows

    def reduced(
        self, x: Any, monomials: Monomials, centre: Array, chains: int, first: int
    ) -> list[Rows]:
        """The rows of blocks ``first``, ``first + 1``, ..., added up as far as the tree has them."""
        index, size, columns = self._on.put(monomials.index), monomials.size, monomials.columns
        pairs = len(index) - size
        rows = self._sums(x, index, centre, chains, columns)
        args = (rows, index, np.int64(size), np.int64(pairs), np.int64(chains // LANES))
        self._on.launch("spread_blocks", len(x) * pairs, args)
        found = subtrees(rows, first, self._fold)
        return [Rows(self._on.get(s.values), s.level) for s in found]

    def _fold(self, rows: Any) -> Any:
        half, columns = len(rows) // 2, rows.shape[1]
        out = self._on.empty((half, columns), np.float64)
        self._on.launch("fold_pairs", half * columns, (rows, out, np.int64(columns)))
        return out

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
