"""Expansions in powers of z, with z A in the place of A: no eigenvalues, no closed form."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.fields import inverse
from verification.spectral import plain
from verification.spectral.exponomials import Exponomial
from verification.spectral.numbers import Closed, Rows, Walk, one_word, rows_of, scaled, total_of

Z = "_z"  # what multiplies A
_KEPT, _LOST = 10, 4  # powers of z that are kept, and that divisions by A may cost


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
            return scaled(rows, Exponomial.letter(Z)) if name == "Lambda" else rows
        if name == "Sigma" and self.setting is not None:
            return self._law()
        if name in ("F", "Q") and self.setting is not None:
            rows = rows_of(self.law().step if name == "F" else self.law().noise)
            return scaled(rows, Exponomial.letter(Z)) if name == "F" or self.linked else rows
        grows = name == "A" or (name == "C" and self.linked)
        rows = rows_of(self.place.A if name == "C" and self.linked else self.place.matrices[name])
        return scaled(rows, Exponomial.letter(Z)) if grows else rows

    def cut(self, rows: Rows) -> Rows:
        """Powers of z up to some."""
        return [
            [Exponomial(tuple(t for t in v.terms if _order(t[0]) <= _KEPT)) for v in r] for r in rows
        ]

    def product(self, a: Rows, b: Rows) -> Rows:
        """A product, as far as its powers are kept."""
        columns = [list(column) for column in zip(*b, strict=True)]
        return [[_dot(row, column) for column in columns] for row in a]

    def exponential(self, expr: Any) -> Rows:
        """By its series."""
        matrix = self.cut(self.matrix(expr))
        total, term = self.one, self.one
        for k in range(1, _KEPT + 1):
            term = scaled(self.product(term, matrix), Exponomial.of(Fraction(1, k)))
            total = total_of([total, term])
        return total

    def _law(self) -> Rows:
        return scaled(rows_of(self.law().law), Exponomial.letter(Z, -1).power(1 - self.linked))

    def lagged(self, lag: Exponomial) -> Rows:
        """The series that the moment equation gives: each term is the step times the one before."""
        step = scaled(rows_of(self.law().step), Exponomial.letter(Z))
        total = term = self._law()
        for k in range(1, _KEPT + 1):
            scale = lag * Exponomial.of(Fraction(1, k))
            term = scaled(self.product(step, term), scale)
            total = total_of([total, term])
        return self.cut(total)

    def averaged(self, window: Fraction, gained: bool) -> Rows:
        """The moments of the process and its integral together, term by term in the time."""
        law, D = self.law(gained), self.place.D
        nothing = [[Fraction(0)] * D for _ in range(D)]
        flow = [[*r, *n] for r, n in zip(law.step, nothing, strict=True)]
        flow += [[*r, *n] for r, n in zip(plain.identity(D), nothing, strict=True)]
        P = [[*r, *n] for r, n in zip(law.law, nothing, strict=True)] + [[*n, *n] for n in nothing]
        Q = [[*r, *n] for r, n in zip(law.noise, nothing, strict=True)] + [[*n, *n] for n in nothing]
        total = rows_of(nothing)
        for k in range(1, _KEPT + 4):
            new = plain.plus(plain.product(flow, P), plain.product(P, plain.flipped(flow)))
            new = plain.plus(new, Q) if k == 1 else new
            P = [[x / k for x in row] for row in new]
            if k >= 2:
                size = Exponomial.of(window ** (k - 2)) * Exponomial.letter(Z).power(k - 3 + self.linked)
                total = total_of([total, scaled(rows_of([r[D:] for r in P[D:]]), size)])
        return self.cut(total)

    def improper(self, function: Any, inner: Any, x: Any, low: Any, high: Any) -> Rows:
        """Of exp(a A x) X exp(b A x) by the equation a A Y + Y b A = X that its primitive Y solves."""
        if inner or not (low.is_infinite and not high.is_infinite):
            raise TypeError("only one integral, from minus infinity")
        return total_of(
            [self._one_word(t, x, high) for t in sp.Add.make_args(sp.expand(function.doit()))]
        )

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
        Y = scaled(rows_of(_sylvester(rates, self.place.A, plain)), factor * Exponomial.letter(Z, -1))
        before, after = (self.matrix(sp.Mul(*w)) for w in (words[: moving[0]], words[moving[1] + 1 :]))
        return scaled(self.product(self.product(before, Y), after), self.scalar(sp.Mul(*scalars)))


def _dot(row: list[Exponomial], column: list[Exponomial]) -> Exponomial:
    total = Exponomial(())
    for x, y in zip(row, column, strict=True):
        total = total + x.times_up_to(y, Z, _KEPT)
    return total


def agree(rows: Rows) -> bool:
    """Whether an expansion vanishes, as far as it is known."""
    return not any(_order(k) <= _KEPT - _LOST for row in rows for v in row for k, _ in v.terms)


def _order(key: Any) -> int:
    return dict(key[0]).get(Z, 0)


def _sylvester(rates: list[Fraction], A: Any, X: plain.Plain) -> plain.Plain:
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
