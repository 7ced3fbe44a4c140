"""Statements about minibatches in exact numbers, by going through all minibatches of small data.

Derivatives are taken by differences that are exact for polynomials of degree four and below, and an
online average is run. Nothing here is shared with the normal form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import sympy as sp

from sgtheory import exact
from sgtheory.fields import multiply, transpose
from sgtheory.matrixwords import Trace
from verification.batchwords import (
    At,
    Average,
    BatchAverage,
    DataColumn,
    DataNumber,
    Degree,
    Expectation,
    First,
    FixedColumn,
    FixedSquare,
    Gradient,
    Hessian,
    Inner,
    Online,
    has_bare_batch,
    has_bare_example,
)
from verification.kinds import Transpose
from verification.notation import D, N, S

_HIGHEST = 6  # degree in theta that is looked for
_STEPS = 3  # of an online average


@dataclass(frozen=True, eq=False)  # values are remembered for a Data, not for what is in it
class Data:
    """Exact values of everything, and the minibatch or example that a statement is about, if any."""

    columns: Mapping[str, Sequence[Any]]  # a D x 1 matrix for each example
    numbers: Mapping[str, Sequence[Fraction]]
    fixed: Mapping[str, Any]  # columns and square matrices
    scalars: Mapping[str, Fraction]
    N: int
    S: int
    D: int
    repeats: bool  # drawn with replacement
    batch: tuple[int, ...] = ()
    here: int = -1

    def batches(self) -> list[tuple[int, ...]]:
        """All minibatches, in the order in which they were drawn."""
        if self.repeats:
            return list(product(range(self.N), repeat=self.S))
        return list(permutations(range(self.N), self.S))

    def each(self, minibatch: bool, example: bool) -> Iterator[Data]:
        """Every minibatch, every example, where a statement is about each."""
        if not minibatch and not example:
            yield self
            return
        for batch in self.batches() if minibatch else [()]:
            for here in range(self.N) if example else [-1]:
                yield replace(self, batch=batch, here=here)


Batch = tuple[int, ...]
Here = Callable[[Data], Any]
Value = Callable[[Data, Batch, int], Any]  # at a minibatch, at an example


def compiled(expr: Any) -> Callable[[Data], Any]:
    """An expression as a function of data: a Fraction, or a matrix as a list of rows.

    >>> from verification.batchwords import numbers
    >>> y = numbers("y")
    >>> data = Data({}, {"y": [Fraction(0), Fraction(2)]}, {}, {}, N=2, S=2, D=1, repeats=True)
    >>> compiled(Expectation((BatchAverage(y) - Average(y)) ** 2))(data)
    Fraction(1, 2)
    """
    value = _compiled(sp.sympify(expr))
    return lambda data: value(data, data.batch, data.here)


def _compiled(expr: Any) -> Value:
    if expr.is_Rational:
        value = Fraction(int(expr.p), int(expr.q))
        return lambda data, b, n: value
    if expr.is_Symbol:
        return _symbol(expr)
    if expr.is_Add:
        return _folded([_compiled(a) for a in expr.args], added)
    if expr.is_Mul:
        return _folded([_compiled(a) for a in expr.args], multiplied)
    if expr.is_Pow:
        return _power(_compiled(expr.base), expr.exp)
    if has_bare_batch(expr) or has_bare_example(expr):
        return _word(expr)
    return _remembered(_word(expr))


def _remembered(value: Value) -> Value:
    """What is the same for every minibatch and example is found once."""
    last: list[Any] = [None, None]

    def at(data: Data, b: Batch, n: int) -> Any:
        if last[0] is not data:
            last[:] = [data, value(data, b, n)]
        return last[1]

    return at


def _symbol(symbol: Any) -> Value:
    name = symbol.name
    if isinstance(symbol, DataColumn):
        return lambda data, b, n: data.columns[name][n]
    if isinstance(symbol, DataNumber):
        return lambda data, b, n: data.numbers[name][n]
    if isinstance(symbol, FixedColumn | FixedSquare):
        return lambda data, b, n: data.fixed[name]
    if symbol in (N, S, D):
        return lambda data, b, n: Fraction(getattr(data, name))
    if not symbol.is_commutative:  # the identity
        return lambda data, b, n: [[Fraction(int(i == j)) for j in range(data.D)] for i in range(data.D)]
    return lambda data, b, n: data.scalars[name]


def _folded(parts: list[Value], join: Callable[[Any, Any], Any]) -> Value:
    def at(data: Data, b: Batch, n: int) -> Any:
        found = parts[0](data, b, n)
        for part in parts[1:]:
            found = join(found, part(data, b, n))
        return found

    return at


def _power(base: Value, exponent: Any) -> Value:
    if exponent.is_Integer:
        power = int(exponent)
        if power < 0:
            return lambda data, b, n: number(base(data, b, n)) ** power

        def at(data: Data, b: Batch, n: int) -> Any:
            value = base(data, b, n)
            found = value
            for _ in range(power - 1):
                found = multiplied(found, value)
            return found

        return at

    def root(data: Data, b: Batch, n: int) -> Fraction:
        squared = number(base(data, b, n))
        value = exact.root(squared, "")
        if value**2 != squared:
            raise TypeError("no rational root")
        return value ** int(2 * exponent)

    return root


def _word(expr: Any) -> Value:
    inner = _compiled(expr.args[0])
    if isinstance(expr, At):
        value = _compiled(expr.args[1])

        def there(data: Data, b: Batch, n: int) -> Any:
            moved = replace(data, fixed={**data.fixed, "theta": column(value(data, b, n), data.D)})
            return inner(moved, b, n)

        return there
    if isinstance(expr, Inner):
        other = _compiled(expr.args[1])
        return lambda data, b, n: _inner(inner(data, b, n), other(data, b, n))
    simple: dict[Any, Value] = {
        Average: lambda data, b, n: mean([inner(data, b, k) for k in range(data.N)]),
        BatchAverage: lambda data, b, n: mean([inner(data, b, k) for k in b]),
        First: lambda data, b, n: inner(data, b, b[0]),
        Expectation: lambda data, b, n: mean([inner(data, c, n) for c in data.batches()]),
        Online: lambda data, b, n: _online(inner, data, n),
        Transpose: lambda data, b, n: turned(inner(data, b, n)),
        Trace: lambda data, b, n: _trace(inner(data, b, n)),
        Gradient: lambda data, b, n: _gradient(lambda d: inner(d, b, n), data),
        Hessian: lambda data, b, n: _hessian(lambda d: inner(d, b, n), data),
        Degree: lambda data, b, n: _degree(lambda d: inner(d, b, n), data),
    }
    if type(expr) not in simple:
        raise NotImplementedError(f"{type(expr).__name__} in a statement about minibatches")
    return simple[type(expr)]


def is_matrix(x: Any) -> bool:
    """Whether a value is a list of rows."""
    return isinstance(x, list)


def number(x: Any) -> Fraction:
    """A number, perhaps as a 1 x 1 matrix."""
    if is_matrix(x):
        if len(x) != 1 or len(x[0]) != 1:
            raise Unlike("a matrix where a number is wanted")
        return Fraction(x[0][0])
    return Fraction(x)


def column(x: Any, size: int) -> Any:
    """A value in the place of a column; a plain zero is one."""
    if not is_matrix(x) and x == 0:
        return [[Fraction(0)]] * size
    return x if is_matrix(x) else [[x]]


class Unlike(ValueError):
    """Values whose shapes do not fit."""


def added(a: Any, b: Any) -> Any:
    """The sum; a plain zero fits everything."""
    if is_matrix(a) and is_matrix(b):
        if len(a) != len(b) or len(a[0]) != len(b[0]):
            raise Unlike("a sum of shapes that do not fit")
        return [[x + y for x, y in zip(r, q, strict=True)] for r, q in zip(a, b, strict=True)]
    for one, other in ((a, b), (b, a)):
        if not is_matrix(one) and one == 0:
            return other
    return number(a) + number(b)


def multiplied(a: Any, b: Any) -> Any:
    """The product of matrices, or with a number (a 1 x 1 matrix is one)."""
    for one, other in ((a, b), (b, a)):
        if not is_matrix(one) or (len(one) == len(one[0]) == 1):
            x = number(one)
            return [[x * y for y in row] for row in other] if is_matrix(other) else x * other
    if len(a[0]) != len(b):
        raise Unlike("a product of shapes that do not fit")
    return multiply(a, b)


def turned(x: Any) -> Any:
    """The transpose."""
    return transpose(x) if is_matrix(x) else x


def scaled(x: Any, factor: Fraction) -> Any:
    """A multiple."""
    return [[factor * y for y in row] for row in x] if is_matrix(x) else factor * x


def mean(values: list[Any]) -> Any:
    """The mean of some values of one shape."""
    found = values[0]
    for value in values[1:]:
        found = added(found, value)
    return scaled(found, Fraction(1, len(values)))


def _inner(a: Any, b: Any) -> Fraction:
    """Of two columns; zero with anything is zero."""
    columns = [x for x in (a, b) if is_matrix(x)]
    if any(len(x[0]) != 1 for x in columns) or len({len(x) for x in columns}) > 1:
        raise Unlike("an inner product of what are no columns")
    return number(multiplied(turned(a), b))


def _trace(x: Any) -> Any:
    if is_matrix(x) and len(x) != len(x[0]):
        raise Unlike("the trace of what is not square")
    return sum((row[k] for k, row in enumerate(x)), Fraction(0)) if is_matrix(x) else x


def _online(inner: Value, data: Data, n: int) -> Any:
    """C_t = (1 - 1/t) C_{t-1} + X_t/t in expectation, from a start that is far off."""
    each = mean([inner(data, b, n) for b in data.batches()])
    found = added(scaled(each, Fraction(0)), scaled(each, Fraction(7)))
    for t in range(1, _STEPS + 1):
        found = added(scaled(found, 1 - Fraction(1, t)), scaled(each, Fraction(1, t)))
    return found


def _moved(data: Data, by: Mapping[int, int]) -> Data:
    theta = [[x + by.get(k, 0) for x in row] for k, row in enumerate(data.fixed["theta"])]
    return replace(data, fixed={**data.fixed, "theta": theta})


def _slope(inner: Here, data: Data, k: int) -> Any:
    """By the differences over one and two steps: exact to degree four."""
    near = [inner(_moved(data, {k: h})) for h in (1, -1, 2, -2)]
    weights = (Fraction(2, 3), Fraction(-2, 3), Fraction(-1, 12), Fraction(1, 12))
    found = scaled(near[0], weights[0])
    for value, weight in zip(near[1:], weights[1:], strict=True):
        found = added(found, scaled(value, weight))
    return found


def _gradient(inner: Here, data: Data) -> Any:
    return [[number(_slope(inner, data, k))] for k in range(data.D)]


def _hessian(inner: Here, data: Data) -> Any:
    def slope(k: int) -> Here:
        return lambda moved: _slope(inner, moved, k)

    return [[number(_slope(slope(i), data, j)) for j in range(data.D)] for i in range(data.D)]


def _degree(inner: Here, data: Data) -> Fraction:
    """The highest order of differences along a line that do not vanish."""
    along = [1 + 2 * k for k in range(data.D)]
    values = [inner(_moved(data, {k: t * c for k, c in enumerate(along)})) for t in range(_HIGHEST + 2)]
    found, order = 0, 0
    while len(values) > 1:
        values = [added(b, scaled(a, Fraction(-1))) for a, b in pairwise(values)]
        order += 1
        if any(x != 0 for v in values for row in (v if is_matrix(v) else [[v]]) for x in row):
            found = order
    return Fraction(found)
