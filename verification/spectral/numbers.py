"""Such equations in exact numbers, in two ways that share nothing but the walk through an expression.

``Closed`` takes exponentials where the eigenvalues are rational, and so decides equality at a place.
``Brute`` needs no eigenvalue: it writes z A for A, expands everything in powers of z, solves the moment
equations of the process and of its integral term by term, and compares coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory import exact
from sgtheory.fields import inverse
from sgtheory.setting import Setting
from verification.kinds import Transpose
from verification.refuter.places import Place
from verification.spectral import plain
from verification.spectral.calculus import Unordered
from verification.spectral.exponomials import Exponomial
from verification.spectral.modes import order_of
from verification.spectral.words import Averaged, Continuous, Lagged, MatrixExp, MatrixPower

Rows = list[list[Exponomial]]


@dataclass(frozen=True)
class Walk:
    """The walk through an expression; what is done at its leaves differs."""

    place: Place
    setting: Setting | None = None
    time: str = "continuous"
    ordered: tuple[tuple[Any, Any], ...] = ()
    bound: Mapping[str, Any] = field(default_factory=dict)

    def matrix(self, expr: Any) -> Rows:
        """A matrix expression; a number is that multiple of the identity."""
        if expr.is_commutative:
            return scaled(self.one, self.scalar(expr))
        if expr.is_Symbol:
            return self.letter(expr.name)
        if expr.is_Add:
            return total_of([self.matrix(a) for a in expr.args])
        if expr.is_Mul:
            scalars, words = expr.args_cnc()
            total = self.matrix(words[0])
            for word in words[1:]:
                total = self.product(total, self.matrix(word))
            return self.cut(scaled(total, self.scalar(sp.Mul(*scalars))))
        if expr.is_Pow:
            return self._power(expr)
        if isinstance(expr, sp.Integral):
            return self._integral(expr.function, expr.limits)
        if isinstance(expr, sp.Derivative):
            return self._derivative(expr)
        return self._function(expr)

    def scalar(self, expr: Any) -> Exponomial:
        """A number, perhaps with letters that are integrated over."""
        if expr.is_Rational:
            return Exponomial.of(Fraction(int(expr.p), int(expr.q)))
        if expr.is_Symbol:
            return self.number(expr.name)
        if expr.is_Add or expr.is_Mul:
            total = self.scalar(expr.args[0])
            for a in expr.args[1:]:
                total = total + self.scalar(a) if expr.is_Add else total * self.scalar(a)
            return total
        if expr.is_Pow and expr.exp.is_Integer:
            return self.scalar(expr.base).power(int(expr.exp))
        if expr.is_Pow and expr.exp.is_Rational and expr.exp.q == 2:
            root = plain.exact_root(self.scalar(expr.base).rational)
            return Exponomial.of(root).power(int(expr.exp.p))
        if isinstance(expr, sp.exp):
            return self.scalar(expr.args[0]).exp()
        if isinstance(expr, sp.Derivative):
            return self.scalar(expr.doit())
        raise TypeError(f"{expr} has no exact value")

    def number(self, name: str) -> Exponomial:
        """A letter for a number."""
        if name in self.bound:
            return Exponomial.letter(name)
        return Exponomial.of(self.place.scalars[name])

    @property
    def one(self) -> Rows:
        """The identity."""
        return rows_of(exact.identity(self.place.D))

    def letter(self, name: str) -> Rows:
        """A letter for a matrix."""
        raise NotImplementedError

    def exponential(self, expr: Any) -> Rows:
        """The exponential of a matrix."""
        raise NotImplementedError

    def lagged(self, lag: Exponomial) -> Rows:
        """E[theta(t + lag) theta(t)^T]."""
        raise NotImplementedError

    def averaged(self, window: Fraction, gained: bool) -> Rows:
        """The covariance of an average."""
        raise NotImplementedError

    def cut(self, rows: Rows) -> Rows:
        """What is kept of a product."""
        return rows

    def product(self, a: Rows, b: Rows) -> Rows:
        """A product of matrices."""
        inner = range(len(b))
        made = [[_sum([r[k] * b[k][j] for k in inner]) for j in range(len(b[0]))] for r in a]
        return self.cut(made)

    def inverse(self, rows: Rows) -> Rows:
        """Of a rational matrix, times one power of a letter."""
        unit = next((x.terms[0][0] for row in rows for x in row if x), None)
        if unit is None:
            raise ZeroDivisionError("the inverse of zero")
        factor = Exponomial(((unit, Fraction(1)),))
        plain = [[(x * factor.inverse()).rational for x in row] for row in rows]
        return scaled(rows_of(inverse(plain)), factor.inverse())

    def _power(self, expr: Any) -> Rows:
        base, power = expr.as_base_exp()
        value = self.matrix(base)
        value = self.inverse(value) if power < 0 else value
        total = value
        for _ in range(abs(int(power)) - 1):
            total = self.product(total, value)
        return total

    def _derivative(self, expr: Any) -> Rows:
        ((x, _),) = expr.variable_count
        inside = replace(self, bound={**self.bound, x.name: True}).matrix(expr.expr)
        slopes = [[v.derivative(x.name) for v in row] for row in inside]
        if x.name in self.bound:
            return slopes
        return [[v.at(x.name, self.number(x.name)) for v in row] for row in slopes]

    def _function(self, expr: Any) -> Rows:
        if isinstance(expr, MatrixExp):
            return self.exponential(sp.expand(expr.args[0]))
        if isinstance(expr, MatrixPower):
            base = [[x.rational for x in row] for row in self.matrix(expr.args[0])]
            return rows_of(plain.power(base, plain.whole(self.scalar(expr.args[1]).rational)))
        if isinstance(expr, Transpose):
            return [list(column) for column in zip(*self.matrix(expr.args[0]), strict=True)]
        if isinstance(expr, Lagged):
            t, s = expr.args
            lag = self.scalar(t) - self.scalar(s)
            if not self.bound:
                sign = 1 if lag.rational >= 0 else -1
            else:
                sign = int(order_of(t, s, self.ordered))
            value = self.lagged(lag if sign == 1 else -lag)
            return value if sign == 1 else [list(c) for c in zip(*value, strict=True)]
        if isinstance(expr, Continuous):
            return replace(self, time="continuous").matrix(expr.args[0])
        if isinstance(expr, Averaged):
            return self.averaged(self.scalar(expr.args[0]).rational, len(expr.args) == 2)
        raise TypeError(f"{expr} has no exact value")

    def _integral(self, function: Any, limits: Any) -> Rows:
        if not limits:
            return self.matrix(function)
        *inner, (x, low, high) = limits
        if low.is_infinite or high.is_infinite:
            return self.improper(function, tuple(inner), x, low, high)
        between = ((low, x), (x, high), (low, high))
        within = replace(self, ordered=(*self.ordered, *between), bound={**self.bound, x.name: True})
        try:
            inside = within._integral(function, inner)
        except Unordered as missing:
            cut = missing.other(x)
            if cut is None or cut in (low, high):
                raise
            ends = ((low, cut), (cut, high))
            return total_of([self._integral(function, (*inner, (x, *e))) for e in ends])
        a, b = self.scalar(low), self.scalar(high)
        return self.cut([[v.integral(x.name, a, b) for v in row] for row in inside])

    def improper(self, function: Any, inner: Any, x: Any, low: Any, high: Any) -> Rows:
        """An integral to infinity."""
        raise NotImplementedError

    def law(self, gained: bool = True) -> plain.Linear:
        """The step and the law at the place."""
        assert self.setting is not None
        place = plain.with_noise(self.place)
        place = place if gained or "H" not in place.matrices else plain.without_gain(place)
        found = plain.linear_at(self.setting, place, self.time)
        if found is None:
            raise ZeroDivisionError("the process is not stable")
        return found


class Closed(Walk):
    """Exponentials by rational eigenvalues; in discrete time step by step."""

    def letter(self, name: str) -> Rows:
        """As they are; U and Lambda are found from A."""
        if name == "I":
            return self.one
        if name in ("F", "Q") and self.setting:
            return rows_of(self.law().step if name == "F" else self.law().noise)
        if name in ("U", "Lambda"):
            values, vectors = plain.spectrum([list(r) for r in self.place.A])
            if name == "Lambda":
                return rows_of(exact.diagonal(tuple(values)))
            lengths = [
                plain.exact_root(sum((r[k] ** 2 for r in vectors), Fraction(0)))
                for k in range(self.place.D)
            ]
            made = [[x / n for x, n in zip(row, lengths, strict=True)] for row in vectors]
            if self.place.D == 2 and made[0][0] * made[1][1] < made[0][1] * made[1][0]:
                made = [[row[0], -row[1]] for row in made]  # a rotation: no symmetric matrix
            return rows_of(made)
        return rows_of(
            self.law().law
            if name == "Sigma" and self.setting
            else plain.with_noise(self.place).value(name)
        )

    def exponential(self, expr: Any) -> Rows:
        """By the eigenvalues of the one matrix of which it is a multiple."""
        factors, word = one_word(expr)
        matrix = [[x.rational for x in row] for row in self.matrix(word)]
        return self._exponential_of(matrix, self.scalar(factors))

    def _exponential_of(self, matrix: plain.Plain, factor: Exponomial) -> Rows:
        values, vectors = plain.spectrum(matrix)
        grown = [(factor * Exponomial.of(v)).exp() for v in values]
        left = [[Exponomial.of(x) * g for x, g in zip(r, grown, strict=True)] for r in vectors]
        return self.product(left, rows_of(inverse(vectors)))

    def lagged(self, lag: Exponomial) -> Rows:
        """The step's power, or its exponential, times the law."""
        law = self.law()
        if self.time == "continuous":
            return self.product(self._exponential_of(law.step, lag), rows_of(law.law))
        return rows_of(plain.product(plain.power(law.step, plain.whole(lag.rational)), law.law))

    def averaged(self, window: Fraction, gained: bool) -> Rows:
        """The integral of lagged products by their lag; or the covariance of the sum, step by step."""
        law = self.law(gained)
        if self.time == "continuous":
            lag, length = Exponomial.letter("_lag"), Exponomial.of(window)
            inside = self.product(self._exponential_of(law.step, lag), rows_of(law.law))
            ends = Exponomial.of(0), length
            half = [[((length - lag) * v).integral("_lag", *ends) for v in row] for row in inside]
            both = total_of([half, [list(c) for c in zip(*half, strict=True)]])
            return scaled(both, Exponomial.of(1 / window**2))
        add = plain.summed if window > plain.STEPPED else plain.stepped
        total = add(law, plain.whole(window))
        return scaled(rows_of(total), Exponomial.of(1 / window**2))

    def improper(self, function: Any, inner: Any, x: Any, low: Any, high: Any) -> Rows:
        """By the primitive, which vanishes at infinity."""
        inside = replace(self, bound={**self.bound, x.name: True})._integral(function, inner)
        ends = [None if end.is_infinite else self.scalar(end) for end in (low, high)]
        return [[v.integral(x.name, *ends) for v in row] for row in inside]


def one_word(expr: Any) -> tuple[Any, Any]:
    """A multiple of one product of matrices as its factor and that product."""
    terms = [t.args_cnc() for t in sp.Add.make_args(expr)]
    words = {sp.Mul(*w) for _, w in terms}
    if len(words) != 1 or words == {sp.Integer(1)}:
        raise TypeError(f"{expr} is no multiple of one matrix")
    return sp.Add(*(sp.Mul(*c) for c, _ in terms)), words.pop()


def rows_of(m: Any) -> Rows:
    """Rational entries."""
    return [[Exponomial.of(x) for x in row] for row in m]


def scaled(rows: Rows, x: Exponomial) -> Rows:
    """Every entry times a number."""
    return [[v * x for v in row] for row in rows]


def total_of(many: list[Rows]) -> Rows:
    """The sum of some matrices."""
    return [[_sum(list(cell)) for cell in zip(*rows, strict=True)] for rows in zip(*many, strict=True)]


def _sum(values: list[Exponomial]) -> Exponomial:
    total = values[0]
    for v in values[1:]:
        total = total + v
    return total
