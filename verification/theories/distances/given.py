"""What is given of examples and of starts: properties that places can be tested for, and be given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from verification.refuter.conditions import Condition
from verification.refuter.places import Place


@dataclass(frozen=True)
class Quadratic(Condition):
    """The potential is quadratic, as in Bayesian linear regression."""

    letters: tuple[str, ...] = ()
    words = "U is quadratic"

    def holds(self, place: Place) -> bool:
        """Every place is such an example."""
        return True

    def imposed(self, place: Place) -> Place:
        """Nothing is changed."""
        return place


@dataclass(frozen=True)
class Gradients(Condition):
    """Whether the examples' gradients at the mode differ."""

    letters: tuple[str, ...] = ()
    differ: bool = True

    @property
    def words(self) -> str:
        """With what stays positive as N grows."""
        if not self.differ:
            return "all examples have the same gradient at theta*"
        return (
            "gradients at theta* differ between examples, (1/N) sum_i |grad U_i(theta*) - mean|^2"
            " staying above a positive constant"
        )

    def holds(self, place: Place) -> bool:
        """Two kinds of examples, each with one slope and one pull."""
        return (_pull(place) != place.scalars["pull2"]) is self.differ

    def imposed(self, place: Place) -> Place:
        """With another pull of the second kind."""
        same = _pull(place)
        pull = place.scalars["pull2"]
        return place.but(pull2=same if not self.differ else pull if pull != same else same + 1)


@dataclass(frozen=True)
class AtTheMode(Condition):
    """Chains start where the gradient vanishes."""

    letters: tuple[str, ...] = ()
    words = "chains start at theta*"

    def holds(self, place: Place) -> bool:
        """No way off."""
        return not place.scalars.get("x", Fraction(0))

    def imposed(self, place: Place) -> Place:
        """The start is moved."""
        return replace(place, scalars={**place.scalars, "x": Fraction(0)})


def _pull(place: Place) -> Fraction:
    """The second kind's pull with which no example is pulled at the mode."""
    s = place.scalars
    return s["pull1"] * s["slope2"] / s["slope1"]


QUADRATIC, DIFFERENT, EQUAL = Quadratic(), Gradients(), Gradients((), False)
AT_THE_MODE = AtTheMode()
