"""Claims about step-size schedules: whether sums over all steps are finite.

Printed as ``Printed(Sum(eps_t**2, (t, 1, oo)), oo, "<")`` or ``"="``. A schedule varies regularly, like
a power of t: the power decides, and blocks of doubling length show it in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.errors import UnusableInput
from sgtheory.printing import latex, plain
from verification.claims.base import Claim, Printed
from verification.refuter.script import run
from verification.twins import spread
from verification.verdict import Counterexample, Evidence, Finding, Twins, differ, unseen_by_script

_DOUBLINGS = 22  # the last blocks have four million terms: offsets of a thousand are long forgotten
_CLOSE = 0.02  # of a ratio of blocks: an offset c changes it by about c/2**_DOUBLINGS


@dataclass(frozen=True)
class Schedule(Claim):
    """``settings`` are numbers at which blocks are summed; the proof holds for all positive ones."""

    settings: tuple[tuple[Any, str], ...] = ()

    def has_discrete_reading(self) -> bool:
        """Steps are discrete already."""
        return False

    def find(self, time: str | None = None) -> Finding:
        """By the power of t, and by blocks of doubling length."""
        evidence, false = [], []
        for printed in self.printed:
            finite, power, proof = self._proved(printed)
            ratio = self._blocks(printed)[1]
            if abs(ratio - 2 ** (1 - float(power))) > _CLOSE:
                raise differ(
                    self.id,
                    "the power of t",
                    f"terms like t^-{power}",
                    "sums of blocks",
                    f"blocks change by {ratio}",
                )
            words = f"Blocks of doubling length change by a factor {ratio:.4f}, as t^({-power}) has it."
            evidence += [proof, Evidence("exact", words, {"ratio": ratio, "power": str(power)})]
            if finite is not (printed.relation == "<"):
                false.append((printed, proof))
        if not false:
            return Finding("proved", evidence[0].words, tuple(evidence))
        printed, proof = false[0]
        return Finding(
            "refuted", proof.words, tuple(evidence), counterexample=self._counterexample(printed)
        )

    def _proved(self, printed: Printed) -> tuple[bool, Any, Evidence]:
        """Whether the sum is finite, with the power of t by which its terms fall."""
        term, t = self._term(printed)
        power = sp.limit(sp.simplify(-t * sp.diff(term, t) / term), t, sp.oo)
        size = sp.limit(sp.simplify(term * t**power), t, sp.oo)
        if not (power.is_Rational and size.is_positive and size.is_finite):
            raise UnusableInput("terms like a power of t", plain(term), "another type of claim")
        finite = bool(power > 1)
        step = Step(
            "Compare with a power of t",
            "The terms are positive, and their ratio to a power of t tends to a positive number:",
            (
                Equation(
                    Formula(
                        rf"\lim_{{t \to \infty}} t^{{{latex(power)}}} \, {latex(term)}",
                        f"lim t**({power})*({plain(term)})",
                    ),
                    size,
                ),
            ),
        )
        size = f"fall like t^(-{power})" if power >= 0 else f"grow like t^({-power})"
        words = f"Its terms {size}, so that the sum is {'finite' if finite else 'infinite'}."
        derivation = Derivation("The sum by comparison", (step,), ())
        return finite, power, Evidence("symbolic", words, {"power": str(power)}, derivation)

    def _term(self, printed: Printed) -> tuple[Any, Any]:
        if not isinstance(printed.left, sp.Sum) or printed.right != sp.oo:
            raise UnusableInput("a Sum and oo", printed.text(), "write Printed(Sum(...), oo, ...)")
        ((t, _, _),) = printed.left.limits
        u = sp.Symbol("t", positive=True)
        return printed.left.function.subs(t, u), u

    def _values(self) -> Mapping[Any, Any]:
        return {letter: sp.Rational(text) for letter, text in self.settings}

    def _blocks(self, printed: Printed) -> tuple[list[float], float]:
        """Sums over 2^k < t <= 2^(k+1), and the ratio of the last two."""
        import numpy as np

        term, t = self._term(printed)
        of = sp.lambdify(t, term.subs(self._values()), "numpy")
        blocks = [
            float(np.sum(of(np.arange(2.0**k + 1, 2.0 ** (k + 1) + 1)) + np.zeros(2**k)))
            for k in range(_DOUBLINGS - 2, _DOUBLINGS)
        ]
        return blocks, blocks[1] / blocks[0]

    def _counterexample(self, printed: Printed) -> Counterexample:
        blocks, _ = self._blocks(printed)
        term, _ = self._term(printed)
        lines = [
            f"# {self.heading}",
            "import numpy as np",
            "from numpy import sqrt",
            f"term = lambda t: {term.subs(self._values())}",
            "block = lambda k: np.sum(term(np.arange(2.0**k + 1, 2.0**(k + 1) + 1)))",
            f"blocks = [block(k) for k in range({_DOUBLINGS - 6}, {_DOUBLINGS})]",
            "ratio = blocks[-1] / blocks[-2]  # a finite sum has blocks that shrink by a factor below 1",
            "print(*blocks, ratio)",
            f"print(bool(ratio {'<' if printed.relation == '<' else '>'} {1 - _CLOSE}))",
        ]
        script = "\n".join(lines) + "\n"
        if run(script):
            raise unseen_by_script(self.id)
        numbers = {str(letter): text for letter, text in self.settings}
        words = "sum over a block of steps, and over the next, twice as long"
        return Counterexample(numbers, f"{blocks[0]:.8g}", f"{blocks[1]:.8g}", words, script)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Nothing is simulated."""
        return finding, None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The other relation; the terms to other powers."""
        for k, printed in enumerate(self.printed):
            other = replace(printed, relation="=" if printed.relation == "<" else "<")
            function, limits = printed.left.function, printed.left.limits
            twins = [("finite for infinite, or the reverse", other)]
            for name, power in (("squared", 2), ("cubed", 3), ("under a root", sp.Rational(1, 2))):
                twins.append((f"terms {name}", replace(printed, left=sp.Sum(function**power, *limits))))
            for name, twin in twins:
                yield name, replace(self, printed=(*self.printed[:k], twin, *self.printed[k + 1 :]))

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """What is true of other powers as well is set aside."""
        if finding.verdict != "proved":
            return Twins(0, 0)
        rejected, equivalent = 0, []
        for name, twin in spread(self.corrupted(finding), most):
            if all(twin._proved(p)[0] is (p.relation == "<") for p in twin.printed):
                equivalent.append(name)
            else:
                rejected += 1
        return Twins(rejected, rejected, (), tuple(equivalent))
