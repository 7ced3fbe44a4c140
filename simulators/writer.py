"""Writing instructions: each class of expression has a rule in a table; others are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan

from sgtheory.datamodels.coordinates import Coordinates, Drawn, ExampleRow
from sgtheory.datamodels.margins import MARGIN, Margins, margins
from sgtheory.datamodels.written import Share
from sgtheory.declare import (
    Apply,
    BatchMean,
    DataMean,
    DiagonalOf,
    Dot,
    N,
    S,
    State,
    Vector,
    mode,
    ones,
    t,
)
from sgtheory.errors import UnusableInput
from simulators.program import Constant, Instruction, Weight
from simulators.rewrites import is_constant


class NotLowered(UnusableInput):
    """A declaration uses an expression for which there is no instruction."""


@dataclass
class Constants:
    """The constants and weights met so far, each once."""

    replacement: bool = True
    labels: Any = ()
    made: list[Constant] = field(default_factory=list)
    weights: list[Weight] = field(default_factory=list)

    def weight(self, form: Margins) -> str:
        """The name of the weight of an example."""
        numbers = {s: self.name(s, "numbers") for s in form.numbers}
        writer = Writer(self, {MARGIN: "m", **numbers}, types={"m": "scalar"})
        if form.written:
            found = Weight("", "", tuple(numbers.values()), (), results=writer.written(form.weight))
        else:
            result = writer.value(form.weight)
            found = Weight("", "", tuple(numbers.values()), (), result, form.power)
        rows = self.name(form.covariates, "rows")
        found = replace(found, covariates=rows, instructions=tuple(writer.instructions))
        for weight in self.weights:
            if replace(weight, name="") == found:
                return weight.name
        self.weights.append(replace(found, name=f"&{len(self.weights)}"))
        return self.weights[-1].name

    def name(self, expression: Any, shape: str) -> str:
        """The name of a constant."""
        for constant in self.made:
            if constant.expression == expression and constant.shape == shape:
                return constant.name
        self.made.append(Constant(f"${len(self.made)}", shape, expression))
        return self.made[-1].name


@dataclass
class Writer:
    """Writes the instructions of one block; equal instructions are written once."""

    constants: Constants
    names: dict[Any, str]
    instructions: list[Instruction] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    known: dict[tuple[str, ...], str] = field(default_factory=dict)
    gate: str = ""  # a number of the clock: where it is 0, what is written now is not used

    def emit(self, op: str, *args: str, when: str = "") -> str:
        """The name of ``op(args)``, written now if it was not before."""
        key = (op, *args, f"when {when}")
        if key not in self.known:
            vector = op in ("matvec", "broadcast", "batch") or (
                op not in ("dot", "count") and any(self.type(a) == "vector" for a in args)
            )
            result = f"%{len(self.instructions)}"
            self.types[result] = "vector" if vector else "scalar"
            self.instructions.append(Instruction(result, op, args, self.types[result], when))
            self.known[key] = result
        return self.known[key]

    def type(self, name: str) -> str:
        """Whether a value is a scalar or a vector (states and draws are vectors)."""
        if name.startswith("$"):
            shapes = {c.name: c.shape for c in self.constants.made}
            return shapes[name]
        return "scalar" if name == "t" else self.types.get(name, "vector")

    def scalar(self, expression: Any) -> str:
        """The name of a constant scalar."""
        return self.constants.name(sp.sympify(expression), "scalar")

    def written(self, node: Coordinates) -> tuple[str, ...]:
        """The names of a vector's coordinates, which are written out."""
        for letter, names in (("p", node.points), ("r", node.row)):
            self.names |= {s: f"{letter}{k}" for k, s in enumerate(names)}
        self.types |= dict.fromkeys(self.names.values(), "scalar")
        for name, expr in node.steps:
            self.names[name] = self.value(expr)
        return tuple(self.value(v) for v in node.values)

    def value(self, expr: Any) -> str:
        """The name of the value of any expression."""
        if expr in self.names:
            return self.names[expr]
        if is_constant(expr):
            return self.scalar(expr)
        for class_, rule in _RULES:
            if isinstance(expr, class_):
                return rule(self, expr)
        known = ", ".join(sorted(c.__name__ for c, _ in _RULES))
        raise NotLowered(
            f"expressions made of {known}",
            f"{type(expr).__name__} in {expr}",
            "write the update with these, or add an instruction to simulators/writer.py",
        )


def _batch(writer: Writer, expr: Any) -> str:
    """The mean over a minibatch, or over all examples: the sum over rows, divided, and the rest."""
    form = margins(expr.args[0])
    form = form.signed(writer.constants.labels) or form
    among, size = ("all", N) if isinstance(expr, DataMean) else (f"i{expr.args[1]}", S)
    point = () if form.point is None else (writer.value(form.point),)
    gate = writer.gate if among == "all" else ""
    total = writer.emit("batch", writer.constants.weight(form), among, *point, when=gate)
    if form.rest == 0:
        return writer.emit("mul", writer.scalar(1 / size), total)
    return writer.emit("fma", writer.scalar(1 / size), total, writer.value(form.rest))


def _split(term: Any) -> tuple[Any, Any]:
    """A term as a constant scalar times the rest."""
    constant = sp.Mul(*(a for a in sp.Mul.make_args(term) if is_constant(a)))
    rest = sp.Mul(*(a for a in sp.Mul.make_args(term) if not is_constant(a)))
    return constant, rest


def _rank(term: Any) -> tuple[int, Any]:
    """Small increments come first: they are summed among themselves before they meet a state."""
    constant, rest = _split(term)
    bare = isinstance(rest, Vector) and abs(constant) == 1
    return (0 if isinstance(rest, Apply) else 2 if bare else 1), sp.default_sort_key(term)


def _add(writer: Writer, expr: Any) -> str:
    total = ""
    for term in sorted(expr.args, key=_rank):
        constant, rest = _split(term)
        if not total:
            total = writer.value(term)
        elif constant == 1 and isinstance(rest, Apply):
            total = writer.emit("matvec", *_matvec_args(writer, rest), total)
        elif rest == 1 or constant == 1:
            total = writer.emit("add", total, writer.value(term))
        elif constant == -1:
            total = writer.emit("sub", total, writer.value(rest))
        else:
            total = writer.emit("fma", writer.scalar(constant), writer.value(rest), total)
    return total


def _logistic(writer: Writer, constant: Any, expr: Any) -> str | None:
    """``c/(1 + exp(a))`` of a number or of each coordinate, if the expression is that."""
    *others, below = sorted(sp.Mul.make_args(expr), key=_is_denominator)
    base, power = below.as_base_exp()
    one = ones if others else sp.S.One
    if power != -1 or others not in ([], [ones]) or not base.is_Add or len(base.args) != 2:
        return None
    exponent = next((a.args[0] for a in base.args if isinstance(a, sp.exp)), None)
    if exponent is None or one not in base.args:
        return None
    return writer.emit("logistic", writer.scalar(constant), writer.value(exponent))


def _mul(writer: Writer, expr: Any) -> str:
    constant, rest = _split(expr)
    if found := _logistic(writer, constant, rest):
        return found
    if constant != 1:
        if constant == -1:
            return writer.emit("neg", writer.value(rest))
        below = 1 / _denominator(rest)
        if below != 1 and below == rest:
            return writer.emit("div", writer.scalar(constant), writer.value(1 / rest))
        return writer.emit("mul", writer.scalar(constant), writer.value(rest))
    below = _denominator(expr)
    if below != 1:
        above = sp.Mul(*(a for a in expr.args if not _is_denominator(a)))
        return writer.emit("div", writer.value(above), writer.value(below))
    # scalars first: each chain multiplies numbers, not vectors, for as long as it can
    args = sorted(expr.args, key=lambda a: (bool(a.atoms(Vector)), sp.default_sort_key(a)))
    product = writer.value(args[0])
    for arg in args[1:]:
        product = writer.emit("mul", product, writer.value(arg))
    return product


def _is_denominator(factor: Any) -> bool:
    return isinstance(factor, sp.Pow) and bool(factor.exp.is_number and factor.exp < 0)


def _denominator(expr: Any) -> Any:
    return sp.Mul(*(1 / a for a in sp.Mul.make_args(expr) if _is_denominator(a)))


def _pow(writer: Writer, expr: Any) -> str:
    base, exponent = expr.args
    if found := _logistic(writer, 1, expr):
        return found
    if _is_denominator(expr):
        return writer.emit("div", writer.scalar(1), writer.value(base**-exponent))
    if exponent.is_Integer:
        return _whole_power(writer, writer.value(base), int(exponent))
    if exponent.is_Rational and exponent.q == 2:
        root = writer.emit("sqrt", writer.value(base))
        return _whole_power(writer, root, int(exponent.p))
    if not base.atoms(Vector):
        return writer.emit("pow", writer.value(base), writer.value(exponent))
    log = writer.emit("log", writer.value(base))
    return writer.emit("exp", writer.emit("mul", writer.value(exponent), log))


def _whole_power(writer: Writer, base: str, exponent: int) -> str:
    power = ""
    while exponent:
        if exponent % 2:
            power = writer.emit("mul", power, base) if power else base
        exponent //= 2
        base = writer.emit("mul", base, base) if exponent else base
    return power


def _matvec_args(writer: Writer, expr: Any) -> tuple[str, str]:
    matrix, x = expr.args
    return writer.constants.name(matrix, "matrix"), writer.value(x)


def _apply(writer: Writer, expr: Any) -> str:
    return writer.emit("matvec", *_matvec_args(writer, expr))


def _piecewise(writer: Writer, expr: Any) -> str:
    *cases, (last, certain) = expr.args
    if certain != sp.true:
        raise NotLowered("a Piecewise with a value for every case", str(expr), "end it with True")
    chosen = writer.value(last)
    for value, condition in reversed(cases):
        truth = _condition(writer, condition)
        if condition.free_symbols & {t} and not condition.atoms(Vector):
            writer.gate = truth
        value, writer.gate = writer.value(value), ""
        chosen = writer.emit("select", truth, value, chosen)
    return chosen


def _share(writer: Writer, expr: Any) -> str:
    first, *others = expr.args
    if len(others) == 1:
        return writer.emit("logistic", writer.scalar(1), writer.value(others[0] - first))
    return writer.value(Share.plain(*expr.args))


def _mod(writer: Writer, expr: Any) -> str:
    if expr.free_symbols & {t} and not expr.atoms(Vector):  # the host computes what the clock says
        return writer.emit("mod", *(writer.value(a) for a in expr.args))
    raise NotLowered("remainders of the step t only", str(expr), "let the clock decide")


def _condition(writer: Writer, condition: Any) -> str:
    if isinstance(condition, sp.Equality):
        both = [condition.lhs <= condition.rhs, condition.lhs >= condition.rhs]
        first, *second = (c for c in both if c != sp.true)  # Mod(t, L) >= 0 needs no comparison
        one = _condition(writer, first)
        return writer.emit("mul", one, _condition(writer, *second)) if second else one
    for class_, op, swapped in (
        (StrictLessThan, "less", False),
        (LessThan, "lessequal", False),
        (StrictGreaterThan, "less", True),
        (GreaterThan, "lessequal", True),
    ):
        if isinstance(condition, class_):
            left, right = writer.value(condition.lhs), writer.value(condition.rhs)
            if "vector" in (writer.type(left), writer.type(right)):
                break
            return writer.emit(op, right, left) if swapped else writer.emit(op, left, right)
    raise NotLowered("a comparison of scalars with <, <=, >, >= or ==", str(condition), "rewrite it")


def _symbol(writer: Writer, expr: Any) -> str:
    if expr == t:
        return "t"
    if expr == ones:
        return writer.emit("broadcast", writer.scalar(1))
    if expr == mode or isinstance(expr, ExampleRow):
        return writer.constants.name(expr, "vector")
    role = "state" if isinstance(expr, State) else type(expr).__name__.lower()
    raise NotLowered("symbols that have a value", f"the {role} {expr}", "declare or compute it")


def _function(op: str) -> Callable[[Writer, Any], str]:
    return lambda writer, expr: writer.emit(op, *(writer.value(a) for a in expr.args))


_RULES: tuple[tuple[Any, Callable[[Writer, Any], str]], ...] = (
    (sp.Add, _add),
    (sp.Mul, _mul),
    (sp.Pow, _pow),
    (sp.Mod, _mod),
    (sp.exp, _function("exp")),
    (sp.log, _function("log")),
    (sp.Abs, _function("abs")),
    (Drawn, lambda writer, expr: writer.emit("count", f"i{expr.args[1]}", str(expr.args[0]))),
    (Share, _share),
    (Dot, _function("dot")),
    (BatchMean, _batch),
    (DataMean, _batch),
    (DiagonalOf, lambda writer, expr: writer.constants.name(expr, "vector")),
    (Apply, _apply),
    (sp.Piecewise, _piecewise),
    (sp.Symbol, _symbol),
)
