"""Formulas that a user gives as text: ``eps/2``, ``(x**2 - 1)**2/4``.

The text is read by a small grammar of its own (numbers, letters, + - * / **, exp, log, sqrt) and never
run as a program, so that it can do nothing but describe a number.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput, shown
from sgtheory.reader import limits, numbers

_FUNCTIONS = {"exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt}
_OPERATORS: dict[type, Any] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b,
}  # fmt: skip


def formula(
    text: Any, letters: Mapping[str, Any], what: str = "a formula", remedy: str = "write eps/2"
) -> Any:
    """The expression of a text in some letters, its decimals exact.

    Every number in it, and every number that comes of numbers in it, is real and in range.

    >>> eps = sp.Symbol("eps", positive=True)
    >>> formula("0.1*eps + sqrt(4)", {"eps": eps})
    eps/10 + 2
    >>> formula("log(0)*eps", {"eps": eps})
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected a formula of real numbers in range; got log(0); write eps/2
    """
    if not isinstance(text, str):
        raise _refused(shown(text), letters, what, remedy)
    if len(text) > limits.FORMULA:
        size = f"one of {len(text):,}"
        raise UnusableInput(f"{what} of at most {limits.FORMULA:,} characters", size, remedy)
    reader = _Reader(text.strip(), letters, what, remedy)
    try:
        body = ast.parse(reader.text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):  # MemoryError: many brackets
        raise _refused(text, letters, what, remedy) from None
    reader.check_size(body)
    try:
        return sp.sympify(reader.value(body))
    except UnusableInput:
        raise
    except (RecursionError, ValueError, ArithmeticError, TypeError):
        raise _refused(text, letters, what, remedy) from None


@dataclass(frozen=True)
class _Reader:
    text: str
    letters: Mapping[str, Any]
    what: str
    remedy: str

    def check_size(self, body: Any) -> None:
        """Refuse what has many parts, or many within one another."""
        level, nodes = [(body, 0)], 0
        while level:
            nodes += len(level)
            if nodes > limits.NODES:
                raise self.too_much(f"at most {limits.NODES} numbers, letters and operations")
            level = [
                (child, towers + isinstance(child, ast.Call) + _is_power(child))
                for node, towers in level
                for child in ast.iter_child_nodes(node)
                if isinstance(child, ast.expr)
            ]
            if any(towers > limits.TOWER for _, towers in level):
                raise self.too_much(f"at most {limits.TOWER} powers and functions within one another")

    def value(self, node: Any) -> Any:
        """What a node of the syntax tree is worth."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            written = numbers.of_text(self.at(node), self.what)
            return sp.Rational(written.numerator, written.denominator)
        if isinstance(node, ast.Name) and node.id in self.letters:
            return self.letters[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            operand = self.value(node.operand)
            return -operand if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            left, right = self.value(node.left), self.value(node.right)
            if isinstance(node.op, ast.Div) and right == 0:
                raise self.out_of_range(node)
            if isinstance(node.op, ast.Pow) and left.is_nonpositive and not right.is_number:
                raise self.out_of_range(node)
            if isinstance(node.op, ast.Pow) and _enormous(left, right):
                raise self.refused("an enormous power")
            return self.in_range(_OPERATORS[type(node.op)](left, right), node)
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            function = _FUNCTIONS.get(getattr(node.func, "id", ""))
            if function:
                return self.in_range(function(self.value(node.args[0])), node)
        raise self.refused(self.at(node))

    def in_range(self, value: Any, node: Any) -> Any:
        """A value, where it has letters, or is a real number that can be computed with."""
        value = sp.sympify(value)
        if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I):
            raise self.out_of_range(node)
        if value.is_number:
            size = abs(value) if value.is_Rational else value.evalf(15)
            if not size.is_extended_real or (size and not limits.LEAST <= abs(size) <= limits.MOST):
                raise self.out_of_range(node)
        return value

    def at(self, node: Any) -> str:
        """The text of a node."""
        return str(ast.get_source_segment(self.text, node))

    def out_of_range(self, node: Any) -> UnusableInput:
        """An error that names the part that is no real number in range."""
        return UnusableInput(f"{self.what} of real numbers in range", self.at(node), self.remedy)

    def too_much(self, most: str) -> UnusableInput:
        """An error that states a size."""
        return UnusableInput(f"{self.what} with {most}", f"more in {self.text}", self.remedy)

    def refused(self, got: str) -> UnusableInput:
        """An error that names what may be written."""
        return _refused(got, self.letters, self.what, self.remedy)


def _is_power(node: Any) -> bool:
    """Whether a node is a power that may be part of a tower: x**2 is none."""
    power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    return power and not (isinstance(node.right, ast.Constant) and isinstance(node.left, ast.Name))


def _enormous(base: Any, power: Any) -> bool:
    """Whether a power would have thousands of digits, or of factors."""
    base, power = sp.sympify(base), sp.sympify(power)
    if not power.is_number:
        return False
    digits = len(str(base)) if base.is_number else 1
    degree = max((abs(p.exp) for p in base.atoms(sp.Pow) if p.exp.is_Rational), default=1)
    return bool(
        abs(power) * max(digits, 1) > 1000 or (not base.is_number and abs(power) * degree > limits.POWER)
    )


def _refused(got: str, letters: Mapping[str, Any], what: str, remedy: str) -> UnusableInput:
    named = "".join(f" {n}," for n in letters)
    return UnusableInput(f"{what} of numbers,{named} + - * / **, exp, log and sqrt", got, remedy)
