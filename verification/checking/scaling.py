"""Which powers of c leave a law as it is where the loss is multiplied by c: from the declaration.

Every number that occurs gets a weight: the gradient 1, positions and standard noise 0, what is unknown
an unknown. An update is homogeneous where the sum over its letters x of weight(x) x dF/dx is the weight
of its target times F. That is linear in the weights, and has to hold at every point: a few random ones
give the equations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import MatrixName, N, ones
from sgtheory.language import (
    Apply,
    Curvature,
    DiagonalOf,
    Dot,
    FullGradient,
    Gradient,
    Prior,
    PriorCurvature,
    Root,
)
from sgtheory.language import mode as mode_symbol
from sgtheory.problem import Problem
from verification.checking.cases import having

Array = Any

_SLOPE, _PULL = sp.Symbol("slope_", positive=True), sp.Symbol("pull_", positive=True)
_POINTS, _ROUNDING = 7, 1e-7


def weights(sampler: Any, of_n: int = 0, steps_only: bool = True) -> Mapping[str, Fraction] | None:
    """The powers of c by which parameters change, for a loss times c and N times c^of_n; None: no such.

    >>> from sgtheory import registry
    >>> found = weights(registry.sampler("underdamped"))
    >>> {name: str(power) for name, power in found.items()}
    {'eps': '-1/2', 'gamma': '1/2', 'tau': '1'}
    >>> weights(registry.sampler("sgld")) is None  # its temperature is fixed at 1
    True
    """
    letters = [p for p in sampler.parameters if not p.is_integer]
    free = [p for p in letters if not (steps_only and isinstance(p, MatrixName))]
    unknown = [*_carried(sampler), *free]
    parts = [_equations(target, expr, unknown, of_n) for target, expr in _scalar_updates(sampler)]
    found = _solved(np.vstack([rows for rows, _ in parts]), np.concatenate([v for _, v in parts]))
    if found is None:
        return weights(sampler, of_n, steps_only=False) if steps_only else None
    return {p.name: Fraction(float(found[unknown.index(p)])) for p in free}


def _solved(matrix: Array, vector: Array) -> Array | None:
    """A solution in halves, with as many zeros as can be had; the last unknowns are tried first."""
    used = list(range(matrix.shape[1]))
    for k in reversed(range(matrix.shape[1])):
        fewer = [j for j in used if j != k]
        if _halves(matrix[:, fewer], vector) is not None:
            used = fewer
    found = _halves(matrix[:, used], vector)
    if found is None:
        return None
    whole = np.zeros(matrix.shape[1])
    whole[used] = found
    return whole


def _halves(matrix: Array, vector: Array) -> Array | None:
    size = 1 + np.abs(vector).max(initial=0.0)
    found, *_ = np.linalg.lstsq(matrix, vector, rcond=None)
    halves = np.round(2 * found) / 2
    return halves if np.abs(matrix @ halves - vector).max() < _ROUNDING * size else None


def _carried(sampler: Any) -> list[Any]:
    """States and locals that are no positions: their weights come out of the equations."""
    targets = [*sampler.state, *(target for target, _ in sampler.updates)]
    return [s for s in dict.fromkeys(targets) if s not in sampler.positions]


def _scalar_updates(sampler: Any) -> Iterator[tuple[Any, Any]]:
    """Updates and start values in one dimension, each branch of those that see the clock."""
    short = dict(sampler.where)
    for target, expr in (*sampler.updates, *sampler.start):
        for branch in _branches(sp.sympify(expr)):
            yield target, _plain(branch).xreplace(short)


def _branches(expr: Any) -> Iterator[Any]:
    pieces = sorted(expr.atoms(sp.Piecewise), key=str)
    for choice in product(*([e for e, _ in p.args] for p in pieces)):
        yield expr.xreplace(dict(zip(pieces, choice, strict=True)))


def _rest(of: Any, period: Any) -> Any:
    """What is left of a number after whole periods: it is homogeneous where both have one weight.

    How many there were is a count, which has no unit and may be any number.
    """
    return of - sp.Dummy("turns", positive=True) * period


def _plain(expr: Any) -> Any:
    """In one dimension: matrices and vectors are numbers, the gradient is a letter."""
    for name, value in (
        (Gradient, lambda x, k: _PULL),
        (FullGradient, lambda x: _PULL),
        (Curvature, lambda x, k: _SLOPE),
        (Prior, lambda x: sp.Integer(0)),
        (PriorCurvature, lambda x: sp.Integer(0)),
        (Apply, lambda m, x: m * x),
        (Dot, lambda x, y: x * y),
        (Root, sp.sqrt),
        (DiagonalOf, lambda m: m),
        (sp.Mod, _rest),
    ):
        expr = expr.replace(name, value)
    return expr.xreplace({ones: sp.Integer(1), mode_symbol: sp.Integer(0)})


def _equations(target: Any, expr: Any, unknown: list[Any], of_n: int) -> tuple[Array, Array]:
    """The weights' coefficients at some points, and what is known, on the other side.

    Roots may be of negative numbers there: what is homogeneous is so for complex numbers, too.
    """
    letters = sorted(expr.free_symbols, key=str)
    rng = np.random.default_rng(7)
    at = rng.uniform(0.2, 0.8, (len(letters), _POINTS)) + 0j
    known = {_PULL: 1.0, _SLOPE: 1.0, N: float(of_n)}

    def values(e: Any) -> Array:
        return np.broadcast_to(sp.lambdify(letters, e, "numpy")(*at), (_POINTS,))

    rows = np.zeros((_POINTS, len(unknown)), complex)
    right = np.zeros(_POINTS, complex)
    for letter, place in zip(letters, at, strict=True):
        if letter in unknown:
            rows[:, unknown.index(letter)] += place * values(sp.diff(expr, letter))
        elif known.get(letter):
            right -= known[letter] * place * values(sp.diff(expr, letter))
    if target in unknown:
        rows[:, unknown.index(target)] -= values(expr)
    return np.vstack([rows.real, rows.imag]), np.concatenate([right.real, right.imag])


def scaled(problem: Problem, powers: Mapping[str, Fraction], c: Fraction) -> Problem | None:
    """The problem with c times the loss, and its parameters translated, if that is rational."""
    params: dict[str, Any] = {}
    for name, value in problem.params.items():
        factor = _power(c, powers.get(name, Fraction(0)))
        if factor is None:
            return None
        params[name] = _times(factor, value)
    matrices = {"A": _times(c, problem.matrices["A"]), "C": _times(c * c, problem.matrices["C"])}
    return replace(having(problem, params), matrices=MappingProxyType(matrices))


def _times(factor: Fraction, value: Any) -> Any:
    """A number, a vector or a matrix times a number."""
    return tuple(_times(factor, x) for x in value) if isinstance(value, tuple) else factor * value


def _power(c: Fraction, power: Fraction) -> Fraction | None:
    root = sp.Rational(c.numerator, c.denominator) ** sp.Rational(power.numerator, power.denominator)
    return Fraction(int(root.p), int(root.q)) if isinstance(root, sp.Rational) else None
