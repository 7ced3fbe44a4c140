"""Means as the step vanishes of chains that come to rest there at 0: in powers of the step.

Such a chain is about as far away as the root of its step, so that x = root(h) y. That a step leaves the
means of powers of y as they are gives each of them, order by order, from lower powers and lower orders.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.errors import UnusableInput
from sgtheory.polynomials import is_zero
from verification.theories.chains.existence import which
from verification.theories.chains.identities import tidied
from verification.theories.chains.reading import over_noise

ORDERS = 3  # powers of the step that are kept
_S = sp.Dummy("s", positive=True)


def series(step: LineStep, h: Any, body: Any) -> tuple[Any, ...]:
    """The coefficients of a mean by powers of the step, of chains that 0 draws near from everywhere.

    >>> x, xi = sp.symbols("x xi", real=True)
    >>> h, a, c = sp.symbols("h a c", positive=True)
    >>> series(LineStep(x - h * (a * x + sp.sqrt(c) * xi), x, (xi,)), h, x**2)
    (0, c/(2*a), c/4)
    """
    if not _leads_home(step, h) or which(step, h) not in ("one", "some", "many"):
        raise UnusableInput("a step that leads to 0 from everywhere", str(step.after), "mend it")
    at = sp.series(body.subs({step.place: _S * step.place, h: _S**2}), _S, 0, 2 * ORDERS).removeO()
    total: dict[int, Any] = {}
    for (i, n), c in sp.Poly(sp.expand(at), _S, step.place).terms():
        for j in range(2 * ORDERS - i):
            total[i + j] = total.get(i + j, sp.Integer(0)) + c * _moment(step, h, n, j)
    if any(not is_zero(c) for k, c in total.items() if k % 2):
        raise UnusableInput("whole powers of the step", "a root of it", "take another function")
    return tuple(sp.factor(sp.simplify(total.get(2 * k, sp.Integer(0)))) for k in range(ORDERS))


@cache
def _leads_home(step: LineStep, h: Any) -> bool:
    """Whether it stays at 0 on average, and its drift falls everywhere: no other place holds it."""
    mean = over_noise(sp.expand(step.after - step.place), step)
    drift = sp.diff(mean, h).subs(h, 0)
    if not is_zero(drift.subs(step.place, 0)):
        return False
    steepest = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(sp.diff(drift, step.place))):
        beside, wave = term.as_independent(step.place, as_Add=False)
        steepest += abs(beside) if isinstance(wave, sp.sin | sp.cos) else term
    return bool(steepest.is_negative)


@cache
def _moment(step: LineStep, h: Any, n: int, i: int) -> Any:
    """The coefficient of s^i in E[y^n]."""
    if n == 0:
        return sp.Integer(i == 0)
    beside, rest = sp.Integer(0), sp.Integer(0)
    for p, q, c in _changes(step, h, n):
        if (p, q) == (n, 2):
            beside = c
        elif 2 + i - q >= 0:
            rest += c * _moment(step, h, p, 2 + i - q)
    return sp.simplify(-rest / beside)


@cache
def _changes(step: LineStep, h: Any, n: int) -> tuple[tuple[int, int, Any], ...]:
    """E[y'^n - y^n] given y: powers of y and of s with their coefficients."""
    x, found = step.place, []
    for k in range(1, n + 1):
        poly = _power(step, h, k)
        found += [(p + n - k, q, math.comb(n, k) * c) for (q, p), c in poly]
    if not any((p, q) == (n, 2) for p, q, _ in found) or any(q < 2 for _, q, _ in found):
        raise UnusableInput(f"a step that comes to rest at {x} = 0", str(step.after), "mend it")
    if any(q == 2 and p > n for p, q, _ in found):
        raise UnusableInput("noise that vanishes with the step", str(step.after), "mend it")
    total: dict[tuple[int, int], Any] = {}
    for p, q, c in found:
        total[p, q] = total.get((p, q), sp.Integer(0)) + c
    if not total[n, 2].is_negative:
        raise UnusableInput("a step that leads to 0", str(step.after), "mend it")
    return tuple((p, q, c) for (p, q), c in total.items() if c != 0)


@cache
def _power(step: LineStep, h: Any, k: int) -> tuple[tuple[tuple[int, int], Any], ...]:
    """The mean of (y' - y)^k given y, by powers of s and of y."""
    moved = sp.expand((step.after - step.place).subs(h, _S**2) / _S)
    mean = over_noise(sp.expand(tidied(sp.expand(moved**k), step)), step)
    there = mean.subs(step.place, _S * step.place)
    most = 2 * ORDERS + 2
    cut = there if there.is_polynomial(_S) else sp.series(there, _S, 0, most + 1).removeO()
    terms = sp.Poly(sp.expand(cut), _S, step.place).terms()
    return tuple((powers, c) for powers, c in terms if powers[0] <= most)
