"""Ensembles of many problems at once, each against its exact law at the step where it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sgtheory import registry
from sgtheory.declare import Normal
from sgtheory.errors import UnusableInput
from sgtheory.numbers.lawrecord import NumericLaw
from sgtheory.numbers.numeric import law
from sgtheory.onestep.affine import has_spread
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.properties.holding import Outcome, Target


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


def held(
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
        chains = plan(min(targets[k].threshold(rate) for k in members))
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
