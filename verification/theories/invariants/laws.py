"""What is known of invariant laws about the mode: in letters, in fractions, and at places in numbers.

A place is two kinds of examples in one dimension (``chains.py``), of which laws are exact where their
gradients are linear, and known to rounding else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import isqrt
from typing import Any

import sympy as sp
from flint import arb

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import Sentence, joined, say
from verification.refuter.conditions import Condition
from verification.refuter.places import Place, Space
from verification.terms.arithmetics.balls import balls
from verification.terms.comparing import Compared, magnitude
from verification.terms.term import Applied, Term
from verification.terms.walking import Arithmetic, Unable, Undefined, walk
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.invariants import letters, orders
from verification.theories.invariants.balance import Balance, examples
from verification.theories.invariants.chains import Bent, moment
from verification.theories.invariants.given import LINEAR, Away, sized
from verification.theories.invariants.scripts import lines_of
from verification.theories.invariants.words import MATRICES, POSTERIOR, laws_in
from verification.theories.named import Numbers
from verification.theories.subject import ITS_WORDS, About, Subject

_PLACED = {"slope": "up to one", "apart": "unit", "pull": "within one", "bend": "within one"}
_BATCHES, _DIMENSIONS = (1, 2, 4), (1, 2)
_STILL = Fraction(8)  # how many examples a place has on no way
_ROUNDED = arb(0, 1e-11)
_GRADIENT = Formula(
    r"h_1 \theta + \text{pull} + c (1 - \cos\theta)", "h_1 theta + pull + c (1 - cos(theta))"
)
_ROOT = Formula(r"\lfloor\sqrt{N}\rfloor", "floor(sqrt(N))")


@dataclass(frozen=True)
class Invariant(Subject):
    """Laws that are spoken of, and how N and the step go to a limit."""

    sides: tuple[Term, ...]
    ways: tuple[Way, ...] = ()
    given: tuple[Condition, ...] = ()

    rank, solves, orders = ITS_WORDS, True, orders

    @property
    def names(self) -> tuple[str, ...]:
        """The samplers."""
        return tuple(dict.fromkeys(n for side in self.sides for n in laws_in(side)))

    @cached_property
    def fits(self) -> bool:
        """Whether shapes fit in two dimensions; what is said of one number there has one."""
        return all(_fits(side) for side in self.sides)

    # -- places --------------------------------------------------------------------------------

    def places(self, about: About) -> Space:
        """Two kinds of examples; the step as a share of what is stable, or on its way to zero."""
        own = {a.name: a.kind for way in self.ways for a in way.letters if a.name == "tau"}
        slow = not any(way.letter.name == "eta" for way in self.ways)
        more = {"share": "fraction"} if slow else {}
        noisy = any(n != POSTERIOR and letters.form(n).additive != 0 for n in self.names)
        more |= {"louder": "zero or one"} if noisy and self.ways else {}
        return Space({}, {**_PLACED, **more, **own}, most=24)

    def opened(self, sides: tuple[Term, ...], place: Place) -> Data:
        """The numbers of a place, of no size yet."""
        return Data(place.scalars, place, self)

    def solved(self, sides: tuple[Term, ...], place: Place) -> Data:
        """With so many examples."""
        eta = _step(place)
        known = {**place.scalars, "N": _STILL, "eta": eta, "gamma": eta / _STILL}
        return Data(known, place, self)

    @property
    def points(self) -> tuple[int, int]:
        """Powers of 16 of N or 1/eta; more where what vanishes stands beside what does not."""
        fast = any(letters.form(n).small == "eta" for n in self.names)
        return (4, 5) if fast and any(way.letter.name == "N" for way in self.ways) else (2, 3)

    def problem(self, place: Place) -> dict[str, Any]:
        """The numbers of its examples, and the step or how few examples there are for it."""
        known = {"N": _STILL, "gamma": Fraction(1)}
        data = Data({**place.scalars, **known}, place, self).sized
        shown = {"h_1": data.slopes[0], "h_2": data.slopes[1], "c": data.bend}
        shown["pull"] = sized(place.scalars["pull"])
        more = {"eta": _step(place)} if "share" in place.scalars else {"tau": place.scalars["tau"]}
        more |= {"louder": place.scalars["louder"]} if place.scalars.get("louder") else {}
        return {k: str(x) for k, x in (shown | more).items()}

    def lattice(self, statement: Any, space: Space) -> tuple[Condition, ...]:
        """What first terms need in order not to vanish: all of it at once."""
        sides = {(s, way) for s in self.sides for way in self.ways if laws_in(s)}
        relation = statement.relations[0].relation
        needed = {n for side, way in sides for n in orders.needed(side, relation, way)}
        return (Away.of(tuple(needed)),) if needed else ()

    # -- linear regression ---------------------------------------------------------------------

    def vanishes(self, left: Term, right: Term) -> Answer:
        """Where gradients are linear one step leaves second moments as they are: that is an equation."""
        rest = _over_one(left - right) if LINEAR in self.given else None
        if rest is None:
            return Silent(Silence.NO_FORMULA)
        name = Equation(Formula(r"\mathbb{E}[x^2]", "E[x^2]"), letters.exact_variance(self.names[0]))
        words = (
            "$x = theta - theta*$ of mean zero; $V11$, $V22$ variances of a minibatch's gradient and"
            " Hessian:"
        )
        shown = Derivation("The variance for $D = 1$", (Step("One step", words, (name,)),), ())
        if rest != 0:
            return Disproved("One step does not leave these moments as they are.", shown)
        drawn = product(_DIMENSIONS, _BATCHES)
        places = (Balance(examples(D, 5).linear, 8, p, Fraction(1, 256)) for D, p in drawn)
        if not all(_is_zero(at, left - right) for at in places):
            return Silent(Silence.NO_CERTIFICATE, derivation=shown)
        lemma = "It is exact: for linear gradients one step leaves these moments as they are"
        facts: dict[str, Any] = {"dimensions": "D = 1 in letters, D = 1 and 2 in fractions"}
        if all(n != POSTERIOR and letters.form(n).multiplicative for n in self.names):
            lemma += ", minibatches drawn with replacement"  # else with (N - p)/(N - 1), perhaps
            at = Balance(examples(1, 5).linear, 6, 2, Fraction(1, 256), replacement=False)
            shared = replace(at, share=Fraction(6 - 2, 6 - 1))
            facts["without_replacement"] = _is_zero(at, left - right)
            facts["with_the_share"] = _is_zero(shared, left - right)
        return Proved(f"{lemma}.", shown, facts, "D <= 2")

    def mended(self, left: Term, right: Term, constant: Any = ()) -> Iterator[tuple[Term, Term]]:
        """The second moments that the declared update leaves as they are."""
        yield from ((left, one) for one in orders.expansions(self, left))


def subject(about: About) -> Invariant | None:
    """What has moments of a settled law about the mode in it."""
    taken = "invariants" in about.theories
    return Invariant(about.terms, about.ways, about.given) if taken else None


def _step(place: Place) -> Fraction:
    """Between a half and all of what is stable for the steeper examples."""
    h = sized(place.scalars["slope"]) * (1 + place.scalars["apart"] / 4)
    return sized(place.scalars["share"]) / h


@cache
def _fits(side: Term) -> bool:
    if not any(isinstance(t, Applied) and t.head in MATRICES for t in side.subterms()):
        return True  # of one dimension
    return _entries(Balance(examples(2, 3), 6, 1, Fraction(1, 64)), side) is not None


def _entries(at: Balance, side: Term) -> list[Any] | None:
    try:
        return at.value(side)
    except (ArithmeticError, TypeError):
        return None


def _is_zero(at: Balance, rest: Term) -> bool:
    found = _entries(at, rest)
    return found is not None and not any(found)


@cache
def _over_one(rest: Term) -> Any:
    """A difference in letters, laws those of linear regression; None where it has other words."""

    def moment(law: str, what: str) -> Any:
        if what != "second":
            raise Unable("second moments alone")
        return letters.exact_variance(law)

    try:
        return sp.cancel(sp.together(letters.in_letters(rest, moment)))
    except Unable:
        return None


class Data(Numbers):
    """The numbers of a place, at some N and step."""

    @property
    def told_at(self) -> Sentence:
        """Where both sides are looked at, and on which examples."""
        ways = {way.letter: way.sign for way in self.law.ways}
        at = [say("${} = 16^{}$, $16^{}$", x, *(-k * s for k in self.points)) for x, s in ways.items()]
        words = (
            "half of the examples have the gradient {}, the others $h_2$ and {}; a standard normal"
            " prior, minibatches of two"
        )
        told = [say("both sides at {}", at[0]) if at else "both sides"]
        told.append(say(words, _GRADIENT, Formula(r"-\text{pull}", "-pull")))
        grown = say("pull is multiplied by {}, so that $M/N$ grows", _ROOT)
        return joined(*told, *([grown] if self.get("louder") else []), by="; ")

    @property
    def points(self) -> tuple[int, int]:
        """Of N or 1/eta."""
        points: tuple[int, int] = self.law.points
        return points

    def further(self, way: Way, k: int) -> Data | None:
        """With so many examples, and what moves with N."""
        own = {"eta": _step(self.place)} if "share" in self.place.scalars else {}
        known = self.moved(way, k, **own)
        if known is None:
            return None
        if not {"eta", "N"} <= known.keys():
            raise Unable("a chain on a number of examples that nothing says")
        return Data({"gamma": known["eta"] / known["N"], **known}, self.place, self.law)

    @cached_property
    def sized(self) -> Bent:
        """Both kinds of examples."""
        slope, apart = sized(self["slope"]), self["apart"] / 4
        slopes = slope * (1 + apart), slope * (1 - apart)
        bend = sized(self["bend"]) * slope / 2
        pull = sized(self["pull"]) * (isqrt(int(self["N"])) if self.get("louder") else 1)
        return Bent(slopes, pull, bend, self["N"], self["gamma"])

    @cached_property
    def arithmetic(self) -> Arithmetic:
        """Balls: moments that are no fractions are known to rounding."""
        base, at = balls(60), self.sized.at_mode
        undone = {"L": 2 * at["D2U"]}
        undone["H"] = undone["L"] - self["gamma"] * at["D2U"] ** 2
        undone["G"] = undone["H"] - self["gamma"] * at["V22"]
        own: dict[str, Any] = {
            "moment": self._moment,
            "undone": lambda name, x: base.over(x, base.number(undone[name])),
            "third": lambda x: base.multiply(base.number(at["U3"]), x),
            "at_mode": lambda name: base.number(at[name]),
        }
        return replace(base, operations={**base.operations, **own})

    def _moment(self, law: str, what: str) -> Any:
        found = moment(law, what, self.sized)
        if found is None:
            raise Undefined("no such law")
        if isinstance(found, Fraction):
            return balls(60).number(found)
        width = moment(law, "second", self.sized) ** 0.5 if what == "mean" else found
        return arb(found) + arb(width) * _ROUNDED

    def value(self, side: Term) -> Any:
        """A ball."""
        known = {**self, "p": Fraction(2)}
        values = {a.name: balls(60).number(known[a.name]) for a in side.letters if a.name in known}
        return walk(side, self.arithmetic, values)

    def size(self, side: Term) -> Any:
        """The size of a number; zero where rounding does not tell it from zero."""
        if not laws_in(side):
            return magnitude(side, {**self, "p": Fraction(2)})
        try:
            found = self.value(side)
        except (Undefined, Unable):
            return None
        return arb(0) if found.contains(0) else arb(abs(found.mid()))

    def compared(self, left: Term, right: Term) -> Compared | None:
        """Both sides, where laws are exact."""
        try:
            a, b = self.value(left), self.value(right)
        except (Undefined, Unable):
            return None
        sign = 1 if a > b else -1 if a < b else None
        left_one, right_one = (Fraction(int(x.p), int(x.q)) for x in (y.mid().fmpq() for y in (a, b)))
        return Compared(left_one, right_one, sign if self.sized.bend or sign else 0)

    def lines(self) -> list[str]:
        """The same in a script."""
        return lines_of(self.sized, self, self.law.names) if "N" in self else []
