"""Derivatives at the minimiser of a problem's potential, and joint moments of those of a minibatch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.language import ones
from sgtheory.perturbation.hierarchy import Key
from sgtheory.perturbation.minibatch import Drawing, partitions
from sgtheory.problem import Problem, Values

Array = Any

_TURNS = 100


@dataclass(frozen=True, eq=False)
class AtMode:
    """``total(key)``: a derivative of U; ``joint(keys)``: the mean of a product of batches' noise."""

    minimiser: Array
    total: Callable[[Key], float]
    joint: Callable[[tuple[Key, ...]], float]

    @property
    def D(self) -> int:
        """The dimension."""
        return len(self.minimiser)

    @cached_property
    def hessian(self) -> Array:
        """The second derivative of U."""
        return self._filled(2, lambda a: self.total(_sorted(a)))

    @cached_property
    def third(self) -> Array:
        """The third derivative of U."""
        return self._filled(3, lambda a: self.total(_sorted(a)))

    @cached_property
    def additive(self) -> Array:
        """The covariance of a minibatch's gradient of U."""
        return self._filled(2, lambda a: self.joint(((a[0],), (a[1],))))

    @cached_property
    def multiplicative(self) -> Array:
        """The mean of R (x) R, R what a minibatch's Hessian is off: K contracts indices 2 and 4."""
        return self._filled(4, lambda a: self.joint((_sorted(a[:2]), _sorted(a[2:]))))

    def _filled(self, rank: int, entry: Callable[[tuple[int, ...]], float]) -> Array:
        found = np.empty((self.D,) * rank)
        for place in np.ndindex(*found.shape):
            found[place] = entry(place)
        return found


def _sorted(places: tuple[int, ...]) -> Key:
    return tuple(sorted(places))


def at_mode(problem: Problem, values: Values) -> AtMode:
    """The derivatives that a problem has at the minimiser of U.

    >>> problem = Problem.of({"model": "linear_regression", "X": [[1], [2]], "y": [1, 0], "S": 1})
    >>> from sgtheory import registry
    >>> found = at_mode(problem, problem.with_params(gamma=1).values("lmc"))
    >>> found.hessian, found.third, found.multiplicative.ravel()
    (array([[5.]]), array([[[0.]]]), array([9.]))
    """
    return (
        _of_data(problem, values)
        if problem.model.example is not None
        else _of_potential(problem, values)
    )


@dataclass(frozen=True, eq=False)
class _Examples:
    """Derivatives of examples along covariates: d^k U_n = slopes_k(n) X_n^(x k) + what all share."""

    X: Array
    slopes: Callable[[int], Array]
    at: Array
    ridge: float
    drawing: Drawing
    kept: dict[Key, Array] = field(default_factory=dict)

    def each(self, key: Key) -> Array:
        if key not in self.kept:
            self.kept[key] = self.slopes(len(key)) * reduce(np.multiply, (self.X[:, k] for k in key))
        return self.kept[key]

    def total(self, key: Key) -> float:
        if len(key) == 1:
            return 0.0
        shared = self.ridge if len(key) == 2 and key[0] == key[1] else 0.0
        return math.fsum(self.each(key)) + len(self.X) * shared

    def joint(self, keys: tuple[Key, ...]) -> float:
        N = len(self.X)
        away = {key: self.each(key) - self.each(key).mean() for key in keys}

        def mean(factors: Sequence[Any]) -> float:
            return float(reduce(np.multiply, (away[key] for key in factors)).mean())

        return float(N ** len(keys) * self.drawing.moment(keys, mean))


def _of_data(problem: Problem, values: Values) -> AtMode:
    from sgtheory.datamodels.margins import MARGIN, margins

    form = margins(problem.model.example)
    X = np.asarray(problem.data[form.covariates.name], float)
    center = np.asarray(problem.examples.center, float)
    known = {s: sp.Rational(str(values.scalars[s.name])) for s in problem.model.parameters}
    known |= {s: sp.Integer(len(X)) for s in form.rest.free_symbols if s.name == "N"}
    ridge = float((form.rest / problem.model.x).subs(known))
    numbers = [np.asarray(problem.data[s.name], float) for s in form.numbers]

    def slopes(k: int) -> Array:
        weight = sp.diff(form.weight, MARGIN, k - 1).subs(known)
        found = sp.lambdify((MARGIN, *form.numbers), weight, "numpy")(X @ center, *numbers)
        return np.broadcast_to(np.asarray(found, float), len(X))

    drawing = Drawing(len(X), int(values.scalars.get("S", 1)), problem.replacement)
    examples = _Examples(X, slopes, center, ridge, drawing)
    return AtMode(center, examples.total, examples.joint)


def _of_potential(problem: Problem, values: Values) -> AtMode:
    """Gaussian gradient noise of covariance C/S; one potential for each coordinate, or A."""
    N, D = float(values.scalars["N"]), problem.D
    joint = _gaussian(N, np.asarray(values.arrays["C"]) / float(values.scalars.get("S", 1)))
    if problem.model.potential:
        x = sp.Symbol("x", real=True)
        slope = sp.sympify(problem.model.full_gradient).xreplace(
            {problem.model.x: x, ones: sp.Integer(1)}
        )
        begin = problem.start.get("theta", (0,) * D)
        at = np.array([_minimiser(slope, x, float(b)) for b in begin])

        def total(key: Key) -> float:
            if len(set(key)) > 1 or len(key) == 1:
                return 0.0
            return N * float(sp.diff(slope, x, len(key) - 1).subs(x, at[key[0]]))

        return AtMode(at, total, joint)
    A = values.arrays["A"]
    return AtMode(np.zeros(D), lambda key: N * float(A[key]) if len(key) == 2 else 0.0, joint)


def _gaussian(N: float, covariance: Array) -> Callable[[tuple[Key, ...]], float]:
    def joint(keys: tuple[Key, ...]) -> float:
        if any(len(key) > 1 for key in keys):
            return 0.0
        pairs = (p for p in partitions(keys) if all(len(b) == 2 for b in p))
        return sum(math.prod(float(N**2 * covariance[a[0], b[0]]) for a, b in p) for p in pairs)

    return joint


def _minimiser(slope: Any, x: Any, begin: float) -> float:
    """Newton's method from a start."""
    value, rate = (sp.lambdify(x, e) for e in (slope, sp.diff(slope, x)))
    at = begin
    for _ in range(_TURNS):
        if not rate(at) > 0:
            break
        step = value(at) / rate(at)
        at -= step
        if abs(step) <= 4 * np.finfo(float).eps * max(abs(at), 1.0):
            return float(at)
    raise UnusableInput(
        "a potential that is strongly convex about its minimiser",
        f"{slope} for its slope, from {begin:g}",
        'start elsewhere: "start": {"theta": [1]}',
    )
