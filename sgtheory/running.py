"""Running declared updates on exact numbers: the route to a law that no algebra has touched."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Local, Vector
from sgtheory.fields import PRIME, Mod, Rows, evaluate, inverse, multiply, total, transpose
from sgtheory.setting import Setting

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
    roots = {s: anything() for s in symbols}
    zero, one = field(0), field(1)
    identity = [[one if i == j else zero for j in range(_SIZE)] for i in range(_SIZE)]
    G = full() if gain is not None and field is Mod else identity
    eigenvalues = tuple(anything() for _ in range(_SIZE))
    inner = [[eigenvalues[i] if i == j else zero for j in range(_SIZE)] for i in range(_SIZE)]
    back = inverse(G)
    matrices = {str(s): full() for s in symbols}
    matrices["A"] = multiply(transpose(back), multiply(inner, back))
    if gain is not None:
        matrices[str(gain)] = multiply(G, transpose(G))
        matrices[f"Root({gain})"] = G  # any factor will do: only its square reaches a covariance
    return Point(field, roots, eigenvalues, matrices, G)


def _vector(expr: Any, env: Mapping[Any, list[Any]], point: Point) -> list[Any]:
    """The value of a vector expression when states and noises have the values of ``env``."""
    zero = point.field(0)
    if expr in env:
        return env[expr]
    if isinstance(expr, sp.Add):
        parts = [_vector(a, env, point) for a in expr.args]
        return [total((p[k] for p in parts), zero) for k in range(point.size)]
    if isinstance(expr, sp.Mul):
        (vector,) = (arg for arg in expr.args if arg.atoms(Vector))
        value = _vector(vector, env, point)
        if all(v == zero for v in value):
            return value  # so a root in front of a silent noise is never asked for
        scalar = evaluate(expr / vector, point.roots, point.field)
        return [scalar * v for v in value]
    if isinstance(expr, Apply):
        matrix = point.matrices[str(expr.args[0])]
        value = _vector(expr.args[1], env, point)
        return [total((m * v for m, v in zip(row, value, strict=True)), zero) for row in matrix]
    raise TypeError(f"the independent evaluator has no rule for {expr}")


def run_step(setting: Setting, time: str, env: dict[Any, list[Any]], point: Point) -> list[Any]:
    """One declared step (or, in continuous time, its increments) on given states and noises."""
    states = setting.sampler.state
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
    return _columns(setting, time, point, setting.sampler.state)


def _columns(setting: Setting, time: str, point: Point, vectors: Any) -> Rows:
    states = setting.sampler.state
    noises = (*setting.gradient_noises, *setting.injected_noises)
    zero = {v: [point.field(0)] * point.size for v in (*states, *noises)}
    found = []
    for vector in vectors:
        for k in range(point.size):
            unit = [point.field(int(k == i)) for i in range(point.size)]
            found.append(run_step(setting, time, {**zero, vector: unit}, point))
    return transpose(found)
