"""To and from SymPy's non-commuting symbols, as ``modepairs.matrixform`` writes matrix equations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.matrices.coefficients import logarithm
from sgtheory.matrices.hypotheses import Equation
from sgtheory.matrices.inverses import inverse, matrix_power
from sgtheory.matrices.letters import Block, Factor, Letter
from sgtheory.matrices.scalars import diagonal_part, logdet, tr
from sgtheory.matrices.sums import Matrix, as_matrix, letter_of, letter_power, matrix_one, total


def from_sympy(expr: Any, letters: Iterable[Any], declared: bool = False) -> Any:
    """The matrix, scalar or equation that an expression in non-commuting symbols stands for.

    Symbols are matched by name; ``E^T`` is the transpose of E, ``I`` the identity, and so is 1 in a
    sum. ``Trace``, ``Diagonal``, ``Transpose`` and logarithms of a ``Determinant`` are understood by
    their names. ``declared`` says that sums which
    are inverted may be.

    >>> from sgtheory.matrices.sums import matrix
    >>> A, E = sp.symbols("A E", commutative=False)
    >>> known = [matrix("A", "positive_definite"), matrix("E")]
    >>> from_sympy((A**-1 + 2) * E * sp.Symbol("E^T", commutative=False), known)
    2*E*E^T + A^-1*E*E^T
    """
    reader = _Reader({letter_of(x).name: letter_of(x) for x in letters}, declared)
    if hasattr(expr, "left") and hasattr(expr, "right"):
        return Equation(as_matrix(reader.read(expr.left)), as_matrix(reader.read(expr.right)))
    return reader.read(sp.sympify(expr))


class _Reader:
    def __init__(self, letters: Mapping[str, Letter], declared: bool) -> None:
        self.letters, self.declared = letters, declared

    def read(self, expr: Any) -> Any:
        """A matrix for what does not commute, a scalar for what does."""
        name = getattr(expr.func, "__name__", "")
        if name in ("Trace", "tr") and expr.args:
            return tr(self.read(expr.args[0]))
        if name in ("Diagonal", "diag") and expr.args:
            return diagonal_part(self.read(expr.args[0]))
        if name == "log":
            return self._log(expr.args[0])
        if name in ("transpose", "Transpose"):
            return as_matrix(self.read(expr.args[0])).T
        if isinstance(expr, sp.Add):
            parts = [self.read(a) for a in expr.args]
            if any(isinstance(p, Matrix) for p in parts):
                return total(as_matrix(p) for p in parts)
            return sp.Add(*parts)
        if isinstance(expr, sp.Mul):
            out: Any = sp.S.One
            for part in map(self.read, expr.args):
                out = out * part
            return out
        if isinstance(expr, sp.Pow):
            return self._power(self.read(expr.base), expr.exp)
        return expr if expr.is_commutative else self._symbol(expr)

    def _log(self, inner: Any) -> Any:
        """The logarithm of a monomial in positive scalars and determinants."""
        parts = sp.S.Zero
        for factor in sp.Mul.make_args(sp.factor(inner)):
            base, power = factor.as_base_exp()
            named = getattr(base.func, "__name__", "") in ("Determinant", "det")
            one = logdet(self.read(base.args[0])) if named else logarithm(self.read(base))
            parts += power * one
        return parts

    def _power(self, base: Any, power: Any) -> Any:
        if not isinstance(base, Matrix):
            return base**power
        if power.is_Integer and power < 0:
            return matrix_power(inverse(base, self.declared), -power)
        return matrix_power(base, power)

    def _symbol(self, expr: Any) -> Matrix:
        name = str(expr)
        if name == "I":
            return matrix_one
        found = self.letters.get(name.removesuffix("^T"))
        if not isinstance(expr, sp.Symbol) or found is None:
            raise UnusableInput(
                f"matrices among {', '.join(self.letters) or 'none'}",
                name,
                "declare it with matrix(name)",
            )
        return letter_power(found, 1, name.endswith("^T"))


def to_sympy(value: Any) -> Any:
    """The expression in non-commuting symbols; a multiple of the identity becomes a number.

    >>> from sgtheory.matrices.sums import matrix
    >>> A, E = matrix("A", "positive_definite"), matrix("E")
    >>> to_sympy(2 * A**-1 * E.T + 1)
    1 + 2*A**(-1)*E^T
    """
    if not isinstance(value, Matrix):
        return sp.sympify(value)
    return sp.Add(*(c * sp.Mul(*map(_factor, w)) for w, c in value.terms))


def _factor(f: Factor) -> Any:
    power = sp.Rational(f.power.numerator, f.power.denominator)
    if isinstance(f.base, Letter):
        return sp.Symbol(f.base.name + "^T" * f.transposed, commutative=False) ** power
    if isinstance(f.base, Block):
        return to_sympy(Matrix(f.base.terms)) ** power
    raise UnusableInput(
        "letters and inverted sums only", f.base.text, "name the diagonal part by a diagonal letter"
    )
