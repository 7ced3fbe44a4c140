"""Statements that fix notation, and statements that are no mathematics.

A definition cannot be false, but it can be inconsistent: a letter that is nowhere declared, a matrix set
equal to a number, a sum of things that scale differently when the loss, the parameters or time are
measured in other units. Shapes and units are worked out from the declared letters; the second route
puts numbers in, changes the units, and looks whether both sides change alike.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.notation.printing import plain
from sgtheory.notation.sentence import Sentence, listed, say
from verification.refuter.twins import corruptions, spread
from verification.statements.entry import Claim
from verification.terms.kinds import Clash, Kind, kind_of, unit_text, value_of
from verification.terms.printed import Printed
from verification.verdicts.verdict import Counterexample, Evidence, Finding, Twins, differ

_SAME = 1e-9  # relative: sums of a few products of numbers near one lose less in double precision


@dataclass(frozen=True)
class Definition(Claim):
    """``printed`` fixes the meaning of its left sides; ``declared`` are the kinds of all letters."""

    declared: tuple[tuple[Any, Kind], ...] = ()

    @property
    def kinds(self) -> Mapping[Any, Kind]:
        """The kind of each letter."""
        return dict(self.declared)

    def has_discrete_reading(self) -> bool:
        """It is about notation."""
        return False

    def undeclared(self) -> tuple[str, ...]:
        """Letters without a kind."""
        used = {s for p in self.printed for side in (p.left, p.right) for s in _letters(side)}
        return tuple(sorted(str(s) for s in used - set(self.kinds)))

    def clash(self) -> Sentence | None:
        """What is inconsistent, by the rules of shapes and units; None where nothing is."""
        for printed in self.printed:
            try:
                left, right = (kind_of(side, self.kinds) for side in (printed.left, printed.right))
            except Clash as why:
                return why.words
            if left.shape != right.shape:
                return say("the left side is {}, the right side {}", left.shape_text, right.shape_text)
            zero = 0 in (printed.left, printed.right)
            if not zero and sp.simplify(left.unit / right.unit) != 1:
                units = unit_text(left.unit), unit_text(right.unit)
                return say("the left side is measured in ${}$, the right side in ${}$", *units)
        return None

    def rescaled(self) -> tuple[str, str] | None:
        """Two ratios of the sides that should be one, before and after a change of units.

        None where both sides change alike; shapes that do not fit raise ``Clash``.
        """
        for printed in map(_balanced, self.printed):
            if 0 in (printed.left, printed.right):
                continue
            units = self._units()
            before = self._sizes(printed, dict.fromkeys(units, 1.0))
            for k, base in enumerate(units):
                scale = {u: float(sp.prime(k + 1)) if u == base else 1.0 for u in units}
                after = self._sizes(printed, scale)
                ratios = [b / a for a, b in zip(before, after, strict=True)]
                if not all(math.isclose(ratios[0], r, rel_tol=_SAME) for r in ratios):
                    return (f"{ratios[0]:.12g}", f"{max(ratios, key=lambda r: abs(r - ratios[0])):.12g}")
        return None

    def _units(self) -> tuple[Any, ...]:
        found = {s for kind in self.kinds.values() for s in sp.sympify(kind.unit).free_symbols}
        return tuple(sorted(found, key=str))

    def _sizes(self, printed: Printed, scale: Mapping[Any, float]) -> list[float]:
        """All entries of both sides at random numbers, in units that are so many times smaller."""
        import numpy as np

        source = random.Random(self.id)
        letters = {}
        for letter, kind in sorted(self.declared, key=lambda pair: str(pair[0])):
            factor = float(sp.sympify(kind.unit).subs({u: sp.Float(x) for u, x in scale.items()}))
            letters[letter] = kind.random(source) * factor
        left, right = (value_of(side, letters) for side in (printed.left, printed.right))
        if np.shape(left) != np.shape(right):
            raise Clash(f"shapes {np.shape(left)} and {np.shape(right)}")
        return [float(x) for side in (left, right) for x in np.ravel(side) if x != 0]

    def find(self, time: str | None = None) -> Finding:
        """By the rules, and by changing units."""
        missing = self.undeclared()
        if missing:
            named = listed(f"${name}$" for name in missing)
            words: str = say("Nothing says what {} {}.", named, "is" if len(missing) == 1 else "are")
            return Finding("inconclusive", words, ())
        clash = self.clash()
        try:
            changed = self.rescaled()
            shapes = None
        except Clash as why:
            changed, shapes = None, str(why)
        if (clash is None) != (changed is None and shapes is None):
            raise differ(
                self.id,
                "rules of shapes and units",
                f"{clash or 'no clash'}",
                "numbers",
                f"{changed or shapes or 'no change'}",
            )
        evidence = (
            Evidence("symbolic", "Shapes and units, letter by letter.", {"clash": clash}),
            Evidence(
                "exact",
                "Random numbers in the place of letters, before and after a change of each unit.",
                {"holds": clash is None},
            ),
        )
        if clash is None:
            words = "Both sides have the same shape, and scale alike when units are changed."
            return Finding("definition", words, evidence)
        left, right = changed or (r"\text{one shape}", r"\text{another}")
        words = "by which the first entry, and another, change in other units"
        shown = Counterexample(
            {str(s): unit_text(k.unit) for s, k in self.declared},
            left,
            right,
            words if changed else "shapes that do not fit",
            self._shapes(),
        )
        return Finding("refuted", say("It is inconsistent: {}.", clash), evidence, counterexample=shown)

    def _shapes(self) -> str:
        """A script that makes both sides, where their shapes are what differs."""
        for printed in self.printed:
            try:
                left, right = (kind_of(side, self.kinds) for side in (printed.left, printed.right))
            except Clash:
                return ""
            if left.shape != right.shape:
                return (
                    f"# {self.heading}\nimport numpy as np\n"
                    f"left, right = np.ones({left.sizes}), np.ones({right.sizes})"
                    f"  # {left.shape_text}, {right.shape_text}\n"
                    "print(left.shape, right.shape)\nprint(left.shape == right.shape)\n"
                )
        return ""

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """There is nothing to measure."""
        return finding, None

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Corruptions that change shape or scaling must be seen by the numbers alone."""
        if finding.verdict != "definition":
            return Twins(0, 0, none="it is no definition that could be made wrong")
        tried, rejected, survivors, equivalent = 0, 0, [], []
        for name, twin in spread(self.corrupted(finding), most):
            if twin.undeclared():  # seen before any number is put in
                tried, rejected = tried + 1, rejected + 1
                continue
            if twin.clash() is None:  # as good a definition, of something else
                equivalent.append(name)
                continue
            tried += 1
            try:
                seen = twin.rescaled() is not None
            except Clash:
                seen = True
            rejected += seen
            survivors += [] if seen else [name]
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """Each side corrupted, and multiplied or divided by each declared letter that is a number."""
        numbers = [s for s, k in self.declared if k.shape == () and s.is_commutative]
        for k, printed in enumerate(self.printed):
            changes = [(f"right: {n}", w) for n, w in corruptions(printed.right)]
            changes += [(f"right: times {s}", printed.right * s) for s in numbers]
            changes += [(f"right: over {s}", printed.right / s) for s in numbers]
            for name, wrong in changes:
                relations = (
                    *self.printed[:k],
                    replace(printed, right=wrong),
                    *self.printed[k + 1 :],
                )
                if wrong != 0 and _letters(wrong) <= set(self.kinds):
                    yield name, replace(self, printed=relations)


def _balanced(printed: Printed) -> Printed:
    """A sum that is set to zero, with its first term on the other side."""
    side = sp.sympify(printed.left if printed.right == 0 else printed.right)
    if 0 not in (printed.left, printed.right) or not side.is_Add:
        return printed
    first, *rest = side.args
    return Printed(first, -sp.Add(*rest))


def _letters(side: Any) -> set[Any]:
    return set(sp.sympify(side).atoms(sp.Symbol)) - {sp.Symbol("I", commutative=False)}


# Why no computation decides a statement.
WHY = {
    "attribution": "It says who did what, which no computation decides.",
    "theorem": "It is a theorem that is cited, of laws that nothing here computes.",
    "picture": "It is a picture, or says what one shows.",
    "timing": "It is about the time that a machine took.",
    "opinion": "It is a judgement.",
    "setting": "It says what was run, on which data: nothing that is printed could contradict it.",
    "assumption": "It is assumed; what follows from it is judged where it is used.",
    "reference": "It says where or how something is written, or recalls it: it states nothing about it.",
}


@dataclass(frozen=True)
class NotMathematical(Claim):
    """A numbered statement that no computation decides; ``because`` says why, in one of a few words.

    There is no formula in it, so that it is always read.
    """

    because: str = "attribution"
    stands: str = "read"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.because not in WHY:
            raise UnusableInput(f"one of {', '.join(WHY)}", repr(self.because), "choose the nearest")
        if self.stands != "read":
            raise UnusableInput(
                f"stands of {self.key} to be read, as there is no formula", repr(self.stands), "leave it"
            )
        if self.printed:
            raise UnusableInput(
                "no relation in a statement that is not mathematical",
                "; ".join(plain(p.left) for p in self.printed),
                "give it the type of what it says",
            )

    def has_discrete_reading(self) -> bool:
        """It has none."""
        return False

    def find(self, time: str | None = None) -> Finding:
        """Nothing is decided."""
        return Finding("not-mathematical", WHY[self.because], ())

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """There is nothing to measure."""
        return finding, None

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Nothing is printed that could be corrupted."""
        return Twins(0, 0, none="it prints nothing that could be made wrong")
