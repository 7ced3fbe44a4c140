"""LLVM's language, written: values of all lanes at once, and right-hand sides as code.

A value knows its kind, the type of one lane. Programs are straight lines of assignments of trees
(``simulators.emit``, ``simulators.transforms``); each operation becomes one LLVM instruction on a vector
of lanes. Nothing is reordered, contracted or replaced, so bits depend neither on the width nor on the
processor.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from simulators.transforms import Function
from simulators.tree import NEGATIVE, NUMBER, VARIABLE, Node

# Kinds: floats of the run, signed and unsigned integers of the same size, truth values, and the
# 64-bit lanes in whose low halves the generator keeps its words, and 32-bit numbers of examples.
REAL, INT, WORD, BOOL, WIDE, INDEX = "real", "int", "word", "bool", "wide", "index"


@dataclass(frozen=True)
class Value:
    """An LLVM value: its name or constant, its kind, and whether it is one number for all lanes."""

    text: str
    kind: str
    uniform: bool = False


Env = MutableMapping[str, Value]

_BINARY = {
    "+": ("fadd", "add"), "-": ("fsub", "sub"), "*": ("fmul", "mul"), "/": ("fdiv", ""),
    "<<": ("", "shl"), "&": ("", "and"), "|": ("", "or"), "^": ("", "xor"),
}  # fmt: skip
_COMPARE = {"<": ("olt", "slt"), "<=": ("ole", "sle"), ">": ("ogt", "sgt"), "==": ("oeq", "eq")}
_INTEGERS = {"int_": INT, "word_": WORD}
_INTRINSICS = {"fma": "fma", "root": "sqrt", "absolute": "fabs"}
_CONVERSIONS = {
    "bits": ("bitcast", INT),
    "unbits": ("bitcast", REAL),
    "real_i": ("sitofp", REAL),
    "real_w": ("uitofp", REAL),
}


@dataclass
class Code:
    """The lines of one function, in the making. ``lanes`` is the length of its vectors."""

    dtype: str
    lanes: int
    functions: Mapping[str, Function] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    count: int = 0

    # -- types --------------------------------------------------------------------------------

    @property
    def real(self) -> str:
        """LLVM's name of the run's floating-point type."""
        return self.real_of(self.dtype)

    @staticmethod
    def real_of(dtype: str) -> str:
        """LLVM's name of a floating-point type."""
        return "float" if dtype == "float32" else "double"

    @property
    def bits(self) -> int:
        """Its size."""
        return 32 if self.dtype == "float32" else 64

    def scalar(self, kind: str) -> str:
        """The type of one lane."""
        return {REAL: self.real, BOOL: "i1", WIDE: "i64", INDEX: "i32"}.get(kind, f"i{self.bits}")

    def vector(self, kind: str) -> str:
        """The type of all lanes."""
        return f"<{self.lanes} x {self.scalar(kind)}>"

    def type(self, value: Value) -> str:
        """The type of a value."""
        return self.scalar(value.kind) if value.uniform else self.vector(value.kind)

    # -- lines --------------------------------------------------------------------------------

    def let(self, text: str) -> str:
        """A new name for the result of an instruction."""
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def do(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(f"  {text}")

    def constant(self, number: float, kind: str) -> Value:
        """A number, the same in every lane."""
        if kind == REAL:
            rounded = struct.unpack("f", struct.pack("f", number))[0] if self.bits == 32 else number
            return Value(f"0x{struct.pack('>d', rounded).hex().upper()}", REAL, True)
        return Value(str(int(number) % 2 ** (64 if kind == WIDE else self.bits)), kind, True)

    def spread(self, value: Value) -> Value:
        """The value as a vector."""
        if not value.uniform:
            return value
        kind, type_ = self.scalar(value.kind), self.vector(value.kind)
        if not value.text.startswith("%"):
            return Value(f"splat ({kind} {value.text})", value.kind)
        one = self.let(f"insertelement {type_} poison, {kind} {value.text}, i32 0")
        mask = f"<{self.lanes} x i32> zeroinitializer"
        return Value(self.let(f"shufflevector {type_} {one}, {type_} poison, {mask}"), value.kind)

    def _alike(self, *values: Value) -> tuple[Value, ...]:
        """All as vectors, unless all are uniform."""
        return values if all(v.uniform for v in values) else tuple(self.spread(v) for v in values)

    # -- operations ---------------------------------------------------------------------------

    def binary(self, op: str, a: Value, b: Value) -> Value:
        """An LLVM instruction of two operands of one kind."""
        a, b = self._alike(a, b)
        return Value(self.let(f"{op} {self.type(a)} {a.text}, {b.text}"), a.kind, a.uniform)

    def call(self, name: str, *values: Value) -> Value:
        """An intrinsic whose operands and result are of one floating-point type."""
        values = self._alike(*values)
        uniform, type_ = values[0].uniform, self.type(values[0])
        suffix = f"f{self.bits}" if uniform else f"v{self.lanes}f{self.bits}"
        operands = ", ".join(f"{type_} {v.text}" for v in values)
        return Value(self.let(f"call {type_} @llvm.{name}.{suffix}({operands})"), REAL, uniform)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """``a*b + c`` with one rounding."""
        return self.call("fma", a, b, c)

    def convert(self, op: str, value: Value, kind: str) -> Value:
        """A conversion of kinds; ``op`` is LLVM's word for it."""
        result = self.type(Value("", kind, value.uniform))
        text = self.let(f"{op} {self.type(value)} {value.text} to {result}")
        return Value(text, kind, value.uniform)

    def recast(self, value: Value, kind: str) -> Value:
        """The same integer as another kind, cut down where that is smaller."""
        if self.scalar(value.kind) == self.scalar(kind):
            return Value(value.text, kind, value.uniform)
        return self.convert("trunc", value, kind)

    def halves(self, value: Value, upper: int) -> Value:
        """The lower or upper halves of 64-bit lanes, by one shuffle."""
        pairs = f"<{2 * self.lanes} x i32>"
        both = self.let(f"bitcast {self.vector(WIDE)} {value.text} to {pairs}")
        mask = ", ".join(f"i32 {2 * lane + upper}" for lane in range(self.lanes))
        text = f"shufflevector {pairs} {both}, {pairs} poison, <{self.lanes} x i32> <{mask}>"
        return Value(self.let(text), INDEX)

    def shuffle(self, a: Value, b: Value, places: Sequence[int]) -> Value:
        """Chosen lanes of two vectors; those of the second count on from those of the first."""
        mask = ", ".join(f"i32 {p}" for p in places)
        text = f"shufflevector {self.type(a)} {a.text}, {self.type(b)} {b.text}"
        return Value(self.let(f"{text}, <{self.lanes} x i32> <{mask}>"), a.kind)

    def compare(self, words: tuple[str, str], a: Value, b: Value) -> Value:
        """A truth value; ``words`` are LLVM's for floats and for integers."""
        a, b = self._alike(a, b)
        op = f"fcmp {words[0]}" if a.kind == REAL else f"icmp {words[1]}"
        return Value(self.let(f"{op} {self.type(a)} {a.text}, {b.text}"), BOOL, a.uniform)

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        """``a`` where the condition holds, ``b`` elsewhere."""
        condition, a, b = self._alike(condition, a, b)
        text = f"select {self.type(condition)} {condition.text}, {self.type(a)} {a.text}"
        return Value(self.let(f"{text}, {self.type(b)} {b.text}"), a.kind, a.uniform)

    # -- memory -------------------------------------------------------------------------------

    def at(self, pointer: str, index: str, kind: str = REAL) -> str:
        """The address of an element."""
        return self.let(f"getelementptr {self.scalar(kind)}, ptr {pointer}, i64 {index}")

    def load(self, address: str, kind: str = REAL) -> Value:
        """A vector from memory."""
        return Value(
            self.let(f"load {self.vector(kind)}, ptr {address}, align {self._align(kind)}"), kind
        )

    def load_one(self, address: str, kind: str = REAL) -> Value:
        """One number from memory, for every lane."""
        text = f"load {self.scalar(kind)}, ptr {address}, align {self._align(kind)}"
        return Value(self.let(text), kind, True)

    def collect(self, addresses: Sequence[str]) -> Value:
        """A vector whose parts, of one length, are read from several places."""
        lanes = self.lanes // len(addresses)
        part = f"<{lanes} x {self.real}>"
        parts = [self.let(f"load {part}, ptr {a}, align {self._align(REAL)}") for a in addresses]
        while len(parts) > 1:
            mask = ", ".join(f"i32 {k}" for k in range(2 * lanes))
            parts = [
                self.let(f"shufflevector {part} {a}, {part} {b}, <{2 * lanes} x i32> <{mask}>")
                for a, b in zip(parts[::2], parts[1::2], strict=True)
            ]
            lanes *= 2
            part = f"<{lanes} x {self.real}>"
        return Value(parts[0], REAL)

    def store(self, value: Value, address: str) -> None:
        """A vector to memory."""
        value = self.spread(value)
        self.do(f"store {self.type(value)} {value.text}, ptr {address}, align {self._align(value.kind)}")

    def _align(self, kind: str) -> int:
        return {WIDE: 8, INDEX: 4}.get(kind, self.bits // 8)

    # -- control ------------------------------------------------------------------------------

    @contextmanager
    def loop(
        self, start: str, end: str, step: int | str = 1, carried: Env | None = None
    ) -> Iterator[str]:
        """A loop over an index; carried values are replaced by their newest after each turn."""
        self.count += 1
        n, before = self.count, self._label()
        carried = {} if carried is None else carried
        initial = dict(carried)
        self.do(f"br label %head{n}")
        self.lines.append(f"head{n}:")
        place = len(self.lines)
        carried.update(
            {k: Value(f"%p{n}_{i}", v.kind, v.uniform) for i, (k, v) in enumerate(initial.items())}
        )
        heads = dict(carried)
        self.lines += [""] * (len(initial) + 1)
        inside = self.let(f"icmp slt i64 %i{n}, {end}")
        self.do(f"br i1 {inside}, label %body{n}, label %done{n}")
        self.lines.append(f"body{n}:")
        yield f"%i{n}"
        onward, last = self.let(f"add i64 %i{n}, {step}"), self._label()
        self.do(f"br label %head{n}")
        self.lines.append(f"done{n}:")
        self.lines[place] = f"  %i{n} = phi i64 [{start}, %{before}], [{onward}, %{last}]"
        for i, (name, value) in enumerate(initial.items()):
            origins = f"[{value.text}, %{before}], [{carried[name].text}, %{last}]"
            self.lines[place + 1 + i] = f"  %p{n}_{i} = phi {self.type(value)} {origins}"
        carried.update(heads)

    def _label(self) -> str:
        """The basic block that the next line belongs to."""
        return next((x[:-1] for x in reversed(self.lines) if x.endswith(":")), "entry")

    def define(self, name: str, arrays: Sequence[str], numbers: Sequence[str]) -> str:
        """The definition of the function that Python calls with some arrays and whole numbers."""
        parameters = [f"ptr noalias nocapture %{a}" for a in arrays] + [f"i64 %{n}" for n in numbers]
        lines = "\n".join(["entry:", *self.lines, "  ret void"])
        return f"define void @{name}({', '.join(parameters)}) #0 {{\n{lines}\n}}\n"

    # -- right-hand sides -------------------------------------------------------------------------

    def expression(self, tree: Node, env: Mapping[str, Value]) -> Value:
        """The value of a tree."""
        op, args = tree.op, tree.args
        if op == VARIABLE:
            return env[str(tree.value)]
        if op == NUMBER:
            return self.constant(float(tree.value), REAL)
        if op in _INTEGERS:
            if args[0].op == NUMBER:
                return self.constant(args[0].value, _INTEGERS[op])  # type: ignore[arg-type]
            return self.recast(self.expression(args[0], env), _INTEGERS[op])
        return self._operation(op, [self.expression(a, env) for a in args])

    def expand(self, name: str, *args: Value) -> tuple[Value, ...]:
        """The results of a function, whose lines are written out here."""
        function = self.functions[name]
        env = {name: v for (_, name), v in zip(function.parameters, args, strict=True)}
        for _, target, tree in function.lines:
            env[target] = self.expression(tree, env)
        return tuple(env[r] for r in function.results)

    def _operation(self, op: str, args: list[Value]) -> Value:
        if op == ">>":
            return self.binary("ashr" if args[0].kind == INT else "lshr", *args)
        if op in _BINARY:
            return self.binary(_BINARY[op][args[0].kind != REAL], *args)
        if op in _COMPARE:
            return self.compare(_COMPARE[op], *args)
        if op == NEGATIVE:
            text = self.let(f"fneg {self.type(args[0])} {args[0].text}")
            return Value(text, REAL, args[0].uniform)
        if op in self.functions:
            return self.expand(op, *args)[0]
        if op in _INTRINSICS:
            return self.call(_INTRINSICS[op], *args)
        if op in _CONVERSIONS:
            return self.convert(_CONVERSIONS[op][0], args[0], _CONVERSIONS[op][1])
        if op == "join":
            high = self.binary("shl", args[0], self.constant(32, WIDE))
            low = self.binary("and", args[1], self.constant(0xFFFFFFFF, WIDE))
            return self.recast(self.binary("or", high, low), WORD)
        if op == "pick":
            return self.select(*args)
        return self._chosen(op, args)

    def _chosen(self, op: str, args: list[Value]) -> Value:
        """The operations whose truth values are numbers."""
        zero, one = self.constant(0.0, REAL), self.constant(1.0, REAL)
        if op == "choose":
            return self.select(self.compare(("une", ""), args[0], zero), args[1], args[2])
        words = ({"less": "olt", "lessequal": "ole"}[op], "")
        return self.select(self.compare(words, *args), one, zero)
