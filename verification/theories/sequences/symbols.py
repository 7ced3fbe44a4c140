"""The symbols of normal forms: the number of steps, a step, entries, sums, and means over all paths."""

from __future__ import annotations

from typing import Any

import sympy as sp

DOWN = ("decreasing", "steps")  # kinds of positive entries, each less than the one before
T = sp.Symbol("T", integer=True, positive=True)
t = sp.Symbol("t", integer=True)


class E(sp.Function):
    """The mean over all paths."""

    is_real = True
    nargs = 1


def numbers(name: str, positive: bool = False) -> Any:
    """A sequence.

    >>> numbers("x")[t].is_real, numbers("epsilon", positive=True)[t].is_positive
    (True, True)
    """
    return sp.IndexedBase(name, positive=True) if positive else sp.IndexedBase(name, real=True)


def over(body: Any, index: Any = t, first: Any = 1, last: Any = T) -> Any:
    """A sum over steps, from the first to the last."""
    return sp.Sum(body, (index, first, last))


def put_in(expr: Any, sequence: Any, rule: Any, index: Any) -> Any:
    """An expression with the rule of a sequence, at an index, in the place of its entries.

    >>> x, y = numbers("x"), numbers("y")
    >>> put_in(over(x[t - 1]), x, y[t] + 1, t)
    Sum(y[t - 1] + 1, (t, 1, T))
    """
    own = (e for e in sp.sympify(expr).atoms(sp.Indexed) if e.base == sequence)
    return sp.sympify(expr).xreplace({e: sp.sympify(rule).subs(index, e.indices[0]) for e in own})
