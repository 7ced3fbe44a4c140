"""How fast the regret grows of steps on slopes that come in turn.

After Reddi, Kale and Kumar (2018): the place is back at 1 after every period. It is followed in balls,
momenta and what the place is off times the root of the number of steps: a box of momenta and mean
squares that one period takes into itself, whichever period, and that a run gets into. Then each period
adds at least twice the sum of its slopes. Slopes and the set are bounded, so that no regret outgrows the
number of steps. The other route runs the step; so do scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import Sentence, listed, say
from sgtheory.polynomials import is_zero
from verification.refuter.conditions import Condition
from verification.refuter.places import Place, Space
from verification.refuter.script import identifier
from verification.terms.arithmetics.balls import balls
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.terms.walking import walk
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.regret.words import OnlineStep, Regret
from verification.theories.subject import ITS_LETTERS, About, Subject
from verification.verdicts.both import Both

_BALLS = balls(30)
_SETTLED, _BEGUN = 60, 80  # periods
_WIDE = 0.04  # how large a box is, over what lies in the middle of it
_HOLDS = {
    "O": lambda e: e <= 0,
    "o": lambda e: e < 0,
    "Omega": lambda e: e >= 0,
    "Theta": lambda e: e == 0,
}


@dataclass(frozen=True)
class Period:
    """What one period does to states, in balls; momenta are told times the root of the number of steps.

    ``still`` are states that sizes of steps do not change, such as a mean square; ``moved`` are what
    momenta and the place become.
    """

    online: OnlineStep
    still: Mapping[str, Term]
    momenta: Mapping[str, Term]
    move: Term

    def after(self, states: Mapping[str, arb], later: arb) -> tuple[dict[str, arb], arb, arb]:
        """States, how far the place would be above 1, the lowest it was; ``later`` is sqrt((t+1)/t)."""
        of, known, off, lowest = self.online, dict(states), arb(0), arb(0)
        for slope in of.slopes:
            here = {**known, of.slope.name: arb(slope), of.size.name: _BALLS.number(of.numbers[of.size])}
            off = (off.min(arb(0)) + walk(self.move, _BALLS, here)) * later
            lowest = lowest.min(off)
            known = {n: walk(x, _BALLS, here) for n, x in self.still.items()}
            known |= {n: walk(x, _BALLS, here) * later for n, x in self.momenta.items()}
        return known, off, lowest


def period(online: OnlineStep) -> Period | None:
    """Of a step whose place and momenta scale with its size; None of any other."""
    put = {s: sp.Rational(x) for s, x in online.values if s != online.size}
    after = online.step.put(put).after({s: s for s in online.step.state})
    move = sp.expand(after.pop(online.place) - online.place)
    still, c = dict[Any, Any](), sp.Symbol("c", positive=True)
    for s, e in after.items():
        if e.free_symbols <= {s, online.slope}:
            still[s] = e
    momenta = {s: e for s, e in after.items() if s not in still}
    enlarged = {s: c * s for s in (online.size, *momenta)}
    moving = (*momenta.values(), move)
    alike = (is_zero(e.subs(enlarged, simultaneous=True) - c * e) for e in moving)
    if any(online.place in e.free_symbols for e in moving) or not all(alike):
        return None
    kept, scaled = ({s.name: from_sympy(e) for s, e in some.items()} for some in (still, momenta))
    return Period(online, kept, scaled, from_sympy(move))


def returns(online: OnlineStep) -> Mapping[str, arb] | None:
    """The box at the start of every period from some on, if the place is back at 1 after each."""
    one = period(online)
    if one is None:
        return None
    states = {n: arb(0) for n in (*one.still, *one.momenta)}
    for _ in range(_SETTLED):
        states = {n: arb(x.mid()) for n, x in one.after(states, arb(1))[0].items()}
    box = {n: arb(x.mid(), float(abs(x.mid())) * _WIDE) for n, x in states.items()}
    steps = _BEGUN * len(online.slopes)
    later = arb(1).union((arb(steps + 2) / (steps + 1)).sqrt())
    end, off, lowest = one.after(box, later)
    inside = (
        off > 0 and lowest > -2 * arb(steps).sqrt() and all(box[n].contains(x) for n, x in end.items())
    )
    run = online.after(_BEGUN) if inside else {}
    root = arb(steps + 1).sqrt()
    begun = {s.name: _BALLS.number(x) * (root if s.name in one.momenta else 1) for s, x in run.items()}
    at_one = run and begun.pop(online.place.name) == 1
    return box if at_one and all(box[n].contains(x) for n, x in begun.items()) else None


@dataclass(frozen=True)
class InTurn(Condition):
    """Losses have these slopes, and parameters these numbers; on others a regret may be none at all."""

    of: OnlineStep

    @property
    def words(self) -> Sentence:
        """With every number that a run is made with."""
        numbers = listed(say("${} = {}$", s, x) for s, x in self.of.values)
        words = "losses have the slopes {} in turn, on $[-1, 1]$ from 1, {}, steps ${}/sqrt(t)$"
        return say(words, self.of.told, numbers, self.of.size)

    def holds(self, place: Place) -> bool:
        """They are the only ones that are run."""
        return True


@dataclass(frozen=True)
class Turns(Subject):
    """A regret, which outgrows the number of steps nowhere."""

    letter: Regret
    given: tuple[Any, ...] = ()

    rank = ITS_LETTERS
    climbs = False
    orders = property(lambda self: self)

    def places(self, about: About) -> Space:
        """All parameters have numbers."""
        return Space({}, {})

    def opened(self, sides: tuple[Term, ...], place: Place) -> Running:
        """A run, of which no step is made yet."""
        return Running(self, 0, "steps")

    def problem(self, place: Place) -> dict[str, str]:
        """Losses and parameters."""
        own = {str(s): x for s, x in self.letter.of.values}
        own |= {str(self.letter.of.size): f"{self.letter.of.numbers[self.letter.of.size]}/sqrt(t)"}
        return {"slopes": f"{self.letter.of.told}, ...", "set": "[-1, 1]", "start": "1", **own}

    @property
    def comes_back(self) -> Derivation | None:
        """Why the place is at 1 after every period, so that the regret grows as the steps do."""
        box = returns(self.letter.of)
        if box is None:
            return None
        ends = ((n, x, sign) for n, x in box.items() for sign in (-1, 1))
        shown = tuple(
            Equation(
                Formula(n, n), sp.Float(float(x.mid() + sign * x.rad()), 4), ">=" if sign < 0 else "<="
            )
            for n, x, sign in ends
        )
        words = (
            "At the start of every period the place is 1. States lie between these, momenta times"
            " $sqrt(t)$, which one period takes into itself and a run gets into:"
        )
        return Derivation("One period", (Step("One period", words, shown),), ())

    def _power(self, side: Term, way: Way) -> Any:
        """Of the number of steps in a product with the regret, which grows alike; None of no product."""
        both = tuple(in_symbols(a) for a in (self.letter, way.letter))
        powers = in_symbols(side).as_coeff_Mul()[1].as_powers_dict()
        if not {*powers} <= {*both, sp.Integer(1)} or not all(p.is_number for p in powers.values()):
            return None
        return sum(powers.get(a, sp.Integer(0)) for a in both)

    def has_order(
        self, theory: Any, left: Term, word: str, right: Term, way: Way, given: tuple[Any, ...] = ()
    ) -> Answer:
        """By its growth where the place comes back; else by what no regret outgrows."""
        powers, told = [self._power(side, way) for side in (left, right)], self.comes_back
        unknown = None in powers or word not in _HOLDS or way.to != "oo" or way.where
        if unknown or told is None:
            return Silent(Silence.NO_FORMULA)
        holds = _HOLDS[word](powers[0] - powers[1])
        of = self.letter.of
        lemma = (
            f"For linear losses on $[-1, 1]$ with slopes {of.told} in turn the position is back at 1"
            f" after each period, and every {len(of.slopes)} steps add at least {2 * sum(of.slopes)} to"
            f" the regret."
        )
        return Proved(lemma, told) if holds else Disproved(lemma, told)

    def first_term_under(
        self, theory: Any, left: Term, way: Way, given: tuple[Any, ...] = ()
    ) -> Iterator[tuple[Condition, Term]]:
        """The power of the number of steps, on these losses."""
        power = None if self.comes_back is None else self._power(left, way)
        if power is not None:
            yield InTurn((), self.letter.of), from_sympy(in_symbols(way.letter) ** power)


class Running(dict[str, Any]):
    """The regret and the number of steps after some periods."""

    points = (5, 500)  # periods

    def __init__(self, law: Turns, periods: int, steps: str) -> None:
        of, name = law.letter.of, law.letter.name
        self.steps = periods * len(of.slopes)
        super().__init__({name: of.lost(periods), steps: Fraction(self.steps)})
        self.law, self.periods = law, periods

    @property
    def told_at(self) -> Both:
        """After how many steps."""
        first, last = (k * len(self.law.letter.of.slopes) for k in self.points)
        return Both(after=f" after {first} and after {last} steps")

    def further(self, way: Way, k: int) -> Mapping[str, Any] | None:
        """After k periods; nothing is told of what is further out where no lemma holds."""
        return None if self.law.comes_back is None else Running(self.law, k, way.letter.name)

    def lines(self) -> list[str]:
        """The step, run in a script."""
        of = self.law.letter.of
        own = (t for s, e in of.step.updates for t in (s, *e.free_symbols))
        used = {of.place, of.slope, of.size, *of.step.state, *of.numbers, *own}
        names = {s: sp.Symbol(identifier(s.name)) for s in used}
        place, slope, size = (names[s].name for s in (of.place, of.slope, of.size))
        return [
            "from math import sqrt",
            *(f"{names[s]} = {float(x)!r}" for s, x in of.numbers.items()),
            *(f"{names[s]} = {float(s == of.place)}" for s in of.step.state),
            f"_first, _lost = {size}, {float(sum(of.slopes) * self.periods)}",
            f"for _n in range(1, {self.steps + 1}):",
            f"    {slope} = {list(of.slopes)}[(_n - 1) % {len(of.slopes)}]",
            f"    _lost += {slope} * {place}",
            f"    {size} = _first / sqrt(_n)",
            *(f"    {names[s]} = {_in_floats(e.xreplace(names))}" for s, e in of.step.updates),
            f"    {place} = max(-1, min(1, {place}))",
            f"{', '.join(map(identifier, self))} = d(_lost), d({self.steps})",
        ]


def _in_floats(expr: Any) -> str:
    return str(sp.pycode(expr, fully_qualified_modules=False))


def subject(about: About) -> Turns | None:
    """Of a statement with the regret of one algorithm."""
    found: Iterator[Regret] = (a for a in about.own_letters if isinstance(a, Regret))
    first, *others = (*dict.fromkeys(found), None)
    return None if first is None or others != [None] else Turns(first)
