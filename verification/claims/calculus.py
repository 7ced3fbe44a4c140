"""Claims that formulas with unspecified functions and their derivatives are equal.

A side may hold derivatives that are still to be taken, and the letter rho for a density exp(-H)/Z, whose
H is given. The proof takes them and compares coefficients; the other route puts polynomials in the place
of functions and reads derivatives off power series in exact numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, islice
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.dynamics.coefficients import coefficients, relations
from sgtheory.dynamics.taylor import Polynomial, Taylor, polynomial_value
from sgtheory.printing import latex, plain
from verification.claims.base import Printed, Proof
from verification.claims.formal import Formal, Line, kind_of, symbols_in
from verification.claims.functions import (
    functions_in,
    letters_of,
    polynomials,
    positive_at,
    written,
)
from verification.miner.arguments import FreeOfArgument, IsZero, candidates, with_conditions
from verification.miner.conditions import Both, Condition
from verification.miner.relations import together
from verification.powerseries import Density, Series, depth_of
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.refuter.seriesscript import series_script
from verification.twins import corruptions, spread
from verification.verdict import Correction, Counterexample, Evidence

_DIGITS, _CLOSE = 60, Fraction(1, 10**40)
_AT_ONCE = 2  # conditions on functions that are tried together
_SEARCHED, _MANY = 1_000, 30  # places for a failure; letters, beyond which small ones are too many
_FEW, _USUAL = 200, 2_000  # small places
_TWINS = 16
_DRAWN, _SMALL = 8, 40  # places at which a corruption is looked at
RHO = sp.Symbol("rho", positive=True)


@dataclass(frozen=True, kw_only=True)
class Calculus(Formal):
    """Each relation in ``equalities`` holds for all states, parameters and unspecified functions.

    In them rho is exp(-``exponent``)/Z, whatever the constant Z is.
    """

    equalities: tuple[Printed, ...]
    states: tuple[Any, ...]
    exponent: Any = None

    def lines(self) -> tuple[Any, ...]:
        """What is printed, and what rho stands for."""
        if self.exponent is None:
            return self.equalities
        H = sp.sympify(self.exponent)
        density = Line(rf"\rho \propto \exp\left({latex(-H)}\right)", f"rho ~ exp({plain(-H)})")
        return (*self.equalities, density)

    def has_discrete_reading(self) -> bool:
        """It is about formulas."""
        return False

    @cached_property
    def expressions(self) -> tuple[Any, ...]:
        """All sides."""
        return tuple(side for p in self.sides for side in (p.left, p.right))

    @cached_property
    def sides(self) -> tuple[Printed, ...]:
        """What has to be equal, with the density written out."""
        known = {} if self.exponent is None else {RHO: Density(sp.sympify(self.exponent))}
        return tuple(
            replace(
                p, left=sp.sympify(p.left).xreplace(known), right=sp.sympify(p.right).xreplace(known)
            )
            for p in self.equalities
        )

    @cached_property
    def parameters(self) -> tuple[Any, ...]:
        """What is no state."""
        return tuple(s for s in symbols_in(self.expressions) if s not in self.states)

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced everywhere."""
        return self._mapped(lambda e: sp.sympify(e).subs(values))

    def _mapped(self, change: Any) -> Self:
        changed = tuple(replace(p, left=change(p.left), right=change(p.right)) for p in self.equalities)
        exponent = None if self.exponent is None else change(self.exponent)
        return replace(self, equalities=changed, exponent=exponent)

    @property
    def necessity_looks(self) -> int:
        """A place takes a millisecond or more here."""
        return 40

    @property
    def resolved(self) -> Self:
        """With relations and conditions on functions put in."""
        known = [p for c in self.conditions for p in c.parts if isinstance(p, FreeOfArgument)]
        statement = super().resolved
        kept = tuple(
            h for h in statement.given
            if not (isinstance(h, Condition) and any(p in known for p in h.parts))
        )  # fmt: skip
        return replace(statement, given=kept)._mapped(lambda e: with_conditions(e, known))

    @cached_property
    def functions(self) -> dict[str, Any]:
        """Unspecified functions."""
        return functions_in(self.expressions)

    def space(self) -> Space:
        """States, parameters, coefficients of polynomials; squares for what stands under a root."""
        scalars = {s.name: kind_of(s) for s in (*self.parameters, *self.states)}
        for e in self.expressions:
            for power in sp.sympify(e).atoms(sp.Pow):
                for s in power.base.free_symbols if not power.exp.is_Integer else ():
                    scalars[s.name] = "square" if scalars[s.name] == "positive" else scalars[s.name]
        letters = {**letters_of(self.functions), **scalars}
        return Space({}, letters, most=_FEW if len(letters) > _MANY else _USUAL)

    @cached_property
    def left_over(self) -> tuple[Any, ...]:
        """Left minus right with all derivatives taken; a density is a factor."""
        done = (sp.expand((p.left - p.right).doit()) for p in self.sides)
        return tuple(sp.expand(e.replace(Density, lambda _: RHO)) for e in done)

    def equations(self, time: str) -> tuple[Any, ...]:
        """The coefficients of what is left over."""
        found = (c for e in self.left_over for c in coefficients(e, (*self.states, RHO)))
        return tuple(dict.fromkeys(found))

    def relations(self, time: str) -> tuple[Condition, ...]:
        """Relations between parameters, conditions on functions, and both together."""
        found = list(super().relations(time))
        if found:
            return tuple(found)
        single = [c for c in candidates(self.functions.values()) if self._touched(c)]
        done: list[tuple[FreeOfArgument, ...]] = []
        for chosen in (c for n in range(1, _AT_ONCE + 1) for c in combinations(single, n)):
            if _repeats(chosen) or any(all(_implied(c, chosen) for c in d) for d in done):
                continue
            left = [sp.expand(with_conditions(e, chosen)) for e in self.left_over]
            rest = [c for e in left for c in coefficients(e, (*self.states, RHO))]
            ways: Any = ((),) if not any(map(sp.simplify, rest)) else ()
            if not ways and len(chosen) == 1:
                ways = [w for w in relations(rest) if w][:1]
            if ways:
                done.append(chosen)
                found.append(_all_of((*chosen, *([together(ways[0])] if ways[0] else []))))
        return tuple(found)

    def _touched(self, c: FreeOfArgument) -> bool:
        """Whether a condition changes anything that is left over."""
        return any(with_conditions(e, (c,)) != e for e in self.left_over)

    def needed(self, condition: Condition) -> bool:
        """Conditions on functions were tried; only relations come from independent coefficients."""
        return False

    def prove_freely(self, time: str) -> Proof:
        """Coefficient by coefficient."""
        rest = [e for e in self.left_over if any(sp.simplify(c) for c in coefficients(e, self.states))]
        told = (_told(self.left_over),)
        if not rest:
            return Proof(True, "Both sides agree term by term, whatever the functions left open.", told)
        return Proof(False, f"The sides differ by {plain(sp.factor(rest[0]))}.", told)

    def failure(self, time: str, evaluations: int = _SEARCHED) -> Failure | None:
        """As every claim; of many letters random ones, and what need not be there is dropped."""
        statement = self.resolved
        space, look = statement.space(), statement.look_freely(time)
        if len(space.scalars) <= _MANY:
            return super().failure(time, evaluations)
        source = random.Random(1)
        for place in (space.random(source) for _ in range(evaluations // _DRAWN)):
            sides = seen(look, place)
            if sides is not None and not sides.holds:
                return _sparse(Failure(place, sides), look, space)
        return None

    def look_freely(self, time: str) -> Look:
        """Both sides at a point, with power series for derivatives."""
        functions = self.functions
        depth = max((depth_of(sp.sympify(e)) for e in self.expressions), default=0)
        has_exp = any(sp.sympify(e).has(sp.exp) for e in self.expressions)

        def at(place: Place) -> Sides | None:
            chosen = lifted(functions, place)
            n = len(self.states)
            known: dict[Any, Any] = {s: place.scalars[s.name] for s in self.parameters}
            for k, s in enumerate(self.states):
                known[s] = Taylor.variable(k, place.scalars[s.name], n, depth)
            series = Series(known, chosen, _DIGITS if has_exp else None, self.states)
            for p in self.sides:
                left, right = (series.constant(sp.sympify(s)) for s in (p.left, p.right))
                if not (abs(left - right) <= _CLOSE if has_exp else left == right):
                    return Sides(_text(left), _text(right), False)
            return Sides(_text(left), _text(right), True)

        return at

    def correct(self, time: str) -> Correction | None:
        """The right side that the left side has."""
        if len(self.equalities) != 1 or not self.sides[0].left.has(sp.Derivative):
            return None
        (printed,), (written_out,) = self.equalities, self.sides
        true = sp.factor(sp.expand(written_out.left.doit()).replace(Density, lambda _: RHO))
        fixed = replace(self, equalities=(replace(printed, right=true),))
        if not (fixed.prove(time).holds and fixed.tested(time).data["holds"]):
            return None
        (line,) = fixed.equalities
        return Correction(line.latex(), line.text(), "proved", "by taking the derivatives", (fixed,))

    def script(self, failure: Failure, time: str) -> str:
        """Both sides in power series, with the polynomials written out."""
        claim = self.resolved
        chosen = lifted(claim.functions, failure.place)
        bodies = {n: (f.args, chosen[n]) for n, f in claim.functions.items()}
        values = {s: failure.place.scalars[s.name] for s in (*claim.states, *claim.parameters)}
        depth = max(depth_of(sp.sympify(e)) for e in claim.expressions)
        sides = [(sp.sympify(p.left), sp.sympify(p.right)) for p in claim.sides]
        return series_script(self.heading, claim.states, depth, values, bodies, sides)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The functions as polynomials, the point, and both sides."""
        claim = self.resolved
        chosen = lifted(claim.functions, failure.place)
        shown = {str(f): plain(written(chosen[n], f.args)) for n, f in claim.functions.items()}
        others = {s.name: str(failure.place.scalars[s.name]) for s in (*claim.states, *claim.parameters)}
        return Counterexample(
            {**shown, **others}, failure.sides.left, failure.sides.right, "left and right side"
        )

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """One side of one relation corrupted, or the density; of very many, some from all over."""
        yield from spread(self._corrupted(), _TWINS)

    def _corrupted(self) -> Iterator[tuple[str, Self]]:
        for k, printed in enumerate(self.equalities):
            for side in ("left", "right"):
                for name, wrong in corruptions(sp.sympify(getattr(printed, side))):
                    changed = replace(printed, **{side: wrong})
                    relations_ = (*self.equalities[:k], changed, *self.equalities[k + 1 :])
                    yield f"{side}: {name}", replace(self, equalities=relations_)
        if self.exponent is not None:
            for name, wrong in corruptions(sp.sympify(self.exponent)):
                yield f"exponent: {name}", replace(self, exponent=wrong)

    def is_caught(self, time: str) -> bool:
        """At a few places: what is left over of a wrong formula vanishes at hardly any of them."""
        statement, source = self.resolved, random.Random(1)
        look, space = statement.look_freely(time), statement.space()
        drawn = (space.random(source) for _ in range(_DRAWN))
        small = islice(space.small(), _SMALL) if len(space.scalars) <= _MANY else ()
        silent = True
        for place in chain(drawn, small):
            sides = seen(look, place)
            if sides is not None and not sides.holds:
                return True
            silent = silent and sides is None
        return silent


def _sparse(failure: Failure, look: Look, space: Space) -> Failure:
    """Letters zero wherever they can be, many at once and then one by one; then one."""
    for size, simple in ((16, 0), (4, 0), (1, 0), (1, 1)):
        names = [n for n in space.scalars if failure.place.scalars[n] not in (0, simple)]
        for k in range(0, len(names), size):
            place = failure.place.but(**dict.fromkeys(names[k : k + size], Fraction(simple)))
            sides = seen(look, place) if space.has(place) else None
            if sides is not None and not sides.holds:
                failure = Failure(place, sides)
    return failure


def lifted(functions: Mapping[str, Any], place: Place) -> dict[str, Polynomial]:
    """The polynomials of a place; what is not positive there and has to be gets another constant."""
    chosen = dict(polynomials(functions, place))
    for name, f in functions.items():
        point = [place.scalars.get(getattr(a, "name", ""), Fraction(0)) for a in f.args]
        if not positive_at(f, chosen[name], point):
            zero = (0,) * len(f.args)
            short = 1 - polynomial_value(chosen[name], point)
            chosen[name] = {**chosen[name], zero: chosen[name].get(zero, Fraction(0)) + short}
    return chosen


def _implied(c: FreeOfArgument, by: tuple[FreeOfArgument, ...]) -> bool:
    """What is zero depends on nothing."""
    return any(c == other or (isinstance(other, IsZero) and other.name == c.name) for other in by)


def _repeats(chosen: tuple[FreeOfArgument, ...]) -> bool:
    """Whether a condition says nothing beside the others."""
    return any(_implied(c, tuple(o for o in chosen if o is not c)) for c in chosen)


def _all_of(conditions: tuple[Condition, ...]) -> Condition:
    found = conditions[0]
    for c in conditions[1:]:
        found = Both((), found, c)
    return found


def _text(value: Any) -> str:
    if isinstance(value, Fraction) and value.denominator > 10**12:
        return f"{float(value):.12g}"
    return str(value)


def _told(rest: tuple[Any, ...]) -> Evidence:
    shown = tuple(Equation(Formula(r"\text{left} - \text{right}", "left - right"), e) for e in rest)
    steps = (Step("Left minus right", "With all derivatives taken:", shown),)
    results = tuple(Result(f"difference_{k}", e) for k, e in enumerate(shown, start=1))
    return Evidence(
        "symbolic",
        "For unspecified functions, coefficient by coefficient.",
        {"left_over": [plain(e) for e in rest]},
        Derivation("Difference", steps, results),
    )
