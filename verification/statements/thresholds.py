"""How far an inequality between numbers holds: bounds of products of letters, seen in floats.

A bound that is seen says nothing by itself: it is a condition to be proved, and exact places are looked
at beyond it. What is looked at are places where all that is given holds, first at random, then near
those that fail with the smallest product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from verification.relations.compare import Compare
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Letter, Term, number
from verification.terms.walking import able

_PLACES, _ROUNDS, _KEPT = 20_000, 80, 40
_STILL, _PATIENT = 1e-3, 5  # an improvement, and how many rounds without one end a search
_SURE = 1e-9  # of what is negative by less nothing is said
_BELOW, _LEAST, _DENOMINATOR = 0.04, 1e-2, 24
_ROUNDING = 1e-6
_KINDS = ("positive", "nonnegative", "real", "count", "fraction", "up to one", "unit")
_MOST = 8  # bounds of which a proof is asked for


@dataclass(frozen=True)
class Seen:
    """An inequality with what is given, at many places in floats."""

    relation: Compare
    given: tuple[Compare, ...]
    letters: tuple[Letter, ...]

    @cached_property
    def _values(self) -> Any:
        """The sides' difference over their size, and the least room in what is given."""
        sides = [side for one in (self.relation, *self.given) for side in one.upward[:2]]
        return self._worked_out([in_symbols(side) for side in sides])

    def _worked_out(self, exprs: Any) -> Any:
        return sp.lambdify([in_symbols(a) for a in self.letters], exprs, "numpy", dummify=True)

    def at(self, places: Any) -> tuple[Any, Any]:
        """Which places what is given admits, and at which of them it fails."""
        with np.errstate(all="ignore"):
            values = self._values(*places)
            (small, large), *given = zip(values[::2], values[1::2], strict=True)
            size = np.abs(small) + np.abs(large) + 0 * places[0]
            room = (large - small) / size
            admitted = np.isfinite(room)
            for (a, b), one in zip(given, self.given, strict=True):
                admitted &= (a <= b) if one.upward[2] else (a < b)
            return admitted, admitted & (room < -_SURE)

    def size(self, of: Term) -> Callable[[Any], Any]:
        """What a product of letters is at places."""
        names = {a.name: a for a in self.letters}
        of = of.put({a: names[a.name] for a in of.letters})
        value = self._worked_out(in_symbols(of))
        return lambda places: value(*places) + 0 * places[0]

    def random(self, source: Any) -> Any:
        """Places at random."""
        return np.array([_drawn(a.kind, source) for a in self.letters])

    def near(self, places: Any, source: Any) -> Any:
        """Places near some, those themselves among them."""
        many = np.repeat(places, _PLACES // (10 * places.shape[1]) + 1, axis=1)
        scale = 10 ** source.uniform(-4, -0.5, size=many.shape[1])
        moved = many * np.exp(scale * source.normal(size=many.shape))
        for k, one in enumerate(self.letters):
            if one.kind in ("unit", "fraction", "up to one"):
                moved[k] = np.minimum(moved[k], 1)
            if one.kind == "count":
                moved[k] = np.maximum(np.round(moved[k]), 1)
        return np.concatenate([places, moved], axis=1)


def _drawn(kind: str, source: Any) -> Any:
    if kind == "count":
        return np.round(10 ** source.uniform(0, 1.5, size=_PLACES))
    if kind in ("unit", "fraction", "up to one"):
        return source.uniform(0, 1, size=_PLACES)
    sizes = 10 ** source.uniform(-1.5, 1.5, size=_PLACES)
    return sizes if kind in ("positive", "nonnegative") else sizes * source.choice((-1, 1), size=_PLACES)


def seen(question: Any) -> Seen | None:
    """A question of one inequality between numbers; None of others."""
    every = (*question.statement.relations, *question.given)
    met = [a for one in every for a in one.letters]
    names = {a.name: a for a in reversed(met)}
    plain = all(isinstance(one, Compare) and one.relation != "!=" for one in every)
    kinds = all(a.kind in _KINDS for a in names.values())
    if len(question.statement.relations) != 1 or not plain or not kinds:
        return None
    relation, *given = (one.put({a: names[a.name] for a in met}) for one in every)
    return Seen(relation, tuple(given), tuple(names.values()))


def fails(question: Any) -> bool | None:
    """Whether it is seen to fail at random; None where nothing can be seen."""
    look = seen(question)
    places = None if look is None else look.random(np.random.default_rng(1))
    found = able(lambda: look.at(places), None) if look is not None else None
    return None if found is None or not found[0].any() else bool(found[1].any())


def bounds(question: Any, products: Iterable[Term]) -> Iterator[Compare] | None:
    """Bounds of products of letters within which an inequality is not seen to fail, the widest first.

    None where nothing can be seen, as there are other letters than numbers.
    """
    look = seen(question)
    found: list[Any] | None = None
    if look is not None:
        found = able(lambda: list(_seen_bounds(look, products)), None)
    if look is None or found is None:
        return None
    found.sort(key=lambda one: -one[0])
    signs = ("<=",) if look.relation.upward[2] else ("<=", "<")
    turned = {"<=": ">=", "<": ">"}
    return (
        Compare(of, sign if below else turned[sign], bound)
        for _, of, below, bound in found[:_MOST]
        for sign in signs
    )


def _seen_bounds(look: Seen, products: Iterable[Term]) -> Iterator[tuple[float, Term, bool, Term]]:
    """The share of places that a bound leaves, of what, whether from above, and the bound."""
    source = np.random.default_rng(1)
    places = look.random(source)
    admitted, fails = look.at(places)
    if not fails.any():
        return
    for of in products:
        if any(a.kind in ("count", "real") for a in of.letters):
            continue
        size = look.size(of)
        for below in (True, False):
            least = _least(look, places[:, fails], size if below else look.size(1 / of))
            sizes = size(places)
            share = (admitted & (sizes <= least if below else sizes >= 1 / max(least, _LEAST))).sum()
            if least >= _LEAST and share > 0:
                low, high = (1 - _BELOW, 1) if below else (1, 1 + _BELOW)
                end = least if below else 1 / least
                near = _simplest(end * low - _ROUNDING, end * high + _ROUNDING)
                yield share / admitted.sum(), of, below, number(near)


def _least(look: Seen, failing: Any, size: Callable[[Any], Any]) -> float:
    """The smallest size at which it is seen to fail: near places that fail, again and again."""
    source, still, least = np.random.default_rng(1), 0, np.inf
    for _ in range(_ROUNDS):
        kept = failing[:, np.argsort(size(failing))[:_KEPT]]
        near = look.near(kept, source)
        failing = near[:, look.at(near)[1]]
        found = float(size(failing).min()) if failing.shape[1] else 0.0
        still = still + 1 if found > least * (1 - _STILL) else 0
        least = min(least, found)
        if least < _LEAST or still == _PATIENT:
            break
    return least if least >= _LEAST else 0.0


def _simplest(low: float, high: float) -> Fraction:
    """The fraction with the smallest denominator between two numbers.

    >>> print(_simplest(0.654, 0.667))
    2/3
    """
    for n in range(1, _DENOMINATOR + 1):
        if np.floor(high * n) >= low * n:
            return Fraction(int(np.floor(high * n)), n)
    return Fraction(low).limit_denominator(1000)
