"""Minibatches on the processor: which examples are drawn, and the sum of their gradients.

Examples are drawn with lanes as chains. Where rows are long (``simulators.cpu.columns`` has the short
ones), gradients are made chain by chain with lanes as coordinates, so that a row of the data is read as
it lies: for a group of rows the products with the point are folded into one vector of margins, the
weights follow for all of them at once, and each row is added with its weight. Even and odd rows have a
sum each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from simulators.cpu import draws
from simulators.cpu.columns import weigh
from simulators.cpu.ir import BOOL, INDEX, REAL, WIDE, Code, Env, Value
from simulators.emit import Layout
from simulators.moments import LANES
from simulators.program import MINIBATCH, Batches, Draw, Weight


def pick(code: Code, draw: Draw, batches: Batches, row_bytes: int) -> None:
    """The examples of the step ``now``: where their rows begin, a row of ``z`` for each."""
    whole, left = divmod(batches.size, 4)
    choice = _Choice(draw, batches, row_bytes)
    if whole:
        with code.loop("0", str(whole)) as four:
            choice.made(code, four, 4)
    if left:
        choice.made(code, str(whole), left)


@dataclass(frozen=True)
class _Choice:
    """How examples are drawn."""

    draw: Draw
    batches: Batches
    row_bytes: int

    def made(self, code: Code, four: str, count: int) -> None:
        """Four examples in all lanes, or fewer at the end: those that a generator call makes."""
        group, size = draws.counter(code, "%now"), self.batches.size
        block = code.let(f"add i64 {four}, {self.draw.slot * -(-size // 4)}")
        first = code.let(f"mul i64 {four}, 4")
        with code.loop("0", str(LANES), code.lanes) as lane:
            chain = draws.chains(code, "%base", lane)
            words = draws.words(code, (Value(block, WIDE, True), *group, chain), MINIBATCH)
            for k in range(count):
                s = code.let(f"add i64 {first}, {k}")
                begin = self._begin(code, words[k], s, lane)
                place = code.let(f"add i64 {lane}, {code.let(f'mul i64 {s}, {LANES}')}")
                code.store(begin, code.at("%z", place, INDEX))

    def _begin(self, code: Code, word: Value, s: str, lane: str) -> Value:
        """Where the row of choice number ``s`` begins."""
        N, size = self.batches.examples, self.batches.size
        among, last = code.constant(N, WIDE), code.let(f"add i64 {s}, {N - size}")
        if self.draw.law != "with replacement":
            if size == N:
                return self._times(code, code.spread(self._index(code, s)))
            among = Value(code.let(f"add i64 {last}, 1"), WIDE, True)
        low = code.binary("and", code.spread(word), code.constant(0xFFFFFFFF, WIDE))
        begin = self._times(code, code.halves(code.binary("mul", low, among), 1))
        if self.draw.law == "with replacement":
            return begin
        taken = self._taken(code, begin, s, lane)
        return code.select(taken, self._times(code, self._index(code, last)), begin)

    def _index(self, code: Code, number: str) -> Value:
        return Value(code.let(f"trunc i64 {number} to i32"), INDEX, True)

    def _times(self, code: Code, chosen: Value) -> Value:
        return code.binary("mul", chosen, Value(str(self.row_bytes), INDEX, True))

    def _taken(self, code: Code, begin: Value, s: str, lane: str) -> Value:
        """Whether a row was chosen before."""
        taken: Env = {"taken": code.spread(Value("false", BOOL, True))}
        with code.loop("0", s, carried=taken) as k:
            flat = code.let(f"add i64 {lane}, {code.let(f'mul i64 {k}, {LANES}')}")
            same = code.compare(("", "eq"), code.load(code.at("%z", flat, INDEX), INDEX), begin)
            taken["taken"] = code.binary("or", taken["taken"], same)
        return taken["taken"]


@dataclass(frozen=True)
class Sum:
    """The pass that sums weights times covariates over minibatches, or over all examples."""

    layout: Layout
    weight: Weight
    count: int  # rows of a minibatch
    drawn: str  # address of the choices; "" where these are all examples, in their order
    point: str  # address of the points: of 64 lanes, or of one that all chains share; "" for none
    shared: bool = False
    lanes: int = 16  # coordinates that a vector holds, and rows whose margins are folded into one

    @classmethod
    def length(cls, layout: Layout) -> int:
        """Rows of 64 numbers in scratch memory: points and two sums by chain, and a few weights."""
        return 3 * layout.padded + 1

    def write(self, outer: Code, scratch: str, result: str) -> None:
        """For every chain of a block, with scratch memory; both are addresses."""
        P, code = self.layout.padded, replace(outer, lanes=self.lanes)
        points, even, odd, weights = (code.at(scratch, str(k * P * LANES)) for k in range(4))
        if self.point and not self.shared:
            self._turn(code, self.point, points, inward=True)
        with code.loop("0", str(LANES)) as chain:
            start = code.let(f"mul i64 {chain}, {P}")
            point = self.point if self.shared else code.at(points, start)
            sums = code.at(even, start), code.at(odd, start)
            self._chain(code, chain, point, sums, weights)
        self._turn(code, result, even, inward=False)
        outer.count = code.count

    def _turn(self, code: Code, lanes: str, chains: str, inward: bool) -> None:
        """Numbers of 64 lanes for each coordinate, as rows for each chain; or back."""
        whole = self.layout.D - self.layout.D % self.lanes
        if whole:
            with code.loop("0", str(whole), self.lanes) as begin:
                self._square(code, lanes, chains, begin, self.lanes, inward)
        if whole < self.layout.D:
            self._square(code, lanes, chains, str(whole), self.layout.D - whole, inward)

    def _square(
        self, code: Code, lanes: str, chains: str, begin: str, count: int, inward: bool
    ) -> None:  # fmt: skip
        """Some coordinates of all chains: squares of numbers, transposed in registers."""
        with code.loop("0", str(LANES), self.lanes) as chain:
            across, along = [], []
            for k in range(self.lanes):
                i, c = code.let(f"add i64 {begin}, {k}"), code.let(f"add i64 {chain}, {k}")
                place = code.let(f"add i64 {code.let(f'mul i64 {i}, {LANES}')}, {chain}")
                across.append(code.at(lanes, place))
                place = code.let(f"add i64 {code.let(f'mul i64 {c}, {self.layout.padded}')}, {begin}")
                along.append(code.at(chains, place))
            zero = code.spread(code.constant(0.0, REAL))
            if inward:
                found = [code.load(a) if k < count else zero for k, a in enumerate(across)]
                for value, place in zip(self._transposed(code, found), along, strict=True):
                    code.store(value, place)
            else:
                turned = self._transposed(code, [code.load(a) for a in along])
                for value, place in zip(turned[:count], across, strict=False):
                    code.store(value, place)

    def _transposed(self, code: Code, rows: list[Value]) -> list[Value]:
        """Rows as columns: halves are exchanged, then quarters, and so on."""
        half = self.lanes // 2
        while half:
            turned = list(rows)
            for k in (k for k in range(self.lanes) if not k & half):
                a, b = rows[k], rows[k + half]
                first = [n if not n & half else self.lanes + n - half for n in range(self.lanes)]
                second = [n + half if not n & half else self.lanes + n for n in range(self.lanes)]
                turned[k], turned[k + half] = code.shuffle(a, b, first), code.shuffle(a, b, second)
            rows, half = turned, half // 2
        return rows

    def _chain(self, code: Code, chain: str, point: str, sums: tuple[str, str], weights: str) -> None:
        """All groups of rows."""
        zero = code.spread(code.constant(0.0, REAL))
        with code.loop("0", str(self.layout.padded), self.lanes) as chunk:
            for total in sums:
                code.store(zero, code.at(total, chunk))
        whole = self.count - self.count % self.lanes
        if whole:
            with code.loop("0", str(whole), self.lanes) as first:
                self._group(code, chain, first, self.lanes, point, sums, weights)
        if self.count > whole:
            self._group(code, chain, str(whole), self.count - whole, point, sums, weights)
        with code.loop("0", str(self.layout.padded), self.lanes) as chunk:
            both = [code.load(code.at(total, chunk)) for total in sums]
            code.store(code.binary("fadd", *both), code.at(sums[0], chunk))

    def _group(
        self, code: Code, chain: str, first: str, count: int, point: str,
        sums: tuple[str, str], weights: str,
    ) -> None:  # fmt: skip
        """A few rows: their margins, their weights, and what they add."""
        rows = [self._row(code, chain, first, k) for k in range(count)]
        weight = self._weights(code, rows, point)
        if not weight.uniform:
            code.store(weight, weights)
        each = [
            weight if weight.uniform else code.load_one(code.at(weights, str(k))) for k in range(count)
        ]
        with code.loop("0", str(self.layout.padded), self.lanes) as chunk:
            places = [code.at(total, chunk) for total in sums]
            found = [code.load(place) for place in places]
            for k, row in enumerate(rows):
                entry = code.load(code.at(row, chunk))
                if self.weight.power == 2:
                    entry = code.binary("fmul", entry, entry)
                found[k % 2] = code.fma(each[k], entry, found[k % 2])
            for place, total in zip(places, found, strict=True):
                code.store(total, place)

    def _row(self, code: Code, chain: str, first: str, k: int) -> str:
        """The address of an example's row."""
        offset = self.layout.constants[self.weight.covariates]
        number = code.let(f"add i64 {first}, {k}")
        if not self.drawn:
            place = code.let(f"mul i64 {number}, {self.layout.padded}")
            return code.at("%c", code.let(f"add i64 {place}, {offset}"))
        place = code.let(f"add i64 {code.let(f'mul i64 {number}, {LANES}')}, {chain}")
        begin = code.load_one(code.at(self.drawn, place, INDEX), INDEX)
        base = code.at("%c", str(offset))
        return code.let(f"getelementptr i8, ptr {base}, i64 {code.let(f'zext i32 {begin.text} to i64')}")

    def _weights(self, code: Code, rows: list[str], point: str) -> Value:
        env: dict[str, Value] = {}
        if self.weight.sees_margin:
            env["m"] = self._margins(code, rows, point)
        for name in self.weight.numbers:
            vector = "poison"
            for k, row in enumerate(rows):
                one = code.load_one(code.at(row, str(self.layout.behind(name)))).text
                inserted = f"insertelement {code.vector(REAL)} {vector}, {code.real} {one}, i32 {k}"
                vector = code.let(inserted)
            env[name] = Value(vector, REAL)
        at = self.layout.constants
        return weigh(code, self.weight, env, lambda n: code.load_one(code.at("%c", str(at[n]))))[0]

    def _margins(self, code: Code, rows: list[str], point: str) -> Value:
        """Products of rows with the point, each summed over its coordinates by halves."""
        zero = code.spread(code.constant(0.0, REAL))
        partial: Env = {str(k): zero for k in range(len(rows))}
        with code.loop("0", str(self.layout.padded), self.lanes, carried=partial) as chunk:
            x = code.load(code.at(point, chunk))
            for k, row in enumerate(rows):
                partial[str(k)] = code.fma(x, code.load(code.at(row, chunk)), partial[str(k)])
        products = [*partial.values(), *[zero] * (self.lanes - len(rows))]
        half = self.lanes // 2
        while half:
            products = [self._fold(code, products[k], products[k + half], half) for k in range(half)]
            half //= 2
        return products[0]

    def _fold(self, code: Code, a: Value, b: Value, half: int) -> Value:
        """Both vectors at half their length, one beside the other, each the sum of its halves."""
        first = [lane % (2 * half) < half for lane in range(self.lanes)]
        kept = [lane if f else self.lanes + lane for lane, f in enumerate(first)]
        moved = [lane + half if f else self.lanes + lane - half for lane, f in enumerate(first)]
        return code.binary("fadd", code.shuffle(a, b, kept), code.shuffle(a, b, moved))
