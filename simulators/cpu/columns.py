"""Gradients of short rows on the processor: lanes are chains, and rows are turned into columns.

Each lane reads a row of its own; squares of sixteen-byte pieces are turned in registers, so that a
vector holds one coordinate of all the rows. The margin is then a sum over coordinates in their order,
the weight follows for all lanes at once, and each coordinate's sum over the minibatch stays in a
register. While an example's weight is computed, a long chain of operations that wait for each
other, the columns of the next one are made. Where all examples are summed, every lane reads the same
row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from simulators.cpu.ir import INDEX, REAL, Code, Env, Value
from simulators.emit import Layout, elementwise
from simulators.moments import LANES
from simulators.program import Weight

_PIECE = 128  # bits: what a vector of any length consists of
_VECTOR = 64  # bytes of the longest vector


def weigh(code: Code, weight: Weight, known: Env, constant: Callable[[str], Value]) -> list[Value]:
    """An example's weight, or its gradient, from its margin ``m`` or coordinates, and its numbers."""

    def read(name: str) -> Value:
        if name not in known:
            known[name] = constant(name)
        return known[name]

    for i in weight.instructions:
        env = {a: read(a) for a in i.args}
        known[i.result] = code.expression(elementwise(i), env)
    return [read(r) for r in weight.results or (weight.result,)]


@dataclass(frozen=True)
class Columns:
    """The pass that sums weights times covariates over minibatches, or over all examples."""

    layout: Layout
    weight: Weight
    count: int  # rows of a minibatch
    drawn: str  # address of the choices; "" where these are all examples, in their order
    point: str  # address of the points: of 64 lanes, or of one that all chains share; "" for none
    shared: bool
    lanes: int  # of a vector of the machine

    @classmethod
    def length(cls, layout: Layout) -> int:
        """Rows of 64 numbers in scratch memory: the columns of two examples."""
        lanes = _VECTOR // (4 if layout.dtype == "float32" else 8)
        return -(-2 * layout.D * lanes // LANES)

    def write(self, outer: Code, scratch: str, result: str) -> None:
        """For every chain of a block, with scratch memory; both are addresses."""
        code, D = replace(outer, lanes=self.lanes), self.layout.D
        with code.loop("0", str(LANES), self.lanes) as lane:
            zero = code.spread(code.constant(0.0, REAL))
            totals: Env = {str(i): zero for i in range(D)}
            if self.weight.results:
                with code.loop("0", str(self.count), carried=totals) as number:
                    self._add_written(code, number, lane, totals)
            elif self.weight.sees_margin or self.weight.numbers:
                self._chained(code, lane, scratch, totals)
            else:
                weight = self._weight(code, {})
                with code.loop("0", str(self.count), carried=totals) as number:
                    self._add(code, weight, self._row(code, number, lane), totals)
            for i in range(D):
                code.store(totals[str(i)], code.at(result, self._place(code, lane, i)))
        outer.count = code.count

    def _chained(self, code: Code, lane: str, scratch: str, totals: Env) -> None:
        """Each example's weight and what it adds, beside the columns of the next one."""
        seen = self._see(code, "0", lane, scratch)
        carried: Env = {**totals, **seen}
        with code.loop("1", str(self.count), carried=carried) as number:
            before = code.let(f"sub i64 {number}, 1")
            weight = self._weight(code, {k: carried[k] for k in seen})
            carried.update(self._see(code, number, lane, scratch))
            self._add(code, weight, self._seen(code, before, scratch), carried)
        weight = self._weight(code, {k: carried[k] for k in seen})
        self._add(code, weight, self._seen(code, str(self.count - 1), scratch), carried)
        totals.update({k: carried[k] for k in totals})

    def _see(self, code: Code, number: str, lane: str, scratch: str) -> Env:
        """What an example's weight depends on; its columns are kept."""
        row = self._row(code, number, lane)
        if self.drawn:
            for i, place in enumerate(self._kept(code, number, scratch)):
                code.store(row[i], place)
        seen = {name: row[self.layout.behind(name)] for name in self.weight.numbers}
        if self.weight.sees_margin:
            seen["m"] = self._margin(code, row, lane)
        return seen

    def _seen(self, code: Code, number: str, scratch: str) -> list[Value]:
        """The columns of an example once more."""
        if not self.drawn:
            return self._same(code, number)
        return [code.load(place) for place in self._kept(code, number, scratch)]

    def _add_written(self, code: Code, number: str, lane: str, totals: Env) -> None:
        """What an example adds whose gradient is written out."""
        row = self._row(code, number, lane)
        known: Env = {}
        for name in self.weight.reads:
            if name[0] == "p":
                known[name] = self._at(code, lane, int(name[1:]))
            elif name[0] == "r":
                known[name] = row[int(name[1:])]
        known.update({name: row[self.layout.behind(name)] for name in self.weight.numbers})
        found = weigh(code, self.weight, known, lambda name: self._constant(code, name))
        for i, value in enumerate(found):
            totals[str(i)] = code.binary("fadd", totals[str(i)], value)

    def _add(self, code: Code, weight: Value, row: list[Value], totals: Env) -> None:
        """What an example adds."""
        for i in range(self.layout.D):
            entry = code.binary("fmul", row[i], row[i]) if self.weight.power == 2 else row[i]
            totals[str(i)] = code.fma(weight, entry, totals[str(i)])

    def _kept(self, code: Code, number: str, scratch: str) -> list[str]:
        """Where an example's columns are kept: every other one has the same place."""
        D = self.layout.D
        start = code.let(f"mul i64 {code.let(f'and i64 {number}, 1')}, {D * self.lanes}")
        return [code.at(scratch, code.let(f"add i64 {start}, {i * self.lanes}")) for i in range(D)]

    def _weight(self, code: Code, seen: Env) -> Value:
        return weigh(code, self.weight, seen, lambda name: self._constant(code, name))[0]

    def _place(self, code: Code, lane: str, row: int) -> str:
        return code.let(f"add i64 {lane}, {row * LANES}")

    def _constant(self, code: Code, name: str) -> Value:
        return code.load_one(code.at("%c", str(self.layout.constants[name])))

    def _margin(self, code: Code, row: list[Value], lane: str) -> Value:
        """The product of the row and the point, in the order of their coordinates."""
        margin = code.binary("fmul", self._at(code, lane, 0), row[0])
        for i in range(1, self.layout.D):
            margin = code.fma(self._at(code, lane, i), row[i], margin)
        return margin

    def _at(self, code: Code, lane: str, i: int) -> Value:
        """A coordinate of the point."""
        if self.shared:
            return code.load_one(code.at(self.point, str(i)))
        return code.load(code.at(self.point, self._place(code, lane, i)))

    # -- rows -----------------------------------------------------------------------------------

    @property
    def _length(self) -> int:
        """Up to where a row is read."""
        return max([self.layout.D - 1, *map(self.layout.behind, self.weight.numbers)]) + 1

    def _row(self, code: Code, number: str, lane: str) -> list[Value]:
        """The coordinates and the numbers of an example; of all examples, one for all lanes."""
        return self._gathered(code, number, lane) if self.drawn else self._same(code, number)

    def _same(self, code: Code, number: str) -> list[Value]:
        place = code.let(f"mul i64 {number}, {self.layout.padded}")
        first = code.let(f"add i64 {place}, {self.layout.constants[self.weight.covariates]}")
        places = [first, *(code.let(f"add i64 {first}, {k}") for k in range(1, self._length))]
        return [code.load_one(code.at("%c", p)) for p in places]

    def _gathered(self, code: Code, number: str, lane: str) -> list[Value]:
        """A lane's row has its pieces beside those of its neighbours; squares of these are turned."""
        side, length = min(_PIECE // code.bits, code.lanes), self._length
        rows = self._rows(code, number, lane)
        groups = [rows[k::side] for k in range(side)]
        columns: list[Value] = []
        for begin in range(0, length, 2 * side):
            if code.lanes > side and begin + side < length:
                pairs = [self._two(code, group, begin, side) for group in groups]
                squares = [[pair[k] for pair in pairs] for k in (0, 1)]
            else:
                squares = [
                    [code.collect([code.at(r, str(piece)) for r in group]) for group in groups]
                    for piece in range(begin, min(begin + 2 * side, length), side)
                ]
            columns += [column for square in squares for column in self._turned(code, square)]
        return columns

    def _rows(self, code: Code, number: str, lane: str) -> list[str]:
        """Where the rows are that the lanes read."""
        base = code.at("%c", str(self.layout.constants[self.weight.covariates]))
        first = code.let(f"add i64 {code.let(f'mul i64 {number}, {LANES}')}, {lane}")
        rows = []
        for k in range(code.lanes):
            chosen = code.at(self.drawn, code.let(f"add i64 {first}, {k}"), INDEX)
            begin = code.let(f"zext i32 {code.load_one(chosen, INDEX).text} to i64")
            rows.append(code.let(f"getelementptr i8, ptr {base}, i64 {begin}"))
        return rows

    def _two(self, code: Code, rows: list[str], begin: int, side: int) -> list[Value]:
        """Two neighbouring pieces of some rows, read together and then parted."""
        half = len(rows) // 2
        a, b = (code.collect([code.at(r, str(begin)) for r in rs]) for rs in (rows[:half], rows[half:]))
        places = [n // side * 2 * side + n % side for n in range(code.lanes)]
        return [code.shuffle(a, b, [p + k for p in places]) for k in (0, side)]

    def _turned(self, code: Code, rows: list[Value]) -> list[Value]:
        """Squares within vectors, transposed: rows are woven with those half of them further on."""
        side, half = len(rows), len(rows) // 2
        for _ in range(side.bit_length() - 1):
            pairs = zip(rows[:half], rows[half:], strict=True)
            rows = [self._woven(code, a, b, side, k) for a, b in pairs for k in (0, half)]
        return rows

    def _woven(self, code: Code, a: Value, b: Value, side: int, begin: int) -> Value:
        """Half of each stretch of two vectors, their numbers in turn."""
        places = [n - n % side + begin + n % side // 2 + n % 2 * code.lanes for n in range(code.lanes)]
        return code.shuffle(a, b, places)
