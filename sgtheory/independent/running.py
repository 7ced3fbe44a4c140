"""Running declared updates on exact numbers: the route to a law that no algebra has touched."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Local, Spread, Vector, mode
from sgtheory.errors import UnusableInput
from sgtheory.independent.fields import (
    PRIME,
    Dual,
    Mod,
    Rows,
    dot,
    evaluate,
    inverse,
    multiply,
    square_root,
    total,
    transpose,
)
from sgtheory.independent.flow import extra_roots, flow_columns
from sgtheory.setting import Setting

_TRIES = 10_000
_SIZE = 3  # of random matrices: more than a pair, so that i, j and a bystander differ


@dataclass(frozen=True)
class Point:
    """A random problem, exact in some field, with its eigenvectors known by construction.

    ``G`` is any factor of the gain, H = G G^T (the identity without a gain); A has eigenvalues
    ``eigenvalues`` in the basis phi = G^(-1) theta.
    """

    field: Any
    roots: Mapping[Any, Any]
    eigenvalues: tuple[Any, ...]
    matrices: Mapping[str, Rows]
    G: Rows

    @property
    def size(self) -> int:
        """The dimension of theta."""
        return len(self.G)

    @cached_property
    def front(self) -> Callable[[Any], Any]:
        """What a scalar factor is here, remembered: every column of a step's matrix asks for it."""
        return cache(lambda expr: evaluate(expr, self.roots, self.field))


def random_point(setting: Setting, gain: Any, source: random.Random, field: Any = Mod) -> Point:
    """A random problem on which a formula can be held against the declared updates."""

    def anything() -> Any:
        # small fractions keep exact rationals short; the prime field takes what it can get
        return (
            field(source.randrange(1, PRIME)) if field is Mod else Fraction(source.randrange(1, 40), 24)
        )

    def full() -> Rows:
        return [[anything() for _ in range(_SIZE)] for _ in range(_SIZE)]

    symbols = sorted(set().union(*(e.free_symbols for _, e in setting.updates)), key=str)
    more, limits = extra_roots(setting)
    symbols += [s for s in more if s not in symbols]
    radicands = [*_radicands(setting), *limits] if field is Mod else []
    roots = {s: anything() for s in symbols}
    for _ in range(_TRIES):  # half of all numbers have a root
        if all(_has_root(r, roots, field) for r in radicands):
            break
        roots = {s: anything() for s in symbols}
    else:
        told = ", ".join(map(str, radicands))
        raise UnusableInput("roots that can be taken at exact places", told, "write them as letters")
    zero, one = field(0), field(1)
    identity = [[one if i == j else zero for j in range(_SIZE)] for i in range(_SIZE)]
    G = full() if gain is not None and field is Mod else identity
    eigenvalues = tuple(anything() for _ in range(_SIZE))
    inner = [[eigenvalues[i] if i == j else zero for j in range(_SIZE)] for i in range(_SIZE)]
    back = inverse(G)
    matrices = {str(s): full() for s in symbols}
    for spread in (s for s in symbols if isinstance(s, Spread)):  # of mean zero; see modepairs.spread
        matrices[str(spread)] = [[zero] * _SIZE for _ in range(_SIZE)]
    matrices["A"] = multiply(transpose(back), multiply(inner, back))
    if gain is not None:
        matrices[str(gain)] = multiply(G, transpose(G))
        matrices[f"Root({gain})"] = G  # any factor will do: only its square reaches a covariance
    return Point(field, roots, eigenvalues, matrices, G)


def _radicands(setting: Setting) -> list[Any]:
    """What the updates take square roots of, other than single symbols (which have one by choice)."""
    powers = set().union(*(e.atoms(sp.Pow) for _, e in setting.updates))
    return [p.base for p in sorted(powers, key=str) if not p.exp.is_Integer and not p.base.is_Symbol]


def _has_root(expr: Any, roots: Mapping[Any, Any], field: Any) -> bool:
    try:
        square_root(evaluate(expr, roots, field), field)
    except TypeError:
        return False
    return True


@cache
def split_product(product: Any) -> tuple[Any, Any]:
    """What stands in front of the vector of a product, and the vector."""
    (vector,) = (arg for arg in product.args if arg.atoms(Vector))
    return product / vector, vector


@cache
def _name(matrix: Any) -> str:
    return str(matrix)


def _vector(expr: Any, env: Mapping[Any, list[Any]], point: Point) -> list[Any]:
    """The value of a vector expression when states and noises have the values of ``env``."""
    zero = point.field(0)
    if expr in env:
        return env[expr]
    if expr in (mode, 0):
        return [zero] * point.size  # points are measured from the mode
    if isinstance(expr, sp.Add):
        parts = [_vector(a, env, point) for a in expr.args]
        return [total((p[k] for p in parts), zero) for k in range(point.size)]
    if isinstance(expr, sp.Mul):
        front, vector = split_product(expr)
        value = _vector(vector, env, point)
        if all(v == zero for v in value):
            return value  # so a root in front of a silent noise is never asked for
        scalar = point.front(front)
        return [scalar * v for v in value]
    if isinstance(expr, Apply):
        matrix = point.matrices[_name(expr.args[0])]
        value = _vector(expr.args[1], env, point)
        return [dot(row, value) for row in matrix] if any(v != zero for v in value) else value
    raise TypeError(f"the independent evaluator has no rule for {expr}")


def run_step(setting: Setting, time: str, env: dict[Any, list[Any]], point: Point) -> list[Any]:
    """One declared step (or, in continuous time, its increments) on given states and noises."""
    states = setting.state
    old, added = dict(env), {s: [point.field(0)] * point.size for s in states}
    for target, expr in setting.updates:
        value = _vector(expr, env, point)
        if time == "discrete" or isinstance(target, Local):
            env[target] = value
        else:
            change = [v - o for v, o in zip(value, old[target], strict=True)]
            added[target] = [a + c for a, c in zip(added[target], change, strict=True)]
    result = env if time == "discrete" else added
    return [v for s in states for v in result[s]]


def linear_map(setting: Setting, time: str, point: Point) -> tuple[Rows, Rows]:
    """The matrices of one step, found by running it on unit vectors: states, then noises."""
    noises = (*setting.gradient_noises, *setting.injected_noises)
    moved = state_map(setting, time, point)
    return moved, _columns(setting, time, point, noises)


def state_map(setting: Setting, time: str, point: Point) -> Rows:
    """What one step does to the states alone."""
    return _columns(setting, time, point, setting.state)


def _columns(setting: Setting, time: str, point: Point, vectors: Any) -> Rows:
    states = setting.state
    if time == "continuous" and setting.sampler.limit == "step":
        return _flow(setting, point, vectors)
    noises = (*setting.gradient_noises, *setting.injected_noises)
    zero = {v: [point.field(0)] * point.size for v in (*states, *noises)}
    found = []
    for vector in vectors:
        for k in range(point.size):
            unit = [point.field(int(k == i)) for i in range(point.size)]
            found.append(run_step(setting, time, {**zero, vector: unit}, point))
    return transpose(found)


def _flow(setting: Setting, point: Point, vectors: Any) -> Rows:
    def run(env: dict[Any, list[Any]], roots: Any, stand_ins: Any) -> list[Any]:
        matrices = {
            k: [[Dual(x, point.field(0)) for x in row] for row in m] for k, m in point.matrices.items()
        }
        lifted = replace(
            point, roots=roots, matrices=matrices, field=lambda n: Dual(point.field(n), point.field(0))
        )
        for target, expr in setting.updates:
            env[target] = _vector(sp.sympify(expr).xreplace(stand_ins), env, lifted)
        return [v for s in setting.state for v in env[s]]

    def root_of(expr: Any, at: Point) -> Any:
        if at.field is Mod:
            return square_root(evaluate(expr, at.roots, at.field), at.field)
        return at.field(0)  # of fractions only drifts are asked, which no noise reaches

    return flow_columns(setting, point, vectors, run, root_of)
