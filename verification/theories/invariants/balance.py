"""Moments that one linearised step leaves as they are, over all minibatches, in fractions.

Examples have gradients and Hessians at the mode, drawn at random; each kind occurs as often as any
other. Moments know nothing of K, M, G or H: minibatches are listed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, permutations, product
from typing import Any

from flint import fmpq, fmpq_mat

from sgtheory.independent.fields import kronecker
from verification.terms.arithmetics import RATIONAL
from verification.terms.term import Term
from verification.terms.walking import Arithmetic, Unable, walk
from verification.theories.invariants.letters import form
from verification.theories.invariants.words import POSTERIOR

_KINDS = 3
Matrix = Any  # of fractions: what is D x D x D has D rows
Derivatives = tuple[Matrix, Matrix, Matrix]


@dataclass(frozen=True, eq=False)
class Examples:
    """Derivatives at the mode of U_0 (the prior) and of one example of each kind."""

    prior: Derivatives
    kinds: tuple[Derivatives, ...]

    @property
    def D(self) -> int:
        """The dimension."""
        return int(self.prior[1].nrows())

    def total(self, order: int, N: int) -> Matrix:
        """A derivative of U."""
        return sum((k[order - 1] * fmpq(N, _KINDS) for k in self.kinds), self.prior[order - 1])

    def away(self, order: int) -> list[Matrix]:
        """Derivatives of the examples, less their mean."""
        found = [k[order - 1] for k in self.kinds]
        return [x - sum(found[1:], found[0]) / fmpq(_KINDS) for x in found]

    @property
    def linear(self) -> Examples:
        """The same with linear gradients."""
        prior, *kinds = ((g, h, third * 0) for g, h, third in (self.prior, *self.kinds))
        return Examples(prior, tuple(kinds))


@dataclass(frozen=True, eq=False)
class Balance:
    """A problem in fractions: examples, how many, minibatches of which size, and the step."""

    data: Examples
    N: int
    batch: int
    gamma: Fraction
    replacement: bool = True
    share: Fraction = Fraction(1)  # of K and M in printed formulas

    def value(self, side: Term) -> list[Any]:
        """The entries of a term: moments of laws as balanced, of posteriors by Stein's equation."""
        values = {"N": self.N, "p": self.batch, "gamma": self.gamma, "eta": self.gamma * self.N}
        known = {n: Fraction(str(x)) for n, x in values.items()}
        known["tau"] = 1 / (known["N"] * known["eta"])
        try:
            found = walk(side, self.arithmetic, {n: RATIONAL.number(x) for n, x in known.items()})
        except ValueError as error:  # shapes that do not fit
            raise Unable(str(error)) from error
        return list(found.entries()) if isinstance(found, fmpq_mat) else [found]

    @cached_property
    def arithmetic(self) -> Arithmetic:
        """Matrices, columns and numbers of fractions."""
        own: dict[str, Any] = {
            "moment": self._moment,
            "undone": self._undone,
            "third": lambda x: self.data.total(3, self.N) * _flat(x),
            "at_mode": self._at_mode.__getitem__,
        }
        return replace(RATIONAL, operations={**RATIONAL.operations, **own})

    @cached_property
    def _each(self) -> Any:
        return fmpq(self.N, _KINDS) * RATIONAL.number(self.share)

    @cached_property
    def _at_mode(self) -> dict[str, Matrix]:
        M = sum((g * g.transpose() * self._each for g in self.data.away(1)), _unit(self.data.D) * 0)
        return {"D2U": self.data.total(2, self.N), "M": M, "I": _unit(self.data.D)}

    def _undone(self, name: str, x: Matrix) -> Matrix:
        A, one, D = self._at_mode["D2U"], self._at_mode["I"], self.data.D
        gamma = RATIONAL.number(self.gamma)
        found = kronecker(A, one) + kronecker(one, A)
        if name != "L":
            found -= gamma * kronecker(A, A)
        for R in self.data.away(2) if name == "G" else ():
            found -= gamma * fmpq(self.N, self.batch) * self._each * kronecker(R, R)
        return fmpq_mat(D, D, found.solve(_flat(x if isinstance(x, fmpq_mat) else x * one)).entries())

    def _moment(self, law: str, what: str) -> Matrix:
        if what not in ("mean", "second"):
            raise Unable("fractions for first and second moments alone")
        return _moments(self, law)[what == "second"]


@cache
def _moments(at: Balance, law: str) -> tuple[Matrix, Matrix]:
    return balanced(law, at.data, at.N, at.batch, at.gamma, at.replacement)


@cache
def examples(D: int, seed: int) -> Examples:
    """Random ones: small fractions, convex, gradients that add up to nothing with the prior's.

    >>> found = examples(2, 1)
    >>> found.total(1, 3) == found.prior[0] * 0
    True
    """
    source = random.Random(seed)

    def drawn(rows: int, columns: int) -> Matrix:
        return fmpq_mat(rows, columns, [fmpq(source.randrange(-4, 5), 2) for _ in range(rows * columns)])

    def convex() -> Matrix:
        root = drawn(D, D) + 2 * _unit(D)
        return root * root.transpose() / 4

    def cubic() -> Matrix:
        """A symmetric tensor."""
        x, every = drawn(D, D * D), list(product(range(D), repeat=3))
        sums = (sum(x[i, j * D + k] for i, j, k in permutations(at)) for at in every)
        return fmpq_mat(D, D * D, [s / fmpq(6) for s in sums])

    def raised(x: Matrix) -> Matrix:
        return fmpq_mat(D, D * D, [y + 1 for y in x.entries()])

    kinds = [(drawn(D, 1), convex(), raised(cubic())) for _ in range(_KINDS)]
    total = kinds[0][0] + kinds[1][0] + kinds[2][0]
    kinds[0] = (kinds[0][0] - total, *kinds[0][1:])  # the mode is the same for every N
    return Examples((drawn(D, 1) * 0, convex(), cubic()), tuple(kinds))


def balanced(
    law: str, data: Examples, N: int, batch: int, gamma: Fraction, replacement: bool = True
) -> tuple[Matrix, Matrix]:
    """Mean and second moments about the mode that one step leaves alone.

    The gradient is linear but for its mean, in which the second derivative of the gradient counts.
    """
    D, whole, step = data.D, data.total(2, N), RATIONAL.number(gamma)
    if law == POSTERIOR:  # E[grad U] = 0 and E[x grad U^T] = I
        P = whole.inv()
    else:
        chain = form(law)
        kept, noise = _unit(D * D) * 0, 2 * step * int(chain.temperature) * _unit(D)
        batches = _batches(N, batch, replacement)
        for chosen in batches:
            each = zip(*(data.kinds[k][:2] for k in chosen), strict=True)
            pairs = zip(data.prior[:2], each, strict=True)
            b, A = (sum((x * fmpq(N, batch) for x in of), prior) for prior, of in pairs)
            moved = _unit(D) - step * (A if chain.multiplicative else whole)
            kept += kronecker(moved, moved) / len(batches)
            pushed = b * step * RATIONAL.number(Fraction(str(chain.additive)))
            noise += pushed * pushed.transpose() / len(batches)
        P = fmpq_mat(D, D, (_unit(D * D) - kept).solve(_flat(noise)).entries())
    return whole.inv() * data.total(3, N) * _flat(P) / -2, P


def _unit(size: int) -> Matrix:
    return fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])


def _flat(x: Matrix) -> Matrix:
    return fmpq_mat(x.nrows() * x.ncols(), 1, x.entries())


def _batches(N: int, batch: int, replacement: bool) -> list[tuple[int, ...]]:
    """All minibatches, each as likely as any other."""
    kinds = range(_KINDS)
    if replacement:
        return list(product(kinds, repeat=batch))
    return list(combinations([k for k in kinds for _ in range(N // _KINDS)], batch))
