"""Bounds that hold up to a constant nobody names: left <= C * right, for all schedules of steps.

Left is an error of a weighted average over a chain (mean square, bias, variance), right is made of S_T,
T and sums of powers of the steps. The proof is for a chain with polynomial solutions of Poisson's
equation: powers of the step in its remainder say which sums bound the error, and a cone of logarithms
whether these are below what is printed. The other route computes left and right to forty digits along
families of schedules: a ratio that keeps growing is a refutation, and its script comes to it by
covariances of all pairs of times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, Self

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, plain
from verification.claims.base import Claim, Printed, Proof
from verification.laws.averages import (
    BIAS,
    MSE,
    S_T,
    SQUARES,
    VARIANCE,
    Averages,
    T,
    dominated,
    eps_t,
    exponents,
    powers_summed,
)
from verification.refuter.averagescript import average_script
from verification.refuter.script import run
from verification.refuter.twins import spread
from verification.verdicts.verdict import (
    Correction,
    Counterexample,
    Evidence,
    Finding,
    Twins,
    differ,
    unseen_by_script,
)

UP_TO = "<= C *"
_PLACES = tuple(range(8))
_SCRIPTED = ((3, 4, 5, 6), (4, 5, 6, 7))
_GROWS, _FADES = 0.1, 0.8  # of the ratio's logarithm to base 2, from one k to the next


@dataclass(frozen=True)
class UpTo(Printed):
    """``left <= C right`` for some number C that does not depend on the schedule."""

    relation: str = UP_TO

    def latex(self) -> str:
        """As typeset."""
        return rf"{latex(sp.sympify(self.left))} \le C \left({latex(sp.sympify(self.right))}\right)"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} <= C*({plain(self.right)})"


@dataclass(frozen=True)
class UpToConstant(Claim):
    """``printed`` is one ``UpTo``; ``families`` are looked at, the first one's chain is proved about."""

    families: tuple[Averages, ...] = ()
    time: str = "discrete"

    @property
    def bound(self) -> Any:
        """What is printed."""
        return self.printed[0]

    def ratios(self, family: Averages) -> tuple[Decimal, ...] | None:
        """Left over right along a family; None where the right side is zero."""
        found = []
        for at in _PLACES:
            left, right = (family.worth(side, at) for side in (self.bound.left, self.bound.right))
            if right <= 0:
                return None
            found.append(left / right)
        return tuple(found)

    def grows(self, family: Averages) -> bool | None:
        """Whether the ratio keeps growing; None where that is not clear."""
        ratios = self.ratios(family)
        if ratios is None:
            return True
        if min(ratios[-4:]) == 0:
            return False
        slopes = [float((b / a).ln() / Decimal(2).ln()) for a, b in pairwise(ratios)]
        last = slopes[-3:]
        if min(last) > _GROWS and last[2] > _FADES * last[0]:
            return True
        return False if last[2] < _GROWS or last[2] < _FADES * last[0] else None

    def prove(self, time: str) -> Proof:
        """By the powers of the step in what Poisson's equation leaves."""
        shown = []
        for family in dict.fromkeys(replace(f, words="", steps=0, length=0) for f in self.families):
            terms = self.sizes(family)
            if terms is None:
                return Proof(None, "Only errors of averages are taken.")
            shown += [t for t in terms if t not in shown]
        missing = [term for term in shown if not self.covered(term)]
        lines = tuple(Equation(Formula("e", "error"), term, "~") for term in shown)
        steps = (
            Step("Sums that bound the error", "Each up to a constant, by Poisson's equation:", lines),
        )
        evidence = Evidence(
            "symbolic",
            "Powers of the step in the martingale and the remainder of Poisson's equation.",
            {"sums": [plain(t) for t in shown]},
            Derivation("Error of an average", steps, ()),
        )
        if missing:
            words = (
                f"The error has a part of the size of {plain(missing[0])}, which no printed term covers."
            )
            return Proof(None, words, (evidence,))
        words = (
            "The printed terms cover every part of the error, for every schedule with S_T >= 1 and steps"
            " of at most 1 under which the moments of the chain stay bounded."
        )
        return Proof(True, words, (evidence,))

    def sizes(self, family: Averages) -> tuple[Any, ...] | None:
        """Sums that together bound the left side."""
        martingale, rest = family.orders
        ends, bias = 1 / S_T, () if rest > 100 else (powers_summed(rest) / S_T,)
        spread = (S_T if martingale == 1 else powers_summed(martingale)) / S_T**2
        if self.bound.left == BIAS:
            return (ends, *bias)
        if self.bound.left in (MSE, VARIANCE):
            return (ends**2, spread, *(b**2 for b in bias))
        return None

    def covered(self, term: Any) -> bool:
        """Whether the printed terms are at least a multiple of it, for all schedules."""
        mine = exponents(term)
        printed = [exponents(x) for x in sp.Add.make_args(sp.expand(self.bound.right))]
        known = [e for e in printed if e is not None]
        if mine is None:
            return False
        sums = {p for _, p in (mine, *known) if p is not None}
        exact, powers = mine
        if powers is not None and len(sums) == 2 and max(sums) == powers:
            # eps <= 1: a sum of higher powers is below one of lower powers
            sums, powers = {min(sums)}, min(sums)
        if len(sums) > 1:
            known, sums = [e for e in known if e[1] in (None, powers)], {powers or 2}
        p = next(iter(sums), 2)
        return bool(known) and dominated(exact, tuple(e for e, _ in known), p)

    def find(self, time: str | None = None) -> Finding:
        """Families of schedules, and the proof."""
        proof = self.prove("discrete")
        growing = {f: self.grows(f) for f in self.families}
        worst = [f for f in self.families if growing[f]]
        shown = {f.words: _short((self.ratios(f) or (Decimal("Infinity"),))[-1]) for f in self.families}
        words = "; ".join(f"{name}: ratio {value}" for name, value in shown.items())
        tested = Evidence(
            "exact",
            f"Left over right side at the far end of each family: {words}.",
            {"ratios": shown, "holds": not worst},
        )
        evidence = (*proof.evidence, tested)
        if worst:
            if proof.holds:
                raise differ(
                    self.id,
                    "symbols",
                    "the ratio is bounded",
                    "numbers",
                    f"it grows along {worst[0].words}",
                )
            reason = f"Along {worst[0].words} the left side outgrows every multiple of the right side."
            shown_at = self.shown_along(worst[0])
            corrected = self.correct("discrete")
            return Finding("refuted", reason, evidence, corrected=corrected, counterexample=shown_at)
        if proof.holds and None not in growing.values():
            return Finding("proved", proof.reason, evidence)
        reason = f"{proof.reason} Along all families that were looked at the ratio stays bounded."
        return Finding("inconclusive", reason, evidence)

    def correct(self, time: str) -> Correction | None:
        """The sums that bound the error of the first family's chain."""
        sizes = self.sizes(self.families[0])
        if sizes is None:
            return None
        terms = [x for x in sizes if not any(_below(x, y) for y in sizes if y != x)]
        true = replace(self.bound, right=sp.Add(*terms))
        fixed = replace(self, printed=(true,))
        if fixed.prove(time).holds is not True or any(fixed.grows(f) for f in self.families):
            return None
        words = "for linear chains with normal noises, by Poisson's equation"
        return Correction(true.latex(), true.text(), "proved", words, (true,))

    def shown_along(self, family: Averages) -> Counterexample:
        """The ratio on the way, with a script that sees it grow."""
        ratios = self.ratios(family) or ()
        sides = (self.bound.left, self.bound.right)
        scripts = [average_script(self.heading, family, sides, places) for places in _SCRIPTED]
        script = next((s for s in scripts if not run(s)), None)
        if script is None:
            raise unseen_by_script(self.id)
        numbers = {
            "along": family.words,
            "phi": plain(family.phi),
            "step": "; ".join(f"{a} <- {plain(b)}" for a, b in family.step.updates),
            "eps_t": plain(sp.sympify(family.steps)),
            "T": plain(sp.sympify(family.length)),
        }
        first, last = _short(ratios[3]), _short(ratios[-1])
        return Counterexample(numbers, first, last, "left over right side at k = 3 and at k = 7", script)

    def has_discrete_reading(self) -> bool:
        """Steps are discrete already."""
        return False

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """The errors are computed, not measured."""
        return finding, None

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """Terms of the right side dropped, or with another power of S_T or of their sum of steps."""
        terms = sp.Add.make_args(sp.expand(self.bound.right))
        for n, term in enumerate(terms):
            others = sp.Add(*terms[:n], *terms[n + 1 :])
            changed = [(f"{plain(term)} dropped", others)] if others != 0 else []
            changed += [(f"{plain(term)} over S_T", others + term / S_T)]
            changed += [(f"{plain(term)} over T", others + term / T)]
            for s in sorted(term.atoms(sp.Sum), key=str):
                higher = powers_summed(3) if s == SQUARES else sp.Sum(s.function * eps_t, *s.limits)
                changed += [
                    (f"a power of the steps more in {plain(term)}", others + term.subs(s, higher))
                ]
            for name, right in changed:
                yield name, replace(self, printed=(replace(self.bound, right=right),))

    def true_statement(self, finding: Finding) -> Self | None:
        """What is printed, or its correction."""
        if finding.corrected is not None:
            return replace(self, printed=finding.corrected.printed)
        return self if finding.verdict in ("proved", "inconclusive") else None

    def twins(self, finding: Finding, most: int | None = None) -> Twins:
        """A twin whose ratio grows is rejected; one that is proved as well is no lie."""
        true = self.true_statement(finding)
        if true is None:
            return Twins(0, 0)
        tried = rejected = 0
        survivors, equivalent = [], []
        for name, twin in spread(true.corrupted(finding), most):
            if twin.prove("discrete").holds:
                equivalent.append(name)
                continue
            tried += 1
            if any(twin.grows(f) for f in twin.families):
                rejected += 1
            else:
                survivors.append(f"{name}: no family shows it, and no proof says why")
        return Twins(tried, rejected, tuple(survivors), tuple(equivalent))


def _below(term: Any, other: Any) -> bool:
    mine, theirs = exponents(term), exponents(other)
    if mine is None or theirs is None or len({mine[1], theirs[1]} - {None}) > 1:
        return False
    return dominated(mine[0], (theirs[0],), mine[1] or theirs[1] or 2)


def _short(x: Decimal) -> str:
    return f"{float(x):.4g}"
