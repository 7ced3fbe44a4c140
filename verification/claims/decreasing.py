"""Claims that a decreasing rate takes a recursion to its fixed point.

The recursion is x <- x - rho_t h (x - x*), as near any optimum: what is left of x - x* after all steps
is the product of 1 - rho_t h. Whether it vanishes depends on the sum of rho_t, and on nothing else. This
is without noise; against noise rates have to vanish as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, Self

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.refuter.script import run
from verification.refuter.twins import spread
from verification.terms.asymptotics import sign
from verification.verdicts.verdict import (
    Answer,
    Counterexample,
    Evidence,
    Finding,
    RoutesDisagree,
    Twins,
    unseen_by_script,
)
from verification.verdicts.wording import of_false, of_true, under

t = sp.Symbol("t", positive=True, integer=True)
h = sp.Symbol("h", positive=True)
ANY, INFINITE, FINITE = "any", "with an infinite sum", "with a finite sum"
# decreasing schedules, h = 1: the smallest numbers first
FAMILY = (1 / (2 * t), 1 / (t + 1), 1 / (2 * t**2), sp.Rational(1, 2) ** t / 2)
_STEPS = 40
_SCRIPT = """from fractions import Fraction as F
left = F(1)
for t in range(1, {steps} + 1):
    left *= 1 - {rate}
tail = F('{tail}')  # no less than the sum of all later rates
below = left * (1 - tail)
print("after", {steps}, "steps", float(left), "is left, and never less than", float(below))
print(bool(below <= 0))
"""


@dataclass(frozen=True)
class Arrives(Printed):
    """``left`` tends to ``right`` for every decreasing rate that is meant."""

    relation: str = ANY

    def latex(self) -> str:
        """As a statement about schedules."""
        which = "" if self.relation == ANY else rf"\text{{ {self.relation}}}"
        start = r"\text{for decreasing rates } \rho_t"
        return rf"{start}{which}: \quad {latex(self.left)}_t \to {latex(self.right)}"

    def text(self) -> str:
        """On one line."""
        which = "" if self.relation == ANY else f" {self.relation}"
        return f"for decreasing rates rho_t{which}: {self.left}(t) -> {self.right}"


@dataclass(frozen=True)
class DecreasingRate(Claim):
    """``printed`` is one ``Arrives``."""

    @property
    def which(self) -> str:
        """The rates that are meant."""
        return self.printed[0].relation

    def has_discrete_reading(self) -> bool:
        """Steps are discrete already."""
        return False

    def admitted(self) -> tuple[Any, ...]:
        """The schedules of the family that the claim is about."""
        wanted = {ANY: (True, False), FINITE: (True,), INFINITE: (False,)}[self.which]
        return tuple(s for s in FAMILY if is_summable(s) in wanted)

    def prove(self, time: str) -> Proof:
        """What is left lies between exponentials of the sum of the rates, so that the sum decides."""
        if not between():
            return Proof(None, "The logarithm of 1 - x is not known to lie between its bounds.")
        evidence = (_bounds(),)
        stopping = [s for s in self.admitted() if is_summable(s)]
        if stopping:
            return Proof(False, f"With rho_t h = {plain(stopping[0])} it stops on its way.", evidence)
        if self.which != INFINITE:
            return Proof(None, "No schedule that was tried stops on its way.", evidence)
        reason = "Where the rates add up to infinity the product of 1 - rho_t h vanishes."
        return Proof(True, reason, evidence)

    def find(self, time: str | None = None) -> Finding:
        """By the sum of the rates; each schedule of the family in exact products besides."""
        proof = self.prove(time or self.time)
        evidence = list(proof.evidence)
        for s in self.admitted():
            below, summable = bound_from_below(s), is_summable(s)
            if (below > 0) != summable:
                says = {True: "the product stays above a bound", False: "the product falls to zero"}
                by_sum = Answer("the sum of the rates", f"with {s}, {says[summable]}")
                raise RoutesDisagree(self.id, by_sum, Answer("exact products", says[below > 0]))
            words = f"stays above {float(below):.3g}" if summable else "falls below every bound"
            data = {"holds": not summable}
            evidence.append(Evidence("exact", f"With rho_t h = {plain(s)} the product {words}.", data))
        if proof.holds is not False:
            return Finding(of_true(proof.holds), proof.reason, tuple(evidence))
        stopping = next(s for s in self.admitted() if is_summable(s))
        finding = Finding(
            of_false(None, None),
            proof.reason,
            tuple(evidence),
            counterexample=self._shown(stopping),
        )
        if self.which != ANY:
            return finding
        true = replace(self, printed=(replace(self.printed[0], relation=INFINITE),))
        condition = "the sum of rho_t over all steps is infinite"
        reason = f"{finding.reason} It arrives exactly where the rates add up to infinity."
        told = f"{reason} The paper does not say so."
        return under(finding, replace(true.prove(self.time), evidence=()), condition, true, told)

    def _shown(self, s: Any) -> Counterexample:
        rate = f"F(1, {sp.sstr(1 / s)})"
        script = f"# {self.heading}\n" + _SCRIPT.format(steps=_STEPS, rate=rate, tail=tail_of(s, _STEPS))
        if run(script):
            raise unseen_by_script(self.id)
        words = "the share of the distance to the optimum that is left for ever, and as printed"
        below = rf"\text{{more than }} {float(bound_from_below(s)):.4g}"
        return Counterexample({"rho_t h": plain(s)}, below, "0", words, script)

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """It is about all steps."""
        return finding, None

    def true_statement(self, finding: Finding) -> Self | None:
        """With the condition built in."""
        return finding.needs if finding.needs is not None else super().true_statement(finding)

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """Other rates than those for which it is true."""
        true = self.true_statement(finding)
        names = [] if true is None else spread(true.corrupted(finding), most)
        wrong = [name for name, twin in names if twin.find().verdict == "proved"]
        return Twins(len(names), len(names) - len(wrong), tuple(wrong))

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The condition dropped, or turned round."""
        for which in (ANY, FINITE):
            if which != self.which:
                yield which, replace(self, printed=(replace(self.printed[0], relation=which),))


@cache
def is_summable(s: Any) -> bool:
    """Whether rates have a finite sum.

    >>> [is_summable(s) for s in FAMILY]
    [False, False, True, True]
    """
    return bool(sp.Sum(s, (t, 1, sp.oo)).is_convergent())


def tail_of(s: Any, n: int) -> Fraction:
    """No less than the sum of all rates after step n; only where it is finite.

    >>> tail_of(FAMILY[2], 40), tail_of(FAMILY[3], 3)
    (Fraction(1, 80), Fraction(1, 16))
    """
    ratio = sp.limit(sp.simplify(s.subs(t, t + 1) / s), t, sp.oo)
    if ratio < 1:  # geometric
        bound = s.subs(t, n + 1) / (1 - ratio)
    else:  # t^-p: less than the integral from n
        power = sp.limit(sp.simplify(-t * sp.diff(s, t) / s), t, sp.oo)
        bound = s.subs(t, n) * n / (power - 1)
    return Fraction(int(bound.p), int(bound.q))


@cache
def bound_from_below(s: Any, n: int = _STEPS) -> Fraction:
    """What is left of the product for ever: after n steps, and by Bernoulli's inequality from there.

    Zero where the product passes every bound: it is then halved again and again by longer stretches.

    >>> bound_from_below(FAMILY[0])
    Fraction(0, 1)
    """
    left = _product(s, 1, n)
    if is_summable(s):
        return left * (1 - tail_of(s, n))
    stretches = [_product(s, n * 4**k + 1, n * 4 ** (k + 1)) for k in range(2)]
    return Fraction(0) if max(stretches) < Fraction(3, 4) else left


def _product(s: Any, first: int, last: int) -> Fraction:
    rate = sp.lambdify(t, 1 / s, "math")
    found = Fraction(1)
    for k in range(first, last + 1):
        found *= 1 - 1 / Fraction(rate(k))
    return found


_X = sp.Symbol("x", positive=True)
BELOW, ABOVE = -_X / (1 - _X), -_X  # of log(1 - x), for 0 < x < 1


def between(below: Any = BELOW, above: Any = ABOVE) -> bool:
    """Whether log(1 - x) lies between two formulas for 0 < x < 1: equal at 0, and ordered in slope.

    >>> between(), between(above=-2 * _X), between(below=-_X)
    (True, False, False)
    """
    y = sp.Symbol("y", positive=True)  # x = y/(1 + y)
    for low, high in ((below, sp.log(1 - _X)), (sp.log(1 - _X), above)):
        rise = sp.simplify(sp.diff(high - low, _X).subs(_X, y / (1 + y)))
        if (high - low).subs(_X, 0) != 0 or sign(sp.factor(rise)) != 1:
            return False
    return True


def _bounds() -> Evidence:
    name = Formula(r"\log(1 - x)", "log(1 - x)")
    both = (Equation(name, ABOVE, "<="), Equation(name, BELOW, ">="))
    words = (
        "For 0 < x < 1 (both sides are 0 at 0, and the slopes are in this order), so that the product"
        " vanishes exactly where the sum of rho_t h is infinite:"
    )
    derivation = Derivation(
        "What is left for ever", (Step("Two bounds", words, both),), (Result("x", both[0]),)
    )
    return Evidence("symbolic", "By the sum of the rates.", {"dimensions": "every"}, derivation)
