"""Claims that one Euler step is right up to a power of its size, for functions of so many derivatives.

The increment is h b + sqrt(h) sigma xi. By Taylor's formula the error of 1 + h L is a sum of moments of
the increment, of which the last, of the order of the number of derivatives, is only bounded. Whether
more is true is seen at functions such as |x|^(7/2), where noise alone moves the state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain
from verification.refuter.script import run
from verification.statements.entry import Claim, Proof
from verification.terms.printing import Line
from verification.verdicts.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Twins,
    differ,
    unseen_by_script,
)
from verification.verdicts.wording import of_false

h = sp.Symbol("h", positive=True)
_SMALL = (1e-4, 1e-8)
_CLOSE, _LEAST = 1e-6, 2  # derivatives that the generator takes
_HALF = sp.Rational(1, 2)


@dataclass(frozen=True, kw_only=True)
class RoughStep(Claim):
    """E psi(X_h) = psi + h L psi + O(h^``order``), psi with ``derivatives`` bounded ones."""

    derivatives: int
    order: Any
    time: str = "discrete"

    def __post_init__(self) -> None:
        object.__setattr__(self, "printed", (self.line(self.order),))

    def line(self, order: Any) -> Any:
        """What is printed."""
        size = latex(h ** sp.sympify(order))
        bounded = rf"\psi^{{(k)}} \text{{ bounded for }} k \le {self.derivatives}"
        return Line(
            rf"\mathbb{{E}}\psi(X_h) = (1 + h \mathcal{{L}}) \psi + O({size}), \quad {bounded}",
            f"E psi(X_h) = (1 + h L) psi + O({plain(h ** sp.sympify(order))}),"
            f" psi with {self.derivatives} bounded derivatives",
        )

    def has_discrete_reading(self) -> bool:
        """It is about a step."""
        return False

    @property
    def true_order(self) -> Any:
        """The largest power that holds for all such functions (short of the next function's)."""
        return min(_moments(self.derivatives), default=sp.Integer(0))

    @property
    def power(self) -> Any:
        """Of |x| in the test function, which has as many derivatives as are given, and no more."""
        return self.derivatives + _HALF

    def prove(self, time: str) -> Proof:
        """By the sizes of the moments of the increment."""
        if self.derivatives < _LEAST:
            return Proof(None, "The generator takes two derivatives.")
        sizes = _moments(self.derivatives)
        shown = tuple(
            Equation(Formula(rf"j = {k}", f"moment {k}"), h**size)
            for k, size in enumerate(sizes, start=1)
        )
        words = "What is left of each moment of the increment beside h L, the last one only bounded:"
        told = Derivation("Taylor's formula", (Step("Moments", words, shown),), ())
        evidence = (Evidence("symbolic", "Sizes of moments.", {"order": str(self.true_order)}, told),)
        if self.true_order >= self.order:
            return Proof(True, f"What is left over is of order {plain(h**self.true_order)}.", evidence)
        if self.power / 2 < self.order:
            size = plain(h ** (self.power / 2))
            reason = (
                f"For psi = |x|^({self.power}), where only noise moves the state, {size} is left over."
            )
            return Proof(False, reason, evidence)
        return Proof(None, "Taylor's formula does not say so.", evidence)

    def slope(self) -> float:
        """The power with which the error at zero goes for the test function, by quadrature."""
        first, second = (_left_over(float(self.power), size) for size in _SMALL)
        return math.log(first / second) / math.log(_SMALL[0] / _SMALL[1])

    def find(self, time: str | None = None) -> Finding:
        """By Taylor's formula, and at one function."""
        proof, slope = self.prove(self.time), self.slope()
        holds = slope > float(self.order) - _CLOSE
        words = f"For psi = |x|^({self.power}) at zero the error goes like h^{slope:.4f}."
        exact = Evidence("exact", words, {"slope": slope, "holds": holds})
        if proof.holds is None:
            return Finding("inconclusive", proof.reason, (*proof.evidence, exact))
        if proof.holds is not holds:
            raise differ(self.id, "Taylor's formula", proof.reason, "numbers", words)
        if holds:
            return Finding("proved", proof.reason, (*proof.evidence, exact))
        return Finding(
            of_false(None, None),
            proof.reason,
            (*proof.evidence, exact),
            corrected=self.correct(self.time),
            counterexample=self._shown(slope),
        )

    def correct(self, time: str) -> Correction | None:
        """The number of derivatives that are enough, or the power that is right."""
        for fixed, words in (
            (replace(self, derivatives=self.derivatives + 1), "with one derivative more"),
            (replace(self, order=self.true_order), "with the power that is right"),
        ):
            if fixed.prove(time).holds:
                line = fixed.line(fixed.order)
                return Correction(line.latex(), line.text(), "proved", words, (fixed,))
        return None

    def _shown(self, slope: float) -> Counterexample:
        script = (
            f"# {self.heading}\nimport numpy as np\n"
            "xi = np.linspace(-12, 12, 200001)\n"
            "weight = np.exp(-xi**2 / 2); weight /= weight.sum()\n"
            f"psi = lambda x: abs(x) ** {float(self.power)}  # psi(0) and psi''(0) are zero\n"
            "error = lambda h: np.sum(weight * psi(np.sqrt(h) * xi))\n"
            f"ratios = [error(h) / h ** {float(self.order)} for h in (1e-4, 1e-8, 1e-12)]\n"
            "print(*ratios)\n"
            "print(bool(ratios[-1] < 2 * ratios[0]))  # a constant times h to the power\n"
        )
        if run(script):
            raise unseen_by_script(self.id)
        words = "the power of h with which the error goes, and the one that is stated"
        shown = {"psi": f"|x|^({self.power})", "x": "0", "b": "0", "sigma": "1"}
        return Counterexample(shown, f"{slope:.6f}", str(self.order), words, script)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Nothing is simulated."""
        return finding, None

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """A higher power, fewer derivatives, than what is true."""
        true = self if finding.corrected is None else finding.corrected.printed[0]
        tried: dict[str, RoughStep] = {
            "one power more": replace(true, order=true.order + 1),
            "one derivative less": replace(true, derivatives=true.derivatives - 1),
        }
        kept = {n: twin for n, twin in tried.items() if twin.slope() >= float(twin.order) - _CLOSE}
        equivalent = [n for n, twin in kept.items() if twin.prove(self.time).holds]
        survivors = [n for n in kept if n not in equivalent]
        counted = len(tried) - len(equivalent)
        return Twins(counted, counted - len(survivors), tuple(survivors), tuple(equivalent))


def _moments(derivatives: int) -> list[Any]:
    """Powers of h in E[(h b + sqrt(h) sigma xi)^j] beside those of h L; the last is of its size.

    >>> _moments(3), _moments(4)
    ([oo, 2, 3/2], [oo, 2, 2, 2])
    """
    found = []
    for j in range(1, derivatives + 1):
        if j == derivatives:
            found.append(sp.Rational(j, 2))
            continue
        # of j factors k are noise: h^(j - k/2), where k is even; those of h L are taken off
        powers = [j - sp.Rational(k, 2) for k in range(0, j + 1, 2)]
        found.append(min((p for p in powers if not (j <= _LEAST and p == 1)), default=sp.oo))
    return found


def _left_over(power: float, size: float) -> float:
    """E |sqrt(h) xi|^power by quadrature."""
    import numpy as np

    xi = np.linspace(-12, 12, 20_001)
    weight = np.exp(-(xi**2) / 2)
    return float(np.sum(weight * np.abs(np.sqrt(size) * xi) ** power) / np.sum(weight))
