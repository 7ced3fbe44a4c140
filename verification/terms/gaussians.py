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
from sgtheory.notation.matrixwords import Determinant, Trace
from sgtheory.notation.printing import latex

TWO_PI = sp.Symbol("two_pi", positive=True)  # only its logarithm enters, and cancels or does not


class FormAt(sp.Function):
    """``FormAt(M, X)``: theta^T M theta at the theta whose outer product is X."""

    is_commutative = True
    is_real = True

    def _latex(self, printer: Any) -> str:
        return rf"\theta^{{\top}} {_bracketed(self.args[0])} \theta"

    def _sympystr(self, printer: Any) -> str:
        return f"theta^T {printer.doprint(self.args[0])} theta"


class MeanForm(sp.Function):
    """``MeanForm(M, V, q)``: the mean of theta^T M theta, theta normal with covariance V and law q."""

    is_commutative = True
    is_real = True

    def _latex(self, printer: Any) -> str:
        matrix, _, law = self.args
        return rf"\mathbb{{E}}_{{{law}}}\left[\theta^{{\top}} {_bracketed(matrix)} \theta\right]"

    def _sympystr(self, printer: Any) -> str:
        return f"E_{self.args[2]}[theta^T {printer.doprint(self.args[0])} theta]"


class MeanLogDensity(sp.Function):
    """``MeanLogDensity(W, f, V, q)``: the mean under N(0, V) of the log density of N(0, W)."""

    is_commutative = True
    is_real = True

    def _latex(self, printer: Any) -> str:
        return rf"\mathbb{{E}}_{{{self.args[3]}}}\left[\log {self.args[1]}(\theta)\right]"

    def _sympystr(self, printer: Any) -> str:
        return f"E_{self.args[3]}[log {self.args[1]}]"


class Divergence(sp.Function):
    """``Divergence(V, q, W, f)``: KL(q || f) of N(0, V) from N(0, W)."""

    is_commutative = True
    is_real = True

    def _latex(self, printer: Any) -> str:
        return rf"\mathrm{{KL}}({self.args[1]} \| {self.args[3]})"

    def _sympystr(self, printer: Any) -> str:
        return f"KL({self.args[1]} || {self.args[3]})"


MEANS = (FormAt, MeanForm, MeanLogDensity, Divergence)


def _bracketed(matrix: Any) -> str:
    return latex(matrix) if matrix.is_Symbol or matrix.is_Pow else rf"\left({latex(matrix)}\right)"


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
    """A normal law of mean 0 as a chain: theta_k is slopes_k . (theta before k) and own noise."""

    slopes: list[list[Any]]
    variances: list[Any]

    @classmethod
    def of(cls, V: Rows) -> Chain:
        """By elimination: V = L diag(variances) L^T, and the rows of L^(-1) hold the slopes."""
        size = len(V)
        zero, one = V[0][0] * 0, V[0][0] ** 0
        L = [[one if i == j else zero for j in range(size)] for i in range(size)]
        found: list[Any] = []
        for i in range(size):
            for j in range(i + 1):
                rest = V[i][j]
                for k in range(j):
                    rest = rest - L[i][k] * found[k] * L[j][k]
                if i == j:
                    found.append(rest)
                else:
                    L[i][j] = rest * found[j] ** -1
        return cls(_slopes(L), found)

    def mean(self, M: Rows) -> Any:
        """The mean of theta^T M theta: theta is a sum of independent columns."""
        columns = self.columns()
        total = M[0][0] * 0
        for d, column in zip(self.variances, columns, strict=True):
            total = total + d * _form(M, column)
        return total

    def columns(self) -> list[list[Any]]:
        """What a unit of each independent part adds to theta."""
        size = len(self.variances)
        zero = self.variances[0] * 0
        one = self.variances[0] ** 0
        found = []
        for k in range(size):
            column = [zero] * size
            column[k] = one
            for i in range(k + 1, size):
                for j in range(k, i):
                    column[i] = column[i] + self.slopes[i][j] * column[j]
            found.append(column)
        return found


def _slopes(L: Rows) -> list[list[Any]]:
    """theta = L z with independent z, so z_i = theta_i - slopes_i . theta: forward substitution."""
    size = len(L)
    inverse: list[list[Any]] = []
    for i in range(size):
        row = [-sum((L[i][k] * inverse[k][j] for k in range(j, i)), L[i][i] * 0) for j in range(i)]
        inverse.append([*row, L[i][i] ** 0])
    return [[-x for x in inverse[i][:i]] for i in range(size)]


def _form(M: Rows, x: list[Any]) -> Any:
    total = M[0][0] * 0
    for a, row in zip(x, M, strict=True):
        for m, b in zip(row, x, strict=True):
            total = total + a * m * b
    return total


def _residual(one: Chain, other: Chain, k: int) -> list[Any]:
    """What theta_k minus the other's regression is, as a form in theta."""
    zero = one.variances[0] * 0
    after = [zero] * (len(one.variances) - k - 1)
    return [*(-b for b in other.slopes[k]), zero + one.variances[0] ** 0, *after]


def mean_log_density(W: Rows, V: Rows, numbers: Mapping[str, Any]) -> Any:
    """The mean under N(0, V) of the log density of N(0, W): a sum over the conditional densities."""
    log, over, f, q = numbers["log"], numbers["over"], Chain.of(W), Chain.of(V)
    total = W[0][0] * 0
    for k, variance in enumerate(f.variances):
        r = _residual(q, f, k)
        spread = q.mean([[a * b for b in r] for a in r])
        total = total - (over(spread, variance) + log(2 * numbers["pi"]() * variance)) / 2
    return total


def divergence(V: Rows, W: Rows, numbers: Mapping[str, Any]) -> Any:
    """KL(N(0, V) || N(0, W)) by its chain rule: the conditional laws differ in mean and in variance."""
    log, over, q, f = numbers["log"], numbers["over"], Chain.of(V), Chain.of(W)
    total = V[0][0] * 0
    for k, (s, t) in enumerate(zip(q.variances, f.variances, strict=True)):
        gap = [a - b for a, b in zip(q.slopes[k], f.slopes[k], strict=True)]
        gap += [s * 0] * (len(V) - k)
        moved = q.mean([[a * b for b in gap] for a in gap])
        total = total + (over(s + moved, t) - 1 - log(over(s, t))) / 2
    return total
