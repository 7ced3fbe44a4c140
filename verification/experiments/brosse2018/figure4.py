"""Figure 4: the negative log-likelihood of test examples along the chains."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sgtheory import law
from sgtheory.problem import Problem
from verification.experiments import datasets
from verification.experiments.brosse2018.large import (
    AT,
    NAMES,
    SAMPLERS,
    SETTINGS,
    Place,
    by_size,
    run_from_mode,
    training,
)
from verification.experiments.brosse2018.regression import (
    Labelled,
    expected_loss,
    mean_loss,
    trajectories,
)
from verification.experiments.datasets import Dataset
from verification.experiments.ensembles import BATCHES, interval
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
    Shape,
    shape,
)


def run(job: Job) -> Findings:
    """Losses along the chains, and the exact ones of normal laws."""
    data = datasets.covertype(job.files, job.size("examples"))
    test = Labelled(data.test_X[: job.size("test")], data.test_y[: job.size("test")])
    found = job.part(data.name, partial(_measured, job, data, test))
    return Findings(
        tuple(_plot(n, f) for n, f in zip(job.size("sizes"), found, strict=True)),
        agreements=tuple(job.part("chains with linear gradients", partial(_twins, job, data, test))),
        shapes=(_alike(job.size("sizes")[-1], found[-1]), *_below(job.size("sizes")[-1], found[-1])),
        data=(data.words,),
        standin=data.kind == datasets.STANDIN,
        notes=(_gaps(job.size("sizes"), found), _spans(job.size("sizes"), found)),
    )


def _measured(job: Job, data: Dataset, test: Labelled) -> list[dict[str, Any]]:
    """To each N: times, losses (chains, times) and exact losses by sampler, and that at the mode."""

    def at(place: Place, k: int) -> dict[str, Any]:
        every = max(1, job.size("steps")[k] // job.size("times"))
        steps = every * job.size("times")
        places = np.linspace(1, job.size("times"), min(6, job.size("times"))).round().astype(int) * every
        found: dict[str, Any] = {
            "times": every * np.arange(1, job.size("times") + 1),
            "exact times": places,
            "mode": float(mean_loss(test, place.mode)[0]),
        }
        problem, normal = place.problem(), place.normal()
        for s in SAMPLERS:
            states = run_from_mode(job, s, problem, steps, every, k)[:, 1:]
            losses = [mean_loss(test, states[:, j]) for j in range(states.shape[1])]
            found[s] = np.array(losses).T
            found[f"{s}, exact"] = [_exact(s, normal, place.mode, test, int(t)) for t in places]
        return found

    return by_size(job, data, at)


def _exact(sampler: str, normal: Problem, mode: Any, test: Labelled, steps: int) -> float:
    """The mean loss under the normal law with the curvature and the noise at the mode, at a step."""
    covariance = law(sampler, normal, at=steps).covariance
    return expected_loss(test, mode, covariance["theta", "theta"])


def _twins(job: Job, data: Dataset, test: Labelled) -> list[Agreement]:
    """Linear gradients: how far margins of test examples are from those at the mode, mean square."""
    place, steps, found = (
        Place.of(training(data).first(job.size("sizes")[0])),
        job.size("twin_steps"),
        [],
    )
    _, twin = place.twin()
    second = test.X.T @ test.X / len(test.X)
    for k, s in enumerate(SAMPLERS):
        ends = trajectories(s, twin, chains=job.size("twins"), steps=steps, every=steps,
                            seed=job.seed + 700 + k, device=job.device)[:, -1]  # fmt: skip
        away = ends - place.mode
        squares = np.einsum("kd,de,ke->k", away, second, away)
        covariance = law(s, twin, at=steps).covariance
        value = float(np.sum(second * covariance["theta", "theta"]))
        measured = interval([b.mean() for b in np.array_split(squares, BATCHES)], len(SAMPLERS))
        words = f"{NAMES[s]}, linear gradients, N = {place.N:,}: mean square of a margin's change"
        found.append(Agreement(words, measured, Amount(value, 1e-9 * value, "certified")))
    return found


def _second_half(found: dict[str, Any], sampler: str) -> Amount:
    """The mean over the second half of the run, with an interval over the chains."""
    values = found[sampler][:, found[sampler].shape[1] // 2 :].mean(axis=1)
    return interval([g.mean() for g in np.array_split(values, BATCHES)], 2 * len(SAMPLERS))


def _alike(N: int, found: dict[str, Any]) -> Shape:
    sgd, sgld, fp = (_second_half(found, s).value for s in SAMPLERS)
    return shape(
        f"for large N SGLD is like SGD: nearer to it than to SGLDFP, N = {N:,}",
        f"SGLD {sgld:.5f}, SGD {sgd:.5f}, SGLDFP {fp:.5f}",
        lambda v: abs(v[0] - v[1]) < abs(v[0] - v[2]),
        (sgld, sgd, fp),
        (sgld, fp, sgd),
        "SGD and SGLDFP exchanged",
    )


def _below(N: int, found: dict[str, Any]) -> list[Shape]:
    fp, told = _second_half(found, "sgldfp"), []
    for s in ("sgld", "sgd"):
        other = _second_half(found, s)
        told.append(
            shape(
                f"{NAMES[s]} is below the performance of SGLDFP, N = {N:,}",
                f"{other.value:.5f} +- {other.error:.5f} against {fp.value:.5f} +- {fp.error:.5f}",
                lambda v: v[0].value - v[0].error > v[1].value + v[1].error,
                (other, fp),
                (fp, other),
                "exchanged",
            )
        )
    return told


def _gaps(sizes: tuple[int, ...], found: list[dict[str, Any]]) -> str:
    """How far each is above the mode's loss, measured and by the exact law."""
    told = []
    for n, f in zip(sizes, found, strict=True):
        each = ", ".join(
            f"{NAMES[s]} {_second_half(f, s).value - f['mode']:.2g}"
            f" (exact normal law {f[f'{s}, exact'][-1] - f['mode']:.2g})"
            for s in SAMPLERS
        )
        told.append(f"N = {n:,}: {each}")
    return f"Above the loss at the mode: {'; '.join(told)}."


def _spans(sizes: tuple[int, ...], found: list[dict[str, Any]]) -> str:
    """From the lowest to the highest of the three, beside the axes."""
    spans = []
    for n, f in zip(sizes, found, strict=True):
        halves = [_second_half(f, s).value for s in SAMPLERS]
        best = NAMES[SAMPLERS[int(np.argmin(halves))]]
        spans.append(f"{max(halves) - min(halves):.2g} at N = {n:,} ({best} lowest)")
    return (
        "From the lowest to the highest of the three there lie "
        + ", ".join(spans)
        + ". The printed axes"
        " are labelled over 0.010, 0.0030 and 0.0014 at N = 10^3, 10^4 and 10^5. Where the posterior is"
        " wide, states of SGD, which injects no noise, are nearer to the mode than those of a sampler."
    )


def _plot(N: int, found: dict[str, Any]) -> Plot:
    times, places = (tuple(map(float, found[k])) for k in ("times", "exact times"))
    lines = []
    for s in SAMPLERS:
        lines.append(Line(f"{NAMES[s]}, measured", times, tuple(found[s].mean(axis=0).tolist())))
        exact = tuple(found[f"{s}, exact"])
        lines.append(Line(f"{NAMES[s]}, normal law", places, exact, kind="exact"))
    title = f"N = {N:,}"
    return Plot(
        f"loss-{N}", title, "iterations", "negative log-likelihood of a test example", tuple(lines)
    )


EXPERIMENT = Experiment(
    name="brosse2018.figure4",
    sets=("covtype",),
    paper="brosse2018",
    locator="Figure 4",
    claims=("fig4",),
    title="Test log-likelihood along the iterations",
    settings=(
        *SETTINGS,
        Setting("iterations", "", AT, "100 N, where the axes end"),
        Setting("trajectories", "", AT, "64"),
        Setting("likelihood of the state, or of an average along the run", "", AT, "of the state"),
    ),
    scales={
        LAPTOP: {"sizes": (10**3, 10**4, 10**5), "examples": 120_000, "test": 4_000, "chains": 64,
                 "steps": (3_000, 3_000, 3_000), "times": 20, "twins": 4096, "twin_steps": 100},
        PAPER: {"sizes": (10**3, 10**4, 10**5), "examples": 120_000, "test": 20_000, "chains": 64,
                "steps": (10**5, 10**6, 10**7), "times": 100, "twins": 16_384, "twin_steps": 1_000},
    },
    changed="3,000 steps for each N, and 4,000 test examples.",
    run=run,
)  # fmt: skip
