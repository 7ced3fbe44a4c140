"""Claims that a running average with given weights is the mean of all iterates since some one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.declare import Parameter
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.miner.conditions import Condition
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.twins import corruptions
from verification.verdicts.verdict import Correction, Evidence, Finding

t = Parameter("t", integer=True, nonnegative=True)
_STEPS = 8


@dataclass(frozen=True)
class Recursion(Printed):
    """``mu(t+1) = left mu(t) + right theta(t+1)``, for t = 0, 1, ..."""

    def latex(self) -> str:
        """As typeset."""
        keep, add = latex(sp.sympify(self.left)), latex(sp.sympify(self.right))
        return rf"\hat{{\mu}}_{{t+1}} = {keep}\, \hat{{\mu}}_t + {add}\, \theta_{{t+1}}"

    def text(self) -> str:
        """On one line."""
        return f"mu(t+1) = {plain(self.left)} mu(t) + {plain(self.right)} theta(t+1)"


@dataclass(frozen=True)
class RunningMean(Claim):
    """After n steps the average is the mean of theta(first), ..., theta(n), whatever it began as.

    With ``first=0`` it begins as theta(0).
    """

    first: int = 1
    time: str = "discrete"

    @property
    def weights(self) -> tuple[Any, Any]:
        """What is kept, and the weight of the new iterate."""
        (one,) = self.printed
        return sp.sympify(one.left), sp.sympify(one.right)

    def space(self) -> Space:
        """Numbers of steps."""
        return Space({}, {"n": "count"}, (1,))

    def after(self, n: int) -> list[Fraction]:
        """The weights of what the average began as, and of theta(1) to theta(n)."""
        found = [Fraction(1)]
        for k in range(n):
            keep, add = (_at(w, k) for w in self.weights)
            found = [*(keep * w for w in found), add]
        return found

    def look(self, time: str) -> Look:
        """All weights after so many steps."""

        def at(place: Place) -> Sides | None:
            n = int(place.scalars["n"])
            if n > 4 * _STEPS:
                return None
            try:
                found = self.after(n)
            except ZeroDivisionError:  # weights that are no numbers average nothing
                return Sides([["none"]], [["none"]], False)
            size = Fraction(1, n + 1 - self.first)
            wanted = [size if self.first == 0 else Fraction(0), *([size] * n)]
            shown = [[[str(x) for x in row]] for row in (found, wanted)]
            return Sides(shown[0], shown[1], found == wanted)

        return at

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """By running it."""
        sides = self.look(time)(Place({}, {"n": Fraction(source.randrange(1, 4 * _STEPS))}))
        return None if sides is None else sides.holds

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """There is nothing to suppose."""
        return ()

    def prove(self, time: str) -> Proof:
        """By induction: the new iterate has the weight that all others are brought to."""
        keep, add = self.weights
        count = t + 1 - self.first  # how many iterates the average has after t steps
        start = sp.simplify(keep.subs(t, 0) - (0 if self.first else sp.Rational(1, 2)))
        new = sp.simplify(add - 1 / (count + 1))
        old = sp.simplify(keep - count / (count + 1))
        steps = (
            Equation(Formula("w_0", "w_0"), start),
            Equation(Formula(r"\text{new} - 1/(n+1)", "new - 1/(n+1)"), new),
            Equation(Formula(r"\text{kept} - n/(n+1)", "kept - n/(n+1)"), old),
        )
        words = "What is left of the start, and what new and old weights are off:"
        told = Derivation("Induction", (Step("One step", words, steps),), (Result("start", steps[0]),))
        evidence = (Evidence("symbolic", "By induction over the steps.", {"dimensions": "every"}, told),)
        if start == new == old == 0:
            since = f"theta({self.first})"
            return Proof(
                True, f"By induction every iterate since {since} has the same weight.", evidence
            )
        return Proof(False, "The weights are not equal.", evidence)

    def correct(self, time: str) -> Correction | None:
        """The weights that make it so."""
        count = t + 1 - self.first
        true = Recursion(count / (count + 1), 1 / (count + 1))
        fixed = replace(self, printed=(true,))
        if not fixed.prove(time).holds or fixed.failure(time, 10) is not None:
            return None
        return Correction(true.latex(), true.text(), "proved", "for every number of steps", (true,))

    def script(self, failure: Failure, time: str) -> str:
        """The weights after some steps."""
        keep, add = (sp.pycode(w) for w in self.weights)
        n = int(failure.place.scalars["n"])
        start = 0 if self.first else f"F(1, {n} + 1)"
        return (
            f"# {self.heading}\nfrom fractions import Fraction as F\nweights = [F(1)]  # of the start\n"
            f"try:\n    for t in map(F, range({n})):\n"
            f"        weights = [*(({keep}) * w for w in weights), {add}]\n"
            "except ZeroDivisionError:\n    weights = None  # there are none\n"
            f"wanted = [{start}, *([F(1, {n + 1 - self.first})] * {n})]\n"
            "print(weights)\nprint(weights == wanted)\n"
        )

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """There is nothing to measure."""
        return finding, None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Other weights, another first iterate."""
        (one,) = self.printed
        for side in ("left", "right"):
            for name, wrong in corruptions(sp.sympify(getattr(one, side))):
                yield f"{side}: {name}", replace(self, printed=(replace(one, **{side: wrong}),))
        yield "another first iterate", replace(self, first=1 - self.first)


def _at(weight: Any, k: int) -> Fraction:
    value = sp.sympify(weight).subs(t, k)
    if not value.is_Rational:
        raise ZeroDivisionError(f"{weight} has no rational value at {k}")
    return Fraction(int(value.p), int(value.q))
