"""What is given of examples and of starts: properties that places can be tested for, and be given."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sgtheory.notation.sentence import Formula, Sentence, say, sentence
from verification.refuter.conditions import Both, Condition
from verification.refuter.places import Place
from verification.theories.named import Without, by_chance


@dataclass(frozen=True)
class Gradients(Condition):
    """Whether the gradients at the mode of two kinds of examples, a slope and a pull each, differ."""

    letters: tuple[str, ...] = ()
    differ: bool = True

    @property
    def usual(self) -> str:
        """Of gradients that differ."""
        return by_chance("vary") if self.differ else ""

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
BOUNDED = Without((), say("{} stays bounded", _SPREAD), "louder", by_chance("have a variance"))


@dataclass(frozen=True)
class Between(Both):
    """Gradients at the mode differ, and their spread does not grow."""

    letters: tuple[str, ...] = ()
    first: Condition = DIFFERENT
    second: Condition = BOUNDED

    @property
    def usual(self) -> str:
        """Of both."""
        return by_chance("vary and have a variance")

    @property
    def words(self) -> Sentence:
        """In one phrase."""
        words = "gradients at $theta*$ differ between examples, {} staying between two positive numbers"
        return say(words, _SPREAD)


BETWEEN = Between()
QUADRATIC = Without((), "$U$ is quadratic", "bend")  # as every place is
SMOOTH = Without((), "H1: second derivatives of all $U_i$ are at most one $Ltilde$", "steeper")
STABLE = Without((), "in each step second moments fall by at least a fixed share of $gamma N$", "slower")
AT_THE_MODE = Without((), "chains start at $theta*$", "x")


@dataclass(frozen=True)
class Near(Condition):
    """Where chains start is as near to the mode as the posterior is wide."""

    letters: tuple[str, ...] = ()

    @property
    def words(self) -> Sentence:
        """With its power of N."""
        return sentence("chains start within a multiple of $N^(-1/2)$ of $theta*$")

    def holds(self, place: Place) -> bool:
        """At the mode, or with a start that falls as N grows."""
        return not place.scalars.get("x") or bool(place.scalars.get("near"))

    def imposed(self, place: Place) -> Place:
        """With one that falls."""
        return place if self.holds(place) else place.but(near=1)


NEAR = Near()
