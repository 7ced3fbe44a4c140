"""Power series in the root of a step size, over the ring of weak expansions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.dynamics.letters import PRIMES, Letters
from sgtheory.errors import UnusableInput


class Inconsistent(ValueError):
    """A step that is not near the identity, or whose moments are not in whole powers of h."""


class AppliedFar(Inconsistent):
    """A function is applied to what is not near a state as the step vanishes."""

    def __init__(self, function: str) -> None:
        """By the name of the function."""
        super().__init__(f"{function} is applied far from the start of the step")
        self.function = function


class Series:
    """A power series in sqrt(h) over the ring, cut after h^order."""

    __slots__ = ("at", "c")

    def __init__(self, c: Sequence[Any], at: Formal) -> None:
        self.c, self.at = list(c), at

    def __add__(self, other: Series) -> Series:
        return Series([a + b for a, b in zip(self.c, other.c, strict=True)], self.at)

    def __mul__(self, other: Series) -> Series:
        size, zero = len(self.c), self.at.letters.zero
        found = [zero] * size
        for i, a in enumerate(self.c):
            if a:
                for j, b in enumerate(other.c[: size - i]):
                    if b:
                        found[i + j] = found[i + j] + a * b
        return Series(found, self.at)

    def __pow__(self, power: int) -> Series:
        base: Series = self if power >= 0 else self.at.inverse(self)
        found = self.at.number(Fraction(1))
        for _ in range(abs(power)):
            found = found * base
        return found

    def scaled(self, q: Any) -> Series:
        """Times a constant."""
        return Series([a * q for a in self.c], self.at)

    @property
    def away(self) -> Series:
        """Without its value at h = 0."""
        return Series([self.at.letters.zero, *self.c[1:]], self.at)


@dataclass(frozen=True)
class Formal:
    """The arithmetic of series, for ``walk``."""

    letters: Letters
    step: Any  # the symbol of h
    values: Mapping[Any, Series] = field(default_factory=dict)
    spare: int = 0  # highest orders that nobody reads: a root of what is small is not known there

    def series(self, p: Any, power: int = 0) -> Series:
        """p sqrt(h)^power."""
        c = [self.letters.zero] * (2 * self.letters.order + 1)
        if power < len(c):
            c[power] = p
        return Series(c, self)

    def number(self, q: Fraction) -> Series:
        """A rational number."""
        return self.series(self.letters.zero + sp.QQ(q.numerator, q.denominator))

    def symbol(self, s: Any) -> Series:
        """h is the square of the variable, a parameter that of its root."""
        if s in self.values:
            return self.values[s]
        if s == self.step:
            return self.series(self.letters.zero + 1, 2)
        for table, make in (
            (self.letters.states, self.letters.state),
            (self.letters.noises, self.letters.noise),
        ):
            if s in table:
                return self.series(make(table.index(s)))
        return self.series(self.letters.root(self.letters.parameters.index(s)) ** 2)

    def function(self, name: str, orders: tuple[int, ...], arguments: Sequence[Series]) -> Series:
        """A Taylor series about the states on which the function depends."""
        if name not in self.letters.functions:
            raise UnusableInput("functions of states", name, "write Subs(f(x), x, place) with a state x")
        places = self.letters.functions[name]
        away = []
        for x, k in zip(arguments, places, strict=True):
            if x.c[0] != self.letters.state(k):
                raise AppliedFar(name)
            away.append(x.away)
        powers = [self.powers(d) for d in away]
        total = self.number(Fraction(0))
        for more in product(range(len(powers[0])), repeat=len(places)):
            if sum(more) > 2 * self.letters.order:
                continue
            raised = tuple(map(int.__add__, orders, more))
            term = self.number(Fraction(1, math.prod(map(math.factorial, more))))
            for p, k in zip(powers, more, strict=True):
                term = term * p[k] if k else term
            if any(term.c) and (name, raised) in self.letters.jets:
                total = total + term.scaled(self.letters.jet(name, raised))
        return total

    def powers(self, away: Series) -> list[Series]:
        """1, away, away^2, ..., as far as anything is left."""
        found = [self.number(Fraction(1))]
        for _ in range(2 * self.letters.order):
            found.append(found[-1] * away)
        return found

    def _through(self, x: Series, series: Sequence[Fraction]) -> Series:
        total = self.number(Fraction(0))
        for power, q in zip(self.powers(x.away), series, strict=False):
            total = total + power.scaled(sp.QQ(q.numerator, q.denominator))
        return total

    def exp(self, x: Series) -> Series:
        """Of what vanishes with h."""
        if x.c[0]:
            raise UnusableInput(
                "an exponent that vanishes with the step", str(x.c[0]), "expand it first"
            )
        return self._through(x, [Fraction(1, math.factorial(k)) for k in range(len(x.c))])

    def log(self, x: Series) -> Series:
        """Of what is 1 at h = 0."""
        if x.c[0] != 1:
            raise UnusableInput("the logarithm of a number near 1", str(x.c[0]), "expand it first")
        signs = [Fraction(0)] + [Fraction((-1) ** (k + 1), k) for k in range(1, len(x.c))]
        return self._through(x, signs)

    def inverse(self, x: Series) -> Series:
        """Geometric series about a constant that has an inverse."""
        inverse = self._inverse_of(x.c[0])
        normal = Series([self.letters.tidy(a * inverse) for a in x.c], self)
        return self._through(normal, [Fraction((-1) ** k) for k in range(len(x.c))]).scaled(inverse)

    def root(self, x: Series) -> Series:
        """The root of the lowest term, then the binomial series."""
        lowest = next((k for k, a in enumerate(x.c) if a), None)
        if lowest is None:
            return x
        lead = self.letters.tidy(x.c[lowest])
        root, inverse = self._root_of(lead), self._inverse_of(lead)
        if lowest % 2 or lowest > 2 + 4 * self.spare:
            raise UnusableInput(
                "a root of what is of order 1 or h",
                f"h^({lowest}/2)",
                "write the power of h outside the root",
            )
        # coefficients beyond the order are not known: they would only reach beyond it
        shifted = [*x.c[lowest:], *[self.letters.zero] * lowest]
        normal = Series([self.letters.tidy(a * inverse) for a in shifted], self)
        binomial, signs = Fraction(1), []
        for k in range(len(x.c)):
            signs.append(binomial)
            binomial *= (Fraction(1, 2) - k) / (k + 1)
        found = self._through(normal, signs).scaled(root)
        half = lowest // 2
        return Series(([self.letters.zero] * half + found.c)[: len(x.c)], self)

    def _root_of(self, p: Any) -> Any:
        """Of a monomial in parameters."""
        terms = p.terms()
        if len(terms) != 1:
            raise UnusableInput("the root of one term at h = 0", str(p), "name it as a function")
        ((powers, c),) = terms
        n, m = len(self.letters.states) + len(self.letters.noises), len(self.letters.parameters)
        found = self.letters.zero + 1
        for k, e in enumerate(powers):
            if e == 0:
                continue
            if not n <= k < n + m or e % 2:
                raise UnusableInput("the root of a parameter", str(p), "use noises of simple variance")
            found *= self.letters.generators[k] ** (e // 2)
        if c < 0:
            raise Inconsistent(f"the root of {p}, which is negative")
        above, below = int(c.numerator), int(c.denominator)
        return found * self.letters.root_of(above * below) * sp.QQ(1, below)

    def _inverse_of(self, p: Any) -> Any:
        """Of a monomial in parameters."""
        terms = p.terms()
        n, m = len(self.letters.states) + len(self.letters.noises), len(self.letters.parameters)
        if len(terms) != 1:
            raise UnusableInput("a divisor that is one term at h = 0", str(p), "name the sum")
        ((powers, c),) = terms
        found = self.letters.zero + 1 / c
        for k, e in enumerate(powers):
            if e and n <= k < n + m:
                i = self.letters.inverse(k - n)
                found *= i ** (e // 2) if e % 2 == 0 else i ** (e // 2 + 1) * self.letters.generators[k]
            elif e and n + m <= k < n + 2 * m:
                found *= self.letters.root(k - n - m) ** (2 * e)
            elif e and n + 2 * m <= k < n + 2 * m + len(PRIMES):
                j = k - n - 2 * m
                found *= self.letters.root_of_prime(j) ** e / sp.QQ(PRIMES[j]) ** e
            elif e:
                raise UnusableInput("a divisor without states", str(p), "multiply it out")
        return found

    def but(self, values: Mapping[Any, Any]) -> Formal:
        """With more symbols."""
        return replace(self, values={**self.values, **values})
