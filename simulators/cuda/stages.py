"""A block of a program cut into stages: products, inner products, minibatches, and maps between them.

A *map* carries out all operations on one coordinate; only what another stage reads leaves it.

For a matrix of chains, a row for each number and a column for each chain, a product with a constant
matrix is a library's, and a map is one generated kernel. A product that is added to something becomes
a product and a sum: its terms are added in an order of the library's own. For one chain in a
thread's loops the stages are *ordered*: such a product begins with what it is added to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sgtheory.errors import UnusableInput
from simulators.emit import OPERATIONS, Layout, elementwise
from simulators.program import Block, Instruction
from simulators.tree import written


@dataclass(frozen=True)
class Product:
    """``result = before + matrix @ operand``: the product with a constant matrix."""

    result: str
    matrix: str
    operand: str
    before: str = ""  # what it is added to


@dataclass(frozen=True)
class Inner:
    """``result = sum over coordinates of left * right``, a number for each chain."""

    result: str
    left: str
    right: str


@dataclass(frozen=True)
class Map:
    """Operations entry by entry. ``reads`` and ``writes`` are arrays, in the kernel's order."""

    kernel: str
    instructions: tuple[Instruction, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    outputs: tuple[tuple[str, str], ...]  # (state, its new value)

    @property
    def tall(self) -> bool:
        """Whether it has a thread for every entry, and not only one for every chain."""
        return bool(self.outputs) or any(i.type == "vector" for i in self.instructions)


@dataclass(frozen=True)
class Batch:
    """A sum over a minibatch."""

    instruction: Instruction

    @property
    def result(self) -> str:
        """The value that it makes."""
        return self.instruction.result

    @property
    def point(self) -> tuple[str, ...]:
        """The point that it reads, if it reads one."""
        return self.instruction.args[2:]


Stage = Product | Inner | Batch | Map


@dataclass(frozen=True)
class Staged:
    """A block's stages, and which of its values live in arrays (those of scalars have one row)."""

    stages: tuple[Stage, ...]
    arrays: tuple[tuple[str, str], ...]  # name, "vector" or "scalar"


def staged(block: Block, layout: Layout, prefix: str, ordered: bool = False) -> Staged:
    """The stages of a block; its maps are called ``prefix0``, ``prefix1``, ..."""
    return _Cutter(block, layout, prefix, ordered).cut()


@dataclass
class _Cutter:
    block: Block
    layout: Layout
    prefix: str
    ordered: bool
    stages: list[Stage] = field(default_factory=list)
    pending: list[Instruction] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)

    def cut(self) -> Staged:
        for instruction in self.block.instructions:
            self.take(instruction)
        self.flush(self.block.outputs)
        stages = self.only_what_is_read()
        arrays = [s.result for s in stages if not isinstance(s, Map)]
        arrays += [w for s in stages if isinstance(s, Map) for w in s.writes]
        return Staged(stages, tuple((name, self.types[name]) for name in arrays))

    def take(self, instruction: Instruction) -> None:
        result, op, args = instruction.result, instruction.op, instruction.args
        self.types[result] = instruction.type
        if op == "matvec":
            self.need(*args[1:] if self.ordered else args[1:2])
            if self.ordered:
                self.stages.append(Product(result, *args))
                return
            name = f"{result}p" if len(args) == 3 else result
            self.types[name] = "vector"
            self.stages.append(Product(name, args[0], args[1]))
            if len(args) == 3:
                self.pending.append(Instruction(result, "add", (name, args[2]), "vector"))
        elif op == "dot":
            self.need(*args)
            self.stages.append(Inner(result, *args))
        elif op in ("batch", "count") and self.ordered:
            self.need(*args[2:])
            self.stages.append(Batch(instruction))
        elif op in OPERATIONS:
            self.pending.append(instruction)
        else:
            raise UnusableInput(
                f"operations among {', '.join(sorted({*OPERATIONS, 'matvec', 'dot'}))}",
                f"{op} in {self.layout.D} dimensions",
                "lower the dimension, or use the processor",
            )

    def need(self, *names: str) -> None:
        """Have values in arrays before they are read as a whole."""
        if any(i.result in names for i in self.pending):
            self.flush(())

    def flush(self, outputs: tuple[tuple[str, str], ...]) -> None:
        """A map of all that is pending. It writes every result: what nobody reads is dropped later."""
        made = {i.result for i in self.pending}
        used = [a for i in self.pending for a in i.args] + [value for _, value in outputs]
        reads = tuple(dict.fromkeys(n for n in used if n not in made and self.in_array(n)))
        kernel = f"{self.prefix}{sum(isinstance(s, Map) for s in self.stages)}"
        writes = tuple(i.result for i in self.pending)
        self.stages.append(Map(kernel, tuple(self.pending), reads, writes, outputs))
        self.pending = []

    def in_array(self, name: str) -> bool:
        drawn = any(d.name == name for d in self.block.draws)
        return name in self.types or name in self.layout.program.states or drawn

    def only_what_is_read(self) -> tuple[Stage, ...]:
        """The stages, whose maps write only what a later stage reads."""
        kept: list[Stage] = []
        wanted: set[str] = set()
        for stage in reversed(self.stages):
            if isinstance(stage, Map):
                writes = tuple(w for w in stage.writes if w in wanted)
                stage = Map(stage.kernel, stage.instructions, stage.reads, writes, stage.outputs)
                wanted.update(stage.reads)
            elif isinstance(stage, Product):
                wanted.update((stage.operand, stage.before))
            elif isinstance(stage, Batch):
                wanted.update(stage.point)
            else:
                wanted.update((stage.left, stage.right))
            kept.append(stage)
        return tuple(reversed(kept))


def kernels(staged: Staged, layout: Layout) -> Iterator[str]:
    """The text of the maps."""
    types = dict(staged.arrays)
    for stage in staged.stages:
        if isinstance(stage, Map):
            yield _kernel(stage, layout, types)


def _kernel(stage: Map, layout: Layout, types: dict[str, str]) -> str:
    """A map: ``n`` chains lie side by side, and thread ``t`` has entry ``t``."""
    program = layout.program
    local = {name: f"a{k}" for k, name in enumerate(stage.reads)}
    local |= {i.result: f"r{i.result[1:]}" for i in stage.instructions}

    def operand(name: str) -> str:
        if name in local:
            return local[name]
        if name.startswith("$"):
            offset = layout.constants[name]
            vector = program.constant(name).shape == "vector"
            return f"c[{offset} + t / n]" if vector else f"c[{offset}]"
        return f"u[{program.scheduled.index(name)}]"

    def place(name: str) -> str:
        return "t % n" if types.get(name) == "scalar" else "t"

    states = [state for state, _ in stage.outputs]
    pointers = [f"const real *i{k}" for k in range(len(stage.reads))]
    pointers += [f"real *o{k}" for k in range(len(stage.writes) + len(states))]
    parameters = ", ".join(["const real *c", "const real *u", *pointers, "i64 n", "i64 threads"])
    lines = [f"real a{k} = i{k}[{place(name)}];" for k, name in enumerate(stage.reads)]
    lines += [
        f"real {local[i.result]} = {written(elementwise(i, operand))};" for i in stage.instructions
    ]
    values = [operand(name) for name in (*stage.writes, *(value for _, value in stage.outputs))]
    lines += [f"o{k}[{place(n)}] = {v};" for k, (n, v) in enumerate(_zip(stage, states, values))]
    return "\n".join(
        [
            f'\nextern "C" __global__ void {stage.kernel}({parameters}) {{',
            "  i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x;",
            "  if (t >= threads) return;",
            *(f"  {line}" for line in lines),
            "}\n",
        ]
    )


def _zip(stage: Map, states: Sequence[str], values: Sequence[str]) -> Iterator[tuple[str, str]]:
    return zip((*stage.writes, *states), values, strict=True)
