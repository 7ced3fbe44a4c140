"""Matrices of fractions: what picks the position, a place without a gain, rational eigenvectors."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sgtheory.independent.fields import Rows, square_root
from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.refuter.places import Place


def position(setting: Setting, size: int) -> Rows:
    """What all states are multiplied by for the position: columns of the identity."""
    first = [s.name for s in setting.state].index("theta") * size
    return [list(row[first : first + size]) for row in exact.identity(len(setting.state) * size)]


@lru_cache(maxsize=20_000)
def without_gain(place: Place) -> Place:
    """The place without its gain."""
    return Place({n: m for n, m in place.matrices.items() if n != "H"}, place.scalars)


def eigenvectors(A: Any) -> dict[str, Rows]:
    """U and Lambda with A = U Lambda U^T, where both are rational; TypeError where they are not."""
    size = range(len(A))
    if all(A[i][j] == 0 for i in size for j in size if i != j):
        return {"U": [list(row) for row in exact.identity(len(A))], "Lambda": [list(row) for row in A]}
    if len(A) != 2:
        raise TypeError("the eigenvalues are not known to be rational")
    (a, b), (_, d) = A
    spread = square_root((a - d) ** 2 / 4 + b * b, Fraction)
    values = ((a + d) / 2 - spread, (a + d) / 2 + spread)
    (x, y), (z, w) = (
        (b / length, (v - a) / length)
        for v in values
        for length in [square_root(b * b + (v - a) ** 2, Fraction)]
    )
    sign = -1 if x * w < z * y else 1  # a rotation: no symmetric matrix
    return {"U": [[x, sign * z], [y, sign * w]], "Lambda": [list(r) for r in exact.diagonal(values)]}


def rotated(size: int, source: random.Random) -> Any:
    """A positive-definite matrix whose eigenvalues and eigenvectors are rational."""
    values = [Fraction(x, 4) for x in source.sample(range(1, 9), size)]
    if size == 1:
        return ((values[0],),)
    c, s = source.choice([(Fraction(3, 5), Fraction(4, 5)), (Fraction(5, 13), Fraction(12, 13))])
    a, b = values[:2]
    return ((c * c * a + s * s * b, c * s * (a - b)), (c * s * (a - b), s * s * a + c * c * b))
