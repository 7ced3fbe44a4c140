"""Where the eigenvalues of an exact matrix lie, without computing them."""

from __future__ import annotations

from fractions import Fraction

from sgtheory.independent.fields import Rows, matrix_of


def characteristic(matrix: Rows) -> list[Fraction]:
    """Coefficients of det(z - M), highest power first.

    >>> characteristic([[Fraction(1), Fraction(2)], [Fraction(3), Fraction(4)]])
    [Fraction(1, 1), Fraction(-5, 1), Fraction(-2, 1)]
    """
    coefficients = matrix_of(matrix).charpoly().coeffs()
    return [Fraction(int(c.p), int(c.q)) for c in reversed(coefficients)]


def schur_stable(polynomial: list[Fraction]) -> bool:
    """Whether all roots lie strictly inside the unit circle (Schur and Cohn)."""
    p = polynomial
    while len(p) > 1:
        if abs(p[-1]) >= abs(p[0]):
            return False
        p = [p[0] * a - p[-1] * b for a, b in zip(p[:-1], reversed(p[1:]), strict=True)]
        p = [a / p[0] for a in p]
    return True


def hurwitz_stable(polynomial: list[Fraction]) -> bool:
    """Whether all roots have negative real part (Routh's table)."""
    upper, lower = polynomial[0::2], polynomial[1::2]
    while lower:
        if upper[0] <= 0 or lower[0] <= 0:
            return False
        ratio = upper[0] / lower[0]
        padded = lower[1:] + [Fraction(0)] * (len(upper) - len(lower))
        nxt = [a - ratio * b for a, b in zip(upper[1:], padded, strict=False)]
        upper, lower = lower, nxt
    return upper[0] > 0
