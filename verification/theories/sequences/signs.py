"""Inequalities between sums over steps, for every number of steps and all sequences of a kind.

The difference of both sides is a sum over different steps of polynomials in the entries there. Where
each of them, made symmetric in its steps, is nowhere negative, so is the difference.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import sympy as sp

from verification.theories.positivity import nowhere_negative
from verification.theories.sequences.normal import Forms, Of, Undecided, without_denominators
from verification.theories.sequences.symbols import DOWN, T

_MOST_SIGNS = 4
_NOT_NEGATIVE = ("positive", "nonnegative", "fraction", *DOWN)


def never_larger(left: Any, right: Any, kinds: dict[str, str]) -> str | None:
    """Why ``left <= right`` for every number of steps; None where no reason is found.

    >>> from verification.theories.sequences.symbols import T, numbers, over, t
    >>> x = numbers("x")
    >>> never_larger(over(x[t]) ** 2, T * over(x[t] ** 2), {}) is not None
    True
    >>> never_larger(over(x[t]) ** 2, over(x[t] ** 2), {}) is None
    True
    """
    if sp.sympify(left).is_nonpositive and sp.sympify(right).is_nonnegative:
        return "The one side is never positive, the other never negative."
    left, right, divided = without_denominators(_by_triangle(left), right)
    if not all(base.is_positive for base in divided):
        return None
    for whole in (True, False):  # sums that are not random as numbers, or as sums
        forms = Forms(dict(kinds))
        rest = sp.expand(forms.normal(right) - forms.normal(left))
        if rest.is_polynomial():
            words = _sorted(_as_numbers(rest, forms) if whole else rest, forms)
            if words is not None:
                return words
    return None


def _by_triangle(left: Any) -> Any:
    """The size of a sum, as a factor, by the sum of sizes, which is no less."""
    factors = []
    for factor in sp.Mul.make_args(sp.sympify(left)):
        if isinstance(factor, sp.Abs) and isinstance(factor.args[0], sp.Sum):
            inner = factor.args[0]
            factor = inner.func(sp.Abs(inner.function), *inner.limits)
        elif not (factor.is_positive or factor.is_nonnegative):
            return left
        factors.append(factor)
    return sp.Mul(*factors)


def _as_numbers(rest: Any, forms: Forms) -> Any:
    """Sums without means in them as letters."""
    put = {}
    for letter, body in forms.sums.items():
        if not any(forms.entries[x][0].factors for x in body.free_symbols):
            positive = all(x.is_positive for x in body.free_symbols)
            put[letter] = sp.Symbol(f"whole {letter}", positive=True if positive else None, real=True)
    return rest.subs(put)


def _sorted(rest: Any, forms: Forms) -> str | None:
    found = _by_number_of_steps(rest, forms)
    if 1 in found and 0 in found and _nowhere_negative(sp.expand(-found[0]), forms, 0):
        found[1] += found.pop(0)  # there is at least one step
    for size in sorted(found):
        if not _nowhere_negative(sp.expand(found[size]), forms, size):
            return None
    return "Written out over steps and pairs of different steps, right minus left has no negative term."


def vanishes(value: Any, kinds: dict[str, str]) -> str | None:
    """Why a value vanishes for all steps of the kind ``steps``: their sum passes every bound.

    >>> from verification.theories.sequences.symbols import numbers, over, t
    >>> eps = numbers("eps", positive=True)
    >>> vanishes(1 / over(eps[t]), {"eps": "steps"}) is None
    False
    >>> vanishes(over(eps[t] ** 2), {"eps": "steps"}) is None
    True
    """
    forms = Forms(dict(kinds))
    # a power of 1/T is at most one
    factors = (p for p in sp.Mul.make_args(sp.sympify(value)) if not _is_over_steps(p))
    found, grows = sp.together(forms.normal(sp.Mul(*factors))), sp.Symbol("S", positive=True)
    if found.has(T):
        return None
    below = sp.fraction(found)[1]
    put = {}
    for letter, body in forms.sums.items():
        powers = body.as_powers_dict()
        degree = sum(p for x, p in powers.items() if forms.kind_of(x) == "steps")
        others = {forms.kind_of(x) for x in powers} - {"steps", "at most one"}
        weighted = len(powers) > 1  # by bounded numbers, which may be zero
        if others or degree < 1 or (weighted and below.has(letter)):
            return None
        share = sp.Symbol(f"share {letter}", positive=True) if weighted else 1
        put[letter] = share * grows if degree == 1 else sp.Symbol(f"finite {letter}", positive=True)
    if sp.limit(found.subs(put), grows, sp.oo) != 0:
        return None
    return "The sum of steps passes every bound, and all else stays bounded."


def _is_over_steps(factor: Any) -> bool:
    return bool(factor.is_Pow and factor.base == T and factor.exp.is_negative)


def _by_number_of_steps(top: Any, forms: Forms) -> dict[int, Any]:
    """Symmetric polynomials in the entries at 0, 1, 2 ... different steps."""
    found: dict[int, Any] = {}
    for outside, bodies in forms.patterns(top):
        if any(x in forms.sums for x in outside.free_symbols):
            raise Undecided("a sum under a root or in a denominator")
        ways = list(permutations(range(len(bodies))))
        terms = [
            outside * sp.Mul(*(_there(b, k, forms) for k, b in zip(w, bodies, strict=True)))
            for w in ways
        ]
        found[len(bodies)] = found.get(len(bodies), 0) + sp.Add(*terms) / len(ways)
    return found


def _there(body: Any, place: int, forms: Forms) -> Any:
    """A body at one of different steps."""
    own = {x: _at_place(x, place, forms) for x in body.free_symbols if x in forms.entries}
    return body.subs(own, simultaneous=True)


def _at_place(letter: Any, place: int, forms: Forms) -> Any:
    """The letter at a step; a mean of a product is not negative where the product is not."""
    of, _, shift = forms.entries[letter]
    if shift:
        raise Undecided("entries at steps next to each other")
    return sp.Mul(*(forms.entry(one, f"step {place}", 0) for one in of.factors or (of,)))


def _nowhere_negative(polynomial: Any, forms: Forms, size: int) -> bool:
    """For all numbers of the kinds of its letters."""
    ordered = _ordered(polynomial, forms, size)
    return all(map(nowhere_negative, _signs(ordered, forms)))


def _known(x: Any, forms: Forms) -> tuple[str, bool, bool]:
    """What a letter is the size of, whether it has one sign, and whether it is at most one."""
    of, *at = forms.entries.get(x, (Of(x.name),))
    kind = forms.kinds.get(of.bare, "real")
    plain = of.size or kind in _NOT_NEGATIVE
    return f"{of.bare} {at}", bool(plain or x.is_positive), kind in ("at most one", "fraction")


def _ordered(polynomial: Any, forms: Forms, size: int) -> Any:
    """One decreasing sequence: its last entry, and more at each step; the first one is the largest.

    What is symmetric in its steps may take them in one order.
    """
    down = {forms.entries[x][0] for x in polynomial.free_symbols if forms.kind_of(x) in DOWN}
    if len(down) != 1:
        return polynomial
    (of,) = down
    last, changed = forms.entry(of, None, "T"), {}
    if not polynomial.has(last) and not polynomial.has(forms.entry(of, None, "1")):
        return polynomial
    value = last
    for place in reversed(range(size)):
        value = value + sp.Symbol(f"more {place}", positive=True)
        changed[forms.entry(of, f"step {place}", 0)] = value
    changed[forms.entry(of, None, "1")] = value + sp.Symbol("more", positive=True)
    return sp.expand(polynomial.subs(changed, simultaneous=True))


def _signs(polynomial: Any, forms: Forms) -> list[Any]:
    """Positive letters for all others, with every choice of signs; bounded ones are below one."""
    found, free, bounded = polynomial, set[Any](), dict[Any, Any]()
    for x in sorted((x for x in polynomial.free_symbols if not x.is_positive), key=str):
        shown, signed, at_most_one = _known(x, forms)
        y = sp.Symbol(f"size of {shown}", positive=True)
        if at_most_one:
            bounded[y] = 1 / (1 + sp.Symbol(f"below one {x}", positive=True))
        side = sp.Integer(1) if signed else sp.Symbol(f"sign of {x}", real=True)
        found = found.subs(x, side * y)
        free |= side.free_symbols
    if len(free) > _MOST_SIGNS:
        return [sp.Integer(-1)]
    order = sorted(free, key=str)
    ways = product((1, -1), repeat=len(order))
    choices = (found.subs(dict(zip(order, way, strict=True)), simultaneous=True) for way in ways)
    return [sp.together(one.subs(bounded)) for one in choices]
