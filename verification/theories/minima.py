"""Where a formula in one positive number is smallest: lemmas for every theory that knows a formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex
from sgtheory.polynomials import is_zero
from verification.terms.term import Term, added, number, with_signs
from verification.theories.answers import Answer, Chosen, Disproved, Proved, Silence, Silent

_CONVEX = "Its derivative vanishes there, and it is strictly convex in the logarithm."
_FACTORS = tuple(map(sp.Rational, ("1", "-1", "1/2", "-1/2")))


def is_smallest(formula: Any, value: Any, x: Any, largest: bool = False) -> Answer:
    """By the derivative along log x; a sum of powers of x with positive factors is convex there.

    >>> x, a, b = sp.symbols("x a b", positive=True)
    >>> is_smallest(a * x - b * sp.log(x), b / a, x).lemma
    'Its derivative vanishes there, and it is strictly convex in the logarithm.'
    >>> is_smallest(a * x - b * sp.log(x), b, x).lemma
    'Its derivative does not vanish there.'
    """
    formula = -formula if largest else formula
    slope = sp.simplify(x * sp.diff(formula, x))
    curvature = sp.expand(sp.simplify(x * sp.diff(slope, x)))  # along log x
    at = sp.simplify(slope.subs(x, value))
    derivation = _told(-formula if largest else formula, slope, at, x)
    if at != 0:
        none = "" if slope.has(x) and sp.solve(slope, x) else " Nor does it vanish anywhere."
        return Disproved(f"Its derivative does not vanish there.{none}", derivation)
    terms = [t for t in sp.Add.make_args(curvature) if t != 0]
    if terms and all(t.is_positive for t in terms):
        return Proved(_CONVEX, derivation, {"dimensions": "every"})
    if _rises_once(slope, value, x):
        return Proved("It falls up to there, and rises from there on.", derivation)
    return Silent(Silence.NO_CERTIFICATE, derivation=derivation)


def _rises_once(slope: Any, value: Any, x: Any) -> bool:
    """Whether the slope is negative below the value and positive above it."""
    step = sp.Dummy("more", positive=True)
    below, above = slope.subs(x, value / (1 + step)), slope.subs(x, value * (1 + step))
    return all(_is_positive(s) for s in (-below, above))


def _is_positive(expr: Any) -> bool:
    """Whether all terms above and below have one sign, the same in both."""
    parts = [sp.Add.make_args(sp.expand(p)) for p in sp.fraction(sp.factor(sp.simplify(expr)))]
    terms = [t for part in parts for t in part]
    return all(t.is_positive for t in terms) or all(t.is_negative for t in terms)


def _told(formula: Any, slope: Any, at: Any, x: Any) -> Derivation:
    change = Formula(rf"dF/d \log {latex(x)}", f"dF/dlog {x}")
    whole = (Equation(Formula("F", "F"), formula),)
    slopes = tuple(Equation(change, v) for v in (slope, at))
    steps = (
        Step("The formula", "Up to what does not change:", whole),
        Step("Its derivative", "Along the logarithm, in general and at the printed value:", slopes),
    )
    return Derivation("A minimum", steps, ())


def in_pieces(of: Any) -> Any:
    """A quantity with each size in it as the larger of two numbers.

    >>> x = sp.Symbol("x", real=True)
    >>> in_pieces(abs(x - 1))
    Max(1 - x, x - 1)
    """
    return of.replace(sp.Abs, lambda x: sp.Max(x, -x))


def where_pieces_meet(
    of: Any, value: Any, x: Any, less: Callable[[Any, Any, bool, bool], bool]
) -> Answer:
    """Of the largest of some numbers, where one that rises and one that falls are the largest of all.

    Above the value it is at least the one, below it at least the other. ``less`` says whether a number
    is less than another wherever something is given, or may be equal, and whether at the value alone.
    """
    pieces = of.args if isinstance(of, sp.Max) and not any(p.has(sp.Max) for p in of.args) else ()
    slopes = [(p, sp.factor(sp.diff(p, x))) for p in pieces]
    up, down = ([p for p, d in slopes if less(sp.Integer(0), s * d, False, False)] for s in (1, -1))
    for rises, falls in product(up, down):
        top = rises.subs(x, value)
        rest = (p.subs(x, value) for p in pieces if p not in (rises, falls))
        meet = is_zero(top - falls.subs(x, value))
        if meet and all(less(p, top, True, True) for p in rest):
            return Proved(
                "A number that falls and one that rises meet there, and are the largest of all."
            )
    return Silent(Silence.NO_CERTIFICATE)


def meetings(of: Any, x: Any) -> Iterator[Any]:
    """Where two of the numbers of which it is the largest are one, their difference being linear."""
    for p, q in combinations(of.args if isinstance(of, sp.Max) else (), 2):
        gap = sp.expand(p - q)
        if gap.is_polynomial(x) and sp.degree(gap, x) == 1:
            yield sp.factor(-gap.coeff(x, 0) / gap.coeff(x, 1))


def other_values(formula: Any, x: Any) -> list[Any]:
    """Where the derivative vanishes, at positive numbers."""
    try:
        found = sp.solve(sp.simplify(sp.diff(formula, x)), x)
    except NotImplementedError:
        return []
    return [v for v in found if v.is_positive]


def other_formulas(chosen: Chosen) -> Iterator[Term]:
    """The quantity with signs turned or terms halved, fewest changes first.

    Nothing says that any of them is best at the value.
    """
    terms = added(chosen.of)
    moving = [k for k, (_, one) in enumerate(terms) if chosen.letter in one.letters]
    ways = product(_FACTORS, repeat=len(moving))
    for factors in sorted(ways, key=lambda c: (len(c) - c.count(1), sum(abs(x) != 1 for x in c))):
        own = dict(zip(moving, factors, strict=True))
        if any(x != 1 for x in factors):
            yield _sum([(own.get(k, 1) * sign, one) for k, (sign, one) in enumerate(terms)])


def _sum(terms: Sequence[tuple[Any, Term]]) -> Term:
    """Terms with factors of one, or a half, and a sign."""
    return with_signs((factor, one if abs(factor) == 1 else one / number(2)) for factor, one in terms)
