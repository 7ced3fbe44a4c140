"""How fast the error of an approximate statement about minibatches vanishes as a size grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from verification.notation import N, S
from verification.theories.minibatches.closed import written
from verification.theories.minibatches.drawing import WITHOUT
from verification.theories.minibatches.draws import FRACTION, Form, Reader, collected


@dataclass(frozen=True)
class Growth:
    """The relative error is ``term``, of an order in 1/size, to first order."""

    order: Any
    term: Any


def growth(
    rest: Form, right: Form, scale_squared: Form | None, reader: Reader, size: Any
) -> Growth | None:
    """Rest against right, or its square against the square of a scale, as a size grows.

    Minibatches without replacement cannot grow alone: the data grow with them, in proportion.
    """
    if not rest.terms:
        return Growth(sp.oo, sp.Integer(0))
    above, below, root = (rest * rest, scale_squared, 2) if scale_squared else (rest, right, 1)
    tops = [_first(f, reader, size) for f in (above, below)]
    if any(t is None for t in tops):
        return None
    (high, p), (low, q) = (t for t in tops if t is not None)
    ratio = _ratio(high, low, reader)
    if ratio is None:
        return None
    factors = ratio.as_powers_dict() if root == 2 else {}
    term = sp.Mul(*(base ** (power / 2) for base, power in factors.items())) if root == 2 else ratio
    order = (p - q) / root
    return Growth(order, term * size ** (-order))


def _along(value: Any, reader: Reader, size: Any) -> Any:
    expr = reader.written(value)
    return expr.subs(N, S / FRACTION) if size == S and reader.drawing == WITHOUT else expr


def _first(form: Form, reader: Reader, size: Any) -> tuple[Form, Any] | None:
    """The terms of lowest order in 1/size, their coefficients without it, and the order."""
    root = sp.Symbol("_h", positive=True)
    orders: dict[Any, tuple[Any, Any]] = {}
    for m, c in form.terms.items():
        top, bottom = (
            sp.Poly(p, root)
            for p in sp.fraction(sp.together(_along(c, reader, size).subs(size, root**2)))
        )
        orders[m] = (sp.Rational(bottom.degree() - top.degree(), 2), top.LC() / bottom.LC())
    if not orders:
        return None
    lowest = min(order for order, _ in orders.values())
    kept = [(m, reader.number(c)) for m, (order, c) in orders.items() if order == lowest]
    return collected(form.field, kept), lowest


def _ratio(high: Form, low: Form, reader: Reader) -> Any:
    """As one factor where it is one, else as a quotient of averages over the data."""
    if set(high.terms) == set(low.terms):
        ratios = {high.terms[m] / low.terms[m] for m in high.terms}
        if len(ratios) == 1:
            return reader.written(ratios.pop())
    shown = [written(f, reader) for f in (high, low)]
    if any(s is None for s in shown):
        return None
    return shown[0] / shown[1]
