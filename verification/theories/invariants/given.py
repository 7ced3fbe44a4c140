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
    "tau": "$1/(N eta)$ is small beside $M/N$",
    "eta": "$eta$ is small enough beside these",
}
_BETWEEN = "the gradients of the examples at the mode differ, $M/N$ staying between two positive numbers"
_NUMBERS = {"u3": "bend", "v11": "pull", "v22": "apart", "tau": "tau"}
_HALF, _SMALL = Fraction(1, 2), Fraction(1, 4096)


@dataclass(frozen=True)
class Away(Condition):
    """Letters of first terms are not zero, u3, v11 or v22; tau = 1/(N eta) is nothing beside them.

    First terms in eta decide at a fixed eta only where that is small beside them. Gradients have no
    bound among the hypotheses, so that what is of one size says of them also that they are no larger.
    """

    letters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    bounded: bool = False

    @classmethod
    def of(cls, names: tuple[str, ...], relation: str) -> Away:
        """What a relation needs of some letters."""
        ordered = tuple(n for n in _NEEDS if n in names)
        return cls((), ordered, relation == "Theta" and "v11" in names)

    @property
    def words(self) -> Sentence:
        """What stays away from zero."""
        told = _NEEDS | ({"v11": _BETWEEN} if self.bounded else {})
        return joined(*(told[n] for n in self.names), by=" and ")

    def holds(self, place: Place) -> bool:
        """The numbers of two kinds of examples that these letters are made of."""
        return all(_is_there(n, place) for n in self.names)

    def imposed(self, place: Place) -> Place:
        """With one half where nothing was."""
        missing = (n for n in self.names if n in _NUMBERS and not _is_there(n, place))
        return place.but(**{_NUMBERS[n]: _SMALL if n == "tau" else _HALF for n in missing})


def _is_there(name: str, place: Place) -> bool:
    if name not in _NUMBERS:  # it is of no single place
        return True
    x = place.scalars.get(_NUMBERS[name])
    return x is not None and x <= _SMALL if name == "tau" else bool(x)


LINEAR = Without((), "gradients are linear, as in Bayesian linear regression", "bend")
