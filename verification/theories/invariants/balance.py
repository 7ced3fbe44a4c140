"""Moments that one linearised step leaves as they are, over all minibatches, in fractions.

Examples have gradients and Hessians at the mode, drawn at random; each kind occurs as often as any
other. Moments know nothing of K, M, G or H: minibatches are listed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import combinations, product
from typing import Any

import numpy as np

from sgtheory.independent.fields import inverse
from verification.terms.term import Term
from verification.terms.walking import Arithmetic, Unable, walk
from verification.theories.invariants.letters import form
from verification.theories.invariants.words import POSTERIOR

Array = Any

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

    def spread(self, N: int, batch: int, share: Fraction = Fraction(1)) -> tuple[Array, Array]:
        """K, whose entries K[i, j, k, l] take P_kl to K(P)_ij, and M: as printed, times a share."""
        each = Fraction(N, len(self.kinds)) * share
        K = Fraction(N, batch) * each * sum(np.einsum("ik,lj->ijkl", R, R) for R in self.away(2))
        return K, each * sum(np.multiply.outer(g, g) for g in self.away(1))

    @property
    def linear(self) -> Examples:
        """The same with linear gradients."""

        def straight(one: Any) -> Any:
            return one[0], one[1], one[2] * 0

        return Examples(straight(self.prior), tuple(map(straight, self.kinds)))


@dataclass(frozen=True, eq=False)
class Balance:
    """A problem in fractions: examples, how many, minibatches of which size, and the step."""

    data: Examples
    N: int
    batch: int
    gamma: Fraction
    replacement: bool = True
    share: Fraction = Fraction(1)  # of K and M in printed formulas

    def value(self, side: Term) -> Array:
        """A term, the moments of laws as they are balanced; for posteriors by Stein's equation."""
        values: dict[str, Any] = {
            "N": self.N,
            "p": self.batch,
            "gamma": self.gamma,
            "eta": self.gamma * self.N,
        }
        known = {n: Fraction(x) for n, x in values.items()}
        known["tau"] = 1 / (known["N"] * known["eta"])
        return walk(side, self.arithmetic, known)

    @cached_property
    def arithmetic(self) -> Arithmetic:
        """Matrices, vectors and numbers of fractions."""
        return Arithmetic(
            "fractions",
            Fraction,
            {
                "add": lambda a, b: _alike(a, b) + b,
                "subtract": lambda a, b: _alike(a, b) - b,
                "negative": lambda a: -a,
                "multiply": lambda a, b: a @ b if np.ndim(a) and np.ndim(b) else a * b,
                "over": lambda a, b: a * self._power(b, -1),
                "power": self._power,
                "moment": self._moment,
                "undone": self._undone,
                "third": lambda x: np.einsum("ijk,jk->i", self.data.total(3, self.N), x),
                "at_mode": lambda name: self._at_mode[name],
            },
            exact=True,
        )

    def _power(self, base: Array, power: Any) -> Array:
        if not np.ndim(base):
            return base ** int(power)
        one = _inverse(base) if power < 0 else base
        return reduce(lambda a, b: a @ b, [one] * abs(int(power)), self._at_mode["I"])

    @cached_property
    def _at_mode(self) -> dict[str, Array]:
        M = self.data.spread(self.N, self.batch, self.share)[1]
        return {"D2U": self.data.total(2, self.N), "M": M, "I": _identity(self.data.D)}

    def _undone(self, name: str, x: Array) -> Array:
        A, one, D = self._at_mode["D2U"], self._at_mode["I"], self.data.D
        found = np.einsum("ik,jl->ijkl", A, one) + np.einsum("ik,jl->ijkl", one, A)
        found = found - (0 if name == "L" else self.gamma) * np.einsum("ik,jl->ijkl", A, A)
        found = (
            found
            - (self.gamma if name == "G" else 0) * self.data.spread(self.N, self.batch, self.share)[0]
        )
        return (
            _inverse(found.reshape(D * D, D * D)) @ (x * one if not np.ndim(x) else x).reshape(-1)
        ).reshape(D, D)

    def _moment(self, law: str, what: str) -> Array:
        if what not in ("mean", "second"):
            raise Unable("fractions for first and second moments alone")
        return _moments(self, law)[what == "second"]


@cache
def _moments(at: Balance, law: str) -> tuple[Array, Array]:
    return balanced(law, at.data, at.N, at.batch, at.gamma, at.replacement)


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
    law: str, data: Examples, N: int, batch: int, gamma: Fraction, replacement: bool = True
) -> tuple[Array, Array]:
    """Mean and second moments about the mode that one step leaves alone.

    The gradient is linear but for its mean, in which the second derivative of the gradient counts.
    """
    D = data.D
    eye, size, whole = _identity(D), D * D, data.total(2, N)
    if law == POSTERIOR:  # E[grad U] = 0 and E[x grad U^T] = I
        P = _inverse(whole)
    else:
        of = form(law)
        kept, noise = _identity(size) * 0, eye * 0
        for weight, chosen in _batches(data, N, batch, replacement):
            A = data.prior[1] + Fraction(N, batch) * sum(data.kinds[k][1] for k in chosen)
            b = data.prior[0] + Fraction(N, batch) * sum(data.kinds[k][0] for k in chosen)
            step = eye - gamma * (A if of.multiplicative else whole)
            kept = kept + weight * np.einsum("ik,jl->ijkl", step, step).reshape(size, size)
            share = Fraction(str(of.additive))
            noise = noise + weight * (gamma * share) ** 2 * np.multiply.outer(b, b)
        noise = noise + 2 * gamma * int(of.temperature) * eye
        P = (_inverse(_identity(size) - kept) @ noise.reshape(-1)).reshape(D, D)
    return -_inverse(whole) @ np.einsum("ijk,jk->i", data.total(3, N), P) / 2, P


def _identity(size: int) -> Array:
    return np.array([[Fraction(int(i == j)) for j in range(size)] for i in range(size)], object)


def _inverse(m: Array) -> Array:
    return np.array([[1 / m[0, 0]]] if len(m) == 1 else inverse(m.tolist()), object)


def _alike(a: Array, b: Array) -> Array:
    if np.shape(a) != np.shape(b):
        raise Unable("a sum of two shapes")
    return a


def _batches(data: Examples, N: int, batch: int, replacement: bool) -> list[tuple[Fraction, Any]]:
    """All minibatches with their probabilities."""
    kinds = len(data.kinds)
    if replacement:
        every = list(product(range(kinds), repeat=batch))
        return [(Fraction(1, len(every)), b) for b in every]
    labels = [k for k in range(kinds) for _ in range(N // kinds)]
    drawn = list(combinations(labels, batch))
    return [(Fraction(1, len(drawn)), b) for b in drawn]
