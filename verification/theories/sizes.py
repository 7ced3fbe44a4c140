"""Sums of powers of positive letters, up to a constant that no letter moves.

In logarithms of the letters what is given (one product of powers at most another) is a cone, and a bound
says that each power on the left is nowhere above the largest on the right. A weighted mean of those on
the right proves it; a ray of the cone along which it outgrows them refutes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent

LEMMA = "Each term is at most a weighted geometric mean of those on the right."
_SHARES = 6  # parts of weights that are tried
_FEW = 4  # terms on the right, up to which all weights are tried
Vector = tuple[Fraction, ...]


class NoPowers(Exception):
    """A side is no sum of powers of letters."""


@dataclass(frozen=True)
class Cone:
    """Logarithms of positive letters, and the rays that span where they may lie."""

    symbols: tuple[Any, ...]
    rays: tuple[Vector, ...]

    def power(self, e: Vector) -> Any:
        """A product of powers."""
        pairs = zip(self.symbols, e, strict=True)
        return sp.Mul(*(s ** sp.Rational(x.numerator, x.denominator) for s, x in pairs))

    def covered(self, e: Vector, others: Sequence[Vector]) -> tuple[Fraction, ...] | None:
        """Weights of a mean of the others that is at least as large everywhere."""
        for parts in _weights(len(others)):
            mean = [sum(Fraction(p, _SHARES) * f[k] for p, f in zip(parts, others, strict=True))
                    for k in range(len(e))]  # fmt: skip
            if all(_dot(mean, r) >= _dot(e, r) for r in self.rays):
                return tuple(Fraction(p, _SHARES) for p in parts)
        return None

    def outgrows(self, e: Vector, others: Sequence[Vector]) -> Vector | None:
        """A ray, or a sum of few, along which a power outgrows all others."""
        for x in self._directions():
            if all(_dot(e, x) > _dot(f, x) for f in others):
                return x
        return None

    def _directions(self) -> Iterator[Vector]:
        yield from self.rays
        for (one, other), (a, b) in product(combinations(self.rays, 2), ((1, 1), (1, 2), (2, 1))):
            yield tuple(a * x + b * y for x, y in zip(one, other, strict=True))
        for three in combinations(self.rays, 3):
            yield tuple(sum(parts, Fraction(0)) for parts in zip(*three, strict=True))


def _cone(sides: Sequence[Any], given: Sequence[tuple[Any, Any]]) -> Cone:
    symbols = tuple(sorted({s for e in (*sides, *sum(given, ())) for s in e.free_symbols}, key=str))
    walls, size = [], len(symbols)
    for small, large in given:
        walls.append(_exponents(large / small, symbols))
    bound = [k for k in range(size) if any(w[k] for w in walls)]
    free = [k for k in range(size) if k not in bound]
    rays = [tuple(Fraction(sign * (j == k)) for j in range(size)) for k in free for sign in (1, -1)]
    for chosen in combinations(walls, len(bound) - 1) if bound else ():
        rows = sp.Matrix([[sp.Rational(str(w[k])) for k in bound] for w in chosen] or [[0] * len(bound)])
        space = rows.nullspace()
        if len(space) != 1:
            continue
        along = dict(zip(bound, (Fraction(int(x.p), int(x.q)) for x in space[0]), strict=True))
        for sign in (1, -1):
            ray = tuple(sign * along.get(k, Fraction(0)) for k in range(size))
            if all(_dot(w, ray) >= 0 for w in walls) and ray not in rays:
                rays.append(ray)
    return Cone(symbols, tuple(rays))


def _terms(side: Any, symbols: tuple[Any, ...], sign: int = 1) -> dict[Vector, Any]:
    """The exponents of a sum's positive (or negative) terms, with the sizes of their factors."""
    found: dict[Vector, Any] = {}
    for one in sp.Add.make_args(sp.expand(side)):
        if one != 0 and one.could_extract_minus_sign() == (sign < 0):
            e = _exponents(sign * one, symbols)
            powers = zip(symbols, e, strict=True)
            rest = (
                sign * one / sp.Mul(*(s ** sp.Rational(x.numerator, x.denominator) for s, x in powers))
            )
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
    >>> is_bounded(n**2, n, [(number(1), n)]).lemma
    'Along n = 2**k the term n**2 outgrows what is on the right.'
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
                lemma = f"Along {_path(cone, x)} the term {plain(cone.power(e))} outgrows"
                return Disproved(f"{lemma} what is on the right.", told)
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
            left[f] -= size * sp.Rational(w.numerator, w.denominator)
    if any(not value.is_positive for value in left.values()):
        raise NoPowers
    return tuple(left)


def largest_terms(
    left: Term, sides: Sequence[Term], given: Sequence[tuple[Term, Term]] = ()
) -> Term | None:
    """The terms of a side that no other one of it covers."""
    try:
        pairs = [(in_symbols(x), in_symbols(y)) for x, y in given]
        cone = _cone([in_symbols(one) for one in sides], pairs)
        powers = tuple(_terms(in_symbols(left), cone.symbols))
    except NoPowers:
        return None
    kept = [e for e in powers if not any(f != e and cone.covered(e, (f,)) for f in powers)]
    return from_sympy(sp.Add(*map(cone.power, kept))) if kept else None


def _weights(count: int) -> Iterator[tuple[int, ...]]:
    """One of the others alone, halves of two, then all of few."""
    for k in range(count):
        yield tuple(_SHARES * (j == k) for j in range(count))
    for pair in combinations(range(count), 2):
        yield tuple(_SHARES // 2 * (k in pair) for k in range(count))
    for parts in product(range(_SHARES + 1), repeat=count) if count <= _FEW else ():
        if sum(parts) == _SHARES:
            yield parts


def _dot(a: Any, b: Any) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _path(cone: Cone, x: Vector) -> str:
    """Letters as powers of two along a ray."""
    moving = {s: k for s, k in zip(cone.symbols, x, strict=True) if k}
    shown = {Fraction(1): "2**k", Fraction(-1): "2**(-k)"}
    return ", ".join(f"{s} = {shown.get(k, f'2**({k}*k)')}" for s, k in moving.items())


def _told(cone: Cone, weights: dict[Vector, Any], large: Sequence[Vector]) -> Derivation:
    lines = []
    for e, w in weights.items():
        if w is not None:
            mean = sp.Mul(*(cone.power(f) ** sp.Rational(x.numerator, x.denominator)
                            for f, x in zip(large, w, strict=True)))  # fmt: skip
            lines.append(Equation(_formula(cone.power(e)), _formula(mean), "<="))
    return Derivation("Sizes", (Step("Term by term", "Wherever it is meant:", tuple(lines)),), ())


def _formula(expr: Any) -> Formula:
    return Formula(latex(expr), plain(expr))
