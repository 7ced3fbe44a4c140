"""Equations: both sides multiplied, traces taken, a letter read off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product as combinations
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.matrices.coefficients import canonical, possibly_zero
from sgtheory.matrices.hypotheses import Equation, Given, pairs_of
from sgtheory.matrices.inverses import inverse
from sgtheory.matrices.letters import Factor, Letter, Word, letters_of, words_of_scalar
from sgtheory.matrices.scalars import tr
from sgtheory.matrices.substitution import Replacement
from sgtheory.matrices.sums import Matrix, as_matrix, letter_of, letter_power, product, scaled
from sgtheory.matrices.words import Pairs


@dataclass(frozen=True)
class Solution:
    """What a letter, or its inverse, is equal to.

    ``power`` is 1 or -1: the value is that of X or of X^-1. ``nonzero`` lists the scalars that the
    solution divides by and that might be 0.
    """

    letter: Letter
    power: int
    value: Matrix
    nonzero: tuple[Any, ...] = ()

    @property
    def equation(self) -> Equation:
        """X = value, or X^-1 = value."""
        return Equation(letter_power(self.letter, self.power), self.value)

    def of_letter(self, declared: bool = False) -> Matrix:
        """The value of X itself; ``declared`` as in ``inverse``."""
        return self.value if self.power == 1 else inverse(self.value, declared)


def both_sides(equation: Equation, left: Any = 1, right: Any = 1, given: Given = ()) -> Equation:
    """The equation multiplied from the left and from the right.

    >>> from sgtheory.matrices.hypotheses import equation
    >>> from sgtheory.matrices.sums import matrices
    >>> A, C, H = matrices("A C H", "positive_definite")
    >>> both_sides(equation(H * A * H, C * H), H**-1, H**-1)
    A = H^-1*C
    """
    pairs = pairs_of(given)
    sides = (
        product(as_matrix(left), s, as_matrix(right), pairs=pairs)
        for s in (equation.left, equation.right)
    )
    return Equation(*sides)


def trace_of(equation: Equation, times: Any = 1, given: Given = ()) -> Equation:
    """The traces of both sides, multiplied by a matrix before.

    >>> from sgtheory.matrices.hypotheses import equation
    >>> from sgtheory.matrices.sums import matrices
    >>> A, C, Sigma = matrices("A C Sigma", "positive_definite")
    >>> trace_of(equation(A * Sigma + Sigma * A, C))
    2*tr(A*Sigma) = tr(C)
    """
    multiplied = both_sides(equation, times, given=given)
    pairs = pairs_of(given)
    return Equation(tr(multiplied.left, pairs), tr(multiplied.right, pairs))


def solve_for(equation: Equation, unknown: Any, given: Given = (), declared: bool = False) -> Solution:
    """Read a letter off an equation, multiplying by inverses of invertible letters where needed.

    The unknown must be reached as ``L X R`` or ``L X^-1 R`` with the rest free of it; otherwise
    this refuses, as for A X + X A = C, which no word in A and C solves. ``declared`` says that sums
    in front of the unknown are invertible.

    >>> from sgtheory.matrices.hypotheses import equation
    >>> from sgtheory.matrices.sums import matrices
    >>> A, C, H = matrices("A C H", "positive_definite")
    >>> eps, N, S = sp.symbols("eps N S", positive=True)
    >>> solve_for(equation(2 * H / N - eps * H * A * H, H * C * H / S), H).equation
    H^-1 = N*eps*A/2 + N*C/(2*S)
    """
    x = letter_of(unknown)
    if not equation.is_matrix:
        raise UnusableInput("an equation between matrices", str(equation), "use sympy.solve for scalars")
    pairs = pairs_of(given)
    whole = Replacement(pairs=pairs).matrix(equation.difference)
    for left, right in _multipliers(x):
        moved = product(left, whole, right, pairs=pairs)
        found = _read(moved, x, pairs, declared)
        if found is not None:
            return found
    raise UnusableInput(
        f"an equation in which {x.name} or its inverse can be isolated",
        str(equation),
        "multiply it by hand, add commuting hypotheses, or verify a candidate with prove_equal",
    )


def _multipliers(x: Letter) -> Iterator[tuple[Matrix, Matrix]]:
    """I, then X^-1 on both sides, on one side, then higher powers."""
    powers = sorted(combinations(range(3), repeat=2), key=lambda p: (max(p), -sum(p)))
    for a, b in powers if x.invertible else [(0, 0)]:
        yield letter_power(x, -a), letter_power(x, -b)


def _read(whole: Matrix, x: Letter, pairs: Pairs, declared: bool) -> Solution | None:
    """X or X^-1 from whole = 0, where the terms with X are those of one product L X R."""
    holding = [(w, c) for w, c in whole.terms if x in letters_of(w)]
    rest = Matrix.of((w, c) for w, c in whole.terms if x not in letters_of(w))
    if any(x in letters_of(w) for _, c in whole.terms for w in words_of_scalar(c)):
        return None
    parts = [cut for w, _ in holding if (cut := _cut(w, x)) is not None]
    if not parts or len(parts) < len(holding) or len({f for _, f, _ in parts}) > 1:
        return None
    f = parts[0][1]
    outer = _as_product({(u, v): c for (u, _, v), (_, c) in zip(parts, holding, strict=True)})
    if outer is None:
        return None
    try:
        left, right = (inverse(m, declared, pairs) for m in outer)
    except UnusableInput:
        return None
    value = scaled(product(left, rest, right, pairs=pairs), -1)
    value = Replacement(pairs=pairs).matrix(value.T if f.transposed else value)
    divisors = possibly_zero(m.terms[0][1] for m in outer if len(m.terms) == 1)
    return Solution(x, int(f.power), value, divisors)


def _as_product(terms: Mapping[tuple[Word, Word], Any]) -> tuple[Matrix, Matrix] | None:
    """L and R with sum c u X v = L X R, if the coefficients are a matrix of rank one."""
    first, last = next(iter(terms))
    one = terms[first, last]
    before = {u: terms.get((u, last), sp.S.Zero) for u, _ in terms}
    after = {v: terms.get((first, v), sp.S.Zero) / one for _, v in terms}
    if any(canonical(terms.get((u, v), 0) - a * b) for u, a in before.items() for v, b in after.items()):
        return None
    return Matrix.of(before.items()), Matrix.of(after.items())


def _cut(word: Word, x: Letter) -> tuple[Word, Factor, Word] | None:
    """u, X^(+1 or -1), v with word = u X v, if X occurs once and not inside a sum."""
    places = [k for k, f in enumerate(word) if x in letters_of((f,))]
    if len(places) != 1:
        return None
    k = places[0]
    f = word[k]
    return (word[:k], f, word[k + 1 :]) if f.base == x and abs(f.power) == 1 else None
