"""Sums of powers of positive letters, up to a constant that no letter moves.

In logarithms of the letters what is given (one product of powers at most another) is a cone, and a bound
says that each power on the left is nowhere above the largest on the right. A weighted mean of those on
the right proves it; a direction in the cone along which it outgrows them refutes it. Both are found by
linear programming, and checked in exact numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Step
from sgtheory.notation.sentence import Sentence, formula_of, listed, say
from verification.terms.arithmetics.symbols import SYMBOLS, in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent

LEMMA = "Each term is at most a weighted geometric mean of those on the right."
_LARGEST = 1_000  # denominator of a weight
Vector = tuple[Fraction, ...]


class NoPowers(Exception):
    """A side is no sum of powers of letters."""


@dataclass(frozen=True)
class Cone:
    """Logarithms of positive letters, and the walls of where they may lie: vectors turned inwards."""

    symbols: tuple[Any, ...]
    walls: tuple[Vector, ...]

    def power(self, e: Vector) -> Any:
        """A product of powers."""
        return sp.Mul(*(s ** SYMBOLS.number(x) for s, x in zip(self.symbols, e, strict=True)))

    def covered(self, e: Vector, others: Sequence[Vector]) -> Vector | None:
        """Weights of a mean of the others that is at least as large everywhere.

        What the mean has more is a sum of walls.
        """
        rows = [[*(f[k] for f in others), *(-w[k] for w in self.walls)] for k in range(len(e))]
        rows.append([Fraction(int(j < len(others))) for j in range(len(others) + len(self.walls))])
        found = _programmed([0] * len(rows[0]), (0, None), A_eq=rows, b_eq=[*e, Fraction(1)])
        if not found or min(found) < 0 or [_dot(row, found) for row in rows] != [*e, 1]:
            return None
        return found[: len(others)]

    def outgrows(self, e: Vector, others: Sequence[Vector]) -> Vector | None:
        """A direction along which a power outgrows all others, in whole numbers."""
        rows = [[*(y - x for x, y in zip(e, f, strict=True)), 1] for f in others]  # by the last at least
        rows += [[*(-x for x in wall), 0] for wall in self.walls]
        found = _programmed([*[0] * len(e), -1], (-1, 1), A_ub=rows, b_ub=[0] * len(rows))[:-1]
        if not found or any(_dot(e, found) <= _dot(f, found) for f in others):
            return None
        if any(_dot(wall, found) < 0 for wall in self.walls):
            return None
        whole = lcm(*(x.denominator for x in found))
        return tuple(x * whole for x in found)


def _programmed(costs: Sequence[int], bounds: Any, **constraints: Any) -> Vector:
    """A corner at which a linear form is least, by its rational numbers; none where there is none."""
    from scipy.optimize import linprog

    floats = {name: [[float(x) for x in row] if isinstance(row, list) else float(row) for row in rows]
              for name, rows in constraints.items() if rows}  # fmt: skip
    found = linprog(costs, bounds=bounds, **floats)
    return tuple(Fraction(x).limit_denominator(_LARGEST) for x in found.x) if found.success else ()


def _cone(sides: Sequence[Any], given: Sequence[tuple[Any, Any]]) -> Cone:
    symbols = tuple(sorted({s for e in (*sides, *sum(given, ())) for s in e.free_symbols}, key=str))
    return Cone(symbols, tuple(_exponents(large / small, symbols) for small, large in given))


def _terms(side: Any, symbols: tuple[Any, ...], sign: int = 1) -> dict[Vector, Any]:
    """The exponents of a sum's positive (or negative) terms, with the sizes of their factors."""
    found: dict[Vector, Any] = {}
    for one in sp.Add.make_args(sp.expand(side)):
        if one != 0 and one.could_extract_minus_sign() == (sign < 0):
            e = _exponents(sign * one, symbols)
            rest = sign * one / Cone(symbols, ()).power(e)
            found[e] = found.get(e, 0) + sp.simplify(rest)
    return found


def _exponents(term: Any, symbols: tuple[Any, ...]) -> Vector:
    powers = term.as_powers_dict()
    for base, power in powers.items():
        is_number = base.is_number and base.is_positive and power.is_number
        if not (is_number or (base in symbols and base.is_positive and power.is_Rational)):
            raise NoPowers
    found = (sp.Rational(powers.get(s, 0)) for s in symbols)
    return tuple(Fraction(int(x.p), int(x.q)) for x in found)


def is_bounded(left: Term, right: Term, given: Sequence[tuple[Term, Term]] = ()) -> Answer:
    """Whether left is at most a constant times right where in each given pair the first is smaller.

    >>> from verification.terms.term import letters, number
    >>> n, h = letters("n h")
    >>> is_bounded(h, 1 / n + n * h**2).lemma
    'Each term is at most a weighted geometric mean of those on the right.'
    >>> print(is_bounded(n, number(2), [(number(1), n)]).lemma)
    Along n = 2**k the term n outgrows what is on the right, which is smaller by a factor of the order n.
    """
    a, b = in_symbols(left), in_symbols(right)
    above, below = sp.fraction(sp.together(a))
    try:
        pairs = [(in_symbols(x), in_symbols(y)) for x, y in given]
        cone = _cone((a, b), pairs)
        large = _kept(cone, b, pairs)
        if _terms(below, cone.symbols, -1):
            raise NoPowers
        # 1 over a sum is at most 1 over any of its terms
        ways = [tuple(_terms(above / d, cone.symbols)) for d in sp.Add.make_args(sp.expand(below))]
        negative = [_terms(side, cone.symbols, -1) for side in (above, b)]
    except NoPowers:
        return Silent(Silence.NO_FORMULA)
    told = None
    for small in ways:
        weights = {e: cone.covered(e, large) for e in small}
        told = told or _told(cone, weights, large)
        if None not in weights.values():
            return Proved(LEMMA, _told(cone, weights, large))
    if len(ways) == 1 and not any(negative):
        for e in (e for e, w in weights.items() if w is None):
            x = cone.outgrows(e, large)
            if x is not None:
                lemma = say(
                    "Along {} the term {} outgrows what is on the right", _path(cone, x), cone.power(e)
                )
                if len(large) == 1:
                    times = tuple(a - b for a, b in zip(e, large[0], strict=True))
                    lemma = say(
                        "{}, which is smaller by a factor of the order {}", lemma, cone.power(times)
                    )
                return Disproved(say("{}.", lemma), told)
    return Silent(Silence.NO_CERTIFICATE, derivation=told)


def _kept(cone: Cone, side: Any, given: Sequence[tuple[Any, Any]]) -> tuple[Vector, ...]:
    """Positive terms that a side is at least a multiple of.

    What is taken away is at most a weighted mean of those that are added: so much of each is gone.
    """
    added, taken = _terms(side, cone.symbols), _terms(side, cone.symbols, -1)
    left = dict(added)
    for e, size in taken.items():
        weights = cone.covered(e, tuple(added))
        exactly = all(max(_terms(large / small, cone.symbols).values()) == 1 for small, large in given)
        if weights is None or not exactly:
            raise NoPowers
        for f, w in zip(added, weights, strict=True):
            left[f] -= size * SYMBOLS.number(w)
    if any(not value.is_positive for value in left.values()):
        raise NoPowers
    return tuple(left)


def largest_terms(left: Term, given: Sequence[tuple[Term, Term]] = ()) -> Term | None:
    """The terms of a side that no other one of it covers."""
    try:
        pairs = [(in_symbols(x), in_symbols(y)) for x, y in given]
        cone = _cone([in_symbols(left)], pairs)
        powers = tuple(_terms(in_symbols(left), cone.symbols))
    except NoPowers:
        return None
    kept = _largest(cone, powers)
    return from_sympy(sp.Add(*map(cone.power, kept))) if kept else None


def _largest(cone: Cone, powers: Sequence[Vector]) -> list[Vector]:
    """Those that no other one covers."""
    return [e for e in powers if not any(f != e and cone.covered(e, (f,)) for f in powers)]


def enlarged(left: Term, right: Term, given: Sequence[tuple[Term, Term]] = ()) -> Term | None:
    """The right side with the factor or the terms that it lacks to bound the left.

    >>> from verification.terms.term import letters
    >>> n, v, w = letters("n v w")
    >>> print(enlarged(v**2, v**2 / n), enlarged((v + w) ** 2, v**2))
    n*(v**2/n) v**2 + w**2
    """
    try:
        pairs = [(in_symbols(x), in_symbols(y)) for x, y in given]
        cone = _cone([in_symbols(left), in_symbols(right)], pairs)
        large = tuple(_terms(in_symbols(right), cone.symbols))
        negative = _terms(in_symbols(right), cone.symbols, -1)
        powers = tuple(_terms(in_symbols(left), cone.symbols))
    except NoPowers:
        return None
    if len(powers) == len(large) == 1 and not negative:
        factor = tuple(x - y for x, y in zip(powers[0], large[0], strict=True))
        return from_sympy(cone.power(factor)) * right
    lacking = [e for e in powers if not cone.covered(e, large)]
    kept = [e for e in lacking if not cone.covered(e, (*large, *(f for f in lacking if f != e)))]
    return None if negative or not kept else right + from_sympy(sp.Add(*map(cone.power, kept)))


def _dot(a: Any, b: Any) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _path(cone: Cone, x: Vector) -> Sentence:
    """Letters as powers of two along a ray."""
    moving = {s: k for s, k in zip(cone.symbols, x, strict=True) if k}
    shown = {Fraction(1): "2**k", Fraction(-1): "2**(-k)"}
    return listed(say("${} = {}$", s, shown.get(k, f"2**({k}*k)")) for s, k in moving.items())


def _told(cone: Cone, weights: dict[Vector, Any], large: Sequence[Vector]) -> Derivation:
    lines = []
    for e, w in weights.items():
        if w is not None:
            mean = sp.Mul(*(cone.power(f) ** SYMBOLS.number(x) for f, x in zip(large, w, strict=True)))
            lines.append(Equation(formula_of(cone.power(e)), formula_of(mean), "<="))
    return Derivation("Sizes", (Step("Term by term", "Wherever it is meant:", tuple(lines)),), ())
