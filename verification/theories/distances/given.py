"""What is given of examples and of starts: properties that places can be tested for, and be given."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sgtheory.notation.sentence import Formula, Sentence, say, sentence
from verification.refuter.conditions import Condition
from verification.refuter.places import Place
from verification.theories.named import Without


@dataclass(frozen=True)
class Gradients(Condition):
    """Whether the gradients at the mode of two kinds of examples, a slope and a pull each, differ."""

    letters: tuple[str, ...] = ()
    differ: bool = True

    @property
    def words(self) -> Sentence:
        """With what stays positive as N grows."""
        if not self.differ:
            return sentence("all examples have the same gradient at $theta*$")
        return say(
            "gradients at $theta*$ differ between examples, {} staying above a positive constant",
            _SPREAD,
        )

    def holds(self, place: Place) -> bool:
        """Whether any example is pulled at the mode."""
        return (_pull(place) != place.scalars["pull2"]) is self.differ

    def imposed(self, place: Place) -> Place:
        """With another pull of the second kind."""
        return place if self.holds(place) else place.but(pull2=_pull(place) + int(self.differ))


_SPREAD = Formula(
    r"\tfrac{1}{N} \textstyle\sum_i \lvert \nabla U_i(\theta^*) - \text{mean} \rvert^2",
    "(1/N) sum_i |grad U_i(theta*) - mean|^2",
)


def _pull(place: Place) -> Fraction:
    """The second kind's pull with which no example is pulled at the mode."""
    s = place.scalars
    return s["pull1"] * s["slope2"] / s["slope1"]


DIFFERENT, EQUAL = Gradients(), Gradients((), False)
QUADRATIC = Without((), "$U$ is quadratic", "bend")  # as every place is
AT_THE_MODE = Without((), "chains start at $theta*$", "x")
