"""Matrices of fractions: the step of a sampler at a place, its law, and sums of its states."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

from sgtheory import exact
from sgtheory.roots import characteristic, hurwitz_stable, schur_stable
from sgtheory.running import linear_map
from sgtheory.setting import Setting
from verification.elimination import solve_stationary
from verification.rational import point_of
from verification.refuter.places import Place

STEPPED, _BITS = 200, 500  # longer sums are made by doubling, and rounded to so many bits
Plain = list[list[Fraction]]


@dataclass(frozen=True)
class Linear:
    """One step of a sampler whose state is the position, at a place: its matrix and its noise."""

    step: Plain
    noise: Plain
    law: Plain


@lru_cache(maxsize=20_000)  # a claim and all its twins are looked at in the same small places
def linear_at(setting: Setting, place: Place, time: str) -> Linear | None:
    """At a place with letters A and C; None where the process is not stable."""
    one = exact.identity(place.D)
    step, factor = linear_map(setting, time, point_of(setting, place.but(B=one)))
    noise = product(product(factor, [list(r) for r in place.C]), flipped(factor))
    polynomial = characteristic(step)
    stable = schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)
    return Linear(step, noise, solve_stationary(step, noise, time)) if stable else None


@lru_cache(maxsize=20_000)
def with_noise(place: Place) -> Place:
    """The place with C where C is given as A."""
    return place if "C" in place.matrices else place.but(C=place.A)


@lru_cache(maxsize=20_000)
def without_gain(place: Place) -> Place:
    """The place without its gain."""
    return Place({n: m for n, m in place.matrices.items() if n != "H"}, place.scalars)


def stepped(law: Linear, steps: int) -> Plain:
    """The covariance of the sum of so many successive states, step by step."""
    mixed = total = [[Fraction(0)] * len(law.law) for _ in law.law]  # E[theta sum^T], E[sum sum^T]
    for _ in range(steps):
        mixed = plus(product(law.step, mixed), law.law)
        total = plus(plus(total, mixed), flipped(mixed), minus=law.law)
    return total


def summed(law: Linear, steps: int) -> Plain:
    """The same by doubling, from P, the sum G of the powers below, and the sum H of all such sums.

    >>> one, half = [[Fraction(1)]], [[Fraction(1, 2)]]
    >>> law = Linear(half, [[Fraction(3, 4)]], one)
    >>> summed(law, 11) == stepped(law, 11)
    True
    """
    one = identity(len(law.law))
    power, n = one, 0
    G = H = [[x - x for x in row] for row in one]
    for bit in bin(steps)[2:]:
        times = [[n * x for x in row] for row in G]
        H = plus(plus(H, times), product(power, H))
        G, power, n = plus(G, product(power, G)), product(power, power), 2 * n
        G, H, power = (rounded(m, steps) for m in (G, H, power))
        if bit == "1":
            H, G, power, n = (
                plus(H, G),
                plus(G, power),
                product(law.step, power),
                n + 1,
            )
    half = product(product(law.step, H), law.law)
    once = [[steps * x for x in row] for row in law.law]
    return plus(plus(once, half), flipped(half))


def spectrum(m: Plain) -> tuple[list[Fraction], Plain]:
    """Rational eigenvalues and eigenvectors (columns); TypeError where there are none."""
    size = range(len(m))
    if all(m[i][j] == 0 for i in size for j in size if i != j):
        return [m[i][i] for i in size], identity(len(m))
    if len(m) != 2:
        raise TypeError("the eigenvalues are not known to be rational")
    (a, b), (c, d) = m
    spread = exact_root((a - d) ** 2 / 4 + b * c)
    if spread == 0:
        raise TypeError("no basis of eigenvectors")
    values = [(a + d) / 2 - spread, (a + d) / 2 + spread]
    vectors = [(b, v - a) if b else (v - d, c) for v in values]
    return values, [list(r) for r in zip(*vectors, strict=True)]


def exact_root(x: Fraction) -> Fraction:
    """The square root of the square of a rational number; TypeError where it is none."""
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator)) if x >= 0 else Fraction(0)
    if root * root != x:
        raise TypeError(f"{x} has no rational square root")
    return root


def whole(x: Fraction) -> int:
    """A number of steps; TypeError where it is none."""
    if x.denominator != 1 or x < 0:
        raise TypeError(f"{x} is no number of steps")
    return int(x)


def product(a: Any, b: Any) -> Plain:
    """A product."""
    return [
        [sum((x * y for x, y in zip(r, c, strict=True)), Fraction(0)) for c in zip(*b, strict=True)]
        for r in a
    ]


def plus(a: Any, b: Any, minus: Any = None) -> Plain:
    """A sum, less something."""
    found = [[x + y for x, y in zip(r, q, strict=True)] for r, q in zip(a, b, strict=True)]
    if minus is None:
        return found
    return [[x - y for x, y in zip(r, q, strict=True)] for r, q in zip(found, minus, strict=True)]


def power(m: Any, n: int) -> Plain:
    """A whole power, by squaring."""
    total = identity(len(m))
    for bit in bin(n)[2:]:
        total = product(total, total)
        total = product(m, total) if bit == "1" else total
    return total


def rounded(m: Any, steps: int) -> Plain:
    """Rounded, where a sum is long."""
    if steps <= STEPPED:
        return [list(row) for row in m]
    return [[Fraction(round(x * 2**_BITS), 2**_BITS) for x in row] for row in m]


def identity(n: int) -> Plain:
    """The identity."""
    return [list(r) for r in exact.identity(n)]


def flipped(m: Any) -> Plain:
    """The transpose."""
    return [list(c) for c in zip(*m, strict=True)]


def rotated(size: int, source: random.Random) -> Any:
    """A positive-definite matrix whose eigenvalues and eigenvectors are rational."""
    values = [Fraction(x, 4) for x in source.sample(range(1, 9), size)]
    if size == 1:
        return ((values[0],),)
    c, s = source.choice([(Fraction(3, 5), Fraction(4, 5)), (Fraction(5, 13), Fraction(12, 13))])
    a, b = values[:2]
    return ((c * c * a + s * s * b, c * s * (a - b)), (c * s * (a - b), s * s * a + c * c * b))
