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
from functools import cache, cached_property
from itertools import chain, combinations, islice
from typing import Any, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.derivation import Derivation, Equation, Formula, Result, Step
from sgtheory.dynamics.coefficients import coefficients, relations
from sgtheory.dynamics.taylor import Exactly, Taylor
from sgtheory.dynamics.walking import walk
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
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.refuter.seriesscript import FACTOR, series_script
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence

_DIGITS, _CLOSE = 60, Fraction(1, 10**40)
_AT_ONCE = 2  # conditions on functions that are tried together
_DRAWN, _SMALL = 8, 40  # places at which a corruption is looked at
RHO = sp.Symbol("rho", positive=True)


class Density(sp.Function):
    """exp(-H)/Z, whatever the constant Z is.

    >>> x, b = sp.symbols("x b")
    >>> Density(b * x**2).diff(x)
    -2*b*x*rho(b*x**2)
    """

    is_positive = True

    def fdiff(self, argindex: int = 1) -> Any:
        """The derivative by H."""
        return -self

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return r"\rho" if exp is None else rf"\rho^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"rho({printer._print(self.args[0])})"


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
        return Space({}, {**letters_of(self.functions), **scalars})

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
        known = {f for e in self.left_over for f in e.atoms(AppliedUndef)}
        distinct = {f.func: f for f in sorted(known, key=str)}
        single = candidates(distinct.values())
        tried = [c for n in range(1, _AT_ONCE + 1) for c in combinations(single, n)]
        done: list[set[Any]] = []
        for chosen in tried if not found else ():
            if any(all(_implied(c, chosen) for c in d) for d in done) or _repeats(chosen):
                continue
            statement = replace(self, given=())._mapped(lambda e, c=chosen: with_conditions(e, c))
            left = statement.equations(time)
            ways = [()] if not any(sp.simplify(e) for e in left) else relations(left)
            if ways and len(left) <= len(self.equations(time)):
                done.append(set(chosen))
                found += [_all_of((*chosen, *([together(w)] if w else []))) for w in ways[:1]]
        return tuple(found)

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

    def look_freely(self, time: str) -> Look:
        """Both sides at a point, with power series for derivatives."""
        functions = self.functions
        depth = max((_depth(sp.sympify(e)) for e in self.expressions), default=0)
        has_exp = any(sp.sympify(e).has(sp.exp) for e in self.expressions)

        def at(place: Place) -> Sides | None:
            chosen = polynomials(functions, place)
            for name, f in functions.items():
                point = [place.scalars.get(getattr(a, "name", ""), Fraction(0)) for a in f.args]
                if not positive_at(f, chosen[name], point):
                    return None
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
        if len(self.equalities) != 1:
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
        chosen = polynomials(claim.functions, failure.place)
        bodies = {n: (f.args, chosen[n]) for n, f in claim.functions.items()}
        values = {s: failure.place.scalars[s.name] for s in (*claim.states, *claim.parameters)}
        depth = max(_depth(sp.sympify(e)) for e in claim.expressions)
        sides = [(sp.sympify(p.left), sp.sympify(p.right)) for p in claim.sides]
        return series_script(self.heading, claim.states, depth, values, bodies, sides)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The functions as polynomials, the point, and both sides."""
        claim = self.resolved
        chosen = polynomials(claim.functions, failure.place)
        shown = {str(f): plain(written(chosen[n], f.args)) for n, f in claim.functions.items()}
        others = {s.name: str(failure.place.scalars[s.name]) for s in (*claim.states, *claim.parameters)}
        return Counterexample(
            {**shown, **others}, failure.sides.left, failure.sides.right, "left and right side"
        )

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """One side of one relation corrupted."""
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
        silent = True
        for place in chain(drawn, islice(space.small(), _SMALL)):
            sides = seen(look, place)
            if sides is not None and not sides.holds:
                return True
            silent = silent and sides is None
        return silent


@dataclass(frozen=True)
class Series(Exactly):
    """Arithmetic for a walk in which derivatives are read off series."""

    states: tuple[Any, ...] = ()

    def constant(self, expr: Any) -> Any:
        """The value of an expression at the point."""
        found = self.of(expr)
        return found.constant if isinstance(found, Taylor) else found

    def of(self, expr: Any) -> Any:
        """The series of an expression."""
        skeleton, names = _split(expr)
        return walk(skeleton, self.but({name: self._taken(e) for e, name in names}))

    def _taken(self, e: Any) -> Any:
        if isinstance(e, Density):
            exponent = self.of(e.args[0])
            if not isinstance(exponent, Taylor):
                return FACTOR
            away = (exponent + exponent.constant * -1) * -1
            return self.exp(away) * FACTOR
        found = self.of(e.expr)
        for x, times in e.variable_count:
            for _ in range(int(times)):
                k = self.states.index(x)
                found = found.derivative(k) if isinstance(found, Taylor) else Fraction(0)
        return found


@cache
def _split(expr: Any) -> tuple[Any, tuple[tuple[Any, Any], ...]]:
    """An expression with names for what is still to be differentiated."""
    inner = {
        e
        for e in expr.atoms(sp.Derivative, Density)
        if isinstance(e, Density) or not isinstance(e.expr, AppliedUndef)
    }
    outermost = [e for e in inner if not any(e is not o and o.has(e) for o in inner)]
    names = {e: sp.Dummy() for e in outermost}
    return expr.xreplace(names), tuple(names.items())


def _depth(expr: Any) -> int:
    """How many derivatives are taken one in another."""
    if isinstance(expr, sp.Derivative) and not isinstance(expr.expr, AppliedUndef):
        return _depth(expr.expr) + sum(int(n) for _, n in expr.variable_count)
    return max((_depth(a) for a in expr.args), default=0)


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
