"""Many dimensions: the chains of a chunk as one matrix, stepped by matrix products and maps.

For programs whose state does not fit where a thread can hold it. Random words are those of every
other engine. A library adds up products in an order of its own, so results agree with the other
engines to rounding and not to the bit, and may depend on the chunk.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulators import philox
from simulators.bind import Bound
from simulators.cpu.engine import flat_constants
from simulators.cuda import emit, record, text
from simulators.cuda.devices import CupyDevice, Device
from simulators.cuda.engine import SECONDS_A_CALL
from simulators.cuda.record import DeviceRecorder, Slab
from simulators.cuda.stages import Inner, Map, Product, Staged, kernels, staged
from simulators.emit import Layout
from simulators.moments import LANES, Monomials
from simulators.program import Block
from simulators.record import Table
from simulators.reduce import Rows

Array = np.ndarray[Any, Any]

_BYTES_A_CHUNK = 2**30
_BLOCKS_A_CHUNK = 2**10


@dataclass(frozen=True, eq=False)
class Columns:
    """Blocks of chains: a matrix on a device with a row for each number and a column for each chain."""

    matrix: Any

    def __len__(self) -> int:
        return int(self.matrix.shape[1]) // LANES

    def __getitem__(self, blocks: slice) -> Columns:
        first, last, _ = blocks.indices(len(self))
        return Columns(self.matrix[:, first * LANES : last * LANES])


class MatrixEngine:
    """Kernels and matrix products of a bound program on a device."""

    device = "cuda"
    path = "matrices"
    workers = 1

    def __init__(self, bound: Bound, on: Device | None = None, normals: str = "exact") -> None:
        self.layout, self.normals = emit.layout(bound), normals
        self._body = staged(bound.program.body, self.layout, "map")
        self._start = staged(bound.program.start, self.layout, "begin")
        self._form = emit.ONE
        self.text = source(self.layout, (self._body, self._start), normals)
        self._bound, self._on = bound, on or CupyDevice()
        before = time.perf_counter()
        self._on.build(self.text)
        self.compile_seconds = time.perf_counter() - before
        self._give_constants()

    def _give_constants(self) -> None:
        constants, D = self._on.put(flat_constants(self._bound)), self._bound.D
        self._constants = constants
        self._matrices = {
            c.name: constants[self.layout.constants[c.name] :][: D * D].reshape(D, D)
            for c in self._bound.program.constants
            if c.shape == "matrix"
        }

    def rebound(self, bound: Bound) -> MatrixEngine:
        """The same kernels with other numbers."""
        other = copy(self)
        other._bound = bound
        other._give_constants()
        return other

    def start(self, chain: int, blocks: int, seed: int) -> Columns:
        """The states of blocks of chains before the first step, from chain number ``chain``."""
        bound, n = self._bound, blocks * LANES
        x = self._on.zeros((self.layout.size, n), bound.dtype)
        if bound.program.start.outputs:
            schedule = self._on.zeros((1,), bound.dtype)
            work = self._work(bound.program.start, self._start, n)
            self._pass(x, work, self._start, bound.program.start, schedule, chain, 0, seed)
        for name, vector in bound.start.items():
            at = bound.program.states.index(name) * bound.D
            args = (x[at:], self._on.put(np.asarray(vector, np.float64)), np.int64(n))
            self._on.launch("place_start", bound.D * n, args)
        return Columns(x)

    def advance(self, x: Columns, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place."""
        for _ in self._steps(x, chain, first, steps, seed):
            pass
        self._on.wait()

    def keep(
        self, x: Columns, kept: Any, row: int, chain: int, first: int, steps: int, seed: int
    ) -> None:
        """Carry out some steps in place, with the states after each in a row of ``kept``."""
        for place in self._steps(x, chain, first, steps, seed):
            count = x.matrix.size
            self._on.launch("copy_numbers", count, (x.matrix, kept[row + place]))

    def recorder(
        self, table: Table, centre: Array, chains: int, blocks: int,
        saved: Mapping[str, Array] | None = None,
    ) -> DeviceRecorder:  # fmt: skip
        """What records a chunk of so many blocks; the first time the kernels for that are compiled."""
        if not self._form.recorded:
            self._form = emit.RECORDED
            self._on.wait()  # what is queued needs the kernels that go
            self._on.build(source(self.layout, (self._body, self._start), self.normals, self._form))
        n = blocks * LANES
        slab = Slab(self.layout.size * n, blocks, LANES, n)
        return DeviceRecorder(self._on, self, slab, table, centre, chains, saved)

    def _steps(self, x: Columns, chain: int, first: int, steps: int, seed: int) -> Iterator[int]:
        """Queue one step after another."""
        bound = self._bound
        rows = bound.schedule(first, steps)
        table = self._on.put(rows if rows.size else np.zeros((steps, 1), bound.dtype))
        work = self._work(bound.program.body, self._body, x.matrix.shape[1])
        for step in range(steps):
            self._pass(
                x.matrix, work, self._body, bound.program.body, table[step], chain, first + step, seed
            )
            yield step

    def _work(self, block: Block, staged: Staged, n: int) -> dict[str, Any]:
        """An array for each value that lives in one, and for the draws of each purpose."""
        D, dtype = self._bound.D, self._bound.dtype
        work = {
            name: self._on.empty((D if type_ == "vector" else 1, n), dtype)
            for name, type_ in staged.arrays
        }
        for purpose in block.purposes:
            drawn = self._on.empty((block.normals(purpose) * D, n), dtype)
            work[f"purpose {purpose}"] = drawn
            for d in block.draws:
                if d.purpose == purpose:
                    work[d.name] = drawn[d.slot * D : (d.slot + 1) * D]
        return work

    def _pass(
        self, x: Any, work: dict[str, Any], staged: Staged, block: Block, scheduled: Any,
        chain: int, step: int, seed: int,
    ) -> None:  # fmt: skip
        """One pass of a block over all chains."""
        D, n, on = self._bound.D, x.shape[1], self._on
        at = {s: x[k * D : (k + 1) * D] for k, s in enumerate(self._bound.program.states)} | work
        for purpose in block.purposes:
            self._draw(work[f"purpose {purpose}"], chain, seed, purpose, step)
        for stage in staged.stages:
            if isinstance(stage, Product):
                on.product(self._matrices[stage.matrix], at[stage.operand], at[stage.result])
            elif isinstance(stage, Inner):
                arrays = (at[stage.left], at[stage.right], at[stage.result])
                on.launch("inner", n, (*arrays, np.int64(n)))
            elif isinstance(stage, Map):
                states = (state for state, _ in stage.outputs)
                arrays = tuple(at[name] for name in (*stage.reads, *stage.writes, *states))
                args = (self._constants, scheduled, *arrays, np.int64(n))
                on.launch(stage.kernel, D * n if stage.tall else n, args)

    def _draw(self, z: Any, chain: int, seed: int, purpose: int, step: int) -> None:
        """The normals of a purpose at a step: a row for each, a column for each chain."""
        normals, n = z.shape
        width = philox.width(self._bound.dtype, purpose)
        group, within = divmod(step, philox.group_size(normals, self._bound.dtype, purpose))
        begin = within * normals
        blocks = -(-(begin + normals) // width) - begin // width
        words = (np.uint32(chain), np.uint32(seed))
        places = (np.int64(group), np.int64(begin), np.int64(normals), np.int64(n))
        self._on.launch(f"draw_{purpose}", blocks * n, (z, *words, *places))

    def draws(self, purpose: int, chains: int, step: int, normals: int, seed: int) -> Array:
        """A step's normals for chains 0, 1, ..., as the kernels draw them: (chains, normals)."""
        z = self._on.empty((normals, chains), self._bound.dtype)
        self._draw(z, 0, seed, purpose, step)
        return self._on.get(z).T

    def steps_a_call(self, blocks: int) -> int:
        """How many steps of so many blocks a call may take, so that it is over soon."""
        operations = SECONDS_A_CALL * self._on.operations_a_second(self._bound.dtype.name)
        return max(1, int(operations / (max(blocks * LANES, 2**10) * self.layout.work)))

    def blocks_a_chunk(self, monomials: Monomials) -> int:
        """How many blocks are worth having in memory at once."""
        return max(1, min(_BLOCKS_A_CHUNK, _BYTES_A_CHUNK // (LANES * self._bytes_a_chain())))

    def bytes_needed(self, blocks: int, monomials: Monomials) -> int:
        """How much of the device's memory so many blocks take."""
        return blocks * LANES * self._bytes_a_chain() + 5 * 8 * monomials.size**2

    def _bytes_a_chain(self) -> int:
        drawn = sum(self.layout.normals(p) for p in self._bound.program.body.purposes)
        vectors = sum(type_ == "vector" for _, type_ in self._body.arrays)
        numbers = self.layout.size + drawn + vectors * self._bound.D
        return int(numbers * self._bound.dtype.itemsize + 8 * self.layout.size)

    def sums(self, x: Columns, index: Array, centre: Array, chains: int) -> Array:
        """The sums of monomials over each block, of which ``chains`` chains exist in all."""
        size, blocks = self.layout.size, len(x)
        y = self._on.get(self._centred(x, centre, chains)).reshape(blocks, size, LANES)
        factor = np.where(index[None, :, 1, None] < 0, 1.0, y[:, index[:, 1]])
        return np.asarray((y[:, index[:, 0]] * factor).sum(axis=2))

    def _centred(self, x: Columns, centre: Array, chains: int) -> Any:
        """The states about the centre in double, 0 for chains that do not exist: a matrix a block."""
        size, n = x.matrix.shape
        y = self._on.empty((n // LANES * size, LANES), np.float64)
        middle = self._on.put(np.asarray(centre, np.float64))
        args = (x.matrix, middle, y, np.int64(size), np.int64(n), np.int64(chains))
        self._on.launch("centre_blocks", size * n, args)
        return y

    def reduced(
        self, x: Columns, monomials: Monomials, centre: Array, chains: int, first: int
    ) -> list[Rows]:
        """One row for all these blocks, which are added up in their order."""
        on, size, blocks = self._on, monomials.size, len(x)
        y = self._centred(x, centre, chains)
        square = on.empty((size, size), np.float64)
        totals = on.zeros((3, size, size), np.float64)
        sums, total = on.empty((size,), np.float64), on.zeros((size,), np.float64)
        for block in range(blocks):
            part = y[block * size : (block + 1) * size]
            on.launch("add_lanes", size, (part, sums, total))
            on.product(part, part.T, square)
            whole = np.int32((block + 1) * LANES <= chains)
            on.launch("add_block", size * size, (square, sums, totals, np.int64(size), whole))
        i, j = monomials.index[size:].T
        row = np.concatenate([on.get(total), *(on.get(totals[k])[i, j] for k in range(3))])
        return [Rows(row[None], 0, blocks)]

    def packed(self, x: Columns) -> Array:
        """The states as they are, on the host."""
        return self._on.get(x.matrix)

    def unpacked(self, states: Array) -> Columns:
        """The states that were packed, on the device."""
        return Columns(self._on.put(states))

    def host(self, x: Columns) -> Array:
        """The states as a NumPy array (chains, size)."""
        return self._on.get(x.matrix).T

    def available_bytes(self) -> int | None:
        """Memory that a run may use."""
        return self._on.free_bytes()


def source(layout: Layout, blocks: tuple[Staged, ...], normals: str, form: emit.Form = emit.ONE) -> str:
    """The translation unit: what all programs share, and the maps of these."""
    parts = [emit.preamble(layout, normals)]
    for p in sorted({*layout.program.body.purposes, *layout.program.start.purposes}):
        width = philox.width(layout.dtype, p)
        numbers = " ".join(emit.made(p, layout.dtype, "abde", [f"t[{k}]" for k in range(width)]))
        parts.append(text.DRAW_COLUMNS.format(purpose=p, width=width, normals=numbers))
    parts.append(text.COLUMNS.format(lanes=LANES, lanes_less=LANES - 1, D=layout.D))
    parts += [kernel for block in blocks for kernel in kernels(block, layout)]
    if form.recorded:
        parts += [text.FOLD.format(), text.COPY, *record.kernels()]
    return "".join(parts)
