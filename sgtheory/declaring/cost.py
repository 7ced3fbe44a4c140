"""What a step costs, in gradients of single examples."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.language import FullGradient, Gradient, N, S, State, Table, t


def gradients_per_step(sampler: Any) -> Any:
    """How many gradients of single examples a step takes; over an epoch, in the mean.

    The whole gradient at a fixed point is computed once, and counts for nothing.

    >>> from sgtheory import registry
    >>> [gradients_per_step(registry.sampler(n)) for n in ("sgldfp", "svrg_ld", "saga_ld")]
    [2*S, 2*S + N/m, S]
    """
    shares: dict[Any, Any] = {}
    for _, expr in sampler.updates:
        _collect(sp.sympify(expr), sp.Integer(1), shares)
    return sp.Add(*(share * (N if isinstance(g, FullGradient) else S) for g, share in shares.items()))


def _collect(expr: Any, share: Any, shares: dict[Any, Any]) -> None:
    """The share of steps in which each gradient is taken."""
    if isinstance(expr, Gradient | FullGradient) and expr.args[0].atoms(Table):
        return  # a table's gradients can be kept
    if isinstance(expr, Gradient) or (isinstance(expr, FullGradient) and expr.args[0].atoms(State)):
        shares[expr] = sp.Max(share, shares.get(expr, 0))
    if isinstance(expr, sp.Piecewise):
        for value, condition in expr.args:
            _collect(value, share * _how_often(condition), shares)
        return
    for arg in expr.args:
        _collect(arg, share, shares)


def _how_often(condition: Any) -> Any:
    clocks = condition.atoms(sp.Mod)
    if isinstance(condition, sp.Equality) and len(clocks) == 1:
        (clock,) = clocks
        if clock.args[0] == t and clock in condition.args:
            return 1 / clock.args[1]
    return sp.Integer(1)
