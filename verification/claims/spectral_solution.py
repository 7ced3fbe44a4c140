"""Claims that a printed formula with a stochastic integral solves a sampler's process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.declare import S
from sgtheory.printing import latex, plain
from verification.claims.base import Printed, Proof
from verification.claims.formal import Line
from verification.claims.spectral import Spectral
from verification.notation import A, C, eps, identity
from verification.spectral.edits import exponents
from verification.spectral.words import F, MatrixExp, Q
from verification.twins import corruptions
from verification.verdict import Correction, Finding


def listed(words: list[str]) -> str:
    """Joined as in a sentence.

    >>> listed(["one", "two", "three"])
    'one, two and three'
    """
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


_WRONG = (
    "its mean moves at another rate",
    "its mean does not start at theta(0)",
    "its kicks decay at another rate",
    "they have another size",
)


@dataclass(frozen=True)
class Solves(Printed):
    """The first of the conditions, with the line that has to meet them."""

    line: Line | None = None

    def latex(self) -> str:
        """The line, then the condition."""
        assert self.line is not None
        return rf"{self.line.latex()} \quad\text{{with}}\quad {super().latex()}"

    def text(self) -> str:
        """On one line."""
        assert self.line is not None
        return f"{self.line.text()}, with {super().text()}"


@dataclass(frozen=True)
class Solution(Spectral):
    """``theta(now) = mean theta(0) + integral of kick B dW(past)``, from 0 to now.

    It solves d theta = F theta dt + noise of covariance Q dt if mean and kick grow at the rate F, the
    mean is one at time zero, and a kick just received has covariance Q. ``clock`` is the unit of time.
    """

    mean: Any = None
    kick: Any = None
    now: Any = None
    past: Any = None
    clock: Any = 1

    def __post_init__(self) -> None:
        if not self.printed:
            shown = (p for p in self.conditions_of_a_solution() if p.left != p.right)
            object.__setattr__(self, "printed", tuple(shown))

    def conditions_of_a_solution(self) -> tuple[Printed, ...]:
        """What it takes."""
        fresh = (self.kick * C * self.kick).subs(self.past, self.now).subs(identity, 1)
        line = self.line()
        return (
            Solves(sp.Derivative(self.mean, self.now), self.clock * F * self.mean, "=", line),
            Printed(self.mean.subs(self.now, 0), identity),
            Printed(sp.Derivative(self.kick, self.now), self.clock * F * self.kick),
            Printed(fresh, self.clock * Q),
        )

    def line(self) -> Line:
        """As it is printed."""
        t, u = latex(self.now), latex(self.past)
        kick = plain(self.kick)
        return Line(
            rf"\theta({t}) = {latex(self.mean)} \theta(0)"
            rf" + \int_0^{{{t}}} {latex(self.kick)} B \, dW({u})",
            f"theta({self.now}) = {plain(self.mean)} theta(0) + integral of {kick} B dW({self.past})",
        )

    def true(self) -> Self:
        """The solution of constant SGD's process."""
        rate = -eps * self.clock * A
        mean = MatrixExp(rate * self.now)
        kick = sp.sqrt(self.clock) * eps / sp.sqrt(S) * MatrixExp(rate * (self.now - self.past))
        return replace(self, mean=mean, kick=kick, printed=())

    def correct(self, time: str) -> Correction | None:
        """The true one, where that is proved."""
        fixed = self.true()
        if not fixed.prove(time).holds or not fixed.tested(time).data["holds"]:
            return None
        line = fixed.line()
        return Correction(line.latex(), line.text(), "proved", "in every dimension", (fixed,))

    def true_statement(self, finding: Finding) -> Self | None:
        """The corrected claim travels with the correction."""
        if finding.corrected is not None and finding.corrected.printed:
            fixed: Self = finding.corrected.printed[0]
            return fixed
        return self if finding.verdict == "proved" else None

    def reason(self, verdict: str, time: str, mined: Any, proof: Proof) -> str:
        """Which of the conditions fail."""
        taken = self.conditions_of_a_solution()
        held = [replace(self, printed=(p,)).prove(time).holds for p in taken]
        wrong = [words for words, fine in zip(_WRONG, held, strict=True) if not fine]
        return f"It does not solve the process: {listed(wrong)}."

    def has_discrete_reading(self) -> bool:
        """It is about the continuous-time process."""
        return False

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Another mean, another kick."""
        for name, wrong in (*corruptions(self.mean), *exponents(self.mean)):
            if not wrong.is_commutative:
                yield f"mean: {name}", replace(self, mean=wrong, printed=())
        for name, wrong in (*corruptions(self.kick), *exponents(self.kick)):
            if not wrong.is_commutative:
                yield f"kick: {name}", replace(self, kick=wrong, printed=())
