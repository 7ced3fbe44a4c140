"""How far constant SGD is from the posterior by step and minibatch size, and which steps are advised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sgtheory import law, registry
from sgtheory.modepairs.stability import stability
from sgtheory.numbers.divergence import kl_from, kl_to
from sgtheory.onestep.affine import LAMBDA, mode_form
from sgtheory.onestep.full import Array
from sgtheory.problem import Problem
from sgtheory.setting import Setting as Run
from sgtheory.tuning.bench import Bench
from sgtheory.tuning.choose import descend, printed
from verification.experiments.divergences import measured_divergence
from verification.experiments.job import Job
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Experiment,
    Findings,
    Heat,
    Line,
    Plot,
    Setting,
)

N = 100
PROBLEM = {"model": "quadratic", "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]],
           "N": N}  # fmt: skip
STEPS = (2e-3, 0.9)
SHARES = (0.25, 1.0, 3.0)  # of the printed step, where ensembles are run
TO, FROM = "KL(law || posterior)", "KL(posterior || law)"


def run(job: Job) -> Findings:
    """Both divergences on a grid, the advised steps over it, and ensembles at some places."""
    steps = np.geomspace(*STEPS, job.size("across"))
    sizes = np.geomspace(1, N, job.size("up"))
    panels = job.part("grid", lambda: grid(steps, sizes))
    batches = sorted({round(S) for S in np.geomspace(1, N, job.size("tuned"))})
    best = job.part("tuned", lambda: [advised(S) for S in batches])
    places = list(measured_at(batches[:: max(1, (len(batches) - 1) // (job.size("measured") - 1))]))
    found = job.part("measured", lambda: simulated(job, places))
    lines = (
        Line("stability ends", (border(),) * 2, (1.0, float(N)), kind="exact"),
        Line("step as printed, Eq. 15", tuple(a for a, _ in best), tuple(map(float, batches)),
             kind="exact"),
        Line("best step", tuple(b for _, b in best), tuple(map(float, batches)), kind="exact"),
        Line("ensembles", tuple(e for e, _ in places), tuple(float(S) for _, S in places)),
    )  # fmt: skip
    heat = Heat("phase-diagram", "Constant SGD against the posterior, by step and minibatch size",
                panels, tuple(steps), tuple(sizes), "step", "minibatch size S",
                "log10 of the divergence", lines, log_x=True, log_y=True)  # fmt: skip
    agreements = tuple(
        Agreement(f"{TO}, step {e:.3g}, S = {S}", *pair)
        for (e, S), pair in zip(places, found, strict=True)
    )
    return Findings((heat, losses(batches, best, places, found)), agreements=agreements,
                    notes=notes(batches, best))  # fmt: skip


def problem(step: float, S: int) -> Problem:
    """The problem at a step, rounded so that it is a short number, and a minibatch size."""
    return Problem.of({**PROBLEM, "S": S, "params": {"eps": f"{step:.4g}"}})


def grid(steps: Array, sizes: Array) -> dict[str, tuple[tuple[float, ...], ...]]:
    """log10 of both divergences, rows by size; NaN where there is no stationary law.

    Noise enters the equation of the covariance as C/S, so that of S examples is an S-th of that of one.
    """
    inverse = N * np.array([[2, 1], [1, 1.5]])
    zero = np.zeros(2)
    ones = [law("sgd", problem(e, 1)).covariance for e in steps]

    def row(divergence: Any, S: float) -> tuple[float, ...]:
        each = (P["theta", "theta"] / S if P else None for P in ones)
        return tuple(math.nan if P is None else math.log10(divergence(P, zero, inverse)) for P in each)

    both = {TO: kl_to, FROM: kl_from}
    return {name: tuple(row(divergence, S) for S in sizes) for name, divergence in both.items()}


def border() -> float:
    """The step from which on there is no stationary law."""
    sgd = registry.sampler("sgd")
    start = problem(0.1, 1)
    limit = stability(mode_form(Run(sgd, start.model))).limit
    largest = float(np.linalg.eigvalsh(start.values(sgd).arrays["A"])[-1])
    return float(limit.subs(LAMBDA, largest))


def advised(S: int) -> tuple[float, float]:
    """The printed step, and the one with the least KL(law || posterior)."""
    bench = Bench(registry.sampler("sgd"), problem(0.1, S))
    choices = printed(bench, "eps", "eps")
    minimum = descend(bench, ("eps",), "discrete", choices)
    if not minimum.certified:
        raise ArithmeticError(f"no minimum that is certified at S = {S}: {minimum}")
    return float(choices[0].values["eps"]), float(np.exp(minimum.x[0]))


def measured_at(batches: Sequence[int]) -> Any:
    """Steps and minibatch sizes of ensembles: around the printed step, where it is stable."""
    for S in batches:
        for share in SHARES:
            e = float(f"{share * 2 * 2 * S / (N * 3):.4g}")
            if e < 0.9 * border():
                yield e, S


def simulated(job: Job, places: Sequence[tuple[float, int]]) -> list[tuple[Amount, Amount]]:
    """Ensembles, each with a seed of its own, against the exact law after as many steps."""
    return [
        measured_divergence("sgd", problem(e, S), chains=job.size("chains"), steps=settled(e),
                            seed=job.seed + k, device=job.device, intervals=len(places))
        for k, (e, S) in enumerate(places)
    ]  # fmt: skip


def settled(step: float) -> int:
    """Steps after which the start is forgotten to a thousandth of a deviation: (1 - e)^n = 1/1000."""
    slowest = float(np.linalg.eigvalsh(np.array([[2, 1], [1, 1.5]]))[0])
    return math.ceil(math.log(1e3) / (step * slowest))


def losses(batches: Any, best: Any, places: Any, found: Any) -> Plot:
    """The divergence at the printed step and at the best one, and the ensembles."""
    x = tuple(map(float, batches))

    def line(label: str, k: int) -> Line:
        known = [(S, kl(e[k], round(S))) for S, e in zip(x, best, strict=True)]
        inside = {S: y for S, y in known if y is not None}
        return Line(label, tuple(inside), tuple(inside.values()), kind="exact")

    at_printed = [
        (float(S), *pair)
        for (e, S), pair in zip(places, found, strict=True)
        if abs(e / (4 * S / (3 * N)) - 1) < 1e-3
    ]
    lines = (
        line("step as printed, exact", 0),
        Line("step as printed, measured", tuple(S for S, *_ in at_printed),
             tuple(a.value for _, a, _ in at_printed), tuple(a.error for _, a, _ in at_printed)),
        line("best step, exact", 1),
    )  # fmt: skip
    return Plot("best-step", f"{TO} at the printed step and at the best one", "minibatch size S", TO,
                lines, log_x=True, log_y=True)  # fmt: skip


def kl(step: float, S: int) -> float | None:
    """KL(law || posterior), None where there is no stationary law."""
    return law("sgd", problem(step, S)).kl_to_posterior


def notes(batches: Any, best: Any) -> tuple[str, ...]:
    """Where the printed step stops being one, and what an ensemble's number is."""
    unstable = [S for S, (e, _) in zip(batches, best, strict=True) if e >= border()]
    first = f"{2 * border() * 3 * N / 8:.3g}"
    return (
        f"Stable for steps below {border():.4g}. The printed step 2 D S/(N Tr C) grows with S and is"
        f" beyond that from S = {first} on"
        + (f" (here at S = {', '.join(map(str, unstable))})." if unstable else "."),
        "Lines end where the step has no stationary law. The best step is certified by the exact slope"
        " of the divergence.",
        "Ensembles begin at the mode and are held against the exact law after as many steps. Their"
        " divergence is that of second moments, less its exact bias; the interval is Chernoff's bound on"
        " Wishart's law, at the level of this experiment's intervals together.",
    )


EXPERIMENT = Experiment(
    name="new.phase_diagram",
    paper="",
    locator="",
    title="Constant SGD by step and minibatch size: divergence, stability, and the best step",
    settings=(
        Setting("problem", "", "", "two dimensions, A and C not diagonal, N = 100"),
        Setting("step as printed", "2 D S/(N Tr C)", "Mandt et al. 2017, Eq. 15"),
    ),
    scales={
        LAPTOP: {"across": 40, "up": 22, "tuned": 9, "measured": 5, "chains": 65_536},
        PAPER: {"across": 80, "up": 44, "tuned": 25, "measured": 9, "chains": 1_048_576},
    },
    changed="a coarser grid, fewer points and chains.",
    run=run,
)
