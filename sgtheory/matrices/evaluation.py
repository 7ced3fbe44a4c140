"""Matrix expressions on matrices of exact numbers: the route that knows no normal form.

Words are multiplied out, sums are inverted by elimination, traces and determinants are those of
numbers. Any field of ``sgtheory.independent.fields`` will do for the entries;
dual numbers differentiate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.independent.fields import Rows, add, inverse, matrix_of, multiply, total, transpose
from sgtheory.language import D
from sgtheory.matrices.coefficients import MatrixScalar, generators, logarithm
from sgtheory.matrices.letters import Block, Factor, Letter, Word
from sgtheory.matrices.scalars import LogDet
from sgtheory.matrices.sums import Matrix, letter_of
from sgtheory.reader.exact import is_definite

Lift = Callable[[Fraction], Any]


def evaluate(
    value: Any,
    letters: Mapping[Any, Any],
    scalars: Mapping[Any, Any] | None = None,
    roots: Mapping[Any, Any] | None = None,
    lift: Lift = Fraction,
) -> Any:
    """The value of a matrix (rows) or of a scalar where letters and symbols have exact values.

    ``roots`` gives H^(1/2) for letters of which half powers occur. A scalar with logarithms comes
    back as an exact SymPy expression. ``lift`` brings fractions into the field of the entries.

    >>> from sgtheory.matrices.scalars import tr
    >>> from sgtheory.matrices.sums import matrix
    >>> A = matrix("A", "positive_definite")
    >>> evaluate(tr(A**-1), {A: [[2, 1], [1, 3]]})
    Fraction(1, 1)
    """
    matrices, halves = ({x.name: m for x, m in _checked(v, lift)} for v in (letters, roots or {}))
    for name, half in halves.items():
        if matrices.setdefault(name, multiply(half, half)) != multiply(half, half):
            raise UnusableInput(f"a root of {name}", str(half), "give R with R*R equal to the matrix")
    sizes = {len(m) for m in matrices.values()}
    if len(sizes) != 1:
        raise UnusableInput("matrices of one size", f"sizes {sorted(sizes)}", "give D x D matrices")
    numbers = {s: _number(v, lift) for s, v in (scalars or {}).items()}
    numbers[D] = lift(Fraction(sizes.pop()))
    point = Point(matrices, halves, numbers, lift)
    return point.matrix(value) if isinstance(value, Matrix) else point.scalar(sp.sympify(value))


def _checked(values: Mapping[Any, Any], lift: Lift) -> Iterator[tuple[Letter, Rows]]:
    """Letters and their values, which must be as the letters are declared where that can be seen."""
    for x, rows in values.items():
        letter, value = letter_of(x), _rows(rows, lift)
        rational = all(isinstance(v, Fraction) for row in value for v in row)
        if rational and not letter.traits <= {"invertible"} and not fits(letter, value):
            traits = ", ".join(sorted(letter.traits)).replace("_", " ")
            raise UnusableInput(
                f"a matrix that is {traits} for {letter.name}", str(rows), "give another"
            )
        yield letter, value


def _number(value: Any, lift: Lift) -> Any:
    if isinstance(value, sp.Rational):
        value = Fraction(int(value.p), int(value.q))
    if isinstance(value, float):
        raise UnusableInput("exact numbers", str(value), "give a Fraction")
    return lift(Fraction(value)) if isinstance(value, int | Fraction) else value


def _rows(rows: Any, lift: Lift) -> Rows:
    listed = rows.tolist() if isinstance(rows, sp.MatrixBase) else rows
    made = [[_number(v, lift) for v in row] for row in listed]
    if any(len(row) != len(made) for row in made):
        raise UnusableInput("a square matrix", f"rows of length {[len(r) for r in made]}", "give D x D")
    return made


@dataclass(frozen=True)
class Point:
    """Values of letters (by name), of roots, and of symbols; D among the latter."""

    letters: Mapping[str, Rows]
    roots: Mapping[str, Rows]
    scalars: Mapping[Any, Any]
    lift: Lift = Fraction

    @property
    def size(self) -> int:
        """The dimension D."""
        return len(next(iter(self.letters.values())))

    def _scalar_matrix(self, c: Any) -> Rows:
        zero = self.lift(Fraction(0))
        return [[c if i == j else zero for j in range(self.size)] for i in range(self.size)]

    def matrix(self, a: Matrix) -> Rows:
        """The value of a sum of words."""
        out = self._scalar_matrix(self.lift(Fraction(0)))
        for w, c in a.terms:
            weight = self.scalar(c)
            out = add(out, [[weight * v for v in row] for row in self.word(w)])
        return out

    def word(self, word: Word) -> Rows:
        """The value of a product."""
        factors = map(self._factor, word)
        return reduce(multiply, factors) if word else self._scalar_matrix(self.lift(Fraction(1)))

    def _factor(self, f: Factor) -> Rows:
        if f.power.denominator == 2:
            base, power = self._named(self.roots, f, "roots"), int(2 * f.power)
        elif isinstance(f.base, Letter):
            base, power = self._named(self.letters, f, "letters"), int(f.power)
        elif isinstance(f.base, Block):
            base, power = self.matrix(Matrix(f.base.terms)), int(f.power)
        else:
            full, zero = self.word(f.base.word), self.lift(Fraction(0))
            base = [[v if i == j else zero for j, v in enumerate(r)] for i, r in enumerate(full)]
            power = int(f.power)
        if f.transposed:
            base = transpose(base)
        if power < 0:
            base = inverted(base)
        return reduce(multiply, [base] * abs(power))

    @staticmethod
    def _named(values: Mapping[str, Rows], f: Factor, argument: str) -> Rows:
        if f.base.text not in values:
            raise UnusableInput(f"a value of {f.base.text}", "none", f"give it in {argument}={{...}}")
        return values[f.base.text]

    def scalar(self, expr: Any) -> Any:
        """The value of a scalar; with logarithms, an exact SymPy expression."""
        if any(isinstance(g, sp.log | LogDet) for g in generators(expr)):
            return self._with_logarithms(expr)
        return self._walk(expr)

    def _walk(self, expr: Any) -> Any:
        if isinstance(expr, sp.Rational):
            return self.lift(Fraction(int(expr.p), int(expr.q)))
        if isinstance(expr, MatrixScalar):
            diagonal = [row[i] for i, row in enumerate(self.word(expr.word))]
            return total(diagonal, self.lift(Fraction(0)))
        if isinstance(expr, sp.Symbol):
            if expr not in self.scalars:
                raise UnusableInput(f"a value of {expr}", "none", "give it in scalars={...}")
            return self.scalars[expr]
        if isinstance(expr, sp.Pow):
            base, power = expr.args
            if not power.is_Integer:
                return _exact_root(self._walk(base)) ** int(2 * power)
            return self._walk(base) ** int(power)
        parts = [self._walk(a) for a in expr.args]
        out = parts[0]
        for part in parts[1:]:
            out = out + part if isinstance(expr, sp.Add) else out * part
        return out

    def _with_logarithms(self, expr: Any) -> Any:
        if isinstance(expr, LogDet):
            return logarithm(abs(_exact(determinant(self.word(expr.word)))))
        if isinstance(expr, sp.log):
            return logarithm(_exact(self._walk(expr.args[0])))
        if isinstance(expr, sp.Add | sp.Mul | sp.Pow):
            return sp.expand(expr.func(*(self._with_logarithms(a) for a in expr.args)))
        return _exact(self._walk(expr))


def _exact(value: Any) -> sp.Rational:
    if not isinstance(value, Fraction):
        raise _irrational(value)
    return sp.Rational(value.numerator, value.denominator)


def _irrational(value: Any) -> UnusableInput:
    return UnusableInput(
        "rational entries under a logarithm",
        type(value).__name__,
        "compare determinants instead of their logarithms",
    )


def _exact_root(value: Any) -> Fraction:
    if isinstance(value, Fraction) and value >= 0:
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root * root == value:
            return root
    raise UnusableInput("the square of a rational number under a root", str(value), "choose a square")


def inverted(rows: Rows) -> Rows:
    """The inverse; a singular matrix is a division by zero."""
    try:
        return inverse(rows)
    except ZeroDivisionError:
        raise ZeroDivisionError("the matrix is singular at these values") from None


def determinant(rows: Rows) -> Fraction:
    """The determinant of a matrix of fractions.

    >>> determinant([[2, 1], [1, 3]])
    Fraction(5, 1)
    """
    try:
        found = matrix_of(rows).det()
    except TypeError:
        raise _irrational(rows[0][0]) from None
    return Fraction(int(found.p), int(found.q))


def identity(size: int, entry: Fraction | int = 1) -> Rows:
    """A multiple of the identity."""
    return [[Fraction(entry if i == j else 0) for j in range(size)] for i in range(size)]


def fits(letter: Letter, m: Rows) -> bool:
    """Whether a matrix has the letter's assumptions."""
    size = range(len(m))
    if letter.symmetric and m != transpose(m):
        return False
    if letter.diagonal and any(m[i][j] != 0 for i in size for j in size if i != j):
        return False
    if letter.orthogonal and multiply(m, transpose(m)) != identity(len(m)):
        return False
    if letter.positive_definite:
        return is_definite(tuple(map(tuple, m)), strictly=True)
    return not letter.invertible or determinant(m) != 0
