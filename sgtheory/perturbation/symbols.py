"""The hierarchy solved in letters: rational functions of gamma and of derivatives at the minimiser."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.language import Parameter
from sgtheory.notation.derivation import Equation, Formula
from sgtheory.perturbation.hierarchy import Key, Kind, Powers, Values, equations, moments, monomials

GAMMA = Parameter("gamma", positive=True)
_MOST = {1: 2, 2: 1}  # orders that letters are worth


@dataclass(frozen=True)
class Components:
    """Moments about theta* in coordinates; D = 2 in the eigenbasis of the Hessian of U.

    ``terms`` has one entry to an order; ``mean`` and ``second`` are their sums. ``letters`` says what
    the letters are.
    """

    D: int
    terms: tuple[dict[Powers, Any], ...]
    letters: tuple[Equation, ...]

    def moment(self, *powers: int) -> Any:
        """The mean of a monomial in theta - theta*, as a sum over orders."""
        return sp.Add(*(t.get(powers, sp.Integer(0)) for t in self.terms))

    @property
    def mean(self) -> tuple[Any, ...]:
        """E[theta - theta*]."""
        return tuple(self.moment(*p) for p in monomials(self.D, 1))

    @property
    def second(self) -> Any:
        """E[(theta - theta*)(theta - theta*)^T]."""
        return sp.ImmutableMatrix(self.D, self.D, lambda i, j: self.moment(*_pair(self.D, i, j)))

    @property
    def variance(self) -> tuple[Any, ...]:
        """Of D = 1: the terms of E[(theta - theta*)^2] - (E[theta - theta*])^2, one to an order."""
        means = [t[1,] for t in self.terms]
        squares = (
            sum((means[i] * means[j - 1 - i] for i in range(j)), sp.Integer(0))
            for j in range(len(means))
        )
        return tuple(_readable(t[2,] - s) for t, s in zip(self.terms, squares, strict=True))


def _pair(D: int, i: int, j: int) -> Powers:
    return tuple(int(k == i) + int(k == j) for k in range(D))


@cache
def components(kind: Kind, temperature: Any, additive: Any) -> Components:
    """All moments that an order determines.

    >>> kind = Kind(1, 1, multiplicative=False, additive=False)
    >>> langevin = components(kind, sp.Integer(1), sp.Integer(0))
    >>> langevin.second[0], langevin.mean[0]
    (2/(U2*(-gamma*U2 + 2)), -U3/(U2**2*(-gamma*U2 + 2)))
    """
    if kind.order > _MOST.get(kind.D, 0):
        raise UnusableInput(
            "order at most 2 in one dimension, or 1 in two",
            f"order {kind.order} in letters for D = {kind.D}",
            "evaluate it on a problem: numbers go further",
        )
    names = _names(kind)
    generators = sp.field([GAMMA, *names.values()], sp.QQ)[1:]
    gamma, letters = generators[0], dict(zip(names, generators[1:], strict=True))
    one = gamma / gamma

    def derivative(key: Key) -> Any:
        return letters.get((key,), one - one) if len(key) == 2 else letters[key,]

    values = Values(
        derivative, lambda keys: letters["noise", *keys], gamma, gamma * 2 * temperature, one
    )
    found = moments(kind, values)
    share = {s: s * additive ** _gradients(k) for k, s in names.items() if k[0] == "noise"}
    terms = tuple(
        {x: _readable(v.as_expr().subs(share)) for (x, n), v in found.items() if n == 2 * j}
        for j in range(1, kind.order + 1)
    )
    return Components(kind.D, terms, tuple(_defined(k, s, kind.D) for k, s in names.items()))


def _readable(expr: Any) -> Any:
    """A sum of monomials where the denominator is one; else factors positive for a small gamma."""
    numerator, denominator = sp.fraction(sp.factor(expr))
    if not denominator.has(sp.Add):
        return sp.expand(numerator / denominator)
    found = sp.Integer(1)
    for factor in sp.Mul.make_args(denominator):
        base, power = factor.as_base_exp()
        turned = -1 if base.subs(GAMMA, 0).could_extract_minus_sign() else 1
        numerator, found = (
            numerator * sp.Integer(turned) ** power,
            found * sp.expand(turned * base) ** power,
        )
    return sp.factor_terms(numerator, sign=False) / found


def _gradients(key: tuple[Any, ...]) -> int:
    return sum(len(k) == 1 for k in key[1:])


def _names(kind: Kind) -> dict[Any, Any]:
    """The letters that the equations hold."""
    found: dict[Any, Any] = {}
    for row in equations(kind).values():
        for _, letter in row:
            for key in letter.mean:
                if len(key) != 2 or len(set(key)) == 1:  # eigenbasis
                    found[key,] = None
            if letter.noise:
                found["noise", *letter.noise] = None
    return {
        k: _symbol(k, kind.D) for k in sorted(found, key=lambda k: (k[0] == "noise", len(k), str(k)))
    }


def _symbol(key: tuple[Any, ...], D: int) -> Any:
    if key[0] != "noise":
        if D == 1:
            return sp.Symbol(f"U{len(key[0])}", positive=len(key[0]) == 2 or None, real=True)
        if len(key[0]) == 2:
            return sp.Symbol(f"lambda_{key[0][0] + 1}", positive=True)
        return sp.Symbol(f"U_{_places(key[0])}", real=True)
    mark = "".join(str(len(k)) for k in key[1:]) if D == 1 else "_".join(map(_places, key[1:]))
    return sp.Symbol(f"V{mark}" if D == 1 else f"V_{mark}", real=True)


def _places(key: Key) -> str:
    return "".join(str(k + 1) for k in key)


def _defined(key: tuple[Any, ...], symbol: Any, D: int) -> Equation:
    if key[0] != "noise":
        by = " ".join(f"dx_{k + 1}" for k in key[0]) if D > 1 else f"dx^{len(key[0])}"
        latex = (
            " ".join(rf"\partial_{{{k + 1}}}" for k in key[0])
            if D > 1
            else rf"\partial^{{{len(key[0])}}}"
        )
        order = f"d^{len(key[0])}"
        return Equation(symbol, Formula(rf"{latex} U(\theta^{{\star}})", f"{order} U / {by} at theta*"))
    factors = [_places(k) if D > 1 else str(len(k)) for k in key[1:]]
    return Equation(
        symbol,
        Formula(
            rf"\mathbb{{E}}[{' '.join(f'B_{{{m}}}' for m in factors)}]",
            f"E[{' '.join(f'B_{m}' for m in factors)}]",
        ),
    )
