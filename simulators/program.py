"""The program: one step of a sampler as typed single-assignment code, before any number is known.

A value is a ``scalar`` or a ``vector`` (one number per coordinate; how many is not part of the
program). A scalar argument of a vector instruction acts on every coordinate. Names that begin
with ``$`` are constants, with ``%`` results; all others are states, draws and the step ``t``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from simulators.philox import purpose_of

# What each operation computes. "matvec" takes a constant matrix, a vector and, optionally, a
# vector that the product is added to; "select" takes a truth value (a scalar that is 0 or 1).
# "batch" takes a weight, the draw of a minibatch (or "all") and, where the weight sees a margin, a
# point; it is the sum of weight times covariates over the minibatch's examples. "logistic" takes c and a
# and is c/(1 + exp(a)); "count" takes a
# minibatch's draw and the number of an example, and is how often it has that.
OPERATIONS = (
    "add", "sub", "mul", "div", "fma", "neg", "sqrt", "exp", "log", "abs", "pow", "mod",
    "matvec", "dot", "broadcast", "less", "lessequal", "select", "batch", "logistic",
    "count",
)  # fmt: skip

START, GRADIENT, INJECTED, MINIBATCH = range(4)
PURPOSES = ("start", "gradient noise", "injected noise", "minibatch")


# Shapes of constants that have an entry for each example of a data set.
DATA = ("rows", "numbers")


@dataclass(frozen=True)
class Constant:
    """A number, vector or matrix that depends on parameters only: computed once, on the host."""

    name: str
    shape: str  # "scalar", "vector" or "matrix"; of data: "rows" or "numbers", one to an example
    expression: Any  # SymPy, exact until it is bound

    @cached_property
    def text(self) -> str:
        """The expression, printed."""
        return str(self.expression)


@dataclass(frozen=True)
class Draw:
    """A fresh random vector; its numbers are ``slot * D`` to ``slot * D + D - 1`` of the purpose.

    Noises that are not normal have streams of their own (``simulators.philox.stream``).
    Of a minibatch: the numbers of its examples, drawn with or without replacement.
    """

    name: str
    purpose: int
    slot: int
    law: str = "normal"


@dataclass(frozen=True)
class Instruction:
    """``result = op(args)``."""

    result: str
    op: str
    args: tuple[str, ...]
    type: str
    when: str = ""  # of a batch: a scheduled number; where it is 0, nobody reads the result

    @property
    def reads(self) -> tuple[str, ...]:
        """Every value that has to be known before."""
        return (*self.args, self.when) if self.when else self.args

    def __str__(self) -> str:
        gate = f" when {self.when}" if self.when else ""
        return f"{self.result} = {self.op} {', '.join(self.args)}{gate}"


@dataclass(frozen=True)
class Weight:
    """What an example's covariates are multiplied with: code on its margin ``m`` and its numbers.

    Of a gradient that is written out, ``results`` are its coordinates themselves: code on those of
    the point, ``p0``, ``p1``, ..., and of the row, ``r0``, ``r1``, ...
    """

    name: str  # begins with "&"
    covariates: str  # the constant with their rows
    numbers: tuple[str, ...]  # constants with a number for each example
    instructions: tuple[Instruction, ...]
    result: str = ""
    power: int = 1  # of the covariates
    results: tuple[str, ...] = ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Every name that the code reads."""
        names = (a for i in self.instructions for a in i.args)
        return tuple(n for n in dict.fromkeys((*names, self.result, *self.results)) if n)

    @property
    def sees_margin(self) -> bool:
        """Whether the margin matters at all."""
        return "m" in self.reads


@dataclass(frozen=True)
class Block:
    """Straight-line code: what it draws, what it computes, and which states it writes at its end."""

    draws: tuple[Draw, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    outputs: tuple[tuple[str, str], ...] = ()  # (state, name of its new value)

    def normals(self, purpose: int) -> int:
        """How many random vectors of a purpose one pass draws."""
        return sum(d.purpose == purpose for d in self.draws)

    @property
    def purposes(self) -> tuple[int, ...]:
        """The purposes that draw vectors of numbers."""
        return tuple(sorted({d.purpose for d in self.draws} - {MINIBATCH}))

    @property
    def batches(self) -> tuple[Draw, ...]:
        """The minibatches that one pass draws."""
        return tuple(d for d in self.draws if d.purpose == MINIBATCH)

    def lines(self) -> Iterator[str]:
        """The block as text."""
        for d in self.draws:
            law = "" if d.law == "normal" else f" {d.law}"
            yield f"{d.name} = draw {PURPOSES[purpose_of(d.purpose)]} {d.slot}{law}"
        yield from (str(i) for i in self.instructions)
        yield from (f"{state} <- {value}" for state, value in self.outputs)


@dataclass(frozen=True)
class Batches:
    """The minibatches of a problem: how many examples there are and how many are drawn."""

    examples: int
    size: int


@dataclass(frozen=True)
class Rewritten:
    """What a rewrite did: the number of matrix-vector products before and after."""

    name: str
    before: int
    after: int


@dataclass(frozen=True)
class Program:
    """A sampler on a model, lowered. It knows neither the dimension nor any number."""

    sampler: str
    model: str
    states: tuple[str, ...]
    constants: tuple[Constant, ...]
    step: Block
    start: Block = Block()
    rewrites: tuple[Rewritten, ...] = ()
    weights: tuple[Weight, ...] = ()

    @cached_property
    def schedule(self) -> tuple[Instruction, ...]:
        """The instructions that depend on the step counter only: the same for every chain."""
        known = {"t"} | {c.name for c in self.constants if c.shape == "scalar"}
        chosen = []
        for instruction in self.step.instructions:
            if known.issuperset(instruction.args) and instruction.type == "scalar":
                known.add(instruction.result)
                chosen.append(instruction)
        return tuple(chosen)

    @cached_property
    def body(self) -> Block:
        """The step without its schedule: what each chain does."""
        rest = tuple(i for i in self.step.instructions if i not in self.schedule)
        return Block(self.step.draws, rest, self.step.outputs)

    @cached_property
    def scheduled(self) -> tuple[str, ...]:
        """The scheduled values that the body reads, and ``t`` itself where it does."""
        used = {a for i in self.body.instructions for a in i.reads}
        names = ("t", *(i.result for i in self.schedule))
        return tuple(n for n in names if n in used)

    def constant(self, name: str) -> Constant:
        """The constant of a name."""
        return next(c for c in self.constants if c.name == name)

    def weight(self, name: str) -> Weight:
        """The weight of a name."""
        return next(w for w in self.weights if w.name == name)

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        lines = [f"program {self.sampler} on {self.model}", f"states {', '.join(self.states)}"]
        lines += [f"{c.name} = {c.shape} {c.text}" for c in self.constants]
        for w in self.weights:
            lines.append(f"{w.name} = weight of {', '.join((w.covariates, *w.numbers))} on m:")
            ends = ", ".join(w.results) or f"{w.result}{' on squares' if w.power == 2 else ''}"
            lines += [f"  {i}" for i in w.instructions] + [f"  {ends}"]
        for title, block in (("start", self.start), ("step", self.step)):
            if block.outputs:
                lines += [f"{title}:", *(f"  {line}" for line in block.lines())]
        return "\n".join(lines) + "\n"

    @cached_property
    def digest(self) -> str:
        """A hash of the program's text."""
        return hashlib.sha256(str(self).encode()).hexdigest()
