"""What is known of two chains on N examples: bounds of how far apart they are, in numbers and in powers.

On quadratic potentials moments are exact, and give a lower bound of a distance and, of coupled chains,
an upper one; for every convex U an upper bound comes from coupling.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.notation.sentence import Formula, Sentence, say
from sgtheory.wasserstein.directions import STEPS
from verification.laws.direction import AT_CENTRE, EQ5, FOREVER, Chain, Examples, after, root_between
from verification.refuter.conditions import Condition
from verification.refuter.distancescript import data_lines, number
from verification.refuter.places import Place, Space
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.comparing import magnitude
from verification.terms.term import Applied, Letter, Name, Term
from verification.terms.ways import Way
from verification.theories.distances import expansions, orders
from verification.theories.distances.given import AT_THE_MODE, BETWEEN, BOUNDED, DIFFERENT, EQUAL, NEAR
from verification.theories.distances.words import TARGET
from verification.theories.named import Numbers
from verification.theories.subject import ITS_WORDS, About, Subject

_STEPS = 3  # that a place takes, where the number is any
_OF_DATA = {
    "slope1": "positive",
    "slope2": "up to one",  # an example without an input has no pull
    "pull1": "real",
    "pull2": "real",
    "share": "fraction",
}
OURS = Letter("distance", "positive")


@dataclass(frozen=True)
class Chains(Subject):
    """Two laws, and how the step and the minibatches change with N."""

    sides: tuple[Term, ...]
    ways: tuple[Way, ...] = ()
    given: tuple[Condition, ...] = ()

    rank, solves, orders = ITS_WORDS, True, orders
    holds_only_where = orders.holds_only_where

    @cached_property
    def distance(self) -> Applied | None:
        """The one distance that is spoken of."""
        parts = (t for s in self.sides for t in s.subterms())
        found = {t for t in parts if isinstance(t, Applied) and t.head == "W2"}
        return found.pop() if len(found) == 1 else None

    @property
    def laws(self) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """The parts of both."""
        assert self.distance is not None
        first, second = self.distance.of
        return first.parts, second.parts

    @property
    def names(self) -> tuple[str, str]:
        """The samplers."""
        first, second = (str(parts[0]) for parts in self.laws)
        return first, second

    @property
    def settled(self) -> bool:
        """Whether both laws have settled; else some steps are taken."""
        return all(isinstance(parts[1], Name) for parts in self.laws)

    @property
    def start(self) -> Letter | None:
        """How far from the mode they begin, where that is a letter."""
        return next((p[2] for p in self.laws if isinstance(p[2], Letter)), None)

    @property
    def away(self) -> bool:
        """Whether chains begin off the mode."""
        return self.start is not None and AT_THE_MODE not in self.given

    @property
    def rests(self) -> bool:
        """Whether the second is the posterior while the first takes steps."""
        return not self.settled and self.distance is not None and self.distance.of[1] == TARGET

    @property
    def alike(self) -> bool:
        """Whether both take as many steps, unless the second is the posterior."""
        first, second = (parts[1] for parts in self.laws)
        return first == second or self.rests

    @property
    def centre(self) -> str:
        """What the second does about a point that is not the mode."""
        return str(self.laws[1][3])

    @property
    def fits(self) -> bool:
        """One distance, of chains that take alike many steps, a number that N does not move."""
        moving = {a for way in self.ways for a in way.set_here}
        if self.distance is None or not self.alike:
            return False
        return moving.isdisjoint(a for law in self.laws for p in law for a in p.letters)

    def places(self, about: About) -> Space:
        """Two kinds of examples; the step as a share of what is stable for each minibatch."""
        more = {"x": "real", "near": "zero or one"} if self.start else {}
        more |= {"h": "positive"} if self.centre else {}
        more |= {"louder": "zero or one"} if self.is_noisy else {}
        return Space({}, _OF_DATA | more, most=400)

    def problem(self, place: Place) -> dict[str, str]:
        """Its numbers; that pulls do not grow, nor starts fall, need not be said."""
        return {k: str(v) for k, v in place.scalars.items() if k not in ("louder", "near") or v}

    def opened(self, sides: tuple[Term, ...], place: Place) -> Any:
        """The numbers of a place, of no size yet."""
        return Data(place.scalars, place, self)

    def lattice(self, statement: Any, space: Space) -> tuple[Condition, ...]:
        """Gradients that differ, or do not grow; a start at the mode."""
        below = {one.relation for one in statement.relations if one.limiting}
        noise = BOUNDED if below == {"O"} else DIFFERENT if below == {"Omega"} else BETWEEN
        ways = (
            noise if self.is_noisy else DIFFERENT,
            *((NEAR, AT_THE_MODE) if self.start is not None else ()),
        )
        return tuple(c for c in ways if c not in self.given and EQUAL not in self.given)

    @cached_property
    def scales(self) -> tuple[Any, Any]:
        """The powers of N in the size of a minibatch, and of 1/N in the step."""
        put = {a.name: in_symbols(value) for way in self.ways for a, value in way.where}
        size = next((in_symbols(way.letter) for way in self.ways), sp.Symbol("N"))

        def power(name: str) -> Any:
            return sp.sympify(put.get(name, 1)).as_powers_dict().get(size, sp.Integer(0))

        return power("p"), -power("gamma")

    points = (5, 7)  # N = 16^5 and 16^7

    @cached_property
    def known(self) -> tuple[Condition, ...]:
        """What is given, a condition at a time."""
        return tuple(part for one in self.given for part in one.parts)

    @cached_property
    def is_noisy(self) -> bool:
        """Whether gradient noise at theta* keeps both apart, so that it has to be bounded."""
        steps = sp.oo if self.settled else STEPS
        start = expansions.X if self.away else sp.Integer(0)
        return not self.centre and expansions.is_noisy(*self.names, start, steps)

    def powers(self, differ: bool, alike: bool = False) -> tuple[expansions.Below, expansions.Term]:
        """Power of 1/N and first coefficient of two squares around W2^2, in linear regression."""
        first, second = self.names
        second = "sgld" if self.centre == AT_CENTRE else second
        steps = sp.oo if self.settled else STEPS
        letters = expansions.scaled(*self.scales, differ, bool(self.centre), alike)
        start = expansions.X if self.away else sp.Integer(0)
        start *= sp.sqrt(expansions.SMALL) if NEAR in self.given else 1
        lower, upper = expansions.between(first, second, start, steps, letters, self.rests)
        if self.centre != EQ5:
            return lower, upper
        moved = expansions.shifted(steps, letters)
        below = (*moved, moved[1])
        return min(lower, below, key=lambda t: t[0]), min(upper, moved, key=lambda t: t[0])

    def chains(self, off: Fraction) -> tuple[Chain, Chain]:
        """Both, the second about a point that is so far off the mode."""
        first, second = self.names
        return Chain(first), Chain(second, self.centre, off if self.centre else Fraction(0))


_EXAMPLES = tuple(
    Formula(rf"\text{{slope}}_{k} \theta - \text{{pull}}_{k}", f"slope{k} theta - pull{k}")
    for k in (1, 2)
)


class Data(Numbers):
    """The numbers of a place, at some N; what lies between bounds has two sizes."""

    points = Chains.points

    @property
    def told_at(self) -> Sentence:
        """Where both sides are looked at, and on which examples."""
        words = (
            "both sides at $N = 16^5$, $16^7$, the left between two bounds; half of the examples have"
            " the gradient {}, half {}; $eta$ is share over the larger slope, and what is not said to"
            " change has $p = 1$ and three steps"
        )
        grown = "; pulls are multiplied by $sqrt(N)$" if self.get("louder") else ""
        grown += "; chains start at $x N^(-1/2)$" if self.get("near") else ""
        return say(words + grown, *_EXAMPLES)

    def further(self, way: Way, k: int) -> Data | None:
        """With so many examples, and what moves with N."""
        s = self.place.scalars
        known = self.moved(way, k, eta=s["share"] / max(s["slope1"], s["slope2"]))
        if known is None or "N" not in known:
            return None  # nothing says how many examples there are
        return Data({"p": Fraction(1), **known}, self.place, self.law)

    @cached_property
    def sized(
        self,
    ) -> tuple[tuple[Chain, Chain], Examples, Fraction, tuple[Fraction, Fraction | None]]:
        """Both chains, the examples, the step, and where chains begin."""
        half, root = int(self["N"]) // 2, root_between(self["N"])[0]
        grown = root if self.get("louder") else 1
        groups = tuple((self[f"slope{k}"], grown * self[f"pull{k}"], half) for k in (1, 2))
        examples = Examples((Fraction(0), Fraction(0)), groups, int(self["p"]))
        x = self["x"] / (root if self.get("near") else 1) if self.law.away else Fraction(0)
        start = x, None if self.law.rests else x
        return self.law.chains(self.get("h", Fraction(0)) / root), examples, self["gamma"], start

    def size(self, side: Term) -> Any:
        """A ball; of what has the distance in it two, for both bounds. None where there is no law."""
        distance = self.law.distance
        if distance is None or distance not in side.subterms():
            return magnitude(side, dict(self))
        moments = after(*self.sized, FOREVER if self.law.settled else _STEPS)
        if moments is None:
            return None
        named = side.named({distance: OURS})
        ends = root_between(moments.least[0])[0], root_between(moments.coupled)[1]
        found = tuple(magnitude(named, {**self, OURS.name: x}) for x in ends)
        return None if None in found else found

    def called(self, letters: Iterable[Letter]) -> dict[str, str]:
        """What a script calls letters."""
        known = {"N": "_d(N)", "p": "_d(p)"}
        return {a.name: known.get(a.name, a.name) for a in letters} | {"n": str(_STEPS)}

    def lines(self) -> list[str]:
        """The same in a script."""
        return [*data_lines(*self.sized), f"eta = {number(self['eta'])}"] if "N" in self else []
