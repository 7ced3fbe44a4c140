"""An integrator has a weak order: the error of one step against the semigroup of its equation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Self

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Result
from sgtheory.derivation import Step as Told
from sgtheory.dynamics.coefficients import coefficients
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.halfpowers import Inconsistent
from sgtheory.dynamics.letters import Letters
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly, Taylor
from sgtheory.dynamics.walking import LOSS, NoRule, walk
from sgtheory.dynamics.weak import Operator, Random, error_operators, shown_operator
from sgtheory.errors import UnusableInput
from sgtheory.language import Gradient
from sgtheory.printing import latex, plain
from verification.claims.base import Proof
from verification.claims.formal import Formal, Line, kind_of, symbols_in, values_of
from verification.claims.functions import (
    confines,
    functions_in,
    is_potential,
    letters_of,
    polynomials,
    positive_at,
    put_in,
    written,
)
from verification.claims.invariance import process_lines
from verification.refuter.places import Place, Space
from verification.refuter.search import Failure, Look, Sides
from verification.refuter.weakscript import order_script
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample, Evidence, Finding

_HIGHEST = 5  # order that is looked for
_DIGITS = 60  # of roots and exponentials in the exact route
_SIZES = (Fraction(1, 4**10), Fraction(1, 4**11))  # of the step, with rational roots
_NOTHING = Fraction(1, 10**45)
REFUSED = (UnusableInput, NoRule)  # steps that the expansion does not take
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
            known = Exactly(values_of(self.parameters, place), chosen, _DIGITS)
            slope, f = self.slope(place, known)
            return Sides(
                f"{slope:.3f} for f = {plain(f)}", str(self.order + 1), slope > self.order + 0.5
            )

        return at

    def slope(self, place: Place, known: Exactly) -> tuple[float, Any]:
        """The smallest slope over a few polynomials f."""
        tests = _tests(self.process.state)
        errors = [self._errors(h, place, known, tests) for h in _SIZES]
        slopes = []
        for f, first, second in zip(tests, *errors, strict=True):
            if abs(second) <= _NOTHING:
                continue
            slopes.append((math.log(abs(first / second)) / math.log(4) if first else 0.0, f))
        return min(slopes, key=lambda s: round(s[0], 2), default=(math.inf, tests[0]))

    def _errors(self, h: Fraction, place: Place, known: Exactly, tests: list[Any]) -> list[Fraction]:
        """E f(X_h) less the expansion of the semigroup, for every f, as rational numbers."""
        start = {s: place.scalars[s.name] for s in self.process.state}
        total = [Fraction(0)] * len(tests)
        for weight, step in self.steps:
            size = len(step.noises)
            drawn = {w: Taylor.variable(k, Fraction(0), size, None) for k, w in enumerate(step.noises)}
            after = step.run(known.but({**drawn, self.h: h}), start)
            zero = Taylor({}, size, None)
            local = known.but({s: zero + x for s, x in after.items()})
            for k, f in enumerate(tests):
                total[k] += Fraction(int(weight.p), int(weight.q)) * _mean(zero + walk(f, local))
        expansion = self._semigroup(h, start, known, tests)
        return [x - y for x, y in zip(total, expansion, strict=True)]

    def _semigroup(
        self, h: Fraction, start: Mapping[Any, Fraction], known: Exactly, tests: list[Any]
    ) -> list[Fraction]:
        """sum_k h^k/k! (L^k f)(start), by Taylor series long enough for all derivatives."""
        terms = self.order + 2
        states, n = self.process.state, self.process.dimension
        local = known.but({s: Taylor.variable(k, start[s], n, 2 * terms) for k, s in enumerate(states)})
        zero = Taylor({}, n, 2 * terms)
        drift = [zero + walk(b, local) for b in self.process.ito_drift]
        spread = [[zero + walk(a, local) for a in row] for row in self.process.covariance]
        found = []
        for f in tests:
            g, total, factor = zero + walk(f, local), Fraction(0), Fraction(1)
            for k in range(terms):
                total += factor * g.constant
                g, factor = _generated(g, drift, spread), factor * h / (k + 1)
            found.append(total)
        return found

    def correct(self, time: str) -> Correction | None:
        """The true order."""
        try:
            order, term = self.found
        except REFUSED:
            return None
        if order is None or order >= self.order or order < 0:
            return None
        fixed = replace(self, order=order)
        line = order_line(order)
        words = f"with the first error of one step (h**{order + 1})*({plain(term)})"
        if fixed.find(time).verdict != "proved":
            return None
        return Correction(line.latex(), line.text(), "proved", words, (fixed,))

    def script(self, failure: Failure, time: str) -> str:
        """The slope of the error for the f that shows it."""
        claim = self.resolved
        functions = claim.functions
        chosen = polynomials(functions, failure.place)
        known = Exactly(values_of(claim.parameters, failure.place), chosen, _DIGITS)
        f = claim.slope(failure.place, known)[1]

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
        shown = Equation(Formula(r"\mathbb{E} f(X_h) - e^{hL} f", "E f(X_h) - exp(h L) f"), term)
        power = "" if order is None else f" times h^{order + 1}"
        steps = (Told("One step", f"The first term that is left over,{power}:", (shown,)),)
        return Evidence(
            "symbolic",
            "Power series in the step, for unspecified functions and every smooth f.",
            {"order": "beyond what is looked at" if order is None else order},
            Derivation("Weak expansion", steps, (Result("error", shown),)),
        )


def order_line(order: int) -> Line:
    """The claim itself."""
    return Line(
        rf"\mathbb{{E}} f(X_h) - e^{{hL}} f = O(h^{{{order + 1}}})",
        f"E f(X_h) - exp(h L) f = O(h**{order + 1})",
    )


def _tests(states: tuple[Any, ...]) -> list[Any]:
    """Monomials on which an error shows."""
    degree = {1: 4, 2: 3}.get(len(states), 2)
    exponents = [e for e in product(range(degree + 1), repeat=len(states)) if 0 < sum(e) <= degree]
    ordered = sorted(exponents, key=lambda e: (sum(e), tuple(-k for k in e)))
    return [sp.Mul(*(s**k for s, k in zip(states, e, strict=True))) for e in ordered]


def _generated(g: Taylor, drift: list[Taylor], spread: list[list[Taylor]]) -> Taylor:
    total = Taylor({}, g.size, None if g.order is None else g.order - 2)
    half = Fraction(1, 2)
    for i, b in enumerate(drift):
        first = g.derivative(i)
        total = total + _cut(b, total) * _cut(first, total)
        for j in range(len(drift)):
            if spread[i][j].terms:
                total = total + _cut(spread[i][j], total) * first.derivative(j) * half
    return total


def _cut(x: Taylor, to: Taylor) -> Taylor:
    if to.order is None:
        return x
    return to.like({e: c for e, c in x.terms.items() if sum(e) <= to.order})


def _mean(x: Taylor) -> Fraction:
    """Over standard normal variables."""
    total = Fraction(0)
    for e, c in x.terms.items():
        if all(k % 2 == 0 for k in e):
            total += c * math.prod(math.prod(range(k - 1, 0, -2)) for k in e)
    return total
