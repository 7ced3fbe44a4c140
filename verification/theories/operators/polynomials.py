"""Polynomials that stand for unspecified functions at a place: their coefficients are its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.taylor import Polynomial, polynomial_value
from verification.refuter.places import Place

_HIGHEST = 4


def functions_in(expressions: Sequence[Any]) -> dict[str, Any]:
    """Unspecified functions by name, each as it is first applied."""
    found: dict[str, Any] = {}
    for expr in expressions:
        for f in sorted(sp.sympify(expr).atoms(AppliedUndef), key=str):
            found.setdefault(f.func.__name__, f)
    return found


@cache
def monomials(arguments: int) -> tuple[tuple[int, ...], ...]:
    """Exponents: all of low degree, and pure powers up to the fourth.

    >>> monomials(1)
    ((0,), (1,), (2,), (3,), (4,))
    """
    mixed = {1: _HIGHEST, 2: 3}.get(arguments, 2)
    chosen = [
        e
        for e in product(range(_HIGHEST + 1), repeat=arguments)
        if sum(e) <= mixed or sum(map(bool, e)) == 1
    ]
    return tuple(sorted(chosen, key=lambda e: (sum(e), tuple(-k for k in e))))


def letter(name: str, exponents: tuple[int, ...]) -> str:
    """What a coefficient is called at a place."""
    return f"{name}_{'_'.join(map(str, exponents))}"


def letters_of(functions: Mapping[str, Any]) -> dict[str, str]:
    """The numbers that a place needs for some functions, with their kinds."""
    kinds: dict[str, str] = {}
    for name, f in functions.items():
        for e in monomials(len(f.args)):
            if any(e):
                kinds[letter(name, e)] = "real"
            elif f.is_positive:
                kinds[letter(name, e)] = "positive"
    return kinds


def polynomials(functions: Mapping[str, Any], place: Place) -> dict[str, Polynomial]:
    """The polynomials of a place."""
    found: dict[str, Polynomial] = {}
    for name, f in functions.items():
        terms = {e: place.scalars.get(letter(name, e), Fraction(0)) for e in monomials(len(f.args))}
        found[name] = {e: c for e, c in terms.items() if c}
    return found


def confines(polynomial: Polynomial, arguments: int) -> bool:
    """Whether a polynomial grows in every direction, so that exp(-U) has a finite integral.

    The pure highest powers are even and positive, and outweigh the mixed ones.

    >>> confines({(2,): Fraction(1)}, 1), confines({(3,): Fraction(1)}, 1)
    (True, False)
    """
    top = max((sum(e) for e in polynomial), default=0)
    pure = [polynomial.get(tuple(top * (j == k) for j in range(arguments)), 0) for k in range(arguments)]
    mixed = sum(abs(c) for e, c in polynomial.items() if sum(e) == top and sum(map(bool, e)) > 1)
    return top > 0 and top % 2 == 0 and min(pure) > mixed


def positive_at(f: Any, polynomial: Polynomial, at: Sequence[Fraction]) -> bool:
    """Whether a function that is declared positive is so at a point."""
    return not f.is_positive or polynomial_value(polynomial, at) > 0


def written(polynomial: Polynomial, arguments: Sequence[Any]) -> Any:
    """A polynomial as an expression."""
    terms = (
        sp.Rational(c.numerator, c.denominator)
        * sp.Mul(*(x**n for x, n in zip(arguments, e, strict=True)))
        for e, c in polynomial.items()
    )
    return sp.Add(*terms)


def lifted(
    functions: Mapping[str, Any], place: Place, potentials: Mapping[str, Any]
) -> dict[str, Polynomial]:
    """The polynomials of a place; what has to be positive there is lifted, and potentials confine."""
    chosen = dict(polynomials(functions, place))
    for name, f in functions.items():
        point = [place.scalars.get(getattr(a, "name", ""), Fraction(0)) for a in f.args]
        if not positive_at(f, chosen[name], point):
            zero = (0,) * len(f.args)
            short = 1 - polynomial_value(chosen[name], point)
            chosen[name] = {**chosen[name], zero: chosen[name].get(zero, Fraction(0)) + short}
        elif name in potentials and not confines(chosen[name], len(f.args)):
            high = 2 if max(map(sum, chosen[name]), default=0) < 2 else _HIGHEST
            tops = [tuple(high * (j == k) for j in range(len(f.args))) for k in range(len(f.args))]
            confining = {e: 1 + abs(chosen[name].get(e, Fraction(0))) for e in tops}
            chosen[name] = {**chosen[name], **confining}  # no mixed monomial is of the highest degree
    return chosen
