"""Laws of one noise of a step: their moments and cumulants, in numbers or in letters.

Cumulants of independent sums add up, so the law of a linear chain has those of its noise over 1 - a^n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.errors import UnusableInput

Waves = dict[str, list[tuple[Any, Any]]]  # by what is common to them: factors, and what has the power n


@dataclass(frozen=True)
class NoiseLaw:
    """A law by its name and its numbers.

    >>> signs, flat = NoiseLaw("signs"), NoiseLaw("uniform", (sp.Integer(-1), sp.Integer(1)))
    >>> signs.moment(4), signs.cumulant(4), flat.moment(4), flat.cumulant(4)
    (1, -2, 1/5, -2/15)
    >>> NoiseLaw("student", (sp.Integer(3),)).moment(4)
    oo
    """

    name: str = "normal"
    of: tuple[Any, ...] = ()

    def moment(self, n: int) -> Any:
        """The mean of the n-th power; infinite where there is none."""
        if n == 0:
            return sp.Integer(1)
        own = getattr(self, f"_moment_of_{self.name}", None)
        if own is not None:
            return own(n)
        parts = (
            math.comb(n - 1, k - 1) * self.cumulant(k) * self.moment(n - k) for k in range(1, n + 1)
        )
        return sp.expand(sp.Add(*parts))

    def cumulant(self, n: int) -> Any:
        """The n-th cumulant."""
        if self.name == "cumulants":
            if n > len(self.of):
                told = "say: with third cumulant k, fourth cumulant l"
                raise UnusableInput(f"a cumulant of order {n} of the noise", "none is given", told)
            return self.of[n - 1]
        if getattr(self, f"_moment_of_{self.name}", None) is None:
            if n == 1:
                return self.mean
            if self.name == "normal":
                return sp.Integer(n == 2)
            waves = ((_common(of, n), *one) for of, all_ in self.waves.items() for one in all_)
            return sp.expand(sp.Add(*(common * c * r**n for common, c, r in waves)))
        parts = (math.comb(n - 1, k - 1) * self.cumulant(k) * self.moment(n - k) for k in range(1, n))
        return sp.expand(self.moment(n) - sp.Add(*parts))

    @property
    def mean(self) -> Any:
        """The first cumulant."""
        if self.name == "uniform":
            return sum(self.of) / 2
        return self.of[0] if self.name == "exponential" else sp.Integer(0)

    @cached_property
    def waves(self) -> Waves:
        """Cumulants from the second on as sums of powers, where they are; a normal law has none."""
        made: dict[str, Any] = {
            "normal": dict,
            "uniform": lambda: {"bernoulli": [(1, self.of[1] - self.of[0])]},
            "signs": lambda: {"bernoulli": [(1, sp.Integer(4)), (-1, sp.Integer(2))]},
            "laplace": lambda: {"factorial": [(1, self.of[0]), (1, -self.of[0])]},
            "exponential": lambda: {"factorial": [(1, self.of[0])]},
        }
        if self.name not in made:
            raise UnusableInput("cumulants that are powers", self.name, "none are known")
        found: Waves = made[self.name]()
        return found

    @property
    def is_spread(self) -> bool:
        """Whether it has a density that is positive everywhere."""
        return self.name in ("normal", "laplace", "student")

    @property
    def is_continuous(self) -> bool:
        """Whether it has a density."""
        return self.is_spread or self.name in ("uniform", "exponential")

    @property
    def is_even(self) -> bool:
        """Whether it is that of its negative, for all that is known."""
        if self.name == "uniform":
            return bool(sp.expand(sum(self.of)) == 0)
        return self.name in ("normal", "laplace", "student", "signs")

    def _moment_of_student(self, n: int) -> Any:
        (nu,) = self.of
        if n % 2:
            return sp.Integer(0)
        if (nu - n).is_nonpositive:
            return sp.oo
        return sp.Mul(*(nu * (2 * k - 1) / (nu - 2 * k) for k in range(1, n // 2 + 1)))

    def _moment_of_bernoulli(self, n: int) -> Any:
        return self.of[0]

    def _moment_of_signs(self, n: int) -> Any:
        return sp.Integer(1 - n % 2)


def nodes(law: NoiseLaw, cells: int = 108) -> tuple[Any, Any]:
    """Numbers and their shares for means of functions that need not be smooth, of a law in numbers.

    They are Gauss's three in each of an even number of cells, so that no density has an edge in one.

    >>> z, share = nodes(NoiseLaw("exponential", (sp.Integer(1),)))
    >>> [round(float(share @ z**n), 6) for n in range(5)]
    [1.0, 1.0, 2.0, 6.0, 24.0]
    """
    numbers = [float(x) for x in law.of]
    if law.name in ("signs", "bernoulli"):
        ends = (-1.0, 1.0) if law.name == "signs" else (0.0, 1.0)
        chance = 0.5 if law.name == "signs" else numbers[0]
        return np.array(ends), np.array([1 - chance, chance])
    point, weight = np.polynomial.legendre.leggauss(3)
    part = ((np.arange(cells)[:, None] + (1 + point) / 2) / cells).ravel()
    weight = np.tile(weight, cells) / (2 * cells)
    if law.name == "uniform":
        return numbers[0] + (numbers[1] - numbers[0]) * part, weight
    densities: dict[str, Any] = {
        "normal": (-9.0, 9.0, lambda z: np.exp(-(z**2) / 2)),
        "laplace": (-36.0, 36.0, lambda z: np.exp(-abs(z))),
        "exponential": (0.0, 36.0, lambda z: np.exp(-z)),
    }
    if law.name not in densities:
        raise UnusableInput("a law with nodes", law.name, "take another")
    low, high, density = densities[law.name]
    z = low + (high - low) * part
    share = density(z) * weight
    return z * (numbers[0] if numbers else 1.0), share / share.sum()


def _common(of: str, n: int) -> Any:
    return sp.bernoulli(n) / n if of == "bernoulli" else sp.factorial(n - 1)


NORMAL = NoiseLaw()
