"""The online estimate of C of Mandt et al. (2017), Eq. 21, and what it is on average, exactly.

With g1 the gradient of the first example of a minibatch and gS the minibatch's mean,

    C_t = (1 - kappa_t) C_{t-1} + kappa_t (g1 - gS)(g1 - gS)^T.

**What one term is on average.** g1 - gS = sum_i c_i g_i over the minibatch, c_1 = 1 - 1/S and the others
-1/S. These sum to 0, so the full gradient drops out: away from the mode, too, it is the covariance C
about the full gradient that is estimated. Their squares sum to 1 - 1/S. With replacement the g_i are
independent: (1 - 1/S) C. Without, two of them have covariance -C/(N - 1), and the products c_i c_j of
different i, j sum to -(1 - 1/S): (1 - 1/S) N/(N - 1) C, which is C itself for S = N.

The first example must be as likely to be any one of the minibatch: a minibatch that is sorted by index
has another first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.estimate.arrays import Array, alike, array
from sgtheory.reader import exact

Kappa = float | Fraction | Callable[[int], float | Fraction]


def online_bias(S: int, N: int | None = None, replacement: bool = True) -> Fraction:
    """The factor of C in the mean of (g1 - gS)(g1 - gS)^T. N is not needed with replacement.

    >>> online_bias(4), online_bias(4, 10, replacement=False)
    (Fraction(3, 4), Fraction(5, 6))
    """
    for name, size in (("S", S), ("N", N)):
        exactly = Fraction(1) if size is None else exact.number(size, name)
        if exactly.denominator != 1 or exactly < 1:
            raise UnusableInput(f"{name} as a whole number from 1", str(size), "count")
    within = 1 - Fraction(1, int(S))
    if replacement:
        return within
    if N is None or S > N:
        got = "no N" if N is None else f"S = {S} of N = {N}"
        raise UnusableInput("N from S without replacement", got, "give the number of examples")
    return within * Fraction(int(N), int(N) - 1) if N > 1 else within


@dataclass(frozen=True, eq=False)
class Online:
    """C_t of Eq. 21 after t minibatches. Feeding it another one gives the next record.

    ``kappa`` is a number or a function of t = 1, 2, ...; ``C`` is the start (zero where none is given).
    ``corrected`` divides each term by ``online_bias``: then the mean of C_t is C for kappa_1 = 1, as for
    kappa_t = 1/t, or for a start that is right on average. Exact for Fractions and whole numbers.

    >>> found = Online(lambda t: Fraction(1, t), corrected=True)
    >>> for minibatch in ([[1], [3]], [[5], [1]]):
    ...     found = found.after(minibatch)
    >>> found.C, found.t
    (array([[Fraction(5, 1)]], dtype=object), 2)
    """

    kappa: Kappa
    C: Array = None
    t: int = 0
    N: int | None = None
    replacement: bool = True
    corrected: bool = False

    def after(self, gradients: Any) -> Online:
        """The record after a minibatch (S x D), its first example's gradient first.

        >>> Online(0.5).after([[1.0, 0.0], [0.0, 1.0]]).C.tolist()
        [[0.125, -0.125], [-0.125, 0.125]]
        """
        rows = array(gradients, "gradients", "S x D")
        return self._next(rows[0] - rows.sum(axis=0) / len(rows), len(rows))

    def after_pair(self, first: Any, mean: Any, S: int | None = None) -> Online:
        """The same from the first example's gradient and the mean; S is needed only where corrected.

        >>> Online(1, corrected=True).after_pair([1], [2], S=2).C
        array([[Fraction(2, 1)]], dtype=object)
        """
        one, middle = alike(array(first, "the first gradient", "D"), array(mean, "their mean", "D"))
        if one.shape != middle.shape:
            raise UnusableInput(
                "two gradients of one dimension", f"{len(one)} and {len(middle)}", "match them"
            )
        return self._next(one - middle, S)

    def _next(self, difference: Array, S: int | None) -> Online:
        term = np.outer(difference, difference)
        if self.corrected:
            if S is None:
                raise UnusableInput(
                    "S for a corrected estimate", "none", "give S with the two gradients"
                )
            factor = _divisor(S, self.N, self.replacement)
            term = term / (factor if term.dtype == object else float(factor))
        start, term = alike(_start(self.C, term), term)
        share = _share(self.kappa, self.t + 1, term)
        return replace(self, C=(1 - share) * start + share * term, t=self.t + 1)


def online_expectation(
    C: Any,
    t: int,
    kappa: Kappa,
    S: int,
    N: int | None = None,
    replacement: bool = True,
    *,
    start: Any = None,
    corrected: bool = False,
) -> Array:
    """The exact mean of C_t at a point that stays where it is, C being the covariance there.

    It is k C_0 + (1 - k) f C with k the product of all 1 - kappa_i and f = ``online_bias``, or 1 where
    corrected: kappa says how soon the start is forgotten, and no kappa removes f.

    >>> online_expectation([[8]], 100, lambda t: Fraction(1, t), S=4)
    array([[Fraction(6, 1)]], dtype=object)
    >>> online_expectation([[8]], 2, Fraction(1, 2), S=4, start=[[4]])
    array([[Fraction(11, 2)]], dtype=object)
    """
    covariance = array(C, "C", "D x D")
    factor = Fraction(1) if corrected else online_bias(S, N, replacement)
    if corrected:
        _divisor(S, N, replacement)
    first, covariance = alike(_start(start, covariance), covariance)
    kept: Any = Fraction(1) if covariance.dtype == object else 1.0
    for i in range(1, t + 1):
        kept *= 1 - _share(kappa, i, covariance)
    share = (1 - kept) * (factor if covariance.dtype == object else float(factor))
    return kept * first + share * covariance


def _divisor(S: int, N: int | None, replacement: bool) -> Fraction:
    factor = online_bias(S, N, replacement)
    if not factor:
        raise UnusableInput(
            "minibatches of two examples or more",
            f"S = {S}, where the first example is the minibatch and Eq. 21 sees no noise",
            "raise S, or keep examples of one step for the next",
        )
    return factor


def _start(start: Any, other: Array) -> Array:
    if start is None:
        return other - other
    found = array(start, "the start of C", "D x D")
    if found.shape != other.shape:
        raise UnusableInput(
            f"a start of C that is {' x '.join(map(str, other.shape))}",
            " x ".join(map(str, found.shape)),
            "match the dimension of the gradients",
        )
    return found


def _share(kappa: Kappa, t: int, other: Array) -> Any:
    """kappa_t, in the numbers of the array that it will meet."""
    value = exact.number(kappa(t) if callable(kappa) else kappa, f"kappa at t = {t}")
    if not 0 <= value <= 1:
        raise UnusableInput(f"kappa from 0 to 1 at t = {t}", str(value), "change kappa")
    return value if other.dtype == object else float(value)
