"""An integrator has a weak order: the error of one step against the semigroup of its equation."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.derivation import Derivation, Result
from sgtheory.derivation import Step as Told
from sgtheory.dynamics.coefficients import coefficients
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.halfpowers import Inconsistent
from sgtheory.dynamics.letters import Letters
from sgtheory.dynamics.limit import limit
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly
from sgtheory.dynamics.walking import LOSS, NoRule
from sgtheory.dynamics.weak import Operator, Random, error_operators, shown_operator
from sgtheory.errors import UnusableInput
from sgtheory.language import Gradient
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.formal import Formal, kind_of, leading_error, order_line, symbols_in, values_of
from verification.claims.slopes import FINE, OneStep, noised
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides, seen
from verification.refuter.weakscript import order_script
from verification.relations.preserves import process_lines
from verification.terms.printing import Line
from verification.theories.operators.polynomials import (
    confines,
    functions_in,
    is_potential,
    letters_of,
    polynomials,
    positive_at,
    put_in,
    written,
)
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding, differ

_HIGHEST = 5  # order that is looked for
_DIGITS = 80  # of exponentials, and of roots beside them, in the exact route
REFUSED = (UnusableInput, NoRule)  # steps that the expansion does not take
_DRAWN = 40  # random places, until one says something
_AGREE = 1e-6  # what is neglected is of order h^2, and h about 1e-24
_X = sp.Symbol("x", real=True)


@dataclass(frozen=True, kw_only=True)
class WeakOrder(Formal):
    """``step`` has weak order ``order`` for ``process``; its step size is the symbol ``h``.

    The error of one step, E f(X_h) - (e^(hL) f)(x), is of order h^(order + 1) for every smooth f.
    Several steps with probabilities are a step drawn at random.
    """

    process: Diffusion
    step: Step | Random
    h: Any
    order: int

    @property
    def steps(self) -> Random:
        """The steps with their probabilities."""
        return ((sp.Integer(1), self.step),) if isinstance(self.step, Step) else self.step

    @property
    def expressions(self) -> tuple[Any, ...]:
        """All formulas."""
        rows = self.process.noise
        updates = (e for _, step in self.steps for _, e in step.updates)
        return (*self.process.drift, *(e for row in rows for e in row), *updates)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """What is neither state nor noise, local or step."""
        drawn = {w for _, step in self.steps for w in step.noises}
        printed = symbols_in((*self.process.drift, *(e for row in self.process.noise for e in row)))
        own = {*printed, *(s for _, step in self.steps for s in step.parameters)}
        own -= {self.h, *self.process.state, *drawn}
        return tuple(sorted(own, key=lambda s: s.name))

    @property
    def necessity_looks(self) -> int:
        """A place takes a few milliseconds here."""
        return 40

    @property
    def functions(self) -> dict[str, Any]:
        """Unspecified functions; a gradient of the declaration language is one of the mean loss."""
        found = functions_in(self.expressions)
        if any(e.has(Gradient) for e in self.expressions):
            found.setdefault(LOSS, sp.Function(LOSS)(self.process.state[0]))
        return found

    def lines(self) -> tuple[Line, ...]:
        """The equation, the updates, the order."""
        shown = list(process_lines(self.process))
        for weight, step in self.steps:
            for target, expr in step.updates:
                chance = "" if weight == 1 else f" with probability {weight}"
                in_words = rf" \quad \text{{{chance}}}" if chance else ""
                shown.append(
                    Line(
                        rf"{latex(target)} \leftarrow {latex(expr)}{in_words}",
                        f"{target} <- {plain(expr)}{chance}",
                    )
                )
        return (*shown, order_line(self.order))

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced everywhere."""
        process = replace(
            self.process,
            drift=tuple(b.subs(values) for b in self.process.drift),
            noise=tuple(tuple(e.subs(values) for e in row) for row in self.process.noise),
        )
        steps = tuple((w, step.put(values)) for w, step in self.steps)
        return replace(self, process=process, step=steps)

    def space(self) -> Space:
        """The start, the parameters, and the coefficients of polynomials for the functions."""
        scalars = {s.name: kind_of(s) for s in self.parameters} | letters_of(self.functions)
        return Space({}, {**scalars, **{s.name: "real" for s in self.process.state}})

    @cached_property
    def expansion(self) -> tuple[Letters, list[Operator]]:
        """The error of one step up to the power that the order needs to vanish."""
        return error_operators(self.process, self.steps, self.h, self.order + 1)

    @cached_property
    def found(self) -> tuple[int | None, Any]:
        """The order, and the first term of the error on f; None where it is beyond what is looked at."""
        try:
            letters, errors = self.expansion
        except Inconsistent:
            return -1, sp.Integer(0)
        for k, operator in enumerate(errors):
            if operator:
                return k - 1, sp.expand(shown_operator(letters, operator))
        for order in range(self.order + 2, _HIGHEST + 1):
            letters, errors = error_operators(self.process, self.steps, self.h, order)
            if errors[order]:
                return order - 1, sp.expand(shown_operator(letters, errors[order]))
        return None, sp.Integer(0)

    def equations(self, time: str) -> tuple[Any, ...]:
        """The coefficients of all errors up to h^order."""
        try:
            if self.found[0] == -1:
                return ()
        except REFUSED:
            return ()
        letters, errors = self.expansion
        found: list[Any] = []
        for operator in errors[: self.order + 1]:
            if operator:
                f = sp.expand(shown_operator(letters, operator))
                found += [c for c in coefficients(f, self.process.state) if c not in found]
        return tuple(found)

    def prove_freely(self, time: str) -> Proof:
        """Formal power series in the step, for unspecified functions."""
        try:
            order, term = self.found
        except REFUSED as refused:
            return Proof(None, f"The expansion takes no such step: {refused}.")
        if order is None:
            return Proof(True, f"No error is left up to h^{_HIGHEST}.", (self._told(),))
        if order < 0:
            return Proof(False, "The step does not go over into the start as its size vanishes.")
        first = f"(h**{order + 1})*({plain(term)})"
        if order >= self.order:
            more = "" if order == self.order else f" It is in fact of order {order}."
            return Proof(True, f"The first error of one step is {first}.{more}", (self._told(),))
        return Proof(
            False, f"It is of order {order}: the first error of one step is {first}.", (self._told(),)
        )

    def look_freely(self, time: str) -> Look:
        """The slope of the error of one step at an exact start, for the f where it is smallest."""
        functions = self.functions
        potentials = [n for n in functions if n == LOSS or is_potential(n, self.expressions)]

        def at(place: Place) -> Sides | None:
            chosen = polynomials(functions, place)
            for name, f in functions.items():
                point = [place.scalars.get(getattr(a, "name", ""), Fraction(0)) for a in f.args]
                confined = name not in potentials or confines(chosen[name], len(f.args))
                if not (confined and positive_at(f, chosen[name], point)):
                    return None
            known = Exactly(values_of(self.parameters, place), chosen, self.digits)
            slope, f = self.numbers.slope(place, known)
            return Sides(
                f"{slope:.3f} for f = {plain(f)}", str(self.order + 1), slope > self.order + 0.5
            )

        return at

    @property
    def digits(self) -> int | None:
        """Of approximate numbers; none are needed without exponentials, for roots are exact."""
        return _DIGITS if any(e.has(sp.exp) for e in self.expressions) else None

    @property
    def numbers(self) -> OneStep:
        """The exact route."""
        return OneStep(self.process, self.steps, self.h, self.order)

    def tested(self, time: str, expected: bool | None = None) -> Evidence:
        """The slopes at random places, and the first term of the error against what is left there."""
        evidence = super().tested(time, expected)
        statement = self.resolved
        try:
            order, term = statement.found
        except REFUSED:
            return evidence
        if order is None or order < 0 or order > self.order:
            return evidence
        compared = statement.compared(order, term)
        words = f"{evidence.words} The first term of the error was compared {compared} times."
        return replace(evidence, words=words, data={**evidence.data, "terms": compared})

    def compared(self, order: int, term: Any) -> int:
        """At how many pairs of a place and an f the first term is what exact numbers extrapolate to."""
        source, look, count = random.Random(self.id), self.look_freely(self.time), 0
        sizes, digits = FINE
        tests, f = self.numbers.tests, sp.Function("f")(*self.process.state)
        for place in (self.space().random(source) for _ in range(_DRAWN)):
            if count or seen(look, place) is None:
                continue
            chosen = polynomials(self.functions, place)
            values = {s: sp.Rational(x.numerator, x.denominator) for s, x in self._values(place).items()}
            known = Exactly(values_of(self.parameters, place), chosen, self.digits and digits)
            errors = [self.numbers.errors(h, place, known) for h in sizes]
            for test, first, second in zip(tests, *errors, strict=True):
                far, near = (e / h ** (order + 1) for e, h in zip((first, second), sizes, strict=True))
                found = float((4 * near - far) / 3)
                applied = put_in(term.subs(f, test).doit(), self.functions, chosen)
                said = float(applied.subs(values))
                if abs(found - said) > _AGREE * (1 + abs(said)):
                    error = f"the first error on {test} is {said!r}"
                    raise differ(self.id, "the expansion", error, "numbers", f"it is {found!r}")
                count += 1
        return count

    def _values(self, place: Place) -> dict[Any, Fraction]:
        return values_of((*self.process.state, *self.parameters), place)

    def correct(self, time: str) -> Correction | None:
        """The true order; of a step for another equation, the noise it lacks, or that equation."""
        try:
            order, term = self.found
            if order is None or order >= self.order:
                return None
            other = self._with_noise(time) or self._of_the_step(time) if order < 1 else None
        except REFUSED:
            return None
        if other is not None or order < 0:
            return other
        fixed = replace(self, order=order)
        line = order_line(order)
        words = f"with the first error of one step (h**{order + 1})*({plain(term)})"
        if fixed.find(time).verdict != "proved":
            return None
        return Correction(line.latex(), line.text(), "proved", words, (fixed,))

    def _of_the_step(self, time: str) -> Correction | None:
        """The equation that the step does solve."""
        if not isinstance(self.step, Step):
            return None
        try:
            solved = _with_functions(limit(self.step, self.h), self.functions)
            fixed = replace(self, process=solved, order=1)
        except (*REFUSED, Inconsistent):
            return None
        if fixed.find(time).verdict != "proved":
            return None
        shown = (*process_lines(fixed.process), order_line(1))
        return Correction(
            r" \qquad ".join(line.latex() for line in shown),
            "; ".join(line.text() for line in shown),
            "proved",
            "the equation that this step solves",
            (fixed,),
        )

    def _with_noise(self, time: str) -> Correction | None:
        """The same step with sqrt(h) times the equation's own noise, and the order that it has then."""
        found = noised(self.process, self.step, self.h)
        if found is None:
            return None
        step, changed = found
        fixed = replace(self, step=step)
        order, _ = fixed.found
        if order is not None and order < 1:
            return None
        fixed = replace(fixed, order=self.order if order is None else min(order, self.order))
        if fixed.find(time).verdict != "proved":
            return None
        shown = [Line(rf"{latex(t)} \leftarrow {latex(e)}", f"{t} <- {plain(e)}") for t, e in changed]
        shown.append(order_line(fixed.order))
        return Correction(
            r" \qquad ".join(line.latex() for line in shown),
            "; ".join(line.text() for line in shown),
            "proved",
            "with the square root of the step size times the noise of the equation",
            (fixed,),
        )

    def script(self, failure: Failure, time: str) -> str:
        """The slope of the error for the f that shows it."""
        claim = self.resolved
        functions = claim.functions
        chosen = polynomials(functions, failure.place)
        known = Exactly(values_of(claim.parameters, failure.place), chosen, claim.digits)
        f = claim.numbers.slope(failure.place, known)[1]

        loss = put_in(sp.Function(LOSS)(_X), functions, chosen) if LOSS in functions else sp.Integer(0)

        def shown(e: Any) -> Any:
            return put_in(e.replace(Gradient, lambda x, _: loss.diff(_X).subs(_X, x)), functions, chosen)

        process = claim.process
        steps = [(w, [(t, shown(e)) for t, e in s.updates], s.noises) for w, s in claim.steps]
        parts = (
            [shown(b) for b in process.ito_drift],
            [[shown(a) for a in row] for row in process.covariance],
        )
        values = values_of((*process.state, *claim.parameters), failure.place)
        return order_script(self.heading, process.state, parts, steps, values, (f, claim.order, claim.h))

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """The functions as polynomials, the start, and the slope."""
        claim = self.resolved
        chosen = polynomials(claim.functions, failure.place)
        shown = {str(f): plain(written(chosen[n], f.args)) for n, f in claim.functions.items()}
        others = values_of((*claim.process.state, *claim.parameters), failure.place)
        return Counterexample(
            {**shown, **{s.name: str(x) for s, x in others.items()}},
            failure.sides.left,
            failure.sides.right,
            "the power of h with which the error of one step goes, and the one that the order needs",
        )

    def corrupted(self, finding: Finding) -> Iterator[tuple[str, Self]]:
        """One update corrupted, or the order one higher."""
        for which, (weight, step) in enumerate(self.steps):
            for k, (target, expr) in enumerate(step.updates):
                for name, wrong in corruptions(sp.expand(expr)):
                    updates = (*step.updates[:k], (target, wrong), *step.updates[k + 1 :])
                    changed = (weight, replace(step, updates=updates))
                    steps = (*self.steps[:which], changed, *self.steps[which + 1 :])
                    yield f"update of {target}: {name}", replace(self, step=steps)
        yield "order one higher", replace(self, order=self.order + 1)

    def _told(self) -> Evidence:
        order, term = self.found
        shown = leading_error(order, term)
        where = "" if str(self.h) == "h" else f", where the step h is {plain(self.h)}"
        words = f"The first term that is left over{where}:"
        steps = (Told("One step", words, (shown,)),)
        return Evidence(
            "symbolic",
            "Power series in the step, for unspecified functions and every smooth f.",
            {"order": "beyond what is looked at" if order is None else order},
            Derivation("Weak expansion", steps, (Result("error", shown),)),
        )


def _with_functions(process: Diffusion, known: Mapping[str, Any]) -> Diffusion:
    """Functions as they were declared, positive where they were; without noises that drive nothing."""

    def declared(e: Any) -> Any:
        return e.replace(
            lambda f: isinstance(f, AppliedUndef) and f.func.__name__ in known,
            lambda f: known[f.func.__name__].func(*f.args),
        )

    driving = [k for k, column in enumerate(zip(*process.noise, strict=True)) if any(column)] or [0]
    noise = tuple(tuple(declared(row[k]) for k in driving) for row in process.noise)
    return replace(process, drift=tuple(map(declared, process.drift)), noise=noise)
