"""Means under normal laws, and divergences of normal laws, as quantities that claims may print.

In symbols they are traces and log determinants. In exact numbers they are found another way, one
coordinate after the other: a normal law is a chain of regressions, so that a density is a product of
normal densities of numbers and a divergence the sum of those of the conditional laws (its chain rule).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Rows
from sgtheory.language import D
from sgtheory.notation.matrixwords import Determinant, OfFormulas, Trace
from verification.terms.walking import Unable

TWO_PI = sp.Symbol("two_pi", positive=True)  # only its logarithm enters, and cancels or does not


class OfLaws(OfFormulas):
    """A number that belongs to normal laws of mean 0."""

    is_commutative = True
    is_real = True


class FormAt(OfLaws):
    """``FormAt(M, X)``: theta^T M theta at the theta whose outer product is X."""


class MeanForm(OfLaws):
    """``MeanForm(M, V, q)``: the mean of theta^T M theta, theta normal with covariance V and law q."""


class MeanLogDensity(OfLaws):
    """``MeanLogDensity(W, f, V, q)``: the mean under N(0, V) of the log density of N(0, W)."""


class Divergence(OfLaws):
    """``Divergence(V, q, W, f)``: KL(q || f) of N(0, V) from N(0, W)."""


class Transported(OfLaws):
    """``Transported(V, q, W, f)``: the Wasserstein distance of N(0, V) and N(0, W)."""


class TotalVariation(OfLaws):
    """``TotalVariation(V, q, W, f)``: half the integral of what two densities differ by."""


def expanded(expr: Any) -> Any:
    """The same in traces and log determinants.

    >>> from verification.notation import A, N, Sigma
    >>> q, f = sp.symbols("q f")
    >>> expanded(MeanForm(A, Sigma, q))
    Trace(A*Sigma)
    >>> expanded(2 * MeanLogDensity(A, f, Sigma, q))
    -D*log(two_pi) - Trace(A**(-1)*Sigma) - log(Determinant(A))
    """

    def density(W: Any, f: Any, V: Any, q: Any) -> Any:
        return -(D * sp.log(TWO_PI) + sp.log(Determinant(W)) + Trace(sp.expand(_inverse(W) * V))) / 2

    def divergence(V: Any, q: Any, W: Any, f: Any) -> Any:
        logs = sp.log(Determinant(W)) - sp.log(Determinant(V))
        return (Trace(sp.expand(_inverse(W) * V)) + logs - D) / 2

    expr = sp.sympify(expr).replace(FormAt, lambda M, X: Trace(sp.expand(M * X)))
    expr = expr.replace(MeanForm, lambda M, V, q: Trace(sp.expand(M * V)))
    expr = expr.replace(MeanLogDensity, density).replace(Divergence, divergence)
    return sp.expand_mul(expr, deep=False)


def _inverse(W: Any) -> Any:
    """Of a word; SymPy leaves the inverse of an inverse as it is."""
    scalars, words = W.args_cnc()
    turned = [base ** (-power) for base, power in (w.as_base_exp() for w in reversed(words))]
    return sp.Mul(*turned) / sp.Mul(*scalars) if not W.is_Add else W**-1


@dataclass(frozen=True)
class Chain:
    """A normal law of mean 0 as a chain of regressions: theta = L z, the parts z independent.

    ``undone`` has the rows of L^(-1): what is left of each coordinate once those before it are known.
    """

    V: Rows
    columns: list[list[Any]]  # of L
    undone: Rows
    variances: list[Any]  # of the parts

    @classmethod
    def of(cls, V: Rows) -> Chain:
        """By elimination in [V | I], which leaves the transpose of L, each row times its variance."""
        n = range(len(V))
        zero, one = V[0][0] * 0, V[0][0] ** 0
        rows = [[*V[i], *(one if i == j else zero for j in n)] for i in n]
        for k in n:
            for i in range(k + 1, len(V)):
                share = rows[i][k] * rows[k][k] ** -1
                rows[i] = [x - share * y for x, y in zip(rows[i], rows[k], strict=True)]
        variances = [rows[k][k] for k in n]
        columns = [[x * d**-1 for x in row[: len(V)]] for row, d in zip(rows, variances, strict=True)]
        return cls(V, columns, [row[len(V) :] for row in rows], variances)

    def mean(self, M: Rows) -> Any:
        """The mean of theta^T M theta: theta is a sum of independent columns."""
        parts = zip(self.variances, self.columns, strict=True)
        return sum((d * _form(M, column) for d, column in parts), M[0][0] * 0)

    def spread(self, r: list[Any]) -> Any:
        """The variance of r . theta."""
        return _form(self.V, r)


def _form(M: Rows, x: list[Any]) -> Any:
    rows = (sum((m * b for m, b in zip(row, x, strict=True)), M[0][0] * 0) for row in M)
    return sum((a * y for a, y in zip(x, rows, strict=True)), M[0][0] * 0)


def mean_log_density(W: Rows, V: Rows, numbers: Mapping[str, Any]) -> Any:
    """The mean under N(0, V) of the log density of N(0, W): a sum over the conditional densities."""
    log, over, f, q = numbers["log"], numbers["over"], Chain.of(W), Chain.of(V)
    total = W[0][0] * 0
    for left, variance in zip(f.undone, f.variances, strict=True):
        total = total - (over(q.spread(left), variance) + log(2 * numbers["pi"]() * variance)) / 2
    return total


def divergence(V: Rows, W: Rows, numbers: Mapping[str, Any]) -> Any:
    """KL(N(0, V) || N(0, W)) by its chain rule: the conditional laws differ in mean and in variance."""
    log, over, q, f = numbers["log"], numbers["over"], Chain.of(V), Chain.of(W)
    total = V[0][0] * 0
    for k, (s, t) in enumerate(zip(q.variances, f.variances, strict=True)):
        moved = q.spread([a - b for a, b in zip(q.undone[k], f.undone[k], strict=True)])
        total = total + (over(s + moved, t) - 1 - log(over(s, t))) / 2
    return total


def transported(V: Rows, W: Rows, numbers: Mapping[str, Any]) -> Any:
    """The Wasserstein distance: the root of tr(V) + tr(W) - 2 tr((V W)^(1/2)), a formula for two."""
    if len(V) == 1:
        a, b = (numbers["root"](X[0][0]) for X in (V, W))
        return _apart(a, b, numbers)
    if len(V) != 2:
        raise Unable("a distance of normal laws in more than two dimensions")
    product = [[sum(V[i][k] * W[k][j] for k in (0, 1)) for j in (0, 1)] for i in (0, 1)]
    area = product[0][0] * product[1][1] - product[0][1] * product[1][0]
    both = numbers["root"](product[0][0] + product[1][1] + 2 * numbers["root"](area))
    return numbers["root"](sum(X[k][k] for X in (V, W) for k in (0, 1)) - 2 * both)


def total_variation(V: Rows, W: Rows, numbers: Mapping[str, Any]) -> Any:
    """Of two numbers' laws: what lies between the points at which both densities are alike."""
    if len(V) != 1:
        raise Unable("the total variation distance in more than one dimension")
    v, w = V[0][0], W[0][0]
    if v == w:
        return v - w
    t = numbers["over"](numbers["log"](numbers["over"](v, w)) * v * w, v - w)  # a point, squared
    a, b = (numbers["erf"](numbers["root"](numbers["over"](t, 2 * x))) for x in (v, w))
    return _apart(a, b, numbers)


def _apart(a: Any, b: Any, numbers: Mapping[str, Any]) -> Any:
    return numbers["largest"](a - b, b - a)
