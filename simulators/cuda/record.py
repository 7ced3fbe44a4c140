"""Statistics over steps on a device: the same sums as on the processor, in the same order.

States after each step of a group lie in slabs, one to a step. Over time each lane has a sum in the type
of the run; a thread has two lanes, and leaves their sum in double. Another thread adds up what 32 of
them left, by halves. Counts of a histogram are whole numbers, which atomics add up: their order is no
part of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulators.cuda.devices import Device
from simulators.cuda.sums import folded
from simulators.moments import LANES
from simulators.record import ORDER, Histogram, Table, span
from simulators.recorder import Recorder
from simulators.reduce import Rows, subtrees

Array = np.ndarray[Any, Any]

_HALF = LANES // 2
_WARPS = 2**13  # that keep a device busy; of a block at least as many as a thread block has
_WARPS_A_BLOCK = 4

# A thread block's warps take turns at the monomials of one block of chains, whose states stay near.
_ACCUMULATE = """
extern "C" __global__ void accumulate_{order}(
    const real *kept, i64 slab, i64 wide, i64 deep, const i64 *index, const i64 *lag,
    const real *centre, double *lanes, i64 from, i64 to, i64 every, i64 monomials, i64 strands,
    i64 chains, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 lane = thread % {half}, strand = thread / {half} % strands, block = thread / {half} / strands;
  i64 left = chains - block * {lanes}, stride = every * slab;
  const real *first = kept + block * wide + from * slab + lane;
  for (i64 m = strand; m < monomials; m += strands) {{
{factors}
    real low = (real)0, high = (real)0;
    for (i64 row = from; row < to; row += every) {{
      real a = p0[0] - c0, b = p0[{half}] - c0;
{products}
    }}
    double left_half = lane < left ? (double)low : 0.0;
    double right_half = lane + {half} < left ? (double)high : 0.0;
    lanes[(block * monomials + m) * {half} + lane] = left_half + right_half;
  }}
}}
"""

_FACTOR = """    i64 i{k} = index[m * {order} + {k}];
    const real *p{k} = first + i{k} * deep - lag[m * {order} + {k}] * slab, c{k} = centre[i{k}];"""

_KERNELS = """
extern "C" __global__ void fold_lanes(
    const double *lanes, const i64 *places, double *sums, i64 columns, i64 monomials, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  double v[{half}];
#pragma unroll
  for (int l = 0; l < {half}; ++l) v[l] = lanes[thread * {half} + l];
#pragma unroll
  for (int h = {half} / 2; h; h /= 2)
#pragma unroll
    for (int l = 0; l < h; ++l) v[l] = v[l] + v[l + h];
  sums[thread / monomials * columns + places[thread % monomials]] += v[0];
}}

extern "C" __global__ void count_bins(
    const real *kept, i64 slab, i64 wide, const double *edges, i64 bins, i64 from, i64 to, i64 every,
    w64 *counts, i64 columns, i64 chains, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  i64 block = thread / {lanes};
  if (thread >= threads || thread >= chains) return;
  const real *at = kept + block * wide + thread % {lanes};
  for (i64 row = from; row < to; row += every) {{
    double value = (double)at[row * slab];
    i64 low = 0, high = bins + 1;
    while (low < high) {{
      i64 middle = (low + high) / 2;
      if (edges[middle] <= value) low = middle + 1; else high = middle;
    }}
    atomicAdd(counts + block * columns + (value == value ? low : bins + 1), (w64)1);
  }}
}}

extern "C" __global__ void shift_rows(real *kept, i64 slab, i64 by, i64 rows, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  for (i64 row = 0; row < rows; ++row) kept[row * slab + thread] = kept[(row + by) * slab + thread];
}}

extern "C" __global__ void spread_recorded(
    const double *sums, const w64 *counts, const i64 *counted, double *out, i64 columns, i64 bins,
    i64 full, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 block = thread / columns, column = thread % columns, bin = counted[column];
  double sum = bin < 0 ? sums[thread] : (double)counts[block * bins + bin];
  double whole = block < full ? sum : 0.0, *row = out + block * 3 * columns + column;
  row[0] = sum;
  row[columns] = whole;
  row[2 * columns] = whole * whole;
}}
"""


def kernels() -> Iterator[str]:
    """The text, which follows that of a program."""
    yield "typedef unsigned long long w64;\n"
    for order in range(1, ORDER + 1):
        factors = "\n".join(_FACTOR.format(k=k, order=order) for k in range(order))
        lines = "\n".join(f"      {line}" for line in _products(order))
        yield _ACCUMULATE.format(order=order, half=_HALF, lanes=LANES, factors=factors, products=lines)
    yield _KERNELS.format(half=_HALF, lanes=LANES)


def _products(order: int) -> Iterator[str]:
    """What a row adds: the factors from the left, the last of them with the sum."""
    for k in range(1, order - 1):
        yield f"a = a * (p{k}[0] - c{k}); b = b * (p{k}[{_HALF}] - c{k});"
    if order == 1:
        yield "low = low + a; high = high + b;"
    else:
        k = order - 1
        yield f"low = fma(a, p{k}[0] - c{k}, low); high = fma(b, p{k}[{_HALF}] - c{k}, high);"
    yield from (f"p{k} += stride;" for k in range(order))


@dataclass(frozen=True)
class Slab:
    """How the states of some blocks lie after a step: how far it is between blocks and numbers."""

    length: int
    blocks: int
    block: int
    number: int


class DeviceRecorder(Recorder):
    """The sums of a chunk in a device's memory. The engine carries out steps there, and keeps them."""

    def __init__(
        self, on: Device, engine: Any, slab: Slab, table: Table, centre: Array, chains: int,
        saved: Mapping[str, Array] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(table, engine)
        self._on, self._slab, self._chains = on, slab, chains
        self._centre = on.put(np.asarray(centre, engine.layout.dtype))
        self._parts = [
            (recording, order, len(index), *(on.put(a) for a in (index, lag, columns)))
            for recording, order, index, lag, columns in table.parts
        ]
        counted, self._bins = _places(table)
        self._counted = on.put(counted)
        self._histograms = [
            (histogram, number, int(counted[columns.start]), on.put(histogram.edges))
            for histogram, number, columns in table.histograms
        ]
        self._lanes = on.empty((slab.blocks * max(table.widest, 1), _HALF), np.float64)
        self._begin(saved)

    def _begin(self, saved: Mapping[str, Array] | None) -> None:
        """Nothing was seen yet, or what was saved."""
        on, blocks, dtype = self._on, self._slab.blocks, self.engine.layout.dtype
        shape, self._before = (self.table.lag + self.table.group, self._slab.length), 0
        if not saved:
            self._kept = on.empty(shape, dtype)
            self._sums = on.zeros((blocks, self.table.columns), np.float64)
            self._counts = on.zeros((blocks, max(self._bins, 1)), np.uint64)
            return
        rows = np.zeros(shape, dtype)
        self._before = len(saved["rows"])
        rows[: self._before] = saved["rows"]
        self._kept, self._sums, self._counts = (
            on.put(a) for a in (rows, saved["sums"], saved["counts"])
        )

    def arrays(self) -> dict[str, Array]:
        """What has to be saved."""
        found = {"sums": self._sums, "counts": self._counts, "rows": self._kept[: self._before]}
        return {name: self._on.get(array) for name, array in found.items()}

    def keep(self, x: Any, chain: int, now: int, steps: int, seed: int) -> None:
        """Carry out some steps, and add what they say."""
        self.engine.keep(x, self._kept, self._before, chain, now, steps, seed)
        offset = now + 1 - self._before  # row r holds the state after step offset + r
        for recording, order, monomials, index, lag, columns in self._parts:
            rows = span(recording, now, steps, offset)
            if rows[0] < rows[1]:
                self._accumulate(order, monomials, rows, index, lag, columns)
        for histogram, number, begin, edges in self._histograms:
            rows = span(histogram, now, steps, offset)
            if rows[0] < rows[1]:
                self._count(histogram, number, begin, edges, rows)
        there = self._before + steps
        self._before = min(self.table.lag, there)
        by, slab = there - self._before, self._slab.length
        if by and self._before:
            args = (self._kept, np.int64(slab), np.int64(by), np.int64(self._before))
            self._on.launch("shift_rows", slab, args)
        self._on.wait()  # a group at a time, so that Ctrl-C is served

    def _accumulate(
        self, order: int, monomials: int, rows: tuple[int, int, int], index: Any, lag: Any, columns: Any
    ) -> None:
        slab, blocks = self._slab, self._slab.blocks
        strands = min(monomials, max(_WARPS_A_BLOCK, _WARPS // blocks))
        strides = (np.int64(n) for n in (slab.length, slab.block, slab.number))
        numbers = (np.int64(n) for n in (*rows, monomials, strands, self._chains))
        args = (self._kept, *strides, index, lag, self._centre, self._lanes, *numbers)
        self._on.launch(f"accumulate_{order}", blocks * strands * _HALF, args)
        places = (columns, self._sums, np.int64(self.table.columns), np.int64(monomials))
        self._on.launch("fold_lanes", blocks * monomials, (self._lanes, *places))

    def _count(
        self, histogram: Histogram, number: int, begin: int, edges: Any, rows: tuple[int, int, int]
    ) -> None:
        slab = self._slab
        kept = self._kept.reshape(-1)[number * slab.number :]
        args = (kept, np.int64(slab.length), np.int64(slab.block), edges, np.int64(histogram.bins))
        counts = self._counts.reshape(-1)[begin:]
        numbers = (np.int64(self._bins), np.int64(self._chains))
        args = (*args, *(np.int64(n) for n in rows), counts, *numbers)
        self._on.launch("count_bins", slab.blocks * LANES, args)

    def reduced(self, first: int) -> list[Rows]:
        """What the reduction adds up."""
        on, blocks, columns = self._on, self._slab.blocks, self.table.columns
        rows = on.empty((blocks, 3 * columns), np.float64)
        args = (self._sums, self._counts, self._counted, rows, np.int64(columns), np.int64(self._bins))
        on.launch("spread_recorded", blocks * columns, (*args, np.int64(self._chains // LANES)))
        found = subtrees(rows, first, lambda r: folded(on, r, len(r)))
        return [Rows(on.get(s.values), s.level) for s in found]


def _places(table: Table) -> tuple[Array, int]:
    """For each column the place of its count, or -1 where it is none; and how many counts there are."""
    places, count = np.full(table.columns, -1, np.int64), 0
    for _, _, columns in table.histograms:
        number = columns.stop - columns.start
        places[columns] = np.arange(count, count + number)
        count += number
    return places, count
