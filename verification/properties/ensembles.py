"""Ensembles of many problems at once, each against its exact law at the step where it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from sgtheory import registry
from sgtheory.affine import has_spread
from sgtheory.declare import Normal
from sgtheory.errors import UnusableInput
from sgtheory.lawrecord import NumericLaw
from sgtheory.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.properties.budget import Demand, of_trial
from verification.properties.holding import Outcome, Target
from verification.statistics import chains_for, detectable
from verification.strategies.drawing import drawn, minimal

_TRIALS = 300  # problems tried in shrinking: more than any shrink here has needed
_CLEARER = 3  # times the chains of the batch, so that shrinking does not lose its way


@dataclass(frozen=True)
class Experiment:
    """What is simulated, and whose exact law it should have.

    ``sampler`` is a declaration or its name, and ``like`` the one whose law is right.
    """

    sampler: Any
    like: Any
    steps: int
    device: str = "auto"

    def law(self, problem: Problem) -> NumericLaw:
        """The exact law at the last step, if it is a Gaussian one."""
        setting = Setting(registry.sampler(self.like, problem.params), problem.model)
        _check_gaussian(setting)
        return law(setting.sampler, problem, at=self.steps)

    def run(self, problems: Sequence[Problem], chains: int, seeds: Sequence[int]) -> Sequence[Any]:
        """An ensemble for each of some problems of one dimension."""
        from simulators.family import simulate_family

        sampler = registry.sampler(self.sampler, problems[0].params)
        setting = Setting(sampler, problems[0].model)
        values = [problem.values(sampler) for problem in problems]
        return simulate_family(
            setting, values, chains=chains, steps=self.steps, seeds=seeds, device=self.device
        )


def _check_gaussian(setting: Setting) -> None:
    noises = (*setting.gradient_noises, *setting.injected_noises)
    if setting.model.nonlinear or has_spread(setting) or not all(isinstance(w, Normal) for w in noises):
        raise UnusableInput(
            "a sampler and a model whose law is Gaussian",
            f"{setting.sampler.name} on {setting.model.name}",
            "use problems of the quadratic model, or test a theorem in exact numbers",
        )


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

    outcomes = _test(experiment, batch, rate, seed, planned)
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


def _test(
    experiment: Experiment,
    problems: Sequence[Problem],
    rate: float,
    seed: int,
    plan: Callable[[float], int],
) -> tuple[Outcome, ...]:
    """Each problem under a false-alarm rate of its own, in families of one dimension and model.

    ``plan`` says how many chains a threshold for single tests asks for.
    """
    targets = [Target.of(experiment.law(p)) for p in problems]
    found: dict[int, Outcome] = {}
    families: dict[Any, list[int]] = {}
    for k, problem in enumerate(problems):
        families.setdefault((problem.D, problem.model, problem.params.get("word")), []).append(k)
    for members in families.values():
        alike = {targets[k].still.tobytes(): targets[k] for k in members}
        chains = plan(min(target.threshold(rate) for target in alike.values()))
        seeds = [derived(seed, "chains", k) for k in members]
        runs = experiment.run([problems[k] for k in members], chains, seeds)
        for k, run in zip(members, runs, strict=True):
            found[k] = targets[k].hold(problems[k], run, rate)
    return tuple(found[k] for k in range(len(problems)))


def derived(seed: int, *words: Any) -> int:
    """A seed from another and some words, 32 bits of a hash.

    >>> derived(1, "chains", 0) == derived(1, "chains", 0) != derived(1, "chains", 1)
    True
    """
    return int.from_bytes(sha256(repr((seed, *words)).encode()).digest()[:4], "big")


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
            (self.known[name],) = _test(self.experiment, [problem], rate, seed, lambda _: self.chains)
        return self.known[name].fails

    def outcome(self, problem: Problem | None) -> Outcome | None:
        """What was found for a problem."""
        return None if problem is None else self.known[key(problem)]
