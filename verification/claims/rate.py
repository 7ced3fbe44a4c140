"""Claims that a quantity is of some order: Theta(x^p), or O(x^p), as a letter vanishes or grows."""

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
from verification.along import in_scalars, order_at, slope_of, values_along
from verification.asymptotics import NOTHING, Term, Undecided, leading
from verification.claims.base import Printed, Proof
from verification.claims.limits import (
    SHOWN,
    STEP_CHOICES,
    Limiting,
    joint,
    stable_factors,
)
from verification.miner.conditions import Condition
from verification.notation import A, N, Sigma, identity
from verification.quantities import DIVERGENCE, is_matrix, is_rational_somewhere
from verification.refuter.alongscript import needs_decimals
from verification.refuter.places import Place
from verification.refuter.search import Failure, Look, Sides
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence

EXACTLY, AT_MOST = "Theta", "O"
_CLOSE = 0.125


@dataclass(frozen=True)
class Order(Printed):
    """``left = Theta(right)`` or ``left = O(right)``, the right side a power of the letter."""

    relation: str = EXACTLY

    def latex(self) -> str:
        """As typeset."""
        word = r"\Theta" if self.relation == EXACTLY else "O"
        return rf"{latex(self.left)} = {word}\left({latex(sp.sympify(self.right))}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} = {self.relation}({plain(self.right)})"


@dataclass(frozen=True)
class Rate(Limiting):
    """``printed`` is one ``Order``: of a scalar, or of all entries of a matrix together."""

    @property
    def order(self) -> Order:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, Order)
        return printed

    @property
    def power(self) -> Fraction:
        """The printed exponent."""
        exponent = sp.sympify(self.order.right).as_powers_dict().get(self.variable, sp.Integer(0))
        return Fraction(int(exponent.p), int(exponent.q))

    @property
    def _down(self) -> int:
        """1 where a larger exponent means a smaller quantity."""
        return self.path.sign

    def quantities(self) -> tuple[Any, ...]:
        """The left side."""
        return (self.order.left,)

    def agrees(self, seen: Term) -> bool:
        """Whether a true order is the printed one, or below it where that is a bound."""
        exact, better = seen.power == self.power, seen.power * self._down > self.power * self._down
        if self.order.relation == EXACTLY:
            return exact and seen.logs == 0
        return better or (exact and seen.logs <= 0)

    def look(self, time: str) -> Look:
        """The exact order at a place, against the printed one."""

        def at(place: Place) -> Sides | None:
            seen = order_at(self.order.left, self.law_of, place, self.path, time)
            return None if seen is None else Sides(seen, self.power, self.agrees(seen))

        return at

    def _told(self, seen: Term) -> str:
        if seen.power in (math.inf, -math.inf):
            return "0"
        logs = f" log(1/{self.variable})^({seen.logs})" if seen.logs else ""
        return f"{self.variable}^({seen.power}){logs}"

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """By exact values along a sequence at a random place: no expansion, no symbols."""
        place = self.random_place(source, under, size)
        if place is None:
            return None
        try:
            values = values_along(self.order.left, self.law_of, place, self.path, time)
        except (TypeError, ZeroDivisionError, StopIteration):
            return None
        if values is None:
            return None
        slope = slope_of(values, self.path, is_matrix(self.order.left))
        if slope is None:  # zero all along
            return self.order.relation == AT_MOST
        if not slope.settled:
            return None
        beyond = (slope.value - float(self.power)) * self._down
        return beyond > -_CLOSE if self.order.relation == AT_MOST else abs(beyond) < _CLOSE

    def first(self, time: str) -> tuple[Term, Any, str] | None:
        """The first term in symbols, the sign of its coefficient, and for which dimensions."""
        found = self.in_symbols(self.order.left, time)
        if found is None:
            return self._divergence(time)
        positive = stable_factors(self.law_of, self.quantities(), time)
        seen = joint(found, self.variable, self.limit, positive)
        return None if seen is None else (*seen, found.scope)

    def _divergence(self, time: str) -> tuple[Term, Any, str] | None:
        """Of a divergence: a quarter of the squared norm of X - I, X = N A^1/2 Sigma A^1/2.

        With x the eigenvalues of X, the divergence is the sum of (x - 1 - log x)/2, and each term is
        (x - 1)^2/4 as x tends to 1. So its order is twice that of N A Sigma - I, in every dimension.
        """
        factor = sp.cancel(sp.expand(self.order.left) / sp.expand(DIVERGENCE))
        if not factor.is_number or self.where:
            return None
        found = self.in_symbols(N * A * Sigma - identity, time)
        seen = found and joint(found, self.variable, self.limit, ())
        if not seen or seen[0].power * self._down <= 0 or seen[1] is None:
            return None
        constant = sp.Symbol("c", positive=True)
        scope = "c a quarter of the squared norm of the first term of N A^(1/2) Sigma A^(1/2) - I"
        return Term(2 * seen[0].power, factor * constant), 1, f"{scope}, in every dimension"

    def prove(self, time: str) -> Proof:
        """By the first term of the formula, whose coefficient must not vanish anywhere."""
        seen = self.first(time)
        if seen is None:
            return Proof(None, "No formula for it is known in general.")
        term, sure, scope = seen
        evidence = (self._evidence(term, scope),)
        if not self.agrees(term):
            return Proof(False, self._otherwise(term), evidence)
        if sure is None:
            why = f"Its first term {plain(self.written(term))} may vanish, or not exist, somewhere."
            return Proof(None, why, evidence)
        return Proof(True, self._because(term, scope), evidence)

    def _because(self, term: Term, scope: str) -> str:
        if term == NOTHING:
            return "The quantity is zero."
        shown = plain(self.written(term))
        if self.order.relation == AT_MOST and term.power != self.power:
            return (
                f"It is smaller than that: the first term is {shown}, {scope}, so the bound is not"
                f" tight, and {self._told(term)} holds."
            )
        tight = ", and the bound is tight" if self.order.relation == AT_MOST else ""
        return f"The first term is {shown}, which vanishes nowhere, {scope}{tight}."

    def _otherwise(self, term: Term) -> str:
        if term == NOTHING:
            return "The quantity is zero."
        return f"The first term is {plain(self.written(term))}: of order {self._told(term)}."

    def _evidence(self, term: Term, scope: str) -> Evidence:
        name = Formula("q", "q")
        first = Equation(name, self.written(term), "->")
        step = Step(
            "The first term",
            f"The quantity, or its entry at a pair of modes, expanded as {self.path.words()}:",
            (first,),
        )
        derivation = Derivation("Order of the quantity", (step,), (Result("first_term", first),))
        tight = term.power == self.power and term.logs == 0
        data = {"dimensions": scope, "order": self._told(term), "tight": tight}
        return Evidence("symbolic", f"By its expansion, {scope}.", data, derivation)

    def correct(self, time: str) -> Correction | None:
        """The true order, where it is the same everywhere and a power."""
        seen = self.first(time)
        if seen is None or seen[0] == NOTHING or seen[0].logs or seen[1] is None:
            return None
        term, _, scope = seen
        power = Fraction(term.power)
        right = self.variable ** sp.Rational(power.numerator, power.denominator)
        true = replace(self.order, right=right, relation=EXACTLY)
        words = f"{scope}, with first term {plain(self.written(term))}"
        return Correction(true.latex(), true.text(), "proved", words, (true,))

    def script(self, failure: Failure, time: str) -> str:
        """Quantity over printed power at a few points: its ratio grows or vanishes."""
        squared = 2 if is_matrix(self.order.left) else 1
        value = "norm(value[0])" if squared == 2 else "abs(value[0])"
        binary = -4 * self.power * self._down * squared  # 16^-k to the p is 2^(binary k)

        def ratio(k: str) -> str:
            if binary.denominator != 1:
                return f"float({value}) / 2.0**({float(binary)} * {k})"
            scale = f"F(2)**({binary} * {k})"
            return f"{value} / {f'd({scale})' if needs_decimals(self.quantities()) else scale}"

        room = 2**squared
        decide = f"ratio[-1] <= {room} * ratio[-2]"
        if self.order.relation == EXACTLY:
            decide += f" and ratio[-2] <= {room} * ratio[-1] and ratio[-1] > 0"
        return self.script_along(failure, time, ratio, decide, STEP_CHOICES)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The true order and the printed one, with exact values on the way."""
        x, seen, what = self.variable, failure.sides.left, self.order.left
        values = values_along(what, self.law_of, failure.place, self.path, time, SHOWN) or ()
        points = self.path.points(SHOWN)
        norm = " has a norm whose square" if is_matrix(what) else ""
        return Counterexample(
            failure.place.to_json(),
            latex(replace(seen, coefficient=sp.Integer(1)).written(x)),
            latex(sp.sympify(self.order.right)),
            f"true and printed order; at {x} = {points} the quantity{norm} is"
            f" {', '.join(map(str, values))}",
        )

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """Other exponents, another letter, the other limit, and a corrupted quantity."""
        x, p = self.variable, sp.sympify(self.order.right)
        half = sp.Rational(1, 2)
        for name, right in (
            ("one power more", p * x),
            ("three powers more", p * x**3),
            ("one power less", p / x),
            ("half a power more", p * x**half),
            ("half a power less", p * x**-half),
            ("power doubled", p**2),
            ("power flipped", 1 / p),
        ):
            if sp.expand(right - p) != 0:
                yield name, replace(self, printed=(replace(self.order, right=right),))
        if self.order.relation == AT_MOST:
            yield "Theta for O", replace(self, printed=(replace(self.order, relation=EXACTLY),))
        other_end = "0" if self.limit == "oo" else "oo"
        if self._expands(other_end):
            yield f"{x} to the other end", replace(self, limit=other_end)
        for other in self.candidates():
            right = p.subs(x, other)
            yield (
                f"{other} for {x}",
                replace(self, variable=other, printed=(replace(self.order, right=right),)),
            )
        for name, wrong in corruptions(self.order.left):
            if wrong != 0 and is_rational_somewhere(wrong):
                yield f"left: {name}", replace(self, printed=(replace(self.order, left=wrong),))

    def _expands(self, limit: str) -> bool:
        """Whether it is known what a formula in scalars does at a limit."""
        if self.where or not in_scalars(self.order.left):
            return False
        try:
            leading(self.order.left, self.variable, limit)
        except (Undecided, ZeroDivisionError, NotImplementedError):
            return False
        return True

    def says_the_same(self, other: Self) -> bool:
        """A corruption that is a true rate again is none: a factor, or a term of higher order."""
        return self.prove(self.time).holds is True
