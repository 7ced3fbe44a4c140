"""Formulas for moments about the mode: H, G and L undone, the third derivative of U on a matrix, M.

``H(P) = D2U P + P D2U - gamma D2U P D2U``, ``G(P) = H(P) - gamma K(P)`` and ``L(P) = D2U P + P D2U``. A
reading says what the letters are; its numbers may be fractions, floats or formulas.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import N, Parameter, Size
from sgtheory.fields import inverse
from sgtheory.printing import latex
from verification.notation import identity

Array = Any


class _Letter(sp.Symbol):
    """A matrix with a longer name on paper."""

    _shown = ""

    def _latex(self, printer: Any) -> str:
        return self._shown


class _SecondDerivative(_Letter):
    _shown = r"\nabla^2 U(\theta^{\star})"


class _NoiseAtMode(_Letter):
    _shown = r"\mathsf{M}"


D2U = _SecondDerivative("D2U", commutative=False)
M = _NoiseAtMode("M", commutative=False)
eta = Parameter("eta", positive=True)
gamma = Parameter("gamma", positive=True)
p = Size("p")


class _Word(sp.Function):
    is_commutative = False
    _name = ""

    def _latex(self, printer: Any, exp: Any = None) -> str:
        text = rf"{self._name}\left[{latex(self.args[0])}\right]"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


class HInverse(_Word):
    """H undone."""

    _name = r"\mathsf{H}^{-1}"

    def _sympystr(self, printer: Any) -> str:
        return f"H^-1({printer._print(self.args[0])})"


class GInverse(_Word):
    """G undone."""

    _name = r"\mathsf{G}^{-1}"

    def _sympystr(self, printer: Any) -> str:
        return f"G^-1({printer._print(self.args[0])})"


class LInverse(_Word):
    """L undone: what H and G are without a step."""

    _name = r"\mathsf{L}^{-1}"

    def _sympystr(self, printer: Any) -> str:
        return f"L^-1({printer._print(self.args[0])})"


class Cubic(_Word):
    """The third derivative of U at the mode, contracted with a matrix: a vector."""

    _name = r"\mathrm{D}^3 U(\theta^{\star})"

    def _sympystr(self, printer: Any) -> str:
        return f"D3U[{printer._print(self.args[0])}]"


class Moment(_Word):
    """A moment of a law about the mode: a vector where its argument is one."""

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return _moment_latex(self.args[0].name)

    def _sympystr(self, printer: Any) -> str:
        law, kind = self.args[0].name.split(":")
        return f"E_{law or 'pi'}[{'(theta - theta*)^(x2)' if kind == 'second' else 'theta - theta*'}]"


def _moment_latex(name: str) -> str:
    law, kind = name.split(":")
    index = rf"_{{\mathrm{{{law}}}}}" if law else ""
    inner = r"\theta - \theta^{\star}"
    shown = rf"({inner})^{{\otimes 2}}" if kind == "second" else inner
    return (
        rf"\int ({shown})\, \pi{index}(\mathrm{{d}}\theta)"
        if kind == "mean"
        else (rf"\int {shown}\, \pi{index}(\mathrm{{d}}\theta)")
    )


def second(law: str) -> Any:
    """The second moments of a law about the mode.

    >>> second("LMC")
    E_LMC[(theta - theta*)^(x2)]
    """
    return Moment(sp.Symbol(f"{law}:second", commutative=False))


def mean(law: str) -> Any:
    """The mean of a law, from the mode."""
    return Moment(sp.Symbol(f"{law}:mean", commutative=False))


@dataclass(frozen=True, eq=False)
class Reading:
    """What letters are at one place: ``K[i, j, k, l]`` takes P_kl to K(P)_ij."""

    hessian: Array
    third: Array
    K: Array
    M: Array
    scalars: Mapping[str, Any]
    one: Any  # of the field

    @property
    def D(self) -> int:
        """The dimension."""
        return len(self.hessian)

    def value(self, expr: Any) -> Array:
        """A formula: a matrix, a vector or a number."""
        expr = sp.sympify(expr)
        if isinstance(expr, HInverse | GInverse | LInverse):
            return self._undone(type(expr).__name__[0], self.value(expr.args[0]))
        if isinstance(expr, Cubic):
            return np.einsum("ijk,jk->i", self.third, self._matrix(self.value(expr.args[0])))
        if expr.is_Add:
            return reduce(lambda a, b: a + b, map(self.value, expr.args))
        if expr.is_Mul:
            return reduce(_times, map(self.value, expr.args))
        if expr.is_Pow:
            return self._power(self.value(expr.base), expr.exp)
        if expr.is_Rational:
            return self.one * int(expr.p) / int(expr.q)
        return self._letter(expr)

    def _letter(self, expr: Any) -> Array:
        known = {D2U: self.hessian, M: self.M, identity: self._identity}
        return known[expr] if expr in known else self.scalars[expr.name]

    @property
    def _identity(self) -> Array:
        zero = self.one - self.one
        return np.array([[self.one if i == j else zero for j in range(self.D)] for i in range(self.D)])

    def _matrix(self, x: Array) -> Array:
        """A number is a multiple of the identity."""
        return x if np.ndim(x) else x * self._identity

    def _power(self, base: Array, power: Any) -> Array:
        if not np.ndim(base):
            return base ** int(power) if power.is_Integer else _root(base) ** int(2 * power)
        if int(power) == 0:
            return self._identity
        turned = _inverse(base) if int(power) < 0 else base
        return reduce(lambda a, b: a @ b, [turned] * abs(int(power)))

    def operator(self, name: str) -> Array:
        """L, H or G as a matrix on the entries of P."""
        A, one, step = self.hessian, self._identity, self.scalars["gamma"]
        found = np.einsum("ik,jl->ijkl", A, one) + np.einsum("ik,jl->ijkl", one, A)
        if name != "L":
            found = found - step * np.einsum("ik,jl->ijkl", A, A)
        if name == "G":
            found = found - step * self.K
        return found.reshape(self.D**2, self.D**2)

    def _undone(self, name: str, x: Array) -> Array:
        return (_inverse(self.operator(name)) @ self._matrix(x).reshape(-1)).reshape(self.D, self.D)


def _times(a: Array, b: Array) -> Array:
    return a @ b if np.ndim(a) and np.ndim(b) else a * b


def _root(x: Any) -> Any:
    """A square root, in fractions where there is one."""
    if not isinstance(x, Fraction):
        return x ** sp.Rational(1, 2) if isinstance(x, sp.Expr) else x**0.5
    root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
    if root**2 != x:
        raise TypeError(f"no rational root of {x}")
    return root


def _inverse(m: Array) -> Array:
    if m.dtype != object:
        return np.linalg.inv(m)
    if len(m) == 1:
        return np.array([[1 / m[0, 0]]], object)
    return np.array(inverse(m.tolist()), object)


__all__ = [
    "D2U",
    "Cubic",
    "GInverse",
    "HInverse",
    "LInverse",
    "M",
    "Moment",
    "N",
    "Reading",
    "eta",
    "gamma",
    "mean",
    "p",
    "second",
]  # fmt: skip
