"""Signs of what depends on one product of positive letters alone, such as a step times a curvature.

Scaled so that this product stays, letters change such an expression by a positive factor only, so that
all of them but one can be put to one. Of one number it is rational, or P + Q R^(1/2): it changes its
sign at roots of P^2 - Q^2 R and at poles, and nowhere else, so that a number between each two decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import sympy as sp

from verification.theories.signs import Bound

WHY = "its sign depends on one product of letters, and is seen between all its roots and poles."
_DIGITS, _NOTHING = 60, sp.Float("1e-40")
_MOST = 40  # of a degree


def nowhere_negative(expr: Any, bounds: Sequence[Bound], strictly: bool = False) -> bool:
    """Whether an expression is proved to be so, or positive, where smaller sides are below larger ones.

    >>> h, a = sp.symbols("h a", positive=True)
    >>> below = [(h * a, sp.sqrt(5) - 1, True)]
    >>> rest = h * sp.sqrt(a) / 2 + 1 / sp.sqrt(a) - sp.sqrt(2 / (a * (2 - a * h)))
    >>> nowhere_negative(rest, below), nowhere_negative(rest, [(h * a, sp.Rational(5, 4), True)])
    (True, False)
    >>> nowhere_negative(rest, below, strictly=True)
    False
    """
    found = _found(expr, tuple(bounds))
    return found is not None and found.holds(strictly)


def ends(expr: Any, bounds: Sequence[Bound]) -> Iterator[tuple[Any, bool, Any]]:
    """The product, whether a number is its largest value, and that number: exactly there it is so.

    >>> h, a = sp.symbols("h a", positive=True)
    >>> [*ends(1 - a * h, [(a * h, sp.Integer(2), False)])], [*ends(a - h, [])]
    ([(a*h, True, 1)], [(a/h, False, 1)])
    """
    found = _found(expr, tuple(bounds))
    edge = None if found is None else found.edge
    if found is not None and edge is not None:
        yield (found.product, *edge)


@dataclass(frozen=True)
class _Along:
    """An expression and what is given along the one number: ``inside`` are numbers between its turns."""

    product: Any
    x: Any
    value: Any
    given: tuple[tuple[Any, bool], ...]  # what is positive, or perhaps zero
    turns: tuple[Any, ...]
    poles: tuple[Any, ...]

    @property
    def inside(self) -> list[Any]:
        """A number between each two turns, and one beyond them."""
        at = [sp.Integer(0), *(t.evalf(_DIGITS) for t in self.turns)]
        between = [sp.Rational(str(((a + b) / 2).evalf(20))) for a, b in pairwise(at)]
        return [*between, sp.Integer(sp.ceiling(at[-1])) + 1]

    def sign(self, expr: Any, at: Any) -> int | None:
        """The sign at a number; None where it has none."""
        there = sp.N(expr.subs(self.x, at), _DIGITS)
        if not there.is_extended_real or not there.is_finite:
            return None
        return 0 if abs(there) < _NOTHING else int(sp.sign(there))

    def admits(self, at: Any) -> bool:
        """Whether what is given holds at a number."""
        signs = [(self.sign(g, at), equal) for g, equal in self.given]
        return all(s == 1 or (s == 0 and equal) for s, equal in signs)

    @property
    def _stretches(self) -> list[tuple[int, int | None]]:
        """Which intervals between turns are admitted, and the signs there."""
        return [(k, self.sign(self.value, at)) for k, at in enumerate(self.inside) if self.admits(at)]

    def _within(self) -> Iterator[tuple[Any, bool]]:
        """The turns that are admitted, and whether an interval beside them is."""
        known = {k for k, _ in self._stretches}
        for k, turn in enumerate(self.turns):
            if self.admits(turn):
                yield turn, bool({k, k + 1} & known)

    def holds(self, strictly: bool) -> bool:
        """Whether it is nowhere negative, or positive, wherever what is given holds."""
        turns = [*self._within()]
        if not self._stretches or any(turn in self.poles or not beside for turn, beside in turns):
            return False
        signs = [sign for _, sign in self._stretches]
        signs += [self.sign(self.value, turn) for turn, _ in turns] if strictly else []
        return all(s == 1 or (s == 0 and not strictly) for s in signs)

    @property
    def edge(self) -> tuple[bool, Any] | None:
        """Of what changes its sign once: whether it is positive below that number, and the number."""
        known = self._stretches
        signs = [sign for _, sign in known]
        changes = [k for k in range(len(known) - 1) if signs[k] != signs[k + 1]]
        if (
            len(changes) != 1
            or not {*signs} <= {1, -1}
            or any(t in self.poles for t, _ in self._within())
        ):
            return None
        (k,) = changes
        if known[k + 1][0] != known[k][0] + 1:
            return None
        end = sp.radsimp(self.turns[known[k][0]])
        return None if end.has(sp.CRootOf) else (signs[k] == 1, end)


@lru_cache(maxsize=500)
def _found(expr: Any, bounds: tuple[Bound, ...]) -> _Along | None:
    letters = sorted(expr.free_symbols, key=str)
    if not letters or not all(a.is_positive for a in letters):
        return None
    given = [(large - small, equal) for small, large, equal in bounds]
    given = [(g, equal) for g, equal in given if g.free_symbols <= {*letters} and not g.is_positive]
    product = _product((expr, *(g for g, _ in given)), letters)
    if product is None:  # fewer places are admitted by what is given of that product alone
        product = _product((expr,), letters)
        given = [one for one in given if product is not None and _product((expr, one[0]), letters)]
    if product is None:
        return None
    pairs = (part.as_base_exp() for part in sp.Mul.make_args(product))
    by = (base for base, power in pairs if power == 1)
    return next((one for x in by if (one := _along(product, x, expr, given, letters))), None)


def _along(product: Any, x: Any, expr: Any, given: Any, letters: Sequence[Any]) -> _Along | None:
    """With every letter but one put to one; None where the rest has several roots."""
    ones = dict.fromkeys((a for a in letters if a != x), sp.Integer(1))
    value, along = expr.subs(ones), tuple((g.subs(ones), equal) for g, equal in given)
    try:
        found = [_turns(one, x) for one in (value, *(g for g, _ in along))]
    except (sp.PolynomialError, NotImplementedError, ValueError):
        return None
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    every = {t for turns, _ in known for t in turns}
    turns = tuple(sorted(every, key=lambda t: t.evalf(_DIGITS)))
    return _Along(product, x, value, along, turns, tuple(known[0][1]))


def _product(exprs: Iterable[Any], letters: Sequence[Any]) -> Any:
    """The one product of powers of letters on which the signs of expressions depend; None of others."""
    weights = {a: sp.Symbol(f"w_{k}") for k, a in enumerate(letters)}
    alike: list[Any] = []
    if any(_degree(e, weights, alike) is None for e in exprs):
        return None
    unknown = [weights[a] for a in letters]
    rows = sp.Matrix([[sp.diff(e, w) for w in unknown] for e in alike] or [[0] * len(unknown)])
    if rows.rank() != 1:
        return None
    row = next(rows.row(k) for k in range(rows.rows) if any(rows.row(k)))
    row = row * sp.ilcm(1, *(x.q for x in row))
    powers = [x / sp.igcd(0, *row) for x in row]
    first = next(x for x in powers if x)
    return sp.Mul(*(a ** (x * sp.sign(first)) for a, x in zip(letters, powers, strict=True)))


def _degree(expr: Any, weights: dict[Any, Any], alike: list[Any]) -> Any:
    """The power of t where letters have powers of t; ``alike`` is what has to be zero for that."""
    if expr.is_number:
        return sp.Integer(0)
    if expr in weights:
        return weights[expr]
    parts = [] if expr.is_Pow else [_degree(part, weights, alike) for part in expr.args]
    if None in parts:
        return None
    if isinstance(expr, sp.Mul):
        return sp.Add(*parts)
    if isinstance(expr, sp.Add):
        alike.extend(e for one in parts[1:] if (e := sp.expand(one - parts[0])) != 0)
        return parts[0]
    if expr.is_Pow and expr.exp.is_Rational:
        base = _degree(expr.base, weights, alike)
        return None if base is None else expr.exp * base
    return None


def _turns(expr: Any, x: Any) -> tuple[list[Any], list[Any]] | None:
    """Where a function of one positive number may change its sign, and which of these are poles."""
    halves = rooted(expr)
    if halves is None:
        halves = (sp.cancel(expr), sp.Integer(0), sp.Integer(1))
    plain, rest, under = halves
    if not all(e.is_rational_function(x) for e in halves):
        return None
    tops = [sp.cancel(plain**2 - rest**2 * under)] if rest != 0 else [plain]
    below = [sp.fraction(sp.together(e))[1] for e in halves]
    tops = [sp.fraction(sp.together(e))[0] for e in (*tops, *([under] if rest != 0 else []))]
    found: list[list[Any]] = []
    for some in (tops, below):
        polys = [sp.Poly(sp.expand(e), x) for e in some if e.has(x)]
        if any(p.degree() > _MOST or not (p.domain.is_QQ or p.domain.is_ZZ) for p in polys):
            return None
        found.append([r for p in polys for r in dict.fromkeys(sp.real_roots(p)) if r.is_positive])
    if tops[0] == 0:
        return None
    return [*found[0], *found[1]], found[1]


def rooted(expr: Any) -> tuple[Any, Any, Any] | None:
    """P, Q and R of P + Q R^(1/2), rational; None of what has no root, or several."""
    halves: dict[Any, Any] = {}
    for one in sp.Add.make_args(sp.expand(expr)):
        parts = [f for f in sp.Mul.make_args(one) if f.is_Pow and (2 * f.exp).is_Integer]
        root = sp.Mul(*(f for f in parts if not f.exp.is_Integer))
        halves[root] = halves.get(root, 0) + one / root
    rational = halves.pop(sp.Integer(1), sp.Integer(0))
    if not halves:
        return None
    first, total = next(iter(halves)), sp.Integer(0)
    for root, share in halves.items():
        total += share * sp.powdenest(sp.cancel((root / first) ** 2) ** sp.S.Half, force=True)
    found = sp.cancel(rational), sp.cancel(total), sp.cancel(first**2)
    return found if all(e.is_rational_function(*e.free_symbols) for e in found) else None
