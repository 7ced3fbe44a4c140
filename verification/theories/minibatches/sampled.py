"""Exact numbers over data: a value for each minibatch and each example, where it depends on them.

Derivatives are taken by differences that are exact for polynomials of degree four and below, and an
online average is run. Nothing here is shared with the normal form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

from sgtheory.independent.fields import multiply, transpose
from sgtheory.reader import exact
from verification.terms.term import Letter
from verification.terms.walking import Arithmetic, Unable, Undefined
from verification.theories.minibatches import words

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


@dataclass(frozen=True, eq=False)
class Sampled:
    """A value as a function of the data, of a minibatch and of an example.

    ``of_batch`` and ``of_example``: whether it may differ from one to the other. What does not is found
    once for each ``Data``.
    """

    rule: Callable[[Data, Batch, int], Any]
    of_batch: bool = False
    of_example: bool = False

    def at(self, data: Data, b: Batch, n: int) -> Any:
        """A Fraction, or a matrix as rows."""
        if self.of_batch or self.of_example:
            return self.rule(data, b, n)
        last = self.__dict__.get("last")
        if last is None or last[0] is not data:
            last = data, self.rule(data, b, n)
            self.__dict__["last"] = last
        return last[1]


def constant(x: Any) -> Sampled:
    """A number that is the same everywhere."""
    value = Fraction(x)
    return Sampled(lambda data, b, n: value)


def letter(one: Letter) -> Sampled:
    """What a letter is worth."""
    name = one.name
    if one.kind == words.COLUMNS:
        return Sampled(lambda data, b, n: data.columns[name][n], of_example=True)
    if one.kind == words.NUMBERS:
        return Sampled(lambda data, b, n: data.numbers[name][n], of_example=True)
    if one.kind in words.KINDS:
        return Sampled(lambda data, b, n: data.fixed[name])
    if name in ("N", "S", "D"):
        return Sampled(lambda data, b, n: Fraction(getattr(data, name)))
    if one.kind == "matrix":
        return Sampled(lambda data, b, n: unit(data.D))
    return Sampled(lambda data, b, n: data.scalars[name])


def _pointwise(f: Callable[..., Any]) -> Callable[..., Sampled]:
    """An operation on values, for each minibatch and example."""

    def lifted(*parts: Sampled) -> Sampled:
        def rule(data: Data, b: Batch, n: int) -> Any:
            return f(*(p.at(data, b, n) for p in parts))

        return Sampled(rule, any(p.of_batch for p in parts), any(p.of_example for p in parts))

    return lifted


def _over_examples(a: Sampled) -> Sampled:
    return Sampled(lambda data, b, n: mean([a.at(data, b, k) for k in range(data.N)]), a.of_batch)


def _over_batch(a: Sampled) -> Sampled:
    return Sampled(lambda data, b, n: mean([a.at(data, b, k) for k in b]), True)


def _first(a: Sampled) -> Sampled:
    return Sampled(lambda data, b, n: a.at(data, b, b[0]), True)


def _over_batches(a: Sampled) -> Sampled:
    return Sampled(
        lambda data, b, n: mean([a.at(data, c, n) for c in data.batches()]), of_example=a.of_example
    )


def _run(a: Sampled) -> Sampled:
    """C_t = (1 - 1/t) C_{t-1} + X_t/t in expectation, from a start that is far off."""

    def rule(data: Data, b: Batch, n: int) -> Any:
        each = mean([a.at(data, c, n) for c in data.batches()])
        found = added(scaled(each, Fraction(0)), scaled(each, Fraction(7)))
        for t in range(1, _STEPS + 1):
            found = added(scaled(found, 1 - Fraction(1, t)), scaled(each, Fraction(1, t)))
        return found

    return Sampled(rule, of_example=a.of_example)


def _of_theta(f: Callable[[Here, Data], Any]) -> Callable[[Sampled], Sampled]:
    """An operation on a function of theta."""

    def lifted(a: Sampled) -> Sampled:
        def rule(data: Data, b: Batch, n: int) -> Any:
            return f(lambda moved: a.at(moved, b, n), data)

        return Sampled(rule, a.of_batch, a.of_example)

    return lifted


def _at_theta(a: Sampled, x: Sampled) -> Sampled:
    def rule(data: Data, b: Batch, n: int) -> Any:
        there = {**data.fixed, "theta": column(x.at(data, b, n), data.D)}
        return a.at(replace(data, fixed=there), b, n)

    return Sampled(rule, a.of_batch or x.of_batch, a.of_example or x.of_example)


def unit(size: int) -> list[list[Fraction]]:
    """The identity."""
    return [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]


def _power(a: Any, exponent: Any) -> Any:
    power = Fraction(exponent)
    if power.denominator == 2:
        a, power = exact.root(number(a), ""), 2 * power
    if power.denominator != 1:
        raise Unable("a root that need not be rational")
    if power <= 0:
        return _over(Fraction(1), number(a) ** -int(power))
    found = a
    for _ in range(int(power) - 1):
        found = multiplied(found, a)
    return found


def _over(a: Any, b: Any) -> Any:
    below = number(b)
    if below == 0:
        raise Undefined("division by zero")
    return multiplied(a, 1 / below)


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


class Unlike(Undefined):
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


SAMPLED = Arithmetic(
    "exact numbers over all minibatches",
    constant,
    {
        "add": _pointwise(added),
        "subtract": _pointwise(lambda a, b: added(a, scaled(b, Fraction(-1)))),
        "multiply": _pointwise(multiplied),
        "over": _pointwise(_over),
        "negative": _pointwise(lambda a: scaled(a, Fraction(-1))),
        "power": _pointwise(_power),
        "root": _pointwise(lambda a: _power(a, Fraction(1, 2))),
        "transpose": _pointwise(turned),
        "trace": _pointwise(_trace),
        "inner": _pointwise(_inner),
        "mean_n": _over_examples,
        "mean_s": _over_batch,
        "first_s": _first,
        "E": _over_batches,
        "online_average": _run,
        "grad": _of_theta(_gradient),
        "hess": _of_theta(_hessian),
        "degree": _of_theta(_degree),
        "at_theta": _at_theta,
    },
    exact=True,
)
