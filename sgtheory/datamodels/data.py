"""Models made of data: what a step sees of the examples, exactly to second moments.

The gradient of one example is affine in the point, g_n(x) = a_n (x - mode) + h_n, with h_n its value
at the mode and a_n = V_n U_n^T plus a matrix that all examples share. A minibatch of S examples sees
the mean of these: curvature A, noise of covariance C = mean h_n h_n^T at the mode, and a spread of a_n.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.independent.fields import inverse
from sgtheory.language import Outer
from sgtheory.onestep.affine import linear_form
from sgtheory.reader.exact import Matrix, Vector, floats, semidefinite

Array = Any

# Sums over examples cost N D^2 operations on fractions: exact below this, in float64 above.
_EXACT_LIMIT = 20_000
# coordinates for which fourth moments of the data are tabled; and of many examples
_TABLE_LIMIT, _MANY_LIMIT, _MANY = 40, 64, 16_000
_SMALL, _LARGE = 250_000, 20_000_000  # multiplications of a product: without threads, and with them
_ROWS = 1024  # examples at a time, so that a cache holds what is made of them
_CUT = 10  # coordinates at a time
_ROUNDED = 1e-15  # by how much a multiple of a row differs from one


@cache
def upper(n: int) -> tuple[Array, Array]:
    """The places on and above the diagonal of an n x n matrix."""
    return np.triu_indices(n)


@dataclass(frozen=True, eq=False)
class Examples:
    """The examples about the mode. Entries are Fractions for small data sets, floats for large ones."""

    curvature: Array  # A, D x D
    center: Array  # the mode, D
    at_mode: Array  # h_n, N x D
    U: Array | None  # N x D; None where all examples have the same curvature
    V: Array | None

    def __repr__(self) -> str:
        kind = "fractions" if self.at_mode.dtype == object else "floats"
        return f"<Examples: {self.N:,} of D = {len(self.center)}, in {kind}>"

    @property
    def N(self) -> int:
        """How many examples there are."""
        return len(self.at_mode)

    @cached_property
    def A(self) -> Matrix:
        """The curvature of the mean loss."""
        return _exact(self.curvature)

    @cached_property
    def C(self) -> Matrix:
        """The covariance of one example's gradient at the mode."""
        found = _exact(self.at_mode.T @ self.at_mode / _like(self.N, self.at_mode))
        return found if self.at_mode.dtype == object else semidefinite(found)

    @cached_property
    def in_floats(self) -> Mapping[str, Array]:
        """A and C in float64, each entry rounded once."""
        return {"A": floats(self.A), "C": floats(self.C)}

    @cached_property
    def mode(self) -> Vector:
        """The minimiser of the mean loss."""
        return tuple(Fraction(x) for x in self.center)

    @cached_property
    def floats(self) -> tuple[Array, Array | None, Array | None]:
        """at_mode, U and V in float64."""
        h = np.asarray(self.at_mode, float)
        if self.U is None or self.V is None:
            return h, None, None
        return h, np.asarray(self.U, float), np.asarray(self.V, float)

    @cached_property
    def shared(self) -> Array:
        """The mean of V_n U_n^T, in float64."""
        _, U, V = self._sides
        return V.T @ U / self.N

    @cached_property
    def noise(self) -> Array:
        """The covariance of one example's gradient at the mode, in float64."""
        away = self.floats[0] - self.floats[0].mean(axis=0)
        return away.T @ away / self.N

    def scaled(self, curvature: float, noise: float) -> Examples:
        """The examples with curvatures, and covariances of gradients at the mode, larger by factors."""
        at_mode, _, V = self.floats
        found = Examples(
            np.array(self.curvature, float) * curvature,
            self.center,
            at_mode * noise**0.5,
            self.U,
            None if V is None else V * curvature,
        )
        factors = {"_table": curvature**2, "_third": curvature * noise**0.5}
        for name, factor in factors.items():  # with many examples they take longer than all else
            if name in vars(self):
                vars(found)[name] = getattr(self, name) * factor
        return found

    def spread(self, P: Array) -> Array:
        """The mean of V_n (U_n^T P U_n) V_n^T: what curvatures alone do to second moments P, or many."""
        if self._tabled:
            i, j = upper(P.shape[-1])
            found = np.empty(P.shape)
            found[..., i, j] = found[..., j, i] = P[..., i, j] @ self._table.T
            return found
        if P.ndim > 2:
            return np.stack([self.spread(one) for one in P])
        U, V = self._factors
        weights = np.einsum("knd,knd->kn", U @ P, U)
        total = (V * weights[:, :, None]).transpose(0, 2, 1) @ V
        return np.asarray(total.sum(axis=0) / self.N)

    def mixed(self, away: Array) -> Array:
        """The mean of V_n (U_n^T away) h_n^T: what curvatures do beside the noise at the mode."""
        if self._tabled:
            return np.asarray(np.tensordot(away, self._third, 1))
        if away.ndim > 1:
            return np.stack([self.mixed(one) for one in away])
        h, U, V = self._sides
        return np.asarray((V * (U @ away)[:, None]).T @ h / self.N)

    @property
    def _sides(self) -> tuple[Array, Array, Array]:
        """Gradients at the mode, and U and V, of examples that have curvatures."""
        h, U, V = self.floats
        assert U is not None
        assert V is not None
        return h, U, V

    @property
    def _tabled(self) -> bool:
        """Whether moments of the data are worth a table."""
        return len(self.center) <= (_TABLE_LIMIT if self.N < _MANY else _MANY_LIMIT)

    @cached_property
    def _factors(self) -> tuple[Array, Array]:
        """U and V, a few rows at a time: products so small that no library starts threads for them.

        On a machine that is busy these wait for one another longer than they work.
        """
        _, U, V = self._sides
        n, d = U.shape
        rows = n if n * d * d > _LARGE else min(n, max(_SMALL // d**2, 1))
        padding = ((0, -n % rows), (0, 0))
        cut = (np.pad(x, padding) for x in (U, V))
        first, second = (x.reshape(-1, rows, d) for x in cut)
        return first, second

    @cached_property
    def _table(self) -> Array:
        """Fourth moments of the data on pairs of coordinates: spread() as a matrix."""
        _, U, V = self._sides
        d = U.shape[1]
        i, j = upper(d)
        total = np.zeros((len(i), len(i)))
        times = (V * U).sum(axis=1) / np.maximum((U * U).sum(axis=1), np.finfo(float).tiny)
        alike = bool(np.abs(V - times[:, None] * U).max() <= _ROUNDED * np.abs(V).max())
        cuts = [
            (np.flatnonzero(j // _CUT == k), int(np.argmax(i >= _CUT * k))) for k in range(-(-d // _CUT))
        ]
        for begin in range(0, self.N, _ROWS):
            v, u = V[begin : begin + _ROWS], U[begin : begin + _ROWS]
            pairs = u[:, i] * u[:, j]
            if not alike:
                total += (v[:, i] * v[:, j]).T @ pairs
                continue
            pairs *= times[begin : begin + _ROWS, None]
            for rows, first in cuts:
                total[rows, first:] += pairs[:, rows].T @ pairs[:, first:]
        if alike:  # moments of one vector: those of four coordinates in order are all that there are
            place = np.zeros((d, d), int)
            place[i, j] = np.arange(len(i))
            total = np.array(
                [
                    total[place[a, b], place[c, e]]
                    for p, q in zip(i, j, strict=True)
                    for a, b, c, e in [np.sort(np.broadcast_arrays(p, q, i, j), axis=0)]
                ]
            )
        total *= np.where(i == j, 1, 2) / self.N
        return total

    @cached_property
    def _third(self) -> Array:
        """Moments of U, V and the gradients at the mode, in this order: mixed() as an array."""
        h, U, V = self._sides
        d = U.shape[1]
        total = np.zeros((d * d, d))
        for begin in range(0, self.N, _ROWS):
            v, u = V[begin : begin + _ROWS], U[begin : begin + _ROWS]
            total += (u[:, :, None] * v[:, None]).reshape(-1, d * d).T @ h[begin : begin + _ROWS]
        return total.reshape(d, d, d) / self.N


def about_mode(model: Any, data: Mapping[str, Array], scalars: Mapping[str, Fraction]) -> Examples:
    """The examples of a data model about its mode.

    >>> from sgtheory import registry
    >>> data = {"X": np.array([[Fraction(1)], [Fraction(3)]], object)}
    >>> about_mode(registry.model("gaussian_mean"), data, {}).mode
    (Fraction(2, 1),)
    """
    some = next(v for v in data.values() if v.ndim == 2)
    n, d = some.shape
    exact_enough = some.dtype == object and n * d * d <= _EXACT_LIMIT
    arrays = {k: v if exact_enough else np.asarray(v, float) for k, v in data.items()}
    known = {**scalars, "N": Fraction(n)}
    one = Fraction(1) if exact_enough else 1.0
    A = np.array([[one * int(i == j) for j in range(d)] for i in range(d)]) * (one - one)
    constant = A[:1].repeat(n, 0)
    U = V = None
    for (word, source), coefficient in linear_form(sp.sympify(model.example), {}).items():
        weights = _weights(coefficient, arrays, known, n, one)
        if source != model.x and not word:
            constant = constant + weights[:, None] * arrays[source.name]
        elif source == model.x and not word:
            A = A + np.diag(_mean(weights[:, None].repeat(d, 1)))
        elif source == model.x and len(word) == 1 and isinstance(word[0], Outer) and U is None:
            U, V = arrays[word[0].args[1].name], weights[:, None] * arrays[word[0].args[0].name]
            A = A + V.T @ U / _like(n, V)
        else:
            raise NotAffine(f"{model.example} is not of the form (u.x + ...) v + c x + ... in its data")
    center = _solve(A, -_mean(constant))
    if U is None or V is None:
        return Examples(A, center, constant + center @ A.T, None, None)
    shared = A - V.T @ U / _like(n, V)  # the curvature that all have
    return Examples(A, center, constant + V * (U @ center)[:, None] + center @ shared.T, U, V)


def _weights(coefficient: Any, arrays: Any, known: Any, n: int, one: Any) -> Array:
    """A coefficient for every example: a polynomial in its numbers."""
    numbers = {
        s: sp.Rational(str(known[s.name])) for s in coefficient.free_symbols if s.name not in arrays
    }
    value = sp.sympify(coefficient).subs(numbers)
    data = sorted(value.free_symbols, key=str)
    total = np.array([one - one] * n)
    for powers, factor in sp.Poly(value, *data).terms() if data else [((), value)]:
        term = np.array([one * (Fraction(int(factor.p), int(factor.q)))] * n)
        for symbol, power in zip(data, powers, strict=True):
            term = term * arrays[symbol.name] ** power
        total = total + term
    return total


def _mean(rows: Array) -> Array:
    return rows.sum(axis=0) / _like(len(rows), rows)


def _like(n: int, array: Array) -> Any:
    return Fraction(n) if array.dtype == object else float(n)


def _solve(A: Array, b: Array) -> Array:
    try:
        if A.dtype == object:
            rows = inverse([list(row) for row in A])
            return np.array(
                [sum((r * v for r, v in zip(row, b, strict=True)), Fraction(0)) for row in rows]
            )
        return np.linalg.solve(A, b)
    except (ZeroDivisionError, np.linalg.LinAlgError):
        raise UnusableInput(
            "data whose loss has one minimiser", "a flat direction", "add a ridge, or drop columns"
        ) from None


def _exact(m: Array) -> Matrix:
    m = (m + m.T) / 2
    return tuple(tuple(Fraction(x) for x in row) for row in m)
