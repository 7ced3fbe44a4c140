"""What is given of examples: properties that places can be tested for, and be given."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from sgtheory.notation.sentence import Sentence, joined
from verification.refuter.conditions import Condition
from verification.refuter.places import Place
from verification.theories.named import Without

_NEEDS = {
    "u3": "the third derivative of $U/N$ at the mode stays away from 0",
    "v11": "the gradients of the examples at the mode differ, $M/N$ staying away from 0",
    "v22": "the Hessians of the examples at the mode differ, $K/N^2$ staying away from 0",
    "tau": "$N eta$ grows beyond all bounds",
}
_NUMBERS = {"u3": "bend", "v11": "pull", "v22": "apart", "tau": "tau"}
_HALF, _SMALL = Fraction(1, 2), Fraction(1, 4096)


@dataclass(frozen=True)
class Away(Condition):
    """Letters of first terms are not zero, u3, v11 or v22; tau = 1/(N eta) is nothing beside them."""

    letters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def words(self) -> Sentence:
        """What stays away from zero."""
        return joined(*(_NEEDS[n] for n in self.names), by=" and ")

    def holds(self, place: Place) -> bool:
        """The numbers of two kinds of examples that these letters are made of."""
        return all(_is_there(n, place) for n in self.names)

    def imposed(self, place: Place) -> Place:
        """With one half where nothing was."""
        missing = (n for n in self.names if not _is_there(n, place))
        return place.but(**{_NUMBERS[n]: _SMALL if n == "tau" else _HALF for n in missing})


def _is_there(name: str, place: Place) -> bool:
    x = place.scalars.get(_NUMBERS[name])
    return x is not None and x <= _SMALL if name == "tau" else bool(x)


LINEAR = Without((), "gradients are linear, as in Bayesian linear regression", "bend")
AWAY = tuple(Away((), names) for k in (1, 2, 3, 4) for names in combinations(_NEEDS, k))
