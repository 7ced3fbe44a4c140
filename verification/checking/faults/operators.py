"""Matrices that stand where another should: what errors make of a gain, or of the noise of a vector.

They are letters like any other, with names such as ``cholesky_turned(H)``; here are their values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sgtheory.onestep.full import symmetric_root

Array = Any


def operator(name: str, matrices: Mapping[str, Array], D: int) -> Array:
    """The matrix of a name.

    >>> operator("diagonal(H)", {"H": np.array([[2.0, 1.0], [1.0, 3.0]])}, 2)
    array([[2., 0.],
           [0., 3.]])
    """
    kind, _, rest = name.partition("(")
    if kind in _OF_A_GAIN:
        return _OF_A_GAIN[kind](matrices[rest[:-1]])
    return _OF_A_VECTOR[kind](D)


_OF_A_GAIN: Mapping[str, Callable[[Array], Array]] = {
    "cholesky": np.linalg.cholesky,
    "cholesky_turned": lambda m: np.linalg.cholesky(m).T,
    "inverse": np.linalg.inv,
    "inverse_root": lambda m: np.linalg.inv(symmetric_root(m)),
    "diagonal": lambda m: np.diag(np.diag(m)),
    "diagonal_root": lambda m: np.diag(np.sqrt(np.diag(m))),
    "square": lambda m: m @ m,
    "lower": np.tril,
    "upper": np.triu,
}

# what is said of each
OF_A_GAIN: Mapping[str, str] = {
    "cholesky": "its Cholesky factor",
    "cholesky_turned": "its Cholesky factor transposed",
    "inverse": "its inverse",
    "inverse_root": "the root of its inverse",
    "diagonal": "its diagonal alone",
    "diagonal_root": "the root of its diagonal alone",
    "square": "its square",
    "lower": "its lower triangle alone",
    "upper": "its upper triangle alone",
}


def _only(k: int) -> Callable[[int], Array]:
    def made(D: int) -> Array:
        found = np.zeros((D, D))
        found[k, k] = 1
        return found

    return made


def _part(first: bool) -> Callable[[int], Array]:
    """Half of the coordinates: of an odd number the second half has one more."""
    return lambda D: np.diag([float((k < D // 2) == first) for k in range(D)])


def _like_the_first_half(D: int) -> Array:
    """The numbers of the first half again in the second, which may have one more of its own."""
    found, half = np.eye(D), D // 2
    found[half : 2 * half] = np.eye(D)[:half]
    return found


def _twice(away: int) -> Callable[[int], Array]:
    """The identity, with 2 where the halves meet."""

    def made(D: int) -> Array:
        found = np.eye(D)
        if D > 1:
            found[D // 2 + away, D // 2 + away] = 2
        return found

    return made


_OF_A_VECTOR: Mapping[str, Callable[[int], Array]] = {
    "same": lambda D: np.eye(D)[[0] * D],
    "first": _only(0),
    "last": _only(-1),
    "all_but_the_first": lambda D: np.eye(D) - _only(0)(D),
    "all_but_the_last": lambda D: np.eye(D) - _only(-1)(D),
    "all_but_the_first_of_several": lambda D: np.eye(D) - (D > 1) * _only(0)(D),
    "all_but_the_last_of_several": lambda D: np.eye(D) - (D > 1) * _only(-1)(D),
    "reversed": lambda D: np.eye(D)[::-1],
    "halves_alike": _like_the_first_half,
    "first_half": _part(True),
    "second_half": _part(False),
    "last_of_half_twice": _twice(-1),
    "first_of_half_twice": _twice(0),
}
OF_A_VECTOR: Mapping[str, str] = {
    "same": "is one number, the same for all coordinates",
    "first": "reaches the first coordinate only",
    "last": "reaches the last coordinate only",
    "all_but_the_first": "does not reach the first coordinate",
    "all_but_the_last": "does not reach the last coordinate",
    "first_half": "reaches the first half of the coordinates only, as the first of two tensors",
    "second_half": "reaches the second half of the coordinates only, as the second of two tensors",
    "halves_alike": "is the same in both halves of the coordinates, as in two tensors that share a seed",
}
