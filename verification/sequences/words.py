"""The words in which statements about sums over steps are written.

Sequences are indexed letters, fixed or random; ``E`` is the mean over all paths. A kind says which
sequences a letter stands for:

==============  ========================================================================
real            any numbers
positive        positive numbers; of a single letter too
nonnegative     numbers that are not negative
decreasing      positive numbers, each less than the one before
steps           decreasing; their sum is infinite, that of their squares is finite
at most one     numbers between -1 and 1
fraction        a single letter between 0 and 1
random          random numbers, a letter for each step or a single one
differences     random numbers whose mean, given all that came before, is zero
signs           independent random numbers of mean zero and variance one
==============  ========================================================================
"""

from __future__ import annotations

from typing import Any

import sympy as sp

KINDS = (
    "real",
    "positive",
    "nonnegative",
    "decreasing",
    "steps",
    "at most one",
    "fraction",
    "random",
    "differences",
    "signs",
)
RANDOM = ("random", "differences", "signs")
DOWN = ("decreasing", "steps")
T = sp.Symbol("T", integer=True, positive=True)
t, i, j, ell, m, k = sp.symbols("t i j l m k", integer=True)
COUNTS = (T, t, i, j, ell, m, k)


class E(sp.Function):
    """The mean over all paths.

    >>> E(sp.Symbol("x"))
    E(x)
    """

    is_real = True
    nargs = 1

    def _latex(self, printer: Any, exp: Any = None) -> str:
        text = rf"\mathbb{{E}}\left[{printer._print(self.args[0])}\right]"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


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


def letters_in(expressions: Any) -> tuple[Any, ...]:
    """Sequences and single letters that are free in expressions, by name; T is no letter."""
    found: set[Any] = set()
    for expr in map(sp.sympify, expressions):
        bases = expr.atoms(sp.IndexedBase)
        found |= bases
        found |= {s for s in expr.free_symbols if s.is_Symbol and s not in {b.label for b in bases}}
    return tuple(sorted((s for s in found if s not in COUNTS), key=str))
