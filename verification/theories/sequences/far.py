"""Moments of a linear chain far out: by which power of the number of steps they fall, with its number.

Of y[n] = (1 - D) y[n-1] + B with D ~ p n^(-alpha) and B ~ q n^(-r): where alpha < 1, y comes to follow
B/D; where alpha = 1 it is q/(p - r + 1) n^(1 - r) if p is above r - 1, and else the start decides, or a
logarithm (Chung's lemma). At places the rule itself is run, in balls and in scripts in decimals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import say
from sgtheory.polynomials import is_zero
from verification.refuter.parameters import Holds
from verification.refuter.places import NUMBERS, Place, Space
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.asymptotics import Undecided, first_terms, taken_and_added
from verification.terms.comparing import magnitude
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.sequences.moments import STEP, Moments, Rule, n
from verification.theories.sequences.running import STEPS_AT, Along
from verification.theories.signs import Known
from verification.theories.subject import ITS_ENTRIES, About, Subject

_NEAR, _PLAIN = 0.05, 0.25  # by which the slope between these may be off; what is seen as a slope
LEMMA = "To first order it is {} as ${} -> infinity$, by Chung's lemma."
_BELOW_ONE = ("fraction", "up to one", "unit")
EITHER = (
    "Over the right side it is at most the larger of {} and {}, but for a logarithm (Chung's lemma)."
)
_START = sp.Symbol("K", real=True)  # what the start leaves, of a chain without noise
Power = tuple[Any, Any]  # a coefficient, and the exponent of the number of steps


@dataclass(frozen=True)
class First:
    """``coefficient * n**power`` to first order where some differences are positive."""

    coefficient: Any
    power: Any
    needs: tuple[Any, ...]
    otherwise: Any = None  # the power where the first need fails, by more than a logarithm


@dataclass(frozen=True)
class Far(Subject):
    """A statement about moments of a linear chain as the steps grow in number."""

    moments: Moments
    given: tuple[Any, ...] = ()

    rank = ITS_ENTRIES
    letters_taken = Moments.letters_taken
    slow, climbs = True, False
    orders = property(lambda self: self)

    @cached_property
    def worth(self) -> dict[Letter, Rule]:
        """A letter for the last entry of each sequence, with its rule."""
        return {Letter(a.name, "real"): rule for a, rule in self.moments.ruled.items()}

    def spelt(self, side: Term) -> Term:
        """With a letter for each moment after the last step."""
        names = {Applied("at", (a, self._count)): Letter(a.name, "real") for a in self.moments.ruled}
        return self.moments.in_moments(side).named(names)  # type: ignore[arg-type]

    @property
    def _count(self) -> Letter:
        assert self.moments.count is not None
        return self.moments.count

    # -- places ------------------------------------------------------------------------------------

    def places(self, about: About) -> Space:
        """The numbers in the rules, and in what is said and given."""
        made = (e for r in self.worth.values() for e in (r.share, r.beside, *(v for _, v in r.begins)))
        letters = [a for e in made for a in from_sympy(e).letters]
        letters += [a for t in map(self.spelt, about.terms) for a in t.letters]
        kinds = {a.name: a.kind for a in letters if a not in self.worth}
        kinds |= {a.name: a.kind for a in self.moments.letters if a.name in kinds}
        kinds |= about.positive() | dict(about.kinds)
        own = (self._count.name, STEP.name)
        return Space({}, {k: v for k, v in kinds.items() if k not in own and v in NUMBERS})

    def calm(self, place: Place) -> Place:
        """A place at which few steps show what comes of many: letters near one."""
        near = {}
        for name, x in place.scalars.items():
            below = any(a.name == name and a.kind in _BELOW_ONE for a in self.moments.letters)
            near[name] = Fraction(1 + x.numerator % 3, 4 if below else 2)
        return place.but(**near)

    def opened(self, sides: tuple[Term, ...], place: Place) -> Any:
        """A place from which the rules are run; None where few steps do not show what comes of many."""
        met = {a for side in sides for a in self.spelt(side).letters}
        rules = {a: rule for a, rule in self.worth.items() if a in met}
        found = Along(place.scalars, rules, self._count.name)
        return found if len(sides) < 2 or self._shows(sides, found) else None

    def _shows(self, sides: tuple[Term, ...], along: Along) -> bool:
        """Whether the ratio of two sides goes as first terms say, and what it goes like is plain."""
        read = _read_once(self, sides[0], sides[1])
        if read is None:
            return False

        def at(x: Any) -> Any:
            letters = sp.sympify(x).free_symbols
            return sp.sympify(x).xreplace({a: sp.Rational(along.start[a.name]) for a in letters})

        found, need = read[2], at(read[2].needs[0])
        factor = None if read[0].has(_START) else at(read[0])
        power = at(read[1])
        if need <= 0:  # the start decides
            if found.otherwise is None or need == 0:
                return False
            factor, power = None, at(read[1] - found.power + found.otherwise)
        if (factor is None) if power == 0 else abs(power) <= _PLAIN:
            return False
        ratios = [self._ratio_after(sides, along, k) for k in STEPS_AT]
        if None in ratios:
            return False
        slope = math.log(ratios[1] / ratios[0]) / math.log(STEPS_AT[2] / STEPS_AT[1])
        if power == 0 and factor == 1:  # of what tends to one, that it comes nearer
            return 2 * abs(ratios[1] - 1) <= abs(ratios[0] - 1)
        if power == 0:
            return abs(slope) < _NEAR and abs(ratios[1] / float(factor or 1) - 1) < _NEAR
        return abs(slope - float(power)) < _NEAR

    def _ratio_after(self, sides: tuple[Term, ...], along: Along, k: int) -> Any:
        there = along.further(Way(self._count, "oo"), k)
        left, right = (magnitude(self.spelt(side), there) for side in sides[:2])
        known = left is not None and right is not None and left > 0 and right > 0
        return float(left / right) if known else None

    # -- first terms -------------------------------------------------------------------------------

    def first(self, rule: Rule) -> First | None:
        """Of a moment far out; None where that is not known."""
        falls = self._leading(1 - rule.share)
        adds = None if rule.beside == 0 else self._leading(rule.beside)
        if rule.beside == 0 and falls is not None and self._sign(1 + falls[1]) == 0:
            return First(_START, -falls[0], (falls[0],))
        if falls is None or adds is None:
            return None
        (p, alpha), (q, r) = falls, adds
        needs: tuple[Any, ...] = (p,)
        if alpha == 0:  # it falls by a share in each step
            needs = (p, 2 - p) if _may_turn(rule.share) else (p,)
        slower = self._sign(1 + alpha)
        if slower is None or slower < 0:
            return None
        if slower == 0:  # alpha is minus the exponent: this is one over the number of steps
            return First(q / (p + r + 1), r + 1, (p + r + 1,), -p)
        return First(q / p, r - alpha, needs)

    def _leading(self, expr: Any) -> Power | None:
        """The first term as the steps grow in number."""
        try:
            (term,) = first_terms(expr, n, "oo", 1)
            power = Fraction(term.power)
            return (
                (term.coefficient, sp.Rational(power.numerator, power.denominator))
                if not term.logs
                else None
            )
        except (Undecided, ZeroDivisionError, NotImplementedError, OverflowError, ValueError):
            return self._of_letters(expr)

    def _of_letters(self, expr: Any) -> Power | None:
        """The same, where powers are letters: (n + c)^a is n^a to first order."""
        plain = sp.expand(expr).replace(_is_shifted, lambda e: n**e.exp)
        terms: dict[Any, Any] = {}
        for one in sp.Add.make_args(sp.powsimp(sp.expand(plain))):
            beside, of_n = one.as_independent(n)
            power = sp.expand(sp.simplify(n * sp.diff(of_n, n) / of_n))
            if power.has(n):
                return None
            terms[power] = terms.get(power, 0) + beside
        best: Any = None
        for power in terms:
            turn = 1 if best is None else self._sign(power - best)
            if turn is None:
                return None
            best = power if turn > 0 else best
        found = sp.simplify(terms[best])
        return None if found == 0 else (found, best)

    def _sign(self, expr: Any) -> int | None:
        """The sign that a number has by what is given; None where it may have several."""
        expr = sp.simplify(expr)
        parts = (p for c in self.given for p in c.parts if isinstance(p, Holds))
        pairs = ((from_sympy(p.lower), from_sympy(p.upper), not p.strict) for p in parts)
        known = Known({a.name: a.kind for a in self.moments.letters}, tuple(pairs))
        return 0 if expr == 0 else next((k for k in (1, -1) if known.says(k * expr)), None)

    def has_order(
        self, _: Any, left: Term, word: str, right: Term, way: Way, given: tuple[Any, ...] = ()
    ) -> Answer:
        """Whether a moment times a function of the number of steps is of an order, or has a limit."""
        if given and given != self.given:
            return replace(self, given=given).has_order(_, left, word, right, way)
        read = self._ratio(left, right, way)
        if read is None:
            return Silent(Silence.NO_FORMULA)
        factor, power, found, moment = read
        turn = self._sign(power)
        if factor.has(_START) and word not in ("o", "O"):
            return Silent(Silence.NO_FORMULA)  # the number before the power is the start's
        holds = {
            "~": turn == 0 and is_zero(factor - 1), "Theta": turn == 0, "o": turn == -1,
            "O": turn in (0, -1), "Omega": turn in (0, 1),
        }[word]  # fmt: skip
        unknown = [x for x in found.needs if self._sign(x) != 1]
        either = None if found.otherwise is None else power - found.power + found.otherwise
        if unknown and (word, turn) == ("o", -1) and either is not None and self._sign(either) == -1:
            return Proved(say(EITHER, *(in_symbols(self._count) ** x for x in (power, either))))
        if any(self._sign(x) in (0, -1) for x in unknown):
            return Silent(Silence.BETWEEN_BOUNDS)  # the start decides, or a logarithm
        shown = sp.factor(found.coefficient) * in_symbols(self._count) ** found.power
        name = Formula(moment.latex(), str(moment))
        told = Derivation("First terms", (Step("Far out", "", (Equation(name, shown, "->"),)),), ())
        if not unknown:
            lemma = say(LEMMA, shown, way.letter)
            return Proved(lemma, told, {"steps": "every"}) if holds else Disproved(lemma, told)
        if holds and len(unknown) == 1:
            small, large = map(from_sympy, taken_and_added(unknown[0]))
            return Silent(Silence.NO_CERTIFICATE, derivation=told, only_if=small < large)
        return Silent(Silence.NO_CERTIFICATE, derivation=told)

    def _ratio(self, left: Term, right: Term, way: Way) -> tuple[Any, Any, First, Term] | None:
        """Left over right to first order: a number, the exponent of the number of steps."""
        if way.letter != self._count or way.to != "oo" or way.where:
            return None
        told = [self.spelt(side).put({self._count: STEP}) for side in (left, right)]
        if any(a.kind not in NUMBERS for side in told for a in side.letters):
            return None  # something random is left
        sides = list(map(in_symbols, told))
        ratio = sp.together(sides[0] / sides[1])
        met = [a for a in self.worth if in_symbols(a) in ratio.free_symbols]
        if len(met) != 1:
            return None
        y, found = in_symbols(met[0]), self.first(self.worth[met[0]])
        beside = sp.simplify(ratio / y)
        leading = None if beside.has(y) or found is None else self._leading(beside)
        if leading is None or found is None:
            return None
        moment = next(t for side in (left, right) for t in side.subterms() if _is_of(self, t, met[0]))
        return leading[0] * found.coefficient, leading[1] + found.power, found, moment

    def first_term(
        self, _: Any, left: Term, way: Way, given: tuple[Any, ...]
    ) -> tuple[tuple[Term, ...], Term | None]:
        """The first term of a moment times a function of the number of steps, where it is sure."""
        if given and given != self.given:
            return replace(self, given=given).first_term(_, left, way, ())
        read = self._ratio(left, number(1), way)
        if read is None or any(self._sign(x) != 1 for x in read[2].needs):
            return (), None
        count = in_symbols(self._count)
        return (from_sympy(sp.factor(read[0]) * count ** read[1]),), from_sympy(count ** read[1])


@cache
def _read_once(far: Far, left: Term, right: Term) -> tuple[Any, Any, First, Term] | None:
    return far._ratio(left, right, Way(far._count, "oo"))


def _is_of(far: Far, side: Term, letter: Letter) -> bool:
    return isinstance(side, Applied) and far.spelt(side) == letter


def _is_shifted(e: Any) -> bool:
    """A power of the number of steps and a number, whose exponent is a letter."""
    return bool(e.is_Pow and e.has(n) and e.base != n and (e.base / n).subs(n, sp.oo) == 1)


def _may_turn(share: Any) -> bool:
    """Whether a share may be negative: it is no square."""
    return not all(k % 2 == 0 for f, k in sp.factor_list(share)[1] if f.free_symbols)


def far_of(moments: Moments, about: About) -> Far | None:
    """What a statement about the limit of moments asks, as the steps grow in number; None of others."""
    if not about.ways or any(way.letter != moments.count or way.to != "oo" for way in about.ways):
        return None
    return Far(moments, about.given)
