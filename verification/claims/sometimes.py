"""Claims that less of something sometimes makes an unstable chain stable."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Self

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Printed
from verification.claims.onemode import OneMode, follows, relation_of
from verification.refuter.places import Place, Space
from verification.refuter.twins import spread
from verification.terms.asymptotics import sign
from verification.verdicts.verdict import Evidence, Finding, Twins


@dataclass(frozen=True)
class Steadier(Printed):
    """Less (or more) of the letter ``left`` sometimes makes an unstable chain stable."""

    relation: str = "smaller"

    def latex(self) -> str:
        """As an existence statement."""
        x, word = latex(self.left), ">" if self.relation == "smaller" else "<"
        return rf"\exists\, {x}' {word} {x}:\; \text{{stable at }} {x},\ \text{{unstable at }} {x}'"

    def text(self) -> str:
        """On one line."""
        return f"a {self.relation} {self.left} sometimes makes an unstable chain stable"


@dataclass(frozen=True)
class Sometimes(OneMode):
    """``printed`` is one ``Steadier``; what moves with the letter is in ``sets``."""

    @property
    def steadier(self) -> Steadier:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, Steadier)
        return printed

    def find(self, time: str | None = None) -> Finding:
        """A witness makes it true; criteria that only move the other way make it false."""
        when = time or self.time
        witness, ways = self.witness(when), self.ways(when)
        wanted = -1 if self.steadier.relation == "smaller" else 1
        evidence = [self._region(when, ways)]
        if witness is not None:
            at, other = witness
            shown = {**at.to_json(), f"other {self.steadier.left}": str(other)}
            words = f"Stable at {_told_place(at)}, unstable with {self.steadier.left} = {other} instead."
            evidence.append(Evidence("exact", words, {"holds": True, "places": 1, "witness": shown}))
            return Finding("proved", f"{words} {self._always(ways, wanted)}", tuple(evidence))
        if ways and all(w == -wanted for w in ways):
            reason = "Every criterion of stability moves the other way."
            return Finding("refuted", reason, tuple(evidence))
        return Finding("inconclusive", "No example was found, and no reason why there is none.", ())

    def _always(self, ways: tuple[int | None, ...], wanted: int) -> str:
        if all(w == wanted for w in ways):
            return (
                f"A {self.steadier.relation} {self.steadier.left} never makes a stable chain unstable."
            )
        return f"A {self.steadier.relation} {self.steadier.left} can also make a stable chain unstable."

    def witness(self, time: str) -> tuple[Place, Fraction] | None:
        """The smallest place that is stable while another value of the letter is not."""
        name, kind = str(self.steadier.left), self.space().scalars[str(self.steadier.left)]
        source, space = random.Random(1), self.space()
        values = sorted({p.scalars[name] for p in Space({}, {name: kind}).small()})
        for place in (*islice(space.small(), 400), *(space.random(source) for _ in range(100))):
            here = place.scalars[name]
            others = [
                v for v in values if (v > here) == (self.steadier.relation == "smaller") and v != here
            ]
            if not others or not self.is_stable(place, time):
                continue
            for other in others:
                if not self.is_stable(place.but(**{name: other}), time):
                    return place, other
        return None

    def ways(self, time: str) -> tuple[int | None, ...]:
        """The direction in which each criterion that can fail moves with the letter."""
        found = []
        generic = [sp.fraction(sp.together(c))[0] for c in self.criteria(time, {})]
        for case in self.cases():
            x = next((s for s in case if s.name == str(self.steadier.left)), self.steadier.left)
            if case.get(x, x).is_number:  # an end: what holds inside holds there by continuity
                continue
            for c, put in zip(generic, self.criteria(time, case), strict=True):
                if not follows(put, []):
                    found.append(sign(sp.factor(sp.diff(c, x).subs(case))))
        return tuple(found)

    def _region(self, time: str, ways: tuple[int | None, ...]) -> Evidence:
        always = [follows(c, []) for c in self.criteria(time, {})]
        rest = [c for c, known in zip(self.criteria(time, {}), always, strict=True) if not known]
        relations = tuple(relation_of(c) for c in rest)
        equations = tuple(
            Equation(Formula(latex(p.left), plain(p.left)), p.right, "<") for p in relations
        )
        where = ", ".join(f"{a} = {plain(b)}" for a, b in self.sets)
        step = Step("Where it is stable", f"With {where}, exactly where:", equations)
        words = " and ".join(p.text() for p in relations)
        derivation = Derivation(
            "Stability", (step,), (Result("region", equations[0]),) if equations else ()
        )
        return Evidence(
            "symbolic", f"Stable exactly where {words}.", {"dimensions": "every"}, derivation
        )

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """The other direction, and other things held fixed, decided in the same two ways."""
        tried = rejected = 0
        survivors, equivalent = [], []
        for name, twin in spread(self.corrupted(finding), most):
            word = twin.find().verdict
            if word == "proved":
                equivalent.append(name)
                continue
            tried += 1
            rejected += word == "refuted"
            survivors += [] if word == "refuted" else [name]
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Larger for smaller; the step set otherwise."""
        one = self.steadier
        turned = "larger" if one.relation == "smaller" else "smaller"
        yield "relation turned", replace(self, printed=(replace(one, relation=turned),))
        for k, (letter, value) in enumerate(self.sets):
            for name, factor in (("over", 1 / one.left**2), ("times", one.left)):
                changed = (*self.sets[:k], (letter, value * factor), *self.sets[k + 1 :])
                yield f"{letter}: {name} {one.left}", replace(self, sets=changed)


def _told_place(place: Place) -> str:
    return ", ".join(f"{n} = {x}" for n, x in place.scalars.items())
