"""Such equations in exact numbers, in two ways that share nothing but the walk through an expression.

``Closed`` takes exponentials where the eigenvalues are rational, and so decides equality at a place.
``Brute`` needs no eigenvalue: it writes z A for A, expands everything in powers of z, solves the moment
equations of the process and of its integral term by term, and compares coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

import sympy as sp

from sgtheory import exact
from sgtheory.fields import inverse
from sgtheory.roots import characteristic, hurwitz_stable, schur_stable
from sgtheory.running import linear_map
from sgtheory.setting import Setting
from verification.kinds import Transpose
from verification.rational import point_of, solve_stationary
from verification.refuter.places import Place
from verification.spectral.calculus import Unordered
from verification.spectral.exponomials import Exponomial
from verification.spectral.modes import order_of
from verification.spectral.words import Averaged, Continuous, Lagged, MatrixExp, MatrixPower

Rows = list[list[Exponomial]]
Z = "_z"  # what multiplies A in expansions
_STEPPED, _BITS = 200, 500  # longer sums are made by doubling, and rounded to so many bits
_KEPT, _LOST = 14, 6  # powers of z that are kept, and that divisions by A may cost


@dataclass(frozen=True)
class Linear:
    """One step of a sampler whose state is the position, at a place: its matrix and its noise."""

    step: list[list[Fraction]]
    noise: list[list[Fraction]]
    law: list[list[Fraction]]


@lru_cache(maxsize=20_000)  # a claim and all its twins are looked at in the same small places
def linear_at(setting: Setting, place: Place, time: str) -> Linear | None:
    """At a place with letters A and C; None where the process is not stable."""
    one = exact.identity(place.D)
    step, factor = linear_map(setting, time, point_of(setting, place.but(B=one)))
    noise = _plain_product(_plain_product(factor, [list(r) for r in place.C]), _flipped(factor))
    polynomial = characteristic(step)
    stable = schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)
    return Linear(step, noise, solve_stationary(step, noise, time)) if stable else None


@lru_cache(maxsize=20_000)
def with_noise(place: Place) -> Place:
    """The place with C where C is given as A."""
    return place if "C" in place.matrices else place.but(C=place.A)


@lru_cache(maxsize=20_000)
def without_gain(place: Place) -> Place:
    """The place without its gain."""
    return Place({n: m for n, m in place.matrices.items() if n != "H"}, place.scalars)


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
            return _scaled(self.one, self.scalar(expr))
        if expr.is_Symbol:
            return self.letter(expr.name)
        if expr.is_Add:
            return _total([self.matrix(a) for a in expr.args])
        if expr.is_Mul:
            scalars, words = expr.args_cnc()
            total = self.matrix(words[0])
            for word in words[1:]:
                total = self.product(total, self.matrix(word))
            return self.cut(_scaled(total, self.scalar(sp.Mul(*scalars))))
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
            root = exact_root(self.scalar(expr.base).rational)
            return Exponomial.of(root).power(int(expr.exp.p))
        if isinstance(expr, sp.exp):
            return self.scalar(expr.args[0]).exp()
        raise TypeError(f"{expr} has no exact value")

    def number(self, name: str) -> Exponomial:
        """A letter for a number."""
        if name in self.bound:
            return Exponomial.letter(name)
        return Exponomial.of(self.place.scalars[name])

    @property
    def one(self) -> Rows:
        """The identity."""
        return _rows(exact.identity(self.place.D))

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
        unit = next(x for row in rows for x in row if x).terms[0][0]
        factor = Exponomial(((unit, Fraction(1)),))
        plain = [[(x * factor.inverse()).rational for x in row] for row in rows]
        return _scaled(_rows(inverse(plain)), factor.inverse())

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
            return _rows(_plain_power(base, whole(self.scalar(expr.args[1]).rational)))
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
            return _total([self._integral(function, (*inner, (x, *e))) for e in ends])
        a, b = self.scalar(low), self.scalar(high)
        return self.cut([[v.integral(x.name, a, b) for v in row] for row in inside])

    def improper(self, function: Any, inner: Any, x: Any, low: Any, high: Any) -> Rows:
        """An integral to infinity."""
        raise NotImplementedError

    def law(self, gained: bool = True) -> Linear:
        """The step and the law at the place."""
        assert self.setting is not None
        place = with_noise(self.place)
        place = place if gained or "H" not in place.matrices else without_gain(place)
        found = linear_at(self.setting, place, self.time)
        if found is None:
            raise ZeroDivisionError("the process is not stable")
        return found


class Closed(Walk):
    """Exponentials by rational eigenvalues; in discrete time step by step."""

    def letter(self, name: str) -> Rows:
        """As they are; U and Lambda are found from A."""
        if name == "I":
            return self.one
        if name in ("U", "Lambda"):
            values, vectors = spectrum([list(r) for r in self.place.A])
            if name == "Lambda":
                return _rows(exact.diagonal(tuple(values)))
            lengths = [
                exact_root(sum((r[k] ** 2 for r in vectors), Fraction(0))) for k in range(self.place.D)
            ]
            made = [[x / n for x, n in zip(row, lengths, strict=True)] for row in vectors]
            if self.place.D == 2 and made[0][0] * made[1][1] < made[0][1] * made[1][0]:
                made = [[row[0], -row[1]] for row in made]  # a rotation: no symmetric matrix
            return _rows(made)
        return _rows(
            self.law().law if name == "Sigma" and self.setting else with_noise(self.place).value(name)
        )

    def exponential(self, expr: Any) -> Rows:
        """By the eigenvalues of the one matrix of which it is a multiple."""
        factors, word = one_word(expr)
        matrix = [[x.rational for x in row] for row in self.matrix(word)]
        return self._exponential_of(matrix, self.scalar(factors))

    def _exponential_of(self, matrix: list[list[Fraction]], factor: Exponomial) -> Rows:
        values, vectors = spectrum(matrix)
        grown = [(factor * Exponomial.of(v)).exp() for v in values]
        left = [[Exponomial.of(x) * g for x, g in zip(r, grown, strict=True)] for r in vectors]
        return self.product(left, _rows(inverse(vectors)))

    def lagged(self, lag: Exponomial) -> Rows:
        """The step's power, or its exponential, times the law."""
        law = self.law()
        if self.time == "continuous":
            return self.product(self._exponential_of(law.step, lag), _rows(law.law))
        return _rows(_plain_product(_plain_power(law.step, whole(lag.rational)), law.law))

    def averaged(self, window: Fraction, gained: bool) -> Rows:
        """The integral of lagged products by their lag; or the covariance of the sum, step by step."""
        law = self.law(gained)
        if self.time == "continuous":
            lag, length = Exponomial.letter("_lag"), Exponomial.of(window)
            inside = self.product(self._exponential_of(law.step, lag), _rows(law.law))
            ends = Exponomial.of(0), length
            half = [[((length - lag) * v).integral("_lag", *ends) for v in row] for row in inside]
            both = _total([half, [list(c) for c in zip(*half, strict=True)]])
            return _scaled(both, Exponomial.of(1 / window**2))
        total = summed(law, whole(window)) if window > _STEPPED else stepped(law, whole(window))
        return _scaled(_rows(total), Exponomial.of(1 / window**2))

    def improper(self, function: Any, inner: Any, x: Any, low: Any, high: Any) -> Rows:
        """By the primitive, which vanishes at infinity."""
        inside = replace(self, bound={**self.bound, x.name: True})._integral(function, inner)
        ends = [None if end.is_infinite else self.scalar(end) for end in (low, high)]
        return [[v.integral(x.name, *ends) for v in row] for row in inside]


class Brute(Walk):
    """Expansions in powers of z, with z A in the place of A: no eigenvalues, no closed form."""

    @property
    def linked(self) -> int:
        """1 where C is given as A, so that it grows with z as well."""
        return int("C" not in self.place.matrices)

    def letter(self, name: str) -> Rows:
        """With their power of z."""
        if name == "I":
            return self.one
        if name in ("U", "Lambda"):
            rows = Closed(self.place).letter(name)
            return _scaled(rows, Exponomial.letter(Z)) if name == "Lambda" else rows
        if name == "Sigma" and self.setting is not None:
            return self._law()
        grows = name == "A" or (name == "C" and self.linked)
        rows = _rows(self.place.A if name == "C" and self.linked else self.place.matrices[name])
        return _scaled(rows, Exponomial.letter(Z)) if grows else rows

    def cut(self, rows: Rows) -> Rows:
        """Powers of z up to some."""
        return [
            [Exponomial(tuple(t for t in v.terms if _order(t[0]) <= _KEPT)) for v in r] for r in rows
        ]

    def exponential(self, expr: Any) -> Rows:
        """By its series."""
        matrix = self.cut(self.matrix(expr))
        total, term = self.one, self.one
        for k in range(1, _KEPT + 1):
            term = _scaled(self.product(term, matrix), Exponomial.of(Fraction(1, k)))
            total = _total([total, term])
        return total

    def _law(self) -> Rows:
        return _scaled(_rows(self.law().law), Exponomial.letter(Z, -1).power(1 - self.linked))

    def lagged(self, lag: Exponomial) -> Rows:
        """The series that the moment equation gives: each term is the step times the one before."""
        step = _scaled(_rows(self.law().step), Exponomial.letter(Z))
        total = term = self._law()
        for k in range(1, _KEPT + 1):
            scale = lag * Exponomial.of(Fraction(1, k))
            term = _scaled(self.product(step, term), scale)
            total = _total([total, term])
        return self.cut(total)

    def averaged(self, window: Fraction, gained: bool) -> Rows:
        """The moments of the process and its integral together, term by term in the time."""
        law, D = self.law(gained), self.place.D
        nothing = [[Fraction(0)] * D for _ in range(D)]
        flow = [[*r, *n] for r, n in zip(law.step, nothing, strict=True)]
        flow += [[*r, *n] for r, n in zip(_identity(D), nothing, strict=True)]
        P = [[*r, *n] for r, n in zip(law.law, nothing, strict=True)] + [[*n, *n] for n in nothing]
        Q = [[*r, *n] for r, n in zip(law.noise, nothing, strict=True)] + [[*n, *n] for n in nothing]
        total = _rows(nothing)
        for k in range(1, _KEPT + 4):
            new = _plain_sum(_plain_product(flow, P), _plain_product(P, _flipped(flow)))
            new = _plain_sum(new, Q) if k == 1 else new
            P = [[x / k for x in row] for row in new]
            if k >= 2:
                size = Exponomial.of(window ** (k - 2)) * Exponomial.letter(Z).power(k - 3 + self.linked)
                total = _total([total, _scaled(_rows([r[D:] for r in P[D:]]), size)])
        return self.cut(total)

    def improper(self, function: Any, inner: Any, x: Any, low: Any, high: Any) -> Rows:
        """Of exp(a A x) X exp(b A x) by the equation a A Y + Y b A = X that its primitive Y solves."""
        if inner or not (low.is_infinite and not high.is_infinite):
            raise TypeError("only one integral, from minus infinity")
        return _total([self._one_word(t, x, high) for t in sp.Add.make_args(sp.expand(function.doit()))])

    def _one_word(self, term: Any, x: Any, high: Any) -> Rows:
        scalars, words = term.args_cnc()
        moving = [k for k, w in enumerate(words) if w.has(x)]
        if len(moving) == 1 and words[moving[0]].is_Pow:  # X is the identity
            words = [words[0].base, sp.Symbol("I", commutative=False), words[0].base]
            moving = [0, 2]
        if len(moving) != 2 or sp.Mul(*scalars).has(x):
            raise TypeError("no integral of two exponentials")
        first, last = (words[k] for k in moving)
        rates = []
        for w in (first, last):
            factor, letter = one_word(sp.expand(w.args[0]))
            if str(letter) != "A" or sp.expand(w.args[0].subs(x, high)) != 0:
                raise TypeError("no exponential of A that is the identity at the end")
            rates.append(self.scalar(sp.diff(factor, x)).rational)
        middle = self.matrix(sp.Mul(*words[moving[0] + 1 : moving[1]]))
        unit = next((v.terms[0][0] for r in middle for v in r if v), None)
        if unit is None:
            return middle
        factor = Exponomial(((unit, Fraction(1)),))
        plain = [[(v * factor.inverse()).rational for v in r] for r in middle]
        Y = _scaled(_rows(_sylvester(rates, self.place.A, plain)), factor * Exponomial.letter(Z, -1))
        before, after = (self.matrix(sp.Mul(*w)) for w in (words[: moving[0]], words[moving[1] + 1 :]))
        return _scaled(self.product(self.product(before, Y), after), self.scalar(sp.Mul(*scalars)))


def stepped(law: Linear, steps: int) -> list[list[Fraction]]:
    """The covariance of the sum of so many successive states, step by step."""
    mixed = total = [[Fraction(0)] * len(law.law) for _ in law.law]  # E[theta sum^T], E[sum sum^T]
    for _ in range(steps):
        mixed = _plain_sum(_plain_product(law.step, mixed), law.law)
        total = _plain_sum(_plain_sum(total, mixed), _flipped(mixed), minus=law.law)
    return total


def summed(law: Linear, steps: int) -> list[list[Fraction]]:
    """The same by doubling, from P, the sum G of the powers below, and the sum H of all such sums.

    >>> one, half = [[Fraction(1)]], [[Fraction(1, 2)]]
    >>> law = Linear(half, [[Fraction(3, 4)]], one)
    >>> summed(law, 11) == stepped(law, 11)
    True
    """
    one = _identity(len(law.law))
    power, n = one, 0
    G = H = [[x - x for x in row] for row in one]
    for bit in bin(steps)[2:]:
        times = [[n * x for x in row] for row in G]
        H = _plain_sum(_plain_sum(H, times), _plain_product(power, H))
        G, power, n = _plain_sum(G, _plain_product(power, G)), _plain_product(power, power), 2 * n
        G, H, power = (_rounded(m, steps) for m in (G, H, power))
        if bit == "1":
            H, G, power, n = (
                _plain_sum(H, G),
                _plain_sum(G, power),
                _plain_product(law.step, power),
                n + 1,
            )
    half = _plain_product(_plain_product(law.step, H), law.law)
    once = [[steps * x for x in row] for row in law.law]
    return _plain_sum(_plain_sum(once, half), _flipped(half))


def agree(rows: Rows) -> bool:
    """Whether an expansion vanishes, as far as it is known."""
    return not any(_order(k) <= _KEPT - _LOST for row in rows for v in row for k, _ in v.terms)


def spectrum(m: list[list[Fraction]]) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Rational eigenvalues and eigenvectors (columns); TypeError where there are none."""
    size = range(len(m))
    if all(m[i][j] == 0 for i in size for j in size if i != j):
        return [m[i][i] for i in size], _identity(len(m))
    if len(m) != 2:
        raise TypeError("the eigenvalues are not known to be rational")
    (a, b), (c, d) = m
    spread = exact_root((a - d) ** 2 / 4 + b * c)
    if spread == 0:
        raise TypeError("no basis of eigenvectors")
    values = [(a + d) / 2 - spread, (a + d) / 2 + spread]
    vectors = [(b, v - a) if b else (v - d, c) for v in values]
    return values, [list(r) for r in zip(*vectors, strict=True)]


def exact_root(x: Fraction) -> Fraction:
    """The square root of the square of a rational number; TypeError where it is none."""
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator)) if x >= 0 else Fraction(0)
    if root * root != x:
        raise TypeError(f"{x} has no rational square root")
    return root


def one_word(expr: Any) -> tuple[Any, Any]:
    """A multiple of one product of matrices as its factor and that product."""
    terms = [t.args_cnc() for t in sp.Add.make_args(expr)]
    words = {sp.Mul(*w) for _, w in terms}
    if len(words) != 1 or words == {sp.Integer(1)}:
        raise TypeError(f"{expr} is no multiple of one matrix")
    return sp.Add(*(sp.Mul(*c) for c, _ in terms)), words.pop()


def whole(x: Fraction) -> int:
    """A number of steps; TypeError where it is none."""
    if x.denominator != 1 or x < 0:
        raise TypeError(f"{x} is no number of steps")
    return int(x)


def _order(key: Any) -> int:
    return dict(key[0]).get(Z, 0)


def _sylvester(rates: list[Fraction], A: Any, X: list[list[Fraction]]) -> list[list[Fraction]]:
    """Y with a A Y + b Y A = X, by elimination."""
    n, (a, b) = len(A), rates
    pairs = [(i, j) for i in range(n) for j in range(n)]
    system = [
        [(a * A[i][k] if j == m else Fraction(0)) + (b * A[m][j] if i == k else 0) for k, m in pairs]
        for i, j in pairs
    ]
    if a <= 0 or b <= 0:
        raise ZeroDivisionError("an integral that diverges")
    right = [X[i][j] for i, j in pairs]
    inverted = inverse(system)
    flat = [sum((r * x for r, x in zip(row, right, strict=True)), Fraction(0)) for row in inverted]
    return [flat[i * n : (i + 1) * n] for i in range(n)]


def _rows(m: Any) -> Rows:
    return [[Exponomial.of(x) for x in row] for row in m]


def _identity(n: int) -> list[list[Fraction]]:
    return [list(r) for r in exact.identity(n)]


def _scaled(rows: Rows, x: Exponomial) -> Rows:
    return [[v * x for v in row] for row in rows]


def _sum(values: list[Exponomial]) -> Exponomial:
    total = values[0]
    for v in values[1:]:
        total = total + v
    return total


def _total(many: list[Rows]) -> Rows:
    return [[_sum(list(cell)) for cell in zip(*rows, strict=True)] for rows in zip(*many, strict=True)]


def _flipped(m: Any) -> list[list[Fraction]]:
    return [list(c) for c in zip(*m, strict=True)]


def _plain_product(a: Any, b: Any) -> list[list[Fraction]]:
    return [
        [sum((x * y for x, y in zip(r, c, strict=True)), Fraction(0)) for c in zip(*b, strict=True)]
        for r in a
    ]


def _rounded(m: Any, steps: int) -> list[list[Fraction]]:
    if steps <= _STEPPED:
        return [list(row) for row in m]
    return [[Fraction(round(x * 2**_BITS), 2**_BITS) for x in row] for row in m]


def _plain_power(m: Any, n: int) -> list[list[Fraction]]:
    total = _identity(len(m))
    for bit in bin(n)[2:]:
        total = _plain_product(total, total)
        total = _plain_product(m, total) if bit == "1" else total
    return total


def _plain_sum(a: Any, b: Any, minus: Any = None) -> list[list[Fraction]]:
    found = [[x + y for x, y in zip(r, q, strict=True)] for r, q in zip(a, b, strict=True)]
    if minus is None:
        return found
    return [[x - y for x, y in zip(r, q, strict=True)] for r, q in zip(found, minus, strict=True)]


__all__ = ["Brute", "Closed", "Linear", "Walk", "agree", "linear_at", "one_word", "spectrum"]
