"""A sampler on random problems: a batch is judged, and if some fail, the smallest failure is sought."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sgtheory.problem import Problem
from verification.properties.budget import Demand, of_trial
from verification.properties.experiment import Experiment, derived, held
from verification.properties.holding import Outcome
from verification.statistics import chains_for, detectable
from verification.strategies.drawing import drawn, minimal

_TRIALS = 300  # problems tried in shrinking: more than any shrink here has needed
_CLEARER = 3  # times the chains of the batch, so that shrinking does not lose its way


@dataclass(frozen=True)
class Verdict:
    """A batch: how it was planned, what failed, and the smallest problem that does."""

    outcomes: tuple[Outcome, ...]
    false_alarm: float
    power: float
    seed: int
    minimal: Outcome | None = None
    trials: int = 0  # problems tried in shrinking

    @property
    def failing(self) -> tuple[Outcome, ...]:
        """The problems of the batch that failed."""
        return tuple(o for o in self.outcomes if o.fails)

    @property
    def resolution(self) -> float:
        """The relative error of a variance that would have been seen on any one of the problems."""
        planned = {(o.comparison.chains, o.comparison.threshold) for o in self.outcomes}
        return max(detectable(chains, threshold, self.power) for chains, threshold in planned)


def judge(
    experiment: Experiment, strategy: Any, demand: Demand, *, count: int, seed: int, chains: int | None
) -> Verdict:
    """Draw problems, simulate all, test each; and if some fail, find the smallest that does.

    >>> from verification.strategies import problems
    >>> demand = Demand(false_alarm=1e-6, effect=0.1)
    >>> eight = Experiment("sgd", "sgd", steps=8)
    >>> verdict = judge(eight, problems("sgd"), demand, count=10, seed=1, chains=None)
    >>> len(verdict.outcomes), verdict.failing, verdict.resolution <= 0.1
    (10, (), True)
    """
    assert demand.false_alarm is not None
    batch = drawn(strategy, count, seed)
    half = demand.false_alarm / 2
    rate = half / len(batch)

    def planned(threshold: float) -> int:
        return chains or chains_for(demand.effect, threshold, demand.power)

    outcomes = held(experiment, batch, rate, seed, planned)
    verdict = Verdict(outcomes, demand.false_alarm, demand.power, seed)
    if not verdict.failing:
        return verdict
    search = _Search(experiment, outcomes, half, seed)
    smallest = minimal(strategy, search.fails, count, seed)
    found = search.outcome(smallest) or min(verdict.failing, key=lambda o: _size(o.problem))
    return replace(verdict, minimal=found, trials=search.trials)


def _size(problem: Problem) -> tuple[int, int]:
    return problem.D, len(key(problem))


def key(problem: Problem) -> str:
    """A problem as text, equal for equal problems."""
    return json.dumps(problem.to_json(), sort_keys=True)


class _Search:
    """What is known about problems while Hypothesis shrinks; each new one costs part of the budget."""

    def __init__(
        self, experiment: Experiment, outcomes: Sequence[Outcome], half: float, seed: int
    ) -> None:
        self.experiment, self.half, self.seed = experiment, half, seed
        self.known = {key(o.problem): o for o in outcomes}
        self.trials = 0
        self.chains = _CLEARER * max(o.comparison.chains for o in outcomes)

    def fails(self, problem: Problem) -> bool:
        """Whether a problem fails, by the batch where it was in it, else on chains of its own."""
        name = key(problem)
        if name not in self.known:
            if self.trials >= _TRIALS:
                return False  # which ends the search
            self.trials += 1
            rate = of_trial(self.half, self.trials)
            seed = derived(self.seed, "shrinking", self.trials)
            (self.known[name],) = held(self.experiment, [problem], rate, seed, lambda _: self.chains)
        return self.known[name].fails

    def outcome(self, problem: Problem | None) -> Outcome | None:
        """What was found for a problem."""
        return None if problem is None else self.known[key(problem)]
