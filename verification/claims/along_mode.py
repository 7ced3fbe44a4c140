"""Statements about a chain along one eigen-direction where A = B B^T: correlation times, windows.

Under Assumption 5 of Mandt et al. every direction is a chain of its own, so that what holds for one
curvature lambda holds in every dimension. ``where`` sets letters, such as N = S T for windows of one
pass; ``small`` names the letter along whose limit an error may vanish.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, Self

import sympy as sp

from sgtheory.declare import N, S
from sgtheory.dynamics import coefficients
from sgtheory.language import STEP
from sgtheory.modepairs.pairs import LI
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from sgtheory.setting import Setting
from verification.claims.base import Claim, Printed, Proof
from verification.laws.modechain import (
    LAST,
    LONG_RUN,
    QUANTITIES,
    VARIANCE,
    WINDOW,
    WINDOWS,
    ModeChain,
    Read,
    T,
    named_last,
    number,
)
from verification.laws.rational import problem_space
from verification.miner.conditions import Condition
from verification.miner.mine import Mined
from verification.miner.relations import Related
from verification.prover.positivity import nowhere_negative
from verification.prover.windows import by_last, cases, in_sizes, shortest
from verification.refuter.modescript import mode_script
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.twins import corruptions
from verification.terms.asymptotics import Term, Undecided, leading
from verification.verdicts.verdict import Correction, Counterexample, Evidence, Finding, Gap

DIFFERENCE = Formula(r"\text{left} - \text{right}", "left - right")
_FAR = 16  # of the letter along a limit
_SAME = Fraction(1, 10**30)  # continuous-time windows are known to forty digits
_POSITIVE = (VARIANCE, LONG_RUN, WINDOW, WINDOWS)
_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: abs(a - b) <= _SAME,
    ">=": lambda a, b: a >= b - _SAME,
    "<=": lambda a, b: a <= b + _SAME,
}


@dataclass(frozen=True)
class AlongMode(Claim):
    """``printed`` is one relation between quantities of ``verification.laws.modechain``.

    ``=``, ``<=`` and ``>=`` are meant wherever a minibatch has at most as many examples as the data;
    ``->`` is meant in the limit that ``small`` names.
    """

    gain: Any = None  # of H, in lambda_i, N and S; then the step is one
    distinct: bool = False  # minibatches without replacement
    where: tuple[tuple[Any, Any], ...] = ()
    small: tuple[Any, str] | None = None

    @property
    def relation(self) -> Printed:
        """What is printed, with the letters of ``where`` put in."""
        (printed,) = self.printed
        left, right = (self._set(sp.sympify(s)) for s in (printed.left, printed.right))
        return replace(printed, left=left, right=right)

    def _set(self, expr: Any) -> Any:
        """A formula with the letters of ``where`` put in, by their names."""
        known = {s.name: value for s, value in self.where}
        return expr.subs({s: known[s.name] for s in expr.free_symbols if s.name in known})

    def chain(self, time: str) -> ModeChain:
        """The chain along one direction."""
        return ModeChain(self.setting, time, self.gain, self.distinct)

    # -- exact places ----------------------------------------------------------------------------

    def space(self) -> Space:
        """Curvature, step and sizes; the window is a whole number of steps."""
        letters = self._letters() | self._declared()
        ordered = sorted(letters, key=str)
        kinds = {s.name: "count" if s.is_integer else "positive" for s in ordered}
        kinds |= problem_space(self.setting).scalars
        kinds |= {LI.name: "square", T.name: "count"}
        used = {s.name for s in letters}
        set_by = {s.name for s, _ in self.where}
        dropped = set_by | ({STEP.name} if self.gain is not None else set())
        return Space({}, {n: k for n, k in kinds.items() if n in used and n not in dropped})

    def _letters(self) -> set[Any]:
        sides = (self.relation.left, self.relation.right, sp.sympify(self.gain or 0))
        sides += tuple(sp.sympify(e) for _, e in self.where)
        sides += (self.small[0],) if self.small else ()
        return set().union(*(s.free_symbols for s in sides)) - set(QUANTITIES)

    def _declared(self) -> set[Any]:
        """What the step itself has in it, and what the sizes of the sample need."""
        chain = self.chain("discrete")
        sizes = {N, S} if self.distinct else set()
        known = {LI} | sizes.union(*(e.free_symbols for e in _quantities(chain, self._read()).values()))
        return known - {LAST}

    def _read(self) -> tuple[Any, ...]:
        sides = (self.relation.left, self.relation.right)
        return tuple(sorted(set().union(*(s.atoms(Read) for s in sides)), key=str))

    def _scalars(self, place: Place) -> dict[str, Fraction]:
        """All letters of a place, those that are set by others too."""
        known = dict(place.scalars)
        return known | {s.name: number(e, known) for s, e in self.where}

    def look(self, time: str) -> Look:
        """Both sides in numbers, the quantities by running the step."""
        relation, chain = self.relation, self.chain(time)

        def values(known: dict[str, Fraction]) -> tuple[Fraction, Fraction] | None:
            if not self._drawn_from(known):
                return None
            found = chain.at(known, self._read())
            if found is None:
                return None
            left, right = (number(s, {**known, **found}) for s in (relation.left, relation.right))
            return left, right

        def at(place: Place) -> Sides | None:
            sides = values(self._scalars(place))
            if sides is None:
                return None
            holds = _HOLDS.get(relation.relation)
            if holds is not None:
                return Sides(_text(sides[0]), _text(sides[1]), holds(*sides))
            if self.limit == (T, "oo"):
                if (window := chain.settled(self._scalars(place))) is None:
                    return None
                place = place.but(**{T.name: window})
                sides = values(self._scalars(place))
            further = values(self._scalars(self._further(place)))
            if sides is None or further is None:
                return None
            near, far = (abs(a - b) for a, b in (sides, further))
            return Sides(_text(further[0]), _text(further[1]), 2 * far <= near)

        return at

    def _drawn_from(self, known: dict[str, Fraction]) -> bool:
        """Whether a minibatch can be drawn from the data."""
        return known.get("S", 1) <= known.get("N", known.get("S", 1)) - int(self.distinct)

    def _further(self, place: Place) -> Place:
        """Well on the way to the limit."""
        letter, limit = self.limit
        factor = Fraction(_FAR) if limit == "oo" else Fraction(1, _FAR)
        return place.but(**{letter.name: place.scalars[letter.name] * factor})

    # -- the symbolic route ----------------------------------------------------------------------

    def formula(self, side: Any, time: str) -> Any:
        """A side in letters, with a^T as one of them."""
        put_in = {q: self._set(e) for q, e in _quantities(self.chain(time), self._read()).items()}
        side = named_last(sp.sympify(side)).subs(put_in)
        for condition in self.conditions:
            for part in condition.parts:
                if isinstance(part, Related):
                    side = side.subs(part.relation.symbol, part.relation.value)
        return sp.factor(sp.cancel(sp.together(side)))

    def _difference(self, time: str) -> Any:
        return self.formula(self.relation.left - self.relation.right, time)

    def prove(self, time: str) -> Proof:
        """Left minus right is zero as a function of all letters, or nowhere negative."""
        rest, word = self._difference(time), self.relation.relation
        evidence = (self._told(time, rest),)
        if word == "=":
            return Proof(rest == 0, f"{_process(time)} {self._comparison(time, rest)}.", evidence)
        if word == "->":
            return self._vanishes(rest, time, evidence)
        larger = rest if word == ">=" else -rest
        certificates = [nowhere_negative(in_sizes(e)) for e in cases(larger, self.chain(time))]
        if None in certificates:
            return Proof(None, "No certificate was found.", evidence)
        words = " ".join(dict.fromkeys(c.words for c in certificates if c is not None))
        return Proof(True, f"{_process(time)} larger side minus smaller: {words}", evidence)

    def _comparison(self, time: str, rest: Any) -> str:
        """Whether the sides agree, and what the left one is if not."""
        if rest == 0:
            return "both sides are one formula, in every direction of A"
        left = plain(_written(by_last(self.formula(self.relation.left, time)), self.chain(time)))
        return f"the left side is {left}" if len(left) < 90 else "the two sides are two formulas"

    def _vanishes(self, rest: Any, time: str, evidence: tuple[Evidence, ...]) -> Proof:
        """The first term of left minus right along the limit."""
        term = self._first(rest)
        if term is None:
            return Proof(None, "No first term was found.", evidence)
        letter, limit = self.limit
        shown = plain(sp.factor(term.written(letter)))
        tends = term.power == float("inf") or (term.power < 0 if limit == "oo" else term.power > 0)
        return Proof(tends, f"{_process(time)} left minus right is {shown} to first order.", evidence)

    def _first(self, expr: Any) -> Term | None:
        """The first term along the limit; what is left after a window vanishes as windows grow."""
        letter, limit = self.limit
        try:
            return leading(sp.factor(expr.subs(LAST, 0) if limit == "oo" else expr), letter, limit)
        except Undecided:
            return None

    @property
    def limit(self) -> tuple[Any, str]:
        """The letter, and where it goes."""
        assert self.small is not None
        return self.small

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """The factors of what is left over that can vanish, whatever the window."""
        if self.relation.relation != "=":
            return ()
        top = sp.fraction(self._difference(time))[0]
        single = [f for f, _ in sp.factor_list(top)[1] if not f.has(LAST, T) and f.free_symbols != {N}]
        ways = [way for f in single for way in coefficients.relations([f])]
        return tuple(Related((), way[0]) for way in ways if len(way) == 1)

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """Windows of up to twenty-nine steps; not where a root would be needed."""
        for _ in range(8):
            try:
                holds = super().holds_at_random(time, source, under, size)
            except (StopIteration, ZeroDivisionError):
                continue
            if holds is not None:
                return holds
        return None

    def gap(self, time: str) -> Gap | None:
        """The relative error along the limit that is named; a^T vanishes as windows grow."""
        if self.small is None or self.relation.relation != "=":
            return None
        letter, limit = self.limit
        right = self.formula(self.relation.right, time)
        term = self._first(self._difference(time) / (right if right != 0 else 1))
        if term is None:
            return None
        order = term.power if limit == "0" else -term.power
        if not 0 < order < float("inf"):
            return None
        size = shortest(term.written(letter).subs(_unset(self.where)))
        parameter = plain((letter if limit == "0" else 1 / letter).subs(_unset(self.where)))
        return Gap(parameter, str(order), Formula(latex(size), plain(size)))

    def correct(self, time: str) -> Correction | None:
        """What the left side really is."""
        relation = self.relation
        value = _written(by_last(self.formula(relation.left, time)), self.chain(time))
        if value.atoms(Read) or len(str(value)) > 200:
            return None
        true = Printed(self.printed[0].left, value)
        fixed = replace(self, printed=(true,))
        if fixed.prove(time).holds is not True:
            return None
        said = "in every eigen-direction of A, where A = B B^T"
        said += "".join(f", with {plain(s)} = {plain(e)}" for s, e in self.where)
        return Correction(true.latex(), true.text(), "proved", said, (true,))

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """Whether the condition is needed is read off the other factors."""
        if verdict == "refuted" and self.relation.relation != "=":
            return f"{_process(time)} it is violated at the numbers below."
        if verdict != "proved-if":
            return proof.reason
        words = " or ".join(m.words for m in mined if m.proof is not None)
        other = self._others(time)
        need = "and only then" if other else mined[0].necessity
        extra = "" if not other else f" (what is left over is a nonzero multiple of {other})"
        return f"{_process(time)} it holds when {words}, {need}{extra}."

    def _others(self, time: str) -> str:
        """The one factor that can vanish, where all others keep away from zero in a stable chain."""
        top = sp.fraction(self._difference(time))[0]
        factors = [f for f, _ in sp.factor_list(top)[1]]
        free = [f for f in factors if not f.is_positive and sp.expand(f**2 - (LAST - 1) ** 2) != 0]
        return plain(free[0]) if len(free) == 1 else ""

    # -- how it is shown -------------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """The step, its moments, and the quantities by sums over lags."""
        known, relation = self._scalars(failure.place), self.relation
        if relation.relation == "->":  # no single place shows a limit
            return ""
        return mode_script(
            self.heading, self.chain(time), known, (relation.left, relation.right, relation.relation)
        )

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The numbers along one direction."""
        shown = {n: str(x) for n, x in self._scalars(failure.place).items()}
        return Counterexample(shown, failure.sides.left, failure.sides.right, "left and right side")

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """What is printed, corrupted, and the relation turned."""
        printed = self.printed[0]
        for name, twin in super().corrupted(finding):
            if printed.relation == "=" or "sqrt(" not in name:  # a root of a size is a weaker bound
                yield name, twin
        for name, twin in corruptions(sp.sympify(self.gain or 0)):
            if self.gain is not None and twin != 0 and "sign flipped" not in name:
                yield f"gain: {name}", replace(self, gain=twin)
        turned = {"<=": ">=", ">=": "<="}.get(printed.relation)
        if turned:
            yield "relation turned", replace(self, printed=(replace(printed, relation=turned),))

    def says_the_same(self, other: Self) -> bool:
        """A bound that follows from the other by signs alone is weaker, and no lie."""
        mine, its = self.relation, other.relation
        if mine.relation != its.relation or mine.relation not in ("<=", ">="):
            return False
        rest = (mine.residual - its.residual) * (-1 if mine.relation == "<=" else 1)
        known = {q: sp.Symbol(f"_q{k}", positive=True) for k, q in enumerate(_POSITIVE)}
        plain_rest = sp.expand(rest.subs(known))
        if plain_rest.has(Read):
            return False
        return nowhere_negative(in_sizes(plain_rest)) is not None

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """The laws of samplers are measured where they are claimed."""
        return finding, None

    def _told(self, time: str, rest: Any) -> Evidence:
        chain = self.chain(time)
        read = _quantities(chain, self._read())
        known = tuple(Equation(_formula(q), _written(e, chain)) for q, e in read.items())
        shown = _written(rest, chain)
        steps = (
            Step("Along one direction", "Where A = B B^T, with curvature lambda_i:", known),
            Step("The difference", "Left minus right:", (Equation(DIFFERENCE, shown),)),
        )
        result = Result("difference", Equation(DIFFERENCE, shown))
        return Evidence(
            "symbolic",
            "By formulas along one eigen-direction, valid in every dimension where A = B B^T.",
            {"dimensions": "every", "difference": plain(shown)},
            Derivation("A chain along one direction", steps, (result,)),
        )


@cache
def _formulas(setting: Setting, time: str, gain: Any, distinct: bool) -> dict[Any, Any]:
    return ModeChain(setting, time, gain, distinct).formulas()


def _quantities(chain: ModeChain, read: tuple[Any, ...]) -> dict[Any, Any]:
    """The formulas of what is read."""
    known = _formulas(chain.setting, chain.time, chain.gain, chain.distinct)
    return {q: known[q] for q in read if q in known}


def _written(expr: Any, chain: ModeChain) -> Any:
    return sp.sympify(expr).subs(LAST, chain.last) if expr.has(LAST) else expr


def _unset(where: tuple[tuple[Any, Any], ...]) -> dict[Any, Any]:
    """N = S T read as T = N/S, for what is shown."""
    return dict(pair for s, e in where if e.has(T) for pair in [(T, sp.solve(e - s, T)[0])])


def _process(time: str) -> str:
    return "For the continuous-time process" if time == "continuous" else "For the discrete algorithm"


def _formula(expr: Any) -> Formula:
    return Formula(latex(expr), plain(expr))


def _text(x: Fraction) -> str:
    return str(x) if max(abs(x.numerator), x.denominator) < 2**64 else f"{float(x):.15g}"
