"""Claims that two quantities are equal, or equal up to a constant: traces, log determinants, means.

``left = right`` is about numbers or matrices; ``left =c= right`` says that the difference does not
change with the letters in ``constant_in``. ``Sigma`` is the covariance of the sampler's law, also with
a gain that commutes with nothing. Letters that a paper introduces on its way (Q for Sigma H^(-1)) are
``defined``; letters of a problem that it sets are ``put``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Formula
from sgtheory.printing import latex, plain
from sgtheory.setting import Setting
from verification.asymptotics import Undecided, first_terms
from verification.claims.base import Printed, Proof
from verification.claims.lettered import (
    Lettered,
    antisymmetric_letters,
    free_letters,
    is_matrix,
    rooted_dimension,
)
from verification.claims.mending import calmer, mended
from verification.dualproof import another, derivative_vanishes, told
from verification.gaussians import (
    MEANS,
    TWO_PI,
    MeanLogDensity,
    amounts_of,
    expanded,
    shown_entries,
)
from verification.miner.conditions import Condition, restrict
from verification.miner.mine import Mined
from verification.prover.balance import Balance, constant_difference, equal, in_one_dimension
from verification.quantities import numbers_at, space_of
from verification.rational import Numbers, matrix_value
from verification.refuter.equalityscript import equality_script
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.refuter.search import Failure, Look, Sides, first_seen
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap, RoutesDisagree

OTHER = "_other"  # the ending of a second value
_LOOKS = 400


@dataclass(frozen=True)
class Equality(Lettered):
    """``printed`` holds at every place; with =c=, the difference is constant in some letters."""

    defined: tuple[tuple[Any, Any], ...] = ()
    put: tuple[tuple[Any, Any], ...] = ()
    constant_in: tuple[Any, ...] = ()

    # -- what is meant -------------------------------------------------------------------------

    def meant(self, expr: Any) -> Any:
        """An expression with what is defined written out, and what is put in its place."""
        expr = sp.sympify(expr)
        for letter, value in self.defined:
            expr = expr.subs(letter, value)
        for letter, value in self.put:
            expr = expr.subs(letter, value)
        return expr

    def sides(self, printed: Printed) -> tuple[Any, Any]:
        """Both sides as they are meant."""
        return self.meant(printed.left), self.meant(printed.right)

    @property
    def law_of(self) -> Setting | None:
        """The sampler whose law is looked at, if there is one."""
        return self.setting if self.of else None

    @property
    def moving(self) -> tuple[str, ...]:
        """The letters of a place that get a second value; C is made from B."""
        return tuple("B" if s.name == "C" else s.name for s in self.constant_in)

    @property
    def necessity_looks(self) -> int:
        """Few: each takes a law or two."""
        return 30

    def _all_sides(self) -> tuple[Any, ...]:
        return tuple(expanded(s) for p in self.printed for s in self.sides(p))

    def space(self) -> Space:
        """All letters, and second values of those that move."""
        named = (*self._all_sides(), *self.constant_in)
        kinds = dict(self.kinds)
        found = space_of(named, self.law_of, kinds, tuple(s.name for s, _ in self.put))
        matrices, scalars = dict(found.matrices), dict(found.scalars)
        if not self.of:
            free = {s.name for e in named for s in e.free_symbols if not s.is_commutative}
            for name in sorted(free - {"I", "C", "EE^T", *matrices}):
                matrices[name] = "positive definite"
        matrices |= {n: k for n, k in kinds.items() if k in MATRIX_KINDS}
        if any(self.meant(e).has(MeanLogDensity) for p in self.printed for e in (p.left, p.right)):
            scalars[TWO_PI.name] = "positive"  # it may cancel, but each density has it
        for name, _ in self.put:
            matrices.pop(name.name, None)
        for one in (matrices, scalars):
            one |= {n + OTHER: one[n] for n in self.moving if n in one}
        return Space(matrices, scalars, self.sizes)

    def letters(self) -> tuple[str, ...]:
        """Without second values: a condition on a letter is one on both."""
        return tuple(n for n in super().letters() if not n.endswith(OTHER))

    # -- exact numbers -------------------------------------------------------------------------

    def moved(self, place: Place) -> tuple[Place, ...]:
        """The place as it is meant; with the second values too, where there are some."""
        matrices = {n: m for n, m in place.matrices.items() if not n.endswith(OTHER)}
        scalars = {n: x for n, x in place.scalars.items() if not n.endswith(OTHER)}
        first = Place(matrices, scalars)
        if not self.moving:
            return (first,)
        given: dict[str, Any] = {**place.matrices, **place.scalars}
        second = {n: given[n + OTHER] for n in self.moving}
        return first, first.but(**second)

    def placed(self, place: Place) -> Place | None:
        """A place with the letters set that the claim puts; None where that is no problem."""
        for letter, value in self.put:
            numbers = numbers_at((), None, place, "discrete")
            assert numbers is not None
            if letter.is_commutative:
                (amount,) = amounts_of(value, numbers)
                place = place.but(**{letter.name: amount.rational})
            else:
                rows = matrix_value(sp.expand(value), numbers)
                place = place.but(**{letter.name: tuple(tuple(row) for row in rows)})
        return place

    def numbers_of(self, place: Place, time: str) -> Numbers | None:
        """What expressions are evaluated with; None where there is no law."""
        placed = self.placed(place)
        return None if placed is None else numbers_at(self._all_sides(), self.law_of, placed, time)

    def values(self, exprs: tuple[Any, ...], place: Place, time: str) -> tuple[Any, ...] | None:
        """The entries of some expressions at a place; how much they change, where something moves."""
        found = []
        for one in self.moved(place):
            numbers = self.numbers_of(one, time)
            if numbers is None:
                return None
            entries = [amounts_of(self._whole(e, exprs), numbers) for e in exprs]
            most = max(map(len, entries))  # of a matrix; zero is one number beside it
            found.append([e if len(e) == most else e * most for e in entries])
        if any(b <= 0 for v in found for e in v for a in e for _, b in a.logs):
            return None  # a singular covariance has no log determinant
        if len(found) == 1:
            return tuple(found[0])
        return tuple(
            tuple(b - a for a, b in zip(x, y, strict=True)) for x, y in zip(*found, strict=True)
        )

    def _whole(self, expr: Any, beside: tuple[Any, ...]) -> Any:
        """A number beside matrices is that multiple of the identity."""
        return (
            expr * sp.Symbol("I", commutative=False)
            if is_matrix(*beside) and not is_matrix(expr)
            else expr
        )

    def look(self, time: str) -> Look:
        """Both sides of the first equation that fails, or of the last; changes, with =c=."""

        def at(place: Place) -> Sides | None:
            if not all(c.holds(p) for c in self.conditions for p in self.moved(place)):
                return None
            for printed in self.printed:
                sides = self.sides(printed)
                values = self.values(sides, place, time)
                if values is None:
                    return None
                same = all((a - b).is_zero for a, b in zip(*values, strict=True))
                left, right = (shown_entries(v, is_matrix(*sides)) for v in values)
                if not same:
                    return Sides(left, right, False)
            return Sides(left, right, True)

        return at

    def failure(self, time: str, evaluations: int = _LOOKS) -> Failure | None:
        """Among fewer places where each takes two laws."""
        return super().failure(time, min(evaluations, _LOOKS) if self.moving else evaluations)

    def is_caught(self, time: str) -> bool:
        """At a few places, random ones first; what is about nothing is caught as well."""
        found = first_seen(self.look(time), self.space(), lambda _: True)
        first = next(found, None)
        if first is None or not first.holds or any(not sides.holds for sides in found):
            return True
        return super().is_caught(time)

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = 2,
    ) -> bool | None:
        """At a random place under what is given; second values obey the conditions as well."""
        if size == 2 and any(rooted_dimension(s) for s in self._all_sides()):
            size = 4
        space, given = self.space(), (*self.conditions, *([under] if under else []))
        place = space.random(source, size if 2 in self.sizes else None)
        for condition in given:
            place = restrict(place, condition)
        for name in self.moving:
            if name in place.matrices:
                letter = "C" if name == "B" else name
                touching = [p for c in given for p in c.parts if letter in p.letters]
                if touching:
                    place = place.but(**{name + OTHER: another(place.matrices[name], touching, source)})
        if not space.has(place) or not all(c.holds(p) for c in given for p in self.moved(place)):
            return None
        try:
            sides = self.look(time)(calmer(place, time))
        except (TypeError, ZeroDivisionError):
            return None
        return None if sides is None else sides.holds

    # -- symbols -------------------------------------------------------------------------------

    def balance(self, time: str) -> Balance:
        """What the symbolic route needs to know."""
        kinds = dict(self.space().matrices) | free_letters(self.kinds)
        return Balance(self.law_of, time, self.put, self.conditions, kinds)

    def prove(self, time: str) -> Proof:
        """By the normal form of traces and log determinants; with =c=, by derivatives too."""
        shown: list[Evidence] = []
        verdicts: list[bool | None] = []
        for printed in self.printed:
            holds, evidence = self._prove_one(printed, time)
            verdicts.append(holds)
            shown += evidence
        if any(v is False for v in verdicts):
            return Proof(False, self._differs(), tuple(shown))
        if None in verdicts:
            return Proof(None, "No proof was found.", tuple(shown))
        return Proof(True, self._same(time), tuple(shown))

    def _prove_one(self, printed: Printed, time: str) -> tuple[bool | None, list[Evidence]]:
        written = antisymmetric_letters(self.kinds)
        left, right = (expanded(s.subs(written)) for s in self.sides(printed))
        if printed.relation != "=c=":
            found = equal(left, right, self.balance(time))
            return (found.holds, [found.evidence]) if found else (None, [])
        rest = sp.expand(left - right)
        found = constant_difference(left, right, self.constant_in, self.balance(time))
        evidence = [found.evidence] if found else []
        symbolic = found.holds if found else None
        if self.put or symbolic:
            return symbolic, evidence
        slopes = [
            derivative_vanishes(rest, self.law_of, time, s.name, self.conditions, self.id)
            for s in self.constant_in
        ]
        evidence += [told(all(s for s in slopes))] if None not in slopes else []
        if any(s is False for s in slopes):
            return False, evidence
        return (None if None in slopes else True), evidence

    def reason(self, verdict: str, time: str, mined: tuple[Mined, ...], proof: Proof) -> str:
        """Where the symbolic route is silent, the numbers speak."""
        if verdict == "limit-only":
            return "It holds for the process; for the discrete algorithm only as the step vanishes."
        if verdict == "refuted" and proof.holds is None:
            return "It is violated: exact numbers are below."
        return super().reason(verdict, time, mined, proof)

    def _differs(self) -> str:
        if not self.constant_in:
            return "The two sides differ."
        names = " and ".join(str(s) for s in self.constant_in)
        return f"The two sides differ by more than a constant: their difference changes with {names}."

    def _same(self, time: str) -> str:
        law = f" of the {'process' if time == 'continuous' else 'discrete algorithm'}" if self.of else ""
        if self.constant_in:
            names = " and ".join(str(s) for s in self.constant_in)
            where = f"For the law{law} the" if self.of else "The"
            return f"{where} difference of the two sides does not change with {names}."
        under = f", by the equation of the law{law}" if self.of and self._uses_law() else ""
        return f"Both sides are the same sum of traces and log determinants{under}, in every dimension."

    def _uses_law(self) -> bool:
        return any(s.name == "Sigma" for e in self._all_sides() for s in e.free_symbols)

    def gap(self, time: str) -> Gap | None:
        """How fast the discrete algorithm comes to satisfy it, where the process does."""
        if time != "discrete" or not self.of or self.prove("continuous").holds is not True:
            return None
        worst: Gap | None = None
        for printed in self.printed:
            found = self._gap_of(printed)
            if found is None:
                return None
            if worst is None or sp.Rational(found.order) < sp.Rational(worst.order):
                worst = found
        return worst

    def _gap_of(self, printed: Printed) -> Gap | None:
        """In one dimension; in all others the discrete law tends to the process's as fast."""
        step = next((s for s in self.setting.sampler.parameters if s.name == "eps"), None)
        sides = tuple(expanded(s) for s in self.sides(printed))
        values = in_one_dimension(sides, self.balance("discrete"))
        if step is None or values is None:
            return None
        left, right = values
        try:
            if printed.relation == "=c=":
                terms = first_terms(left - right, step, count=2)
                term = next((t for t in terms if t.power > 0), None)
            else:
                term = first_terms(sp.cancel((left - right) / right), step, count=1)[0]
        except (Undecided, ZeroDivisionError):
            return None
        if term is None or not 0 < term.power < float("inf"):
            return None
        written = sp.factor(term.written(step))
        return Gap(step.name, str(term.power), Formula(latex(written), plain(written)))

    # -- what is true instead --------------------------------------------------------------------

    def correct(self, time: str) -> Correction | None:
        """The same terms with other factors or signs, or with transposes, where that is true."""
        if len(self.printed) != 1:
            return None
        for true in mended(self, self.printed[0], time):
            fixed = replace(self, printed=(true,))
            if fixed.prove(time).holds and fixed.tested(time, True).data["holds"]:
                words = "in every dimension" + (" , up to a constant" if self.constant_in else "")
                return Correction(true.latex(), true.text(), "proved", words.replace(" ,", ","), (true,))
        return None

    def says_the_same(self, other: Self) -> bool:
        """Whether the two differ by nothing that expansion shows."""
        changes = zip(self.printed, other.printed, strict=True)
        return all(sp.expand(a.residual - b.residual) == 0 for a, b in changes)

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """A side corrupted; definitions stay, and so do the names of laws."""
        for name, twin in super().corrupted(finding):
            if not any(_senseless(s) for p in twin.printed for s in (p.left, p.right)):
                yield name, twin

    # -- a counterexample -----------------------------------------------------------------------

    def script(self, failure: Failure, time: str) -> str:
        """Both sides at the numbers of the failure, or how they change, and whether they agree."""
        for printed in self.printed:
            sides = self.sides(printed)
            values = self.values(sides, failure.place, time)
            assert values is not None
            if not all((a - b).is_zero for a, b in zip(*values, strict=True)):
                break
        else:
            raise RoutesDisagree(f"{self.id}: no equation fails at its own counterexample")
        exprs = tuple(expanded(self._whole(s, sides)) for s in sides)
        places = [p for p in map(self.placed, self.moved(failure.place)) if p is not None]
        return equality_script(self.heading, exprs, self.law_of, places, time)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The numbers, and both sides there; with =c=, by how much they change."""
        first, *rest = self.moved(failure.place)
        shown = self.placed(first) or first
        words = "left and right side"
        if rest:
            moved = ", ".join(f"{n} = {_value(rest[0], n)}" for n in self.moving)
            words = f"by how much the left and the right side change when {moved} instead"
        return Counterexample(shown.to_json(), failure.sides.left, failure.sides.right, words)


def _value(place: Place, name: str) -> str:
    if name in place.scalars:
        return str(place.scalars[name])
    return "[" + "; ".join(" ".join(map(str, row)) for row in place.matrices[name]) + "]"


def _senseless(side: Any) -> bool:
    """A power or a root of a law's covariance that no one would print, or a mean without its law."""
    side = sp.sympify(side)
    halves = any(not p.exp.is_Integer and p.base.is_commutative for p in side.atoms(sp.Pow))
    return halves or any(len(m.args) < 3 for m in side.atoms(*MEANS))
