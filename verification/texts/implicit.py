"""Steps that have a state after the step on both sides, as implicit methods do."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory import declare
from sgtheory.errors import NotAffine
from sgtheory.language import Apply, FullGradient, Gradient
from sgtheory.onestep.affine import CURVATURE, linear_form
from verification import notation
from verification.statements import Equal
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term, term
from verification.texts.unclear import Unclear


def solved(state: Any, expr: Any, new: Any) -> tuple[Any, Equal]:
    """``J`` times what does not have the new state, and the equation that J solves.

    >>> from sgtheory.declare import full_gradient, local, positive, state
    >>> theta, new, h = state("theta"), local("new"), positive("h")
    >>> step, told = solved(theta, theta - h * full_gradient(new), new)
    >>> step, told.text()
    (Apply(J_theta, theta), 'J_theta*(I + h*A) = I')
    """
    told = "write it with the new state in sums and in gradients, such as grad((theta' + theta)/2)"
    linear = sp.sympify(expr).replace(Gradient, lambda x, _: Apply(CURVATURE, x))
    linear = linear.replace(FullGradient, lambda x: Apply(CURVATURE, x))
    try:
        form = linear_form(_spread(linear), {})
    except NotAffine:
        raise Unclear("an update that is linear in the new state", f"{state.name}'", told) from None
    beside: Term = term(notation.identity)
    for (word, source), c in form.items():
        if source == new:
            if any(m != CURVATURE for m in word):
                raise Unclear("the new state under gradients alone", f"{state.name}'", told)
            power = term(notation.identity) if not word else term(notation.A) ** len(word)
            power = term(notation.A) if len(word) == 1 else power
            beside = beside - from_sympy(c) * power if _is_plus(c) else beside + from_sympy(-c) * power
    rest = _without(sp.sympify(expr), new, state)
    inverse = declare.matrix(f"J_{state.name}")
    told_of = Letter(f"J_{state.name}", "matrix")
    return inverse @ rest, Equal(told_of * beside, term(notation.identity))


def _is_plus(c: Any) -> bool:
    return not c.could_extract_minus_sign()


def _spread(expr: Any) -> Any:
    """Matrices applied to each term of a sum."""
    return expr.replace(Apply, lambda m, x: _applied(m, sp.expand(x)))


def _applied(matrix: Any, x: Any) -> Any:
    if x.is_Add:
        return sp.Add(*(_applied(matrix, part) for part in x.args))
    numbers = [a for a in sp.Mul.make_args(x) if not a.atoms(declare.Vector)]
    factor = sp.Mul(*numbers)
    return factor * Apply(matrix, x / factor)


def _without(expr: Any, new: Any, state: Any) -> Any:
    """The update where the new state is zero; a minibatch's gradient keeps its noise."""

    def drawn(x: Any, draw: Any) -> Any:
        left = x.xreplace({new: sp.Integer(0)})
        if x.has(new) and left == 0:
            told = "take it at a mixture of both states, or write the noise as xi ~ N(0, I)"
            raise Unclear("a minibatch's gradient at the old state too", f"g({state.name}')", told)
        return Gradient(left, draw)

    def full(x: Any) -> Any:
        left = x.xreplace({new: sp.Integer(0)})
        return FullGradient(left) if left != 0 else sp.Integer(0)

    return expr.replace(Gradient, drawn).replace(FullGradient, full).xreplace({new: sp.Integer(0)})
