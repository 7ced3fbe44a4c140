"""Where formulas vanish together: whether nowhere but where one of several conditions holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from sgtheory.polynomials import factored
from verification.refuter.parameters import Is
from verification.terms.asymptotics import sign

_DEEPEST = 4  # letters that are solved for, one after another
_BELOW_ONE = ("fraction", "up to one")

Formulas = Sequence[Any]


def only_where(formulas: Formulas, conditions: Sequence[Formulas], deeper: int = _DEEPEST) -> bool:
    """Whether wherever all formulas vanish, all those of one condition do.

    What is left over is taken apart into factors: one with a sign vanishes nowhere, each other one is
    solved for a letter, which is put in everywhere.

    >>> x, y, a = *sp.symbols("x y", real=True), sp.Symbol("a", positive=True)
    >>> only_where([(x - y) * (a + x**2)], [(x - y,)])
    True
    >>> rest = (x - y) * (a - 1)
    >>> only_where([rest], [(x - y,)]), only_where([rest], [(x - y,), (a - 1,)])
    (False, True)
    """
    left = [e for e in map(_numerator, formulas) if e != 0]
    open_ = [list(_may_vanish(e)) for e in left]
    if [] in open_:  # one vanishes nowhere
        return True
    if any(all(_numerator(e) == 0 for e in one) for one in conditions):
        return True
    if not left or not deeper:
        return False
    fewest = min(open_, key=lambda factors: (len(factors), sum(map(sp.count_ops, factors))))
    return all(_only_where_it_vanishes(f, left, conditions, deeper - 1) for f in fewest)


def _only_where_it_vanishes(
    factor: Any, formulas: Formulas, conditions: Sequence[Formulas], deeper: int
) -> bool:
    for letter in sorted(factor.free_symbols, key=str):
        if not factor.is_polynomial(letter) or sp.degree(factor, letter) != 1:
            continue
        slope = sp.diff(factor, letter)
        if not has_sign(slope):
            continue
        value = sp.cancel(-factor.subs(letter, 0) / slope)
        if letter.is_positive and (value == 0 or sign(value) == -1):
            return True  # there is no such place
        put, *others = ([e.subs(letter, value) for e in of] for of in (formulas, *conditions))
        return only_where(put, others, deeper)
    return any(all(_divides(factor, e) for e in one) for one in conditions)


def roots(formula: Any, first: Iterable[Any] = ()) -> Iterator[tuple[Any, Any]]:
    """A letter and its value for each factor that may vanish and is linear in one; none if another may.

    >>> x, y = sp.symbols("x y", real=True)
    >>> sorted(roots((x - y) * (x + 2 * y)), key=str)
    [(x, -2*y), (x, y)]
    """
    before = [*first]
    found = [_root(factor, before) for factor in _may_vanish(_numerator(formula))]
    if None not in found:
        yield from (one for one in found if one is not None)


def _root(factor: Any, first: Sequence[Any]) -> tuple[Any, Any] | None:
    for letter in sorted(factor.free_symbols, key=lambda s: (s not in first, str(s))):
        slope = sp.diff(factor, letter) if factor.is_polynomial(letter) else sp.Integer(0)
        if not slope.has(letter) and has_sign(slope):
            value = sp.cancel(-factor.subs(letter, 0) / slope)
            if letter in first or not letter.is_positive or sign(value) == 1:
                return letter, value
    return None


def _divides(factor: Any, formula: Any) -> bool:
    return bool(sp.fraction(sp.cancel(_numerator(formula) / factor))[1].is_number)


def _may_vanish(formula: Any) -> Iterator[Any]:
    """The factors without a sign."""
    for one in sp.Mul.make_args(factored(formula)):
        base = one.as_base_exp()[0]
        base = base.args[0] - 1 if isinstance(base, sp.log) else base  # log 1 = 0, and no other
        if not has_sign(base):
            yield base


def has_sign(formula: Any) -> bool:
    """Whether a formula vanishes nowhere, by what its letters are known to be."""
    return bool(formula.is_nonzero) or sign(formula) is not None


def _numerator(formula: Any) -> Any:
    return sp.fraction(sp.cancel(sp.together(formula)))[0]


def in_range(formula: Any, kinds: Mapping[str, str]) -> Any:
    """With letters that are not above one as shares of it.

    >>> in_range(1 - sp.Symbol("b", positive=True), {"b": "fraction"}).is_positive
    True
    """
    for s in (s for s in formula.free_symbols if kinds.get(s.name) in _BELOW_ONE):
        share = sp.Symbol(f"_{s}", positive=kinds[s.name] == "fraction", nonnegative=True)
        formula = sp.cancel(formula.subs(s, 1 / (1 + share)))
    return formula


def vanishing(condition: Any) -> Any:
    """What is zero where a condition on numbers holds and nowhere else; None of others.

    >>> from verification.refuter.parameters import is_one
    >>> vanishing(is_one("S"))
    S - 1
    """
    return _numerator(condition.letter - condition.value) if isinstance(condition, Is) else None
