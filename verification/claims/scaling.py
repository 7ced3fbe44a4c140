"""Claims that a law's covariance is proportional to a power of a letter: of a parameter, or of a matrix.

A matrix is scaled as a whole. The proof puts the scaled letter into the entry at a pair of modes; the
other route solves both laws in exact numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.language import step_in
from sgtheory.pairs import LI, LJ, stationary
from sgtheory.printing import latex, plain, tidy
from verification.asymptotics import Undecided, first_terms
from verification.claims.base import Claim, Printed, Proof
from verification.miner.conditions import Condition, conditions, restrict
from verification.notation import Sigma
from verification.pairform import NOISE
from verification.rational import problem_space, stationary_moments
from verification.refuter.alongscript import head_for, law_lines
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.verdict import Counterexample, Evidence, Gap

_TIMES = Fraction(1, 4)  # a square, and a smaller step stays stable
_a = sp.Symbol("a", positive=True)
_POWERS = (-2, -1, 0, 1, 2)


@dataclass(frozen=True)
class ScalesAs(Printed):
    """``left`` is proportional to a ``power`` of the letter ``right``."""

    relation: str = "scales"
    power: int = 1

    def latex(self) -> str:
        """As a proportionality."""
        letter = latex(self.right) if self.right.is_commutative else rf"|{latex(self.right)}|"
        return rf"{latex(self.left)} \propto {letter}^{{{self.power}}}"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} is proportional to {plain(self.right)}**({self.power})"


@dataclass(frozen=True)
class Scaling(Claim):
    """``printed`` are ``ScalesAs`` of the stationary covariance of a sampler."""

    @property
    def statements(self) -> tuple[ScalesAs, ...]:
        """What is printed."""
        return tuple(p for p in self.printed if isinstance(p, ScalesAs))

    def space(self) -> Space:
        """Small problems of the sampler."""
        return problem_space(self.setting)

    def look(self, time: str) -> Look:
        """The covariance as it is scaled, and as it is said to be scaled."""

        def at(place: Place) -> Sides | None:
            sides = None
            for said in self.statements:
                laws = [
                    stationary_moments(self.setting, p, time)
                    for p in (place, _scaled(place, said.right))
                ]
                if laws[0] is None or laws[1] is None:
                    return None
                factor = _TIMES**said.power
                left = laws[1]["theta,theta"]
                right = [[factor * x for x in row] for row in laws[0]["theta,theta"]]
                sides = Sides(_strings(left), _strings(right), left == right)
                if not sides.holds:
                    return sides
            return sides

        return at

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = 2,
    ) -> bool | None:
        """At a problem with a step that is small enough."""
        place = self.space().random(source, size)
        for condition in (*self.conditions, *([under] if under else [])):
            place = restrict(place, condition)
        if "eps" in place.scalars:
            place = place.but(eps=place.scalars["eps"] / 64)
        sides = seen(self.look(time), place)
        return None if sides is None else sides.holds

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Of the matrices."""
        return conditions(("A", "C"))

    @property
    def necessity_looks(self) -> int:
        """Each takes two laws."""
        return 60

    def _ratio(self, said: ScalesAs, time: str) -> Any:
        """The entry with the letter scaled, over the entry times the power that is printed."""
        entry = stationary(self.setting, time).entry("theta", "theta")
        name = said.right.name
        if name == "A":
            moved = entry.subs({LI: _a * LI, LJ: _a * LJ}, simultaneous=True)
        elif name == "C":
            moved = entry.subs(NOISE, _a * NOISE)
        else:
            letter = next(s for s in entry.free_symbols | {said.right} if s.name == name)
            moved = entry.subs(letter, _a * letter)
        return sp.cancel(moved / (_a**said.power * entry))

    def prove(self, time: str) -> Proof:
        """The ratio is one at a generic pair of modes, so in every dimension."""
        ratios = [self._ratio(said, time) for said in self.statements]
        equations = tuple(
            Equation(Formula(r"\text{ratio}", "ratio"), sp.factor(ratio)) for ratio in ratios
        )
        step = Step("Scale the letter", "The entry scaled by a, over what is printed:", equations)
        told = Derivation("Scaling of the law", (step,), ())
        words = "By the entry at a pair of modes, in every dimension."
        evidence = Evidence("symbolic", words, {"dimensions": "every"}, told)
        holds = all(r == 1 for r in ratios)
        where = "continuous-time process" if time == "continuous" else "discrete algorithm"
        verb = "scales as printed" if holds else "does not scale as printed"
        return Proof(holds, f"The law of the {where} {verb}, at every pair of modes.", (evidence,))

    def gap(self, time: str) -> Gap | None:
        """How far the ratio is from one as the step vanishes, with the letter multiplied by a."""
        worst: Gap | None = None
        for said in self.statements:
            rest = sp.cancel(self._ratio(said, time) - 1)
            if rest == 0:
                continue
            step = step_in(rest)
            try:
                (first,) = first_terms(rest, step, count=1)
            except (Undecided, ZeroDivisionError, ValueError):
                return None
            if first.power <= 0:
                return None
            term = tidy(sp.factor(first.written(step)))
            worst = worst or Gap(str(step), str(first.power), Formula(latex(term), plain(term)))
        return worst

    def reason(self, verdict: str, time: str, mined: Any, proof: Proof) -> str:
        """What is right in the limit is said to be."""
        if verdict != "limit-only":
            return super().reason(verdict, time, mined, proof)
        where = "continuous-time process" if time == "continuous" else "discrete algorithm"
        return f"For the {where} it is right to leading order in the step, and no further."

    def says_the_same(self, other: Any) -> bool:
        """What is proved as well is no corruption."""
        return bool(self.prove(self.time).holds)

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """Other powers."""
        for k, said in enumerate(self.statements):
            for power in _POWERS:
                if power != said.power:
                    changed = replace(said, power=power)
                    relations = (*self.printed[:k], changed, *self.printed[k + 1 :])
                    yield f"power {power} of {said.right}", replace(self, printed=relations)

    def true_statement(self, finding: Any) -> Self | None:
        """To leading order it is the statement itself, about the limit."""
        return self if finding.verdict == "proved" else None

    def script(self, failure: Failure, time: str) -> str:
        """Both laws, and whether one is the printed multiple of the other."""
        for said in self.statements:
            narrow = replace(self, printed=(said,)).look(time)(failure.place)
            if narrow is None or narrow.holds:
                continue
            lines = [f"# {self.heading}"]
            for k, place in enumerate((failure.place, _scaled(failure.place, said.right)), start=1):
                lines += law_lines((Sigma,), self.setting, place, time)
                lines.append(
                    f"value_{k} = Sigma  # with {said.right} {'as it is' if k == 1 else 'over 4'}"
                )
            lines += [
                f"left, right = value_2, F(1, 4)**({said.power}) * value_1",
                "print(left, right, sep='\\n')",
                "print(bool((left == right).all()))",
            ]
            return head_for((Sigma,)) + "\n".join(lines) + "\n"
        return ""

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The covariance with the letter divided by four, and what it should be."""
        return Counterexample(
            failure.place.to_json(),
            failure.sides.left,
            failure.sides.right,
            "the covariance with the letter divided by 4, and what is printed of it",
        )


def _scaled(place: Place, letter: Any) -> Place:
    """A scalar, or a matrix as a whole; the noise covariance through its factor."""
    name = str(letter.name)
    if name in place.scalars:
        return place.but(**{name: place.scalars[name] * _TIMES})
    factor, name = (Fraction(1, 2), "B") if name == "C" else (_TIMES, name)
    return place.but(**{name: tuple(tuple(factor * x for x in row) for row in place.matrices[name])})


def _strings(rows: Any) -> list[list[str]]:
    return [[str(x) for x in row] for row in rows]
