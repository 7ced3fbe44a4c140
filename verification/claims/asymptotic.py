"""Claims that two quantities are asymptotically equal: left ~ right as a letter vanishes or grows."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.printing import latex, plain
from verification.along import orders_at, slope_of, values_along
from verification.asymptotics import Term, Undecided, first_terms, is_zero, sign
from verification.claims.base import Printed, Proof
from verification.claims.best import LETTERS
from verification.claims.limits import (
    SHOWN,
    STEP_CHOICES,
    Limiting,
    joint,
    known_signs,
    stable_factors,
)
from verification.miner.conditions import Condition
from verification.pairform import DELTA
from verification.permode import General
from verification.quantities import is_matrix, is_rational_somewhere
from verification.refuter.places import Place
from verification.refuter.search import Failure, Look, Sides
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Gap

_CLOSE = 0.125  # the relative error vanishes at least like a quarter of a power of the letter


@dataclass(frozen=True)
class Asymptotic(Limiting):
    """``printed`` is one relation ``Printed(left, right, "~")``: left/right tends to 1.

    Of matrices: the norm of left minus right is small against that of right.
    """

    @property
    def relation(self) -> Printed:
        """What is printed."""
        (printed,) = self.printed
        return printed

    def quantities(self) -> tuple[Any, ...]:
        """Left and right."""
        return (self.relation.left, self.relation.right)

    @property
    def _rest(self) -> Any:
        left, right = (sp.sympify(q) for q in self.quantities())
        return sp.expand(left - right) if is_matrix(left - right) else left - right

    def look(self, time: str) -> Look:
        """The exact orders at a place of what is left over and of the right side."""

        def at(place: Place) -> Sides | None:
            both = (self._rest, self.relation.right)
            seen = orders_at(both, self.law_of, place, self.path, time)
            if seen is None:
                return None
            rest, right = (self._size(t) for t in seen)
            told = [f"{self.variable}^({t.power})" for t in seen]
            return Sides(f"left - right: {told[0]}", f"right: {told[1]}", rest > right)

        return at

    def _size(self, term: Term) -> tuple[Any, int]:
        """Larger for what vanishes faster."""
        if abs(term.power) == math.inf:
            return (math.inf, 0)
        return (term.power * self.path.sign, -term.logs)

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """By exact values along a sequence at a random place: does left/right - 1 vanish?"""
        place = self.random_place(source, under, size)
        if place is None:
            return None
        slopes = []
        for q in (self._rest, self.relation.right):
            try:
                values = values_along(q, self.law_of, place, self.path, time)
            except (TypeError, ZeroDivisionError, StopIteration):
                return None
            if values is None:
                return None
            slope = slope_of(values, self.path, is_matrix(q))
            if slope is None:
                return q is self._rest or all(v == 0 for v in values)
            if not slope.settled:
                return None
            slopes.append(slope.value * self.path.sign)
        return slopes[0] - slopes[1] > _CLOSE

    def _leftover(self, time: str) -> tuple[General, General] | None:
        """What is left over and the right side, in symbols."""
        rest, right = (self.in_symbols(q, time) for q in (self._rest, self.relation.right))
        return None if rest is None or right is None else (rest, right)

    def prove(self, time: str) -> Proof:
        """The first terms of left minus right and of right: the former must be smaller everywhere."""
        found = self._leftover(time)
        if found is None:
            return Proof(None, "No formula for it is known in general.")
        positive = stable_factors(self.law_of, self.quantities(), time)
        first, second = (joint(f, self.variable, self.limit, positive) for f in found)
        if first is None or second is None:
            return Proof(None, "It has no expansion in powers.")
        (rest, _), (right, sure) = first, second
        nothing = rest.coefficient == 0
        differs, entry = self._entry(rest, found[0]), self._entry(right, found[1])
        evidence = (self._evidence(differs, entry, found[1]),)
        if not nothing and self._size(rest) <= self._size(right):
            return Proof(False, f"The sides differ by {plain(differs)} to first order.", evidence)
        if sure is None or not self._finite(rest):
            why = f"The first term of the right side, {plain(entry)}, may vanish or not exist."
            return Proof(None, why, evidence)
        gap = "nothing" if nothing else f"{plain(differs)} to first order"
        at = " at modes i and j" if found[1].noises else ""
        reason = f"The sides differ by {gap}{at}, the right side is {plain(entry)}, {found[1].scope}."
        return Proof(True, reason, evidence)

    def _finite(self, term: Term) -> bool:
        """Whether what the expansion divides by vanishes nowhere."""
        positive = stable_factors(self.law_of, self.quantities(), self.time)
        below = sp.fraction(sp.together(known_signs(term.coefficient, positive)))[1]
        return None not in (sign(below), sign(known_signs(term.divisor, positive)))

    def _entry(self, term: Term, side: General) -> Any:
        """A first term; of a matrix with one noise, as its entry at a pair of modes."""
        return self.written(term) * (side.noises[0] if len(side.noises) == 1 else 1)

    def _evidence(self, rest: Any, right: Any, side: General) -> Evidence:
        sides = (
            Equation(Formula(r"\text{left} - \text{right}", "left - right"), rest, "->"),
            Equation(Formula(r"\text{right}", "right"), right, "->"),
        )
        scope, at = side.scope, ", at modes i and j of A," if side.noises else ""
        words = f"The first terms{at} as {self.path.words()}:"
        derivation = Derivation(
            "Asymptotic equality", (Step("First terms", words, sides),), (Result("rest", sides[0]),)
        )
        data = {"dimensions": scope, "left_over": sides[0].text, "right": sides[1].text}
        return Evidence("symbolic", f"By expansion, {scope}.", data, derivation)

    def relative_gap(self, time: str) -> Gap | None:
        """Left/right - 1 to first order, where the statement is true: the next order."""
        found = self._leftover(time)
        if found is None or len(found[0].parts) != 1 or len(found[1].parts) != 1:
            return None
        ratio = found[0].parts[0] / found[1].parts[0]
        if found[1].form == "sum":
            return None  # a quotient of sums is no sum of quotients
        try:
            term = first_terms(sp.cancel(sp.together(ratio)), self.variable, self.limit, 1)[0]
        except (Undecided, ZeroDivisionError):
            return None
        if self._size(term) <= (0, 0) or term.power in (math.inf, -math.inf):
            return None
        written = self.written(term)
        if found[0].noises != found[1].noises:
            noise = "".join(s.name for s in found[0].noises)
            if found[1].noises != (DELTA,) or noise not in LETTERS:
                return None  # the ratio of two matrices is no number
            written = written * LETTERS[noise]
        return Gap(str(self.variable), str(term.power), Formula(latex(written), plain(written)))

    def find(self, time: str | None = None) -> Any:
        """As every claim; a true one also says how fast it becomes true."""
        finding = super().find(time)
        if finding.verdict != "proved":
            return finding
        return replace(finding, gap=self.relative_gap(time or self.time))

    def correct(self, time: str) -> Correction | None:
        """The first term of the left side, where it is the same formula everywhere."""
        found = self.in_symbols(self.relation.left, time)
        if found is None or found.form != "formula":
            return None
        seen = joint(found, self.variable, self.limit, ())
        if seen is None or seen[1] is None or is_zero(seen[0].coefficient):
            return None
        true = replace(self.relation, right=self.written(seen[0]))
        return Correction(true.latex(), true.text(), "proved", found.scope, (true,))

    def script(self, failure: Failure, time: str) -> str:
        """The difference relative to both sides at a few points: it does not shrink."""
        if any(is_matrix(q) for q in self.quantities()):
            power, text = 2, "norm(value[0] - value[1]) / (norm(value[0]) + norm(value[1]))"
        else:
            power, text = 1, "abs(value[0] - value[1]) / (abs(value[0]) + abs(value[1]))"
        room = Fraction(3, 4) ** power
        decide = f"ratio[-1] <= {float(room)} * float(ratio[-2])"
        return self.script_along(failure, time, text, decide, STEP_CHOICES)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """Both sides on the way."""
        shown = []
        for q in self.quantities():
            at = values_along(q, self.law_of, failure.place, self.path, time, SHOWN) or ()
            shown.append([[str(v) for v in at]])
        points = self.path.points(SHOWN)
        what = "squared norms of " if is_matrix(self.relation.right) else ""
        return Counterexample(
            failure.place.to_json(),
            shown[0],
            shown[1],
            f"{what}left and right side at {self.variable} = {points}; orders: {failure.sides.left},"
            f" {failure.sides.right}",
        )

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """Either side corrupted, or multiplied by a little more than 1 or by the letter."""
        one = self.relation
        for side in ("left", "right"):
            value = getattr(one, side)
            for name, wrong in (
                *corruptions(value),
                ("a tenth more", value * sp.Rational(11, 10)),
                (f"times {self.variable}", value * self.variable),
                (f"over {self.variable}", value / self.variable),
            ):
                if wrong != 0 and is_rational_somewhere(wrong):
                    yield f"{side}: {name}", replace(self, printed=(replace(one, **{side: wrong}),))

    def says_the_same(self, other: Self) -> bool:
        """A corruption of a term that does not matter in the limit leaves a true statement."""
        return self.prove(self.time).holds is True
