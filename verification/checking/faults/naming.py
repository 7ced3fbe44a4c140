"""A formula for a number that was measured in several cases: a product of powers of the parameters.

The shortest formula that meets every measurement within its error is taken, and only where so short a
formula would hardly meet them all by chance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy as sp

Array = Any
Expr = Any

_WIDE = 5.0  # standard errors
_RANGE = 4.0  # what the logarithms of formulas cover
_CHANCE = 0.05  # expected number of formulas that meet all measurements by chance
_POWERS = tuple(sp.Rational(k, 2) for k in (2, -2, 1, -1, 4, -4, 3, -3))
_POWER_COST = (0.0, 0.1, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7)
_CONSTANTS = tuple(map(sp.sympify, ("1", "2", "1/2", "sqrt(2)", "1/sqrt(2)", "4", "1/4", "3", "1/3")))
_CONSTANT_COST = (0.0, 0.4, 0.4, 0.5, 0.5, 0.7, 0.7, 1.0, 1.0)
_LETTER = 1.0  # cost of a letter
_MADE = 1.0  # more, of 1 - a letter, or its exponential
_NUMBER = 2.5  # cost of a number that is none of the constants
_MOST_LETTERS = 3


@dataclass(frozen=True)
class Named:
    """A formula, and how long it is."""

    expr: Expr
    cost: float


def letters_of(scalars: Sequence[Mapping[Any, float]]) -> dict[Expr, Array]:
    """What formulas are made of: the parameters in all cases, and what is left of them to 1.

    >>> eps = sp.Symbol("eps", positive=True)
    >>> [str(e) for e in letters_of([{eps: 0.5}, {eps: 0.25}])]
    ['eps', '1 - eps', 'exp(-eps)', '-log(1 - eps)']
    """
    found: dict[Expr, Array] = {}
    names = [s for s in scalars[0] if all(s in known for known in scalars)]
    for s in names:
        values = np.array([known[s] for known in scalars])
        if (values <= 0).any() or (values == 1).all():
            continue
        found[s] = values
        if (values < 1).all():
            found[1 - s] = 1 - values
            found[sp.exp(-s)] = np.exp(-values)
            found[-sp.log(1 - s)] = -np.log1p(-values)
    return found


def formulas(
    values: Sequence[float], errors: Sequence[float], letters: Mapping[Expr, Array], most: int = 4
) -> tuple[Named, ...]:
    """The shortest formulas for what was measured, the shortest first.

    >>> eps = sp.Symbol("eps", positive=True)
    >>> at = {eps: np.array([0.01, 0.04, 0.09])}
    >>> [str(n.expr) for n in formulas([0.1001, 0.2, 0.2999], [0.001] * 3, at)]
    ['sqrt(eps)']
    >>> [str(n.expr) for n in formulas([0.1001, 0.2, 0.1], [0.001, 0.001, 0.1], at)]
    ['sqrt(eps)']
    """
    x, width = np.array(values), _WIDE * np.array(errors)
    if not (np.isfinite(x).all() and np.isfinite(width).all()):
        return ()
    if (np.abs(x) <= width).all():
        return (Named(sp.Integer(0), 0.0),)
    clear = np.abs(x) > width  # a case that does not tell a number from 0 is left to the exact tests
    if 2 * clear.sum() <= len(x) or len({*np.sign(x[clear])}) > 1:
        return ()
    x, width = x[clear], width[clear]
    letters = {letter: known[clear] for letter, known in letters.items()}
    sign = int(np.sign(x[0]))
    found = [*_products(np.abs(x), width, letters, sign), *_numbers(np.abs(x), width, letters, sign)]
    shortest: dict[Expr, Named] = {}
    for one in sorted(found, key=lambda n: n.cost):
        shortest.setdefault(one.expr, one)
    return tuple(shortest.values())[:most]


def _numbers(x: Array, width: Array, letters: Mapping[Expr, Array], sign: int) -> list[Named]:
    """One number for all cases, or one times a power of one letter, with as few digits as do."""
    found = []
    for letter, values in ((sp.Integer(1), np.ones(len(x))), *letters.items()):
        for power, cost in zip(_POWERS, _POWER_COST, strict=True):
            number = _rounded(x / values ** float(power), width / values ** float(power))
            if number is not None and letter != 1 and len(x) > 2:
                total = number.cost + cost + _LETTER + _MADE * (not letter.is_Symbol)
                found.append(Named(sign * number.expr * letter**power, total))
            elif number is not None and letter == 1 and power == 1:
                found.append(Named(sign * number.expr, number.cost))
    return found


def _rounded(x: Array, width: Array) -> Named | None:
    """A number that meets all of them, with as few digits as do."""
    weights = 1 / np.maximum(width, 1e-300) ** 2
    mean = float((x * weights).sum() / weights.sum())
    if (np.abs(x - mean) > width).any():
        return None
    for digits in range(1, 8):
        number = float(f"{mean:.{digits}g}")
        if (np.abs(x - number) <= width).all() and abs(number - mean) <= 1 / math.sqrt(weights.sum()):
            return Named(sp.nsimplify(number, rational=True), _NUMBER + 0.3 * digits)
    return None


def _products(x: Array, width: Array, letters: Mapping[Expr, Array], sign: int) -> list[Named]:
    """Constants times powers of few letters: all of them are tried at once."""
    logs, wide = np.log(x), -np.log1p(-np.minimum(width / x, 0.999))
    constants = np.array([math.log(float(c)) for c in _CONSTANTS])
    names = [s for s, v in letters.items() if (np.abs(np.log(v)) > wide).any()]  # else it is not seen
    found, tried = [], 0
    chance = float(np.prod(np.minimum(1.0, 2 * wide / _RANGE)))
    for count in range(min(_MOST_LETTERS, len(names)) + 1):
        powers = list(product(range(len(_POWERS)), repeat=count))
        tried += math.comb(len(names), count) * len(powers) * len(_CONSTANTS)
        if count > 1 and chance * tried > _CHANCE:
            break
        exponents = np.array([[float(_POWERS[k]) for k in p] for p in powers])
        for chosen in combinations(names, count):
            base = np.array([np.log(letters[s]) for s in chosen]).reshape(count, len(x))
            sums = exponents.reshape(len(powers), count) @ base
            off = np.abs(sums[:, None, :] + constants[None, :, None] - logs)
            for p, c in zip(*np.nonzero((off <= wide).all(axis=2)), strict=True):
                expr = _CONSTANTS[c] * sp.Mul(
                    *(s ** _POWERS[k] for s, k in zip(chosen, powers[p], strict=True))
                )
                cost = _CONSTANT_COST[c] + sum(_LETTER + _POWER_COST[k] for k in powers[p])
                cost += sum(_MADE for s in chosen if not s.is_Symbol) + 0.2 * (sign < 0)
                found.append(Named(sign * expr, cost))
    return found
