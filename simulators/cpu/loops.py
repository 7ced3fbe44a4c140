"""The looped form: each instruction passes over all lanes of a block, in the cache.

Products with matrices go through tiles: a few rows of the matrix and a stretch of lanes are summed
in registers over a panel of columns that the cache holds. Every sum runs over the columns in order,
as everywhere, so that the tiles do not change a bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from simulators.cpu.batch import Sum
from simulators.cpu.columns import Columns
from simulators.cpu.ir import INDEX, REAL, Code, Env, Value
from simulators.emit import Layout, elementwise
from simulators.moments import LANES
from simulators.program import Block, Instruction

# Columns of a panel: 512 of them on 64 lanes fill an eighth of a usual second-level cache.
PANEL = 512


@dataclass(frozen=True)
class Tile:
    """How many vectors of lanes and rows of a matrix are summed in registers at once."""

    vectors: int
    rows: int


# 24 sums of the 32 registers with 64 bytes, 12 of the 16 that shorter ones have.
TILES: Mapping[int, Tile] = {64: Tile(4, 6), 32: Tile(2, 6), 16: Tile(2, 6)}


def alone(instruction: Instruction) -> bool:
    """Whether an instruction has loops of its own."""
    return instruction.op in ("matvec", "dot", "batch", "count")


def _by_type(instructions: Sequence[Instruction]) -> Iterator[Sequence[Instruction]]:
    """Scalars first: no vector goes into one without a loop of its own."""
    for type_ in ("scalar", "vector"):
        if run := [i for i in instructions if i.type == type_]:
            yield run


@dataclass(frozen=True)
class Looped:
    """A block of instructions in the looped form, for vectors of so many bytes."""

    layout: Layout
    block: Block
    bytes: int

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where results that one pass leaves for another lie in the scratch memory."""
        places: dict[str, int] = {}
        total = 0
        for instruction in self.block.instructions:
            places[instruction.result] = total
            total += self.layout.D if instruction.type == "vector" else 1
        places["batch"] = total
        weights = [i.args[0] for i in self.block.instructions if i.op == "batch"]
        total += max((self._form(w).length(self.layout) for w in weights), default=0)
        return places | {"": total}

    def _form(self, weight: str) -> type[Columns | Sum]:
        """Gradients that are written out are summed as those of short rows are."""
        written = self.layout.program.weight(weight).results
        return Columns if self.layout.short or written else Sum

    @property
    def length(self) -> int:
        """How many numbers a lane has in the scratch memory."""
        return self.places[""]

    @property
    def native(self) -> int:
        """Lanes of the machine's vectors."""
        return self.bytes // (4 if self.layout.dtype == "float32" else 8)

    def write(self, code: Code) -> None:
        """One step, on noise from the buffer ``z``, with scratch memory ``s``."""
        passes, last = list(self.passes()), list[Instruction]()
        if passes and passes[-1][0].type == "vector" and not alone(passes[-1][0]):
            last = list(passes.pop())
        for run in passes:
            if run[0].op == "batch":
                self._batch(code, run[0])
            elif run[0].op == "matvec":
                self._product(code, run[0])
            elif run[0].op == "count":
                self._count(code, run[0])
            elif run[0].op == "dot":
                self._dot(code, run[0])
            else:
                self._elementwise(code, run)
        if last or self.block.outputs:
            self._elementwise(code, last, self.block.outputs)

    def passes(self) -> Iterator[Sequence[Instruction]]:
        """The instructions in groups that one loop carries out: elementwise ones of one type.

        They wait until others need them, so that few results leave their loop.
        """
        waiting: list[Instruction] = []
        for instruction in self.block.instructions:
            if not alone(instruction):
                waiting.append(instruction)
                continue
            needed = set(instruction.reads)
            for i in reversed(waiting):
                needed |= set(i.reads) if i.result in needed else set()
            yield from _by_type([i for i in waiting if i.result in needed])
            yield [instruction]
            waiting = [i for i in waiting if i.result not in needed]
        yield from _by_type(waiting)

    # -- operands -------------------------------------------------------------------------------

    def address(self, name: str) -> tuple[str, int] | None:
        """The array that holds a value for all lanes, and its first row; None for other values."""
        if name in self.places:
            return "%s", self.places[name]
        if name in self.layout.program.states:
            return "%x", self.layout.program.states.index(name) * self.layout.D
        noise = self.layout.noise(self.block)[0]
        return ("%z", noise[name]) if name in noise else None

    def is_vector(self, name: str) -> bool:
        """Whether a value has a number for each coordinate."""
        types = {i.result: i.type for i in self.block.instructions}
        if name.startswith("$"):
            return self.layout.program.constant(name).shape == "vector"
        return types.get(name, "vector" if self.address(name) else "scalar") == "vector"

    def _read(self, code: Code, name: str, coordinate: str, lane: str) -> Value:
        """A value at a coordinate, from a lane on."""
        found = self.address(name)
        if found is None:
            return self._number(code, name, coordinate)
        flat = str(found[1])
        if self.is_vector(name):
            flat = code.let(f"add i64 {coordinate}, {found[1]}")
        start = code.let(f"mul i64 {flat}, {LANES}")
        return code.load(code.at(found[0], code.let(f"add i64 {start}, {lane}")))

    def _number(self, code: Code, name: str, coordinate: str) -> Value:
        if name.startswith("$"):
            place = str(self.layout.constants[name])
            if self.is_vector(name):
                place = code.let(f"add i64 {coordinate}, {place}")
            return code.load_one(code.at("%c", place))
        count = len(self.layout.program.scheduled)
        row = code.let(f"mul i64 %row, {count}")
        number = self.layout.program.scheduled.index(name)
        return code.load_one(code.at("%u", code.let(f"add i64 {row}, {number}")))

    def _write(self, code: Code, array: str, row: str, lane: str, value: Value) -> None:
        start = code.let(f"mul i64 {row}, {LANES}")
        code.store(value, code.at(array, code.let(f"add i64 {start}, {lane}")))

    # -- passes ---------------------------------------------------------------------------------

    def _elementwise(
        self, code: Code, run: Sequence[Instruction], outputs: Sequence[tuple[str, str]] = ()
    ) -> None:  # fmt: skip
        """One loop. All new states are read before one is written: they may be each other's old ones."""
        made = {i.result for i in run}
        others = [i for i in self.block.instructions if i.result not in made]
        kept = made.intersection(*[{a for i in others for a in i.args}])
        if not outputs:
            kept |= made & {value for _, value in self.block.outputs}
        count = self.layout.D if outputs or run[0].type == "vector" else 1
        with code.loop("0", str(count)) as i, code.loop("0", str(LANES), code.lanes) as lane:
            known: Env = {}
            for instruction in run:
                env = {
                    a: known[a] if a in known else self._read(code, a, i, lane) for a in instruction.args
                }
                known[instruction.result] = code.expression(elementwise(instruction), env)
            values = [known[v] if v in known else self._read(code, v, i, lane) for _, v in outputs]
            places = [("%s", self.places[name], known[name]) for name in known if name in kept]
            for (state, _), value in zip(outputs, values, strict=True):
                places.append(("%x", self.layout.program.states.index(state) * self.layout.D, value))
            for array, row, value in places:
                self._write(code, array, code.let(f"add i64 {i}, {row}"), lane, value)

    def _dot(self, code: Code, instruction: Instruction) -> None:
        x, y = instruction.args
        with code.loop("0", str(LANES), code.lanes) as lane:
            first = code.binary("fmul", self._read(code, x, "0", lane), self._read(code, y, "0", lane))
            total: Env = {"total": code.spread(first)}
            with code.loop("1", str(self.layout.D), carried=total) as i:
                left, right = self._read(code, x, i, lane), self._read(code, y, i, lane)
                total["total"] = code.fma(left, right, total["total"])
            self._write(code, "%s", str(self.places[instruction.result]), lane, total["total"])

    def _count(self, code: Code, instruction: Instruction) -> None:
        """How often a minibatch has an example: its choices are where rows begin."""
        among, number = instruction.args
        assert self.layout.batches is not None
        drawn = code.at("%z", str(self.layout.noise(self.block)[0][among] * LANES))
        begin = Value(str(int(number) * self.layout.row_bytes), INDEX, True)
        one, zero = code.constant(1.0, REAL), code.spread(code.constant(0.0, REAL))
        with code.loop("0", str(LANES), code.lanes) as lane:
            total: Env = {"total": zero}
            with code.loop("0", str(self.layout.batches.size), carried=total) as s:
                place = code.let(f"add i64 {lane}, {code.let(f'mul i64 {s}, {LANES}')}")
                same = code.compare(("", "eq"), code.load(code.at(drawn, place, INDEX), INDEX), begin)
                total["total"] = code.binary("fadd", total["total"], code.select(same, one, zero))
            self._write(code, "%s", str(self.places[instruction.result]), lane, total["total"])

    def _batch(self, code: Code, instruction: Instruction) -> None:
        if not instruction.when:
            self._sum(code, instruction)
            return
        wanted = self._read(code, instruction.when, "0", "0")
        said = code.compare(("une", ""), wanted, code.constant(0.0, REAL))
        with code.loop("0", code.let(f"zext i1 {said.text} to i64")):
            self._sum(code, instruction)

    def _sum(self, code: Code, instruction: Instruction) -> None:
        weight, among, *point = instruction.args
        assert self.layout.batches is not None
        drawn = ""
        if among != "all":
            offset = self.layout.noise(self.block)[0][among]
            drawn = code.at("%z", str(offset * LANES))
        at, shared = "", False
        if point:
            found = self.address(point[0])
            shared = found is None
            array, row = found or ("%c", self.layout.constants[point[0]])
            at = code.at(array, str(row if shared else row * LANES))
        batches = self.layout.batches
        count = batches.size if drawn else batches.examples
        of = (self.layout, self.layout.program.weight(weight), count, drawn)
        scratch, result = (
            code.at("%s", str(self.places[name] * LANES)) for name in ("batch", instruction.result)
        )
        if self._form(weight) is Columns:
            Columns(*of, at, shared, self.native).write(code, scratch, result)
        else:
            Sum(*of, at, shared).write(code, scratch, result)

    def _diagonal(self, code: Code, instruction: Instruction) -> None:
        matrix, x, *before = instruction.args
        offset, D = self.layout.constants[matrix], self.layout.D
        with code.loop("0", str(D)) as i, code.loop("0", str(LANES), code.lanes) as lane:
            place = code.let(f"add i64 {code.let(f'mul i64 {i}, {D + 1}')}, {offset}")
            entry, value = code.load_one(code.at("%c", place)), self._read(code, x, i, lane)
            if before:
                result = code.fma(entry, value, self._read(code, before[0], i, lane))
            else:
                result = code.binary("fmul", entry, value)
            row = code.let(f"add i64 {i}, {self.places[instruction.result]}")
            self._write(code, "%s", row, lane, result)

    def _product(self, code: Code, instruction: Instruction) -> None:
        """Panels of columns, then tiles of lanes and rows; columns that are zero are left out."""
        kind, _, count = self.layout.pattern(instruction.args[0]).partition(":")
        if kind == "diagonal":
            self._diagonal(code, instruction)
            return
        D, tile = self.layout.D, TILES[self.bytes]
        wide = Code(
            code.dtype, min(LANES, tile.vectors * self.native), code.functions, code.lines, code.count
        )
        used = int(count or D)
        for begin in range(0, used, PANEL):
            end = min(begin + PANEL, used)
            whole = D - D % tile.rows
            for rows, first, last in ((tile.rows, 0, whole), (1, whole, D)):
                if first < last:
                    with (
                        wide.loop("0", str(LANES), wide.lanes) as lane,
                        wide.loop(str(first), str(last), rows) as i,
                    ):
                        self._tile(wide, instruction, lane, i, rows, (begin, end))
        code.count = wide.count

    def _tile(
        self, code: Code, instruction: Instruction, lane: str, i: str, rows: int, panel: tuple[int, int]
    ) -> None:  # fmt: skip
        matrix, x, *before = instruction.args
        offset, D = self.layout.constants[matrix], self.layout.D
        places = [i] + [code.let(f"add i64 {i}, {r}") for r in range(1, rows)]
        starts = [code.let(f"add i64 {code.let(f'mul i64 {p}, {D}')}, {offset}") for p in places]
        begin, end = panel
        if begin:
            known = [self._read(code, instruction.result, p, lane) for p in places]
        elif before:
            known = [self._read(code, before[0], p, lane) for p in places]
        else:
            left, begin = self._read(code, x, "0", lane), 1
            known = [code.binary("fmul", code.load_one(code.at("%c", s)), left) for s in starts]
        totals: Env = {f"t{r}": code.spread(v) for r, v in enumerate(known)}
        last = str(end)
        if self.layout.pattern(matrix) == "lower":
            reach = code.let(f"add i64 {i}, {rows}")
            shorter = code.let(f"icmp slt i64 {reach}, {end}")
            last = code.let(f"select i1 {shorter}, i64 {reach}, i64 {end}")
        with code.loop(str(begin), last, carried=totals) as j:
            column = self._read(code, x, j, lane)
            for r, start in enumerate(starts):
                entry = code.load_one(code.at("%c", code.let(f"add i64 {start}, {j}")))
                totals[f"t{r}"] = code.fma(entry, column, totals[f"t{r}"])
        place = self.places[instruction.result]
        for r, p in enumerate(places):
            self._write(code, "%s", code.let(f"add i64 {p}, {place}"), lane, totals[f"t{r}"])
