"""Expressions of SymPy as Python text in decimals, for scripts."""

from __future__ import annotations

from typing import Any

from sympy.printing.str import StrPrinter

from verification.refuter.inpython import name_of


class Decimals(StrPrinter):
    """Expressions as Python text in decimals."""

    def _print_Symbol(self, expr: Any) -> str:
        return name_of(expr)

    def _print_Integer(self, expr: Any) -> str:
        return f"d({expr.p})"

    def _print_Rational(self, expr: Any) -> str:
        return f"(d({expr.p}) / d({expr.q}))"

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        return f"({self._print(expr.base)}) ** ({self._print(expr.exp)})"

    def _print_exp(self, expr: Any) -> str:
        return f"({self._print(expr.args[0])}).exp()"

    def _print_Max(self, expr: Any) -> str:
        return f"max({', '.join(self._print(a) for a in expr.args)})"

    def _print_Exp1(self, expr: Any) -> str:
        return "d(1).exp()"

    def _print_log(self, expr: Any) -> str:
        return f"({self._print(expr.args[0])}).ln()"
