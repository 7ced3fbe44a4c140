"""Matrix expressions of a small dimension written out in positive numbers.

A is diagonal with increasing eigenvalues, which costs nothing where a statement does not name
coordinates; every other positive definite matrix is L L^T with a positive diagonal of L. What is below
the diagonal has a sign, so a statement becomes one for every choice of signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.matrixwords import Diagonal, LargestEigenvalue, SmallestEigenvalue, Trace
from sgtheory.setting import Setting
from verification.laws.pair_form import DELTA, NOISE


@dataclass(frozen=True)
class Components:
    """The entries of every matrix letter, in positive symbols."""

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
        if isinstance(atom, SmallestEigenvalue | LargestEigenvalue) and str(atom.args[0]) == "A":
            A = self.matrices["A"]  # diagonal, increasing
            return A[0, 0] if isinstance(atom, SmallestEigenvalue) else A[self.size - 1, self.size - 1]
        raise NotImplementedError(f"{atom} has no form in components")


def components(
    kinds: Mapping[str, str], size: int, law: tuple[Setting, str] | None = None
) -> Iterator[Components]:
    """The letters of these kinds in one dimension, for every choice of signs below the diagonals.

    >>> one, two = components({"A": "positive definite", "C": "positive definite"}, 2)
    >>> one.matrices["C"]
    Matrix([
    [  C_11**2,         C_11*C_21],
    [C_11*C_21, C_21**2 + C_22**2]])
    """
    free = [n for n in kinds if n != "A"]
    if any(kinds[n] not in ("positive definite", "diagonal", "any") for n in kinds):
        return
    below = [(i, j) for i in range(size) for j in range(i)]
    signed = [(n, cell) for n in free if kinds[n] != "diagonal" for cell in below]
    for signs in product((1, -1), repeat=len(signed)):
        sign = dict(zip(signed, signs, strict=True))
        matrices = {n: _letter(n, kinds[n], size, sign) for n in free}
        if "A" in kinds:
            matrices["A"] = _increasing("A", size)
        if "B" in matrices:
            matrices["C"] = matrices["B"] * matrices["B"].T
        if law is not None:
            matrices |= _moments(*law, matrices, size)
        yield Components(matrices, size)


def _symbol(name: str, i: int, j: int) -> Any:
    return sp.Symbol(f"{name}_{i + 1}{j + 1}", positive=True)


def _increasing(name: str, size: int) -> Any:
    steps = [_symbol(name, k, k) for k in range(size)]
    return sp.diag(*(sp.Add(*steps[: k + 1]) for k in range(size)))


def _letter(name: str, kind: str, size: int, sign: Mapping[Any, int]) -> Any:
    """B itself is taken lower triangular: only B B^T enters."""

    def entry(i: int, j: int) -> Any:
        if i == j:
            return _symbol(name, i, j)
        return sign[name, (i, j)] * _symbol(name, i, j) if i > j and kind != "diagonal" else 0

    lower = sp.Matrix(size, size, entry)
    return lower if kind == "diagonal" or name == "B" else lower * lower.T


def _moments(setting: Setting, time: str, matrices: Mapping[str, Any], size: int) -> dict[str, Any]:
    """The stationary second moments, from the formula at a pair of modes."""
    pair, A, C = stationary(setting, time), matrices["A"], matrices["C"]

    def block(a: str, b: str) -> Any:
        formula = pair.entry(a, b)
        return sp.Matrix(
            size,
            size,
            lambda i, j: formula.subs(
                {LI: A[i, i], LJ: A[j, j], NOISE: C[i, j], DELTA: int(i == j)}, simultaneous=True
            ),
        )

    names = [s.name for s in pair.form.states]
    found = {f"P_{a}_{b}": block(a, b) for a in names for b in names}
    return {**found, "Sigma": found["P_theta_theta"]}
