"""From vectors to numbers: a block's instructions as assignments of trees, for either language.

Two forms. *Unrolled*: every coordinate is a local variable, which is what makes small dimensions
fast. *Looped*: coordinates are run through by loops, which bounds the source for large ones. Both
carry out the same operations in the same order for every number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from simulators import philox
from simulators.program import Batches, Block, Draw, Instruction, Program
from simulators.tree import Node, absolute, fma, function, root, variable

# More assignments than this in one fused group of steps, and the looped form is used.
UNROLLED_LIMIT = 1200

# An instruction on numbers as a tree of its operands.
OPERATIONS: Mapping[str, Callable[..., Node]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "fma": fma,
    "neg": operator.neg,
    "sqrt": root,
    "exp": function("exponential"),
    "log": function("logarithm"),
    "logistic": function("logistic"),
    "abs": absolute,
    "broadcast": lambda number: number,
    "less": function("less"),
    "lessequal": function("lessequal"),
    "select": function("choose"),
}


def elementwise(instruction: Instruction, called: Callable[[str], str] = str) -> Node:
    """An instruction on numbers as a tree of its operands, as the target calls them."""
    return OPERATIONS[instruction.op](*(variable(called(a)) for a in instruction.args))


@dataclass(frozen=True)
class Layout:
    """Where everything of a program lies when the dimension and the type are known."""

    program: Program
    D: int
    dtype: str
    batches: Batches | None = None
    patterns: tuple[tuple[str, str], ...] = ()  # where matrices are zero: simulators.bind.pattern

    @classmethod
    def of(cls, bound: Any) -> Layout:
        """The layout of a program that is bound."""
        return cls(bound.program, bound.D, bound.dtype.name, bound.batches, bound.patterns)

    def pattern(self, matrix: str) -> str:
        """Where a matrix is zero."""
        return dict(self.patterns).get(matrix, "full")

    def columns(self, matrix: str, i: int) -> range:
        """The columns in which a row of a matrix may differ from zero; at least one."""
        kind, _, count = self.pattern(matrix).partition(":")
        return {
            "full": range(self.D), "lower": range(i + 1), "diagonal": range(i, i + 1),
            "columns": range(int(count or 1)),
        }[kind]  # fmt: skip

    def entries(self, matrix: str) -> int:
        """How many entries of a matrix may differ from zero: as many as its rows have columns."""
        if self.pattern(matrix) == "full":
            return self.D**2
        return sum(len(self.columns(matrix, i)) for i in range(self.D))

    @property
    def padded(self) -> int:
        """The length of an example's row, its numbers behind it: 4, 8, or a multiple of 16."""
        length = self.D + sum(c.shape == "numbers" for c in self.program.constants)
        return next((p for p in (4, 8) if p >= length), -(-length // 16) * 16)

    @property
    def short(self) -> bool:
        """Whether an example's row is summed number by number in its order, as the minibatch is.

        Longer ones have sixteen partial sums each, and the minibatch one of its even and its odd rows.
        """
        return self.padded <= 16

    def behind(self, name: str) -> int:
        """The place in an example's row where one of its numbers is."""
        numbers = [c.name for c in self.program.constants if c.shape == "numbers"]
        return self.D + numbers.index(name)

    @property
    def row_bytes(self) -> int:
        """How far it is from one example to the next."""
        return self.padded * (4 if self.dtype == "float32" else 8)

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """Offset of each constant in the flat array of all constants."""
        lengths = {"scalar": 1, "vector": self.D, "matrix": self.D**2}
        if self.batches:
            lengths["vector"] = self.padded
            lengths |= {"rows": self.batches.examples * self.padded, "numbers": 0}
        offsets, total = {}, 0
        # rows first: there they are aligned as the array is
        for constant in sorted(self.program.constants, key=lambda c: c.shape != "rows"):
            offsets[constant.name] = total
            total += lengths[constant.shape]
        return offsets | {"": total}

    @property
    def constant_count(self) -> int:
        """How many numbers all constants have together."""
        return self.constants[""]

    @property
    def size(self) -> int:
        """How many numbers make the state of a chain."""
        return self.D * len(self.program.states)

    def group(self, purpose: int) -> int:
        """How many steps share whole generator blocks of a purpose."""
        return philox.group_size(self.normals(purpose), self.dtype, purpose)

    def normals(self, purpose: int) -> int:
        """How many normals a step draws for a purpose."""
        return self.program.body.normals(purpose) * self.D

    @property
    def fused(self) -> int:
        """How many steps are fused: a whole number of groups of every purpose."""
        return max((self.group(p) for p in self.program.body.purposes), default=1)

    def noise(self, block: Block) -> tuple[Mapping[str, int], int]:
        """Offset of each draw in a noise buffer, and the buffer's length.

        Each purpose has a block of words to spare on either side, for the numbers of the
        neighbouring steps that come out of the same generator call.
        """
        offsets, total = {}, 0
        for purpose in block.purposes:
            spare = philox.width(self.dtype, purpose)
            count = block.normals(purpose) * self.D
            offsets[f"purpose {purpose}"] = total
            for draw in block.draws:
                if draw.purpose == purpose:
                    offsets[draw.name] = total + spare + draw.slot * self.D
            total += count + 2 * spare
        for draw in block.batches:
            offsets[draw.name] = total
            total += self.batches.size if self.batches else 0
        return offsets, total

    @cached_property
    def arithmetic(self) -> int:
        """How many assignments one step of one chain has when it is unrolled."""
        products = [i.args[0] for i in self.program.body.instructions if i.op == "matvec"]
        others = len(self.program.body.instructions) - len(products)
        return sum(map(self.entries, products)) + others * self.D

    @property
    def unrolled(self) -> bool:
        """Whether the unrolled form is short enough."""
        if any(
            i.op in ("batch", "count")
            for b in (self.program.body, self.program.start)
            for i in b.instructions
        ):
            return False
        return self.arithmetic * self.fused <= UNROLLED_LIMIT

    @property
    def work(self) -> int:
        """A step's operations, roughly: a normal costs about as much as fifteen additions."""
        rows = sum(i.op == "batch" for i in self.program.body.instructions) * self.padded
        size = self.batches.examples if self.batches else 0
        if self.batches and self.program.body.batches:
            size = self.batches.size
        return self.arithmetic + 15 * len(self.program.body.draws) * self.D + 4 * rows * size


@dataclass(frozen=True)
class Names:
    """How an unrolled block calls its inputs; ``i`` is a coordinate."""

    state: Callable[[str, int], str]
    draw: Callable[[str, int], str]
    constant: Callable[[int], str]
    scheduled: Callable[[str], str]


Assignment = tuple[str, Node]


def unrolled(block: Block, layout: Layout, names: Names) -> Iterator[Assignment]:
    """The block with every coordinate written out; ends with the states' new values ``n<k>_<i>``."""
    types = _types(block, layout.program)

    def called(name: str, i: int) -> str:
        if name in types:
            return f"r{name[1:]}_{i}" if types[name] == "vector" else f"r{name[1:]}"
        if name.startswith("$"):
            shape = layout.program.constant(name).shape
            return names.constant(layout.constants[name] + (i if shape == "vector" else 0))
        if name in layout.program.states:
            return names.state(name, i)
        if any(d.name == name for d in block.draws):
            return names.draw(name, i)
        return names.scheduled(name)

    def operand(name: str, i: int) -> Node:
        return variable(called(name, i))

    for instruction in block.instructions:
        result = f"r{instruction.result[1:]}"
        if instruction.op == "dot":
            yield result, _dot(instruction, layout.D, operand)
        elif instruction.type == "scalar":
            yield result, elementwise(instruction, partial(called, i=0))
        else:
            for i in range(layout.D):
                if instruction.op == "matvec":
                    yield f"{result}_{i}", _row(instruction, i, layout, operand, names)
                else:
                    yield f"{result}_{i}", elementwise(instruction, partial(called, i=i))
    for state, value in block.outputs:
        k = layout.program.states.index(state)
        yield from ((f"n{k}_{i}", operand(value, i)) for i in range(layout.D))


def _types(block: Block, program: Program) -> Mapping[str, str]:
    return {i.result: i.type for i in block.instructions}


Operand = Callable[[str, int], Node]


def _dot(instruction: Instruction, D: int, operand: Operand) -> Node:
    x, y = instruction.args
    total = operand(x, 0) * operand(y, 0)
    for i in range(1, D):
        total = fma(operand(x, i), operand(y, i), total)
    return total


def _row(instruction: Instruction, i: int, layout: Layout, operand: Operand, names: Names) -> Node:
    matrix, x, *before = instruction.args
    offset = layout.constants[matrix] + i * layout.D
    total = operand(before[0], i) if before else None
    for j in layout.columns(matrix, i):
        entry, number = variable(names.constant(offset + j)), operand(x, j)
        total = fma(entry, number, total) if total else entry * number
    assert total is not None
    return total


def calls(layout: Layout, s: int) -> Iterator[tuple[int, int, int]]:
    """The generator calls that step ``s`` of a fused group is the first to need.

    Each is a purpose, which of its groups it belongs to, and the block of words.
    """
    for purpose in layout.program.body.purposes:
        width = philox.width(layout.dtype, purpose)
        count, size = layout.normals(purpose), layout.group(purpose)
        begin = (s % size) * count
        for block in range(-(-begin // width), -(-(begin + count) // width)):
            yield purpose, s // size, block


def place(layout: Layout, draw: Draw, i: int, s: int) -> str:
    """The local variable of a draw's coordinate ``i`` in step ``s`` of a fused group."""
    size = layout.group(draw.purpose)
    number = (s % size) * layout.normals(draw.purpose) + draw.slot * layout.D + i
    return f"z{draw.purpose}_{s // size}_{number}"
