"""Claims that the best gain is a printed one up to a factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from verification.claims.base import Claim, Printed, Proof
from verification.claims.minimiser import Minimiser
from verification.notation import Diagonal
from verification.rational import stationary_moments
from verification.refuter.places import Place
from verification.verdict import Finding


@dataclass(frozen=True)
class Shape(Minimiser):
    """``H propto right side``: times some positive number it minimises the divergence.

    In continuous time a covariance is proportional to the gain, so that the best factor of a printed
    gain is D/(N Tr(A Sigma)), and a rational number; of the discrete algorithm nothing is said.
    """

    def has_discrete_reading(self) -> bool:
        """The best factor of the algorithm itself is the root of a polynomial."""
        return False

    def placed(self, problem: Place) -> Place | None:
        """The problem with the printed gain times its best factor."""
        placed = super().placed(problem)
        moments = stationary_moments(self.setting, placed, self.time) if placed else None
        if placed is None or moments is None:
            return None
        S, d = moments["theta,theta"], range(placed.D)
        trace = sum((placed.A[i][k] * S[k][i] for i in d for k in d), Fraction(0))
        return self.freedom.times(placed, (placed.D / (placed.scalars["N"] * trace),)) if trace else None

    def prove(self, time: str) -> Proof:
        """With the factor at which it is the best full gain, where the noise is diagonal."""
        best = self.best(time).value
        (scalar, word), (other, best_word) = map(_parted, (self.value.replace(Diagonal, _whole), best))
        if word != best_word:
            return Proof(None, "The printed gain is no multiple of the best one.")
        scaled = replace(self, printed=(Printed(self.printed[0].left, other / scalar * self.value),))
        return super(Shape, scaled).prove(time)

    def find(self, time: str | None = None) -> Finding:
        """As of other claims: what is lost depends on a factor that is not printed."""
        return Claim.find(self, time)

    def says_the_same(self, other: Any) -> bool:
        """Another factor."""
        (one, word), (two, same) = (_parted(c.value) for c in (self, other))
        return bool(word == same and one * two > 0)

    def printed_params(self, problem: Any) -> None:
        """No factor is printed."""

    def usual_problem(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Any."""
        return dict(content)


def _whole(matrix: Any) -> Any:
    return matrix


def _parted(gain: Any) -> tuple[Any, Any]:
    """The scalar and the word of a product."""
    scalars, words = sp.expand(gain).args_cnc()
    return sp.Mul(*scalars), sp.Mul(*words)
