"""Formulas that a user gives as text: ``eps/2``, ``(x**2 - 1)**2/4``.

The text is read by a small grammar of its own (numbers, letters, + - * / **, exp, log, sqrt) and never
run as a program, so that it can do nothing but describe a number.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput

_FUNCTIONS = {"exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt}
_OPERATORS: dict[type, Any] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b,
}  # fmt: skip
_LONGEST = 1000


def formula(
    text: Any, letters: Mapping[str, Any], what: str = "a formula", remedy: str = "write eps/2"
) -> Any:
    """The expression of a text in some letters, its decimals exact.

    >>> eps = sp.Symbol("eps", positive=True)
    >>> formula("0.1*eps + sqrt(4)", {"eps": eps})
    eps/10 + 2
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise _refused(str(text)[:40], letters, what, remedy)
    reader = _Reader(text.strip(), letters, what, remedy)
    try:
        return sp.sympify(reader.value(ast.parse(reader.text, mode="eval").body))
    except (SyntaxError, RecursionError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, UnusableInput):
            raise
        raise _refused(text[:40], letters, what, remedy) from None


@dataclass(frozen=True)
class _Reader:
    text: str
    letters: Mapping[str, Any]
    what: str
    remedy: str

    def value(self, node: Any) -> Any:
        """What a node of the syntax tree is worth."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            written = Fraction(str(ast.get_source_segment(self.text, node)))
            return sp.Rational(written.numerator, written.denominator)
        if isinstance(node, ast.Name) and node.id in self.letters:
            return self.letters[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            operand = self.value(node.operand)
            return -operand if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            left, right = self.value(node.left), self.value(node.right)
            if isinstance(node.op, ast.Pow) and _enormous(left, right):
                raise self.refused("an enormous power")
            return _OPERATORS[type(node.op)](left, right)
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            function = _FUNCTIONS.get(getattr(node.func, "id", ""))
            if function:
                return function(self.value(node.args[0]))
        raise self.refused(str(ast.get_source_segment(self.text, node))[:40])

    def refused(self, got: str) -> UnusableInput:
        """An error that names what may be written."""
        return _refused(got, self.letters, self.what, self.remedy)


def _enormous(base: Any, power: Any) -> bool:
    """Whether a power would have thousands of digits, or of factors."""
    digits = len(str(base)) if sp.sympify(base).is_number else 1
    return bool(sp.sympify(power).is_number and abs(power) * digits > 1000)


def _refused(got: str, letters: Mapping[str, Any], what: str, remedy: str) -> UnusableInput:
    named = "".join(f" {n}," for n in letters)
    return UnusableInput(f"{what} of numbers,{named} + - * / **, exp, log and sqrt", got, remedy)
