"""How far an equation is off, relative to its right side, as the step vanishes or a window grows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.declare import Parameter
from sgtheory.derivation import Formula
from sgtheory.pairs import LI, LJ
from sgtheory.printing import latex, plain, tidy
from verification.asymptotics import Undecided
from verification.notation import A, C, S, eps
from verification.pairform import NotInPairForm
from verification.spectral.calculus import vanishes
from verification.spectral.expansion import elapsed, first
from verification.spectral.modes import ELL_I, ELL_J, Reading
from verification.spectral.words import Averaged, has_gain, times_in
from verification.verdict import Gap

LONG_RUN = A**-1 * C * A**-1  # times S: what windows times their covariance tend to
First = tuple[Any, Any]  # a power, and the coefficient


def gap_of(printed: tuple[Any, ...], reading: Reading) -> Gap | None:
    """Left over right minus one: as the step vanishes at a fixed elapsed time, or the window grows.

    The order is that at two different modes; the first term is shown for a mode with itself.
    """
    gaps = Gaps(printed, reading)
    for small in gaps.vanishing():
        try:
            found = gaps.firsts(small, False), gaps.firsts(small, True)
        except (NotInPairForm, Undecided, ZeroDivisionError):
            continue
        generic, alike = (min(f, key=lambda one: one[0], default=None) for f in found)
        if generic is None or generic[0] <= 0:
            continue
        return gaps.told(small, alike if alike is not None and alike[0] == generic[0] else generic)
    return None


def bright(term: Any) -> Any:
    """A rational first term with factors that are positive for small steps."""
    return tidy(term) if term.is_rational_function(*term.free_symbols) else term


@dataclass(frozen=True)
class Gaps:
    """Equations, and how they are read."""

    printed: tuple[Any, ...]
    reading: Reading

    @cached_property
    def sides(self) -> tuple[Any, ...]:
        """Both sides of all equations."""
        return tuple(sp.sympify(s) for p in self.printed for s in (p.left, p.right))

    def told(self, small: Any, shown: First) -> Gap:
        """In the letters of the statement."""
        term = small ** shown[0] * shown[1]
        if small.is_Symbol:
            back = {sp.Symbol(f"_{t}", positive=True): t * small for t in times_in(self.sides)}
            term = sp.factor(term.subs(back))
        term = bright(term)
        return Gap(str(small), str(shown[0]), Formula(latex(term), plain(term)))

    def vanishing(self) -> list[Any]:
        """What may become small: the step of the algorithm, one over the window of an average."""
        windows = {a.args[0] for s in self.sides for a in s.atoms(Averaged)}
        letters = [1 / w for w in sorted(windows, key=str) if isinstance(w, Parameter)]
        found = letters if len(letters) == 1 else []
        return [eps, *found] if self.reading.time == "discrete" else found

    def firsts(self, small: Any, alike: bool) -> list[First]:
        """The first term of (left - right)/right of each equation that fails.

        In symbols for a mode with itself; at two different modes with numbers in the place of letters.
        """
        found = []
        for printed in self.printed:
            for value, right in self._in_frames(printed, alike):
                if vanishes(value):
                    continue
                above, below = (self._first(e, small, alike) for e in (value, right))
                if above is None or below is None:
                    raise Undecided("no first term")
                found.append((above[0] - below[0], sp.factor(above[1] / below[1])))
        return found

    def _in_frames(self, printed: Any, alike: bool) -> list[tuple[Any, Any]]:
        """Left minus right, and right, letter by letter; where no frame has both, each in its own."""
        pair = tuple(sp.sympify(e) for e in (printed.residual, printed.right))
        try:
            rest, right = (self.reading.of(e) for e in pair)
        except NotInPairForm:
            if not alike:
                return self._apart(printed)
            number = replace(self.reading, gain="number", single=True)
            rest, right = (number.of(e) for e in pair)
        if alike:
            equal = {LJ: LI, ELL_J: ELL_I}
            rest, right = ({k: c.subs(equal) for k, c in e.items()} for e in (rest, right))
        if not set(rest) <= set(right):
            raise Undecided("nothing on the right to compare with")
        return [(value, right[letter]) for letter, value in rest.items()]

    def _apart(self, printed: Any) -> list[tuple[Any, Any]]:
        """Each side less the long-run covariance over the window, the same in every frame."""
        sides = tuple(sp.sympify(e) for e in (printed.left, printed.right))
        windows = {a.args[0] for s in sides for a in s.atoms(Averaged)}
        if len(windows) != 1:
            raise Undecided("no one window")
        same = LONG_RUN / (S * windows.pop())
        found = []
        for side in sides:
            reading = replace(self.reading, gain="frame" if has_gain(side) else "")
            rest, right = (reading.of(e) for e in (side - same, same))
            found += [(value, right[letter]) for letter, value in rest.items()]
        return found

    def _first(self, expr: Any, small: Any, alike: bool) -> First | None:
        if small.is_Symbol:
            expr = elapsed(expr, small, times_in(self.sides))
        if not alike:
            known = {s for s in expr.free_symbols if s not in small.free_symbols} - {ELL_I, ELL_J}
            letters = sorted(known, key=str)
            expr = expr.subs({s: sp.Integer(k + 2) for k, s in enumerate(letters)})
        if small.is_Symbol:
            return first(expr, small)
        found = first(expr, 1 / small, "oo")
        return None if found is None else (-found[0], found[1])
