"""A sampler on one problem: does it have its exact law there? What ``verify SAMPLER --problem`` asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sgtheory import registry
from sgtheory.notation.display import Shown
from sgtheory.problem import Problem
from verification.properties.budget import POWER
from verification.properties.experiment import Experiment, held
from verification.properties.holding import Outcome
from verification.statistics import chains_for

EFFECTS = {"quick": 0.01, "standard": 0.003, "deep": 0.001}  # relative errors of a variance to be found
FALSE_ALARM = 1e-6


@dataclass(repr=False, frozen=True)
class Single(Shown):
    """What was found for one sampler on one problem."""

    sampler: str
    outcome: Outcome
    steps: int
    seed: int

    @property
    def verdict(self) -> str:
        """``confirmed`` or ``refuted``: a measurement proves nothing."""
        return "refuted" if self.outcome.fails else "confirmed"

    @property
    def words(self) -> str:
        """What was done and seen, in one sentence."""
        found = self.outcome.comparison
        done = f"{found.chains:,} chains after {self.steps} steps"
        if self.outcome.fails:
            return f"{done}: {self.outcome.words}"
        return (
            f"{done} agree with the exact law in all {len(found.tests)} tests; a relative error of"
            f" {found.resolution:.2g} in a variance would have been seen with probability 0.99"
        )

    def to_json(self) -> dict[str, Any]:
        """An entry among the claims of ``verify --json``."""
        evidence = {"route": "ensemble", "words": self.words, "steps": self.steps, "seed": self.seed}
        evidence |= {"problem": self.outcome.problem.to_json(), **self.outcome.comparison.to_json()}
        title = "the sampler has its exact law on this problem"
        return {"id": self.sampler, "title": title, "verdict": self.verdict, "evidence": [evidence]}


def on_problem(
    sampler: Any,
    problem: Problem,
    *,
    steps: int,
    budget: str = "quick",
    seed: int = 1,
    device: str = "auto",
) -> Single:
    """Simulate a sampler on a problem and hold it against its exact law at that step.

    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "S": 1, "params": {"eps": "1/2"}})
    >>> on_problem("sgd", problem, steps=10).verdict
    'confirmed'
    """
    declared = registry.sampler(sampler, problem.params)
    experiment = Experiment(declared, declared, steps, device)

    def planned(threshold: float) -> int:
        return chains_for(EFFECTS[budget], threshold, POWER)

    (outcome,) = held(experiment, [problem], FALSE_ALARM, seed, planned)
    return Single(str(declared), outcome, steps, seed)
