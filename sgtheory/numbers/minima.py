"""Minima with a certificate: a box in which there is exactly one stationary point, and it is a minimum.

Of data, Newton's method finds a point in double precision; then Krawczyk's operator, in balls, maps a
small box around it into itself, and the Hessian is positive definite all over that box. Of a polynomial
potential, the roots of its slope are isolated in exact numbers, which finds every minimum and says
which is the lowest.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.datamodels.coordinates import Coordinates, Letter
from sgtheory.datamodels.data import Examples
from sgtheory.datamodels.margins import MARGIN, margins
from sgtheory.datamodels.written import Share, hessian
from sgtheory.errors import UnusableInput
from sgtheory.numbers.balls import balls, evaluate, middle, sizes, within

Array = Any

_TURNS = 200
_GROWTH = 4.0  # of the box, where it was too small
_BOXES = 12


@dataclass(frozen=True, eq=False)
class Minimum:
    """What is certain: the one stationary point in a box is a minimum."""

    point: Array  # the middle of the box
    radius: Array  # half its sides
    hessian: Array  # of the mean loss, in the middle of what it can be
    hessian_radius: Array
    value: tuple[Fraction, Fraction] | None = None  # of a potential: bounds of its value there
    lowest: bool | None = None  # of a potential: whether no other minimum is lower


def minimum(problem: Any) -> Minimum:
    """The minimum of a data model's mean loss that Newton's method reaches from the problem's start.

    >>> from sgtheory.problem import Problem
    >>> content = {"model": "logistic_regression", "X": [[1], [1], [1]], "y": [1, 1, -1], "S": 1}
    >>> found = minimum(Problem.of(content))
    >>> bool(abs(found.point[0] - np.log(2)) <= found.radius[0] < 1e-13)
    True
    """
    loss = _Loss.of(problem)
    return certified(loss, loss.descend(_begin(problem, loss)))


def about_minimum(problem: Any) -> Examples:
    """The examples linearised at that minimum, in double precision."""
    loss = _Loss.of(problem)
    x = loss.descend(_begin(problem, loss))
    H = loss.hessian(x)
    if not np.linalg.eigvalsh(H)[0] > 1e-9 * abs(H).max():
        raise UnusableInput(
            "data whose loss has a minimiser",
            "a flat direction where Newton's method ends",
            "add a ridge",
        )
    return Examples(H, x, loss.each(x), None, None)


def _begin(problem: Any, loss: _Loss) -> Array:
    given = problem.start.get("theta")
    return _somewhere(loss.D) if given is None else np.array([float(b) for b in given])


def _somewhere(count: int) -> Array:
    """A start at which no two hidden units are alike."""
    return np.array([((k + 1) * 0.6180339887498949) % 1.0 - 0.5 for k in range(count)])


@dataclass(frozen=True, eq=False)
class _Loss:
    """Gradient and Hessian of the mean loss: in balls at balls, in floats at floats."""

    node: Any  # sgtheory.language.Coordinates
    data: dict[Any, Any]  # letter -> its numbers, one to an example
    ridge: Any

    @classmethod
    def of(cls, problem: Any) -> _Loss:
        model, known = problem.model, {}
        form = margins(model.example)
        for p in model.parameters:
            known[p] = sp.Rational(str(problem.numbers[p.name]))
        X = np.asarray(problem.data[form.covariates.name])
        node = form.weight if form.written else _written(form, X.shape[1])
        node = node.xreplace(known)
        data = {r: balls(X[:, j]) for j, r in enumerate(node.row)}
        data |= {s: balls(np.asarray(problem.data[s.name])) for s in form.numbers}
        known |= {s: sp.Integer(len(X)) for s in form.rest.free_symbols if s.name == "N"}
        shared = sp.sympify(form.rest / model.x).subs(known)
        if not shared.is_Rational:
            raise UnusableInput("a ridge as what examples share", str(form.rest), "write it so")
        return cls(node, data, balls(Fraction(int(shared.p), int(shared.q))))

    @property
    def D(self) -> int:
        return len(self.node.points)

    def gradient(self, x: Any) -> Any:
        """The mean gradient at a point, or over a box."""
        return self._means(self.node.steps, [self.node.values], x)[0] + self._shared(x) * x

    def hessian(self, x: Any) -> Any:
        """The mean Hessian."""
        steps, rows = hessian(self.node)
        found = self._means(steps, rows, x)
        return found + np.eye(self.D) * self._shared(x)

    def each(self, x: Array) -> Array:
        """The gradient of every example's loss at a point, a row to each, in floats."""
        (row,) = self._entries(self.node.steps, [self.node.values], x)
        return np.stack(row, axis=1) + self._shared(x) * x

    def _means(self, steps: Any, rows: Any, x: Any) -> Any:
        found = self._entries(steps, rows, x)
        return np.array([[e.sum() / len(e) for e in row] for row in found], x.dtype)

    def _entries(self, steps: Any, rows: Any, x: Any) -> list[list[Array]]:
        floats = x.dtype == float
        number: Any = float if floats else balls
        env = {**(self._floats if floats else self.data), **dict(zip(self.node.points, x, strict=True))}
        count = len(next(iter(self.data.values())))
        with np.errstate(over="ignore"):  # of floats far from the minimum
            for name, expr in steps:
                env[name] = evaluate(expr, env, number)
            found = [[evaluate(sp.sympify(e), env, number) for e in row] for row in rows]
        return [[np.broadcast_to(e, (count,)) for e in row] for row in found]

    @cached_property
    def _floats(self) -> dict[Any, Array]:
        return {name: middle(numbers) for name, numbers in self.data.items()}

    def _shared(self, x: Array) -> Any:
        return float(self.ridge.mid()) if x.dtype == float else self.ridge

    def descend(self, x: Array) -> Array:
        """Newton's method that goes down: curvatures count by their size, steps are short at first."""
        for _ in range(_TURNS):
            slope = self.gradient(balls(x))
            if all(s.contains(0) for s in slope):
                break  # no rounding can tell it from zero
            g, H = middle(slope), self.hessian(x)
            values, vectors = np.linalg.eigh(H)
            along_each = (vectors.T @ g) / np.maximum(abs(values), 1e-9)
            step = -vectors @ along_each
            step = step / max(1.0, float(np.linalg.norm(step)))
            if np.linalg.norm(step) <= 4 * np.finfo(float).eps * (1 + np.linalg.norm(x)):
                break
            for _ in range(40):  # until the slope along the step has not turned by much
                after = self.gradient(x + step)
                if after @ step <= 0.5 * abs(g @ step):
                    break
                step = step / 2
            x = x + step
        return x


def _written(form: Any, width: int) -> Any:
    """A weight times covariates, coordinate by coordinate."""
    p = [Letter(f"p{k}", real=True) for k in range(width)]
    r = [Letter(f"r{k}", real=True) for k in range(width)]
    m = Letter("m0", real=True)
    product = sp.Add(*(a * b for a, b in zip(p, r, strict=True)))
    weight = Share.within(form.weight).xreplace({MARGIN: m})
    y = form.numbers[0] if form.numbers else sp.Integer(0)
    return Coordinates.of(
        (form.point, form.covariates, y), p, r, [(m, product)], [weight * s for s in r]
    )


def certified(loss: Any, x: Array) -> Minimum:
    """The certificate at a point, or a refusal."""
    g, H = loss.gradient(balls(x)), loss.hessian(x)
    try:
        Y = np.linalg.inv(H)
        W = np.linalg.inv(np.linalg.cholesky(H))
    except np.linalg.LinAlgError:
        raise _not_certain("a flat or falling direction where Newton's method ends") from None
    Y, W = balls(Y), balls(W)
    moved = -(Y @ g)
    size = 2 * sizes(moved) + 4 * np.finfo(float).eps * (1 + abs(x))
    for _ in range(_BOXES):
        over = loss.hessian(balls(x, size))
        image = moved + (balls(np.eye(len(x))) - Y @ over) @ balls(np.zeros(len(x)), size)
        if (sizes(image) < size).all():
            if not definite(W @ over @ W.T):
                raise _not_certain("a Hessian that may be indefinite")
            return Minimum(x, size, middle(over), within(over))
        size = size * _GROWTH
    raise _not_certain("no box that Krawczyk's operator maps into itself")


def definite(M: Array) -> bool:
    """Whether all symmetric matrices within are positive definite, by Gershgorin's discs."""
    others = abs(M).sum(axis=1) - abs(np.diag(M))
    return all(own > rest for own, rest in zip(np.diag(M), others, strict=True))


def _not_certain(got: str) -> UnusableInput:
    return UnusableInput("a minimum with a certificate", got, "add a ridge, or start elsewhere")


def minima_of(potential: Any) -> tuple[Minimum, ...]:
    """All minima of a polynomial in x, from left to right, isolated to 1e-30.

    >>> from sgtheory.reader.potentials import parsed
    >>> [round(float(m.point[0]), 6) for m in minima_of(parsed("x**4/4 - x**2/2"))]
    [-1.0, 1.0]
    """
    (x,) = potential.free_symbols
    if not potential.is_polynomial(x):
        raise UnusableInput("a polynomial", str(potential), "give its minima yourself")
    slope, bend = sp.Poly(sp.diff(potential, x), x), sp.Poly(sp.diff(potential, x, 2), x)
    found = []
    for (a, b), _ in slope.intervals(eps=sp.Rational(1, 10**30)):
        ends = [Fraction(int(e.p), int(e.q)) for e in (a, b)]
        low, high = _range(bend, *ends)
        if low > 0:
            found.append((ends, (low, high), _range(sp.Poly(potential, x), *ends)))
        elif high >= 0:
            raise UnusableInput("minima that are not flat", f"one at about {float(a)}", "tilt it")
    if not found:
        raise UnusableInput("a potential with a minimum", str(potential), "turn it round")
    best = min(value[1] for _, _, value in found)
    return tuple(
        Minimum(
            np.array([float(sum(ends) / 2)]),
            np.array([float(ends[1] - ends[0]) + 2 * abs(np.spacing(float(ends[0])))]),
            np.array([[float(sum(curvature) / 2)]]),
            np.array([[float(curvature[1] - curvature[0]) + abs(np.spacing(float(curvature[1])))]]),
            value,
            bool(value[0] <= best),
        )
        for ends, curvature, value in found
    )


def _range(poly: Any, a: Fraction, b: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of a polynomial on an interval: its value at an end, and Taylor's rest."""
    x = poly.gen
    at = sp.Rational(a.numerator, a.denominator)
    half = sp.Rational(b.numerator, b.denominator) - at
    shifted = sp.Poly(poly.as_expr().subs(x, x + at), x).all_coeffs()[::-1]
    rest = sum((abs(c) * half**k for k, c in enumerate(shifted) if k), sp.Integer(0))
    low, high = shifted[0] - rest, shifted[0] + rest
    return Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))
