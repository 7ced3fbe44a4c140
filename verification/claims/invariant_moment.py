"""Printed expansions of moments of an invariant law about the mode, with the order of what is left out.

``of`` is a declared sampler, or ``law="posterior"`` the target itself. In letters the printed formula is
held against the hierarchy of moments; in fractions against the moments that a linearised step leaves as
they are, over all minibatches; and in numbers against invariant laws on logistic regression, whose
distance from the formula has to vanish at the printed power.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import log
from typing import Any, Self

import numpy as np
import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.perturbation import invariant_moments
from sgtheory.printing import latex, plain
from verification.claims.base import Claim, Printed
from verification.invariants import letters
from verification.invariants.balance import balanced, examples
from verification.invariants.laws import Logistic, moments
from verification.invariants.lawscript import law_script
from verification.invariants.words import (
    D2U,
    Cubic,
    GInverse,
    HInverse,
    LInverse,
    M,
    N,
    Reading,
    eta,
    p,
)
from verification.notation import identity
from verification.refuter.script import run
from verification.twins import corruptions, spread
from verification.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    NoAnswer,
    Twins,
    differ,
    unseen_by_script,
)

_BATCH = 4  # of the exact route: its root is rational
_SEEDS = {1: (3, 4), 2: (3,)}  # random examples, by dimension
_APART = 64  # how much smaller what vanishes is at the second place
_DATA = ((2.0, 2.0, 1.0), (1.0, 1.0, 0.0))
_SIZES = {"1/N": ((240, 0.25), (480, 0.25), (960, 0.25))}  # N and eta
_TOLERANCE = 0.2  # of a power between the last two sizes
_OPERATORS = (HInverse, GInverse, LInverse)


_FIRST = Formula(r"U_2 E[x] + U_3 E[x^2]/2 + \dots", "U2 E[x] + U3 E[x^2]/2 + ...")
_SECOND = Formula(r"U_2 E[x^2] + U_3 E[x^3]/2 + \dots", "U2 E[x^2] + U3 E[x^3]/2 + ...")
_STEIN = Step(
    "By parts",
    "Under the posterior E[grad U] = 0 and E[x grad U^T] = I, x = theta - theta*, whatever U is. With"
    " grad U expanded at the mode, in one dimension:",
    (Equation(_FIRST, sp.Integer(0)), Equation(_SECOND, sp.Integer(1))),
)
_FOUR = Step(
    "With less smoothness",
    "Under H1, third derivatives of the gradient bounded, what is left out of its mean is of the order"
    " N E|x|^3, and the inverse Hessian makes E|x|^3 of it: half a power more than the leading order,"
    " which is the printed power. Odd moments are smaller than absolute ones; that gives another half.",
)


@dataclass(frozen=True)
class Expanded(Printed):
    """``left = right + O(remainder)``; the remainder is a power of N or of eta."""

    remainder: Any = None

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(self.left)} = {latex(self.right)} + O\left({latex(self.remainder)}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} = {plain(self.right)} + O({plain(self.remainder)})"

    @property
    def power(self) -> Fraction:
        """Of what is small."""
        (power,) = sp.sympify(self.remainder).as_powers_dict().values()
        return Fraction(abs(power).p, abs(power).q)


@dataclass(frozen=True)
class InvariantMoment(Claim):
    """``what``: mean or second; ``law``: the target, where it is about no sampler."""

    what: str = "second"
    law: str = ""
    time: str = "discrete"

    @property
    def expanded(self) -> Expanded:
        """What is printed."""
        (printed,) = self.printed
        assert isinstance(printed, Expanded)
        return printed

    @property
    def subject(self) -> str:
        """Whose law it is."""
        return self.law or self.of

    @property
    def small(self) -> str:
        """What vanishes."""
        return letters.small_in(self.subject)

    def has_discrete_reading(self) -> bool:
        """It is about algorithms."""
        return False

    # -- three routes ------------------------------------------------------------------------------

    def is_leading(self) -> bool:
        """In letters: whether the leading orders are one formula."""
        try:
            value = letters.reading().value(self.expanded.right)
        except (TypeError, ValueError, ZeroDivisionError):
            return False
        if np.size(value) != 1:
            return False
        printed = letters.leading(self.subject, np.ravel(value)[0])
        true = letters.leading(self.subject, letters.truth(self.subject, self.what))
        return printed is not None and bool(sp.cancel(printed - true) == 0)

    def left_out(self) -> tuple[Fraction, bool]:
        """The power of what is left out, and whether it is the whole next term."""
        term, power = letters.next_order(self.subject, self.what)
        if power != 2:
            raise NoAnswer(self.id, "the second term is not of second order")
        return power, term != 0

    def in_letters(self) -> bool | None:
        """Whether the leading order is right, and the printed power no larger than the true one."""
        if not self.is_leading():
            return False
        power, attained = self.left_out()
        if self.expanded.power <= power:
            return True
        return False if attained else None

    def in_fractions(self) -> bool | None:
        """Whether the distance from balanced moments vanishes as printed; None where it is none."""
        for D, seeds in _SEEDS.items():
            for seed in seeds:
                for tau in (1, 4):
                    try:
                        near, far = (self._off(D, seed, tau, size) for size in (1, _APART))
                    except (TypeError, ValueError, ZeroDivisionError):
                        return False
                    if far > 2 * near / float(_APART) ** (min(float(self.expanded.power), 2.0) - 1):
                        return False
        return True if self.expanded.power <= 2 else None

    def _off(self, D: int, seed: int, tau: int, size: int) -> float:
        """The relative distance at one place."""
        if self.small == "eta":
            rate, count = Fraction(1, 64 * size), 64 * size * tau
        else:
            rate, count = Fraction(1, 64), 4 * size
        reading, true = _at(self.subject, self.what, D, seed, rate, count)
        found = reading.value(self.expanded.right)
        if np.shape(found) != np.shape(true):
            raise ValueError("another shape")
        return float(abs(found - true).max() / abs(true).max())

    def in_numbers(self) -> tuple[tuple[float, ...], ...]:
        """Distances of invariant moments from the printed formula; a row to a sequence of sizes."""
        return tuple(
            tuple(self._distance(count, rate) for count, rate in sizes) for sizes in self._sequences()
        )

    def _sequences(self) -> tuple[tuple[tuple[int, float], ...], ...]:
        if self.small == "1/N":
            return (_SIZES["1/N"],)
        return tuple(tuple((int(k * tau), 1 / k) for k in (64, 128, 256)) for tau in (1.5, 6))

    def _distance(self, count: int, rate: float) -> float:
        data = Logistic(*_DATA, count)
        gamma = 0.0 if self.law else rate / count
        true = getattr(moments(self.subject, data, gamma), self.what)
        return float(true - np.ravel(_numbers(count, gamma).value(self.expanded.right))[0])

    def rate(self) -> float:
        """The power at which the distance vanishes, the slowest one, from the last two sizes."""
        return min(_slope(row) for row in self.in_numbers())

    # -- the verdict -------------------------------------------------------------------------------

    def find(self, time: str | None = None) -> Finding:
        """All three routes have to agree."""
        symbolic, exact, rate = self.in_letters(), self.in_fractions(), self.rate()
        if symbolic is None:
            return Finding("inconclusive", "Letters say nothing of its leading order.", ())
        if exact not in (None, symbolic):
            raise differ(self.id, "letters", f"{symbolic}", "fractions", f"{exact}")
        if (rate > float(self.expanded.power) - _TOLERANCE) is not symbolic:
            raise differ(self.id, "letters", f"{symbolic}", "laws in numbers", f"rate {rate:.3g}")
        evidence = (self._told(), self._balance(), self._measured_rate(rate))
        power, _ = self.left_out()
        best = f"O({_small_power(self.small, power)})"
        if symbolic:
            raised = ": the printed power can be raised" if self.expanded.power < power else ""
            more = f" For smooth U what is left out is {best}{raised}."
            return Finding("proved", f"The leading order is as printed.{more}", evidence)
        leading = "The leading order is another." if not self.is_leading() else (
            f"The leading order is right, but what is left out is {best} and no smaller.")  # fmt: skip
        true, shown = self.true_form(), self.numbers_shown()
        return Finding("refuted", leading, evidence, corrected=true, counterexample=shown)

    def true_form(self) -> Correction:
        """From the declared update: temperature, additive noise, and whether minibatches multiply."""
        form = letters.form(self.subject)
        inside = 2 * sp.Integer(int(form.temperature)) * identity
        inside = inside + eta / p * M if form.additive != 0 else inside
        undone = GInverse(inside) if form.multiplicative else HInverse(inside)
        undone = D2U**-1 if self.law else undone
        right = undone if self.what == "second" else -(D2U**-1) * Cubic(undone) / 2
        remainder = _small_power(self.small, Fraction(2))
        true = Expanded(self.expanded.left, right, remainder=remainder)
        own = replace(self, printed=(true,))
        if not own.in_letters() or own.in_fractions() is False:
            raise differ(self.id, "the expansion", true.text(), "other routes", "not so")
        words = "from the declared update, in letters for D = 1 and in fractions for D = 1, 2"
        return Correction(true.latex(), true.text(), "proved", words, (true,))

    def numbers_shown(self) -> Counterexample:
        """Sizes at which the distance does not shrink as printed, and a script."""
        rows = self.in_numbers()
        worst = min(range(len(rows)), key=lambda k: _slope(rows[k]))
        (first, rate), (last, slower) = self._sequences()[worst][0], self._sequences()[worst][-1]
        wanted = float(self.expanded.power)
        shrink = (last / first) ** wanted
        script = law_script(
            self.heading, self.subject, self.what, self.expanded.right, _DATA,
            ((first, rate), (last, slower)), shrink,
        )  # fmt: skip
        if run(script):
            raise unseen_by_script(self.id)
        left = f"{abs(rows[worst][0] / rows[worst][-1]):.6g}"
        return Counterexample(
            {
                "X": [[f"{x:g}"] for x in _DATA[0]],
                "y": [[f"{v:g}"] for v in _DATA[1]],
                "p": "1",
                "N_1": str(first),
                "eta_1": str(Fraction(rate)),
                "N_2": str(last),
                "eta_2": str(Fraction(slower)),
            },
            left,
            f"{shrink:.6g}",
            "how many times smaller the distance from the invariant moment becomes, and is printed to",
            script,
        )

    def _told(self) -> Evidence:
        """The leading orders in letters, and the way there in any dimension."""
        true = letters.truth(self.subject, self.what)
        name = "E[x^2]" if self.what == "second" else "E[x]"
        shown = Equation(Formula(name, name), true)
        step = Step("In one dimension", "x = theta - theta*; U2, U3 derivatives of U, V11 and V22 the"
                    " variances of a minibatch's gradient and Hessian:", (shown,))  # fmt: skip
        derivation = Derivation("Moments of the posterior about the mode", (_STEIN,), ())
        if self.of:
            derivation = invariant_moments(letters.form(self.subject).sampler).derivation
        return Evidence(
            "symbolic",
            "The hierarchy of moments, order by order: whole powers only, where U has five derivatives.",
            {"dimensions": "D = 1 in letters", "printed_is_leading": self.is_leading()},
            replace(derivation, steps=(*derivation.steps, step, _FOUR)),
        )

    def _balance(self) -> Evidence:
        return Evidence(
            "exact",
            "Moments that one linearised step leaves as they are, over all minibatches of"
            f" {_BATCH} with replacement, for random fractions in one and two dimensions.",
            {"holds": self.in_fractions(), "dimensions": [1, 2]},
        )

    def _measured_rate(self, rate: float) -> Evidence:
        return Evidence(
            "operator",
            "Invariant laws on one-dimensional logistic regression, minibatches of one: the distance"
            f" from the printed formula vanishes as the power {rate:.3f} of {self.small}.",
            {
                "rate": round(rate, 4),
                "printed": str(self.expanded.power),
                "distances": [[float(f"{d:.6g}") for d in row] for row in self.in_numbers()],
            },
        )

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """Laws are computed, not simulated."""
        return finding, None

    # -- twins -------------------------------------------------------------------------------------

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Corrupted formulas and larger powers; fractions or laws have to see each."""
        corrected = finding.corrected
        true = self if corrected is None else replace(self, printed=corrected.printed)
        tried = rejected = 0
        survivors, equivalent = [], []
        for name, twin in spread(true.corrupted(finding), most):
            if twin.in_fractions() is False or twin.rate() < float(twin.expanded.power) - _TOLERANCE:
                tried, rejected = tried + 1, rejected + 1
            elif twin.in_letters():
                equivalent.append(name)
            else:
                tried += 1
                survivors.append(name)
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The formula, the operator that is undone, and a power that is too large."""
        printed = self.expanded
        for name, wrong in (*corruptions(printed.right), *exchanged_operators(printed.right)):
            yield f"right: {name}", replace(self, printed=(replace(printed, right=wrong),))
        for more in (1, 2):
            base, power = sp.sympify(printed.remainder).as_base_exp()
            larger = base ** (power + more * sp.sign(power))
            yield (
                f"remainder {plain(larger)}",
                replace(self, printed=(replace(printed, remainder=larger),)),
            )


def exchanged_operators(expr: Any) -> Iterator[tuple[str, Any]]:
    """One of H, G and L undone in the place of another."""
    for present in _OPERATORS:
        for other in _OPERATORS:
            if present is not other and expr.has(present):
                names = f"{other.__name__[0]} for {present.__name__[0]}"
                yield names, expr.replace(present, other)


def _small_power(small: str, power: Fraction) -> Any:
    exponent = sp.Rational(power.numerator, power.denominator)
    return eta**exponent if small == "eta" else N**-exponent


def _slope(distances: tuple[float, ...]) -> float:
    """The power between the last two of sizes that double; nothing left at all is as fast as any."""
    before, last = (abs(d) for d in distances[-2:])
    return float("inf") if last == 0 else log(before / last, 2) if before else 0.0


@cache
def _at(law: str, what: str, D: int, seed: int, rate: Fraction, count: int) -> tuple[Reading, Any]:
    """Letters at a place, and the moment that is balanced there."""
    data = examples(D, seed)
    step = rate / count
    reading = data.reading(count, _BATCH, step)
    if law == letters.POSTERIOR:  # Stein: E[grad U] = 0 and E[x grad U^T] = I
        inverse = reading.value(D2U**-1)
        shift = -inverse @ np.einsum("ijk,jk->i", reading.third, inverse) / 2
        return reading, (shift if what == "mean" else inverse)
    mean, second = balanced(law, data, count, _BATCH, step)
    return reading, (mean if what == "mean" else second)


@cache
def _numbers(count: int, gamma: float) -> Reading:
    """Letters on the logistic problem, minibatches of one."""
    data = Logistic(*_DATA, count)
    at = np.array([data.mode])
    gradients, hessians = data.slopes(at), data.slopes(at, 2)
    scalars = {"N": float(count), "p": 1.0, "gamma": gamma, "eta": gamma * count}
    return Reading(
        data.total(at, 2)[:, None],
        data.total(at, 3)[:, None, None],
        count**2 * hessians.var() * np.ones((1, 1, 1, 1)),
        count * gradients.var() * np.ones((1, 1)),
        scalars,
        1.0,
    )
