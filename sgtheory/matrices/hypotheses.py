"""Hypotheses that a proof may use: commuting letters and equations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.matrices.coefficients import scalar
from sgtheory.matrices.letters import Letter
from sgtheory.matrices.sums import Matrix, as_matrix, letter_of
from sgtheory.matrices.words import FREE, Pairs


@dataclass(frozen=True)
class Commute:
    """A C = C A, for two letters. Made by ``commute``."""

    letters: frozenset[Letter]

    def __repr__(self) -> str:
        return f"commute({', '.join(sorted(x.name for x in self.letters))})"


@dataclass(frozen=True)
class Equation:
    """Two matrices, or two scalars, that are said to be equal. Made by ``equation``."""

    left: Any
    right: Any

    @property
    def is_matrix(self) -> bool:
        """Whether its sides are matrices."""
        return isinstance(self.left, Matrix)

    @cached_property
    def difference(self) -> Any:
        """Left side minus right side."""
        return self.left - self.right

    def __repr__(self) -> str:
        return f"{self.left} = {self.right}"


Hypothesis = Commute | Equation
Given = Iterable[Hypothesis]


def commute(a: Matrix, b: Matrix) -> Commute:
    """The hypothesis that two letters commute.

    >>> from sgtheory.matrices.sums import matrices
    >>> A, C = matrices("A C", "symmetric")
    >>> commute(C, A)
    commute(A, C)
    """
    pair = frozenset([letter_of(a), letter_of(b)])
    if len(pair) < 2:
        raise UnusableInput("two different letters", str(a), "a matrix commutes with itself anyway")
    return Commute(pair)


def all_commute(*letters: Matrix) -> tuple[Commute, ...]:
    """The hypotheses that some letters commute with one another."""
    return tuple(commute(a, b) for k, a in enumerate(letters) for b in letters[:k])


def equation(left: Any, right: Any) -> Equation:
    """Two sides that are said to be equal; a scalar beside a matrix is a multiple of I.

    >>> from sgtheory.matrices.sums import matrix
    >>> A = matrix("A")
    >>> equation(A * A, 1)
    A^2 = I
    """
    if isinstance(left, Matrix) or isinstance(right, Matrix):
        return Equation(as_matrix(left), as_matrix(right))
    return Equation(scalar(left), scalar(right))


def pairs_of(given: Given) -> Pairs:
    """The commuting pairs among some hypotheses."""
    return frozenset(h.letters for h in listed(given) if isinstance(h, Commute)) or FREE


def equations_of(given: Given) -> tuple[Equation, ...]:
    """The equations among some hypotheses."""
    return tuple(h for h in listed(given) if isinstance(h, Equation))


def listed(given: Given) -> tuple[Hypothesis, ...]:
    """The hypotheses, each of which must be one."""
    if isinstance(given, Commute | Equation):
        raise UnusableInput("a sequence of hypotheses", str(given), "write given=[...]")
    found = tuple(given)
    strange = next((h for h in found if not isinstance(h, Commute | Equation)), None)
    if strange is not None:
        raise UnusableInput(
            "hypotheses made by commute or equation", str(strange), "write given=[commute(A, C)]"
        )
    return found
