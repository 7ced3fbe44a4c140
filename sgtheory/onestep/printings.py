"""By how much two printings of one algorithm differ: line by line, and over a whole step, computed.

Where cases are told apart by the clock, it is the first of them that is compared.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import Local, Sampler, State, Update, ones


@cache
def lines(first: Any, second: Any) -> tuple[Update, ...]:
    """What each update of the first has beyond the second's, letters as they stand there.

    Where only one of them has an update, or has it at that place, the other leaves the state as it is.

    >>> lines("psgld:algorithm1", "psgld:eq3")
    ((theta, Gamma*eps*(1 - G)/2),)
    >>> [str(target) for target, _ in lines("psgld:no_gamma", "psgld:preconditioner_of_old_gradient")]
    ['V', 'V']
    """
    a, b = (registry.sampler(s).updates for s in (first, second))
    written, rewritten = ([str(target) for target, _ in updates] for updates in (a, b))
    found: list[Update] = []
    for kind, i, j, k, m in SequenceMatcher(None, written, rewritten, False).get_opcodes():
        if kind == "equal":
            found += [(target, _gap(e, f)) for (target, e), (_, f) in zip(a[i:j], b[k:m], strict=True)]
        else:
            found += [(target, _added(target, e)) for target, e in a[i:j]]
            found += [(target, -_added(target, e)) for target, e in b[k:m]]
    return tuple((target, gap) for target, gap in found if gap != 0)


def _gap(e: Any, f: Any) -> Any:
    """The difference, its products multiplied out once: what is inside of a root stays as it is."""
    return sp.factor_terms(multiplied_out(_first_case(e) - _first_case(f)))


def multiplied_out(expr: Any) -> Any:
    """A sum with its products over sums written term by term, denominators left as they are."""
    terms = []
    for term in sp.Add.make_args(expr):
        above, below = sp.fraction(term)
        terms += [a / below for a in sp.Add.make_args(sp.expand_mul(above, deep=False))]
    return sp.Add(*terms)


def _added(target: Any, e: Any) -> Any:
    """What an update adds where the other has none: of a state the change, since there it stays."""
    expr = _first_case(e)
    return sp.factor_terms(multiplied_out(expr - target)) if isinstance(target, State) else expr


def _first_case(expr: Any) -> Any:
    return sp.sympify(expr).replace(sp.Piecewise, lambda *cases: cases[0][0])


@cache
def difference(first: Any, second: Any) -> dict[Any, Any]:
    """What a whole step of the first adds to each state beyond the second, where that is not zero.

    Locals of the updates that both begin with stay letters; what follows is carried out in both.

    >>> difference("psgld:algorithm1", "psgld:eq3")
    {theta: Gamma*eps*(1 - G)/2}
    >>> difference("santa_euler:algorithm6", "santa_euler:algorithm6")
    {}
    """
    a, b = registry.sampler(first), registry.sampler(second)
    shared = 0
    for one, other in zip(a.updates, b.updates, strict=False):
        if one != other:
            break
        shared += 1
    steps = [_carried_out(s, shared) for s in (a, b)]
    gaps = {s: sp.factor_terms(sp.expand(steps[0][s] - steps[1][s])) for s in a.state}
    return {s: gap for s, gap in gaps.items() if gap != 0}


def _carried_out(sampler: Sampler, shared: int) -> dict[Any, Any]:
    """The states after a step; locals of the updates that are shared are letters."""
    now: dict[Any, Any] = {s: s for s in sampler.state}
    for k, (target, expr) in enumerate(sampler.updates):
        if k >= shared or not isinstance(target, Local):
            now[target] = _first_case(expr).xreplace(now).xreplace({ones: sp.Integer(1)})
    return now
