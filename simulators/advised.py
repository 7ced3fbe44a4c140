"""A choice that was advised, run many times: is its error what was foretold?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.advice.records import Advice, Beyond
from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.numbers.runs import Schedule
from sgtheory.problem import Problem
from simulators.average import Average, name_of, square_of
from simulators.trace import trace
from simulators.workers import Progress

Array = np.ndarray[Any, Any]

THRESHOLD = 5.0  # standard errors: a right formula is beyond it about once in 10^5 times
_FEWEST = 100


@dataclass(repr=False, frozen=True)
class Checked(Shown):
    """The error of many runs beside the one foretold, and what difference would have been seen."""

    chains: int
    steps: int
    expected: float
    measured: float
    standard_error: float  # of the measured error
    deviation: float  # of the mean square from what was foretold, in its standard errors
    within: float  # the share of single quantities that lie within their 95 % intervals
    within_99: float  # and within those of 99 %
    foretold: tuple[float, float]  # between which numbers the error was said to be
    seed: int
    device: str

    @property
    def agrees(self) -> bool:
        """Whether the two differ by less than the tolerance."""
        return abs(self.deviation) <= THRESHOLD

    @property
    def visible(self) -> float:
        """How far above what was foretold, relatively, an error would have been seen."""
        return THRESHOLD * self.standard_error / self.foretold[1]

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``advise --json``."""
        names = ("chains", "steps", "expected", "measured", "standard_error", "deviation")
        shares = ("within", "within_99", "seed", "device")
        found = {name: getattr(self, name) for name in (*names, *shares)}
        return {
            **found,
            "foretold": list(self.foretold),
            "threshold": THRESHOLD,
            "visible": self.visible,
            "agrees": self.agrees,
        }


def check(
    advice: Advice,
    *,
    chains: int = 1000,
    seed: int = 1,
    device: str = "auto",
    progress: Progress | None = None,
) -> Checked:
    """Run the advised chain, with its start, burn-in, length and averaging, and measure its error.

    Of a model that is not quadratic the model itself is run, and held against what is foretold for it:
    the error with what a run meets, give or take its difference from the one at the mode.

    >>> from sgtheory.advice import advise
    >>> problem = {"hessian": [[2, 0], [0, 1]], "noise": [[1, 0], [0, 1]], "N": 1000}
    >>> check(advise(problem, passes=10, samplers=["sgld"]), chains=400).agrees
    True
    """
    if isinstance(chains, bool) or not isinstance(chains, int) or chains < _FEWEST:
        raise UnusableInput(
            f"at least {_FEWEST} chains", repr(chains), "an error of few runs says little"
        )
    care, best, truth = advice.care, advice.best, advice.truth
    seen: dict[str, Array] = {}
    device_used = ""
    for number, (factor, problem, schedule) in enumerate(best.runs):
        one, device_used = _seen(advice, problem, schedule, chains, seed + number, device, progress)
        seen = {name: seen.get(name, 0) + factor * x for name, x in one.items()}
    each = care.deviations(best.chain, best.schedule, truth, seen) ** 2
    bias, variance = care.parts(best.chain, best.schedule, truth)
    exact = bias**2 + variance
    foretold = advice.beyond or Beyond(exact, exact)
    return _compared(each, foretold, best.steps, seed, device_used)


def _seen(
    advice: Advice,
    problem: Problem,
    schedule: Schedule,
    chains: int,
    seed: int,
    device: str,
    progress: Progress | None,
) -> tuple[dict[str, Array], str]:
    """Of every run the mean from the mode, the variance and the mean square; and where they were run."""
    care, setting = advice.care, advice.best.setting
    since = schedule.burn_in + schedule.every
    found = trace(
        setting,
        problem.values(setting.sampler),
        chains=chains,
        steps=schedule.steps,
        every=schedule.steps,
        seed=seed,
        device=device,
        average=None if care.of_last_state else Average(since, every=schedule.every, squares=True),
        progress=progress,
    )
    last = {name: states[:, -1].astype(float) for name, states in found.states.items()}
    means = last["theta" if care.of_last_state else name_of("theta")]
    squares = means**2 if care.of_last_state else last[square_of("theta")]
    variance, away = squares - means**2, means - care.centre
    return {"mean": away, "variance": variance, "squares": variance + away**2}, found.provenance[
        "device"
    ]


def _compared(each: Array, foretold: Beyond, steps: int, seed: int, device: str) -> Checked:
    """The squared deviations of runs, in rows, beside their means as they were foretold."""
    chains, whole = len(each), each.mean(axis=1)
    if not np.isfinite(whole).all():
        raise UnusableInput("chains that stay finite", "one that does not", "take a smaller step")
    error = whole.std(ddof=1) / np.sqrt(chains)
    measured, (least, most) = np.sqrt(whole.mean()), foretold.within
    apart = np.abs(each.mean(axis=0) - foretold.met) - foretold.off
    single = apart / (each.std(axis=0, ddof=1) / np.sqrt(chains))
    beside = whole.mean() - np.clip(whole.mean(), least**2, most**2)
    return Checked(
        chains=chains,
        steps=steps,
        expected=foretold.error,
        measured=float(measured),
        standard_error=float(error / (2 * measured)),
        deviation=float(beside / error),
        within=float(np.mean(single < 1.96)),
        within_99=float(np.mean(single < 2.576)),
        foretold=(least, most),
        seed=seed,
        device=device,
    )
