"""Which iterates the windows of an averaging algorithm use: each once, if its indices are right.

At steps t = T, 2 T, ..., M T the algorithm averages theta_(t - t') over t' from ``first`` to ``last``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.declare import Parameter
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Proof
from verification.laws.modechain import T, number
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.terms.printing import Line
from verification.verdicts.verdict import Counterexample, Evidence, Finding

_M, _K = (Parameter(n, positive=True, integer=True) for n in "Mk")


@dataclass(frozen=True)
class Windows(Claim):
    """Iterates 1 to M T are used by the windows, each by one; a mean divides by ``divisor``."""

    first: Any = sp.S.Zero
    last: Any = T - 1
    divisor: Any = T

    def __post_init__(self) -> None:
        a, b, n = (sp.sympify(e) for e in (self.first, self.last, self.divisor))
        shown = Line(
            rf"\mu_k = \frac{{1}}{{{latex(n)}}} \sum_{{t'={latex(a)}}}^{{{latex(b)}}} \theta_{{kT-t'}}",
            f"mu_k = sum of theta_(k T - t') over t' = {plain(a)} .. {plain(b)}, divided by {plain(n)}",
        )
        object.__setattr__(self, "printed", (shown,))

    def space(self) -> Space:
        """Windows of a few steps, a few of them."""
        return Space({}, {"T": "count", "M": "count"})

    def look(self, time: str) -> Look:
        """How often each iterate is used, by going through the loop."""

        def at(place: Place) -> Sides | None:
            size, count = (int(place.scalars[n]) for n in "TM")
            shifts = range(*(int(number(e, place.scalars)) for e in (self.first, self.last + 1)))
            used = Counter(t - s for t in range(1, count * size + 1) if t % size == 0 for s in shifts)
            whole = Counter(range(1, count * size + 1))
            good = used == whole and number(self.divisor, place.scalars) == len(shifts)
            return Sides(str(sorted(used.elements())), str(sorted(whole)), good)

        return at

    def prove(self, time: str) -> Proof:
        """Window k reaches from k T - last to k T - first, the next begins where it ends."""
        begins, ends = _K * T - self.last, _K * T - self.first
        rests = {
            "first iterate of the first window less 1": begins.subs(_K, 1) - 1,
            "what lies between two windows": begins.subs(_K, _K + 1) - ends - 1,
            "last iterate of the last window less M T": ends.subs(_K, _M) - _M * T,
            "divisor less the number of iterates": self.divisor - (ends - begins + 1),
        }
        shown = tuple(Equation(Formula(rf"\text{{{n}}}", n), sp.expand(e)) for n, e in rests.items())
        derivation = Derivation(
            "Windows", (Step("Ends", "All are zero:", shown),), (Result("ends", shown[0]),)
        )
        evidence = Evidence(
            "symbolic", "By where windows begin and end.", {"dimensions": "every"}, derivation
        )
        holds = all(sp.expand(e) == 0 for e in rests.values())
        wrong = "; ".join(f"{n}: {plain(sp.expand(e))}" for n, e in rests.items() if sp.expand(e) != 0)
        reason = "Windows begin where the one before has ended, and none is missing." if holds else wrong
        return Proof(holds, reason, (evidence,))

    def script(self, failure: Failure, time: str) -> str:
        """The loop."""
        size, count = (failure.place.scalars[n] for n in "TM")
        return (
            f"# {self.heading}\nT, M = {size}, {count}\n"
            f"used = [t - s for t in range(1, M * T + 1) if t % T == 0"
            f" for s in range({plain(self.first)}, {plain(self.last)} + 1)]\n"
            f"print(sorted(used))\n"
            "whole = list(range(1, M * T + 1))\n"
            f"print(sorted(used) == whole and {plain(self.divisor)} * M == len(used))\n"
        )

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The iterates that are used."""
        shown = {n: str(x) for n, x in failure.place.scalars.items()}
        words = "iterates that are used, and iterates that there are"
        return Counterexample(shown, failure.sides.left, failure.sides.right, words)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Indices that are off by one, and the divisor."""
        for name in ("first", "last", "divisor"):
            for by in (1, -1):
                yield f"{name} off by {by}", replace(self, **{name: getattr(self, name) + by})
        yield "both off by one", replace(self, first=self.first + 1, last=self.last + 1)

    def has_discrete_reading(self) -> bool:
        """It is about the algorithm already."""
        return False
