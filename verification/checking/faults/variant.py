"""A sampler with its updates edited, and the exact law of its positions.

Errors do not know where the mode is: whoever shrinks a position shrinks it towards 0. So positions are
the foreign sampler's own here, and constants are carried along. This is another route to the same law
than ``cases.law_of``, which measures from the mode; on what is declared the two agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import (
    Apply,
    FullGradient,
    Gradient,
    Noise,
    Root,
    State,
    Vector,
    mode,
    ones,
)
from sgtheory.errors import NotAffine
from sgtheory.full import symmetric_root
from verification.checking.cases import Case, Law, names_of
from verification.checking.faults.operators import operator
from verification.checking.gradients import QUIET

Array = Any
Expr = Any


@dataclass(frozen=True)
class Variant:
    """Updates in order, first values of states, abbreviations, and what moves with the mode."""

    states: tuple[State, ...]
    updates: tuple[tuple[Expr, Expr], ...]
    start: tuple[tuple[Expr, Expr], ...] = ()
    where: tuple[tuple[Expr, Expr], ...] = ()
    positions: tuple[Expr, ...] = ()

    @classmethod
    def of(cls, sampler: Any) -> Variant:
        """What is declared, as it stands."""
        updates = tuple((t, sp.sympify(e)) for t, e in sampler.updates)
        start = tuple((t, sp.sympify(e)) for t, e in sampler.start)
        return cls(sampler.state, updates, start, sampler.where, sampler.positions)

    def replaced(self, known: Mapping[Any, Any]) -> Variant:
        """With symbols replaced everywhere."""
        if not known:
            return self

        def through(pairs: Any) -> Any:
            return tuple((t, sp.sympify(e).subs(known, simultaneous=True)) for t, e in pairs)

        return replace(
            self,
            updates=through(self.updates),
            start=through(self.start),
            where=through(self.where),
        )

    @cached_property
    def noises(self) -> tuple[Noise, ...]:
        """All injected noises, of steps and of the start."""
        found: set[Any] = set()
        for _, e in (*self.updates, *self.start):
            found |= e.atoms(Noise)
        return tuple(sorted(found, key=str))

    @cached_property
    def draws(self) -> tuple[int, ...]:
        """The numbers of a step's minibatches."""
        return tuple(sorted({int(g.args[1]) for _, e in self.updates for g in e.atoms(Gradient)}))

    @cached_property
    def sees_the_clock(self) -> bool:
        """Whether steps differ."""
        return any(s.name == "t" for _, e in self.updates for s in e.atoms(sp.Symbol))


@dataclass(frozen=True)
class Numbers:
    """The numbers of a case: scalars by name, matrices by name, and where the mode is."""

    case: Case
    scalars: Mapping[str, float]
    matrices: Mapping[str, Array]
    memo: dict[Any, float] = field(default_factory=dict, compare=False)  # of this object alone

    @classmethod
    def of(cls, sampler: Any, case: Case) -> Numbers:
        """As the declared sampler has them."""
        values = case.problem.values(registry.sampler(sampler, case.problem.params))
        scalars = {n: float(x) for n, x in values.scalars.items()} | {"D": float(case.D)}
        short = {s.name for s, _ in registry.sampler(sampler, case.problem.params).where}
        given = {n: x for n, x in scalars.items() if n not in short}
        return cls(case, given, dict(values.arrays))

    def with_scalars(self, **known: float) -> Numbers:
        """Some scalars replaced, or added."""
        return replace(self, scalars={**self.scalars, **known}, memo={})

    def scalar(self, expr: Any) -> float:
        """The value of an expression in scalars."""
        found = self.memo.get(expr)
        if found is None:
            found = self.memo[expr] = self._scalar(expr)
        return found

    def _scalar(self, expr: Any) -> float:
        if expr.is_Number or expr.is_NumberSymbol:
            return float(expr)
        if expr.is_Symbol:
            return self.scalars[expr.name]
        if expr.is_Add:
            return math.fsum(self.scalar(a) for a in expr.args)
        if expr.is_Mul:
            return math.prod(self.scalar(a) for a in expr.args)
        if expr.is_Pow:
            return float(self.scalar(expr.base) ** self.scalar(expr.exp))
        if isinstance(expr, sp.exp | sp.log):
            return float(expr.func(sp.Float(self.scalar(expr.args[0]))))
        if isinstance(expr, sp.Piecewise):
            return self.scalar(self.branch(expr))
        if isinstance(expr, sp.Mod):
            return self.scalar(expr.args[0]) % self.scalar(expr.args[1])
        known = {s: self.scalar(s) for s in expr.free_symbols}
        return float(expr.subs(known))

    def branch(self, expr: Any) -> Any:
        """The value of cases on the clock that holds now."""
        for value, condition in expr.args:
            if condition == sp.true or self._holds(condition):
                return value
        raise NotAffine(f"no case of {expr} holds")

    def _holds(self, condition: Any) -> bool:
        if isinstance(condition, sp.Eq):
            return abs(self.scalar(condition.lhs) - self.scalar(condition.rhs)) < 1e-9
        if isinstance(condition, sp.Not):
            return not self._holds(condition.args[0])
        known = {s: self.scalar(s) for s in condition.free_symbols}
        return bool(condition.subs(known))

    @cached_property
    def roots(self) -> Mapping[str, Array]:
        """Symmetric roots of the gains."""
        return {n: symmetric_root(m) for n, m in self.matrices.items()}

    def matrix(self, letter: Any) -> Array:
        """The matrix that a letter stands for."""
        if isinstance(letter, Root):
            return self.roots[str(letter.args[0])]
        name = str(letter)
        if name in self.matrices:
            return self.matrices[name]
        if name == "minibatch":  # a factor of the covariance of a minibatch's gradient
            return self.case.noise_root
        return operator(name, self.matrices, self.case.D)


class _Columns:
    """Where each source stands: old states, noises, noises of minibatches, and the constant 1."""

    def __init__(self, variant: Variant, D: int) -> None:
        self.D = D
        sources = [*variant.states, *variant.noises, *variant.draws]
        self.at = {s: k * D for k, s in enumerate(sources)}
        self.width = len(sources) * D + 1
        self.moving = len(variant.states) * D

    def unit(self, source: Any, front: Array) -> Array:
        rows = np.zeros((self.D, self.width))
        rows[:, self.at[source] : self.at[source] + self.D] = front
        return rows

    def constant(self, vector: Array) -> Array:
        rows = np.zeros((self.D, self.width))
        rows[:, -1] = vector
        return rows


def _vector(expr: Any, env: Mapping[Any, Array], numbers: Numbers, columns: _Columns) -> Array:
    """The rows of a vector expression: what it has of each source."""
    if expr in env:
        return env[expr]
    if expr == 0:
        return np.zeros((columns.D, columns.width))
    if isinstance(expr, sp.Add):
        return sum(_vector(a, env, numbers, columns) for a in expr.args)
    if isinstance(expr, sp.Mul):
        front, vector = _split(expr)
        return numbers.scalar(front) * _vector(vector, env, numbers, columns)
    if isinstance(expr, Apply):
        return numbers.matrix(expr.args[0]) @ _vector(expr.args[1], env, numbers, columns)
    if isinstance(expr, Gradient | FullGradient):
        case, at = numbers.case, _vector(expr.args[0], env, numbers, columns)
        there = case.A @ (at - columns.constant(np.array(case.mode)))
        if isinstance(expr, FullGradient):
            return there
        root = case.noise_root * (case.gradient != QUIET)
        return there + columns.unit(int(expr.args[1]), root)
    if isinstance(expr, sp.Piecewise):
        return _vector(numbers.branch(expr), env, numbers, columns)
    raise NotAffine(f"{expr} is not linear in states and noises")


@cache
def _split(product: Any) -> tuple[Any, Any]:
    vectors = [a for a in product.args if a.atoms(Vector)]
    if len(vectors) != 1:
        raise NotAffine(f"{product} multiplies vectors")
    return sp.Mul(*(a for a in product.args if a != vectors[0])), vectors[0]


def one_step(variant: Variant, numbers: Numbers, clock: int = 0) -> tuple[Array, Array, Array]:
    """Matrix, factor of the noise's covariance, and constant of one step."""
    numbers = numbers.with_scalars(t=float(clock)) if variant.sees_the_clock else numbers
    columns = _Columns(variant, numbers.case.D)
    env: dict[Any, Array] = _sources(variant, numbers, columns)
    for target, expr in variant.updates:
        env[target] = _vector(expr, env, numbers, columns)
    rows = np.vstack([env[s] for s in variant.states])
    m = columns.moving
    return rows[:, :m], rows[:, m:-1], rows[:, -1]


def _sources(variant: Variant, numbers: Numbers, columns: _Columns) -> dict[Any, Array]:
    D = numbers.case.D
    env: dict[Any, Array] = {s: columns.unit(s, np.eye(D)) for s in (*variant.states, *variant.noises)}
    return env | {
        ones: columns.constant(np.ones(D)),
        mode: columns.constant(np.array(numbers.case.mode)),
    }


def first(variant: Variant, numbers: Numbers) -> tuple[Array, Array]:
    """Mean and covariance of the first state."""
    case, columns = numbers.case, _Columns(variant, numbers.case.D)
    declared, env = dict(variant.start), _sources(variant, numbers, columns)
    rows = [
        _vector(declared[s], env, numbers, columns)
        if s in declared
        else columns.constant(np.zeros(case.D))
        for s in variant.states
    ]
    whole = np.vstack(rows)
    mean = whole[:, -1].copy()
    noise = whole[:, columns.moving : -1]
    for k, s in enumerate(variant.states):
        given = case.problem.start.get(s.name)
        if given is not None:
            mean[k * case.D : (k + 1) * case.D] = [float(x) for x in given]
        if s in variant.positions:
            mean[k * case.D : (k + 1) * case.D] += np.array(case.mode)
    return mean, noise @ noise.T


def law(variant: Variant, numbers: Numbers) -> Law:
    """The exact joint law of the positions at the times of the case.

    >>> from verification.checking.cases import cases, law_of
    >>> case = cases("sghmc", dimensions=(2,))[0]
    >>> found = law(Variant.of(registry.sampler("sghmc")), Numbers.of("sghmc", case))
    >>> bool(np.allclose(found.covariance, law_of("sghmc", case).covariance, rtol=1e-9))
    True
    """
    case, D = numbers.case, numbers.case.D
    numbers = _abbreviated(variant, numbers)
    mean, own = first(variant, numbers)
    at = [s.name for s in variant.states].index(case.shown) * D
    new = slice(at, at + D)
    seen: list[Array] = []
    kept: Array = np.zeros((0, 0))
    cross: Array = np.zeros((0, len(mean)))
    M, B, b = one_step(variant, numbers)
    Q = B @ B.T
    for k in range(max(case.times)):
        if k and variant.sees_the_clock:
            M, B, b = one_step(variant, numbers, k)
            Q = B @ B.T
        mean, own, cross = M @ mean + b, M @ own @ M.T + Q, cross @ M.T
        if k + 1 in case.times:
            seen.append(mean[new])
            kept = np.block([[kept, cross[:, new]], [cross[:, new].T, own[new, new]]])
            cross = np.vstack([cross, own[new]])
    return Law(np.concatenate(seen), kept, names_of(case))


def _abbreviated(variant: Variant, numbers: Numbers) -> Numbers:
    for short, meaning in variant.where:
        numbers = numbers.with_scalars(**{short.name: numbers.scalar(sp.sympify(meaning))})
    return numbers
