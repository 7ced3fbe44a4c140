"""How many samples a covariance of full rank takes, the mean being known."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.declare import D, Parameter
from sgtheory.independent.fields import multiply, transpose
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import plain
from verification.claims.base import Claim, Proof
from verification.laws.quantities import determinant
from verification.laws.rational import number
from verification.prover.positivity import nowhere_negative
from verification.refuter.places import Place, Space
from verification.refuter.script import array
from verification.refuter.search import Failure, Look, Sides
from verification.verdicts.verdict import Counterexample, Evidence

n = Parameter("n", positive=True, integer=True)


@dataclass(frozen=True)
class FullRank(Claim):
    """``printed`` is one bound on ``n`` that holds wherever n samples have a covariance of full rank."""

    def space(self) -> Space:
        """Few samples in few dimensions."""
        return Space({}, {"n": "count", "D": "count"})

    def look(self, time: str) -> Look:
        """At samples drawn for the place: the bound, where their covariance has full rank."""
        printed = self.printed[0]

        def at(place: Place) -> Sides | None:
            known = place.scalars
            if known["D"] > 4 or known["n"] > 9 or determinant(_covariance(place)) == 0:
                return None
            left, right = (number(s, known) for s in (printed.left, printed.right))
            return Sides(str(left), str(right), left >= right)

        return at

    def prove(self, time: str) -> Proof:
        """A sum of n matrices of rank one has rank n at most."""
        printed = self.printed[0]
        more = sp.Symbol("_more", positive=True)
        lowest = sp.sympify(printed.residual).subs(n, D).subs(D, 1 + more)
        rests = Equation(Formula("n - D", "n - D"), Formula(r"\\ge 0", ">= 0"))
        steps = (Step("Rank", "The rank of a sum is at most the sum of the ranks: D <= n.", (rests,)),)
        derivation = Derivation("Rank of a covariance", steps, (Result("bound", rests),))
        evidence = Evidence("symbolic", "By ranks.", {"dimensions": "every"}, derivation)
        if printed.relation != ">=" or printed.left != n or nowhere_negative(lowest) is None:
            rest = plain(printed.residual.subs(n, D))
            reason = f"D samples have full rank, and then the sides differ by {rest}."
            return Proof(None, reason, (evidence,))
        return Proof(True, "Each sample adds one to the rank at most, and D are needed.", (evidence,))

    def script(self, failure: Failure, time: str) -> str:
        """The samples, and the determinant of their covariance."""
        samples, printed = _samples(failure.place), self.printed[0]
        known = ", ".join(f"{k} = {v}" for k, v in failure.place.scalars.items())
        return (
            f"# {self.heading}\nimport numpy as np\nfrom fractions import Fraction as F\n"
            'rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])\n'
            f"# {known}\nX = {array(samples)}  # one sample to a row, about a mean of zero\n"
            "n, D = X.shape\n"
            "assert abs(np.linalg.det((X.T @ X).astype(float))) > 1e-9\n"
            f"print(bool({plain(printed.left)} >= {plain(printed.right)}))\n"
        )

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """How many samples, in which dimension."""
        shown = {k: str(x) for k, x in failure.place.scalars.items()}
        return Counterexample(shown, failure.sides.left, failure.sides.right, "left and right side")

    def corrupted(self, finding: Any) -> Any:
        """Only of the bound."""
        for name, twin in super().corrupted(finding):
            if name.startswith("right") and "sqrt(" not in name:
                yield name, twin

    def has_discrete_reading(self) -> bool:
        """It is about samples."""
        return False


def _samples(place: Place) -> list[list[Fraction]]:
    source = random.Random(1)
    size = range(int(place.scalars["D"]))
    return [[Fraction(source.randrange(-9, 10)) for _ in size] for _ in range(int(place.scalars["n"]))]


def _covariance(place: Place) -> list[list[Fraction]]:
    rows = _samples(place)
    return multiply(transpose(rows), rows)
