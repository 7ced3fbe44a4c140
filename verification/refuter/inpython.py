"""Expressions of SymPy as the text of scripts, with names that scripts do not use themselves."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

from verification.refuter.script import identifier

# names that the scripts use themselves
_TAKEN = frozenset((*"nRJFPXLabcdfklpqstw", "to", "var", "at", "of", "slope", "steps", "start", "mean"))


class Python(StrPrinter):
    """Expressions as Python text with exact fractions."""

    def _print_Rational(self, expr: Any) -> str:
        return f"F({expr.p}, {expr.q})"

    def _print_Symbol(self, expr: Any) -> str:
        return name_of(expr)

    _print_Dummy = _print_Symbol


def name_of(symbol: Any) -> str:
    """A symbol's name as an identifier."""
    return identifier(symbol.name, _TAKEN)


def python(expr: Any) -> str:
    """An expression as Python text.

    >>> python(sp.Symbol("lambda") + sp.Rational(1, 2))
    'lambda_ + F(1, 2)'
    """
    return str(Python().doprint(sp.sympify(expr)))
