"""Claims that errors of averages vanish as time goes on.

An error along one power of t has the proof of the bound on it. In exact numbers, along schedules: a size
that stops falling refutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

import sympy as sp

from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.claims.up_to_constant import UpToConstant
from verification.laws.averages import S_T, Averages, exponents, t
from verification.refuter.averagescript import VANISHES, average_script
from verification.refuter.script import run
from verification.refuter.twins import spread
from verification.verdicts.verdict import (
    Counterexample,
    Evidence,
    Finding,
    Twins,
    differ,
    unseen_by_script,
)

_PLACES = tuple(range(8))
_FALLS, _STAYS = -0.1, -0.02  # slopes of the logarithm to base 2, per doubling of T


@dataclass(frozen=True)
class ToZero(Printed):
    """``left -> 0`` as T grows."""

    right: Any = 0
    relation: str = "->"

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(sp.sympify(self.left))} \to 0 \quad (T \to \infty)"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} -> 0 as T grows"


@dataclass(frozen=True)
class Vanishing(Claim):
    """``printed`` are ``ToZero``, along ``families``."""

    families: tuple[Averages, ...] = ()
    time: str = "discrete"

    def slopes(self, left: Any, family: Averages) -> tuple[float, ...]:
        """How the size changes from one k to the next."""
        sizes = [family.worth(left, at) for at in _PLACES]
        return tuple(float((b / a).ln() / Decimal(2).ln()) for a, b in pairwise(sizes))

    def prove(self, time: str) -> Proof:
        """By exponents: of the powers of t in the families."""
        if not all(self._error_vanishes(p.left, f) for p in self.printed for f in self.families):
            return Proof(None, "The bound on the error does not vanish along the schedule.")
        words = "The sums that bound the error vanish along the schedule, by Poisson's equation."
        evidence = Evidence("symbolic", words, {"terms": [plain(p.left) for p in self.printed]})
        return Proof(True, words, (evidence,))

    def _error_vanishes(self, left: Any, family: Averages) -> bool:
        bound = UpToConstant("", "", "", "", printed=(Printed(left, 1),), families=(family,))
        sizes = None if family.equal else bound.sizes(family)
        power = _power(family.steps)
        return sizes is not None and power is not None and all(_falls(x, power) for x in sizes)

    def find(self, time: str | None = None) -> Finding:
        """The proof, and sizes along the families."""
        proof = self.prove("discrete")
        looked = {(p, f): self.slopes(p.left, f) for p in self.printed for f in self.families}
        stay = [at for at, slopes in looked.items() if max(slopes[-3:]) > _STAYS]
        falls = all(max(slopes[-3:]) < _FALLS for slopes in looked.values())
        shown = {f"{p.text()}, {f.words}": round(s[-1], 3) for (p, f), s in looked.items()}
        words = "; ".join(f"{name}: like T^{slope}" for name, slope in shown.items())
        tested = Evidence("exact", f"At the far end: {words}.", {"powers": shown, "holds": falls})
        if proof.holds and not falls:
            raise differ(self.id, "symbols", "it vanishes", "numbers", f"it does not: {words}")
        evidence = (*proof.evidence, tested)
        if proof.holds:
            return Finding("proved", proof.reason, evidence)
        if not stay:
            return Finding("inconclusive", f"{proof.reason} It falls where it was looked at.", evidence)
        printed, family = stay[0]
        size = float(family.worth(printed.left, _PLACES[-1]))
        reason = f"Along {family.words} it stays: at the last T it is {size:.4g} and falls no more."
        return Finding("refuted", reason, evidence, counterexample=self.stays(printed, family))

    def stays(self, printed: Printed, family: Averages) -> Counterexample:
        """Sizes on the way."""
        script = average_script(self.heading, family, (printed.left, sp.S.One), _PLACES[-4:], VANISHES)
        if run(script):
            raise unseen_by_script(self.id)
        numbers = {
            "along": family.words,
            "phi": plain(family.phi),
            "step": "; ".join(f"{a} <- {plain(b)}" for a, b in family.step.updates),
            "eps_t": plain(sp.sympify(family.steps)),
            "T": plain(sp.sympify(family.length)),
        }
        first, last = (
            f"{float(family.worth(printed.left, at)):.6g}" for at in (_PLACES[3], _PLACES[-1])
        )
        return Counterexample(numbers, first, last, "the left side at k = 3 and at k = 7", script)

    def has_discrete_reading(self) -> bool:
        """Steps are discrete already."""
        return False

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Errors are computed, not measured."""
        return finding, None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Two powers of S_T more on the left, and steps that go nowhere."""
        printed = tuple(replace(p, left=sp.expand(p.left * S_T**2)) for p in self.printed)
        yield "times S_T^2", replace(self, printed=printed)
        # one unit of time in all, however many steps
        short = tuple(
            replace(f, steps=1 / sp.sympify(f.length), words="steps 1/T") for f in self.families[:1]
        )
        yield "steps 1/T", replace(self, families=short)

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Those that stay are rejected; of the others the proof has to say why."""
        if finding.verdict != "proved":
            return Twins(0, 0)
        tried = rejected = 0
        survivors, equivalent = [], []
        for name, twin in spread(self.corrupted(finding), most):
            worst = max(max(twin.slopes(p.left, f)[-3:]) for p in twin.printed for f in twin.families)
            if worst > _STAYS:
                tried, rejected = tried + 1, rejected + 1
            elif twin.prove("discrete").holds:
                equivalent.append(name)
            else:
                tried += 1
                survivors.append(f"{name}: it falls, and no proof says why")
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))


def _power(steps: Any) -> Fraction | None:
    """The power of t by which steps fall; None where they are no power."""
    power = sp.simplify(-t * sp.diff(steps, t) / steps)
    return Fraction(int(power.p), int(power.q)) if power.is_Rational else None


def _falls(term: Any, power: Fraction) -> bool:
    """Whether a monomial vanishes where eps_t is a multiple of t^(-power), as T grows."""
    found = exponents(term)
    if found is None or not 0 <= power < 1:
        return False
    (a, b, c), p = found
    inner = max(Fraction(0), 1 - (p or 2) * power)
    return a * (1 - power) + b * inner + c < 0
