"""Claims that a quantity does not depend on a parameter: a scalar, or a matrix such as the gain."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.declare import Parameter
from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.errors import UnusableInput
from sgtheory.language import step_in
from sgtheory.printing import latex, plain, tidy
from sgtheory.setting import Setting
from verification.asymptotics import Undecided, first_terms, is_zero
from verification.claims.base import Claim, Printed, Proof
from verification.dualproof import another, derivative_vanishes, told
from verification.miner.conditions import Condition, conditions, restrict
from verification.miner.scalars import OnScalars, scalar_conditions, written_under
from verification.permode import General, general, spelt
from verification.quantities import (
    amounts,
    in_scalars,
    is_matrix,
    is_rational_somewhere,
    numbers_at,
    space_of,
    times_of,
)
from verification.refuter.alongscript import head_for, law_lines, needs_decimals, quantity_text
from verification.refuter.places import Place, Space
from verification.refuter.script import identifier
from verification.refuter.search import Failure, Look, Sides, first_seen
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap, differ

_LOOKS = 400
OTHER = "_other"  # the ending of the parameter's second value


@dataclass(frozen=True)
class FreeOf(Printed):
    """``left`` does not depend on the letter ``right``."""

    relation: str = "free of"

    def latex(self) -> str:
        """As a derivative."""
        return rf"\frac{{\partial}}{{\partial {latex(self.right)}}}\, {latex(self.left)} = 0"

    def text(self) -> str:
        """On one line."""
        return f"{plain(self.left)} does not depend on {plain(self.right)}"


@dataclass(frozen=True)
class Independent(Claim):
    """``printed`` is one ``FreeOf``; ``kinds`` names the kinds of letters that do not show them."""

    kinds: tuple[tuple[str, str], ...] = ()

    def failure(self, time: str, evaluations: int = _LOOKS) -> Failure | None:
        """Among fewer places, as two laws are solved at each."""
        return super().failure(time, min(evaluations, _LOOKS))

    def is_caught(self, time: str) -> bool:
        """At a few places, random ones first; what is about nothing is caught as well."""
        given = self.conditions
        found = first_seen(self.look(time), self.space(), lambda p: all(c.holds(p) for c in given))
        first = next(found, None)
        if first is None or not first.holds or any(not sides.holds for sides in found):
            return True
        return super().is_caught(time)

    @property
    def quantity(self) -> Any:
        """What is not to move."""
        return sp.sympify(self.printed[0].left)

    @property
    def parameter(self) -> Any:
        """What is moved."""
        return self.printed[0].right

    @property
    def law_of(self) -> Setting | None:
        """The sampler whose law is looked at, if there is one."""
        return self.setting if self.of else None

    @property
    def _name(self) -> str:
        """The letter that a place has: C is made from B."""
        name = str(self.parameter.name)
        return "B" if name == "C" else name

    @property
    def necessity_looks(self) -> int:
        """Each takes two laws."""
        return 30

    def space(self) -> Space:
        """All letters, and a second value of the parameter."""
        exprs = (self.quantity, self.parameter, *self._named_in_conditions())
        plain_space = space_of(exprs, self.law_of, dict(self.kinds))
        matrices, scalars = dict(plain_space.matrices), dict(plain_space.scalars)
        for kinds in (matrices, scalars):
            if self._name in kinds:
                kinds[self._name + OTHER] = kinds[self._name]
        return Space(matrices, scalars, plain_space.sizes)

    def _named_in_conditions(self) -> tuple[Any, ...]:
        parts = [p for c in self.conditions for p in c.parts if isinstance(p, OnScalars)]
        names = sorted({n for p in parts for n in p.letters if n != "1"})
        return tuple(sp.Symbol(n, positive=True) for n in names)

    def letters(self) -> tuple[str, ...]:
        """Without the second value: a condition on the parameter is one on both."""
        return tuple(n for n in super().letters() if not n.endswith(OTHER))

    def lattice(self, time: str) -> tuple[Condition, ...]:
        """Of matrices where there are some, else of scalars (other than the parameter)."""
        space = self.space()
        if space.matrices:
            return conditions(self.letters())
        names = [n for n, k in space.scalars.items() if k == "positive" and not n.startswith(self._name)]
        return tuple(scalar_conditions(tuple(names)))

    def moved(self, place: Place) -> tuple[Place, Place]:
        """The place, and the one that differs from it in the parameter only."""
        other = self._name + OTHER
        matrices = {n: m for n, m in place.matrices.items() if n != other}
        scalars = {n: x for n, x in place.scalars.items() if n != other}
        first = Place(matrices, scalars)
        if other in place.matrices:
            return first, first.but(**{self._name: place.matrices[other]})
        return first, first.but(**{self._name: place.scalars[other]})

    def look(self, time: str) -> Look:
        """The quantity at both values."""

        def at(place: Place) -> Sides | None:
            if not all(c.holds(p) for c in self.conditions for p in self.moved(place)):
                return None
            values: list[tuple[Any, ...]] = []
            first, second = self.moved(place)
            if first == second:  # nothing is moved
                return None
            for one in (first, second):
                if in_scalars(self.quantity):
                    value = _plain(self.quantity, one)
                    if value.has(sp.nan, sp.zoo):
                        return None
                    values.append((value,))
                    continue
                numbers = numbers_at((self.quantity,), self.law_of, one, time)
                if numbers is None:
                    return None
                values.append(amounts(self.quantity, numbers))
            if any(b <= 0 for v in values for a in v for _, b in getattr(a, "logs", ())):
                return None
            same = all(_is_zero(a - b) for a, b in zip(*values, strict=True))
            left, right = (self._shown(v) for v in values)
            return Sides(left, right, same)

        return at

    def _shown(self, values: tuple[Any, ...]) -> Any:
        if not is_matrix(self.quantity):
            return str(values[0])
        size = round(len(values) ** 0.5)
        return [[str(v) for v in values[k * size : (k + 1) * size]] for k in range(size)]

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = None,
    ) -> bool | None:
        """At a random place under what is given; the second value obeys the conditions as well."""
        space, given = self.space(), (*self.conditions, *([under] if under else []))
        # where letters are numbers everything commutes: that shows nothing about a condition
        place = space.random(source, size or max(space.sizes))
        for condition in given:
            place = restrict(place, condition)
        name, other = self._name, self._name + OTHER
        if name in place.matrices:
            touching = [p for c in given for p in c.parts if self._touches(p)]
            if touching:
                value = another(place.matrices[name], touching, source)
                place = place.but(**{other: value})
            elif len(place.matrices[other]) != place.D:  # a dimension was imposed on all letters
                return None
        if not space.has(place) or not all(c.holds(p) for c in given for p in self.moved(place)):
            return None
        try:
            sides = self.look(time)(place)
        except (TypeError, ZeroDivisionError, StopIteration):
            return None
        return None if sides is None else sides.holds

    def _touches(self, condition: Condition) -> bool:
        return str(self.parameter.name) in condition.letters

    def in_symbols(self, time: str) -> General | None:
        """The quantity at a generic mode."""
        if not isinstance(self.parameter, sp.Symbol) or not self.parameter.is_commutative:
            return None
        found = general(self.quantity, self.law_of, time, self.conditions)
        if found is None:
            return None
        spelled = (spelt(p, self.parameter) for p in found.parts)
        return replace(found, parts=tuple(written_under(p, self.conditions) for p in spelled))

    def _check(self) -> None:
        """A letter that is nowhere makes the statement empty."""
        known = {s.name for s in self.quantity.free_symbols}
        if self.of:
            known |= {s.name for _, e in self.setting.updates for s in e.free_symbols} | {"C"}
        if self.parameter.name not in known:
            shown = ", ".join(sorted(n for n in known if "_" not in n))
            raise UnusableInput(
                f"a letter of the quantity or of {self.of or 'its formula'} ({shown})",
                str(self.parameter),
                "name the parameter as it is declared",
            )

    def find(self, time: str | None = None) -> Finding:
        """As every claim, once it is about something."""
        self._check()
        return super().find(time)

    def prove(self, time: str) -> Proof:
        """The derivative: of a formula where there is one, and in dual numbers where there is a law."""
        found = self.in_symbols(time)
        evidence: list[Evidence] = []
        symbolic = None
        if found is not None:
            slopes = [sp.diff(p, self.parameter) for p in found.parts]
            try:
                symbolic = all(is_zero(s) for s in slopes)
            except Undecided:
                symbolic = None
            evidence.append(self._told(found, slopes))
        dual = None
        if not in_scalars(self.quantity):
            dual = derivative_vanishes(
                self.quantity, self.law_of, time, self.parameter.name, self.conditions, self.id
            )
            if dual is not None:
                evidence.append(told(dual))
        if symbolic is not None and dual is not None and symbolic != dual:
            says = {True: "the derivative vanishes", False: "the derivative does not vanish"}
            raise differ(self.id, "a formula", says[symbolic], "dual numbers", says[dual])
        holds = dual if symbolic is None else symbolic
        if holds is None:
            return Proof(None, "No formula for its derivative is known.")
        word = "vanishes identically" if holds else "does not vanish"
        scope = found.scope if found is not None else "in dimension 3 and below"
        reason = f"Its derivative with respect to {self.parameter} {word}, {scope}."
        return Proof(holds, reason, tuple(evidence))

    def _told(self, found: General, slopes: list[Any]) -> Evidence:
        x = latex(self.parameter)
        name = Formula(rf"\partial q / \partial {x}", f"dq/d{self.parameter}")
        values = tuple(Equation(Formula("q", "q"), _tidy(p)) for p in found.parts)
        rest = tuple(Equation(name, sp.factor(sp.simplify(s))) for s in slopes)
        steps = (
            Step("The quantity", f"In symbols, {found.scope}:", values),
            Step("Its derivative", f"With respect to {self.parameter}:", rest),
        )
        derivation = Derivation("Dependence on a parameter", steps, (Result("derivative", rest[0]),))
        return Evidence("symbolic", "By its derivative.", {"dimensions": found.scope}, derivation)

    def gap(self, time: str) -> Gap | None:
        """How fast the dependence vanishes with the step, where it does."""
        found = self.in_symbols(time)
        if found is None or len(found.parts) != 1:
            return None
        (q,) = found.parts
        step = step_in(q)
        try:
            if self.parameter == step:
                terms = first_terms(q, step, count=2)
                if len(terms) < 2 or terms[0].power != 0 or terms[0].logs:
                    return None
                first, second = terms
                size = second.written(step) / first.coefficient
                order = second.power
            else:
                slope = first_terms(self.parameter * sp.diff(q, self.parameter) / q, step, count=1)[0]
                size, order = slope.written(step), slope.power
        except (Undecided, ZeroDivisionError):
            return None
        if order <= 0 or order == float("inf"):
            return None
        size = _tidy(sp.factor(size))
        return Gap(str(step), str(order), Formula(latex(size), plain(size)))

    def correct(self, time: str) -> Correction | None:
        """The derivative, where it is one formula."""
        found = self.in_symbols(time)
        if found is None or len(found.parts) != 1:
            return None
        slope = _tidy(sp.factor(sp.diff(found.parts[0], self.parameter)))
        name = {"formula": "q", "sum": "q_i", "matrix": "q_ij"}[found.form]
        x = latex(self.parameter)
        shown = name.replace("_ij", "_{ij}")
        return Correction(
            rf"\frac{{\partial {shown}}}{{\partial {x}}} = {latex(slope)}",
            f"d{name}/d{self.parameter} = {plain(slope)}",
            "proved",
            {"formula": found.scope, "sum": f"of each mode's share, {found.scope}"}.get(
                found.form, f"at a pair of modes, {found.scope}"
            ),
        )

    def script(self, failure: Failure, time: str) -> str:
        """The quantity at both values, and whether they are equal."""
        decimals = needs_decimals((self.quantity,))
        lines = [f"# {self.heading}"]
        for k, place in enumerate(self.moved(failure.place), start=1):
            if in_scalars(self.quantity):
                used = {s.name for s in self.quantity.free_symbols}
                kind = "{} = d(F('{}'))" if decimals else "{} = F('{}')"
                given = ((identifier(n), x) for n, x in place.scalars.items() if n in used)
                lines.append("; ".join(kind.format(*pair) for pair in given))
            else:
                lines += law_lines((self.quantity,), self.law_of, place, time)
            text = quantity_text(self.quantity, decimals and not is_matrix(self.quantity))
            lines.append(f"value_{k} = {text}  # with {self.parameter} number {k}")
        equal = "abs(value_1 - value_2) < Decimal('1e-60')" if decimals else "value_1 == value_2"
        if is_matrix(self.quantity):
            equal = "(value_1 == value_2).all()"
        lines += ["print(value_1, value_2, sep='\\n')", f"print(bool({equal}))"]
        return head_for((self.quantity,)) + "\n".join(lines) + "\n"

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The place with the first value, and the quantity there and at the second."""
        first, second = self.moved(failure.place)
        shown = [_as_text(p, self._name) for p in (first, second)]
        letter = "B" if self._name == "B" else self.parameter
        return Counterexample(
            first.to_json(),
            failure.sides.left,
            failure.sides.right,
            f"the quantity with {letter} = {shown[0]}, and with {letter} = {shown[1]}",
        )

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """A corrupted quantity, or another parameter."""
        (one,) = self.printed
        for name, wrong in corruptions(self.quantity):
            if wrong != 0 and is_rational_somewhere(wrong):
                yield f"left: {name}", replace(self, printed=(replace(one, left=wrong),))
        for name, wrong in (("times", self.parameter), ("over", 1 / self.parameter)):
            if self.parameter.is_commutative:
                changed = replace(one, left=self.quantity * wrong)
                yield f"{name} {self.parameter}", replace(self, printed=(changed,))
        seen = {s for s in self.quantity.free_symbols if isinstance(s, Parameter)}
        if self.of:
            own = self.setting.sampler.parameters
            seen |= {p for p in own if isinstance(p, Parameter) and p.is_commutative}
        for other in sorted(seen - {self.parameter}, key=str):
            yield f"{other} for {self.parameter}", replace(self, printed=(replace(one, right=other),))

    def says_the_same(self, other: Self) -> bool:
        """A corruption that is independent as well is another truth, not a lie."""
        return self.prove(self.time).holds is True

    def has_discrete_reading(self) -> bool:
        """Only where a law in the claim's own time is meant."""
        return (
            self.time == "continuous" and bool(self.of) and "" in times_of((self.quantity,), self.time)
        )


def _tidy(expr: Any) -> Any:
    return tidy(expr) if expr.is_rational_function(*expr.free_symbols) else expr


def _plain(expr: Any, place: Place) -> Any:
    known = {n: sp.Rational(v.numerator, v.denominator) for n, v in place.scalars.items()}
    return expr.subs({s: known[s.name] for s in expr.free_symbols})


def _is_zero(difference: Any) -> bool:
    return bool(difference.is_zero) if hasattr(difference, "rational") else is_zero(difference)


def _as_text(place: Place, name: str) -> str:
    if name in place.scalars:
        return str(place.scalars[name])
    return "[" + "; ".join(" ".join(map(str, row)) for row in place.matrices[name]) + "]"
