"""The solution of a law's equation, where it is a number times one matrix."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import SIGMA, A, H

_I = sp.Symbol("I", commutative=False)


def only_solution(equations: list[tuple[Any, Any]]) -> Any:
    """The multiple of H, the identity or the inverse of A that solves a law's equation, where one does.

    That has one solution, as H A has positive eigenvalues.

    >>> from sgtheory.notation.matrixwords import C
    >>> only_solution([(3 * H * C * SIGMA + 3 * SIGMA * C * H, H * C * H)])
    H/6
    >>> only_solution([(A * SIGMA + SIGMA * A, sp.Integer(3))])
    3*A**(-1)/2
    """
    if len(equations) != 1:
        return None
    ((left, right),), share = equations, sp.Dummy(positive=True)
    for matrix in (H, _I, A**-1):
        put = {SIGMA: share * matrix}
        rest = sp.expand((left - right).subs(put).subs(_I, 1))
        words = {sp.Mul(*t.args_cnc()[1]): sp.Integer(0) for t in sp.Add.make_args(rest)}
        found = sp.solve(sp.Add(*(sp.Mul(*t.args_cnc()[0]) for t in sp.Add.make_args(rest))), share)
        if len(words) == 1 and len(found) == 1:
            return found[0] * matrix
    return None
