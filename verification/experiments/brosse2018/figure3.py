"""Figure 3: the variance of stochastic gradients along the chains, against N."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from verification.experiments import datasets
from verification.experiments.brosse2018.large import (
    AT,
    BATCH,
    NAMES,
    SAMPLERS,
    SETTINGS,
    Place,
    by_size,
    exact_gradient_variance,
    normal_gradient_variance,
    run_from_mode,
    skin,
    training,
)
from verification.experiments.brosse2018.regression import gradient_variance, trajectories
from verification.experiments.brosse2018.runs import fitted
from verification.experiments.datasets import Dataset
from verification.experiments.ensembles import BATCHES, interval
from verification.experiments.job import Job
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Comparison,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    Shape,
    shape,
)

PRINTED = {"sgd": "2", "sgld": "2", "sgldfp": "1"}
_CLOSE = 0.1
_FITS = 6


def run(job: Job) -> Findings:
    """On covertype or its stand-in, and on skin."""
    sets = (datasets.covertype(job.files, job.size("examples")), skin(job))
    found = [job.part(d.name, partial(_measured, job, d)) for d in sets]
    sizes = job.size("sizes")
    fits = [{s: fitted(sizes, [row[s][0] for row in f], _FITS) for s in SAMPLERS} for f in found]
    comparisons = tuple(
        Comparison(f"slope of {NAMES[s]} on {sets[0].name}", PRINTED[s], fits[0][s]) for s in SAMPLERS
    )
    shapes = [_slope(d.name, s, fit[s]) for d, fit in zip(sets, fits, strict=True) for s in SAMPLERS]
    return Findings(
        tuple(_plot(d.name, s, sizes, f) for d, f in zip(sets, found, strict=True) for s in SAMPLERS),
        comparisons,
        tuple(job.part("chains with linear gradients", partial(_twins, job, sets[1]))),
        tuple(shapes),
        data=tuple(d.words for d in sets),
        standin=sets[0].kind == datasets.STANDIN,
        notes=(_axes(found[0], sizes), _scatter(found[0], sizes)),
    )


def _measured(job: Job, data: Dataset) -> list[dict[str, tuple[Any, float]]]:
    """At each N and of each sampler: the variance at the end of each chain, and what is predicted."""

    def at(place: Place, k: int) -> dict[str, tuple[Any, float]]:
        steps, problem, normal = min(2 * place.N, job.size("steps")), place.problem(), place.normal()
        _, twin = place.twin()
        found = {}
        for s in SAMPLERS:
            ends = run_from_mode(job, s, problem, steps, steps, k)[:, -1]
            mode = place.mode if s == "sgldfp" else None
            seen = gradient_variance(place.data, BATCH, ends, mode)
            found[s] = seen, normal_gradient_variance(s, place, normal, twin)
        return found

    return by_size(job, data, at)


def _twins(job: Job, data: Dataset) -> list[Agreement]:
    """Linear gradients: simulated against exact, on the real set."""
    found, steps = [], job.size("twin_steps")
    place = Place.of(training(data).first(job.size("sizes")[0]))
    rows, twin = place.twin()
    for k, s in enumerate(SAMPLERS):
        ends = trajectories(s, twin, chains=job.size("twins"), steps=steps, every=steps,
                            seed=job.seed + 500 + k, device=job.device)[:, -1]  # fmt: skip
        seen = gradient_variance(rows, BATCH, ends, place.mode if s == "sgldfp" else None, linear=True)
        batches = [b.mean() for b in np.array_split(seen, BATCHES)]
        exact = exact_gradient_variance(s, twin, steps)
        found.append(
            Agreement(f"{NAMES[s]}, linear gradients, N = {place.N:,}, after {steps} steps",
                      interval(batches, len(SAMPLERS)), Amount(exact, 1e-9 * exact, "certified"))
        )  # fmt: skip
    return found


def _slope(name: str, sampler: str, fit: Amount) -> Shape:
    printed = float(PRINTED[sampler])
    return shape(
        f"the slope of {NAMES[sampler]} is {PRINTED[sampler]} on {name}",
        f"{fit.value:.3f} +- {fit.error:.3f}",
        lambda v: abs(v - printed) <= fit.error + _CLOSE,
        fit.value,
        3 - fit.value,
        "2 and 1 exchanged",
    )


def _plot(name: str, sampler: str, sizes: tuple[int, ...], found: Any) -> Plot:
    n = tuple(map(float, sizes))
    seen = [interval([g.mean() for g in np.array_split(f[sampler][0], 10)], len(sizes)) for f in found]
    lines = (
        Line("exact law with normal noise and linear gradients", n, tuple(f[sampler][1] for f in found),
             kind="exact"),
        Line("measured", n, tuple(a.value for a in seen), tuple(a.error for a in seen)),
    )  # fmt: skip
    label, title = f"{name.replace(' ', '-')}-{sampler}", f"{NAMES[sampler]}, {name}"
    return Plot(label, title, "N", "variance of the gradient", lines, log_x=True, log_y=True)


def _axes(found: Any, sizes: tuple[int, ...]) -> str:
    """What the printed axes say of p."""
    first, last = (float(f["sgd"][0].mean()) for f in (found[0], found[-1]))
    fp = [float(f["sgldfp"][0].mean()) for f in (found[0], found[-1])]
    return (
        "The axis of SGD is labelled 1e3 to 1e6 and not 1e2 or 1e7, that of SGLDFP 1e2 to 1e4. With"
        f" p = {BATCH} SGD has {first:.3g} at N = {sizes[0]:,} and {last:.3g} at N = {sizes[-1]:,} here;"
        f" it is in proportion to 1/p, so that with p = 10 it would end at {last * BATCH / 10:.3g}."
        f" SGLDFP has {fp[0]:.3g} and {fp[1]:.3g}: its size depends on the data, its slope does not."
    )


def _scatter(found: Any, sizes: tuple[int, ...]) -> str:
    """How much less variance the fixed point leaves."""
    parts = [f"{f['sgld'][0].mean() / f['sgldfp'][0].mean():.3g} at N = {n:,}"
             for f, n in zip(found, sizes, strict=True)]  # fmt: skip
    return f"SGLD has so many times the variance of SGLDFP: {', '.join(parts)}."


EXPERIMENT = Experiment(
    name="brosse2018.figure3",
    sets=("covtype", "skin"),
    paper="brosse2018",
    locator="Figure 3",
    claims=(
        "sec4.gradient_variance", "sec4.gradient_variance_sgld_sgd",
        "sec4.gradient_variance_fp", "fig3",
    ),
    title="Variance of stochastic gradients, against N",
    settings=(
        *SETTINGS,
        Setting("iterations, and where along them", "", AT,
                "the last state of many chains, after 2 N steps at most"),
        Setting("empirical variance at a point or of all gradients of a run", "", AT,
                "at a point, exactly"),
    ),
    scales={
        LAPTOP: {"sizes": (10**3, 10**4, 10**5), "examples": 120_000, "chains": 64, "steps": 4_000,
                 "twins": 4096, "twin_steps": 200},
        PAPER: {"sizes": (10**3, 10**4, 10**5), "examples": 120_000, "chains": 256, "steps": 200_000,
                "twins": 8192, "twin_steps": 1_000},
    },
    changed="At most 4,000 steps, after which only directions that few examples see have not settled.",
    run=run,
)  # fmt: skip
