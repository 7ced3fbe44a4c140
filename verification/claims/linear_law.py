"""Printed second moments or means of invariant laws for Bayesian linear regression: nothing is left out.

There gradients are linear, so that a step's moments close. In letters the balance of one step is solved
in one dimension; in fractions over all minibatches in one and two; and the house's law of the sampler on
data, which knows no K, M, G or H, has to have these moments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, Self

import numpy as np
import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from verification.claims.base import Claim, Printed
from verification.claims.invariant_moment import exchanged_operators
from verification.invariants import letters
from verification.invariants.balance import Examples, balanced, examples
from verification.invariants.linearscript import linear_regression_script
from verification.invariants.words import D2U, GInverse, HInverse, M, N, Reading, eta, gamma, p
from verification.notation import identity
from verification.refuter.script import run
from verification.twins import corruptions, spread
from verification.verdict import (
    Answer,
    Correction,
    Counterexample,
    Evidence,
    Finding,
    RoutesDisagree,
    Twins,
    differ,
    unseen_by_script,
)

_X = ((1, 0), (1, 1), (1, 2), (1, 3), (2, 1))
_Y = (1, 0, 2, 1, 1)
_CLOSE = 1e-9
_BATCHES = (1, 2, 4)


@dataclass(frozen=True)
class LinearLaw(Claim):
    """``printed``: one relation, the covariance of ``of``, or of the posterior where ``of`` is empty."""

    time: str = "discrete"

    @property
    def relation(self) -> Printed:
        """What is printed."""
        return self.printed[0]

    @property
    def law(self) -> str:
        """Whose law it is."""
        return self.of or letters.POSTERIOR

    def has_discrete_reading(self) -> bool:
        """It is about algorithms."""
        return False

    def in_letters(self) -> bool:
        """One dimension: the variance that a step leaves as it is."""
        printed = letters.reading().value(self.relation.right)
        return bool(sp.cancel(sp.together(np.ravel(printed)[0] - variance(self.law))) == 0)

    def in_fractions(self) -> bool:
        """One and two dimensions, over all minibatches."""
        try:
            return all(
                bool(
                    np.all(
                        _data(D).reading(8, S, _STEP).value(self.relation.right)
                        == _exact(self.law, D, S)
                    )
                )
                for D in (1, 2)
                for S in _BATCHES
            )
        except (TypeError, ValueError, ZeroDivisionError):
            return False

    def off(self, replacement: bool = True, mended: bool = False) -> float:
        """The relative distance from the house's law on data, minibatches of two."""
        reading, true = _on_data(self.law, replacement, mended)
        found = reading.value(self.relation.right)
        if np.shape(found) != np.shape(true):
            return float("inf")
        return float(abs(found - true).max() / abs(true).max())

    def find(self, time: str | None = None) -> Finding:
        """All three routes."""
        symbolic, exact, off = self.in_letters(), self.in_fractions(), self.off()
        if len({symbolic, exact, off < _CLOSE}) > 1:
            second = Answer("fractions", f"{exact}")
            if symbolic is exact:
                second = Answer("laws in numbers", f"{not symbolic}, off by {off:.3g}")
            raise RoutesDisagree(self.id, Answer("letters", f"{symbolic}"), second)
        evidence = (self._told(), *self._exact_evidence())
        if symbolic:
            words = "It is exact: for linear gradients one step leaves these moments as they are"
            words += ", minibatches drawn with replacement." if self._draws else "."
            return Finding("proved", words, evidence)
        return Finding(
            "refuted",
            "One step does not leave these moments as they are.",
            evidence,
            corrected=self.true_form(),
            counterexample=self._shown(),
        )

    @property
    def _draws(self) -> bool:
        return self.of in ("sgldfp", "sgld", "sgd")

    def _told(self) -> Evidence:
        name = Equation(Formula(r"\mathbb{E}[x^2]", "E[x^2]"), variance(self.law))
        words = (
            "x = theta - theta* of mean zero; V11, V22 variances of a minibatch's gradient and Hessian:"
        )
        derivation = Derivation("The variance for D = 1", (Step("One step", words, (name,)),), ())
        data = {"dimensions": "D = 1"}
        return Evidence("symbolic", "The balance of one step, solved.", data, derivation)

    def _exact_evidence(self) -> tuple[Evidence, ...]:
        exact = Evidence(
            "exact",
            "Random linear regressions in one and two dimensions, minibatches of 1, 2 and 4 with"
            " replacement, all of them.",
            {"holds": self.in_fractions()},
        )
        agrees = self.off() < _CLOSE
        says = "is the printed one to rounding" if agrees else f"is off by {self.off():.3g}"
        house = Evidence(
            "operator", f"The law on five examples in two dimensions {says}.", {"agrees": agrees}
        )
        if not self._draws:
            return exact, house
        without, mended = self.off(replacement=False), self.off(replacement=False, mended=True)
        right = "is exact" if mended < _CLOSE else f"is off by {mended:.3g}"
        words = (
            f"Drawn without replacement it is off by {without:.3g} there; with (N - p)/(N - 1) before K"
            f" and M it {right}."
        )
        data = {"without": float(f"{without:.6g}"), "mended": mended < _CLOSE}
        return exact, house, Evidence("operator", words, data)

    def true_form(self) -> Correction:
        """From the declared update."""
        form = letters.form(self.law)
        inside = 2 * sp.Integer(int(form.temperature)) * identity
        inside += eta / p * M if form.additive != 0 else 0
        right = GInverse(inside) if form.multiplicative else HInverse(inside)
        true = Printed(self.relation.left, right if self.of else D2U**-1)
        own = replace(self, printed=(true,))
        if not (own.in_letters() and own.in_fractions()):
            raise differ(
                self.id,
                "the declared update",
                true.text(),
                "letters and fractions",
                "that form does not hold",
            )
        words = "in letters for D = 1 and in fractions for D = 1, 2"
        return Correction(true.latex(), true.text(), "proved", words, (true,))

    def _shown(self) -> Counterexample:
        script = linear_regression_script(self.heading, self.law, self.relation.right)
        if run(script):
            raise unseen_by_script(self.id)
        reading, true = _small(self.law)
        left = np.ravel(reading.value(self.relation.right))[0]
        shown = {"X": [["1"], ["2"]], "y": [["2"], ["-1"]], "N": "2", "p": "1", "gamma": "1/16"}
        return Counterexample(shown, str(left), str(true), "printed and exact variance", script)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Laws are computed, not simulated."""
        return finding, None

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Corrupted formulas, and other operators: fractions have to see them."""
        corrected = finding.corrected
        true = self if corrected is None else replace(self, printed=corrected.printed)
        tried = rejected = 0
        survivors = []
        for name, twin in spread(true.corrupted(finding), most):
            tried += 1
            caught = not twin.in_fractions()
            rejected += caught
            survivors += [] if caught else [name]
        return Twins(tried, rejected, tuple(survivors))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The right side."""
        right = self.relation.right
        for name, wrong in (*corruptions(right), *exchanged_operators(right)):
            yield name, replace(self, printed=(Printed(self.relation.left, wrong),))


_STEP = Fraction(1, 256)


@cache
def variance(law: str) -> Any:
    """In one dimension: P (1 - E[(1 - gamma a)^2]) is what a step adds.

    >>> variance("posterior")
    1/U2
    """
    U2 = sp.Symbol("U2", positive=True, real=True)
    V11, V22 = sp.symbols("V11 V22", real=True)
    if law == letters.POSTERIOR:
        return 1 / U2
    form = letters.form(law)
    a = sp.Symbol("a")  # a minibatch's Hessian: mean U2, variance V22
    squared = (
        sp.expand((1 - gamma * a) ** 2).subs(a**2, U2**2 + V22 * int(form.multiplicative)).subs(a, U2)
    )
    added = 2 * gamma * form.temperature + gamma**2 * V11 * int(form.additive != 0)
    return sp.cancel(added / sp.expand(1 - squared)).subs(gamma, eta / N)


@cache
def _data(D: int) -> Examples:
    """Random examples with linear gradients."""
    drawn = examples(D, 5)

    def linear(one: Any) -> Any:
        return one[0], one[1], one[2] * 0

    return Examples(linear(drawn.prior), tuple(map(linear, drawn.kinds)))


@cache
def _exact(law: str, D: int, batch: int) -> Any:
    data = _data(D)
    if law == letters.POSTERIOR:
        return data.reading(8, batch, _STEP).value(D2U**-1)
    return balanced(law, data, 8, batch, _STEP)[1]


@cache
def _small(law: str) -> tuple[Reading, Fraction]:
    """Two examples, x = 1, 2 and y = 2, -1, a standard normal prior: the mode is 0."""

    def array(x: int, rank: int) -> Any:
        return np.array([Fraction(x)], object).reshape((1,) * rank)

    kinds = tuple((array(-x * y, 1), array(x * x, 2), array(0, 3)) for x, y in ((1, 2), (2, -1)))
    data = Examples((array(0, 1), array(1, 2), array(0, 3)), kinds)
    step = Fraction(1, 16)
    reading = data.reading(2, 1, step)
    if law == letters.POSTERIOR:
        return reading, 1 / Fraction(reading.hessian[0, 0])
    return reading, Fraction(balanced(law, data, 2, 1, step)[1][0, 0])


@cache
def _on_data(law: str, replacement: bool, mended: bool) -> tuple[Reading, Any]:
    """Printed letters on five examples, and the covariance of the house's law."""
    from sgtheory.numeric import law as house_law
    from sgtheory.problem import Problem

    step, S, count = Fraction(1, 100), 2, len(_X)
    X, y = np.array(_X, float), np.array(_Y, float)
    whole = X.T @ X + np.eye(2)
    mode = np.linalg.solve(whole, X.T @ y)
    hessians = np.einsum("ni,nj->nij", X, X)
    gradients = X * (X @ mode - y)[:, None]
    R, g = hessians - hessians.mean(axis=0), gradients - gradients.mean(axis=0)
    share = (count - S) / (count - 1) if mended else 1.0
    scalars = {"N": float(count), "p": float(S), "gamma": float(step), "eta": float(step * count)}
    K = share * count / S * np.einsum("nik,nlj->ijkl", R, R)
    reading = Reading(whole, np.zeros((2, 2, 2)), K, share * g.T @ g, scalars, 1.0)
    if law == letters.POSTERIOR:
        return reading, np.linalg.inv(whole)
    content = {
        "model": "linear_regression",
        "X": [list(r) for r in _X],
        "y": list(_Y),
        "ridge": 1,
        "sigma2": 1,
        "S": S,
        "replacement": replacement,
        "params": {"gamma": str(step)},
    }
    found = house_law(law, Problem.of(content)).require_stable()
    return reading, found.covariance["theta", "theta"]
