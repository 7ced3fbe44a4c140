"""Expressions in states and unspecified functions: what has to vanish, and when it does.

At one point the derivatives of an unspecified function are independent numbers. An expression
vanishes for every such function exactly where all coefficients of its monomials do, so a condition on
the parameters is a set of polynomial equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.polynomials import factored, is_zero, quotient

_DEEPEST = 3  # equations that one condition may consist of


def coefficients(expr: Any, states: Sequence[Any]) -> tuple[Any, ...]:
    """The coefficients of the monomials in states and functions, without their denominators.

    >>> x = sp.Symbol("x", real=True)
    >>> gamma, T = sp.symbols("gamma T", positive=True)
    >>> U = sp.Function("U")(x)
    >>> coefficients(gamma * x * U.diff(x) / T - x * U.diff(x) + T * U, (x,))
    (-T + gamma, T**2)
    """
    top = _numerator(expr)
    if top == 0:
        return ()
    plain, atoms = _plain(top, states)
    if not atoms:
        return (sp.expand(plain),)
    return tuple(sp.expand(c) for c in sp.Poly(plain, *atoms).coeffs())


def collected(expr: Any, states: Sequence[Any]) -> dict[Any, Any]:
    """Monomials in states and functions with their coefficients, of what has no denominator in them.

    >>> x, a = sp.symbols("x a")
    >>> U = sp.Function("U")(x)
    >>> collected(a * x * U.diff(x) - x / a, (x,)) == {x * U.diff(x): a, x: -1 / a}
    True
    """
    found: dict[Any, Any] = {}
    plain, names = _named(sp.expand(expr), states)
    back = {name: atom for atom, name in names.items()}
    atoms = [s for s in (*states, *names.values()) if s in plain.free_symbols]
    if not atoms:
        return {sp.Integer(1): plain} if plain != 0 else {}
    for powers, c in sp.Poly(plain, *atoms).terms():
        monomial = sp.Mul(*(back.get(a, a) ** k for a, k in zip(atoms, powers, strict=True)))
        found[monomial] = found.get(monomial, sp.Integer(0)) + c.xreplace(back)
    return found


def independent(exprs: Sequence[Any], states: Sequence[Any]) -> bool:
    """Whether all monomials that ``collected`` tells apart are independent functions.

    Derivatives of unspecified functions are; roots are not, nor are several exponentials.
    """
    depends = set(states)
    special = {
        e
        for expr in exprs
        for e in sp.sympify(expr).atoms(sp.Function, sp.Pow, sp.Subs)
        if e.free_symbols & depends
        and not isinstance(e, AppliedUndef)
        and not (e.is_Pow and e.exp.is_Integer)
    }
    if any(not isinstance(e, sp.exp | sp.log) for e in special):
        return False
    plain = all(set(f.args) <= depends for e in exprs for f in sp.sympify(e).atoms(AppliedUndef))
    return plain and len(special) <= 1


def vanishes(expr: Any, states: Sequence[Any]) -> bool:
    """Whether an expression is zero for all states, parameters and unspecified functions."""
    return all(is_zero(c) for c in coefficients(expr, states))


def _numerator(expr: Any) -> Any:
    return quotient(expr).numerator


def _plain(expr: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Functions and their derivatives as symbols of their own."""
    expr, names = _named(expr, states)
    return expr, [s for s in (*states, *names.values()) if s in expr.free_symbols]


def _named(expr: Any, states: Sequence[Any]) -> tuple[Any, dict[Any, Any]]:
    parts = expr.atoms(sp.Derivative, sp.Subs, AppliedUndef)
    others = {
        e
        for e in expr.atoms(sp.exp, sp.log, sp.Pow)
        if e.free_symbols & set(states) and not (e.is_Pow and e.exp.is_Integer and e.exp > 0)
    }
    ordered = sorted(parts | others, key=lambda e: (-sp.count_ops(e), sp.default_sort_key(e)))
    names = {e: sp.Dummy() for e in ordered}
    for e, name in names.items():
        expr = expr.xreplace({e: name})
    return expr, names


@dataclass(frozen=True)
class Relation:
    """A parameter is a function of the others: ``polynomial`` is zero there.

    >>> sigma, gamma, T = sp.symbols("sigma gamma T", positive=True)
    >>> Relation(sigma**2 - 2 * gamma * T, gamma, sigma**2 / (2 * T)).text
    'sigma**2 = 2*T*gamma'
    """

    polynomial: Any
    symbol: Any
    value: Any

    @property
    def sides(self) -> tuple[Any, Any]:
        """What is added on one side, what is taken away on the other; the shorter side first."""
        terms = sp.Add.make_args(sp.expand(self.polynomial))
        plus = sp.Add(*(t for t in terms if not t.could_extract_minus_sign()))
        minus = sp.Add(*(-t for t in terms if t.could_extract_minus_sign()))
        left, right = sorted((plus, minus), key=lambda e: (sp.count_ops(e), str(e)))
        if left.is_number:
            left, right = right, left
        return left, right

    @property
    def text(self) -> str:
        """As an equation."""
        left, right = self.sides
        return f"{left} = {right}"


def relations(equations: Sequence[Any]) -> tuple[tuple[Relation, ...], ...]:
    """All ways found to make polynomial equations in parameters true, few relations before many.

    Parameters that are positive stay so. A way is one relation, or a few that hold together.

    >>> sigma, gamma, T = sp.symbols("sigma gamma T", positive=True)
    >>> [[r.text for r in way] for way in relations([gamma * T * (sigma**2 - 2 * gamma * T)])]
    [['sigma**2 = 2*T*gamma']]
    >>> relations([sigma + T])
    ()
    """
    ways = _ways([e for e in map(sp.expand, equations) if e != 0], 0)
    distinct = {frozenset(r.text for r in way): way for way in ways}
    return tuple(sorted(distinct.values(), key=len))


def _ways(equations: list[Any], depth: int) -> list[tuple[Relation, ...]]:
    if not equations:
        return [()]
    if depth == _DEEPEST:
        return []
    factors = [_factors(e) for e in equations]
    shortest = min(factors, key=lambda f: (len(f), sum(sp.count_ops(x) for x in f)))
    ways = []
    for factor in shortest:
        relation = _solved(factor)
        if relation is None:
            continue
        put_in = (_numerator(e.subs(relation.symbol, relation.value)) for e in equations)
        rest = [e for e in (sp.simplify(p) for p in put_in) if e != 0]
        ways += [(relation, *more) for more in _ways(rest, depth + 1)]
    return ways


def _factors(expr: Any) -> list[Any]:
    """The factors that can vanish."""
    bases = [f.as_base_exp()[0] for f in sp.Mul.make_args(factored(expr))]
    return [f for f in bases if f.free_symbols and not f.is_nonzero]


def _solved(factor: Any) -> Relation | None:
    """The factor's equation, solved for a parameter that it holds to the first power if there is one."""
    symbols = sorted(factor.free_symbols, key=lambda s: (sp.degree(factor, s), s.name))
    for symbol in symbols:
        for value in sp.solve(factor, symbol):
            if value.is_real is not False and (value.is_positive is not False or not symbol.is_positive):
                if symbol.is_positive and value.is_zero:
                    continue
                return Relation(factor, symbol, value)
    return None
