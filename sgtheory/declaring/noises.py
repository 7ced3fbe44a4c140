"""Vectors, and the laws of the noises among them."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from sgtheory.errors import DeclarationError
from sgtheory.notation.inletters import Written


class Vector(Written, sp.Symbol):
    """One number per coordinate of theta."""


class Noise(Vector):
    """A fresh random vector at every step: independent coordinates, mean 0, variance 1.

    A law is a subclass. It is a moment oracle: ``moment(k)`` is E[z^k] of one coordinate.
    """

    law = ""

    @classmethod
    def moment(cls, k: int) -> sp.Rational:
        """E[z^k] of one coordinate."""
        raise NotImplementedError


class Normal(Noise):
    """Standard normal coordinates."""

    law = "normal"

    @classmethod
    def moment(cls, k: int) -> sp.Rational:
        """E[z^k]: 0 for odd k, (k-1)!! for even k.

        >>> [Normal.moment(k) for k in range(7)]
        [1, 0, 1, 0, 3, 0, 15]
        """
        return sp.Integer(0) if k % 2 else sp.factorial2(k - 1)


class Rademacher(Noise):
    """Coordinates that are +1 or -1 with equal chance."""

    law = "rademacher"

    @classmethod
    def moment(cls, k: int) -> sp.Rational:
        """E[z^k]: 1 for even k, 0 for odd k."""
        return sp.Integer(1 - k % 2)


class UniformNoise(Noise):
    """Coordinates that are uniform between -sqrt(3) and sqrt(3)."""

    law = "uniform"

    @classmethod
    def moment(cls, k: int) -> sp.Rational:
        """E[z^k]: 3^(k/2)/(k + 1) for even k, 0 for odd k.

        >>> [UniformNoise.moment(k) for k in range(5)]
        [1, 0, 1, 0, 9/5]
        """
        return sp.Integer(0) if k % 2 else sp.Integer(3) ** (k // 2) / (k + 1)


class Student(Noise):
    """Student's t with ``degrees`` degrees of freedom, scaled to variance 1."""

    law = "student"
    degrees: int

    def __new__(cls, name: str, degrees: int) -> Student:
        """A noise; fewer than three degrees of freedom have no variance."""
        if degrees < 3:
            raise DeclarationError("at least 3 degrees of freedom", str(degrees), "raise them")
        return super().__new__(_student(degrees), name, real=True)

    def __reduce__(self) -> Any:
        return Student, (self.name, self.degrees)

    @classmethod
    def moment(cls, k: int) -> sp.Rational:
        """E[z^k]: infinite from k = degrees on (for even k).

        >>> noise = Student("xi", 6)
        >>> [noise.moment(k) for k in (2, 3, 4, 6)]
        [1, 0, 6, oo]
        """
        if k % 2:
            return sp.Integer(0)
        if k >= cls.degrees:
            return sp.oo
        nu = sp.Integer(cls.degrees)
        ratios = (sp.Rational(2 * j - 1) / (nu - 2 * j) for j in range(1, k // 2 + 1))
        return sp.Mul(*ratios) * (nu - 2) ** (k // 2)


@cache
def _student(degrees: int) -> type:
    return type(f"Student{degrees}", (Student,), {"degrees": degrees, "law": f"student:{degrees}"})
