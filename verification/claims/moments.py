"""Claims about how second moments move: printed right-hand sides of moment equations."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.affine import LAMBDA, mode_form
from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.fields import Itself, Mod, evaluate
from sgtheory.matrixform import block_symbol
from sgtheory.pairs import LI, LJ, coupling_symbol
from sgtheory.printing import latex
from verification.claims.base import Claim, Printed
from verification.pairform import pair_symbol, to_pair
from verification.twins import corruptions, spread
from verification.verdict import Correction, Counterexample, Evidence, Finding, Twins, differ


@dataclass(frozen=True)
class MomentEquation(Claim):
    """d E[a b^T] / dt as printed, for one pair of states; the moments themselves are free."""

    moment: tuple[str, str] = ("theta", "theta")

    def find(self, time: str | None = None) -> Finding:
        """Compare with F P + P F^T + Q, block by block, as an identity in free moments."""
        derived = self._derived()
        printed = to_pair(self.printed[0].right)
        difference = sp.expand(printed - derived)
        holds = difference == 0
        agrees = _agree_modulo_prime(printed, derived, self.id)
        if agrees != holds:
            says = {True: "both sides agree", False: "the sides differ"}
            raise differ(self.id, "symbols", says[holds], "numbers modulo a prime", says[agrees])
        evidence = (
            self._evidence(derived, difference),
            Evidence(
                "exact",
                "Both sides evaluated at random moments modulo 2^61 - 1 "
                + ("agree." if agrees else "differ."),
                {"points": 2, "holds": agrees},
            ),
        )
        if holds:
            reason = "It is Ito's rule for this process, entry by entry, in every dimension."
            return Finding("proved", reason, evidence)
        label = Formula(self._label(), f"dE[{self.moment[0]} {self.moment[1]}^T]/dt")
        true = Equation(label, derived)
        return Finding(
            "refuted",
            "Ito's rule for this process gives other terms.",
            evidence,
            corrected=Correction(true.latex, true.text, "proved", "at every pair of modes"),
            counterexample=_smallest_difference(printed, derived),
        )

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Corrupt the right-hand side term by term."""
        derived = self._derived()
        tried = rejected = 0
        survivors, equivalent = [], []
        for name, twin in spread(corruptions(self.printed[0].right), most):
            if sp.expand(to_pair(twin) - to_pair(self.printed[0].right)) == 0:
                equivalent.append(name)
                continue
            tried += 1
            if sp.expand(to_pair(twin) - derived) != 0:
                rejected += 1
            else:
                survivors.append(name)
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def printed_latex(self) -> list[str]:
        """With the time derivative on the left."""
        right = Printed(sp.Integer(0), self.printed[0].right).latex().removeprefix("0 = ")
        return [f"{self._label()} = {right}"]

    def has_discrete_reading(self) -> bool:
        """A differential equation has none."""
        return False

    def _label(self) -> str:
        return rf"\frac{{d}}{{dt}} {latex(_moment(*self.moment))}"

    def _derived(self) -> Any:
        form = mode_form(self.setting, "continuous")
        names = [s.name for s in form.states]
        m = len(names)
        P = sp.Matrix(m, m, lambda i, j: pair_symbol(block_symbol(names[i], names[j])))
        total = form.M.subs(LAMBDA, LI) * P + P * form.M.subs(LAMBDA, LJ).T
        for coupling in form.couplings:
            total += coupling_symbol(coupling) * form.noise_block(coupling, LI, LJ)
        a, b = self.moment
        return sp.expand(total[names.index(a), names.index(b)])

    def _evidence(self, derived: Any, difference: Any) -> Evidence:
        label = Formula(self._label(), f"dE[{self.moment[0]} {self.moment[1]}^T]/dt")
        steps = (
            Step(
                "Ito's rule",
                "Drift on the left, drift on the right, and the covariance of the noise, at a pair:",
                (Equation(label, derived),),
            ),
            Step(
                "Compare",
                "Printed minus derived, with every moment a free symbol:",
                (
                    Equation(
                        Formula(r"\text{printed} - \text{derived}", "printed - derived"), difference
                    ),
                ),
            ),
        )
        derivation = Derivation("Moment equation", steps, (Result("rate", Equation(label, derived)),))
        return Evidence("symbolic", "An identity in free moments.", {"dimensions": "every"}, derivation)


def _moment(a: str, b: str) -> Any:
    return sp.Symbol(f"P_{a}_{b}", commutative=False)


def _agree_modulo_prime(left: Any, right: Any, seed: str) -> bool:
    source = random.Random(seed)
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    for _ in range(2):
        roots = {s: Itself(Mod(source.randrange(2**60))) for s in symbols}
        roots |= {s: Mod(source.randrange(2**60)) for s in symbols if "_" not in s.name}
        if evaluate(left, roots) != evaluate(right, roots):
            return False
    return True


def _smallest_difference(printed: Any, derived: Any) -> Counterexample:
    """Parameters one, eigenvalues one and two, one moment one: the first choice that shows it."""
    symbols = sorted(printed.free_symbols | derived.free_symbols, key=str)
    moments = [s for s in symbols if s.name.endswith("_ij")]
    for chosen in moments:
        values = {s: sp.Integer(int(s == chosen) if s in moments else 1) for s in symbols}
        values |= {s: sp.Integer(2) for s in symbols if s == LJ}
        left, right = printed.subs(values), derived.subs(values)
        if left != right:
            return Counterexample(
                {str(s): str(v) for s, v in values.items()},
                str(Fraction(str(left))),
                str(Fraction(str(right))),
                "printed and derived rate at one pair of modes",
            )
    raise ArithmeticError("the difference vanishes at unit parameters; widen the search")
