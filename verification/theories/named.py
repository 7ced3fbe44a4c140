"""Numbers of a place with the law that is spoken of, and a condition on one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sgtheory.notation.sentence import Sentence, sentence
from verification.refuter.conditions import Condition
from verification.refuter.places import Place
from verification.terms.comparing import nearly
from verification.terms.term import Letter
from verification.terms.ways import Way


class Numbers(dict[str, Any]):
    """What letters are worth at a place, some of them by others, and the law that is spoken of."""

    digits = 60  # of a script

    def __init__(self, values: Mapping[str, Any], place: Place, law: Any) -> None:
        super().__init__(values)
        self.place, self.law = place, law

    def moved(self, way: Way, k: int, **more: Any) -> dict[str, Any] | None:
        """What letters are worth on a way to a limit; None where that is undefined."""
        known = {**self.place.scalars, **more, way.letter.name: way.point(k)}
        for letter, value in way.where:
            found = nearly(value, known)
            if found is None:
                return None
            known[letter.name] = found
        return known

    def called(self, letters: Iterable[Letter]) -> dict[str, str]:
        """What a script calls letters."""
        return {a.name: f"_d({a.name})" for a in letters}


@dataclass(frozen=True)
class Without(Condition):
    """A number of a place is zero, or is not there."""

    letters: tuple[str, ...] = ()
    said: str = ""
    number: str = ""
    usual: str = ""

    @property
    def words(self) -> Sentence:
        """As it is said."""
        return sentence(self.said)

    def holds(self, place: Place) -> bool:
        """Nothing of it."""
        return not place.scalars.get(self.number)

    def imposed(self, place: Place) -> Place:
        """Set to zero."""
        return place.but(**{self.number: 0}) if self.number in place.scalars else place


def by_chance(what: str) -> str:
    """Whose gradients at the mode are so, for all of many examples.

    >>> print(by_chance("vary"))
    Examples drawn independently from one law have such gradients almost surely, where these vary.
    """
    start = "Examples drawn independently from one law have such gradients almost surely, where these"
    return f"{start} {what}."
