"""Equations about sequences that are defined step by step: by induction, or by putting the rule in."""

from __future__ import annotations

from typing import Any

import sympy as sp

from verification.theories.sequences.symbols import T


def follows(left: Any, right: Any, defined: tuple[tuple[Any, Any, Any], ...]) -> str | None:
    """Why both sides agree; None where no reason is found.

    >>> from verification.theories.sequences.symbols import numbers, over, t
    >>> V, x, a = numbers("V"), numbers("x"), sp.Symbol("a")
    >>> follows(V[T], over(a ** (T - t) * x[t]), ((V, a * V[t - 1] + x[t], 0),))
    'By induction over the steps.'
    """
    for sequence, rule, start in defined:
        (index,) = {s for e in rule.atoms(sp.Indexed) for s in e.indices[0].free_symbols} - {T}
        if left == sequence[T] and _by_induction(sp.sympify(right), sequence, rule, start, index):
            return "By induction over the steps."
        if left.xreplace({sequence[index]: rule}) == right.xreplace({sequence[index]: rule}):
            return "Both sides are one expression once the rule is put in."
    return None


def _by_induction(right: Any, sequence: Any, rule: Any, start: Any, index: Any) -> bool:
    """What is printed starts there, and obeys the rule."""
    first, begun = right.subs(T, 0).doit(), start
    if first.has(sp.nan, sp.zoo):  # what is said begins with the first step
        first, begun = right.subs(T, 1).doit(), rule.subs(index, 1).subs(sequence[0], start)
    after = rule.subs(index, T).subs(sequence[T - 1], right.subs(T, T - 1))
    rest = sp.expand(sp.expand(right).replace(sp.Sum, _last_step_taken)) - sp.expand(after)
    return bool(sp.simplify(first - begun) == 0 and sp.simplify(_gathered(rest)) == 0)


def _last_step_taken(body: Any, *limits: Any) -> Any:
    index, first, last = limits[0]
    if last != T:
        return sp.Sum(body, *limits)
    return sp.Sum(body, (index, first, T - 1)) + body.subs(index, T)


def _gathered(e: Any) -> Any:
    """Factors of sums inside them, sums over the same steps made one."""
    bodies: dict[Any, Any] = {}
    rest = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(e)):
        sums = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.Sum)]
        if len(sums) == 1:
            (one,) = sums
            bodies[one.limits] = bodies.get(one.limits, 0) + one.function * term / one
        else:
            rest += term
    kept = (sp.Sum(b, *limits) for limits, b in bodies.items() if sp.simplify(sp.powsimp(b)) != 0)
    return rest + sp.Add(*kept)
