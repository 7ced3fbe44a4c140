"""Formulas with a^T in them, brought into a form in which their signs can be certified."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.declare import N, S
from sgtheory.language import STEP
from sgtheory.modepairs.pairs import LI
from sgtheory.notation.printing import plain, tidy
from verification.laws.modechain import LAST, ModeChain, T


def cases(expr: Any, chain: ModeChain) -> list[Any]:
    """The formula in positive letters, one to each range of the step.

    exp(-x) and (1 - u)^T with u < 1 are below 1/(1 + x) and 1/(1 + u T); for u from 1 to 2 all that is
    used of (1 - u)^T is that it lies between -1 and 1.
    """
    if not expr.has(LAST):
        return [expr]
    s, w = sp.symbols("_s _w", positive=True)
    rate = chain.rate
    if chain.time == "continuous":
        return [expr.subs(LAST, 1 / (1 - rate * T + s))]
    step = next((e for e in rate.free_symbols if e.name == STEP.name), None)
    if step is None:
        return [expr.subs(LAST, (s - 1) / (s + 1))]
    slow, fast = (expr.subs(step, v / LI) for v in (1 / (1 + w), (2 + w) / (1 + w)))
    return [slow.subs(LAST, 1 / (1 + T / (1 + w) + s)), fast.subs(LAST, (s - 1) / (s + 1))]


def in_sizes(expr: Any, apart: int = 0) -> Any:
    """A minibatch has at least one example, the data no fewer than a minibatch."""
    more, rest, longer = sp.symbols("_more _rest _longer", positive=True)
    return expr.subs({N: 1 + apart + more + rest, S: 1 + more, T: 1 + longer}, simultaneous=True)


def by_last(expr: Any) -> Any:
    """What is linear in a^T as a part without it, and a multiple of 1 - a^T."""
    if not expr.has(LAST):
        return shortest(expr)
    if sp.diff(expr, LAST, 2) != 0:
        return expr
    slope = shortest(sp.diff(expr, LAST))
    return shortest(expr.subs(LAST, 1)) - sp.Mul(slope, 1 - LAST, evaluate=False)


def shortest(expr: Any) -> Any:
    """Factored, with signs as they read best.

    >>> shortest(N - S)
    N - S
    """
    factored = sp.factor(expr)
    return min((factored, tidy(factored)), key=lambda e: len(plain(e)))
