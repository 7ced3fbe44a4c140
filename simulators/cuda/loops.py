"""The looped form: a chain's numbers in a thread's local memory, passed over stage by stage.

A product with a matrix takes some columns of it at a time: their numbers of the vector are in
registers while all rows go by, a few together, so that local memory is read once for many operations.
Every number comes of the same operations in the same order as in the unrolled form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simulators.cuda import batch
from simulators.cuda.stages import Inner, Map, Product, Staged, staged
from simulators.emit import Layout, elementwise
from simulators.program import Block
from simulators.tree import written

# Numbers of a vector that are in registers at a time, in bytes; and rows that go by together, for
# the latency of a sum.
_COLUMNS = 256
_ROWS = 4
# Of a triangle less, since the rows on its diagonal are written out.
_TRIANGLE = 128


@dataclass(frozen=True)
class Looped:
    """A block of instructions in the looped form."""

    block: Block
    layout: Layout

    @cached_property
    def staged(self) -> Staged:
        """The block's stages; sums keep their order."""
        return staged(self.block, self.layout, "", ordered=True)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where the vectors that one stage leaves for another lie in the scratch array ``s``."""
        vectors = [name for name, type_ in self.staged.arrays if type_ == "vector"]
        return {name: k * self.layout.D for k, name in enumerate(vectors)}

    @property
    def length(self) -> int:
        """How many numbers the scratch array has."""
        return len(self.places) * self.layout.D

    def lines(self) -> Iterator[str]:
        """One step, on noise from the buffer ``z``."""
        for name, type_ in self.staged.arrays:
            if type_ == "scalar":
                yield f"real {_local(name)};"
        for stage in self.staged.stages:
            if isinstance(stage, Map):
                yield from self._map(stage)
            elif isinstance(stage, Product):
                yield from self._product(stage)
            elif isinstance(stage, Inner):
                yield from self._inner(stage)
            else:
                yield batch.call(self.layout, stage.instruction, self.at)

    def at(self, name: str, i: str) -> str:
        """A number that lies in an array, or that all coordinates share."""
        program = self.layout.program
        if name in self.places:
            return f"s[{self.places[name]} + {i}]"
        if name in program.states:
            return f"x[{program.states.index(name) * self.layout.D} + {i}]"
        if name.startswith("$"):
            vector = program.constant(name).shape == "vector"
            return f"c[{self.layout.constants[name]}{f' + {i}' if vector else ''}]"
        noise, _ = self.layout.noise(self.block)
        if name in noise:
            return f"z[{noise[name]} + {i}]"
        return f"u{program.scheduled.index(name)}" if name in program.scheduled else _local(name)

    def _map(self, stage: Map) -> Iterator[str]:
        """One loop over coordinates: all is read before anything is written at the same place."""
        inside = {i.result for i in stage.instructions}

        def operand(name: str) -> str:
            return _local(name) if name in inside else self.at(name, "i")

        scalars = [i for i in stage.instructions if i.type == "scalar"]
        for i in scalars:
            head = "" if i.result in stage.writes else "real "
            yield f"{head}{_local(i.result)} = {written(elementwise(i, operand))};"
        vectors = [i for i in stage.instructions if i.type == "vector"]
        if not vectors and not stage.outputs:
            return
        yield f"for (int i = 0; i < {self.layout.D}; ++i) {{"
        for i in vectors:
            yield f"  real {_local(i.result)} = {written(elementwise(i, operand))};"
        for k, (_, value) in enumerate(stage.outputs):
            yield f"  real n{k} = {operand(value)};"
        for name in stage.writes:
            if name in self.places:
                yield f"  {self.at(name, 'i')} = {_local(name)};"
        for k, (state, _) in enumerate(stage.outputs):
            yield f"  {self.at(state, 'i')} = n{k};"
        yield "}"

    def _product(self, stage: Product) -> Iterator[str]:
        """Columns in pieces; the first begins with the addend, or with a product alone."""
        D, kind = self.layout.D, self.layout.pattern(stage.matrix)
        if kind == "diagonal":
            yield from self._diagonal(stage)
            return
        triangle = kind == "lower"
        width = (_TRIANGLE if triangle else _COLUMNS) // np.dtype(self.layout.dtype).itemsize
        count = len(self.layout.columns(stage.matrix, D - 1))
        begins = list(range(0, count, width))
        yield from self._piece(stage, "0", min(width, count), stage.before or None, triangle)
        if len(begins) > 2:  # whole pieces between the first and the last
            yield f"for (int b = {width}; b < {begins[-1]}; b += {width}) {{"
            yield from (f"  {line}" for line in self._piece(stage, "b", width, stage.result, triangle))
            yield "}"
        if len(begins) > 1:
            last = count - begins[-1]
            yield from self._piece(stage, str(begins[-1]), last, stage.result, triangle)

    def _diagonal(self, stage: Product) -> Iterator[str]:
        factors = f"c[{self.layout.constants[stage.matrix]} + i * {self.layout.D + 1}]"
        factors += f", {self.at(stage.operand, 'i')}"
        total = factors.replace(", ", " * ")
        if stage.before:
            total = f"fma({factors}, {self.at(stage.before, 'i')})"
        yield f"for (int i = 0; i < {self.layout.D}; ++i) {self.at(stage.result, 'i')} = {total};"

    def _piece(
        self, stage: Product, begin: str, count: int, total: str | None, triangle: bool
    ) -> Iterator[str]:
        """Some columns: where they end on the diagonal, the rows there one by one; then the rest."""
        yield "{"
        for j in range(count):
            yield f"  real t{j} = {self.at(stage.operand, f'{begin} + {j}')};"
        if triangle:
            yield f"  int i = {begin};"
            for r in range(count):
                yield from (f"  {x}" for x in self._rows(stage, begin, r + 1, total, [r]))
            yield f"  i += {count};"
        else:
            yield "  int i = 0;"
        for rows in (_ROWS, 1):
            yield f"  for (; i + {rows} <= {self.layout.D}; i += {rows}) {{"
            yield from (f"    {x}" for x in self._rows(stage, begin, count, total, range(rows)))
            yield "  }"
        yield "}"

    def _rows(
        self, stage: Product, begin: str, count: int, total: str | None, rows: Iterable[int]
    ) -> Iterator[str]:
        """What the columns add to some rows, counted from row ``i``."""
        D, offset = self.layout.D, self.layout.constants[stage.matrix]

        def factor(r: int, j: int) -> str:
            return f"c[{offset} + (i + {r}) * {D} + {begin} + {j}]"

        for r in rows:
            first = self.at(total, f"i + {r}") if total else f"{factor(r, 0)} * t0"
            yield f"real a{r} = {first};"
        for j in range(0 if total else 1, count):
            yield from (f"a{r} = fma({factor(r, j)}, t{j}, a{r});" for r in rows)
        yield from (f"{self.at(stage.result, f'i + {r}')} = a{r};" for r in rows)

    def _inner(self, stage: Inner) -> Iterator[str]:
        left, right = ([self.at(name, i) for i in ("0", "i")] for name in (stage.left, stage.right))
        yield f"{_local(stage.result)} = {left[0]} * {right[0]};"
        yield f"for (int i = 1; i < {self.layout.D}; ++i)"
        yield f"  {_local(stage.result)} = fma({left[1]}, {right[1]}, {_local(stage.result)});"


def _local(name: str) -> str:
    return f"r{name[1:]}"
