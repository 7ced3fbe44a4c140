"""Is the Hessian the covariance of gradients? For linear regression on data that the model made.

The loss of an example is (x.theta - y)^2/(2 sigma^2) + rho |theta|^2/(2 N), with y normal about zero:
the parameter is zero. Three readings of A = B B^T differ. ``population``: both sides averaged over y,
at the true parameter. ``expected``: both averaged over y, noise at the mode of the data. ``data``: for
the data at hand, at their mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Self

import sympy as sp

from sgtheory.declare import N, Parameter, S
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.matrixwords import A, C, identity
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.laws.rational import number
from verification.refuter.places import Place, Space
from verification.refuter.script import scalar_text
from verification.refuter.search import Failure, Look, Sides
from verification.verdicts.verdict import Correction, Counterexample, Evidence, Finding, Gap

# the mean of h_n x_n x_n^T/sigma^2, h_n the leverage of an example
LEVERED = sp.Symbol("L", commutative=False)
RHO = Parameter("rho", positive=True)
_EXAMPLES = 3
_HEAD = """import itertools
import numpy as np
from fractions import Fraction as F
"""


@dataclass(frozen=True)
class WellSpecified(Claim):
    """``printed`` relates A and C = B B^T; they may have ``RHO``, N and the identity beside them."""

    reading: str = "population"
    prior: bool = False

    def space(self) -> Space:
        """Three examples in one dimension."""
        letters = {"sigma": "positive", **({"rho": "positive"} if self.prior else {})}
        letters |= {f"x_{n}": "real" for n in range(1, _EXAMPLES + 1)}
        if self.reading == "data":
            letters |= {f"y_{n}": "real" for n in range(1, _EXAMPLES + 1)}
        return Space({}, letters)

    def look(self, time: str) -> Look:
        """Both sides by adding up the examples; averages over y by two points with its moments."""
        printed = self.printed[0]

        def at(place: Place) -> Sides | None:
            known = place.scalars
            numbers = [range(1, _EXAMPLES + 1)]
            xs = [known[f"x_{n}"] for n in numbers[0]]
            if not any(xs):
                return None
            rho = known.get("rho", Fraction(0))
            own = [[known.get(f"y_{n}") for n in numbers[0]]]
            drawn = product(*([known["sigma"], -known["sigma"]] for _ in xs))
            ys = own if self.reading == "data" else [list(y) for y in drawn]
            curvature, noise = _averaged(xs, ys, known["sigma"], rho, self.reading == "population")
            levered = sum((x**4 for x in xs), Fraction(0)) / sum(x * x for x in xs) / known["sigma"] ** 2
            values = {
                "A": curvature,
                "C": noise,
                "L": levered / _EXAMPLES,
                "I": Fraction(1),
                "rho": rho,
                "N": Fraction(_EXAMPLES),
            }
            left, right = (number(_scalar(s), values) for s in (printed.left, printed.right))
            return Sides(str(left), str(right), left == right)

        return at

    def prove(self, time: str) -> Proof:
        """Entry by entry, for an example with any x: E y^2 = sigma^2, and at the mode less."""
        evidence = (self._told(),)
        if self.reading == "data":
            return Proof(False, "The data at hand have their own mean of y^2 x x^T.", evidence)
        rest = sp.expand(_scalar(self.printed[0].residual).subs(sp.Symbol("C"), self._noise))
        f, h = sp.symbols("f h", positive=True)
        rest = sp.simplify(rest.subs({sp.Symbol("A"): self._curvature, sp.Symbol("L"): f * h}))
        words = {
            "population": "At the truth E[y^2] = sigma^2, so an example's gradient has covariance f",
            "expected": "At the mode residuals have variance sigma^2 (1 - h), h their leverage",
        }[self.reading]
        words += ", with f = x x^T/sigma^2"
        if rest == 0:
            return Proof(True, f"{words}: both sides are one.", evidence)
        return Proof(False, f"{words}: the left side is larger by {plain(rest)}.", evidence)

    @property
    def _noise(self) -> Any:
        """Of one example, with x x^T/sigma^2 as the unit f and leverage h."""
        f, h = sp.symbols("f h", positive=True)
        return f if self.reading == "population" else f * (1 - h)

    @property
    def _curvature(self) -> Any:
        f = sp.Symbol("f", positive=True)
        return f + (RHO / N if self.prior else 0)

    def gap(self, time: str) -> Gap | None:
        """The prior's share; at the mode the leverage, whose mean over the examples is D/N."""
        if self.reading == "data" or self.printed[0].residual != A - C:
            return None
        if self.reading == "expected":
            return (
                None
                if self.prior
                else Gap("1/N", "1", Formula(r"D/N \text{ on average}", "D/N on average"))
            )
        size = RHO / (N * sp.Symbol("f", positive=True))
        return Gap("1/N", "1", Formula(latex(size), plain(size)))

    def correct(self, time: str) -> Correction | None:
        """With the prior's part of the Hessian, or with what the mode takes away."""
        if self.reading == "data":
            return None
        at_truth = self.reading == "population"
        true = Printed(A, C + RHO / N * identity) if at_truth else Printed(A, C + LEVERED)
        if replace(self, printed=(true,)).prove(time).holds is not True:
            return None
        said = "in expectation over the data, at the true parameter"
        if not at_truth:
            said = "in expectation over the data, L the mean of h_n x_n x_n^T/sigma^2 with leverages h_n"
        return Correction(true.latex(), true.text(), "proved", said, (true,))

    def script(self, failure: Failure, time: str) -> str:
        """The examples added up."""
        known, printed = failure.place.scalars, self.printed[0]
        xs = ", ".join(f"F('{known[f'x_{n}']}')" for n in range(1, _EXAMPLES + 1))
        ys = ", ".join(f"F('{known.get(f'y_{n}', 0)}')" for n in range(1, _EXAMPLES + 1))
        all_ys = (
            f"[({ys})]"
            if self.reading == "data"
            else "list(itertools.product([sigma, -sigma], repeat=3))"
        )
        mode = (
            "F(0)"
            if self.reading == "population"
            else "sum(a * b for a, b in zip(x, y)) / (sum(a * a for a in x) + rho * sigma**2)"
        )
        about = "the data" if self.reading == "data" else "two points with the moments of y"
        sides = [scalar_text(_scalar(s)) for s in (printed.left, printed.right)]
        lines = [
            f"# {self.heading}",
            f"x, N, I = [{xs}], {_EXAMPLES}, 1  # one dimension",
            f"sigma, rho = F('{known['sigma']}'), F('{known.get('rho', 0)}')",
            f"ys = {all_ys}  # {about}",
            "A = sum(a * a for a in x) / (N * sigma**2) + rho / N",
            "def noise(y):",
            f"    mode = {mode}",
            "    h = [a * (a * mode - b) / sigma**2 + rho * mode / N for a, b in zip(x, y)]",
            "    return sum(g * g for g in h) / N",
            "C = sum(noise(y) for y in ys) / len(ys)",
            "L = sum(a**4 for a in x) / sum(a**2 for a in x) / sigma**2 / N  # by leverage",
            f"left, right = {sides[0]}, {sides[1]}",
            "print(left, right)",
            "print(bool(left == right))",
        ]
        return _HEAD + "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The examples."""
        shown = {n: str(x) for n, x in failure.place.scalars.items()}
        return Counterexample(shown, failure.sides.left, failure.sides.right, "left and right side")

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """What is printed, corrupted, and the noise of other readings."""
        for name, twin in super().corrupted(finding):
            if not any(side.has(S) for p in twin.printed for side in map(sp.sympify, (p.left, p.right))):
                yield name, twin
        for other in ("data", "expected"):
            if other != self.reading and not self.prior:
                yield f"reading: {other}", replace(self, reading=other)

    def has_discrete_reading(self) -> bool:
        """It is about the model."""
        return False

    def _told(self) -> Evidence:
        curvature = Equation(Formula("A_n", "A_n"), self._curvature)
        noise = Equation(Formula(r"\mathbb{E} C_n", "E C_n"), self._noise)
        steps = (
            Step(
                "One example",
                "With f = x x^T/sigma^2 and gradient x (x.theta - y)/sigma^2, averaged over y:",
                (curvature, noise),
            ),
        )
        derivation = Derivation("Hessian and noise of an example", steps, (Result("noise", noise),))
        return Evidence("symbolic", "Example by example.", {"dimensions": "every"}, derivation)


def _scalar(expr: Any) -> Any:
    """In one dimension, or for one example: matrices are numbers."""
    known = {s: sp.Symbol(s.name) for s in sp.sympify(expr).free_symbols if not s.is_commutative}
    return sp.sympify(expr).subs(known).subs(sp.Symbol("I"), 1)


def _averaged(
    xs: list[Fraction], ys: list[list[Any]], sigma: Fraction, rho: Fraction, at_truth: bool
) -> tuple[Fraction, Fraction]:
    """The Hessian, and the second moment of gradients at the truth or at the mode, averaged over y."""
    n = len(xs)
    curvature = sum((x * x for x in xs), Fraction(0)) / (n * sigma**2) + rho / n
    total = Fraction(0)
    for y in ys:
        mean = sum((x * v for x, v in zip(xs, y, strict=True)), Fraction(0)) / (n * sigma**2)
        mode = Fraction(0) if at_truth else mean / curvature
        gradients = [x * (x * mode - v) / sigma**2 + rho * mode / n for x, v in zip(xs, y, strict=True)]
        total += sum((g * g for g in gradients), Fraction(0)) / n
    return curvature, total / len(ys)
