"""A sampler with its updates edited, and the exact law of its positions.

Errors do not know where the mode is: whoever shrinks a position shrinks it towards 0. So positions are
the foreign sampler's own here, and constants are carried along. This is another route to the same law
than ``cases.law_of``, which measures from the mode; on what is declared the two agree.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
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
from sgtheory.onestep.full import symmetric_root
from verification.checking.cases import Case, Law, names_of
from verification.checking.faults.operators import operator as operator_of
from verification.checking.gradients import QUIET

Array = Any
Expr = Any
_COMPARED = {
    sp.StrictLessThan: operator.lt,
    sp.LessThan: operator.le,
    sp.StrictGreaterThan: operator.gt,
    sp.GreaterThan: operator.ge,
}
_KEPT = 2**15  # expressions that were looked into


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

    def instead(self, k: int, *updates: tuple[Expr, Expr]) -> Variant:
        """With these updates in place of one."""
        return replace(self, updates=(*self.updates[:k], *updates, *self.updates[k + 1 :]))

    def with_update(self, k: int, expr: Expr) -> Variant:
        """With another expression in one update."""
        return self.instead(k, (self.updates[k][0], expr))

    def through(self, known: Mapping[Any, Any]) -> Variant:
        """With some parts of all updates replaced."""
        return replace(self, updates=tuple((x, e.xreplace(known)) for x, e in self.updates))

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

    @cached_property
    def switches(self) -> tuple[Any, ...] | None:
        """The cases by which alone steps differ; None where they differ otherwise too."""
        found = {x for _, e in self.updates for x in e.atoms(sp.Piecewise)}
        rest = [e.xreplace(dict.fromkeys(found, sp.Dummy())) for _, e in self.updates]
        rest += [value for x in found for value, _ in x.args]
        clear = not any(s.name == "t" for e in rest for s in e.atoms(sp.Symbol))
        return tuple(sorted(found, key=str)) if clear else None


def terms_of(expr: Any) -> tuple[Any, ...]:
    """The terms of an update; a bracket that has a gradient among others in it is opened.

    >>> from sgtheory.declare import gradient, positive, state
    >>> theta, (eps, c) = state("theta"), positive("eps c")
    >>> len(terms_of(theta - eps * (gradient(theta) + c * (theta - 1))))
    3
    """
    found: list[Any] = []
    for term in sp.Add.make_args(expr):
        inside = [a for a in sp.Mul.make_args(term) if a.is_Add and a.atoms(Gradient, FullGradient)]
        if len(inside) == 1 and isinstance(term, sp.Mul):
            front = sp.Mul(*(a for a in term.args if a != inside[0]))
            found += [front * a for a in inside[0].args]
        else:
            found.append(term)
    return tuple(found)


@dataclass(frozen=True)
class Numbers:
    """The numbers of a case: scalars by name, matrices by name, and where the mode is."""

    case: Case
    scalars: Mapping[str, float]
    matrices: Mapping[str, Array]
    roots: dict[str, Array] = field(default_factory=dict, compare=False)  # symmetric, of the matrices

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
        return replace(self, scalars={**self.scalars, **known})

    def scalar(self, expr: Any) -> float:
        """The value of an expression in scalars."""
        return _reader(expr)(self)

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
        compared = _COMPARED.get(type(condition))
        if compared is not None:
            return bool(compared(self.scalar(condition.lhs), self.scalar(condition.rhs)))
        known = {s: self.scalar(s) for s in condition.free_symbols}
        return bool(condition.subs(known))

    def matrix(self, letter: Any) -> Array:
        """The matrix that a letter stands for."""
        if isinstance(letter, Root):
            return self._root(str(letter.args[0]))
        name = str(letter)
        if name in self.matrices:
            return self.matrices[name]
        if name == "minibatch":  # a factor of the covariance of a minibatch's gradient
            return self.case.noise_root
        return operator_of(name, self.matrices, self.case.D)

    def _root(self, name: str) -> Array:
        """The symmetric root of a gain, which copies with other scalars share."""
        if name not in self.roots:
            self.roots[name] = symmetric_root(self.matrices[name])
        return self.roots[name]


class _Columns:
    """Where each source stands: old states, noises, noises of minibatches, and the constant 1."""

    def __init__(self, sources: tuple[Any, ...], states: int, D: int) -> None:
        self.D = D
        self.at = {s: k * D for k, s in enumerate(sources)}
        self.width = len(sources) * D + 1
        self.moving = states * D

    def unit(self, source: Any, front: Array) -> Array:
        rows = np.zeros((self.D, self.width))
        rows[:, self.at[source] : self.at[source] + self.D] = front
        return rows

    def constant(self, vector: Array) -> Array:
        rows = np.zeros((self.D, self.width))
        rows[:, -1] = vector
        return rows


@lru_cache(maxsize=_KEPT)
def _reader(expr: Any) -> Callable[[Numbers], float]:
    """What makes the value of an expression in scalars; an expression is looked into once."""
    if expr.is_Number or expr.is_NumberSymbol:
        value = float(expr)
        return lambda numbers: value
    if expr.is_Symbol:
        name = expr.name
        return lambda numbers: numbers.scalars[name]
    if isinstance(expr, sp.Piecewise):
        return lambda numbers: numbers.scalar(numbers.branch(expr))
    if not (expr.is_Add or expr.is_Mul or expr.is_Pow or isinstance(expr, sp.exp | sp.log | sp.Mod)):
        return lambda numbers: float(expr.subs({s: numbers.scalar(s) for s in expr.free_symbols}))
    parts = [_reader(a) for a in expr.args]
    if expr.is_Add:
        return lambda numbers: math.fsum([part(numbers) for part in parts])
    if expr.is_Mul:
        return lambda numbers: math.prod([part(numbers) for part in parts])
    first, second = parts[0], parts[-1]
    if expr.is_Pow:
        return lambda numbers: float(first(numbers) ** second(numbers))
    if isinstance(expr, sp.Mod):
        return lambda numbers: first(numbers) % second(numbers)
    return lambda numbers: float(expr.func(sp.Float(first(numbers))))


_Known = Mapping[Any, Array]
_Rows = Callable[[_Known, Numbers, _Columns], Array]


def _vector(expr: Any, env: _Known, numbers: Numbers, columns: _Columns) -> Array:
    """The rows of a vector expression: what it has of each source."""
    return _rows(expr)(env, numbers, columns)


@lru_cache(maxsize=_KEPT)
def _rows(expr: Any) -> _Rows:
    """What makes the rows of a vector expression; an expression is looked into once."""
    if expr == 0:
        return lambda env, numbers, columns: np.zeros((columns.D, columns.width))
    if isinstance(expr, sp.Add):
        parts = [_rows(a) for a in expr.args]
        return lambda env, numbers, columns: sum(part(env, numbers, columns) for part in parts)
    if isinstance(expr, sp.Mul):
        front, vector = _split(expr)
        factor, rows = _reader(front), _rows(vector)
        return lambda env, numbers, columns: factor(numbers) * rows(env, numbers, columns)
    if isinstance(expr, Apply):
        letter, rows = expr.args[0], _rows(expr.args[1])
        return lambda env, numbers, columns: numbers.matrix(letter) @ rows(env, numbers, columns)
    if isinstance(expr, Gradient | FullGradient):
        return _gradient(expr, _rows(expr.args[0]))
    if isinstance(expr, sp.Piecewise):
        return lambda env, numbers, columns: _vector(numbers.branch(expr), env, numbers, columns)

    def known(env: _Known, numbers: Numbers, columns: _Columns) -> Array:
        if expr not in env:
            raise NotAffine(f"{expr} is not linear in states and noises")
        return env[expr]

    return known


def _gradient(expr: Any, point: _Rows) -> _Rows:
    draw = None if isinstance(expr, FullGradient) else int(expr.args[1])

    def rows(env: _Known, numbers: Numbers, columns: _Columns) -> Array:
        case = numbers.case
        there: Array = case.A @ (point(env, numbers, columns) - env[mode])
        if draw is not None and case.gradient != QUIET:
            there[:, columns.at[draw] : columns.at[draw] + case.D] += case.noise_root
        return there

    return rows


@cache
def _split(product: Any) -> tuple[Any, Any]:
    vectors = [a for a in product.args if a.atoms(Vector)]
    if len(vectors) != 1:
        raise NotAffine(f"{product} multiplies vectors")
    return sp.Mul(*(a for a in product.args if a != vectors[0])), vectors[0]


def one_step(variant: Variant, numbers: Numbers, clock: int = 0) -> tuple[Array, Array, Array]:
    """Matrix, factor of the noise's covariance, and constant of one step."""
    numbers = numbers.with_scalars(t=float(clock)) if variant.sees_the_clock else numbers
    columns, sources = _laid_out(variant.states, variant.noises, variant.draws, numbers.case.mode)
    env = dict(sources)
    for target, expr in variant.updates:
        env[target] = _vector(expr, env, numbers, columns)
    rows = np.vstack([env[s] for s in variant.states])
    m = columns.moving
    return rows[:, :m], rows[:, m:-1], rows[:, -1]


@lru_cache(maxsize=_KEPT)
def _laid_out(
    states: tuple[Any, ...], noises: tuple[Any, ...], draws: tuple[Any, ...], at: tuple[Any, ...]
) -> tuple[_Columns, Mapping[Any, Array]]:
    """Where each source stands, and the rows of each; ``at`` is the mode. None of it is changed."""
    D = len(at)
    columns = _Columns((*states, *noises, *draws), len(states), D)
    env: dict[Any, Array] = {s: columns.unit(s, np.eye(D)) for s in (*states, *noises)}
    return columns, env | {ones: columns.constant(np.ones(D)), mode: columns.constant(np.array(at))}


def first(variant: Variant, numbers: Numbers) -> tuple[Array, Array]:
    """Mean and covariance of the first state."""
    case, declared = numbers.case, dict(variant.start)
    columns, env = _laid_out(variant.states, variant.noises, variant.draws, case.mode)
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
    numbers = abbreviated(variant, numbers)
    mean, own = first(variant, numbers)
    at = [s.name for s in variant.states].index(case.shown) * D
    new = slice(at, at + D)
    seen: list[Array] = []
    size = D * len(case.times)
    kept, cross, done = np.zeros((size, size)), np.zeros((size, len(mean))), 0
    M, B, b = one_step(variant, numbers)
    Q = B @ B.T
    known: dict[Any, tuple[Array, Array, Array]] = {}
    for k in range(max(case.times)):
        if k and variant.sees_the_clock:
            kind = _kind(variant, numbers, k)
            if kind not in known:
                known[kind] = one_step(variant, numbers, k)
            M, B, b = known[kind]
            Q = B @ B.T
        mean, own = M @ mean + b, M @ own @ M.T + Q
        cross[:done] = cross[:done] @ M.T
        if k + 1 in case.times:
            seen.append(mean[new])
            now = slice(done, done + D)
            kept[:done, now], kept[now, :done] = cross[:done, new], cross[:done, new].T
            kept[now, now], cross[now], done = own[new, new], own[new], done + D
    return Law(np.concatenate(seen), kept, names_of(case))


def _kind(variant: Variant, numbers: Numbers, clock: int) -> Any:
    """What a step at some clock has in common with those that are the same."""
    if variant.switches is None:
        return clock
    there = numbers.with_scalars(t=float(clock))
    return tuple(there.branch(x) for x in variant.switches)


def abbreviated(variant: Variant, numbers: Numbers) -> Numbers:
    """The numbers with those that the abbreviations of a declaration stand for."""
    for short, meaning in variant.where:
        numbers = numbers.with_scalars(**{short.name: numbers.scalar(sp.sympify(meaning))})
    return numbers
