"""What the fixtures ``ensembles`` and ``theorem`` hand to a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from sgtheory import registry
from verification.properties import failures
from verification.properties.budget import Demand, of_check
from verification.properties.ensembles import Verdict, judge
from verification.properties.experiment import Experiment, derived
from verification.strategies.drawing import minimal


@dataclass(frozen=True)
class Test:
    """The test that is running: its name, the seed of the run, and where failures go."""

    __test__ = False  # not one of pytest's own

    name: str
    seed: int
    folder: Path

    def again(self) -> str:
        """The command that runs this test on the same numbers."""
        return f"pytest '{self.name}' --sgtheory-seed={self.seed}"

    def fail(self, words: list[str], sampler: Any, problem: Any, steps: int | None) -> None:
        """Write the problem, say how to see it again, and fail."""
        __tracebackhide__ = True
        lines = list(words)
        if hasattr(problem, "to_json"):
            path = failures.shown(failures.write(problem, self.folder, self.name))
            lines += [f"  smallest problem: {json.dumps(problem.to_json())}", f"  written to: {path}"]
            lines += [f"  see: {c}" for c in failures.commands(str(sampler or ""), path, steps)]
        else:
            lines.append(f"  smallest example: {problem!r}")
        pytest.fail("\n".join([*lines, f"  again: {self.again()}"]), pytrace=False)


@dataclass(frozen=True)
class Ensembles:
    """The fixture ``ensembles``: samplers against their exact laws on random problems."""

    test: Test
    demand: Demand  # its false_alarm is the share of the whole test
    record: Callable[[dict[str, Any]], None]
    verdicts: list[Verdict] = field(default_factory=list)

    def check(
        self,
        sampler: Any,
        problems: Any,
        *,
        like: Any = None,
        count: int = 200,
        steps: int = 16,
        chains: int | None = None,
        device: str = "auto",
    ) -> Verdict:
        """Simulate a sampler on random problems and hold each against the exact law at that step.

        ``problems`` is a strategy, such as ``verification.strategies.problems("momentum")``. The law
        is that of ``like``: of the sampler itself unless said. Chains are planned from the marker's
        effect and power, or as many as ``chains``. Fails with the smallest problem that fails.
        """
        __tracebackhide__ = True
        number = len(self.verdicts) + 1
        assert self.demand.false_alarm is not None
        demand = replace(self.demand, false_alarm=of_check(self.demand.false_alarm, number))
        experiment = Experiment(sampler, sampler if like is None else like, steps, device)
        seed = derived(self.test.seed, self.test.name, number)
        verdict = judge(experiment, problems, demand, count=count, seed=seed, chains=chains)
        self.verdicts.append(verdict)
        self.record(
            {
                "spent": verdict.false_alarm,
                "problems": len(verdict.outcomes),
                "resolution": verdict.resolution,
                "power": self.demand.power,
            }
        )
        if verdict.minimal is not None:
            named = registry.sampler(experiment.like).name
            words = _told(registry.sampler(sampler).name or "the sampler", named, verdict)
            self.test.fail(words, named, verdict.minimal.problem, steps)
        return verdict


def _told(sampler: str, like: str, verdict: Verdict) -> list[str]:
    assert verdict.minimal is not None
    comparison = verdict.minimal.comparison
    whose = "its exact law" if like == sampler else f"the exact law of {like}"
    return [
        f"{sampler} departs from {whose} on {len(verdict.failing)} of {len(verdict.outcomes)}"
        f" random problems (false-alarm probability {verdict.false_alarm:.2g})",
        f"  {verdict.minimal.words}, {comparison.chains:,} chains;"
        f" {verdict.trials} problems tried in shrinking",
    ]


@dataclass(frozen=True)
class Theorem:
    """The fixture ``theorem``: a property of every random problem, decided exactly and not by chance."""

    test: Test

    def __call__(
        self, holds: Callable[[Any], Any], examples: Any, *, sampler: Any = None, count: int = 200
    ) -> None:
        """Hold a property against random examples; fails with the smallest that contradicts it.

        ``holds`` returns whether it is so, or asserts it. ``sampler`` is what the command that is
        printed on failure shows.
        """
        __tracebackhide__ = True
        said: dict[str, str] = {}

        def contradicts(example: Any) -> bool:
            try:
                answer = holds(example)
            except AssertionError as error:
                said["why"] = str(error).strip().partition("\n")[0]
                return True
            said["why"] = ""
            return not (answer is None or bool(answer))

        found = minimal(examples, contradicts, count, derived(self.test.seed, self.test.name))
        if found is None:
            return
        contradicts(found)
        name = getattr(holds, "__name__", "the property")
        named = None if sampler is None else registry.sampler(sampler).name
        words = [f"{name} does not hold for every example" + (f": {said['why']}" if said["why"] else "")]
        self.test.fail(words, named, found, None)
