"""Binding: a program meets numbers. Exact until here; from here on floats, which are recorded.

Only elementwise NumPy is used for products and factors, never a linear-algebra library, so that
the constants of a run do not depend on how that library was built.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import sympy as sp

from sgtheory.datamodels.coordinates import ExampleNumber, ExampleRow
from sgtheory.declare import DiagonalOf, MatrixName, Parameter, Root, Size
from sgtheory.errors import UnusableInput
from simulators.program import DATA, Batches, Constant, Program
from simulators.rewrites import Product

Array = np.ndarray[Any, Any]

_SMALL = 1e-6  # of a variance: with less left, the order of elimination is chosen


class Values(Protocol):
    """The exact numbers of a problem, as far as a simulation reads them."""

    @property
    def D(self) -> int: ...  # noqa: D102
    @property
    def scalars(self) -> Mapping[str, Fraction]: ...  # noqa: D102
    @property
    def matrices(self) -> Mapping[str, tuple[tuple[Fraction, ...], ...]]: ...  # noqa: D102
    @property
    def start(self) -> Mapping[str, tuple[Fraction, ...]]: ...  # noqa: D102
    @property
    def vectors(self) -> Mapping[str, tuple[Fraction, ...]]: ...  # noqa: D102
    @property
    def data(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def replacement(self) -> bool: ...  # noqa: D102
    @property
    def count(self) -> int | None: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class Bound:
    """A program with its numbers. ``exact`` are the constants in float64, before their rounding."""

    program: Program
    D: int
    dtype: Any
    exact: Mapping[str, Any]  # constant name -> float or float64 array
    start: Mapping[str, Array]  # the states that start at a given vector
    batches: Batches | None = None
    patterns: tuple[tuple[str, str], ...] = ()  # where matrices are zero

    @property
    def size(self) -> int:
        """How many numbers make the state of one chain."""
        return len(self.program.states) * self.D

    def constant(self, name: str) -> Any:
        """A constant as the kernels see it, rounded to the run's type."""
        return np.asarray(self.exact[name], self.dtype)

    def recorded(self) -> dict[str, Any]:
        """Every constant with its meaning and the value that was used."""
        return {f"{c.name} = {c.text}": self._told(c) for c in self.program.constants}

    def _told(self, constant: Constant) -> Any:
        value = self.constant(constant.name)
        if constant.shape not in DATA:
            return value.tolist()
        return {"shape": list(value.shape), "sha256": hashlib.sha256(value.tobytes()).hexdigest()}

    def schedule(self, first_step: int, steps: int) -> Array:
        """The scheduled values of some steps, (steps, number of values), rounded once."""
        t = np.arange(first_step, first_step + steps, dtype=np.float64)
        known: dict[str, Any] = {"t": t}
        for instruction in self.program.schedule:
            args = [known[a] if a in known else self.exact[a] for a in instruction.args]
            known[instruction.result] = ELEMENTWISE[instruction.op](*args)
        columns = [np.broadcast_to(known[n], t.shape) for n in self.program.scheduled]
        table = np.stack(columns, axis=-1) if columns else np.empty((steps, 0))
        return np.ascontiguousarray(table, self.dtype)


# What an operation does to NumPy arrays, coordinate by coordinate.
ELEMENTWISE: Mapping[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "fma": lambda a, b, c: a * b + c,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "logistic": lambda c, a: c / (1 + np.exp(a)),
    "abs": np.abs,
    "pow": np.power,
    "mod": np.mod,
    "less": np.less,
    "lessequal": np.less_equal,
    "select": lambda p, a, b: np.where(p != 0, a, b),
}


def bind(program: Program, values: Values, dtype: Any = np.float64) -> Bound:
    """A program with the numbers of a problem."""
    scalars = {k: sp.Rational(v.numerator, v.denominator) for k, v in values.scalars.items()}
    scalars["D"] = sp.Integer(values.D)
    matrices = {k: _floats(m) for k, m in values.matrices.items()}
    exact = {
        c.name: _evaluate(c.shape, c.expression, scalars, matrices, values) for c in program.constants
    }
    batches = None
    if any(c.shape in DATA for c in program.constants):
        batches = Batches(*(int(values.scalars[k]) for k in ("N", "S")))
    patterns = tuple((c.name, pattern(exact[c.name])) for c in program.constants if c.shape == "matrix")
    start = {k: np.array([float(x) for x in v]) for k, v in values.start.items()}
    start.setdefault("theta", np.zeros(values.D))
    return Bound(program, values.D, np.dtype(dtype), exact, start, batches, patterns)


def _floats(matrix: Any) -> Array:
    return np.array([[float(x) for x in row] for row in matrix])


def _evaluate(shape: str, expression: Any, scalars: Any, matrices: Any, values: Values) -> Any:
    if shape == "scalar":
        of = {s.name: values.data[s.of][s.number] for s in expression.atoms(ExampleNumber)}
        return _scalar(expression, {**scalars, **{k: _rational(v) for k, v in of.items()}})
    if shape == "matrix":
        return _matrix(expression, scalars, matrices, values.D)
    if shape in DATA:
        return _of_examples(expression, values)
    if isinstance(expression, ExampleRow):
        return np.array([float(x) for x in values.data[expression.of][expression.number]])
    if isinstance(expression, DiagonalOf):
        return np.diag(_matrix(expression.args[0], scalars, matrices, values.D)).copy()
    given = values.vectors
    if str(expression) not in given:
        raise UnusableInput(f"the vector {expression}", "a problem without it", f"give {expression}")
    return np.array([float(x) for x in given[str(expression)]])


def _of_examples(expression: Any, values: Values) -> Array:
    """Rows or numbers of a data set; a product is a number of each example times its row."""
    found = [np.asarray(values.data[str(f)], np.float64) for f in sp.Mul.make_args(expression)]
    product, *others = sorted(found, key=lambda f: -f.ndim)
    for other in others:
        product = product * other[:, None]
    if product.ndim == 2 and product.shape[1] < values.D:  # of fewer columns than the point has
        product = np.pad(product, ((0, 0), (0, values.D - product.shape[1])))
    return product


def _rational(x: Any) -> Any:
    exact = Fraction(x)
    return sp.Rational(exact.numerator, exact.denominator)


def _scalar(expression: Any, scalars: Mapping[str, Any]) -> float:
    wanted = {s for s in expression.atoms(sp.Symbol) if isinstance(s, Parameter | Size | ExampleNumber)}
    for symbol in sorted(wanted, key=str):
        if symbol.name not in scalars:
            raise UnusableInput(f"a value for {symbol}", "none", f'add "{symbol}" to the problem')
    value = expression.xreplace({s: scalars[s.name] for s in wanted})
    # 40 digits, so that the one rounding that counts is the one to a float
    return float(sp.N(value, 40))


def _matrix(expression: Any, scalars: Any, matrices: Any, dimension: int) -> Array:
    if isinstance(expression, sp.Add):
        parts = [_matrix(a, scalars, matrices, dimension) for a in expression.args]
        return np.add.reduce(parts)
    if isinstance(expression, Product):
        scalar, *factors = expression.args
        result = _matrix(factors[0], scalars, matrices, dimension)
        for factor in factors[1:]:
            result = product(result, _matrix(factor, scalars, matrices, dimension))
        return np.asarray(_scalar(scalar, scalars) * result)
    if isinstance(expression, Root):
        return root(_matrix(expression.args[0], scalars, matrices, dimension))
    assert isinstance(expression, MatrixName), expression
    name = expression.name
    if name in matrices:
        return np.asarray(matrices[name])
    if name == "B" and "C" in matrices:
        return factor_of(matrices["C"])
    raise UnusableInput(f"the matrix {name}", "none", f'add "{name}" to the problem')


def pattern(matrix: Array) -> str:
    """Where a matrix is zero, as far as kernels make use of it.

    >>> pattern(np.eye(2)), pattern(np.array([[1.0, 0.0], [2.0, 1.0]])), pattern(np.ones((2, 2)))
    ('diagonal', 'lower', 'full')
    >>> pattern(np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]))
    'columns:2'
    """
    size = len(matrix)
    used = 1 + int(np.flatnonzero(matrix.any(axis=0)).max(initial=0))
    lengths = {"full": size**2}
    if used < size:
        lengths[f"columns:{used}"] = used * size
    if not np.triu(matrix, 1).any() and size > 1:
        lengths["lower"] = size * (size + 1) // 2
        if not np.tril(matrix, -1).any():
            lengths["diagonal"] = size
    return min(lengths, key=lambda kind: lengths[kind])


def product(left: Array, right: Array) -> Array:
    """The product of two matrices, summed in the order of the inner index.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    total = left[:, :1] * right[:1, :]
    for k in range(1, left.shape[1]):
        total = total + left[:, k : k + 1] * right[k : k + 1, :]
    return total


def factor_of(covariance: Array) -> Array:
    """A factor B with ``B B^T`` the covariance, which may be singular.

    Symmetric elimination in the order of the coordinates, which gives a lower triangle; where too
    little of a variance remains, once more with the largest first. Then what is left when only
    rounding remains is dropped, so that a direction without noise gets none.

    >>> factor_of(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    >>> factor_of(np.array([[4.0, 2.0], [2.0, 1.0]]))
    array([[2., 0.],
           [1., 0.]])
    """
    rest = np.array(covariance, np.float64)
    size = len(rest)
    in_order = _lower_factor(rest)
    if in_order is not None:
        return in_order
    negligible = size * np.finfo(float).eps * float(np.max(np.diag(rest), initial=0.0))
    factor = np.zeros_like(rest)
    for column in range(size):
        pivot = int(np.argmax(np.diag(rest)))
        variance = rest[pivot, pivot]
        if not variance > negligible:
            break
        factor[:, column] = rest[:, pivot] / np.sqrt(variance)
        rest = rest - factor[:, column, None] * factor[None, :, column]
        rest[pivot, :] = rest[:, pivot] = 0.0
    return factor


def _lower_factor(covariance: Array) -> Array | None:
    """Cholesky's factor, unless a direction is nearly without noise."""
    rest, factor = covariance.copy(), np.zeros_like(covariance)
    for k, variance in enumerate(np.diag(covariance)):
        if not rest[k, k] > _SMALL * variance:
            return None
        factor[k:, k] = rest[k:, k] / np.sqrt(rest[k, k])
        rest = rest - factor[:, k, None] * factor[None, :, k]
    return factor


def root(matrix: Array) -> Array:
    """The symmetric square root of a positive-semidefinite matrix."""
    eigenvalues, vectors = np.linalg.eigh(matrix)
    return product(vectors * np.sqrt(np.maximum(eigenvalues, 0.0)), vectors.T)
