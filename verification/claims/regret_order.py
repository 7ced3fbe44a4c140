"""Claims on the regret of an adaptive algorithm with steps eta/sqrt(t): R(T) = O(T^power).

The losses are linear on [-1, 1] with slopes C, -1, -1, again and again (Reddi, Kale and Kumar 2018): the
best point is -1. Bounds on the second moment show that the position is back at 1 after every period,
whatever the moment was before; then each period adds 2 (C - 2). The other route runs the printed step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy as sp

from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly, approximate_root
from sgtheory.notation.derivation import Derivation, Equation, Formula
from sgtheory.notation.derivation import Step as Told
from sgtheory.notation.printing import latex, plain
from verification.refuter.inpython import name_of, python
from verification.refuter.script import run
from verification.statements.entry import Claim, Proof
from verification.terms.printed import Printed
from verification.verdicts.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Twins,
    differ,
    unseen_by_script,
)

R, T = sp.symbols("R T", positive=True)
_DIGITS, _PERIODS = 30, (5, 20, 80)


@dataclass(frozen=True)
class OrderOf(Printed):
    """``left = O(right)``."""

    relation: str = "O"

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(sp.sympify(self.left))} = O\left({latex(sp.sympify(self.right))}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} = O({plain(self.right)})"


@dataclass(frozen=True)
class RegretOrder(Claim):
    """``printed`` is one ``OrderOf(R, T**power)``; ``step`` moves ``place`` by ``slope``, in any units.

    ``values`` are the parameters, ``eta`` the first step size; all states but the place begin at zero.
    """

    step: Step | None = None
    place: Any = None
    slope: Any = None
    eta: Any = None
    values: tuple[tuple[Any, str], ...] = ()
    second_moment: tuple[Any, Any] = ()  # type: ignore[assignment]  # its weight, what is added to its root
    C: int = 4

    def has_discrete_reading(self) -> bool:
        """It is about the algorithm."""
        return False

    @property
    def power(self) -> Any:
        """Of T."""
        return sp.sympify(self.printed[0].right).as_powers_dict()[T]

    @property
    def numbers(self) -> Mapping[Any, Fraction]:
        """The parameters."""
        return {s: Fraction(x) for s, x in self.values}

    def returns(self) -> tuple[Fraction, Fraction]:
        """At least what two steps up add, and at most what one step down takes; times sqrt(t)/eta.

        The second moment lies between its last term and the largest square.
        """
        sigma, lam = (Fraction(self.numbers[s]) for s in self.second_moment)
        C, tiny = Fraction(self.C), Fraction(1, 10**_DIGITS)
        first = sigma * C**2 + (1 - sigma)
        second = sigma * first + (1 - sigma)
        roots = [approximate_root(x, _DIGITS) for x in ((1 - sigma) * C**2, first, second)]
        half, third = (approximate_root(Fraction(1, k), _DIGITS) for k in (2, 3))  # of t/(t+1), t/(t+2)
        down = C / (lam + roots[0])
        up = half / (lam + roots[1] + tiny) + third / (lam + roots[2] + tiny)
        return up, down

    def is_adaptive(self) -> bool:
        """Whether a step goes by eta times the slope over lambda plus the root of its mean square."""
        assert self.step is not None
        sigma, lam = self.second_moment
        put = {s: sp.Rational(x) for s, x in self.values if s not in (self.eta, sigma, lam)}
        after = {s: e.subs(put) for s, e in self.step.after({s: s for s in self.step.state}).items()}
        for s, e in after.items():
            if sp.expand(e - sigma * s - (1 - sigma) * self.slope**2) == 0:
                moved = after[self.place] - self.place + self.eta * self.slope / (lam + sp.sqrt(e))
                return bool(sp.simplify(moved.subs(dict.fromkeys(set(after) - {s, self.place}, 0))) == 0)
        return False

    def prove(self, time: str) -> Proof:
        """By the position at the end of each period."""
        if not self.is_adaptive():
            return Proof(None, "The bounds are for steps along the slope over its root mean square.")
        up, down = self.returns()
        shown = (
            Equation(Formula(r"\text{up}", "up"), sp.Float(float(up), 6), ">="),
            Equation(Formula(r"\text{down}", "down"), sp.Float(float(down), 6), "<="),
        )
        words = "What two steps up add at least, and one step down takes at most, times sqrt(t)/eta:"
        told = Evidence(
            "symbolic",
            "Bounds on the second moment over one period.",
            {"up": float(up), "down": float(down)},
            Derivation("One period", (Told("One period", words, shown),), ()),
        )
        if up < down or down * self.numbers[self.eta] > 2:
            return Proof(None, "The position need not come back in each period.", (told,))
        if self.power >= 1:
            return Proof(True, "Slopes and the set are bounded, so that no regret is beyond T.", (told,))
        reason = (
            f"For linear losses on [-1, 1] with slopes {self.C}, -1, -1 in turn the position is back at"
            f" 1 after each period, and every three steps add {2 * (self.C - 2)} to the regret."
        )
        return Proof(False, reason, (told,))

    def regrets(self) -> list[tuple[int, Fraction]]:
        """The regret after some numbers of steps, by running the printed step."""
        assert self.step is not None
        states = {s: Fraction(int(s == self.place)) for s in self.step.state}
        lost, found, numbers = Fraction(0), [], dict(self.numbers)
        for t in range(1, 3 * max(_PERIODS) + 1):
            slope = Fraction(self.C if t % 3 == 1 else -1)
            lost += slope * states[self.place]
            eta = numbers[self.eta] / approximate_root(Fraction(t), _DIGITS)
            states = self.step.run(
                Exactly({**numbers, self.eta: eta, self.slope: slope}, {}, _DIGITS), states
            )
            states = {s: x.limit_denominator(10**_DIGITS) for s, x in states.items()}
            states[self.place] = max(Fraction(-1), min(Fraction(1), states[self.place]))
            if t in (3 * k for k in _PERIODS):
                found.append((t, lost + (self.C - 2) * (t // 3)))  # the best point is -1
        return found

    def find(self, time: str | None = None) -> Finding:
        """By the certificate, and by running it."""
        proof, seen = self.prove("discrete"), self.regrets()
        ratios = [float(r) / t ** float(self.power) for t, r in seen]
        grows = all(b > 1.1 * a for a, b in pairwise(ratios))
        words = ", ".join(f"R({t}) = {float(r):.4g}" for t, r in seen)
        held = Evidence("exact", f"By running it: {words}.", {"holds": not grows})
        evidence = (*proof.evidence, held)
        if proof.holds is None:
            return Finding("inconclusive", proof.reason, evidence)
        if proof.holds == grows:
            raise differ(
                self.id,
                "the certificate",
                "bounded" if proof.holds else "it grows",
                "the runs",
                "it grows" if grows else "bounded",
            )
        if proof.holds:
            return Finding("proved", proof.reason, evidence)
        script = self.script_of()
        if run(script):
            raise unseen_by_script(self.id)
        shown = Counterexample(
            {"slopes": f"{self.C}, -1, -1, ...", "set": "[-1, 1]", "start": "1", **dict(self._named())},
            rf"\text{{{', '.join(f'{r:.4g}' for r in ratios)}}}",
            r"\text{bounded}",
            f"R(T) over the printed power of T, at T = {', '.join(str(t) for t, _ in seen)}",
            script,
        )
        true = replace(self.printed[0], right=T)
        fixed = Correction(true.latex(), true.text(), "proved", "which every algorithm has", (true,))
        return Finding("refuted", proof.reason, evidence, corrected=fixed, counterexample=shown)

    def _named(self) -> Iterator[tuple[str, str]]:
        yield from ((str(s), x) for s, x in self.values)

    def script_of(self) -> str:
        """The printed step, run."""
        assert self.step is not None
        lines = [f"# {self.heading}", "from fractions import Fraction as F", "from math import sqrt"]
        lines += [f"{name_of(s)} = {float(Fraction(x))!r}" for s, x in self.values]
        lines += [f"{name_of(s)} = {float(s == self.place)}" for s in self.step.state]
        lines.append(f"first, lost, ratios = {name_of(self.eta)}, 0.0, []")
        lines.append(f"for n in range(1, {3 * max(_PERIODS) + 1}):")
        lines.append(f"    {name_of(self.slope)} = {self.C} if n % 3 == 1 else -1")
        lines.append(f"    lost += {name_of(self.slope)} * {name_of(self.place)}")
        lines.append(f"    {name_of(self.eta)} = first / sqrt(n)")
        lines += [f"    {name_of(s)} = {python(e)}" for s, e in self.step.updates]
        lines.append(f"    {name_of(self.place)} = max(-1, min(1, {name_of(self.place)}))")
        lines.append(f"    if n in {tuple(3 * k for k in _PERIODS)}:")
        lines.append(f"        ratios.append((lost + {self.C - 2} * n / 3) / n**{float(self.power)})")
        lines.append("print(*ratios)")
        lines.append("print(not all(b > 1.1 * a for a, b in zip(ratios, ratios[1:])))  # bounded")
        return "\n".join(lines) + "\n"

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Smaller powers of T than the true one."""
        if finding.corrected is None:
            return Twins(0, 0)
        survivors = []
        powers = (sp.Rational(1, 4), sp.Rational(2, 3), sp.Rational(3, 4))[:most]
        for power in powers:
            twin = replace(self, printed=(OrderOf(R, T**power),))
            survivors += [] if twin.find().verdict == "refuted" else [f"power {power}"]
        return Twins(len(powers), len(powers) - len(survivors), tuple(survivors))
