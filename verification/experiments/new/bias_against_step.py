"""How far each sampler is from the posterior after a fixed number of gradients, against its step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from sgtheory import law, registry
from sgtheory.declaring.cost import gradients_per_step
from sgtheory.language import N, S
from sgtheory.problem import Problem
from verification.experiments.ensembles import measured
from verification.experiments.job import Job
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    called,
)

PROBLEM: dict[str, Any] = {
    "model": "quadratic", "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]],
    "N": 100, "S": 10, "start": {"theta": [1, "-1/2"]},
}  # fmt: skip


@dataclass(frozen=True)
class Way:
    """A sampler, the letter of its step, its other parameters, and the steps that are looked at."""

    sampler: str
    step: str
    low: float
    high: float
    others: Mapping[str, Any] = field(hash=False)

    def problem(self, step: float) -> Problem:
        """The problem at a step, rounded so that it is a short number."""
        return Problem.of({**PROBLEM, "params": {**self.others, self.step: f"{step:.3g}"}})

    def steps(self, minibatches: int) -> int:
        """How many steps as many minibatches are enough for; gradients of all data count as N / S."""
        found = self.problem(self.low)
        declared = registry.sampler(self.sampler, found.params)
        cost = gradients_per_step(declared).subs({N: PROBLEM["N"], S: PROBLEM["S"]})
        return int(minibatches * PROBLEM["S"] / cost)


_ONE = [[1, 0], [0, 1]]
_FRICTION = {"alpha": "1/10", "beta": 0, "tau": 1}
_DAMPED = {"gamma": 20, "tau": 1}  # near critical, so that nothing oscillates
GROUPS: dict[str, tuple[Way, ...]] = {
    "without injected noise": (
        Way("sgd", "eps", 1e-3, 0.9, {"H": _ONE}),
        Way("momentum", "eps", 1e-4, 0.9, {"H": _ONE, "mu": "1/5"}),
        Way("nesterov", "eps", 1e-4, 0.9, {"H": _ONE, "mu": "1/5"}),
    ),
    "Langevin": (
        Way("sgld", "eps", 1e-5, 3e-2, {"H": _ONE}),
        Way("lmc", "gamma", 1e-5, 1e-2, {}),
        Way("sgfs", "eps", 1e-3, 0.9, {"H": _ONE, "E": [["1/5", 0], [0, "1/5"]]}),
    ),
    "Hamiltonian": (
        Way("sghmc", "eta", 1e-6, 1e-2, _FRICTION),
        Way("sghmc_velocity_first", "eta", 1e-6, 1e-2, _FRICTION),
        Way("sghmc_refreshed", "eta", 1e-6, 1e-2, {**_FRICTION, "L": 16}),
    ),
    "splittings": tuple(
        Way(f"underdamped:{word}", "eps", 1e-4, 0.3, _DAMPED) for word in ("BAOAB", "OBABO", "ABOBA")
    ),
}


def run(job: Job) -> Findings:
    """Exact curves, and ensembles at some of their points; a plot for each kind of sampler."""
    count = sum(map(len, GROUPS.values())) * job.size("measured")
    drawn = [_plot(job, group, ways, count) for group, ways in GROUPS.items()]
    agreements = tuple(a for _, found in drawn for a in found)
    note = (
        f"{job.size('gradients')} minibatches for each chain, whatever a step needs of them: "
        + ", ".join(
            f"{called(w.sampler)} {w.steps(job.size('gradients'))} steps"
            for g in GROUPS.values()
            for w in g
        )
        + "."
    )
    stops = "A curve ends where the sampler is not stable any more."
    return Findings(tuple(p for p, _ in drawn), agreements=agreements, notes=(note, stops))


def _plot(job: Job, group: str, ways: tuple[Way, ...], count: int) -> tuple[Plot, list[Agreement]]:
    lines, agreements = [], []
    for way in ways:
        name = way.sampler
        grid = np.geomspace(way.low, way.high, job.size("curve"))
        steps = way.steps(job.size("gradients"))
        known = [(e, found) for e in grid if (found := exact(way, e, steps)) is not None]
        places = np.linspace(0, len(known) - 1, job.size("measured")).astype(int)
        chosen = [known[k] for k in places]
        at = tuple(e for e, _ in chosen)
        seen = job.part(name, partial(simulated, job, way, at, count))
        values, errors = tuple(a.value for a in seen), tuple(a.error for a in seen)
        lines += [
            Line(f"{name}, exact", tuple(e for e, _ in known), tuple(y for _, y in known), kind="exact"),
            Line(f"{name}, measured", at, values, errors),
        ]
        agreements += [
            Agreement(f"{called(name)} at {e:.3g}", a, Amount(y, 1e-9 * y, "certified"))
            for (e, y), a in zip(chosen, seen, strict=True)
        ]
    title = f"Samplers {group}" if group.startswith("without") else f"{group[0].upper()}{group[1:]}"
    plot = Plot(
        f"bias-{group.replace(' ', '-').lower()}",
        f"{title}: mean square distance from the mode after {job.size('gradients')} minibatches, as a"
        " multiple of the posterior's",
        "step",
        "multiple of the posterior's",
        tuple(lines),
        log_x=True,
        log_y=True,
    )
    return plot, agreements


def target() -> float:
    """The trace of the posterior's covariance, A^(-1) / N."""
    A = np.array([[2, 1], [1, 1.5]])
    return float(np.trace(np.linalg.inv(A))) / float(PROBLEM["N"])


def exact(way: Way, step: float, steps: int) -> float | None:
    """The exact law's, or None where the step is unstable."""
    problem = way.problem(step)
    if not law(way.sampler, problem).stable:
        return None
    found = law(way.sampler, problem, at=steps)
    mean = np.asarray(found.mean["theta"])
    return float(np.trace(found.covariance["theta", "theta"]) + mean @ mean) / target()


def simulated(job: Job, way: Way, chosen: tuple[float, ...], count: int) -> list[Amount]:
    """Ensembles at some steps."""

    def size(run: Any) -> float:
        mean = np.asarray(run.mean["theta"])
        return float(np.trace(run.covariance["theta,theta"]) + mean @ mean) / target()

    return [
        measured(way.sampler, way.problem(e), size, chains=job.size("chains"),
                 steps=way.steps(job.size("gradients")), seed=job.seed + 100 * k,
                 device=job.device, intervals=count)
        for k, e in enumerate(chosen)
    ]  # fmt: skip


EXPERIMENT = Experiment(
    name="new.bias_against_step",
    paper="",
    locator="",
    title="Bias of each sampler against its step at fixed cost",
    settings=(
        Setting("problem", "", "", "two dimensions, A and C not diagonal, N = 100, S = 10"),
        Setting("start", "", "", "(1, -1/2)"),
    ),
    scales={
        LAPTOP: {"gradients": 512, "curve": 32, "measured": 4, "chains": 16_384},
        PAPER: {"gradients": 512, "curve": 80, "measured": 10, "chains": 1_048_576},
    },
    changed="fewer chains and fewer points.",
    run=run,
)
