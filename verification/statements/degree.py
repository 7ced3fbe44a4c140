"""Sentences that say how much and print no number: what is asked of is shown, and nothing is decided."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sgtheory.errors import UnusableInput
from verification.relations import All, Compare
from verification.statements.entry import Claim
from verification.statements.scripts import says
from verification.terms.term import Term, number
from verification.verdicts.verdict import Evidence, Finding, Twins, differ
from verification.verdicts.wording import DEGREE

_NEAR = Fraction(1, 10**5)  # relative: numbers are shown to six digits


@dataclass(frozen=True)
class MatterOfDegree(Claim):
    """``shown`` are numbers that the sentence is about, each with its name.

    A threshold would be ours, and so neither a proof nor a refutation of what is printed.
    """

    shown: tuple[tuple[str, Term], ...] = ()
    stands: str = "read"

    def __post_init__(self) -> None:
        """A number has no letters, or they have been given."""
        super().__post_init__()
        free = sorted(str(a) for _, side in self.shown for a in side.letters)
        if free or not self.shown:
            what = f"numbers to show in {self.key}"
            raise UnusableInput(what, ", ".join(free) or "none", "give numbers= for all letters")

    def has_discrete_reading(self) -> bool:
        """Nothing is decided of either."""
        return False

    def find(self, time: str | None = None) -> Finding:
        """Each number, in exact arithmetic or balls, and again in decimals."""
        evidence = tuple(self._shown(name, side) for name, side in self.shown)
        told = "; ".join(
            f"{name} is {e.data['about']}" for (name, _), e in zip(self.shown, evidence, strict=True)
        )
        return Finding(DEGREE, f"No number is printed that would decide it: {told}.", evidence)

    def _shown(self, name: str, side: Term) -> Evidence:
        seen = Compare(side, "!=", number("0")).at({})
        if seen is None:
            raise UnusableInput(f"{name} in {self.key} to be a number", "none", "look at its formula")
        value = Fraction(seen.left)
        low, high = (number(str(end)) for end in sorted((value * (1 - _NEAR), value * (1 + _NEAR))))
        if not says(All(Compare(low, "<=", side), Compare(side, "<=", high)), {}):
            raise differ(self.id, "balls", f"{name} is {seen.left}", "decimals", "it is another number")
        about = f"{float(value):.6g}"
        words = f"{name[0].upper()}{name[1:]} is {about}."
        return Evidence("exact", words, {"name": name, "value": seen.left, "about": about})

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Nothing is claimed that could be corrupted."""
        return Twins(0, 0, none="it prints nothing that could be made wrong")
