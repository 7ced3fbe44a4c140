"""How far each sampler is from the posterior after a fixed number of gradients, against its step."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sgtheory import law
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
)

# by sampler: the letter of its step, its other parameters, and the steps that are looked at
SAMPLERS: dict[str, tuple[str, dict[str, Any], tuple[float, float]]] = {
    "sgd": ("eps", {"H": [[1, 0], [0, 1]]}, (1e-3, 0.9)),
    "sgld": ("eps", {"H": [[1, 0], [0, 1]]}, (1e-5, 3e-2)),
    "sghmc": ("eta", {"alpha": "1/10", "beta": 0, "tau": 1}, (1e-6, 1e-2)),
    "underdamped:BAOAB": ("eps", {"gamma": 2, "tau": 1}, (1e-3, 0.3)),
}
PROBLEM = {
    "model": "quadratic", "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]],
    "N": 100, "S": 10, "start": {"theta": [1, "-1/2"]},
}  # fmt: skip


def run(job: Job) -> Findings:
    """Exact curves, and ensembles at some of their points."""
    lines, agreements = [], []
    count = len(SAMPLERS) * job.size("measured")
    for name, (letter, others, (low, high)) in SAMPLERS.items():
        job.tell(name, 0.0)
        steps = np.geomspace(low, high, job.size("curve"))
        curve = [(e, exact(name, letter, others, e, job.size("gradients"))) for e in steps]
        known = [(e, y) for e, y in curve if y is not None]
        x, y = zip(*known, strict=True)
        lines.append(Line(f"{name}, exact", x, y, kind="exact"))
        chosen = known[:: max(1, len(known) // job.size("measured"))][: job.size("measured")]
        found = job.part(name, partial(simulated, job, name, chosen, count))
        lines.append(
            Line(f"{name}, measured", tuple(e for e, _ in chosen), tuple(a.value for a in found),
                 tuple(a.error for a in found))
        )  # fmt: skip
        agreements += [
            Agreement(f"{name} at {e:.3g}", a, Amount(y, 1e-9 * y, "certified"))
            for (e, y), a in zip(chosen, found, strict=True)
        ]
    plot = Plot(
        "bias-against-step",
        f"Mean square distance from the mode after {job.size('gradients')} gradients, as a multiple of"
        " the posterior's",
        "step",
        "multiple of the posterior's",
        tuple(lines),
        log_x=True,
        log_y=True,
    )
    return Findings((plot,), agreements=tuple(agreements))


def problem(letter: str, others: dict[str, Any], step: float) -> Problem:
    """The problem at a step, rounded so that it is a short number."""
    return Problem.of({**PROBLEM, "params": {**others, letter: f"{step:.3g}"}})


def target() -> float:
    """The trace of the posterior's covariance, A^(-1) / N."""
    A = np.array([[2, 1], [1, 1.5]])
    return float(np.trace(np.linalg.inv(A))) / PROBLEM["N"]  # type: ignore[operator]


def exact(name: str, letter: str, others: dict[str, Any], step: float, gradients: int) -> float | None:
    """The exact law's, or None where the step is unstable."""
    if not law(name, problem(letter, others, step)).stable:
        return None
    found = law(name, problem(letter, others, step), at=gradients)
    assert found.covariance is not None
    mean = np.asarray(found.mean["theta"])
    return float(np.trace(found.covariance["theta", "theta"]) + mean @ mean) / target()


def simulated(job: Job, name: str, chosen: Any, count: int) -> list[Amount]:
    """Ensembles at some steps."""
    letter, others, _ = SAMPLERS[name]

    def size(run: Any) -> float:
        mean = np.asarray(run.mean["theta"])
        return float(np.trace(run.covariance["theta,theta"]) + mean @ mean) / target()

    return [
        measured(name, problem(letter, others, e), size, chains=job.size("chains"),
                 steps=job.size("gradients"), seed=job.seed + 100 * k, device=job.device,
                 intervals=count)
        for k, (e, _) in enumerate(chosen)
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
        LAPTOP: {"gradients": 512, "curve": 40, "measured": 5, "chains": 16_384},
        PAPER: {"gradients": 512, "curve": 80, "measured": 10, "chains": 1_048_576},
    },
    changed="fewer chains and fewer points.",
    run=run,
)
