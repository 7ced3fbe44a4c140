"""The ring of weak expansions: states, noises, roots of parameters, and derivatives of functions.

At one point the derivatives of an unspecified function are independent, so each is a letter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import sympy as sp
from sympy.polys.rings import ring

from sgtheory.declare import Noise, Normal
from sgtheory.errors import UnusableInput

PRIMES = (2, 3, 5, 7)  # whose roots a step may hold


@dataclass(frozen=True)
class Letters:
    """The ring in which everything is computed."""

    states: tuple[Any, ...]
    noises: tuple[Any, ...]
    parameters: tuple[Any, ...]
    functions: Mapping[str, tuple[int, ...]]  # name -> the states on which it depends
    order: int  # in h

    @cached_property
    def jets(self) -> dict[tuple[str, tuple[int, ...]], int]:
        """Derivatives of the functions, and which generator each is."""
        first = len(self.states) + len(self.noises) + 2 * len(self.parameters) + len(PRIMES)
        keys = []
        for name, places in sorted(self.functions.items()):
            ranges = product(range(2 * self.order + 4), repeat=len(places))
            keys += [(name, orders) for orders in ranges if sum(orders) <= 2 * self.order + 3]
        return {key: first + k for k, key in enumerate(keys)}

    @cached_property
    def generators(self) -> tuple[Any, ...]:
        """States, noises, roots of parameters, their inverses, roots of primes, jets."""
        count = len(self.states) + len(self.noises) + 2 * len(self.parameters) + len(PRIMES)
        count += len(self.jets)
        made = ring([f"g{k}" for k in range(count)], sp.QQ)
        return tuple(made[1:])

    @cached_property
    def zero(self) -> Any:
        """0 of the ring."""
        return self.generators[0] - self.generators[0]

    def state(self, k: int) -> Any:
        """A state at the start."""
        return self.generators[k]

    def noise(self, k: int) -> Any:
        """A noise."""
        return self.generators[len(self.states) + k]

    def root(self, k: int) -> Any:
        """The root of a parameter."""
        return self.generators[len(self.states) + len(self.noises) + k]

    def inverse(self, k: int) -> Any:
        """The inverse of a parameter."""
        return self.generators[len(self.states) + len(self.noises) + len(self.parameters) + k]

    def root_of_prime(self, k: int) -> Any:
        """sqrt(2), sqrt(3), ..."""
        return self.generators[len(self.states) + len(self.noises) + 2 * len(self.parameters) + k]

    def root_of(self, n: int) -> Any:
        """The root of a whole number without other primes."""
        outside, found = 1, self.zero + 1
        for k, prime in enumerate(PRIMES):
            while n % prime**2 == 0:
                n, outside = n // prime**2, outside * prime
            if n % prime == 0:
                n, found = n // prime, found * self.root_of_prime(k)
        rest = math.isqrt(n)
        if rest * rest != n:
            raise UnusableInput(f"a root of {', '.join(map(str, PRIMES))}", str(n), "name the number")
        return found * outside * rest

    def jet(self, name: str, orders: tuple[int, ...]) -> Any:
        """A derivative of a function at the start."""
        return self.generators[self.jets[name, orders]]

    def derivative(self, p: Any, k: int) -> Any:
        """By the k-th state; jets go to the next jets."""
        found = p.diff(self.generators[k])
        for (name, orders), g in self.jets.items():
            places = self.functions[name]
            if k not in places:
                continue
            partial = p.diff(self.generators[g])
            if partial:
                j = places.index(k)
                raised = (*orders[:j], orders[j] + 1, *orders[j + 1 :])
                found += partial * self.jet(name, raised)
        return found

    def tidy(self, p: Any) -> Any:
        """Roots squared are what they are roots of."""
        n, m = len(self.states) + len(self.noises), len(self.parameters)
        found: dict[tuple[int, ...], Any] = {}
        for powers, c in p.terms():
            e = list(powers)
            for k, prime in enumerate(PRIMES, start=n + 2 * m):
                c *= sp.QQ(prime) ** (e[k] // 2)
                e[k] %= 2
            for k in range(m):
                shared = min(e[n + k] // 2, e[n + m + k])
                e[n + k], e[n + m + k] = e[n + k] - 2 * shared, e[n + m + k] - shared
            found[tuple(e)] = found.get(tuple(e), sp.QQ(0)) + c
        return p.ring.from_dict({k: c for k, c in found.items() if c})

    def expected(self, p: Any) -> Any:
        """The mean over the noises."""
        n = len(self.states)
        found: dict[tuple[int, ...], Any] = {}
        for powers, c in p.terms():
            drawn = powers[n : n + len(self.noises)]
            factor = math.prod(moment(w, k) for w, k in zip(self.noises, drawn, strict=True))
            if factor:
                rest = (*powers[:n], *(0 for _ in drawn), *powers[n + len(drawn) :])
                found[rest] = found.get(rest, sp.QQ(0)) + c * sp.QQ(factor.numerator, factor.denominator)
        return p.ring.from_dict({k: c for k, c in found.items() if c})

    def expression(self, p: Any, applied: Mapping[str, Any]) -> Any:
        """A polynomial of the ring as SymPy writes it."""
        names: list[Any] = [*self.states, *self.noises, *(sp.sqrt(s) for s in self.parameters)]
        names += [1 / s for s in self.parameters]
        names += [sp.sqrt(prime) for prime in PRIMES]
        for name, orders in self.jets:
            f = applied[name]
            names.append(
                sp.Derivative(f, *((a, k) for a, k in zip(f.args, orders, strict=True) if k))
                if any(orders)
                else f
            )
        terms = (
            sp.Rational(int(c.numerator), int(c.denominator))
            * sp.Mul(*(names[k] ** e for k, e in enumerate(powers) if e))
            for powers, c in self.tidy(p).terms()
        )
        return sp.Add(*terms)


def moment(noise: Any, k: int) -> Fraction:
    """E[z^k] of a noise; a bare symbol is standard normal."""
    law = type(noise) if isinstance(noise, Noise) else Normal
    value = law.moment(k)
    return Fraction(int(value.p), int(value.q))
