"""Matrices of fractions: the step of a sampler at a place, its law, and rational eigenvectors."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

from sgtheory.independent.roots import characteristic, hurwitz_stable, schur_stable
from sgtheory.independent.running import linear_map
from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.laws.elimination import solve_stationary
from verification.laws.rational import point_of
from verification.refuter.places import Place

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
    blocks = [place.C] * len(setting.gradient_noises) + [one] * len(setting.injected_noises)
    noise = product(product(factor, _beside_one_another(blocks)), flipped(factor))
    polynomial = characteristic(step)
    stable = schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)
    return Linear(step, noise, solve_stationary(step, noise, time)) if stable else None


def position(setting: Setting, size: int) -> Plain:
    """What all states are multiplied by for the position: columns of the identity."""
    first = [s.name for s in setting.state].index("theta") * size
    return [row[first : first + size] for row in identity(len(setting.state) * size)]


@lru_cache(maxsize=20_000)
def without_gain(place: Place) -> Place:
    """The place without its gain."""
    return Place({n: m for n, m in place.matrices.items() if n != "H"}, place.scalars)


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


def product(a: Any, b: Any) -> Plain:
    """A product."""
    return [
        [sum((x * y for x, y in zip(r, c, strict=True)), Fraction(0)) for c in zip(*b, strict=True)]
        for r in a
    ]


def identity(n: int) -> Plain:
    """The identity."""
    return [list(r) for r in exact.identity(n)]


def _beside_one_another(blocks: Any) -> Plain:
    """Square matrices of one size along the diagonal."""
    size = len(blocks[0])
    found = [[Fraction(0)] * (size * len(blocks)) for _ in range(size * len(blocks))]
    for k, block in enumerate(blocks):
        for i, row in enumerate(block):
            found[k * size + i][k * size : (k + 1) * size] = row
    return found


def flipped(m: Any) -> Plain:
    """The transpose."""
    return [list(c) for c in zip(*m, strict=True)]


def eigenvectors(A: Any) -> dict[str, Plain]:
    """U and Lambda with A = U Lambda U^T, where both are rational; TypeError where they are not."""
    values, vectors = spectrum([list(r) for r in A])
    size = range(len(values))
    lengths = [exact_root(sum((r[k] ** 2 for r in vectors), Fraction(0))) for k in size]
    U = [[x / n for x, n in zip(row, lengths, strict=True)] for row in vectors]
    if len(U) == 2 and U[0][0] * U[1][1] < U[0][1] * U[1][0]:
        U = [[row[0], -row[1]] for row in U]  # a rotation: no symmetric matrix
    return {"U": U, "Lambda": [list(r) for r in exact.diagonal(tuple(values))]}


def rotated(size: int, source: random.Random) -> Any:
    """A positive-definite matrix whose eigenvalues and eigenvectors are rational."""
    values = [Fraction(x, 4) for x in source.sample(range(1, 9), size)]
    if size == 1:
        return ((values[0],),)
    c, s = source.choice([(Fraction(3, 5), Fraction(4, 5)), (Fraction(5, 13), Fraction(12, 13))])
    a, b = values[:2]
    return ((c * c * a + s * s * b, c * s * (a - b)), (c * s * (a - b), s * s * a + c * c * b))
