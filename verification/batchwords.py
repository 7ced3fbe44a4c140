"""The words of statements about minibatches: averages over data, over a minibatch, over all minibatches.

Letters of one example are ``DataColumn`` and ``DataNumber``; ``FixedColumn`` (theta) and ``FixedSquare``
(a symmetric matrix) are the same for all examples; every other symbol is a number. ``Average(e)`` is the
mean of e over the N examples, ``BatchAverage(e)`` over the S that were drawn, ``First(e)`` its value for
the first one drawn, ``Expectation(e)`` the mean over all minibatches.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.printing import latex
from verification.kinds import Transpose
from verification.notation import N, S


class DataColumn(sp.Symbol):
    """A vector that every example has."""


class DataNumber(sp.Symbol):
    """A number that every example has."""


class FixedColumn(sp.Symbol):
    """A vector that all examples share."""


class FixedSquare(sp.Symbol):
    """A symmetric matrix that all examples share."""


class _Word(sp.Function):
    """A word of one argument, a number where that is one."""

    _shown = "{}"
    _short = ""  # of a letter alone

    def _latex(self, printer: Any, exp: Any = None) -> str:
        (inner,) = self.args
        shown = self._short if self._short and inner.is_Symbol else self._shown
        text = shown.replace("{}", latex(inner))
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


class Average(_Word):
    """The mean over all N examples."""

    _shown = r"\left\langle {} \right\rangle_{n}"
    _short = r"\bar{{}}"

    def _sympystr(self, printer: Any) -> str:
        return f"mean_n[{printer._print(self.args[0])}]"


class BatchAverage(_Word):
    """The mean over the minibatch."""

    _shown = r"\left\langle {} \right\rangle_{s \in \mathcal{S}}"
    _short = r"\bar{{}}_{\mathcal{S}}"

    def _sympystr(self, printer: Any) -> str:
        return f"mean_s[{printer._print(self.args[0])}]"


class First(_Word):
    """The value for the first example of the minibatch."""

    _shown = r"\left[{}\right]_{s = 1}"
    _short = r"{}_{s = 1}"

    def _sympystr(self, printer: Any) -> str:
        return f"first_s[{printer._print(self.args[0])}]"


class Expectation(_Word):
    """The mean over all minibatches."""

    _shown = r"\mathbb{E}\left[{}\right]"

    def _sympystr(self, printer: Any) -> str:
        return f"E[{printer._print(self.args[0])}]"


class Online(_Word):
    """Where the average of a quantity over one minibatch after the other settles: weights 1/t."""

    _shown = r"\lim_{t} \frac{1}{t} \sum_{t} \left[{}\right]"

    def _sympystr(self, printer: Any) -> str:
        return f"online_average[{printer._print(self.args[0])}]"


class Gradient(_Word):
    """The derivative of a number with respect to theta, a column."""

    _shown = r"\nabla_{\theta} \left[{}\right]"
    is_commutative = False

    def _sympystr(self, printer: Any) -> str:
        return f"grad[{printer._print(self.args[0])}]"


class Hessian(_Word):
    """The second derivatives of a number with respect to theta."""

    _shown = r"\nabla_{\theta}^2 \left[{}\right]"
    is_commutative = False

    def _sympystr(self, printer: Any) -> str:
        return f"hess[{printer._print(self.args[0])}]"


class Degree(_Word):
    """The degree of a quantity as a polynomial in theta."""

    _shown = r"\deg_{\theta} \left[{}\right]"
    is_commutative = True

    def _sympystr(self, printer: Any) -> str:
        return f"degree[{printer._print(self.args[0])}]"


class Inner(sp.Function):
    """``Inner(a, b)`` is a^T b, a number."""

    is_commutative = True

    def _latex(self, printer: Any, exp: Any = None) -> str:
        a, b = (rf"\left({latex(x)}\right)" if x.is_Add else latex(x) for x in self.args)
        text = rf"{a}^{{\top}} {b}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        a, b = (f"({printer._print(x)})" if x.is_Add else printer._print(x) for x in self.args)
        return f"<{a}, {b}>"


class At(sp.Function):
    """``At(e, value)``: e with a value put in the place of theta."""

    is_commutative = False

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"\left.{latex(self.args[0])}\right|_{{\theta = {latex(self.args[1])}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"({printer._print(self.args[0])} at theta = {printer._print(self.args[1])})"


theta = FixedColumn("theta", commutative=False)


def columns(names: str) -> Any:
    """Letters for vectors that every example has."""
    return sp.symbols(names, cls=DataColumn, commutative=False)


def numbers(names: str) -> Any:
    """Letters for numbers that every example has."""
    return sp.symbols(names, cls=DataNumber, real=True)


def outer(a: Any) -> Any:
    """a a^T."""
    return a * Transpose(a)


def total(e: Any) -> Any:
    """The sum over all N examples."""
    return N * Average(e)


def batch_total(e: Any) -> Any:
    """The sum over the minibatch."""
    return S * BatchAverage(e)


def covariance(e: Any) -> Any:
    """The covariance of e among the N examples, with N in the denominator.

    >>> z = columns("z")
    >>> str(covariance(z))
    'mean_n[(z - mean_n[z])*(z - mean_n[z])^T]'
    """
    return Average(outer(e - Average(e)))


def is_bare(expr: Any, letters: tuple[Any, ...], under: tuple[Any, ...]) -> bool:
    """Whether letters or words occur that stand under none of some words.

    >>> y = numbers("y")
    >>> is_bare(Average(y) + y, (DataNumber,), (Average,))
    True
    """
    if isinstance(expr, under):
        return False
    inside = any(is_bare(a, letters, under) for a in expr.args)
    return bool(isinstance(expr, letters) or inside)


def has_bare_batch(expr: Any) -> bool:
    """Whether it is about one minibatch, and so about every one."""
    return is_bare(sp.sympify(expr), (BatchAverage, First), (Expectation, Online))


def has_bare_example(expr: Any) -> bool:
    """Whether it is about one example, and so about every one."""
    return is_bare(sp.sympify(expr), (DataColumn, DataNumber), (Average, BatchAverage, First))
