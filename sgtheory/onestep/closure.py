"""Which moments of a chain close: the one-step moment map in one dimension, and where it ends.

A moment closes where its value after a step needs only finitely many moments before it. It does not
where an update is no polynomial, or where each moment needs one of a higher degree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.declaring.noises import Noise, Vector
from sgtheory.language import Apply, D, DiagonalOf, Dot, ones
from sgtheory.setting import Setting

_HIGHEST = 6  # a degree that is met on the way from first and second moments only if they do not close


@dataclass(frozen=True)
class Closure:
    """What a moment needs. ``path`` leads from it to what does not close; empty where it closes."""

    needs: tuple[Any, ...]  # the monomials of the closed system, or those met
    path: tuple[Any, ...] = ()
    obstacle: Any = None  # a term that is no polynomial

    @property
    def closes(self) -> bool:
        """Whether finitely many moments suffice."""
        return not self.path and self.obstacle is None


@cache
def closure(setting: Setting, moment: Any) -> Closure:
    """Whether a monomial in the states has a closed system of moments, in one dimension.

    >>> from sgtheory import registry
    >>> from sgtheory.declare import state
    >>> theta = state("theta")
    >>> well = Setting(registry.sampler("sgld"), registry.model("double_well"))
    >>> closure(well, theta).path
    (theta, theta**3, theta**7)
    >>> closure(Setting(registry.sampler("sgd"), registry.model("quadratic")), theta**2).needs
    (theta**2,)
    """
    step = in_one_dimension(setting)
    came_from: dict[Any, Any] = {moment: None}
    waiting = [moment]
    while waiting:
        now = waiting.pop(0)
        found = _needed(setting.state, step, now)
        if not isinstance(found, tuple):
            return Closure(tuple(came_from), _path(came_from, now), found)
        for wanted in found:
            if wanted not in came_from:
                came_from[wanted] = now
                if sp.Poly(wanted, *setting.state).total_degree() > _HIGHEST:
                    return Closure(tuple(came_from), _path(came_from, wanted))
                waiting.append(wanted)
    return Closure(tuple(came_from))


def _path(came_from: dict[Any, Any], end: Any) -> tuple[Any, ...]:
    path = [end]
    while came_from[path[-1]] is not None:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))


@cache
def in_one_dimension(setting: Setting) -> dict[Any, Any]:
    """The states after a step in those before it and the noises, every vector a number."""
    now: dict[Any, Any] = {}
    for target, expr in setting.updates:
        now[target] = scalar(sp.sympify(expr)).xreplace(now)
    return {s: sp.sympify(now.get(s, s)) for s in setting.state}


def scalar(expr: Any) -> Any:
    """An expression in one dimension: matrices are numbers, inner products are products."""
    expr = expr.replace(Apply, lambda matrix, x: number(matrix) * x).replace(Dot, lambda x, y: x * y)
    return expr.replace(DiagonalOf, number).subs({D: 1, ones: 1})


def number(matrix: Any) -> Any:
    """A matrix of one row."""
    return sp.sqrt(matrix.args[0]) if matrix.is_Function else matrix


def _needed(states: Any, step: dict[Any, Any], moment: Any) -> Any:
    """The monomials that a monomial's expectation after a step needs; or the term that is none."""
    for state in sorted(moment.free_symbols, key=str):
        obstacle = _obstacle(step[state])
        if obstacle is not None:
            return obstacle
    factors = moment.as_powers_dict()
    noises = sorted(set().union(*(step[s].atoms(Noise) for s in factors)), key=str)
    after = sp.Poly(1, *states, *noises)
    for state, power in factors.items():
        after *= sp.Poly(_somewhere(step[state]), *states, *noises) ** int(power)
    expected: dict[Any, Any] = {}
    for powers, c in after.terms():
        of_states, of_noises = powers[: len(states)], powers[len(states) :]
        mean = sp.Mul(*(w.moment(k) for w, k in zip(noises, of_noises, strict=True)))
        expected[of_states] = expected.get(of_states, 0) + c * mean
    found = [powers for powers, value in expected.items() if value != 0]
    monomials = [sp.Mul(*(s**k for s, k in zip(states, p, strict=True))) for p in found]
    return tuple(m for m in sorted(monomials, key=sp.default_sort_key) if m != 1)


def _somewhere(expr: Any) -> Any:
    """The expression where parameters are unlike numbers with exact roots, so that no term vanishes."""
    letters = {s for s in expr.free_symbols if not isinstance(s, Vector)}
    exponents = set().union(*(p.exp.free_symbols for p in expr.atoms(sp.Pow)))
    primes = {s: sp.prime(2 + int.from_bytes(s.name.encode()) % 997) for s in letters}
    found = expr.subs({s: 4 if s in exponents else p**4 for s, p in primes.items()})
    # a factor such as sqrt(2) is a number like any other, and whole numbers are multiplied faster
    return found.replace(
        lambda e: e.is_Pow and e.is_number and not e.is_Rational, lambda e: sp.prime(1009)
    )


def _obstacle(expr: Any) -> Any:
    """The smallest part of an expression that is no polynomial in its vectors; None where all are."""
    vectors = [s for s in expr.free_symbols if isinstance(s, Vector)]
    if not vectors or expr.is_polynomial(*vectors):
        return None
    for part in expr.args:
        found = _obstacle(part) if isinstance(part, sp.Expr) else None
        if found is not None:
            return found
    return expr
