"""Several GPUs of one host: every worker has one, and chunks of chains go to whoever is free.

A chunk stays on the device where it was started. Nothing that is computed depends on which one that
is: numbers are drawn by chain and step, and rows are added up in the order of their chains.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulators.bind import Bound
from simulators.cuda import emit
from simulators.cuda.devices import Device
from simulators.cuda.engine import CudaEngine
from simulators.cuda.matrices import MatrixEngine
from simulators.moments import Monomials
from simulators.record import Table
from simulators.recorder import Recorder
from simulators.reduce import Rows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Held:
    """Blocks of chains, and the engine whose device holds them."""

    by: Any
    states: Any

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, blocks: slice) -> Held:
        return Held(self.by, self.states[blocks])


class HeldRecorder(Recorder):
    """A recorder of the engine whose device holds the blocks."""

    def __init__(self, inner: Recorder) -> None:
        super().__init__(inner.table, inner.engine)
        self._inner = inner

    def advance(self, x: Held, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place, recording what is wanted of them."""
        self._inner.advance(x.states, chain, first, steps, seed)

    def keep(self, x: Held, chain: int, now: int, steps: int, seed: int) -> None:
        """Carry out some steps, and add what they say."""
        self._inner.keep(x.states, chain, now, steps, seed)

    def reduced(self, first: int) -> list[Rows]:
        """What the reduction adds up."""
        return self._inner.reduced(first)

    def arrays(self) -> dict[str, Array]:
        """What has to be saved."""
        return self._inner.arrays()


class Fleet:
    """Engines of one program on different devices, as one engine with as many workers."""

    device = "cuda"

    def __init__(self, engines: Sequence[Any]) -> None:
        self._engines = tuple(engines)
        first = self._engines[0]
        self.layout, self.text, self.path, self.normals = (
            first.layout, first.text, first.path, first.normals,
        )  # fmt: skip
        self.workers = len(self._engines)
        self.compile_seconds = sum(e.compile_seconds for e in self._engines)
        self._turns = itertools.count()
        self._mine = threading.local()

    def _engine(self) -> Any:
        """The engine of this thread; threads that come one after another get different ones."""
        if not hasattr(self._mine, "engine"):
            self._mine.engine = self._engines[next(self._turns) % len(self._engines)]
        return self._mine.engine

    def rebound(self, bound: Bound) -> Any:
        """The kernels of this thread's device with other numbers."""
        return self._engine().rebound(bound)

    def start(self, chain: int, blocks: int, seed: int) -> Held:
        """The states of blocks of chains before the first step, on this thread's device."""
        engine = self._engine()
        return Held(engine, engine.start(chain, blocks, seed))

    def unpacked(self, states: Array) -> Held:
        """The states that were packed, on this thread's device."""
        engine = self._engine()
        return Held(engine, engine.unpacked(states))

    def advance(self, x: Held, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place."""
        x.by.advance(x.states, chain, first, steps, seed)

    def steps_a_call(self, blocks: int) -> int:
        """How many steps of so many blocks a launch may take, so that it is over soon."""
        return min(e.steps_a_call(blocks) for e in self._engines)

    def blocks_a_chunk(self, monomials: Monomials) -> int:
        """How many blocks are worth having in a device's memory at once."""
        return min(e.blocks_a_chunk(monomials) for e in self._engines)

    def bytes_needed(self, blocks: int, monomials: Monomials) -> int:
        """How much of the devices' memory so many blocks take for each worker."""
        return sum(e.bytes_needed(blocks, monomials) for e in self._engines)

    def sums(self, x: Held, index: Array, centre: Array, chains: int) -> Array:
        """The sums of monomials over each block."""
        return np.asarray(x.by.sums(x.states, index, centre, chains))

    def reduced(
        self, x: Held, monomials: Monomials, centre: Array, chains: int, first: int
    ) -> list[Rows]:
        """The rows of these blocks, added up as far as they go."""
        found: list[Rows] = x.by.reduced(x.states, monomials, centre, chains, first)
        return found

    def recorder(
        self, table: Table, centre: Array, chains: int, blocks: int,
        saved: Mapping[str, Array] | None = None,
    ) -> HeldRecorder:  # fmt: skip
        """What records a chunk of so many blocks on this thread's device."""
        return HeldRecorder(self._engine().recorder(table, centre, chains, blocks, saved))

    def packed(self, x: Held) -> Array:
        """The states as they are, on the host."""
        return np.asarray(x.by.packed(x.states))

    def host(self, x: Held) -> Array:
        """The states as a NumPy array (chains, size)."""
        return np.asarray(x.by.host(x.states))

    def available_bytes(self) -> int | None:
        """Memory that a run may use: each worker as much as the one with least."""
        free = [e.available_bytes() for e in self._engines]
        return None if None in free else min(free) * len(free)


def engine_on(devices: Sequence[Device], bound: Bound, normals: str) -> Any:
    """The engine of a bound program on some devices."""
    kind = CudaEngine if emit.fits(emit.layout(bound)) else MatrixEngine
    engines = [kind(bound, on, normals) for on in devices]
    return engines[0] if len(engines) == 1 else Fleet(engines)
