"""Formulas with roots of letters as formulas without: a letter is put in by the root."""

from __future__ import annotations

from typing import Any

import sympy as sp

_MOST = 4  # roots, each of which has a letter of its own


def without_roots(exprs: list[Any]) -> list[Any]:
    """The same numbers in other letters; behind them what these letters leave positive.

    A root of a product is a letter u, and so is that of what is linear in a letter: this letter is then
    u^2 over the rest, or what makes the sum u^2. What is under no such root is left as it is.

    >>> a, h = sp.symbols("a h", positive=True)
    >>> without_roots([sp.sqrt(a * h) - 1, 2 - a * h])
    [root_1 - 1, 2 - root_1**2]
    >>> without_roots([sp.sqrt(1 - a * h)])
    [root_1, -(root_1 - 1)*(root_1 + 1)/h]
    """
    found, more = list(exprs), list[Any]()
    for k in range(1, _MOST + 1):
        put = _one_letter(found, sp.Symbol(f"root_{k}", positive=True))
        if put is None:
            break
        letter, value = put
        found, more = ([_plain(e.subs(letter, value)) for e in some] for some in (found, more))
        more += [] if value.is_positive else [value]
    return [*found, *more]


def _plain(expr: Any) -> Any:
    """With what is under roots multiplied out and cancelled, so that squares are seen."""
    rooted = {
        p for p in expr.atoms(sp.Pow) if p.exp.is_Rational and not p.exp.is_Integer and p.base.is_Add
    }
    rooted |= {p for p in expr.atoms(sp.Pow) if p.exp.is_Rational and p.exp.q > 1 and p.base.is_Mul}
    return expr.xreplace({p: sp.factor(sp.cancel(p.base)) ** p.exp for p in rooted})


def _roots(expr: Any) -> list[Any]:
    """Products of roots of letters in one term, and roots of sums."""
    found: list[Any] = []
    for node in sp.preorder_traversal(expr):
        parts = sp.Mul.make_args(node) if isinstance(node, sp.Mul | sp.Pow) else ()
        pairs = [part.as_base_exp() for part in parts]
        rooted = [(b, e) for b, e in pairs if e.is_Rational and not e.is_Integer and b.free_symbols]
        found += [rooted] if rooted else []
    return found


def _one_letter(exprs: list[Any], root: Any) -> tuple[Any, Any] | None:
    """A letter and what it is in terms of a root."""
    for pairs in (one for e in exprs for one in _roots(e)):
        sums = [b for b, e in pairs if not b.is_Symbol and e.q == 2]
        if sums:
            for letter in sorted(sums[0].free_symbols, key=str):
                solved = sp.solve(sums[0] - root**2, letter) if letter.is_positive else []
                if len(solved) == 1 and solved[0].is_rational_function():
                    return letter, sp.factor(solved[0])
            continue
        power = sp.ilcm(1, 1, *(e.q for _, e in pairs))
        letter, exponent = min(pairs, key=lambda p: (abs(p[1].p), p[0].name))
        times = exponent * power  # of the letter in the power of the product
        if letter.is_positive and abs(times) == 1:
            rest = sp.Mul(*(b ** (e * power) for b, e in pairs if b != letter))
            return letter, (root**power / rest) ** times
    return None
