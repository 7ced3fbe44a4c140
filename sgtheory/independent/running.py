"""Running declared updates on exact numbers: the route to a law that no algebra has touched."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, reduce
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Local, Spread, Vector, mode
from sgtheory.errors import UnusableInput
from sgtheory.independent.fields import (
    PRIME,
    Dual,
    Rows,
    add,
    evaluate,
    inverse,
    multiply,
    residue,
    square_root,
    transpose,
    units,
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


def random_point(setting: Setting, gain: Any, source: random.Random, field: Any = residue) -> Point:
    """A random problem on which a formula can be held against the declared updates."""

    def anything() -> Any:
        # small fractions keep exact rationals short; the prime field takes what it can get
        return (
            field(source.randrange(1, PRIME))
            if field is residue
            else Fraction(source.randrange(1, 40), 24)
        )

    def full() -> Rows:
        return [[anything() for _ in range(_SIZE)] for _ in range(_SIZE)]

    symbols = sorted(set().union(*(e.free_symbols for _, e in setting.updates)), key=str)
    more, limits = extra_roots(setting)
    symbols += [s for s in more if s not in symbols]
    radicands = [*_radicands(setting), *limits] if field is residue else []
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
    G = full() if gain is not None and field is residue else identity
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


@cache  # of all points at which a step is run
def _read(expr: Any) -> tuple[str, tuple[Any, ...]]:
    """What a vector expression is, and of what: nothing, a sum, a multiple, or a matrix applied."""
    if expr in (mode, 0):
        return "nothing", ()  # points are measured from the mode
    if isinstance(expr, sp.Add):
        return "sum", expr.args
    if isinstance(expr, sp.Mul):
        return "multiple", split_product(expr)
    if isinstance(expr, Apply):
        return "applied", (str(expr.args[0]), expr.args[1])
    raise TypeError(f"the independent evaluator has no rule for {expr}")


@cache
def split_product(product: Any) -> tuple[Any, Any]:
    """What stands in front of the vector of a product, and the vector."""
    (vector,) = (arg for arg in product.args if arg.atoms(Vector))
    return product / vector, vector


def _value(expr: Any, env: Mapping[Any, Rows], point: Point) -> Rows:
    """The value of a vector expression when states and noises have the values of ``env``.

    A value has a row for each coordinate, and a column for each of the runs that are made at once.
    """
    if expr in env:
        return env[expr]
    what, of = _read(expr)
    zero = point.field(0)
    if what == "nothing":
        runs = len(next(iter(env.values()))[0])
        return [[zero] * runs] * point.size
    if what == "sum":
        return reduce(add, (_value(a, env, point) for a in of))
    front, vector = of
    value = _value(vector, env, point)
    if _is_silent(value, zero):
        return value  # so a root in front of a silent noise is never asked for
    if what == "applied":
        return multiply(point.matrices[front], value)
    scalar = point.front(front)
    return [[scalar * v for v in row] for row in value]


def _is_silent(value: Rows, zero: Any) -> bool:
    return all(v == zero for row in value for v in row)


def run_step(setting: Setting, time: str, env: dict[Any, Rows], point: Point) -> Rows:
    """One declared step (or, in continuous time, its increments) on given states and noises."""
    states, old, added = setting.state, dict(env), dict.fromkeys(setting.state)
    for target, expr in setting.updates:
        value = _value(expr, env, point)
        if time == "discrete" or isinstance(target, Local):
            env[target] = value
        else:
            before, change = added[target], _less(value, old[target])
            added[target] = change if before is None else add(before, change)
    silent = [[point.field(0)] * len(old[states[0]][0])] * point.size
    result = env if time == "discrete" else {s: x or silent for s, x in added.items()}
    return [row for s in states for row in result[s]]


def _less(x: Rows, y: Rows) -> Rows:
    return [[a - b for a, b in zip(r, s, strict=True)] for r, s in zip(x, y, strict=True)]


def linear_map(setting: Setting, time: str, point: Point) -> tuple[Rows, Rows]:
    """The matrices of one step, found by running it on unit vectors: states, then noises."""
    noises = (*setting.gradient_noises, *setting.injected_noises)
    moved = state_map(setting, time, point)
    return moved, _columns(setting, time, point, noises)


def state_map(setting: Setting, time: str, point: Point) -> Rows:
    """What one step does to the states alone."""
    return _columns(setting, time, point, setting.state)


def _columns(setting: Setting, time: str, point: Point, vectors: Any) -> Rows:
    if time == "continuous" and setting.sampler.limit == "step":
        return _flow(setting, point, vectors)
    every = (*setting.state, *setting.gradient_noises, *setting.injected_noises)
    if not vectors:
        return []
    return run_step(setting, time, units(vectors, every, point.size, point.field), point)


def _flow(setting: Setting, point: Point, vectors: Any) -> Rows:
    def run(env: dict[Any, Rows], roots: Any, stand_ins: Any) -> Rows:
        matrices = {
            k: [[Dual(x, point.field(0)) for x in row] for row in m] for k, m in point.matrices.items()
        }
        lifted = replace(
            point, roots=roots, matrices=matrices, field=lambda n: Dual(point.field(n), point.field(0))
        )
        for target, expr in setting.updates:
            env[target] = _value(sp.sympify(expr).xreplace(stand_ins), env, lifted)
        return [row for s in setting.state for row in env[s]]

    def root_of(expr: Any, at: Point) -> Any:
        if at.field is residue:
            return square_root(evaluate(expr, at.roots, at.field), at.field)
        return at.field(0)  # of fractions only drifts are asked, which no noise reaches

    return flow_columns(setting, point, vectors, run, root_of)
