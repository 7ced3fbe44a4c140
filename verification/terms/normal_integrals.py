"""Integrals of exp(log density) where it is normal in some letters, the rest being given."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput


def completed(log_density: Any, over: tuple[Any, ...]) -> tuple[Any, Any]:
    """Mean and covariance of the letters in which a density is normal.

    >>> x, a, b = sp.symbols("x a b", positive=True)
    >>> completed(-a * (x - b) ** 2 / 2, (x,))
    (Matrix([[b]]), Matrix([[1/a]]))
    """
    energy = sp.expand(-sp.sympify(log_density))
    A = sp.hessian(energy, over)
    if any(e.free_symbols & set(over) for e in A) or sp.expand(A.det()) == 0:
        raise UnusableInput(
            f"a log density that is quadratic in {', '.join(map(str, over))}",
            str(energy),
            "integrate it",
        )
    minors = (sp.factor(A[:k, :k].det()) for k in range(1, len(over) + 1))
    for minor in minors:
        if minor.is_nonpositive:
            raise UnusableInput(
                "a log density that falls in all directions", str(minor), "turn its sign"
            )
    c = sp.Matrix([sp.diff(energy, y).subs(dict.fromkeys(over, 0)) for y in over])
    C = A.inv().applyfunc(sp.factor)
    return (-C * c).applyfunc(sp.factor), C


def mean_under(log_density: Any, over: tuple[Any, ...], f: Any) -> Any:
    """The mean of a polynomial f in letters in which a density is normal, the rest being given.

    >>> x, a, b = sp.symbols("x a b", positive=True)
    >>> mean_under(-a * (x - b) ** 2 / 2, (x,), x**2)
    b**2 + 1/a
    """
    mu, C = completed(log_density, over)

    def mean(g: Any) -> Any:
        """By E[(x_i - mu_i) g] = sum_j C_ij E[d_j g]."""
        g = sp.expand(g)
        if not g.is_polynomial(*over):
            raise UnusableInput(f"a polynomial in {', '.join(map(str, over))}", str(g), "integrate it")
        total: Any = sp.Integer(0)
        for powers, c in sp.Poly(g, *over).terms():
            if not any(powers):
                total += c
                continue
            i = next(k for k, n in enumerate(powers) if n)
            rest = sp.Mul(
                *(s ** (n - (k == i)) for k, (s, n) in enumerate(zip(over, powers, strict=True)))
            )
            more = sp.Add(*(C[i, j] * mean(sp.diff(rest, s)) for j, s in enumerate(over)))
            total += c * (mu[i] * mean(rest) + more)
        return sp.expand(total)

    return sp.expand(sp.simplify(mean(f)))


def integral_over(log_density: Any, over: tuple[Any, ...]) -> Any:
    """The integral of exp(log_density) over letters in which it is normal.

    >>> x, b = sp.symbols("x b", positive=True)
    >>> integral_over(-b * x**2 / 2, (x,))
    sqrt(2)*sqrt(pi)/sqrt(b)
    """
    mu, C = completed(log_density, over)
    top = sp.sympify(log_density).subs(dict(zip(over, mu, strict=True)), simultaneous=True)
    volume = sp.sqrt(2 * sp.pi) ** len(over) * sp.sqrt(sp.factor(C.det()))
    return sp.powdenest(sp.expand_power_base(volume * sp.exp(sp.expand(top)), force=True), force=True)
