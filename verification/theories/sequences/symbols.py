"""The symbols of normal forms: the number of steps, a step, entries, sums, and means over all paths."""

from __future__ import annotations

from typing import Any

import sympy as sp

DOWN = ("decreasing", "steps")  # kinds of positive entries, each less than the one before
T = sp.Symbol("T", integer=True, positive=True)
t = sp.Symbol("t", integer=True)


class E(sp.Function):
    """The mean over all paths.

    >>> E(sp.Symbol("x"))
    E(x)
    """

    is_real = True
    nargs = 1


def numbers(name: str, positive: bool = False) -> Any:
    """A sequence.

    >>> numbers("x")[t].is_real, numbers("epsilon", positive=True)[t].is_positive
    (True, True)
    """
    return sp.IndexedBase(name, positive=True) if positive else sp.IndexedBase(name, real=True)


def over(body: Any, index: Any = t, first: Any = 1, last: Any = T) -> Any:
    """A sum over steps, from the first to the last.

    >>> over(numbers("x")[t])
    Sum(x[t], (t, 1, T))
    """
    return sp.Sum(body, (index, first, last))


def index_of(rule: Any) -> Any:
    """The index of a rule such as V[t] = a V[t-1] + x[t]."""
    (index,) = {s for e in sp.sympify(rule).atoms(sp.Indexed) for s in e.indices[0].free_symbols} - {T}
    return index
