"""Second moments that one linearised step leaves as they are, over all minibatches, in fractions.

Examples have gradients and Hessians at the mode, drawn at random; each kind occurs as often as any
other. Nothing here knows of K, M, G or H: minibatches are listed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from sgtheory.fields import inverse
from verification.invariants.words import Reading

Array = Any

SAMPLERS = ("lmc", "sgldfp", "sgld", "sgd")
_KINDS = 3


@dataclass(frozen=True, eq=False)
class Examples:
    """Derivatives at the mode of U_0 (the prior) and of one example of each kind, in fractions."""

    prior: tuple[Array, Array, Array]  # first, second and third
    kinds: tuple[tuple[Array, Array, Array], ...]

    @property
    def D(self) -> int:
        """The dimension."""
        return len(self.prior[0])

    def total(self, order: int, N: int) -> Array:
        """A derivative of U."""
        each = Fraction(N, len(self.kinds))
        return self.prior[order - 1] + each * sum(k[order - 1] for k in self.kinds)

    def away(self, order: int) -> list[Array]:
        """Derivatives of the examples, less their mean."""
        found = [k[order - 1] for k in self.kinds]
        middle = sum(found) / Fraction(len(found))
        return [x - middle for x in found]

    def reading(self, N: int, batch: int, gamma: Fraction) -> Reading:
        """The letters of printed formulas, K and M as printed."""
        each = Fraction(N, len(self.kinds))
        K = Fraction(N, batch) * each * sum(np.einsum("ik,lj->ijkl", R, R) for R in self.away(2))
        M = each * sum(np.multiply.outer(g, g) for g in self.away(1))
        scalars = {"N": Fraction(N), "p": Fraction(batch), "gamma": gamma, "eta": gamma * N}
        return Reading(self.total(2, N), self.total(3, N), K, M, scalars, Fraction(1))


@cache
def examples(D: int, seed: int) -> Examples:
    """Random ones: small fractions, convex, gradients that add up to nothing with the prior's.

    >>> found = examples(2, 1)
    >>> found.total(1, 3).tolist() == [0, 0]
    True
    """
    source = random.Random(seed)

    def drawn(*shape: int) -> Array:
        flat = [Fraction(source.randrange(-4, 5), 2) for _ in range(int(np.prod(shape)))]
        return np.array(flat, object).reshape(shape)

    def convex() -> Array:
        root = drawn(D, D) + 2 * np.array([[Fraction(int(i == j)) for j in range(D)] for i in range(D)])
        return root @ root.T / 4

    def cubic() -> Array:
        x = drawn(D, D, D)
        axes = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
        return sum(x.transpose(a) for a in axes) / Fraction(6)

    kinds = [(drawn(D), convex(), cubic() + 1) for _ in range(_KINDS)]
    total = sum(k[0] for k in kinds)
    kinds[0] = (kinds[0][0] - total, *kinds[0][1:])  # the mode is the same for every N
    return Examples((drawn(D) * 0, convex(), cubic()), tuple(kinds))


def balanced(
    sampler: str, data: Examples, N: int, batch: int, gamma: Fraction, replacement: bool = True
) -> tuple[Array, Array]:
    """Mean and second moments about the mode that one step leaves alone.

    The gradient is linear but for its mean, in which the second derivative of the gradient counts.
    """
    D = data.D
    eye = np.array([[Fraction(int(i == j)) for j in range(D)] for i in range(D)], object)
    size, kept, noise = D * D, np.zeros((D**4,), object).reshape(D * D, D * D), np.zeros((D, D), object)
    for weight, chosen in _batches(data, N, batch, replacement):
        A, b = data.total(2, N), np.zeros(D, object)
        if sampler != "lmc":
            A = data.prior[1] + Fraction(N, batch) * sum(data.kinds[k][1] for k in chosen)
        if sampler in ("sgld", "sgd"):
            b = data.prior[0] + Fraction(N, batch) * sum(data.kinds[k][0] for k in chosen)
        step = eye - gamma * A
        kept = kept + weight * np.einsum("ik,jl->ijkl", step, step).reshape(size, size)
        noise = noise + weight * gamma**2 * np.multiply.outer(b, b)
    noise = noise + (0 if sampler == "sgd" else 2 * gamma) * eye
    one = np.array([[Fraction(int(i == j)) for j in range(size)] for i in range(size)], object)
    flat = np.array(inverse((one - kept).tolist()), object) @ noise.reshape(-1)
    P = flat.reshape(D, D)
    whole = np.array(inverse(data.total(2, N).tolist()), object)
    return -whole @ np.einsum("ijk,jk->i", data.total(3, N), P) / 2, P


def _batches(data: Examples, N: int, batch: int, replacement: bool) -> list[tuple[Fraction, Any]]:
    """All minibatches with their probabilities."""
    kinds = len(data.kinds)
    if replacement:
        every = list(product(range(kinds), repeat=batch))
        return [(Fraction(1, len(every)), b) for b in every]
    labels = [k for k in range(kinds) for _ in range(N // kinds)]
    drawn = list(combinations(labels, batch))
    return [(Fraction(1, len(drawn)), b) for b in drawn]
