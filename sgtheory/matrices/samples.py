"""Random exact matrices with given assumptions: the smallest numbers that tell things apart."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from sgtheory.independent.fields import Rows, add, multiply, transpose
from sgtheory.matrices.evaluation import identity, inverted
from sgtheory.matrices.letters import Letter
from sgtheory.matrices.words import Pairs


def _times(c: int, m: Rows) -> Rows:
    return [[c * v for v in row] for row in m]


def _any(rng: random.Random, size: int) -> Rows:
    return [[Fraction(rng.randint(-2, 2)) for _ in range(size)] for _ in range(size)]


def _symmetric(rng: random.Random, size: int) -> Rows:
    m = _any(rng, size)
    return [[m[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)]


def _definite(rng: random.Random, size: int) -> Rows:
    m = _any(rng, size)
    return add(multiply(m, transpose(m)), identity(size, rng.randint(1, 3)))


def _diagonal(rng: random.Random, size: int, entries: tuple[int, ...]) -> Rows:
    return [[Fraction(rng.choice(entries) if i == j else 0) for j in range(size)] for i in range(size)]


def _orthogonal(rng: random.Random, size: int) -> Rows:
    """Cayley's (1 - K) (1 + K)^-1 for skew K, with signs."""
    m = _any(rng, size)
    skew = [[m[i][j] - m[j][i] for j in range(size)] for i in range(size)]
    cayley = multiply(add(identity(size), _times(-1, skew)), inverted(add(identity(size), skew)))
    return multiply(_diagonal(rng, size, (-1, 1)), cayley)


def _reflection(rng: random.Random, size: int) -> Rows:
    """1 - 2 v v^T / v^T v, symmetric and orthogonal."""
    v = [Fraction(rng.randint(-2, 2)) for _ in range(size - 1)] + [Fraction(rng.randint(1, 2))]
    scale = 2 / sum(x * x for x in v)
    return [[Fraction(int(i == j)) - scale * a * b for j, b in enumerate(v)] for i, a in enumerate(v)]


def alone(rng: random.Random, letter: Letter, size: int) -> Rows:
    """A value of one letter by itself; it may fail to be invertible, which ``evaluation.fits`` finds."""
    if letter.diagonal:
        if letter.orthogonal:
            return _diagonal(rng, size, (-1, 1))
        return _diagonal(rng, size, (1, 2, 3) if letter.positive_definite else (-2, -1, 1, 2, 3))
    if letter.orthogonal:
        return _reflection(rng, size) if letter.symmetric else _orthogonal(rng, size)
    if letter.positive_definite:
        return _definite(rng, size)
    return _symmetric(rng, size) if letter.symmetric else _any(rng, size)


def in_algebra(rng: random.Random, letter: Letter, seed: Rows) -> Rows:
    """A polynomial in one matrix, with the letter's assumptions where the seed's allow it."""
    size = len(seed)
    if letter.orthogonal:
        return identity(size, rng.choice((-1, 1)))
    square = multiply(seed, seed)
    if letter.positive_definite:
        return add(identity(size, rng.randint(1, 3)), _times(rng.randint(0, 2), square))
    linear = add(identity(size, rng.randint(-2, 2)), _times(rng.randint(-2, 2), seed))
    return add(linear, _times(rng.randint(-1, 1), square))


def together(
    rng: random.Random, letters: Iterable[Letter], pairs: Pairs, size: int, halved: frozenset[Letter]
) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """Values of all letters, commuting as asked, and the roots of those that need one.

    Two ways to make letters commute, by chance: as polynomials in one matrix, or as multiples of I
    beside one letter that is free.
    """
    ordered = sorted(letters, key=lambda x: x.name)
    rng.shuffle(ordered)
    free: set[Letter] = set()
    seeds: dict[Letter, Rows] = {}
    in_one_algebra = rng.random() < 0.5
    made: dict[str, Rows] = {}
    roots: dict[str, Rows] = {}
    for x in ordered:
        cluster = _cluster(x, pairs)
        if len(cluster) == 1:
            value = alone(rng, x, size)
        elif in_one_algebra:
            if x not in seeds:
                seeds |= dict.fromkeys(cluster, _seed(rng, cluster, size))
            value = in_algebra(rng, x, seeds[x])
        elif any(frozenset([x, y]) in pairs for y in free):
            choices = (1, 2, 3) if x.positive_definite else (-1, 1) if x.orthogonal else (-2, -1, 1, 2)
            value = identity(size, rng.choice(choices))
        else:
            free.add(x)
            value = alone(rng, x, size)
        if x in halved:
            roots[x.name] = value
            value = multiply(value, value)
        made[x.name] = value
    return made, roots


def _cluster(x: Letter, pairs: Pairs) -> frozenset[Letter]:
    """The letters that are linked to x by commuting pairs."""
    found = {x}
    while True:
        more = {y for p in pairs if p & found for y in p} - found
        if not more:
            return frozenset(found)
        found |= more


def _seed(rng: random.Random, cluster: frozenset[Letter], size: int) -> Rows:
    if any(x.diagonal for x in cluster):
        return _diagonal(rng, size, (-2, -1, 0, 1, 2))
    make: Callable[[random.Random, int], Rows] = _any
    if any(x.symmetric for x in cluster):
        make = _symmetric
    return make(rng, size)


def number(rng: random.Random, symbol: Any, square: bool) -> Fraction:
    """A value of a scalar symbol within its assumptions; a square where its root occurs."""
    n = Fraction(rng.randint(1, 4))
    if not symbol.is_integer:
        n /= rng.choice((1, 2, 3))
    if square:
        n *= n
    if symbol.is_positive is None and symbol.is_nonnegative is None and not square:
        n *= rng.choice((-1, 1))
    return -n if symbol.is_negative else n
