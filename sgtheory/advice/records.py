"""What ``advise`` finds: options with their errors, and what surrounds the best of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory.advice.caring import Care, Error
from sgtheory.advice.posed import Truth
from sgtheory.notation.display import Shown
from sgtheory.numbers.extrapolated import COARSE, FINE, Extrapolated, Run
from sgtheory.numbers.runs import Schedule
from sgtheory.onestep.full import Array
from sgtheory.problem import Problem
from sgtheory.setting import Setting


@dataclass(repr=False, frozen=True)
class Option(Shown):
    """A sampler with all its numbers, how long it runs and which of its steps count, and its error."""

    sampler: str
    gain: str  # "" where there is none, or what it is made of
    params: Mapping[str, Any]  # what was chosen: the step and other numbers, and S
    schedule: Schedule
    passes: float  # what the run costs, in passes over the data
    error: Error
    setting: Setting = field(repr=False)
    problem: Problem = field(repr=False)  # with every number of it
    chain: Run = field(repr=False)

    @property
    def name(self) -> str:
        """The sampler, its preconditioner where it has one, and whether two runs are extrapolated."""
        return ", ".join(filter(None, (self.sampler, self.gain, "extrapolated" * self.extrapolated)))

    @property
    def extrapolated(self) -> bool:
        """Whether the answer is extrapolated from this run and one with half the step."""
        return isinstance(self.chain, Extrapolated)

    @property
    def runs(self) -> tuple[tuple[float, Problem, Schedule], ...]:
        """What is run, and the factor with which its averages enter the answer."""
        if not self.extrapolated:
            return ((1.0, self.problem, self.schedule),)
        return (
            (COARSE, self.problem, self.schedule),
            (FINE, self.problem.with_params(**self.finer), self.schedule.finer),
        )

    @property
    def finer(self) -> dict[str, Fraction]:
        """The step of the second run of two."""
        step = self.setting.sampler.step.name
        return {step: Fraction(self.problem.params[step]) / 2}

    @property
    def numbers(self) -> dict[str, Fraction]:
        """What was chosen, exactly."""
        return {name: Fraction(x) for name, x in self.params.items()}

    @property
    def steps(self) -> int:
        """Of all that is run."""
        return sum(schedule.steps for _, _, schedule in self.runs)

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``advise --json``."""
        document: dict[str, Any] = {"sampler": self.sampler}
        if self.gain:
            document["gain"] = self.gain
        schedule = self.schedule
        if self.extrapolated:
            (step,) = self.finer.values()
            document["extrapolated"] = {"step": float(step), "steps": schedule.finer.steps}
        return document | {
            "params": dict(self.params),
            "steps": schedule.steps,
            "burn_in": schedule.burn_in,
            "kept": schedule.kept,
            "every": schedule.every,
            "passes": self.passes,
            "error": self.error.to_json(),
        }


@dataclass(repr=False, frozen=True, eq=False)
class Beyond(Shown):
    """Mean squares of all errors, as the mode's quadratic has them and as the one does that a run meets.

    The true ones are said to be as near to the second as the first are.
    """

    at_mode: Array
    met: Array

    @property
    def off(self) -> Array:
        """By how much each mean square is said to be uncertain."""
        return np.abs(self.met - self.at_mode)

    @property
    def error(self) -> float:
        """With what a run meets."""
        return float(np.sqrt(self.met.mean()))

    @property
    def within(self) -> tuple[float, float]:
        """Between which numbers the error is said to be."""
        met, off = self.met.mean(), self.off.mean()
        return float(np.sqrt(max(met - off, 0.0))), float(np.sqrt(met + off))

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``advise --json``."""
        return {"error": self.error, "within": list(self.within)}


@dataclass(repr=False, frozen=True)
class Misjudged(Shown):
    """The error of the choice where the truth is another by a factor; None where it is unstable."""

    what: str
    factor: float
    error: Error | None

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``advise --json``."""
        error = None if self.error is None else self.error.to_json()
        return {"what": self.what, "factor": self.factor, "error": error}


@dataclass(repr=False, frozen=True)
class Reference(Shown):
    """A method that meets the whole data at every step, told by a rule where it has no exact law."""

    name: str
    error: Error
    rule: str

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``advise --json``."""
        return {"name": self.name, "error": self.error.to_json(), "rule": self.rule}


@dataclass(frozen=True)
class Advice:
    """The best option for a problem and a budget, the others, and how much the choice depends on."""

    care: Care
    truth: Truth
    budget: str
    start: str
    options: tuple[Option, ...]  # the best of every sampler, best first
    references: tuple[Reference, ...]
    pareto: tuple[Option, ...]  # the best option for less and more, by what they cost
    headroom: float  # the largest stable step over the one chosen
    misjudged: tuple[Misjudged, ...]
    beyond: Beyond | None  # of a model that is not quadratic
    notes: tuple[str, ...]
    seconds: float  # that the search took

    @property
    def best(self) -> Option:
        """The option with the smallest error."""
        return self.options[0]

    def __repr__(self) -> str:
        best = self.best
        numbers = ", ".join(f"{k} = {v:g}" for k, v in best.params.items())
        return f"<Advice: {best.name}, {numbers}; error {best.error.value:.3g}>"

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.advice/1."""
        return {
            "schema": "sgtheory.advice/1",
            "care": self.care.words,
            "unit": self.care.unit,
            "budget": self.budget,
            "start": self.start,
            "best": self.best.to_json(),
            "options": [o.to_json() for o in self.options],
            "references": [r.to_json() for r in self.references],
            "pareto": [o.to_json() for o in self.pareto],
            "headroom": self.headroom,
            "misjudged": [m.to_json() for m in self.misjudged],
            **({} if self.beyond is None else {"beyond": self.beyond.to_json()}),
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def _repr_html_(self) -> str:
        from sgtheory.notation.display import table

        rows: dict[str, Any] = {
            o.name: [[k, v] for k, v in o.params.items()] + [["error", o.error.value]]
            for o in self.options
        }
        return table(f"Error of {self.care.words}, {self.care.unit}, for {self.budget}", rows)
