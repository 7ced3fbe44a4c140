"""Counterexamples about sums over steps as scripts of Python alone."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

from verification.claims.base import Printed
from verification.sequences.values import CLOSE, DIGITS, Reading, Sample, sequence_index
from verification.sequences.words import COUNTS

_EXACT = "from fractions import Fraction as F\n"
_DECIMAL = f"""from decimal import Decimal, getcontext
getcontext().prec = {DIGITS}
F = lambda p, q=1: Decimal(p) / Decimal(q)
"""
_COMPARED = {"=": "==", "<=": "<=", "<": "<"}


class _Python(StrPrinter):
    """Expressions as Python; ``w`` is the path."""

    printmethod = "_written"  # an indexed letter would print itself

    def __init__(self, random: frozenset[str], defined: frozenset[str]) -> None:
        super().__init__()
        self.random, self.defined = random, defined

    def _print_Integer(self, e: Any) -> str:
        return f"F({e.p})"

    _print_One = _print_Zero = _print_NegativeOne = _print_Integer

    def _print_Rational(self, e: Any) -> str:
        return f"F({e.p}, {e.q})"

    _print_Half = _print_Rational

    def _print_Symbol(self, e: Any) -> str:
        if e in COUNTS:
            return f"F({e.name})"
        name = name_of(e.name)
        return f"{name}[w][0]" if e.name in self.random else name

    def _print_Indexed(self, e: Any) -> str:
        name, at = str(e.base), sp.sstr(e.indices[0])
        if name in self.defined:
            return f"{name_of(name)}({at}, w)"
        return f"{name_of(name)}[w][{at}]" if name in self.random else f"{name_of(name)}[{at}]"

    def _print_Pow(self, e: Any, rational: bool = False) -> str:
        base, power = e.args
        if not power.is_number:
            return f"({self._print(base)})**({sp.sstr(power)})"
        if power.is_Integer:
            return f"({self._print(base)})**({int(power)})"
        return f"({self._print(base)}).sqrt()**({int(2 * power)})"

    def _print_Sum(self, e: Any) -> str:
        text = self._print(e.function)
        for index, first, last in e.limits:
            text = f"sum(({text} for {index} in range({sp.sstr(first)}, {sp.sstr(last)} + 1)), F(0))"
        return text

    def _print_Abs(self, e: Any) -> str:
        return f"abs({self._print(e.args[0])})"

    def _print_E(self, e: Any) -> str:
        return f"(sum(({self._print(e.args[0])} for w in paths), F(0)) / len(paths))"


def name_of(letter: str) -> str:
    """A name that Python does not use otherwise, and that is no loop's own."""
    return f"{letter}_"


def script_of(heading: str, printed: Printed, reading: Reading, sample: Sample, times: int = 1) -> str:
    """The numbers, both sides on every path, and whether the relation holds; ``times`` a constant."""
    random, defined = frozenset(sample.paths), frozenset(str(s) for s, _, _ in reading.defined)
    printer = _Python(random, defined)
    lines = [f"# {heading}", (_DECIMAL if reading.decimal else _EXACT).rstrip()]
    lines.append("row = lambda text: [F(*map(int, x.split('/'))) for x in text.split()]")
    lines += [f"T, paths = {sample.steps}, range({sample.count})"]
    lines += [f"{name_of(n)} = row('{x}')[0]" for n, x in sample.single.items()]
    lines += [f"{name_of(n)} = row('{' '.join(map(str, r))}')" for n, r in sample.rows.items()]
    for n, p in sample.paths.items():
        rows = ", ".join(f"row('{' '.join(map(str, r))}')" for r in p)
        lines.append(f"{name_of(n)} = [{rows}]  # a row to each path")
    for sequence, rule, start in reading.defined:
        (index,) = sequence_index(rule, start)
        body = f"{printer.doprint(sp.sympify(start))} if {index} == 0 else {printer.doprint(rule)}"
        lines.append(f"{name_of(str(sequence))} = lambda {index}, w: {body}")
    left, right = (printer.doprint(sp.sympify(s)) for s in (printed.left, printed.right))
    factor = f"{times} * " if times > 1 else ""
    lines.append(f"sides = [({left}, {factor}({right})) for w in paths]")
    lines.append("print(*sides)")
    return "\n".join([*lines, f"print({_decided(printed.relation, reading.decimal)})"]) + "\n"


def _decided(relation: str, decimal: bool) -> str:
    word = _COMPARED.get(relation, "<=")
    if not decimal:
        return f"all(a {word} b for a, b in sides)"
    close = f"Decimal('{CLOSE}') * (abs(a) + abs(b))"
    test = f"abs(a - b) <= {close}" if word == "==" else f"a - b <= {close}"
    return f"all({test} for a, b in sides)"
