"""Why a chain is unstable: a condition that fails at its numbers, and to where it is stable instead.

What is said of a range is seen in numbers: the growth of a step is measured on a grid of the
parameter's values, six powers of ten to both sides, and an end of the range is where it crosses one.
A formula is shown for an end only where it has the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sgtheory.declare import MatrixName
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.stability import bound_of, stability
from sgtheory.notation.printing import plain
from sgtheory.numbers import multiplicative
from sgtheory.numbers.changed import changed
from sgtheory.numbers.lawrecord import Blocks, NumericLaw
from sgtheory.numbers.modes import growth, modes_of, period_of, table_of
from sgtheory.onestep.affine import LAMBDA, ModeForm, has_spread, mode_form
from sgtheory.onestep.full import Array
from sgtheory.problem import Problem, Values
from sgtheory.setting import Setting

_DECADES = 6  # to both sides of the value
_GRID = np.arange(-4 * _DECADES, 4 * _DECADES + 1) / 4
_ROUNDING = 1e-12  # a growth that is nearer to one says nothing
_SAME = 1e-6  # relative, of an end in numbers and as a formula: what 40 halvings leave, and rounding
_PHASES = 1000  # of a period that is followed along the grid
_LARGE = 64  # dimensions times phases, of second moments on real minibatches
_LONGEST = 120  # characters of a condition that is shown


@dataclass(frozen=True)
class Why:
    """Why a chain is unstable, in words, and what to do about it (empty where no step is known)."""

    words: str
    remedy: str = ""


def explained(found: NumericLaw, setting: Setting, problem: Problem, values: Values) -> NumericLaw:
    """A law that says why there is no stationary one; a stable law as it is."""
    if found.stable:
        return found
    why = _Line(setting, problem, values, found.time).why()
    covariance = found.covariance if found.at is not None else Blocks({}, why.words)
    return replace(found, unstable_because=why.words, remedy=why.remedy, covariance=covariance)


@dataclass(frozen=True)
class _Range:
    """Values of a parameter that are stable; an end is None where it is that of the grid."""

    low: float | None
    high: float | None

    def words(self, name: str) -> str:
        """Such as ``0.1 < eps < 2``."""
        low = "" if self.low is None else f"{self.low:.6g} < "
        high = "" if self.high is None else f" < {self.high:.6g}"
        return f"{name} > {self.low:.6g}" if not high and self.low is not None else f"{low}{name}{high}"


@dataclass(frozen=True)
class _Line:
    """A chain on a problem, seen along one parameter with the others as they are."""

    setting: Setting
    problem: Problem
    values: Values
    time: str

    def why(self) -> Why:
        """The condition that fails, and where the step, or else another parameter, is stable."""
        sampler = self.setting.sampler
        rate = self.growth(self.values)
        if abs(rate - 1) < _ROUNDING:
            return Why(f"{sampler.name} is too near the edge of stability for floats")
        step = sampler.step.name
        failing = _failing(self.form, self.values, self.eigenvalues) if self._has_conditions else []
        if self._is_long or step not in self.values.scalars:  # a step may be a number of the declaration
            return Why(self._fails(failing, rate))
        now = float(self.values.scalars[step])
        near, low, high = self.range_of(step)
        if near is not None:
            less = "take a smaller step" if near.high is not None and now > near.high else ""
            more = f"take a larger {step}" if near.low is not None and now < near.low else ""
            printed = self._printed(failing, near)
            if printed:
                return Why(f"{sampler.name} needs {printed}; {step} is {now:.6g}", less)
            rest = (
                f"it is stable for {near.words(step)} with the others as they are; {step} is {now:.6g}"
            )
            return Why(f"{self._fails(failing, rate)}; {rest}", less or more)
        rest = f"no value of {step} from {low:.3g} to {high:.3g} is stable with the others as they are"
        other = self._another(step)
        if other is None:
            return Why(f"{self._fails(failing, rate)}; {rest}", "change several parameters")
        name, found = other
        return Why(f"{self._fails(failing, rate)}; {rest}", f"take {found.words(name)}")

    def growth(self, values: Values) -> float:
        """What a step multiplies by in the long run: of states, or of second moments."""
        if has_spread(self.setting):
            return multiplicative.growth(self.setting, values)
        same = values.matrices is self.values.matrices
        eigenvalues = self.eigenvalues if same else modes_of(self.form, values).eigenvalues
        return growth(self.form, table_of(self.form, eigenvalues, values))

    @cached_property
    def form(self) -> ModeForm:
        """One step along a mode."""
        return mode_form(self.setting, self.time)

    @cached_property
    def eigenvalues(self) -> Array:
        """Those of the curvature, or of what the gain makes of it."""
        return modes_of(self.form, self.values).eigenvalues

    def at(self, name: str, value: float) -> Values | None:
        """The numbers with one parameter replaced; None where they are not admitted."""
        try:
            return changed(self.values, self.setting.sampler, self.problem.params, {name: value})
        except UnusableInput:
            return None

    def range_of(self, name: str) -> tuple[_Range | None, float, float]:
        """The stable values that are nearest to a parameter's own; and how far was looked."""
        now = float(self.values.scalars[name])
        grid = [(x, self._stable(name, x)) for x in now * 10.0**_GRID]
        known = [(x, is_stable) for x, is_stable in grid if is_stable is not None]
        low, high = (known[0][0], known[-1][0]) if known else (now, now)
        inside = [k for k, (_, is_stable) in enumerate(known) if is_stable]
        if not inside:
            return None, low, high
        k = min(inside, key=lambda k: abs(np.log(known[k][0] / now)))
        first = last = k
        while first > 0 and known[first - 1][1]:
            first -= 1
        while last < len(known) - 1 and known[last + 1][1]:
            last += 1
        below = self._end(name, known[first][0], known[first - 1][0]) if first else None
        above = self._end(name, known[last][0], known[last + 1][0]) if last < len(known) - 1 else None
        return _Range(below, above), low, high

    def _stable(self, name: str, value: float) -> bool | None:
        excess = self._excess(name, value)
        return None if not abs(excess) > _ROUNDING else excess < 0

    def _excess(self, name: str, value: float) -> float:
        """The growth at another value less one; no number where that is not admitted."""
        values = self.at(name, value)
        try:
            return float("nan") if values is None else self.growth(values) - 1
        except (ArithmeticError, np.linalg.LinAlgError):  # numbers that no float holds
            return float("nan")

    def _end(self, name: str, inside: float, outside: float) -> float:
        """Where the growth crosses one, between a stable value and an unstable one."""
        from scipy.optimize import brentq

        def excess(value: float) -> float:
            found = self._excess(name, value)
            return 1.0 if np.isnan(found) else found

        return float(brentq(excess, inside, outside, xtol=1e-300, rtol=1e-12))

    def _another(self, step: str) -> tuple[str, _Range] | None:
        """Another parameter that has stable values, with the others as they are."""
        for parameter in self.setting.sampler.parameters:
            name = parameter.name
            if isinstance(parameter, MatrixName) or parameter.is_integer or name == step:
                continue
            if self.values.scalars[name] > 0:
                found, _, _ = self.range_of(name)
                if found is not None:
                    return name, found
        return None

    @property
    def _is_long(self) -> bool:
        """Whether a look along the grid would take minutes."""
        phases = period_of(self.form, self.values) or 1
        return phases > _PHASES or (has_spread(self.setting) and self.values.D * phases > _LARGE)

    @property
    def _has_conditions(self) -> bool:
        """Whether polynomial conditions decide: every step alike, noise that does not depend on it."""
        return bool(self.setting.period == 1) and not has_spread(self.setting)

    def _printed(self, failing: list[_Failing], near: _Range) -> str:
        """The end of the range as a formula, where the condition that fails has one of that value."""
        sampler = self.setting.sampler
        if near.low is not None or near.high is None:
            return ""
        for one in failing:
            bound = bound_of(one.condition, sampler.given, sampler.step)
            if bound is None:
                continue
            value = _at(bound, self.values, one.eigenvalue)
            if abs(value - near.high) <= _SAME * value:
                return f"{sampler.step} < {bound} = {value:.6g} ({one.where})"
        return ""

    def _fails(self, failing: list[_Failing], rate: float) -> str:
        name = self.setting.sampler.name
        for one in sorted(failing, key=lambda one: len(plain(one.condition))):
            if len(plain(one.condition)) <= _LONGEST:
                return f"{name} needs {plain(one.condition)} > 0; it is {one.value:.6g} ({one.where})"
        if has_spread(self.setting):
            return f"{name} is unstable in mean square: second moments grow by {rate:.6g} a step"
        return f"{name} is unstable: its spectral radius is {rate:.6g}"


@dataclass(frozen=True)
class _Failing:
    """A condition of stability that is not positive, at the eigenvalue where it is least."""

    condition: Any
    value: float
    eigenvalue: float
    where: str


def _failing(form: ModeForm, values: Values, eigenvalues: Array) -> list[_Failing]:
    of = "A" if form.gain is None else f"{form.gain}^(1/2) A {form.gain}^(1/2)"
    found = []
    for condition in stability(form).conditions:
        letters = condition.free_symbols
        if not letters or not {s.name for s in letters - {LAMBDA}} <= set(values.scalars):
            continue  # numbers beyond all measure leave letters of the criterion, or none
        least = min(eigenvalues, key=lambda x: _at(condition, values, float(x)))
        value = _at(condition, values, float(least))
        if value <= 0:
            which = "the largest" if least == eigenvalues.max() else "an"
            where = f"lambda = {least:.6g}, {which} eigenvalue of {of}"
            found.append(_Failing(condition, value, float(least), where))
    return found


def _at(expr: Any, values: Values, eigenvalue: float) -> float:
    known: Mapping[Any, Any] = {s: values.scalars[s.name] for s in expr.free_symbols - {LAMBDA}}
    return float(expr.subs({s: float(x) for s, x in known.items()}).subs(LAMBDA, eigenvalue))
