"""Claims that products and exponentials of operators agree up to a power of a small number.

Operators are letters that do not commute. Both sides are expanded in the small number; what is left
over below the stated power has to vanish as a polynomial in words. The other route puts triangular
matrices with zero diagonal for the letters, whose exponentials are finite sums of fractions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.fields import Rows, multiply
from sgtheory.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.refuter.script import run
from verification.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    differ,
    unseen_by_script,
)
from verification.word import of_false

_SIZE = 4  # of matrices: words of four letters vanish
_SMALL = (Fraction(1, 4**10), Fraction(1, 4**11))
_PLACES, _TWINS, _HIGHEST = 4, 14, 4


@dataclass(frozen=True, kw_only=True)
class Expanded(Printed):
    """``left = right`` up to ``small`` to the power ``order``."""

    small: Any
    order: int

    def latex(self) -> str:
        """As typeset."""
        power = rf"O\left({latex(self.small**self.order)}\right)"
        return rf"{latex(sp.sympify(self.left))} = {latex(sp.sympify(self.right))} + {power}"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} = {plain(self.right)} + O({self.small}**{self.order})"


@dataclass(frozen=True)
class OperatorSeries(Claim):
    """``printed`` is one ``Expanded``; ``where`` says what letters stand for."""

    where: tuple[tuple[Any, Any], ...] = ()
    time: str = "discrete"

    def has_discrete_reading(self) -> bool:
        """It is about formulas."""
        return False

    @property
    def one(self) -> Expanded:
        """The relation."""
        (printed,) = self.printed
        assert isinstance(printed, Expanded)
        return printed

    def terms(self) -> list[Any]:
        """Left minus right, power by power."""
        put = dict(self.where)
        sides = [sp.sympify(s).subs(put) for s in (self.one.left, self.one.right)]
        left, right = (_series(s, self.one.small, _HIGHEST) for s in sides)
        return [sp.expand(a - b) for a, b in zip(left, right, strict=True)]

    def prove(self, time: str) -> Proof:
        """The first power at which words are left over."""
        left_over = self.terms()
        first = next((k for k, x in enumerate(left_over) if x != 0), None)
        if first is None:
            return Proof(True, f"Nothing is left over below the power {_HIGHEST + 1}.", ())
        term = sp.Mul(self.one.small**first, left_over[first], evaluate=False)
        shown = Equation(Formula(r"\text{left} - \text{right}", "left - right"), left_over[first])
        told = Derivation("Series", (Step("First term", f"At the power {first}:", (shown,)),), ())
        evidence = (
            Evidence("symbolic", "Series in words that do not commute.", {"first": first}, told),
        )
        return Proof(first >= self.one.order, f"The first term left over is {plain(term)}.", evidence)

    def slope(self, letters: dict[Any, Rows]) -> float | None:
        """The power with which the difference goes at matrices; None where it is zero."""
        put = dict(self.where)
        sides = [sp.sympify(s).subs(put) for s in (self.one.left, self.one.right)]
        sizes = []
        for h in _SMALL:
            a, b = (_value(s, letters, self.one.small, h) for s in sides)
            sizes.append(
                max(abs(x - y) for r, q in zip(a, b, strict=True) for x, y in zip(r, q, strict=True))
            )
        if not all(sizes):
            return None
        return math.log(float(sizes[0] / sizes[1])) / math.log(float(_SMALL[0] / _SMALL[1]))

    def places(self) -> Iterator[dict[Any, Rows]]:
        """Matrices for all letters."""
        put = dict(self.where)
        names = {
            x for s in (self.one.left, self.one.right) for x in sp.sympify(s).subs(put).free_symbols
        } - {self.one.small}
        source = random.Random(self.key)
        while True:
            yield {x: _triangular(source, not x.is_commutative) for x in sorted(names, key=str)}

    def fails_at(self) -> tuple[dict[Any, Rows], float] | None:
        """Matrices at which the difference is larger than stated."""
        for letters in islice(self.places(), _PLACES):
            slope = self.slope(letters)
            if slope is not None and slope < self.one.order - 0.5:
                return letters, slope
        return None

    def find(self, time: str | None = None) -> Finding:
        """By series, and at matrices."""
        proof, failing = self.prove(self.time), self.fails_at()
        words = "Triangular matrices " + ("satisfy it." if failing is None else "violate it.")
        exact = Evidence("exact", words, {"places": _PLACES, "holds": failing is None})
        if proof.holds is None:
            return Finding("inconclusive", proof.reason, (*proof.evidence, exact))
        if proof.holds is not (failing is None):
            raise differ(self.id, "series", proof.reason, "triangular matrices", words)
        if failing is None:
            return Finding("proved", proof.reason, (*proof.evidence, exact))
        return Finding(
            of_false(None, None),
            proof.reason,
            (*proof.evidence, exact),
            corrected=self.correct(self.time),
            counterexample=self._shown(*failing),
        )

    def correct(self, time: str) -> Correction | None:
        """The power up to which both sides do agree."""
        first = next((k for k, x in enumerate(self.terms()) if x != 0), 0)
        if not first:
            return None
        line = replace(self.one, order=first)
        if not replace(self, printed=(line,)).prove(time).holds:
            return None
        return Correction(line.latex(), line.text(), "proved", "agreement to a lower power", (line,))

    def _shown(self, letters: dict[Any, Rows], slope: float) -> Counterexample:
        script = _script(self, letters)
        if run(script):
            raise unseen_by_script(self.id)
        shown = {str(x): str([[str(e) for e in row] for row in m]) for x, m in letters.items()}
        words = "the power with which the difference goes, and the one that is stated"
        return Counterexample(shown, f"{slope:.4f}", str(self.one.order), words, script)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Nothing is simulated."""
        return finding, None

    def fails_at_once(self, time: str) -> bool:
        """As whether it is caught: that is quick here."""
        return self.is_caught(time)

    def is_caught(self, time: str) -> bool:
        """At matrices."""
        return self.fails_at() is not None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Letters doubled, turned, exchanged on the right side; one power more."""
        one = self.one
        yield "one power more", replace(self, printed=(replace(one, order=one.order + 1),))
        right = sp.sympify(one.right)
        letters = sorted((x for x in right.free_symbols if x != one.small), key=str)
        changes = [(f"{x} doubled", right.subs(x, 2 * x)) for x in letters]
        changes += [(f"{x} with its sign flipped", right.subs(x, -x)) for x in letters]
        for name, wrong in changes[:_TWINS]:
            yield name, replace(self, printed=(replace(one, right=wrong),))


def _series(expr: Any, h: Any, order: int) -> list[Any]:
    """Coefficients of the powers of h, words in order."""
    zero: list[Any] = [sp.Integer(0)] * (order + 1)
    if expr == h:
        return [sp.Integer(0), sp.Integer(1), *zero[2:]]
    if not expr.has(h):
        return [expr, *zero[1:]]
    if expr.is_Add:
        parts = [_series(a, h, order) for a in expr.args]
        return [sp.Add(*column) for column in zip(*parts, strict=True)]
    if expr.is_Mul:
        found = _series(expr.args[0], h, order)
        for factor in expr.args[1:]:
            found = _product(found, _series(factor, h, order))
        return found
    if isinstance(expr, sp.exp):
        inner = _series(expr.args[0], h, order)
        found, power = [sp.Integer(1), *zero[1:]], [sp.Integer(1), *zero[1:]]
        for k in range(1, order + 1):
            power = [c / k for c in _product(power, inner)]
            found = [a + b for a, b in zip(found, power, strict=True)]
        return found
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        found = _series(expr.base, h, order)
        base = found
        for _ in range(int(expr.exp) - 1):
            found = _product(found, base)
        return found
    raise TypeError(f"no series of {expr}")


def _product(a: list[Any], b: list[Any]) -> list[Any]:
    return [sp.expand(sp.Add(*(a[j] * b[k - j] for j in range(k + 1)))) for k in range(len(a))]


def _triangular(source: random.Random, matrix: bool) -> Rows:
    if not matrix:  # a positive number
        x = Fraction(source.randint(1, 5))
        return [[x if i == j else Fraction(0) for j in range(_SIZE)] for i in range(_SIZE)]
    return [
        [Fraction(source.randint(-2, 2) if j > i else 0) for j in range(_SIZE)] for i in range(_SIZE)
    ]


def _value(expr: Any, letters: dict[Any, Rows], small: Any, h: Fraction) -> Rows:
    """By matrix arithmetic."""
    one = [[Fraction(int(i == j)) for j in range(_SIZE)] for i in range(_SIZE)]

    def times(c: Fraction, m: Rows) -> Rows:
        return [[c * x for x in row] for row in m]

    def value(e: Any) -> Rows:
        if e.is_Rational:
            return times(Fraction(int(e.p), int(e.q)), one)
        if e == small:
            return times(h, one)
        if e.is_Symbol:
            return letters[e]
        if e.is_Add:
            parts = [value(a) for a in e.args]
            return [[sum(c) for c in zip(*rows, strict=True)] for rows in zip(*parts, strict=True)]
        if e.is_Mul:
            found = value(e.args[0])
            for a in e.args[1:]:
                found = multiply(found, value(a))
            return found
        if e.is_Pow and e.exp == -1 and e.base.is_commutative:
            return times(1 / value(e.base)[0][0], one)
        if e.is_Pow and e.exp.is_Integer and e.exp > 0:
            found = one
            for _ in range(int(e.exp)):
                found = multiply(found, value(e.base))
            return found
        if isinstance(e, sp.exp):
            inner, power, total = value(e.args[0]), one, one
            for k in range(1, _SIZE + 1):
                power = times(Fraction(1, k), multiply(power, inner))
                total = [
                    [a + b for a, b in zip(r, q, strict=True)] for r, q in zip(total, power, strict=True)
                ]
            return total
        raise TypeError(f"no value of {e}")

    return value(sp.sympify(expr))


def _script(claim: OperatorSeries, letters: dict[Any, Rows]) -> str:
    put = dict(claim.where)
    left, right = (
        _python(sp.sympify(s).subs(put), claim.one.small) for s in (claim.one.left, claim.one.right)
    )
    lines = [f"# {claim.heading}", "import numpy as np", "from fractions import Fraction as F"]
    lines.append('rows = lambda text: np.array([[F(x) for x in r.split()] for r in text.split(";")])')
    for x, m in letters.items():
        text = "; ".join(" ".join(str(e) for e in row) for row in m)
        lines.append(f"{_name(x)} = rows('{text}')")
    lines += [
        f"I = np.array([[F(int(i == j)) for j in range({_SIZE})] for i in range({_SIZE})])",
        "def exp(X):  # X has no words longer than its size",
        "    total = power = I",
        f"    for k in range(1, {_SIZE} + 1):",
        "        power = power @ X * F(1, k)",
        "        total = total + power",
        "    return total",
        f"left = lambda h: {left}",
        f"right = lambda h: {right}",
        "size = lambda h: max(abs(x) for x in (left(h) - right(h)).ravel())",
        f"first, second = (size(h) for h in (F(1, 4**{10}), F(1, 4**{11})))",
        "power = np.log(float(first / second)) / np.log(4)",
        "print(power)",
        f"print(bool(power > {claim.one.order} - 0.5))",
    ]
    return "\n".join(lines) + "\n"


def _name(x: Any) -> str:
    return f"{x.name}_"


def _python(e: Any, small: Any) -> str:
    if e.is_Rational:
        return f"(F({e.p}, {e.q}) * I)"
    if e == small:
        return "(h * I)"
    if e.is_Symbol:
        return _name(e)
    if e.is_Add:
        return "(" + " + ".join(_python(a, small) for a in e.args) + ")"
    if e.is_Mul:
        return "(" + " @ ".join(_python(a, small) for a in e.args) + ")"
    if e.is_Pow and e.exp == -1:  # of a number
        return f"(I / {_python(e.base, small)}[0, 0])"
    if e.is_Pow:
        return "(" + " @ ".join([_python(e.base, small)] * int(e.exp)) + ")"
    return f"exp({_python(e.args[0], small)})"
