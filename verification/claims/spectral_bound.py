"""Inequalities between functions of A, time averages among them: in every direction (Loewner)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.declare import Parameter
from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from verification.claims.base import Printed, Proof
from verification.claims.spectral import Spectral
from verification.miner.conditions import Condition
from verification.notation import A
from verification.pairform import DELTA, NotInPairForm
from verification.refuter.places import Place
from verification.refuter.search import Failure, Look, Sides, seen
from verification.spectral.edits import exponents
from verification.spectral.numbers import Closed, Rows
from verification.spectral.script import setup
from verification.spectral.showing import as_text
from verification.spectral.signs import nowhere_negative
from verification.verdict import Correction, Evidence, Finding, Gap

_TURNED = {"<=": ">=", ">=": "<="}


@dataclass(frozen=True)
class SpectralBound(Spectral):
    """One relation ``<=`` or ``>=``: larger minus smaller has no negative eigenvalue."""

    @property
    def relation(self) -> Printed:
        """What is printed."""
        (printed,) = self.printed
        return printed

    def difference(self) -> Any:
        """Larger minus smaller."""
        rest = sp.sympify(self.relation.left - self.relation.right)
        return rest if self.relation.relation == ">=" else -rest

    def look(self, time: str) -> Look:
        """Its eigenvalues' signs, by certified intervals."""

        def at(place: Place) -> Sides | None:
            walk = Closed(place, self.law_of, time, self.order)
            one, holds = self.relation, _has_no_negative(walk.matrix(self.difference()))
            left, right = (as_text(walk.matrix(sp.sympify(e))) for e in (one.left, one.right))
            return Sides(left, right, holds)

        return at

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """None: a bound that fails is shown with the one that holds."""
        return ()

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = 2,
    ) -> bool | None:
        """At a place with rational eigenvalues."""
        place = self._drawn(source, under, size, turned=True)
        sides = None if place is None else seen(self.look(time), place)
        return None if sides is None else sides.holds

    def prove(self, time: str) -> Proof:
        """Eigenvalue by eigenvalue: a function of one letter that is nowhere negative."""
        try:
            parts = self.reading(time).of(self.difference())
        except NotInPairForm as why:
            return Proof(None, f"No pair of modes expresses it: {why}.")
        if not set(parts) <= {DELTA}:
            return Proof(None, "The difference is no function of A alone.")
        value = parts.get(DELTA, sp.Integer(0))
        known = nowhere_negative(value)
        evidence = (self._shown_value(value),)
        if known is None:
            return Proof(None, "It is not known to have one sign.", evidence)
        reason = f"Larger minus smaller, at every eigenvalue{self._where()}: {known}."
        return Proof(True, reason, evidence)

    def _shown_value(self, value: Any) -> Evidence:
        name = Formula(r"(\text{larger} - \text{smaller})_{i}", "(larger - smaller)_i")
        one = Equation(name, sp.factor(value))
        step = Step("At one eigenvalue", "Functions of A are compared eigenvalue by eigenvalue:", (one,))
        derivation = Derivation("An inequality along modes", (step,), (Result("difference", one),))
        return Evidence("symbolic", "By one eigenvalue.", {"dimensions": "every"}, derivation)

    def gap(self, time: str) -> Gap | None:
        """An inequality has none."""
        return None

    def correct(self, time: str) -> Correction | None:
        """The other direction, or the right side times A, its inverse or a number, if proved."""
        turned = replace(self.relation, relation=_TURNED[self.relation.relation])
        letters = sorted(self.relation.left.atoms(Parameter), key=str)
        forms = [A**-1, A] if self.space().matrices else [1 / x for x in letters]
        scales = (*forms, *(sp.Rational(k, 2) for k in (1, 3, 4, 6, 8)))
        right = self.relation.right
        others = [replace(self.relation, right=x * right) for x in scales] if right != 0 else []
        for printed in (turned, *others):
            if self.is_true(printed, time):
                scope = f"in every dimension{self._where().removeprefix(', in every dimension')}"
                return Correction(printed.latex(), printed.text(), "proved", scope, (printed,))
        return None

    def reason(self, verdict: str, time: str, mined: Any, proof: Proof) -> str:
        """A violation speaks for itself."""
        return "It is violated: the numbers below show it." if verdict == "refuted" else proof.reason

    def script(self, failure: Failure, time: str) -> str:
        """The smallest eigenvalue of larger minus smaller."""
        rest = self.difference()
        head, letters, printer = setup(self.heading, self.law_of, failure.place, time, (rest,))
        return (
            f"{head}{letters}rest = {printer.matrix(rest)}  # larger minus smaller\n"
            "smallest = np.linalg.eigvalsh(rest.astype(float)).min()\n"
            "print(smallest)\nprint(bool(smallest >= -1e-12))\n"
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """The other direction, half the bound, other exponents: a weaker bound would be no lie."""
        one = self.relation
        changes: list[tuple[str, Printed]] = [
            ("relation turned", replace(one, relation=_TURNED[one.relation])),
            ("left with its sign flipped", replace(one, left=-one.left)),
        ]
        if one.right != 0:
            strong = 2 if one.relation == "<=" else sp.Rational(1, 2)
            changes.append(("bound by half", replace(one, left=strong * one.left)))
        changes += [(name, replace(one, left=wrong)) for name, wrong in exponents(sp.sympify(one.left))]
        for name, changed in changes:
            yield name, replace(self, printed=(changed,))


def _has_no_negative(rows: Rows) -> bool:
    """Of a symmetric matrix of dimension one or two: by trace and determinant."""
    if len(rows) == 1:
        return rows[0][0].sign() >= 0
    if len(rows) > 2:
        raise TypeError("only in one and two dimensions")
    (a, b), (c, d) = rows
    return (a + d).sign() >= 0 and (a * d - b * c).sign() >= 0
