"""Two algorithms are one after a change of variables and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.derivation import Derivation, Equation, Formula, Result
from sgtheory.derivation import Step as Told
from sgtheory.dynamics import coefficients
from sgtheory.dynamics.change import (
    Change,
    Found,
    affine_change,
    canonical,
    differences,
    with_functions,
)
from sgtheory.dynamics.leading import leading
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly, Polynomial
from sgtheory.dynamics.walking import walk
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.formal import Formal, Line, kind_of
from verification.claims.functions import functions_in, letter, written
from verification.miner.conditions import Condition
from verification.miner.relations import Related, together
from verification.refuter.places import Place, Space
from verification.refuter.runscript import equivalence_script
from verification.refuter.search import Failure, Look, Sides
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, Gap

_STEPS, _CUBIC_STEPS = 10, 4  # a cubic gradient triples the digits at every step
_CUBIC = (3,)
_DIGITS, _CLOSE = 60, Fraction(1, 10**40)  # as in scripts
_BENT = ((0,), (2,), _CUBIC)
_X = sp.Symbol("x", real=True)


@dataclass(frozen=True, kw_only=True)
class Equivalent(Formal):
    """``second`` does to ``change`` of a state what ``first`` does to the state, with the same noises.

    ``change`` gives each state of the second in states of the first; without one, an affine change
    is looked for. ``parameters_of_second`` gives parameters of the second in those of the first.
    Unspecified functions of the state are gradients; those of the declaration language too.
    """

    first: Step
    second: Step
    change: Change | None = None
    parameters_of_second: tuple[tuple[Any, Any], ...] = ()
    linear: bool = False  # the functions are linear: the loss is quadratic
    small: Any = None  # the parameter that the paper takes to zero, where it takes one

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", with_functions(self.first))
        object.__setattr__(self, "second", with_functions(self.second))
        super().__post_init__()

    @property
    def mapped(self) -> Step:
        """The second with its parameters in those of the first."""
        values = dict(self.parameters_of_second)
        updates = tuple((t, e.subs(values, simultaneous=True)) for t, e in self.second.updates)
        return replace(self.second, updates=updates)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """Of both."""
        changed = {s for _, e in self.change or () for s in e.free_symbols} - set(self.first.state)
        found = {*self.first.parameters, *self.mapped.parameters, *changed}
        return tuple(sorted(found, key=lambda s: s.name))

    @property
    def functions(self) -> dict[str, Any]:
        """The gradients."""
        return functions_in([e for s in (self.first, self.second) for _, e in s.updates])

    def lines(self) -> tuple[Line, ...]:
        """Both algorithms, the change of variables, the parameters."""
        shown = []
        for step in (self.first, self.second):
            shown += [
                Line(rf"{latex(t)} \leftarrow {latex(e)}", f"{t} <- {plain(e)}") for t, e in step.updates
            ]
        return (*shown, *change_lines(self.change or ()), *change_lines(self.parameters_of_second))

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced; a cubic coefficient of zero makes the gradients linear."""
        if any(str(s) in self._cubic for s in values):
            return replace(self, linear=True)
        change = None if self.change is None else tuple((s, e.subs(values)) for s, e in self.change)
        mapped = tuple((s, sp.sympify(e).subs(values)) for s, e in self.parameters_of_second)
        second = self.second.put({s: x for s, x in values.items() if s not in dict(mapped)})
        return replace(
            self,
            first=self.first.put(values),
            second=second,
            change=change,
            parameters_of_second=mapped,
        )

    @property
    def _cubic(self) -> list[str]:
        return [letter(name, _CUBIC) for name in self.functions]

    def space(self) -> Space:
        """Parameters, the start, noises of two steps, slope and bending of each gradient."""
        scalars = {s.name: kind_of(s) for s in self.parameters}
        for name in self.functions:
            scalars[letter(name, (1,))] = "positive"
            scalars |= {} if self.linear else {letter(name, _CUBIC): "real"}
        scalars |= {f"start_{s.name}": "real" for s in self.first.state}
        return Space({}, {**scalars, **{n: "real" for _, n in self._drawn}})

    @property
    def noises(self) -> tuple[Any, ...]:
        """Of both, each once."""
        return tuple(dict.fromkeys((*self.first.noises, *self.second.noises)))

    @property
    def _drawn(self) -> list[tuple[Any, str]]:
        return [(w, f"{w.name}_{k}") for k in (1, 2) for w in self.noises]

    @cached_property
    def known(self) -> Found | None:
        """The change that is given, or one that was found."""
        if self.change is not None:
            return Found(self.change, {})
        return affine_change(self._as_is(self.first), self._as_is(self.mapped))

    @cached_property
    def left_over(self) -> tuple[Any, ...]:
        """What T(step_1) and step_2(T) differ by."""
        assert self.known is not None
        return differences(self._as_is(self.first), self._as_is(self.mapped), self.known.change)

    def _as_is(self, step: Step) -> Step:
        """With linear functions where that is given."""
        if not self.linear:
            return step

        def replaced(e: Any) -> Any:
            return sp.Symbol(letter(e.func.__name__, (1,)), positive=True) * e.args[0]

        updates = tuple(
            (t, e.replace(lambda f: isinstance(f, AppliedUndef), replaced)) for t, e in step.updates
        )
        return replace(step, updates=updates)

    def equations(self, time: str) -> tuple[Any, ...]:
        """The coefficients of what is left over."""
        if self.known is None:
            return ()
        over = (*self.first.state, *self.noises)
        found = [c for e in self.left_over for c in coefficients.coefficients(e, over)]
        return tuple(dict.fromkeys(found))

    def relations(self, time: str) -> tuple[Condition, ...]:
        """Where coefficients vanish; where two gradients are taken at one point; linear gradients."""
        found = list(super().relations(time))
        statement = self.resolved
        if statement.known is None:
            return tuple(found)
        over = (*statement.first.state, *statement.noises)
        applied = sorted(
            {f for e in statement.left_over for f in e.atoms(AppliedUndef)}, key=sp.default_sort_key
        )
        for a, b in combinations(applied, 2):
            if a.func == b.func:
                same = coefficients.coefficients(a.args[0] - b.args[0], over)
                rest = (e.xreplace({b: a}) for e in statement.left_over)
                both = (*same, *(c for e in rest for c in coefficients.coefficients(e, over)))
                found += [together(way) for way in coefficients.relations(both)]
        distinct = {c.words: c for c in found}
        if statement.functions and not statement.linear:
            zero = sp.Symbol(statement._cubic[0], real=True)
            relation = coefficients.Relation(zero, zero, sp.Integer(0))
            distinct["linear"] = Related((), relation, "the gradient is linear")
        return tuple(distinct.values())

    def prove_freely(self, time: str) -> Proof:
        """An identity of expressions, for whatever functions, states and noises."""
        if self.known is None:
            return Proof(False, "No affine change of variables makes them one.")
        rest = self.left_over
        words = "; ".join(line.as_text for line in change_lines(self.known.change))
        if not any(rest):
            found = "" if self.change is not None else f", found as {words}"
            said = f"Both steps commute with the change of variables{found}."
            return Proof(True, said, (self._told(),))
        which = next(k for k, e in enumerate(rest) if e != 0)
        target = self.known.change[which][0]
        said = f"One step of the two differs in {target} by {plain(sp.factor(rest[which]))}."
        if affine_change(self._as_is(self.first), self._as_is(self.mapped)) is None:
            said += " With these parameters no affine change of variables makes them one."
        return Proof(False, said, (self._told(),))

    def look_freely(self, time: str) -> Look:
        """Both run with the same noise from matched starts, in exact numbers."""
        change = self.known.change if self.known else self._by_order()
        first, second = self.first, self.mapped

        def at(place: Place) -> Sides | None:
            values = {s: place.scalars[s.name] for s in self.parameters}
            known = Exactly(values, self.chosen(place), self.digits)
            one: dict[Any, Any] = {s: place.scalars[f"start_{s.name}"] for s in first.state}
            two = _changed(change, known, one)
            for n in range(1, self.most(place) + 1):
                noise = self.noise_of(place, n)
                one = first.run(known.but(noise), one)
                two = second.run(known.but(noise), two)
                wanted = _changed(change, known, one)
                for s in two:
                    if not self._same(wanted[s], two[s]):
                        return Sides(f"{s} = {wanted[s]}", f"{s} = {two[s]} after step {n}", False)
            return Sides("equal", "equal", True)

        return at

    @property
    def digits(self) -> int | None:
        """Of approximate numbers, where there are exponentials or roots of roots."""
        exprs = [e for s in (self.first, self.second) for _, e in s.updates]
        nested = any(p.base.has(sp.sqrt(sp.Wild("x"))) for e in exprs for p in e.atoms(sp.Pow))
        return _DIGITS if nested or any(e.has(sp.exp) for e in exprs) else None

    def _same(self, one: Any, two: Any) -> bool:
        return bool(one == two if self.digits is None else abs(one - two) <= _CLOSE)

    def _by_order(self) -> Change:
        """Where no change makes them one: state by state, as they are listed."""
        return tuple(zip(self.second.state, self.first.state, strict=False))

    def chosen(self, place: Place) -> dict[str, Polynomial]:
        """The gradients of a place."""
        return {name: self._polynomial(name, place) for name in self.functions}

    def _polynomial(self, name: str, place: Place) -> Polynomial:
        """A slope, and a number for all other coefficients: odd functions would hide a sign."""
        slope, rest = (place.scalars.get(letter(name, e), Fraction(0)) for e in ((1,), _CUBIC))
        found = {(1,): slope} | ({} if self.linear else dict.fromkeys(_BENT, rest))
        return {e: x for e, x in found.items() if x}

    def most(self, place: Place) -> int:
        """How many steps are run."""
        cubic = not self.linear and any(place.scalars.get(n) for n in self._cubic)
        return _CUBIC_STEPS if cubic else _STEPS

    def noise_of(self, place: Place, n: int) -> dict[Any, Fraction]:
        """The noises of step n."""
        return {w: place.scalars[f"{w.name}_{2 - n % 2}"] for w in self.noises}

    def gap(self, time: str) -> Gap | None:
        """How fast the difference vanishes compared with what a step changes."""
        if self.small is None or self.known is None:
            return None
        after = self._as_is(self.first).after({s: s for s in self.first.state})
        moved = [sp.expand(e.xreplace(after) - e) for _, e in self.known.change]
        sizes = [s for s in (leading(e, self.small) for e in moved) if s is not None]
        rest = [r for r in (leading(e, self.small) for e in self.left_over) if r is not None]
        if not sizes or not rest:
            return None
        order, term = min(rest, key=lambda r: r[0])
        order -= min(s[0] for s in sizes)
        if order <= 0:
            return None
        shown = term * self.small**order
        return Gap(self.small.name, str(order), Formula(latex(shown), plain(shown)))

    def correct(self, time: str) -> Correction | None:
        """Another change of variables, or other parameters, that do make them one."""
        free = [s for s, _ in self.parameters_of_second]
        first, mapped = self._as_is(self.first), self._as_is(self.mapped)
        found = affine_change(first, mapped)
        kept = dict(self.parameters_of_second)
        for s in free:
            if found is not None:
                break
            others = {p: e for p, e in kept.items() if p != s}
            found = affine_change(first, self._as_is(self.second).put(others), (s,))
        if found is None or (self.change is not None and found.change == self.change and not free):
            return None
        mapping = tuple((s, found.parameters.get(s, e)) for s, e in self.parameters_of_second)
        fixed = replace(self, change=found.change, parameters_of_second=mapping)
        if fixed.find(time).verdict != "proved":
            return None
        shown = change_lines((*found.change, *found.parameters.items()))
        return Correction(
            r" \qquad ".join(line.latex() for line in shown),
            "; ".join(line.text() for line in shown),
            "proved",
            "an affine change of variables that makes them one",
            (fixed,),
        )

    def script(self, failure: Failure, time: str) -> str:
        """Both algorithms run until they differ."""
        claim, place = self.resolved, failure.place
        functions = {n: written(p, (_X,)) for n, p in claim.chosen(place).items()}
        change = claim.known.change if claim.known else claim._by_order()
        values = {s: place.scalars[s.name] for s in claim.parameters}
        start = [place.scalars[f"start_{s.name}"] for s in claim.first.state]
        noise = [list(claim.noise_of(place, n).values()) for n in (1, 2)]
        numbers = (values, start, noise, claim.most(place))
        steps = (claim.first, claim.mapped)
        return equivalence_script(self.heading, steps, change, functions, numbers)

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The numbers, and the first step after which the two differ."""
        return Counterexample(
            failure.place.to_json(),
            failure.sides.left,
            failure.sides.right,
            "the first, changed, and the second after the first step at which they differ",
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One update of the second, one part of the change, or one parameter corrupted."""
        true = replace(self, change=self.known.change) if self.known else self
        for k, (target, expr) in enumerate(self.second.updates):
            for name, wrong in corruptions(sp.expand(expr)):
                updates = (*self.second.updates[:k], (target, wrong), *self.second.updates[k + 1 :])
                yield (
                    f"second, {target}: {name}",
                    replace(true, second=replace(self.second, updates=updates)),
                )
        for k, (s, expr) in enumerate(true.change or ()):
            for name, wrong in corruptions(sp.expand(expr)):
                pairs = true.change or ()
                changed = (*pairs[:k], (s, wrong), *pairs[k + 1 :])
                yield f"change, {s}: {name}", replace(true, change=changed)
        for k, (s, expr) in enumerate(self.parameters_of_second):
            for name, wrong in corruptions(sp.expand(expr)):
                kept = self.parameters_of_second
                mapped = (*kept[:k], (s, wrong), *kept[k + 1 :])
                yield f"parameter {s}: {name}", replace(true, parameters_of_second=mapped)

    def _told(self) -> Evidence:
        assert self.known is not None
        shown = tuple(Equation(Formula(latex(s), str(s)), canonical(e)) for s, e in self.known.change)
        rest = tuple(
            Equation(
                Formula(rf"T(\text{{first}}) - \text{{second}}(T), {latex(s)}", f"difference in {s}"), e
            )
            for (s, _), e in zip(self.known.change, self.left_over, strict=True)
        )
        steps = (
            Told("The change of variables", "States of the second in those of the first:", shown),
            Told("One step", "After a step of the first, changed, less a step of the second:", rest),
        )
        results = tuple(Result(f"difference_{k}", e) for k, e in enumerate(rest, start=1))
        return Evidence(
            "symbolic",
            "An identity of one step, for unspecified gradients, in every coordinate.",
            {"dimensions": "every"},
            Derivation("Change of variables", steps, results),
        )


def _changed(change: Change, known: Exactly, states: Mapping[Any, Any]) -> dict[Any, Any]:
    return {s: walk(sp.sympify(e), known.but(states)) for s, e in change}


def change_lines(change: Any) -> tuple[Line, ...]:
    """state = expression, a line each; what is itself is not told."""
    shown = [(latex(s), latex(sp.sympify(e)), f"{s} = {plain(sp.sympify(e))}") for s, e in change]
    return tuple(Line(f"{left} = {right}", text) for left, right, text in shown if left != right)
