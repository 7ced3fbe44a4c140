"""Equations about sequences that are defined step by step: by induction, or by putting the rule in."""

from __future__ import annotations

from typing import Any

import sympy as sp

from verification.theories.sequences.symbols import T, index_of


def follows(left: Any, right: Any, defined: tuple[tuple[Any, Any, Any], ...]) -> str | None:
    """Why both sides agree; None where no reason is found.

    >>> from verification.theories.sequences.symbols import numbers, over, t
    >>> V, x, a = numbers("V"), numbers("x"), sp.Symbol("a")
    >>> follows(V[T], over(a ** (T - t) * x[t]), ((V, a * V[t - 1] + x[t], 0),))
    'By induction over the steps.'
    """
    for sequence, rule, start in defined:
        if left == sequence[T] and _by_induction(right, sequence, rule, start):
            return "By induction over the steps."
        if _put_in(left, sequence, rule) == _put_in(right, sequence, rule):
            return "Both sides are one expression once the rule is put in."
    return None


def _by_induction(right: Any, sequence: Any, rule: Any, start: Any) -> bool:
    """What is printed starts there, and obeys the rule."""
    index = index_of(rule)
    first, begun = sp.sympify(right).subs(T, 0).doit(), start
    if first.has(sp.nan, sp.zoo):  # what is said begins with the first step
        first, begun = sp.sympify(right).subs(T, 1).doit(), rule.subs(index, 1).subs(sequence[0], start)
    before = sp.sympify(right).subs(T, T - 1)
    after = sp.sympify(rule).subs(index, T).subs(sequence[T - 1], before)
    rest = _last_steps_taken(sp.expand(right)) - _distributed(sp.expand(after))
    return bool(sp.simplify(first - begun) == 0 and sp.simplify(_gathered(rest)) == 0)


def _last_steps_taken(e: Any) -> Any:
    def split(s: Any) -> Any:
        index, first, last = s.limits[0]
        shorter = sp.Sum(s.function, (index, first, T - 1))
        return shorter + s.function.subs(index, T) if last == T else s

    return sp.expand(e.replace(lambda s: isinstance(s, sp.Sum), split))


def _distributed(e: Any) -> Any:
    return sp.expand(e)


def _gathered(e: Any) -> Any:
    """Factors of sums inside them, sums over the same steps made one."""
    bodies: dict[Any, Any] = {}
    rest = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(e)):
        sums = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.Sum)]
        if len(sums) != 1:
            rest += term
            continue
        body = sums[0].function * term / sums[0]
        bodies[sums[0].limits] = bodies.get(sums[0].limits, 0) + body
    return rest + sp.Add(
        *(sp.Sum(b, *limits) for limits, b in bodies.items() if sp.simplify(sp.powsimp(b)) != 0)
    )


def _put_in(e: Any, sequence: Any, rule: Any) -> Any:
    index = index_of(rule)

    def entry(x: Any) -> Any:
        here = x.indices[0]
        return sp.sympify(rule).subs(index, here) if x.base == sequence and here == index else x

    return sp.sympify(e).replace(lambda x: isinstance(x, sp.Indexed), entry)
