"""Random matrices of the problems: definite ones, far from the identity, that share no axis."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sgtheory.declare import DiagonalName, MatrixName

_SMALLEST = 12  # of a gain without a step: 2 to the power of minus this


def gain(parameter: Any, D: int, source: random.Random) -> list[Any]:
    """A definite matrix, or its diagonal; where a matrix need not be symmetric, one that is not."""
    found = definite(D, source)
    if isinstance(parameter, DiagonalName):
        return [row[i] for i, row in enumerate(found)]
    if parameter.is_positive:
        return found
    return [
        [str(Fraction(x) + Fraction(source.randrange(-3, 4), 4 * D) * (i < j)) for j, x in enumerate(r)]
        for i, r in enumerate(found)
    ]


def definite(D: int, source: random.Random) -> list[list[str]]:
    """1/2 + L L^T / D, with small entries in L."""
    L = [[source.randrange(-3, 4) for _ in range(D)] for _ in range(D)]
    squared = [[sum(a * b for a, b in zip(r, s, strict=True)) for s in L] for r in L]
    return [
        [str(Fraction(x, 2 * D) + Fraction(i == j, 2)) for j, x in enumerate(r)]
        for i, r in enumerate(squared)
    ]


def is_matrix(parameter: Any) -> bool:
    """Whether a parameter is one."""
    return isinstance(parameter, MatrixName)


def sized(
    sampler: Any, problem: Any, numerators: Sequence[int], source: random.Random
) -> dict[str, Any]:
    """Gains of some size, where no step is there to make them small."""
    if not all(is_matrix(p) or p.is_integer for p in sampler.parameters):
        return {}
    size = Fraction(source.choice(numerators), 48 * 2 ** source.randrange(_SMALLEST))

    def scaled(value: Any) -> Any:
        return tuple(map(scaled, value)) if isinstance(value, tuple) else size * value

    names = [p.name for p in sampler.parameters if is_matrix(p)]
    return {n: scaled(problem.params[n]) for n in names}
