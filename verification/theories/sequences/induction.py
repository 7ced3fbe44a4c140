"""Equations about sequences that are defined step by step: by induction, or by putting the rule in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from verification.theories.sequences.symbols import T


def follows(
    left: Any,
    right: Any,
    defined: tuple[tuple[Any, Any], ...],
    starts: Mapping[Any, Any],
) -> str | None:
    """Why both sides agree; None where no reason is found. ``starts`` are entries that are known.

    >>> from verification.theories.sequences.symbols import numbers, over, t
    >>> V, x, a = numbers("V"), numbers("x"), sp.Symbol("a")
    >>> follows(V[T], over(a ** (T - t) * x[t]), ((V, a * V[t - 1] + x[t]),), {V[0]: 0})
    'By induction over the steps.'
    """
    for sequence, rule in defined:
        (index,) = {s for e in rule.atoms(sp.Indexed) for s in e.indices[0].free_symbols} - {T}
        said = _said_of(sequence[T], left - right)
        if said is not None and _by_induction(said, sequence, rule, index, starts):
            return "By induction over the steps."
        if left.xreplace({sequence[index]: rule}) == right.xreplace({sequence[index]: rule}):
            return "Both sides are the same expression once the rule is put in."
    return None


def sums_agree(left: Any, right: Any) -> str | None:
    """Why sums are a closed form: they are for one step, and grow by the same with every further one.

    Sums run from a number to a step that moves with their end, and what is added up does not.

    >>> from verification.theories.sequences.symbols import over, t
    >>> sums_agree(over(t), T * (T + 1) / 2)
    'By induction over the steps.'
    >>> sums_agree(over(t), T * (T + 2) / 2) is None
    True
    """
    rest = sp.sympify(left) - sp.sympify(right)
    sums = rest.atoms(sp.Sum)
    if not sums or not all(map(_grows_by_one, sums)):
        return None
    first = rest.subs(T, 1).xreplace({one.subs(T, 1): _added_up(one.subs(T, 1)) for one in sums})
    further = rest.xreplace({one: one.subs(T, T - 1) + _last(one) for one in sums}) - rest.subs(T, T - 1)
    agree = first.is_finite is not False and is_zero(first) and is_zero(_gathered(further))
    return "By induction over the steps." if agree else None


def _grows_by_one(one: Any) -> bool:
    """Whether a sum has one more term after each step, the first step's sum being none before it."""
    (_, first, last), *others = one.limits
    shift = sp.expand(last - T)
    whole = first.is_Integer and shift.is_Integer and first <= shift + 2
    return bool(whole and not others and not one.function.has(T, sp.Sum))


def _last(one: Any) -> Any:
    index, _, last = one.limits[0]
    return one.function.subs(index, last)


def _added_up(one: Any) -> Any:
    index, first, last = one.limits[0]
    return sp.Add(*(one.function.subs(index, k) for k in range(int(first), int(last) + 1)))


def _said_of(last: Any, rest: Any) -> Any:
    """What the last entry is where what is left over vanishes; None where it is not linear in it."""
    entry = sp.Dummy()
    rest = sp.sympify(rest).xreplace({last: entry})
    if not rest.is_polynomial(entry) or sp.degree(rest, entry) != 1:
        return None
    return sp.expand(-rest.subs(entry, 0)) / sp.diff(rest, entry)


def _by_induction(said: Any, sequence: Any, rule: Any, index: Any, starts: Mapping[Any, Any]) -> bool:
    """What is said is so of the first entries, and obeys the rule from the last of these on."""
    begun = {int(e.indices[0]): value for e, value in starts.items() if e.base == sequence}
    last = max(begun)
    begun[last + 1] = rule.subs(index, last + 1).subs(sequence[last], begun[last])
    first = {k: said.subs(T, k).doit() for k in sorted(begun)}
    known = [k for k, value in first.items() if not value.has(sp.nan, sp.zoo)]
    after = rule.subs(index, T).subs(sequence[T - 1], said.subs(T, T - 1))
    rest = sp.expand(sp.expand(said).replace(sp.Sum, _last_step_taken)) - sp.expand(after)
    so_far = all(is_zero((first[k] - begun[k]).xreplace({**starts})) for k in known)
    begins = last < 2 and known != [] and known[-1] >= last
    return begins and so_far and is_zero(_gathered(rest))


def is_zero(e: Any) -> bool:
    """Also where powers differ by whole numbers in their exponents."""
    return bool(sp.simplify(e) == 0 or sp.simplify(sp.sympify(e).replace(sp.Pow, _apart)) == 0)


def _apart(base: Any, exponent: Any) -> Any:
    """A power of so many steps as a letter, times a power of a whole number."""
    whole, rest = sp.expand(exponent).as_coeff_Add()
    if rest == 0 or not whole.is_Integer:
        return sp.Pow(base, exponent)
    return base**whole * sp.Symbol(f"({base})**({rest})", positive=True)


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
    kept = (sp.Sum(b, *limits) for limits, b in bodies.items() if not is_zero(sp.powsimp(b)))
    return rest + sp.Add(*kept)
