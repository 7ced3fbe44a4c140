"""The condition that noise does not reach some mode of the curvature."""

from __future__ import annotations

from dataclasses import dataclass

from sgtheory.independent.fields import Rows, multiply
from verification.miner.conditions import Condition, Matrices, shown
from verification.refuter.places import Place


@dataclass(frozen=True)
class HiddenMode(Condition):
    """An eigenvector of the first letter is in the kernel of the second.

    >>> from fractions import Fraction
    >>> one, none = Fraction(1), Fraction(0)
    >>> A, B = ((one, none), (none, one + one)), ((one, none), (one, none))
    >>> HiddenMode(("A", "C")).holds(Place({"A": A, "B": B}, {}))
    False
    """

    @property
    def words(self) -> str:
        """Such as ``an eigenvector of A is in the kernel of B B^T``."""
        first, second = map(shown, self.letters)
        return f"an eigenvector of {first} is in the kernel of {second}"

    def holds(self, place: Place) -> bool:
        """C, C A, C A^2, ... have a common kernel: it is invariant under A, so has an eigenvector."""
        first, second = ([list(row) for row in place.value(n)] for n in self.letters)
        rows, power = list(second), second
        for _ in range(place.D - 1):
            power = multiply(power, first)
            rows += power
        return rank(rows) < place.D

    def impose(self, matrices: Matrices) -> dict[str, Rows]:
        """The last coordinate becomes a mode of the first letter, and is not reached by the second."""
        first, second = self.letters
        factor = "B" if second == "C" and "B" in matrices else second
        split = [
            [x if (i == j or last not in (i, j)) else x - x for j, x in enumerate(row)]
            for last in [len(matrices[first]) - 1]
            for i, row in enumerate(matrices[first])
        ]
        source = matrices[factor]
        cut = [
            [x - x if i == len(source) - 1 or (factor == second and j == len(source) - 1) else x
             for j, x in enumerate(row)]
            for i, row in enumerate(source)
        ]  # fmt: skip
        return {**matrices, first: split, factor: cut}


def rank(rows: Rows) -> int:
    """By elimination.

    >>> from fractions import Fraction
    >>> rank([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]])
    1
    """
    left, found = [list(row) for row in rows], 0
    for k in range(len(left[0]) if left else 0):
        zero = left[0][k] - left[0][k]
        pivot = next((i for i in range(found, len(left)) if left[i][k] != zero), None)
        if pivot is None:
            continue
        left[found], left[pivot] = left[pivot], left[found]
        for i in range(found + 1, len(left)):
            factor = left[i][k] * left[found][k] ** -1
            left[i] = [x - factor * y for x, y in zip(left[i], left[found], strict=True)]
        found += 1
    return found
