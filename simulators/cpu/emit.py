"""LLVM modules for the processor: one for each program, dimension, type and width of vectors.

A block of 64 chains advances together; its state is a flat array in which the 64 lanes lie
innermost. Small programs are *unrolled*: the lanes of a vector go through all steps with their
state in registers, and random numbers are made where they are used. Large ones are *looped*
(``simulators.cpu.loops``): each instruction passes over the block's lanes in the cache.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from simulators import philox
from simulators.cpu import batch, draws, frame, record
from simulators.cpu.ir import WIDE, Code, Env, Value
from simulators.cpu.loops import Looped
from simulators.cpu.sums import sums
from simulators.emit import Layout, Names, calls, place, unrolled
from simulators.moments import LANES
from simulators.program import Block, Draw
from simulators.transforms import FLOAT32, FLOAT64, functions


@dataclass(frozen=True)
class Target:
    """What the text depends on besides the program: the length of the machine's vectors."""

    bytes: int = 64

    def native(self, dtype: str) -> int:
        """Lanes of one vector."""
        return self.bytes // (4 if dtype == "float32" else 8)

    def pair(self, layout: Layout) -> int:
        """Lanes of random numbers that are made side by side: two vectors where registers suffice."""
        return self.native(layout.dtype) * (2 if self.bytes == 64 else 1)

    def lanes(self, layout: Layout) -> int:
        """Lanes that an unrolled program carries at once: more where its state is small."""
        several = 4 if layout.size == 1 else 2 if layout.size <= 4 else 1
        return min(LANES, self.native(layout.dtype) * several)


@dataclass(frozen=True)
class Emitter:
    """The text of a module."""

    layout: Layout
    target: Target
    recorded: bool = False  # whether the state after each step is kept

    @property
    def lanes(self) -> int:
        """Lanes of a vector in the unrolled form."""
        return self.target.lanes(self.layout)

    @cached_property
    def work(self) -> int:
        """Bytes of scratch memory that ``run`` and ``begin`` need."""
        blocks = (self.layout.program.body, self.layout.program.start)
        size = 4 if self.layout.dtype == "float32" else 8
        return LANES * size * max(self.layout.noise(b)[1] + self._scratch(b) for b in blocks)

    def _scratch(self, block: Block) -> int:
        return 0 if self.layout.unrolled else Looped(self.layout, block, self.target.bytes).length

    @property
    def signatures(self) -> tuple[tuple[str, tuple[Any, ...]], ...]:
        """The functions that Python calls: so many arrays, then so many whole numbers."""
        counts = {"run": (5, 5), "sums": (4, 4)}
        if self.recorded:
            counts |= {f"accumulate{k}": (5, 7) for k in record.ORDERS}
        if self.layout.program.start.outputs:
            counts["begin"] = (3, 3)
        blocks = (self.layout.program.body, self.layout.program.start)
        counts |= {f"fill{p}": (1, 3) for block in blocks for p in block.purposes}
        counts |= {f"pick{d.slot}": (1, 3) for d in self.layout.program.body.batches}
        return tuple(
            (name, (ctypes.c_void_p,) * arrays + (ctypes.c_int64,) * numbers)
            for name, (arrays, numbers) in counts.items()
        )

    def code(self, lanes: int | None = None) -> Code:
        """An empty function."""
        single = self.layout.dtype == "float32"
        made = functions(FLOAT32 if single else FLOAT64)
        return Code(self.layout.dtype, lanes or self.lanes, {f.name: f for f in made})

    def text(self) -> str:
        """The whole module."""
        layout, body, start = self.layout, self.layout.program.body, self.layout.program.start
        parts = [
            f"; {layout.program.sampler} on {layout.program.model} in {layout.D} dimensions, "
            f"{layout.dtype}. Generated: do not edit.\n"
        ]
        parts += [self.fill(block, p) for block in (body, start) for p in block.purposes]
        parts += [self.pick(draw) for draw in body.batches]
        parts.append(self.step("step", body))
        if layout.unrolled:
            parts.append(self.groups())
        parts += [frame.run(layout, self.recorded), sums(layout)]
        if self.recorded:
            parts.append(self.keep())
            parts += [record.accumulate(layout, k) for k in record.ORDERS]
        if start.outputs:
            parts += [self.step("first", start), frame.begin(layout)]
        parts.append(frame.attributes(self.target.bytes))
        return "\n".join(parts)

    def function(self, code: Code, name: str, parameters: str, public: bool = False) -> str:
        """The definition around a function's lines."""
        linkage = "" if public else "internal "
        lines = "\n".join(["entry:", *code.lines, "  ret void"])
        return f"define {linkage}void @{name}({parameters}) #0 {{\n{lines}\n}}\n"

    def fill(self, block: Block, purpose: int) -> str:
        """A step's normals of a purpose, into a buffer for all lanes of a block of chains."""
        code = self.code(self.target.pair(self.layout))
        draws.fill(code, purpose, block.normals(purpose) * self.layout.D)
        parameters = "ptr noalias nocapture %z, i64 %base, i64 %seed, i64 %now"
        return self.function(code, f"fill{purpose}", parameters, public=True)

    def pick(self, draw: Draw) -> str:
        """A step's minibatches for all lanes of a block of chains."""
        code = self.code(self.target.pair(self.layout))
        assert self.layout.batches is not None
        batch.pick(code, draw, self.layout.batches, self.layout.row_bytes)
        parameters = "ptr noalias nocapture %z, i64 %base, i64 %seed, i64 %now"
        return self.function(code, f"pick{draw.slot}", parameters, public=True)

    # -- steps --------------------------------------------------------------------------------

    def step(self, name: str, block: Block) -> str:
        """One step on noise from the buffer ``z``: for what does not fill a group."""
        layout, code = self.layout, self.code()
        parameters = f"{frame.STATE}, ptr noalias %u, ptr noalias %z, ptr noalias %s, i64 %row"
        if not layout.unrolled:
            Looped(layout, block, self.target.bytes).write(code)
            return self.function(code, name, parameters)
        noise, _ = layout.noise(block)
        states = layout.program.states
        names = Names(
            state=lambda s, i: f"x{states.index(s)}_{i}",
            draw=lambda d, i: f"z{noise[d] + i}",
            constant=lambda k: f"c{k}",
            scheduled=lambda n: f"u{layout.program.scheduled.index(n)}",
        )
        with code.loop("0", str(LANES), code.lanes) as lane:
            env = _Lazy(self._load(code, lane), self._reader(code, lane))
            for target, tree in unrolled(block, layout, names):
                env[target] = code.expression(tree, env)
            for state, _ in block.outputs:
                k = states.index(state)
                for i in range(layout.D):
                    place_ = code.let(f"add i64 {lane}, {(k * layout.D + i) * LANES}")
                    code.store(env[f"n{k}_{i}"], code.at("%x", place_))
        return self.function(code, name, parameters)

    def _reader(self, code: Code, lane: str) -> Callable[[str], Value]:
        def read(name: str) -> Value:
            kind, number = name[0], int(name[1:])
            if kind == "c":
                return code.load_one(code.at("%c", str(number)))
            if kind == "u":
                count = len(self.layout.program.scheduled)
                row = code.let(f"mul i64 %row, {count}")
                return code.load_one(code.at("%u", code.let(f"add i64 {row}, {number}")))
            return code.load(code.at("%z", code.let(f"add i64 {lane}, {number * LANES}")))

        return read

    def _load(self, code: Code, lane: str) -> Env:
        env: Env = {}
        for k in range(len(self.layout.program.states)):
            for i in range(self.layout.D):
                index = code.let(f"add i64 {lane}, {(k * self.layout.D + i) * LANES}")
                env[f"x{k}_{i}"] = code.load(code.at("%x", index))
        return env

    def groups(self) -> str:
        """Fused steps, as many as use whole generator calls; states stay in registers."""
        layout, code = self.layout, self.code()
        with code.loop("0", str(LANES), code.lanes) as lane:
            chain = draws.chains(code, "%base", lane)
            states = self._load(code, lane)
            second = {
                (p, block): draws.second(code, block, chain, p)
                for s in range(layout.fused)
                for p, _, block in calls(layout, s)
            }
            end = code.let("add i64 %group, %count")
            with code.loop("%group", end, carried=states) as group:
                source = _Source(layout, code, group, chain, second)
                for s in range(layout.fused):
                    states.update(self._fused_step(code, source, dict(states), s))
                    if self.recorded:
                        self._keep(code, states, group, s, lane)
            for k in range(len(layout.program.states)):
                for i in range(layout.D):
                    index = code.let(f"add i64 {lane}, {(k * layout.D + i) * LANES}")
                    code.store(states[f"x{k}_{i}"], code.at("%x", index))
        return self.function(code, "groups", frame.groups_parameters(layout))

    def keep(self) -> str:
        """A copy of the states of a block."""
        code = self.code()
        with code.loop("0", str(self.layout.size * LANES), code.lanes) as place_:
            code.store(code.load(code.at("%x", place_)), code.at("%to", place_))
        return self.function(code, "keep", "ptr noalias nocapture %to, ptr noalias nocapture %x")

    def _keep(self, code: Code, states: Env, group: str, s: int, lane: str) -> None:
        """Store the state after a step of a group among those that are kept."""
        layout = self.layout
        before = code.let(f"mul i64 {code.let(f'sub i64 {group}, %group')}, {layout.fused}")
        row = code.let(f"add i64 {code.let(f'add i64 {before}, {s}')}, %row")
        start = code.let(f"add i64 {code.let(f'mul i64 {row}, {layout.size * LANES}')}, {lane}")
        for k in range(len(layout.program.states)):
            for i in range(layout.D):
                place = code.let(f"add i64 {start}, {(k * layout.D + i) * LANES}")
                code.store(states[f"x{k}_{i}"], code.at("%h", place))

    def _fused_step(self, code: Code, source: _Source, states: Env, s: int) -> Env:
        layout = self.layout
        program = layout.program
        named = {d.name: d for d in program.body.draws}
        names = Names(
            state=lambda name, i: f"x{program.states.index(name)}_{i}",
            draw=lambda name, i: place(layout, named[name], i, s),
            constant=lambda k: f"c{k}",
            scheduled=lambda n: f"u{program.scheduled.index(n)}_{s}",
        )
        env = _Lazy(states, partial(source.read, s))
        for target, tree in unrolled(program.body, layout, names):
            env[target] = code.expression(tree, env)
        written = [program.states.index(state) for state, _ in program.body.outputs]
        return {f"x{k}_{i}": env[f"n{k}_{i}"] for k in written for i in range(layout.D)}


class _Lazy(dict[str, Value]):
    """Values by name; what is not there yet is read or drawn when it is first asked for."""

    def __init__(self, values: Env, read: Callable[[str], Value]) -> None:
        super().__init__(values)
        self._read = read

    def __missing__(self, name: str) -> Value:
        found = self._read(name)
        if not name.startswith("c"):  # constants are cheaper to load again than to keep
            self[name] = found
        return found


@dataclass(frozen=True)
class _Source:
    """What a fused group reads: constants, scheduled values, and draws, made when first needed."""

    layout: Layout
    code: Code
    group: str
    chain: Value
    second: dict[tuple[int, int], Value]
    drawn: dict[str, Value] = field(default_factory=dict)

    def read(self, s: int, name: str) -> Value:
        """The value of a name in a step of the group."""
        if name.startswith("c"):
            return self.code.load_one(self.code.at(f"%c{s}", name[1:]))
        if name.startswith("u"):
            return self._scheduled(name)
        if name not in self.drawn:
            self.drawn.update(self._draw(name))
        return self.drawn[name]

    def _scheduled(self, name: str) -> Value:
        layout, code = self.layout, self.code
        number, s = (int(k) for k in name[1:].split("_"))
        done = code.let(f"sub i64 {self.group}, %group")
        steps = code.let(f"mul i64 {done}, {layout.fused}")
        row = code.let(f"add i64 {code.let(f'add i64 {steps}, {s}')}, %row")
        first = code.let(f"mul i64 {row}, {len(layout.program.scheduled)}")
        return code.load_one(code.at("%u", code.let(f"add i64 {first}, {number}")))

    def _draw(self, name: str) -> dict[str, Value]:
        layout, code = self.layout, self.code
        purpose, repeat, number = (int(k) for k in name[1:].split("_"))
        width = philox.width(layout.dtype, purpose)
        block = number // width
        repeats = layout.fused // layout.group(purpose)
        group = code.let(f"mul i64 {self.group}, {repeats}")
        low, high = draws.counter(code, code.let(f"add i64 {group}, {repeat}"))
        counter = (code.constant(block, WIDE), low, high, self.chain)
        words = draws.words(code, counter, purpose, self.second[purpose, block])
        made = draws.numbers(code, words, purpose)
        return {f"z{purpose}_{repeat}_{block * width + k}": z for k, z in enumerate(made)}
