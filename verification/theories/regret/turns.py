"""How fast the regret grows of steps along the slope over its root mean square.

Reddi, Kale and Kumar (2018): bounds on the mean square show that the place is back at 1 after every
period, whatever the mean square was before. Then each period adds 2 (steep - 2). Slopes and the set are
bounded, so that no regret outgrows the number of steps. The other route runs the step; so do scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.dynamics.taylor import approximate_root
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from verification.refuter.conditions import Condition
from verification.refuter.inpython import name_of, python
from verification.refuter.places import Place, Space
from verification.refuter.script import identifier
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.regret.words import DIGITS, OnlineStep, Regret
from verification.theories.subject import ITS_LETTERS, About, Subject

_HOLDS = {
    "O": lambda e: e <= 0,
    "o": lambda e: e < 0,
    "Omega": lambda e: e >= 0,
    "Theta": lambda e: e == 0,
}


def returns(online: OnlineStep) -> tuple[Fraction, Fraction]:
    """At least what two steps up add, and at most what one step down takes; times sqrt(t)/size.

    The mean square lies between its last term and the largest square.
    """
    sigma, lam = (online.numbers[s] for s in online.second_moment)
    steep, tiny = Fraction(online.steep), Fraction(1, 10**DIGITS)
    first = sigma * steep**2 + (1 - sigma)
    second = sigma * first + (1 - sigma)
    roots = [approximate_root(x, DIGITS) for x in ((1 - sigma) * steep**2, first, second)]
    half, third = (approximate_root(Fraction(1, k), DIGITS) for k in (2, 3))  # of t/(t+1), t/(t+2)
    up = half / (lam + roots[1] + tiny) + third / (lam + roots[2] + tiny)
    return up, steep / (lam + roots[0])


def is_adaptive(online: OnlineStep) -> bool:
    """Whether a step goes by its size times the slope over lambda plus the root of its mean square."""
    sigma, lam = online.second_moment
    put = {s: sp.Rational(x) for s, x in online.values if s not in (online.size, sigma, lam)}
    after = {s: e.subs(put) for s, e in online.step.after({s: s for s in online.step.state}).items()}
    for s, e in after.items():
        if sp.expand(e - sigma * s - (1 - sigma) * online.slope**2) == 0:
            moved = after[online.place] - online.place
            moved += online.size * online.slope / (lam + sp.sqrt(e))
            return bool(sp.simplify(moved.subs(dict.fromkeys(set(after) - {s, online.place}, 0))) == 0)
    return False


@dataclass(frozen=True)
class InTurn(Condition):
    """Losses have these slopes; on others a regret may be none at all."""

    steep: int

    pattern = "losses have the slopes {self.steep}, -1, -1 in turn"

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

    @property
    def orders(self) -> Turns:
        """It has lemmas on first terms of its own."""
        return self

    def places(self, about: About) -> Space:
        """All parameters have numbers."""
        return Space({}, {})

    def opened(self, sides: tuple[Term, ...], place: Place) -> Running:
        """A run, of which no step is made yet."""
        return Running(self, 0, "steps")

    def problem(self, place: Place) -> dict[str, str]:
        """Losses and parameters."""
        own = {str(s): x for s, x in self.letter.of.values}
        return {"slopes": f"{self.letter.of.steep}, -1, -1, ...", "set": "[-1, 1]", "start": "1", **own}

    @property
    def comes_back(self) -> Derivation | None:
        """Why the place is at 1 after every period, so that the regret grows as the steps do."""
        if not is_adaptive(self.letter.of):
            return None
        up, down = returns(self.letter.of)
        if up < down or down * self.letter.of.numbers[self.letter.of.size] > 2:
            return None
        shown = (
            Equation(Formula(r"\text{up}", "up"), sp.Float(float(up), 6), ">="),
            Equation(Formula(r"\text{down}", "down"), sp.Float(float(down), 6), "<="),
        )
        words = "What two steps up add at least, and one step down takes at most, times $sqrt(t)/size$:"
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
        steep = self.letter.of.steep
        lemma = (
            f"For linear losses on $[-1, 1]$ with slopes {steep}, -1, -1 in turn the position is back at"
            f" 1 after each period, and every three steps add at least {2 * (steep - 2)} to the regret."
        )
        return Proved(lemma, told) if holds else Disproved(lemma, told)

    def first_term(self, *_: Any) -> tuple[tuple[Term, ...], Term | None]:
        """Nothing is known of all losses."""
        return (), None

    def first_term_under(
        self, theory: Any, left: Term, way: Way, given: tuple[Any, ...] = ()
    ) -> Iterator[tuple[Condition, Term]]:
        """The power of the number of steps, on these losses."""
        power = None if self.comes_back is None else self._power(left, way)
        if power is not None:
            yield InTurn((), self.letter.of.steep), from_sympy(in_symbols(way.letter) ** power)

    def relative_gap(self, *_: Any) -> None:
        """Nothing is said of ratios."""


class Running(dict[str, Any]):
    """The regret and the number of steps after some periods."""

    points = (5, 500)  # periods
    told_at = "left and right side after 15 and after 1500 steps"

    def __init__(self, law: Turns, periods: int, steps: str) -> None:
        of, name = law.letter.of, law.letter.name
        super().__init__({name: of.lost(periods), steps: Fraction(3 * periods)})
        self.law, self.periods = law, periods

    def further(self, way: Way, k: int) -> Mapping[str, Any] | None:
        """After k periods; nothing is told of what is further out where no lemma holds."""
        return None if self.law.comes_back is None else Running(self.law, k, way.letter.name)

    def lines(self) -> list[str]:
        """The step, run in a script."""
        of = self.law.letter.of
        place, slope = name_of(of.place), name_of(of.slope)
        return [
            "from math import sqrt",
            *(f"{name_of(s)} = {float(Fraction(x))!r}" for s, x in of.values),
            *(f"{name_of(s)} = {float(s == of.place)}" for s in of.step.state),
            f"_first, _lost = {name_of(of.size)}, {float((of.steep - 2) * self.periods)}",
            f"for _n in range(1, {3 * self.periods + 1}):",
            f"    {slope} = {of.steep} if _n % 3 == 1 else -1",
            f"    _lost += {slope} * {place}",
            f"    {name_of(of.size)} = _first / sqrt(_n)",
            *(f"    {name_of(s)} = {python(e)}" for s, e in of.step.updates),
            f"    {place} = max(-1, min(1, {place}))",
            f"{', '.join(map(identifier, self))} = d(_lost), d({3 * self.periods})",
        ]


def subject(about: About) -> Turns | None:
    """Of a statement with the regret of one algorithm."""
    found: Iterator[Regret] = (a for a in about.own_letters if isinstance(a, Regret))
    first, *others = (*dict.fromkeys(found), None)
    return None if first is None or others != [None] else Turns(first)
