"""Matrix expressions of a small dimension, entry by entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import Diagonal, Trace


@dataclass(frozen=True)
class Components:
    """The entries of every matrix letter."""

    matrices: Mapping[str, Any]
    size: int

    def value(self, expr: Any) -> Any:
        """A scalar or matrix expression in these entries."""
        expr = sp.sympify(expr)
        if expr.is_commutative:
            taken = {atom: self._taken(atom) for atom in expr.atoms(sp.Function)}
            return expr.subs(taken).subs(sp.Symbol("D", integer=True, positive=True), self.size)
        if isinstance(expr, sp.Symbol):
            return sp.eye(self.size) if expr.name == "I" else self.matrices[expr.name]
        if isinstance(expr, Diagonal):
            inside = self.value(expr.args[0])
            return sp.diag(*(inside[k, k] for k in range(self.size)))
        if isinstance(expr, sp.Pow):
            if not expr.exp.is_Integer:
                raise NotImplementedError(f"{expr} has no entries that are rational")
            return self.value(expr.base) ** int(expr.exp)
        parts = [self.value(a) for a in expr.args]
        if isinstance(expr, sp.Mul):
            total = sp.eye(self.size)
            for part in parts:
                total = total * part
            return total
        whole = [p if isinstance(p, sp.MatrixBase) else p * sp.eye(self.size) for p in parts]
        return sp.Add(*()) if not whole else sum(whole[1:], whole[0])

    def _taken(self, atom: Any) -> Any:
        if isinstance(atom, Trace):
            return sp.trace(self.value(atom.args[0]))
        raise NotImplementedError(f"{atom} has no form in components")
