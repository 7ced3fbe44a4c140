"""An arm of the search: one sampler with one preconditioner, its numbers still to be chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.advice.budget import Budget
from sgtheory.advice.caring import Care, Error
from sgtheory.advice.posed import Posed, Truth
from sgtheory.advice.records import Option
from sgtheory.advice.thinned import Thinned
from sgtheory.datamodels.keeping import but
from sgtheory.declare import MatrixName, Sampler
from sgtheory.declaring.cost import gradients_per_step
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.language import S
from sgtheory.numbers.changed import changed
from sgtheory.numbers.extrapolated import RUNS, Extrapolated, Run
from sgtheory.numbers.frame import Frame
from sgtheory.numbers.modes import growth, table_of
from sgtheory.numbers.runs import Chain, Schedule
from sgtheory.onestep.affine import ModeForm, is_affine, mode_form
from sgtheory.onestep.full import Array, scalar
from sgtheory.problem import Values
from sgtheory.reader import reading
from sgtheory.setting import Setting

GAINS = ("", "diagonal gain", "full gain")
_FEWEST = 8  # steps of a run
_BURNT = (0.0, 0.03, 0.15, 0.4)  # shares of a run
_FINER = (0.0, 0.001, 0.003, 0.006, 0.01, 0.015, *np.arange(0.02, 0.6, 0.02))
_FEW = 16  # dimensions in which a search sees exact laws
_LOST = 1.05  # by which an error has grown when it no longer falls
_REACH = 40  # doublings of a step, up and down, in which its limit is sought


@dataclass(frozen=True, eq=False)
class Arm:
    """A sampler on a problem with the numbers that are free; places are their logarithms."""

    posed: Posed
    care: Care
    budget: Budget
    sampler: Sampler
    gain: str
    free: tuple[str, ...]
    given: Mapping[str, Any]  # parameters that are not searched
    keep: int | None = None  # how many states a run may keep
    extrapolated: bool = False  # from two runs, the second with half the step

    @cached_property
    def setting(self) -> Setting:
        """The sampler on the exact problem's model."""
        return Setting(self.sampler, self.posed.problem.model)

    @cached_property
    def values(self) -> Values:
        """Numbers of which those that are free are still to be replaced."""
        sizes = {"S": Fraction(1)} | dict(self.posed.problem.sizes)
        problem = but(self.posed.started(self.posed.problem), params={}, sizes=sizes)
        unit = {name: Fraction(1, 2) for name in self.free if name != "S"}
        return but(problem, params=MappingProxyType(unit | dict(self.given))).values(self.sampler)

    def but(self, **changes: Any) -> Arm:
        """The arm with another budget, or extrapolated; what was found of it stays."""
        found = replace(self, **changes)
        kept = ("setting", "values", "form", "frame", "thinned", "gradients")
        vars(found).update({name: x for name, x in vars(self).items() if name in kept})
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The numbers that can be chosen, also those that are given."""
        batch = ("S",) if S in self.gradients.free_symbols else ()
        return (self.sampler.step.name, *_shares(self.sampler), *batch)

    @cached_property
    def form(self) -> ModeForm:
        """One step along a mode."""
        return mode_form(self.setting)

    @cached_property
    def frame(self) -> Frame:
        """What is the same at all places."""
        found = Frame.of(self.setting, self.values)
        found.coarse  # noqa: B018  # its table is made once
        return found

    @cached_property
    def eigenvalues(self) -> Array:
        """Those of the curvature, or of what the gain makes of it."""
        return self.frame.first.eigenvalues

    def numbers(self, place: Array) -> dict[str, Fraction]:
        """The free numbers at a place: whole if they count examples, at most 1 if they are shares."""
        found = {}
        for name, log in zip(self.free, place, strict=True):
            value = float(np.exp(np.clip(log, -300, 300)))
            if name == "S":
                found[name] = Fraction(int(min(max(round(value), 1), self.posed.N)))
            elif name == self.sampler.step.name:
                found[name] = Fraction(value)
            else:
                found[name] = Fraction(min(value, 1.0))
        return found

    def at(self, numbers: Mapping[str, Fraction]) -> Values:
        """All numbers, with those that are free replaced."""
        return changed(self.values, self.sampler, self.given, numbers)

    def limit(self, numbers: Mapping[str, Fraction]) -> float:
        """The largest step at which the mean settles, the other numbers being as they are."""
        name, low, high = self.sampler.step.name, -float(_REACH), float(_REACH)
        grid = np.arange(-_REACH, _REACH + 1, 4)
        stable = [x for x in grid if self._settles({**numbers, name: Fraction(2.0**x)})]
        if not stable:
            return 0.0
        low, high = float(stable[-1]), float(stable[-1] + 4)
        for _ in range(8):
            middle = (low + high) / 2
            if self._settles({**numbers, name: Fraction(2.0**middle)}):
                low = middle
            else:
                high = middle
        return float(2.0**low)

    def _settles(self, numbers: Mapping[str, Fraction]) -> bool:
        try:
            return growth(self.form, table_of(self.form, self.eigenvalues, self.at(numbers))) < 1
        except (UnusableInput, ArithmeticError, np.linalg.LinAlgError):
            return False

    @cached_property
    def thinned(self) -> Thinned | None:
        """The question as a search sees it, where there are many dimensions."""
        return Thinned.of(self.frame.first, self.care, self.posed.truth)

    @property
    def searched_exactly(self) -> bool:
        """Whether a search sees exact laws: in few dimensions these cost as little as rough ones."""
        return self.thinned is None and (self.posed.asked.D <= _FEW or not self.has_table)

    @property
    def has_table(self) -> bool:
        """Whether a search can take the noise of the examples' curvatures from a table."""
        return self.frame.coarse.table is not None

    def chain(self, values: Values, follow: bool = False, roughly: bool = False) -> Run | None:
        """The chain at its numbers, or two; None where it does not settle."""
        roughly = roughly and not self.searched_exactly
        return self._made(values, follow, roughly)

    def _made(self, values: Values, follow: bool, roughly: bool, places: Any = None) -> Run | None:
        try:
            with np.errstate(all="ignore"):
                how = (follow, roughly, self.frame, places)
                chain = Chain.of(self.setting, values, *how)
                if not self.extrapolated:
                    return chain
                step = self.sampler.step.name
                half = changed(values, self.sampler, self.given, {step: values.scalars[step] / 2})
                return Extrapolated(chain, Chain.of(self.setting, half, *how))
        except (Unstable, UnusableInput, ArithmeticError, np.linalg.LinAlgError):
            return None

    def length(self, values: Values) -> int:
        """How many steps the budget pays for; of two runs, those of the first."""
        return self.budget.steps(self.cost(values)) // (RUNS if self.extrapolated else 1)

    def cost(self, values: Values) -> float:
        """The examples that a step meets."""
        return float(scalar(self.gradients, values))

    @cached_property
    def gradients(self) -> Any:
        """The same as a formula."""
        return gradients_per_step(self.sampler)

    def tried(
        self, numbers: Mapping[str, Fraction], final: bool = False
    ) -> tuple[Error, Schedule, Run] | None:
        """The smallest error over burn-ins; if it is final, with exact noise from the start."""
        try:
            values = self.at(numbers)
        except UnusableInput:
            return None
        steps = self.length(values)
        if steps < _FEWEST:
            return None
        thinned, chain = self.thinned, None
        if thinned is not None:
            seen = self._made(values, False, True, thinned.places)
            care, truth = thinned.care, thinned.truth
        else:
            chain = self.chain(values, follow=final, roughly=not final)
            seen, care, truth = chain and chain.quick, self.care, self.posed.truth
        if seen is None:
            return None
        with np.errstate(all="ignore"):
            found = self._best_of(seen, care, truth, self._schedules(steps, _FINER if final else _BURNT))
            error, schedule = min(found, key=lambda pair: pair[0].value)
            if final:
                chain = chain or self.chain(values, follow=True)
                if chain is None:
                    return None
                error = self.care.error(chain, schedule, self.posed.truth)
        return (error, schedule, chain or seen) if np.isfinite(error.value) else None

    def _best_of(
        self, chain: Run, care: Care, truth: Truth, schedules: Iterator[Schedule]
    ) -> list[tuple[Error, Schedule]]:
        """Longer and longer burn-ins, until what they cost has been more than what they take away."""
        found: list[tuple[Error, Schedule]] = []
        for schedule in schedules:
            found.append((care.error(chain, schedule, truth), schedule))
            if len(found) > 1 and found[-1][0].value > _LOST * min(e.value for e, _ in found):
                break
        return found

    def _schedules(self, steps: int, shares: tuple[float, ...]) -> Iterator[Schedule]:
        if self.care.of_last_state:
            yield Schedule(steps - 1, 1)
            return
        for burnt in sorted({int(share * steps) for share in shares}):
            left = steps - burnt
            keep = None if self.keep is None else self.keep // (RUNS if self.extrapolated else 1)
            every = 1 if keep is None else -(-left // max(keep, 1))
            yield Schedule(burnt, left // every, every)

    def option(self, numbers: Mapping[str, Fraction], found: tuple[Error, Schedule, Run]) -> Option:
        """The option at some numbers, from what was found by trying them exactly."""
        error, schedule, chain = found
        values = self.at(numbers)
        problem = self.posed.started(self.posed.asked)
        params = {name: x for name, x in numbers.items() if name != "S"}
        sizes = {**problem.sizes, "S": numbers.get("S", values.scalars["S"])}
        matrices = {p.name: values.matrices[p.name] for p in self.sampler.parameters if _is_gain(p)}
        all_params = MappingProxyType({**self.given, **matrices, **params})
        return Option(
            sampler=self.sampler.name,
            gain=self.gain,
            params={name: _short(values.scalars[name]) for name in self.names},
            schedule=schedule,
            passes=schedule.steps
            * (RUNS if self.extrapolated else 1)
            * self.cost(values)
            / self.posed.N,
            error=error,
            setting=Setting(self.sampler, problem.model),
            problem=but(problem, sizes=MappingProxyType(sizes), params=all_params),
            chain=chain,
        )


def _short(x: Fraction) -> int | float:
    return int(x) if x.denominator == 1 else float(x)


def _shares(sampler: Sampler) -> list[str]:
    """The parameters that a sampler declares to be at most 1."""
    return [g.lts.name for g in sampler.given if getattr(g, "gts", None) == 1 and g.lts.is_Symbol]


def _is_gain(parameter: Any) -> bool:
    return isinstance(parameter, MatrixName)


def arms_of(
    name: str, posed: Posed, care: Care, budget: Budget, fixed: Mapping[str, Any], keep: int | None
) -> list[Arm]:
    """The arms of a sampler: one for each preconditioner that it can have."""
    sampler = registry.sampler(name, fixed)
    _check(sampler, posed)
    given = {k: x for k, x in fixed.items() if k in reading.letters(sampler)}
    free = [sampler.step.name, *_shares(sampler)]
    if S in gradients_per_step(sampler).free_symbols:
        free.append("S")
    known = {*fixed, *(sampler.step.name for letter, _ in sampler.aliases if letter in fixed)}
    free = [n for n in free if n not in known]
    if "S" in fixed:
        size = reading.sizes({"S": fixed["S"]}, {}, posed.problem.model)["S"]
        sizes = MappingProxyType({**posed.problem.sizes, "S": size})
        posed = replace(posed, problem=but(posed.problem, sizes=sizes))
    own = {p.name for p in sampler.parameters if not _is_gain(p) and sampler.default(p) is None}
    letters = {p.name: p for p in sampler.parameters}  # gamma is a letter here, and no function
    other = {
        str(s)
        for letter, told in sampler.aliases
        if letter in fixed
        for s in sp.sympify(told, locals=letters).free_symbols
    }
    for missing in sorted(own - {*free, *known, *other}):
        got, remedy = "none, and it is not searched", f"fix it: --fix {missing}=NUMBER"
        raise UnusableInput(f"{missing} for {name}", got, remedy)
    matrices = [p for p in sampler.parameters if _is_gain(p) and p.name not in fixed]
    if any(sampler.default(p) != "identity" and not hasattr(p, "diagonal_only") for p in matrices):
        names = ", ".join(p.name for p in matrices)
        raise UnusableInput(f"{names} for {name}", "none", f"fix it, or leave {name} out")
    gains = GAINS if matrices else GAINS[:1]
    made = []
    for gain in gains:
        more = {p.name: _gain(gain, posed.curvature) for p in matrices if gain}
        made.append(Arm(posed, care, budget, sampler, gain, tuple(free), {**given, **more}, keep))
    return made


def _gain(kind: str, curvature: Array) -> Any:
    """The inverse of the curvature, or of its diagonal."""
    inverse = np.diag(1 / np.diag(curvature)) if kind == GAINS[1] else np.linalg.inv(curvature)
    inverse = (inverse + inverse.T) / 2
    return tuple(tuple(Fraction(float(x)) for x in line) for line in inverse)


def _check(sampler: Sampler, posed: Posed) -> None:
    setting = Setting(sampler, posed.problem.model)
    if not is_affine(setting) or setting.period != 1 or setting.reshuffled:
        raise UnusableInput(
            "samplers whose steps are linear and all alike",
            f"{sampler.name}, whose error has no formula here",
            "leave it out; simulate runs it",
        )
