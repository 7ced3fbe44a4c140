"""How far an equation is off, relative to its right side, as the step vanishes or a window grows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.sentence import listed, say
from verification import notation
from verification.laws.pair_form import DELTA, NotInPairForm
from verification.notation import eps
from verification.terms.asymptotics import Undecided
from verification.terms.term import Applied, Letter, Number, Term, term
from verification.theories.exponentials import vanishes
from verification.theories.time.expansion import elapsed, first
from verification.theories.time.modes import ELL_I, ELL_J
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.theories.time.laws import Law

A, C, S = map(term, (notation.A, notation.C, notation.S))


def long_run(window: Term) -> Term:
    """The covariance of an average over a long window."""
    return A**-1 * C * A**-1 / (window * S)


First = tuple[Any, Any]  # a power, and the coefficient


def times_in(sides: tuple[Term, ...]) -> tuple[Letter, ...]:
    """The letters that count steps: of windows and of pairs of times, in powers, beside the step."""
    found: dict[Letter, None] = {}
    for t in (t for side in sides for t in side.subterms() if isinstance(t, Applied)):
        counts = t.of[:1] if t.head == "averaged" else t.of if t.head == "lagged" else ()
        if t.head == "**" and not isinstance(t.of[1], Number):
            counts = t.of[1:]
        if t.head == "expm" and any(a.name == "eps" for a in t.letters):
            counts = t.of
        found |= dict.fromkeys(a for one in counts for a in one.letters)
    kinds = ("matrix", "variable")
    return tuple(a for a in found if a.kind not in kinds and a.name not in ("S", "eps"))


def gap_of(left: Term, right: Term, law: Law) -> Gap | None:
    """Left over right minus one: as the step vanishes at a fixed elapsed time, or the window grows.

    The order is that at two different modes; the first term is shown for a mode with itself, unless the
    sides are nearer to one another there.
    """
    gaps = Gaps(left, right, law)
    for small in gaps.vanishing():
        try:
            found = gaps.firsts(small, False), gaps.firsts(small, True)
        except (NotInPairForm, Undecided, ZeroDivisionError, sp.PolynomialError):
            continue
        generic, alike = (min(f, key=lambda one: one[0], default=None) for f in found)
        if generic is None or generic[0] <= 0:
            continue
        if alike is None or alike[0] != generic[0]:
            alike = min(gaps.firsts(small, False, in_letters=True), key=lambda one: one[0])
        return gaps.told(small, alike)
    return None


def of_modes(gap: Gap, law: Law) -> Gap:
    """Which eigenvalues a gap is told in, where they are not those of A."""
    told = gap.term.text
    if law.reading.gain != "frame" or "lambda_" not in told or "h_i" in told:
        return gap
    return replace(
        gap, words=say("{}, with the eigenvalues of $H A$,", str(gap.words).removesuffix(","))
    )


@dataclass(frozen=True)
class Gaps:
    """Two sides, and the law that they are about."""

    left: Term
    right: Term
    law: Law
    gain: str | None = None

    @cached_property
    def times(self) -> tuple[Any, ...]:
        """The symbols that count steps."""
        return tuple(map(self.law.reading.symbol, times_in((self.left, self.right))))

    @cached_property
    def windows(self) -> tuple[Term, ...]:
        """Of averages."""
        found = (t for side in (self.left, self.right) for t in side.subterms())
        return tuple(
            dict.fromkeys(
                t.of[0] for t in found if isinstance(t, Applied) and t.head in ("averaged", "remembered")
            )
        )

    def told(self, small: Any, shown: First) -> Gap:
        """In the letters of the statement."""
        found = small ** shown[0] * shown[1]
        if small.is_Symbol:
            back = {sp.Symbol(f"_{t}", positive=True): t * small for t in self.times}
            found = sp.factor(found.subs(back))
        gap = Gap.of(small, shown[0], found)
        if self.right == term(0):  # relative to what the left side may be at most
            gap = replace(gap, words="gap")
        if small.is_Symbol and self.times:
            fixed = listed((say("${}$", small * t) for t in self.times), by=" and ")
            gap = replace(gap, words=say("{}, at a fixed {},", gap.words, fixed))
        return of_modes(gap, self.law)

    def vanishing(self) -> list[Any]:
        """What may become small: the step of the algorithm, one over the window of an average."""
        letters = [1 / self.law.reading.symbol(w) for w in self.windows if isinstance(w, Letter)]
        found = letters if len(letters) == 1 else []
        if notation.N in dict(self.law.reading.known).get(LI, eps).free_symbols:
            found = [*found, 1 / notation.N]
        return [eps, *found] if self.law.reading.time == "discrete" else found

    def firsts(self, small: Any, alike: bool, in_letters: bool = False) -> list[First]:
        """The first term of (left - right)/right.

        In symbols for a mode with itself; at two different modes with numbers in the place of letters,
        for then it is quick.
        """
        found = []
        for value, right in self._in_frames(alike):
            if vanishes(value):
                continue
            above, below = (self._first(e, small, alike or in_letters) for e in (value, right))
            if above is None or below is None:
                raise Undecided("no first term")
            found.append((above[0] - below[0], sp.factor(above[1] / below[1])))
        return found

    def _of(self, side: Term, **reading: Any) -> dict[Any, Any]:
        return self.law.entries(side, **({"gain": self.gain} if self.gain is not None else {}) | reading)

    def _in_frames(self, alike: bool) -> list[tuple[Any, Any]]:
        """Left minus right, and right, letter by letter; where no frame has both, each in its own."""
        pair = self.left - self.right, self.right
        try:
            rest, right = (self._of(e) for e in pair)
        except NotInPairForm:
            if not alike:
                return self._apart()
            rest, right = (self._of(e, gain="number", single=True) for e in pair)
        if alike:
            equal = {LJ: LI, ELL_J: ELL_I}
            rest, right = ({k: c.subs(equal) for k, c in e.items()} for e in (rest, right))
        right = right or {DELTA: sp.Integer(1)}  # the identity, where the right side is zero
        if not set(rest) <= set(right):
            raise Undecided("nothing on the right to compare with")
        return [(value, right[letter]) for letter, value in rest.items()]

    def _apart(self) -> list[tuple[Any, Any]]:
        """Each side less the long-run covariance over the window, the same in every frame."""
        if len(self.windows) != 1:
            raise Undecided("no one window")
        same = long_run(self.windows[0])
        found = []
        for side in (self.left, self.right):
            one = replace(self, gain="frame" if _has_gain(side) else "")
            rest, right = (one._of(e) for e in (side - same, same))
            found += [(value, right[letter]) for letter, value in rest.items()]
        return found

    def _first(self, expr: Any, small: Any, in_letters: bool) -> First | None:
        if small.is_Symbol:
            expr = elapsed(expr, small, self.times)
        if not in_letters:
            known = {s for s in expr.free_symbols if s not in small.free_symbols} - {ELL_I, ELL_J}
            letters = sorted(known, key=str)
            expr = expr.subs({s: sp.Integer(k + 2) for k, s in enumerate(letters)})
        if small.is_Symbol:
            return first(expr, small)
        found = first(expr, 1 / small, "oo")
        return None if found is None else (-found[0], found[1])


def _has_gain(side: Term) -> bool:
    return any(a.name == "H" for a in side.letters)
