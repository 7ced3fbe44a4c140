"""Running generated kernels on the processor."""

from __future__ import annotations

import math
import time
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from simulators.bind import Bound
from simulators.cpu import native
from simulators.cpu.emit import Emitter, Target
from simulators.emit import Layout
from simulators.moments import LANES
from simulators.philox import width

Array = np.ndarray[Any, Any]


_LINE = 64  # bytes


class CpuEngine:
    """Kernels of a bound program, compiled. A state is an array (blocks, size * 64)."""

    device = "cpu"
    path = "chains"
    normals = "exact"

    def __init__(self, bound: Bound, threads: int, target: Target | None = None) -> None:
        self.workers = threads
        self.layout = Layout.of(bound)
        self._target = target or Target(native.machine().vector_bytes)
        emitter = Emitter(self.layout, self._target)
        self.text = emitter.text()
        self._bound = bound
        self._constants = flat_constants(bound)
        self._work = emitter.work
        before = time.perf_counter()
        self._kernels = native.load(self.text, emitter.signatures)
        self.compile_seconds = time.perf_counter() - before

    def rebound(self, bound: Bound) -> CpuEngine:
        """The same kernels with other numbers, for one of many workers."""
        other = copy(self)
        other.workers = 1
        other._bound, other._constants = bound, flat_constants(bound)
        return other

    def start(self, chain: int, blocks: int, seed: int) -> Array:
        """The states of blocks of chains before the first step, from chain number ``chain``."""
        x = aligned((blocks, self.layout.size * LANES), self._bound.dtype)
        if self._bound.program.start.outputs:
            work = aligned((self._work,), np.uint8)
            _call(self._kernels["begin"], (x, self._constants, work), (blocks, chain, seed))
        return with_given_start(x, self._bound)

    def advance(self, x: Array, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place."""
        self._run(self._kernels, x, x, chain, first, steps, seed)

    def kept(self, x: Array, chain: int, first: int, steps: int, seed: int) -> Array:
        """Carry out some steps in place: the states after each, (blocks, steps, size, 64)."""
        rows = np.empty((len(x), steps, self.layout.size, LANES), self._bound.dtype)
        self._run(self._recording, x, rows, chain, first, steps, seed)
        return rows

    @cached_property
    def _recording(self) -> native.Library:
        """The same kernels, keeping the state after each step."""
        emitter = Emitter(self.layout, self._target, recorded=True)
        return native.load(emitter.text(), emitter.signatures)

    def _run(
        self, kernels: native.Library, x: Array, rows: Array,
        chain: int, first: int, steps: int, seed: int,
    ) -> None:  # fmt: skip
        schedule = self._bound.schedule(first, steps).ravel()
        work = aligned((self._work,), np.uint8)  # padding is read, and must be zero
        arrays = (x, self._constants, schedule, work, rows)
        _call(kernels["run"], arrays, (len(x), chain, seed, first, steps))

    def accumulate(
        self, order: int, rows: Array, index: Array, lag: Array, centre: Array, out: Array,
        span: tuple[int, int, int], chains: int,
    ) -> None:  # fmt: skip
        """Add the sums of monomials of so many factors over some rows to those of each block."""
        middle = centre.astype(self._bound.dtype)
        numbers = (len(rows), rows.shape[1], *span, len(index), chains)
        _call(self._recording[f"accumulate{order}"], (rows, index, lag, middle, out), numbers)

    def sums(self, x: Array, index: Array, centre: Array, chains: int) -> Array:
        """The sums of monomials over each block, of which ``chains`` chains exist in all."""
        out = np.empty((len(x), len(index)))
        _call(self._kernels["sums"], (x, index, centre, out), (len(x), *index.shape, chains))
        return out

    def draws(self, purpose: int, chains: int, step: int, seed: int) -> Array:
        """A step's normals for chains 0, 1, ..., as the kernels draw them: (chains, normals)."""
        spare, normals = width(self._bound.dtype, purpose), self.layout.normals(purpose)
        z = np.zeros((-(-chains // LANES), normals + 2 * spare, LANES), self._bound.dtype)
        for block, part in enumerate(z):
            _call(self._kernels[f"fill{purpose}"], (part,), (block * LANES, seed, step))
        rows = np.moveaxis(z[:, spare : spare + normals], 1, 2).reshape(-1, normals)
        return np.ascontiguousarray(rows[:chains])

    def choices(self, slot: int, chains: int, step: int, seed: int) -> Array:
        """A step's minibatch for chains 0, 1, ..., as the kernels draw it: (chains, size)."""
        assert self.layout.batches is not None
        size = self.layout.batches.size
        z = np.zeros((-(-chains // LANES), size, LANES), np.uint32)
        for block, part in enumerate(z):
            _call(self._kernels[f"pick{slot}"], (part,), (block * LANES, seed, step))
        return np.moveaxis(z, 1, 2).reshape(-1, size)[:chains] // self.layout.row_bytes

    def packed(self, x: Array) -> Array:
        """The states as they are, on the host."""
        return x.copy()

    def unpacked(self, states: Array) -> Array:
        """The states that were packed."""
        x = aligned(states.shape, states.dtype)
        x[...] = states
        return x

    def host(self, x: Array) -> Array:
        """The states as a NumPy array (chains, size)."""
        lanes = x.reshape(len(x), self.layout.size, LANES)
        return np.moveaxis(lanes, 1, 2).reshape(-1, self.layout.size)

    def available_bytes(self) -> int | None:
        """Memory that a run may use; None where the system does not say."""
        try:
            for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
        except (OSError, ValueError):
            pass
        return None


def _call(kernel: Any, arrays: tuple[Array, ...], numbers: tuple[int, ...]) -> None:
    assert all(a.flags.c_contiguous for a in arrays)
    kernel(*(a.ctypes.data for a in arrays), *numbers)


def aligned(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros that begin at a line of the cache: no vector then lies across two.

    >>> aligned((3, 5), np.float32).ctypes.data % 64
    0
    """
    count = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.zeros(count + _LINE, np.uint8)
    begin = -room.ctypes.data % _LINE
    return room[begin : begin + count].view(dtype).reshape(shape)


def flat_constants(bound: Bound) -> Array:
    """All constants in one array, where the layout says."""
    layout = Layout.of(bound)
    flat = aligned((layout.constant_count + 1,), bound.dtype)
    for constant in bound.program.constants:
        if constant.shape == "numbers":
            continue
        value = bound.constant(constant.name)
        if constant.shape == "rows":
            value = np.pad(value, ((0, 0), (0, layout.padded - bound.D)))
            for number in (c.name for c in bound.program.constants if c.shape == "numbers"):
                value[:, layout.behind(number)] = bound.constant(number)
        offset = layout.constants[constant.name]
        flat[offset : offset + value.size] = value.ravel()
    return flat[: max(layout.constant_count, 1)]


def with_given_start(x: Any, bound: Bound) -> Any:
    """Write the start vectors that the user gave into fresh states (any array library's)."""
    lanes = x.reshape(len(x), len(bound.program.states), bound.D, LANES)
    for name, vector in bound.start.items():
        place = bound.program.states.index(name)
        for i, value in enumerate(vector):
            lanes[:, place, i, :] = float(value)
    return x
