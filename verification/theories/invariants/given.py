"""What is given of examples: properties that places can be tested for, and be given."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sgtheory.notation.sentence import Sentence, joined
from verification.refuter.conditions import Condition
from verification.refuter.places import Place
from verification.theories.named import Without

_NEEDS = {
    "u3": "the third derivative of $U/N$ at the mode stays away from 0",
    "v11": "the gradients of the examples at the mode differ, $M/N$ staying away from 0",
    "v22": "the Hessians of the examples at the mode differ, $K/N^2$ staying away from 0",
    "tau": "$1/(N eta)$ stays away from $M/(2 p N)$",
    "eta": "$eta$ is small enough beside these",
    "bounded": "$M/N$ stays bounded",
}
_BETWEEN = "the gradients of the examples at the mode differ, $M/N$ staying between two positive numbers"
_NUMBERS = {"u3": "bend", "v11": "pull", "v22": "apart", "tau": "tau", "bounded": "louder"}
_HALF, _SMALL = Fraction(1, 2), Fraction(1, 4096)
_IMPOSED = {"tau": _SMALL, "bounded": Fraction(0)}  # with one half where nothing was, else
_BATCH, _CLEAR = 2, Fraction(1, 16)  # at every place; how far away can be seen


@dataclass(frozen=True)
class Away(Condition):
    """Letters of first terms are not zero, u3, v11 or v22; tau = 1/(N eta) is not half of v11.

    First terms in eta decide at a fixed eta only where that is small beside them. H1 bounds no
    gradients, so that whatever is at most of some size needs to be told that v11 is bounded.
    """

    letters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: tuple[str, ...]) -> Away:
        """In the order in which they are told."""
        return cls((), tuple(n for n in _NEEDS if n in names))

    @property
    def words(self) -> Sentence:
        """What stays away from zero, or bounded."""
        between = {"v11", "bounded"} <= set(self.names)
        told = _NEEDS | ({"v11": _BETWEEN} if between else {})
        return joined(*(told[n] for n in self.names if n != "bounded" or not between), by=" and ")

    def holds(self, place: Place) -> bool:
        """The numbers of two kinds of examples that these letters are made of."""
        return all(_is_there(n, place) for n in self.names)

    def imposed(self, place: Place) -> Place:
        """With one half where nothing was, and pulls that do not grow."""
        missing = (n for n in self.names if n in _NUMBERS and not _is_there(n, place, _CLEAR))
        return place.but(**{_NUMBERS[n]: _IMPOSED.get(n, _HALF) for n in missing})


def _is_there(name: str, place: Place, clear: Fraction = Fraction(0)) -> bool:
    if name not in _NUMBERS:  # it is of no single place
        return True
    x = place.scalars.get(_NUMBERS[name])
    if name == "bounded":
        return not x
    if name == "tau":
        half = sized(place.scalars.get("pull", Fraction(0))) ** 2 / (2 * _BATCH)
        return x is not None and abs(x - half) > clear
    return bool(x)


def sized(x: Fraction) -> Fraction:
    """Nothing, or at least a half: what is small beside 1/N shows nothing."""
    return x if x == 0 else (x + (1 if x > 0 else -1)) / 2


LINEAR = Without((), "gradients are linear, as in Bayesian linear regression", "bend")
