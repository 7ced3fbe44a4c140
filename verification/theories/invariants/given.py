"""What is given of examples: properties that places can be tested for, and be given."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sgtheory.notation.sentence import Sentence, joined
from verification.refuter.conditions import Condition
from verification.refuter.places import Place
from verification.theories.named import Without, by_chance

_NEEDS = {
    "u3": "the third derivative of $U/N$ at the mode stays away from 0",
    "v11": "the gradients of the examples at the mode differ, $M/N$ staying away from 0",
    "v22": "the Hessians of the examples at the mode differ, $K/N^2$ staying away from 0",
    "fourth": "the mean of the fourth powers of these gradients, less their mean, stays bounded",
    "bounded": "$M/N$ stays bounded",
    "slow": "$N eta$ stays bounded (where it grows, a fourth moment of the gradients must not)",
    "tau": "$1/(N eta)$ stays away from $M/(2 p N)$",
    "eta": "$eta$ is small enough beside these",
}
_TOGETHER = {
    ("v11", "bounded"): "the gradients of the examples at the mode differ, $M/N$ staying between two"
    " positive numbers",
    ("bounded", "slow"): "$M/N$ and $N eta$ stay bounded (where $N eta$ grows, a fourth moment of the"
    " gradients must not)",
}
_NUMBERS = {
    "u3": "bend",
    "v11": "pull",
    "v22": "apart",
    "fourth": "louder",
    "bounded": "louder",
    "tau": "tau",
}
_HALF, _SMALL = Fraction(1, 2), Fraction(1, 4096)
# with one half where nothing was, else
_IMPOSED = {"tau": _SMALL, "bounded": Fraction(0), "fourth": Fraction(0)}
_BATCH, _CLEAR = 2, Fraction(1, 16)  # at every place; how far away can be seen


@dataclass(frozen=True)
class Away(Condition):
    """Letters of first terms are not zero, u3, v11 or v22; tau = 1/(N eta) is not half of v11.

    First terms in eta decide at a fixed eta only where that is small beside them. H1 bounds no
    gradients, so that whatever is at most of some size needs to be told that v11 is bounded. A mean at
    a fixed eta needs more of them: two examples that pull by sqrt(N) to either side leave v11 as it is,
    and the chain near the mode but for rare excursions, so that what is of third order decides.
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
        told = {n: _NEEDS[n] for n in self.names}
        for (one, other), words in _TOGETHER.items():
            if one in told and other in told:
                told[one] = words
                del told[other]
        return joined(*told.values(), by=" and " if len(told) < 3 else "; ")

    @property
    def usual(self) -> str:
        """What is asked of gradients."""
        asked = (("fourth", "a fourth moment"), ("bounded", "a variance"))
        had = next((f"have {moment}" for name, moment in asked if name in self.names), "")
        told = [*(["vary"] if "v11" in self.names else []), *([had] if had else [])]
        return by_chance(" and ".join(told)) if told else ""

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
    if name in ("bounded", "fourth"):
        return not x
    if name == "tau":
        half = sized(place.scalars.get("pull", Fraction(0))) ** 2 / (2 * _BATCH)
        return x is not None and abs(x - half) > clear
    return bool(x)


def sized(x: Fraction) -> Fraction:
    """Nothing, or at least a half: what is small beside 1/N shows nothing."""
    return x if x == 0 else (x + (1 if x > 0 else -1)) / 2


LINEAR = Without((), "gradients are linear, as in Bayesian linear regression", "bend")
