"""Claims that a quantity grows as a letter vanishes: eventually, that is for all small enough values."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.printing import latex, plain, tidy
from verification.along import BASE, values_along
from verification.asymptotics import Term, Undecided, first_terms, sign
from verification.claims.base import Printed, Proof
from verification.claims.carried import own_problem
from verification.claims.limits import SHOWN, Limiting, known_signs, stable_factors
from verification.miner.conditions import Condition
from verification.quantities import Amount
from verification.refuter.places import Place
from verification.refuter.search import Failure, Look, Sides
from verification.verdict import Correction, Counterexample, Evidence

UP, DOWN = "grows", "shrinks"
_LIMITS = {"0": "0", "oo": r"\infty"}
_FAR = (3, 4, 5)  # points 16^-3, ...: beyond where small places bend
SCRIPT_CHOICES = ((1, 2, 3), (3, 4, 5))


@dataclass(frozen=True)
class Trend(Printed):
    """``left`` grows (or shrinks) strictly as the letter ``right`` comes close to its limit."""

    relation: str = UP
    to: str = "0"  # or "oo"

    def latex(self) -> str:
        """As an inequality between derivatives' signs, in words."""
        word = (
            r"\text{ eventually grows as } "
            if self.relation == UP
            else r"\text{ eventually shrinks as } "
        )
        return rf"{latex(sp.sympify(self.left))} {word} {latex(self.right)} \to {_LIMITS[self.to]}"

    def text(self) -> str:
        """On one line."""
        return f"{plain(sp.sympify(self.left))} eventually {self.relation} as {self.right} -> {self.to}"


@dataclass(frozen=True)
class Eventually(Limiting):
    """``printed`` is one ``Trend`` of a number; ``where`` sets letters that move with the variable."""

    @property
    def trend(self) -> Trend:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, Trend)
        return printed

    @property
    def _wanted(self) -> int:
        return 1 if self.trend.relation == UP else -1

    def quantities(self) -> tuple[Any, ...]:
        """The left side."""
        return (self.trend.left,)

    def values(self, place: Place, time: str, steps: tuple[int, ...]) -> tuple[Any, ...] | None:
        """The quantity at points on the way."""
        return values_along(self.trend.left, self.law_of, place, self.path, time, steps)

    def look(self, time: str) -> Look:
        """Exact values at three points near the limit."""

        def at(place: Place) -> Sides | None:
            values = self.values(place, time, _FAR)
            if values is None:
                return None
            steps = [_sign_of(b, a) for a, b in pairwise(values)]
            words = {1: "larger", 0: "equal", -1: "smaller"}
            return Sides(
                f"then {words[steps[-1]]}",
                f"always {words[self._wanted]}",
                all(s == self._wanted for s in steps),
            )

        return at

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """At a random place."""
        place = self.random_place(source, under, size)
        sides = None if place is None else self.look(time)(place)
        return None if sides is None else sides.holds

    def formula(self, time: str) -> tuple[Any, str] | None:
        """The quantity as one formula, and for which dimensions."""
        found = self.in_symbols(self.trend.left, time)
        if found is None or found.form != "formula" or len(found.parts) != 1:
            return None
        return found.parts[0], found.scope

    def prove(self, time: str) -> Proof:
        """The first term of the derivative has a sign."""
        found = self.formula(time)
        if found is None:
            return Proof(None, "No formula for it is known in general.")
        value, scope = found
        slope = sp.diff(value, self.variable)
        try:
            start = first_terms(value, self.variable, self.limit, 1)[0]
            term = first_terms(slope, self.variable, self.limit, 1)[0]
        except (Undecided, ZeroDivisionError):
            return Proof(None, "Its derivative has no expansion in powers.")
        evidence = (self._told(value, slope, term, scope),)
        if term.power == math.inf:
            return Proof(
                False, f"It does not depend on {self.variable}: it is {self._text(value)}.", evidence
            )
        positive = stable_factors(self.law_of, self.quantities(), time)
        way = sign(known_signs(term.coefficient, positive))
        if way is None:
            return Proof(None, "The sign of its derivative depends on the other letters.", evidence)
        holds = -way * self.path.sign == self._wanted
        first = self._text(self._start(start))
        bounded = start.power == 0 and start.logs == 0
        ends = f"tends to {first}" if bounded else f"is {first} to first order"
        word = "grows" if -way * self.path.sign > 0 else "shrinks"
        reason = f"It {word} as {self.path.words()}, and {ends}, {scope}."
        return Proof(holds, reason, evidence)

    def _start(self, term: Term) -> Any:
        """The first term of the quantity; a logarithm is that of what grows."""
        if self.limit != "oo":
            return sp.expand_log(self.written(term))
        plainly = self.written(replace(term, logs=0))
        return plainly * sp.log(self.variable) ** term.logs

    def _text(self, expr: Any) -> str:
        return plain(_shown(expr))

    def _told(self, value: Any, slope: Any, term: Term, scope: str) -> Evidence:
        x = self.variable
        shown = (
            Equation(Formula("q", "q"), _shown(value)),
            Equation(Formula(rf"\partial q / \partial {latex(x)}", f"dq/d{x}"), _shown(slope)),
            Equation(Formula(r"\text{first term}", "first term"), _shown(self.written(term)), "->"),
        )
        words = f"With {', '.join(f'{a} = {plain(b)}' for a, b in self.where) or 'all letters free'}:"
        derivation = Derivation(
            "A trend", (Step("The derivative", words, shown),), (Result("q", shown[0]),)
        )
        return Evidence("symbolic", f"By its derivative, {scope}.", {"dimensions": scope}, derivation)

    def correct(self, time: str) -> Correction | None:
        """The quantity itself."""
        found = self.formula(time)
        if found is None:
            return None
        value, scope = _shown(found[0]), found[1]
        left = self.trend.left
        if not self.of:  # the quantity is its own formula
            turned = replace(self.trend, relation=DOWN if self.trend.relation == UP else UP)
            if replace(self, printed=(turned,)).prove(time).holds:
                return Correction(turned.latex(), turned.text(), "proved", scope, (turned,))
            return None
        return Correction(
            f"{latex(left)} = {latex(value)}", f"{plain(left)} = {plain(value)}", "proved", scope
        )

    def script(self, failure: Failure, time: str) -> str:
        """The quantity at three points, and whether it moves as stated."""
        compare = ">" if self._wanted == 1 else "<"
        decide = f"ratio[2] {compare} ratio[1] {compare} ratio[0]"
        return self.script_along(failure, time, "value[0]", decide, SCRIPT_CHOICES)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The quantity on the way."""
        at = self.values(failure.place, time, SHOWN) or ()
        shown = self.path.at(failure.place, Fraction(1, BASE ** SHOWN[0]))
        if self.law_of is not None:
            shown = own_problem(shown, self.law_of)
        return Counterexample(
            shown.to_json(),
            rf"\left({', '.join(map(_short, at))}\right)",
            rf"\text{{values that are {failure.sides.right}}}",
            f"the quantity at {self.variable} = {self.path.points(SHOWN)}, and how it should move",
        )

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """The other direction, the inverse, and other letters held fixed."""
        one = self.trend
        turned = DOWN if one.relation == UP else UP
        yield "relation turned", replace(self, printed=(replace(one, relation=turned),))
        yield "left: inverted", replace(self, printed=(replace(one, left=1 / one.left),))
        yield "left: sign flipped", replace(self, printed=(replace(one, left=-one.left),))
        for name, factor in (("over", 1 / self.variable), ("times", self.variable)):
            changed = tuple((a, b * factor) for a, b in self.where)
            if changed:
                yield f"where: {name} {self.variable}", replace(self, where=changed)

    def says_the_same(self, other: Self) -> bool:
        """A corruption that leaves a true statement is no lie."""
        return self.prove(self.time).holds is True

    def has_discrete_reading(self) -> bool:
        """Where it is about a law."""
        return bool(self.of) and self.time == "continuous"


def _short(value: Any) -> str:
    """A fraction as it is, six digits of anything else."""
    value = sp.sympify(value.rational if isinstance(value, Amount) and not value.logs else value)
    return str(value) if value.is_Rational else str(sp.N(value, 6))


def _shown(expr: Any) -> Any:
    return tidy(sp.factor(expr)) if expr.is_rational_function(*expr.free_symbols) else expr


def _sign_of(b: Any, a: Any) -> int:
    """The sign of b - a, exactly where both are rational."""
    difference = b - a
    if isinstance(difference, Amount):
        if difference.is_zero:
            return 0
        value = difference.decimal() if difference.logs else difference.rational
    else:
        value = difference
    return (1 if value > 0 else 0) - (1 if value < 0 else 0)
