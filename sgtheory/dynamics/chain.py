"""Chains whose update is a polynomial in states and noises: moments of any order where they close.

The mean of a monomial after a step is a polynomial in the state before it. Starting from what is asked
for, the monomials that its equation holds are collected, then theirs, and so on. Where that ends, the
moments are solutions of linear equations; where it does not, the monomial that leads away is named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.dynamics.letters import moment
from sgtheory.dynamics.linear import Contradiction, solve
from sgtheory.dynamics.steps import Step
from sgtheory.errors import UnusableInput

Powers = tuple[int, ...]
Row = Mapping[Powers, Any]
_MOST = 500  # monomials


@dataclass(frozen=True)
class Drawn:
    """Random numbers that come together: each row of the table is as likely as any other.

    A minibatch of one example is a row of the data.
    """

    symbols: tuple[Any, ...]
    rows: tuple[tuple[Any, ...], ...]

    def moment(self, powers: Sequence[int]) -> Any:
        """The mean of a product of powers.

        >>> a, b = sp.symbols("a b")
        >>> Drawn((a, b), ((1, 2), (3, 4))).moment((1, 1))
        7
        """
        total = sp.Add(
            *(
                sp.Mul(*(sp.sympify(x) ** k for x, k in zip(row, powers, strict=True)))
                for row in self.rows
            )
        )
        return total / len(self.rows)


class NotClosed(UnusableInput):
    """The equation of a moment holds one of higher degree, whose own does too, without an end."""

    def __init__(self, chain: Sequence[Any]) -> None:
        self.chain = tuple(chain)
        first, *rest = (str(m) for m in self.chain)
        needed = ", whose equation holds ".join(rest)
        super().__init__(
            "moments whose equations close",
            f"E[{first}], whose equation holds {needed}",
            "ask for bounds, or for the law by its transition operator",
        )


@dataclass(frozen=True)
class Moments:
    """How moments move in one step.

    >>> x, xi = sp.symbols("x xi", real=True)
    >>> a, s = sp.symbols("a s", positive=True)
    >>> linear = Moments(Step((x,), ((x, a * x + s * xi),), (xi,)))
    >>> linear.image(x**2)
    a**2*x**2 + s**2
    >>> linear.stationary(x**4)
    3*s**4/((a - 1)**2*(a + 1)**2)
    """

    step: Step
    tables: tuple[Drawn, ...] = ()
    most: int = field(default=_MOST)

    def __post_init__(self) -> None:
        drawn = {s for t in self.tables for s in t.symbols}
        for s, e in self._after.items():
            if not e.is_polynomial(*self.step.state, *self.step.noises, *drawn):
                raise UnusableInput(f"an update of {s} that is a polynomial", str(e), "ask for bounds")

    @cached_property
    def _after(self) -> dict[Any, Any]:
        after = self.step.after({s: s for s in self.step.state})
        return {s: sp.expand(after[s]) for s in self.step.state}

    @cached_property
    def _random(self) -> tuple[Any, ...]:
        return (*self.step.noises, *(s for t in self.tables for s in t.symbols))

    @cached_property
    def _roots(self) -> dict[Any, Any]:
        """Roots as letters, so that coefficients are polynomials."""
        powers = {p for e in self._after.values() for p in e.atoms(sp.Pow) if not p.exp.is_Integer}
        return {p: sp.Dummy(f"root{k}") for k, p in enumerate(sorted(powers, key=str))}

    @cached_property
    def _polynomials(self) -> list[Any]:
        over = (*self.step.state, *self._random)
        return [sp.Poly(self._after[s].xreplace(self._roots), *over) for s in self.step.state]

    @cached_property
    def _known(self) -> dict[Powers, Row]:
        """Rows that have been made: they are slow, and asked for again and again."""
        return {}

    def row(self, powers: Powers) -> Row:
        """The mean of a monomial after a step, by monomials before it."""
        if powers not in self._known:
            self._known[powers] = self._made(powers)
        return self._known[powers]

    def _made(self, powers: Powers) -> Row:
        product = sp.Poly(1, *self._polynomials[0].gens)
        for p, k in zip(self._polynomials, powers, strict=True):
            product = product * p**k
        n, back = len(self.step.state), {d: r for r, d in self._roots.items()}
        found: dict[Powers, Any] = {}
        for term, c in product.terms():
            mean = self._mean(term[n:])
            if mean != 0:
                found[term[:n]] = found.get(term[:n], sp.Integer(0)) + c * mean
        tidied = {k: sp.expand(sp.sympify(c).xreplace(back)) for k, c in found.items()}
        return {k: c for k, c in tidied.items() if c != 0}

    def _mean(self, powers: Powers) -> Any:
        """Of a product of powers of everything random."""
        value: Any = sp.Integer(1)
        for w, k in zip(self.step.noises, powers, strict=False):
            q = moment(w, k)
            value *= sp.Rational(q.numerator, q.denominator)
        begin = len(self.step.noises)
        for table in self.tables:
            end = begin + len(table.symbols)
            value *= table.moment(powers[begin:end]) if any(powers[begin:end]) else 1
            begin = end
        return value

    def image(self, f: Any) -> Any:
        """E f after a step, as a polynomial in the state before it."""
        terms = sp.Poly(sp.expand(f), *self.step.state).terms()
        return sp.Add(*(c * m * self.monomial(k) for e, c in terms for k, m in self.row(e).items()))

    def monomial(self, powers: Powers) -> Any:
        """As an expression."""
        return sp.Mul(*(s**k for s, k in zip(self.step.state, powers, strict=True)))

    @cached_property
    def weights(self) -> tuple[int, ...] | None:
        """A degree to each state which no update raises: with one, moments of every order close.

        >>> x, v, xi = sp.symbols("x v xi", real=True)
        >>> a = sp.Symbol("a", positive=True)
        >>> squares = Step((x, v), ((x, a * x + xi), (v, a * v + x**2)), (xi,))
        >>> Moments(squares).weights
        (1, 2)
        """
        n = len(self.step.state)
        held = [{term[:n] for term, _ in p.terms()} for p in self._polynomials]
        found = [1] * n
        for _ in range(n + 1):
            raised = [
                max(w, *(sum(map(int.__mul__, e, found)) for e in es))
                for w, es in zip(found, held, strict=True)
            ]
            if raised == found:
                return tuple(found)
            found = raised
        return None  # a state whose degree still grows after n rounds feeds its own growth

    def reached(self, f: Any) -> tuple[Powers, ...]:
        """The monomials that the moments of f need, without 1; refused where there is no end to them."""
        zero = (0,) * len(self.step.state)
        asked = [e for e, _ in sp.Poly(sp.expand(f), *self.step.state).terms() if any(e)]
        parent: dict[Powers, Powers | None] = dict.fromkeys(asked)
        todo, limit = list(asked), 3 * max((sum(e) for e in asked), default=1)
        while todo:
            current = todo.pop(0)
            for e in sorted(self.row(current), key=lambda e: (-sum(e), e)):
                if e == zero or e in parent:
                    continue
                parent[e] = current
                todo.append(e)
                if (self.weights is None and sum(e) > limit) or len(parent) > self.most:
                    raise NotClosed([self.monomial(k) for k in _path(parent, e)])
        return tuple(sorted(parent, key=lambda e: (sum(e), e)))

    def stationary(self, f: Any) -> Any:
        """E f in the stationary state, if there is one with such moments (``stable`` says)."""
        zero = (0,) * len(self.step.state)
        asked = dict(sp.Poly(sp.expand(f), *self.step.state).terms())
        known = self.reached(f)
        columns = [{j: sp.Integer(j == k) - self.row(j).get(k, 0) for j in known} for k in known]
        solved = solve(columns, {j: self.row(j).get(zero, sp.Integer(0)) for j in known})
        if isinstance(solved, Contradiction) or solved.free:
            raise UnusableInput(
                "a chain with one stationary law", "moments that no law keeps", "confine it"
            )
        values = dict(zip(known, solved.values, strict=True)) | {zero: sp.Integer(1)}
        return sp.factor(sp.Add(*(c * values[e] for e, c in asked.items())))

    def stable(self, f: Any, values: Mapping[Any, Any] | None = None) -> bool:
        """Whether the moments of f settle from wherever they start, at rational parameters; exactly.

        >>> x, xi = sp.symbols("x xi", real=True)
        >>> rising = Moments(Step((x,), ((x, x / 2 + x * xi),), (xi,)))
        >>> rising.stable(x), rising.stable(x**2)
        (True, False)
        """
        known = self.reached(f)
        numbers = dict(values or {})
        T = sp.Matrix(
            len(known),
            len(known),
            lambda i, j: sp.sympify(self.row(known[i]).get(known[j], 0)).subs(numbers),
        )
        if not all(e.is_Rational for e in T):
            raise UnusableInput(
                "rational numbers for all parameters", str(T.free_symbols), "give values"
            )
        polynomial = T.charpoly().all_coeffs()
        return settles([Fraction(int(c.p), int(c.q)) for c in polynomial])

    def moved(self, f: Any, start: Mapping[Any, Any], steps: int) -> Any:
        """E f after some steps from a point."""
        zero = (0,) * len(self.step.state)
        known = (zero, *self.reached(f))
        values = {e: self.monomial(e).subs(start) for e in known}
        for _ in range(steps):
            values = {
                e: sp.Integer(1)
                if e == zero
                else sp.Add(*(c * values[k] for k, c in self.row(e).items()))
                for e in known
            }
        return sp.Add(*(c * values[e] for e, c in sp.Poly(sp.expand(f), *self.step.state).terms()))


def _path(parent: Mapping[Powers, Powers | None], last: Powers) -> list[Powers]:
    found: list[Powers] = []
    at: Powers | None = last
    while at is not None:
        found.insert(0, at)
        at = parent[at]
    return found


def settles(coefficients: Sequence[Fraction]) -> bool:
    """Whether all roots of a polynomial, highest power first, are inside the unit circle (Schur, Cohn).

    >>> settles([Fraction(1), Fraction(0), Fraction(-1, 4)]), settles([Fraction(1), Fraction(-1)])
    (True, False)
    """
    p = [Fraction(c) for c in coefficients]
    while len(p) > 1:
        if abs(p[-1]) >= abs(p[0]):
            return False
        ratio = p[-1] / p[0]
        p = [a - ratio * b for a, b in zip(p, reversed(p), strict=True)][:-1]
        scale = math.gcd(*(c.numerator for c in p)) or 1  # numbers stay small
        p = [c / scale for c in p]
    return True
