"""Simulated data of section 4: the runs that Figures 1 and 2 both show, made once for the two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sgtheory.perturbation import invariant_moments
from verification.experiments.brosse2018.regression import (
    Labelled,
    linearised,
    mode_of,
    problem_of,
)
from verification.experiments.brosse2018.runs import Exact, Length, Runs, exact_runs, runs_of
from verification.experiments.ensembles import BATCHES, interval
from verification.experiments.job import Job
from verification.experiments.record import LAPTOP, PAPER, Agreement, Amount, Setting

Array = Any
SAMPLERS = ("lmc", "sgldfp", "sgld", "sgd")
NAMES = {"lmc": "LMC", "sgldfp": "SGLDFP", "sgld": "SGLD", "sgd": "SGD"}
FALLING = ("lmc", "sgldfp")
THETA, BATCH = (2.0, 1.0), 10
AT = "section 4, simulated data"
SETTINGS = (
    Setting("model", "Bayesian logistic regression, d = 2, prior of covariance the identity", AT),
    Setting("data", "10^5 standard normal covariates, labels simulated under the model", AT),
    Setting("parameter that labels are simulated with", "", AT, "theta = (2, 1)"),
    Setting("sizes N", "10 regularly spaced values of N between 10^2 and 10^5", AT),
    Setting("spacing on the axis of N or of log N", "", AT, "of log N, as the axis of the figure"),
    Setting("minibatch size p", "", AT, "p = 10, the only size of those tried that fits the axes"),
    Setting("drawing", "with replacement", "section 2"),
    Setting("step", "$(1 + delta/4)^(-1)$, $delta$ the largest eigenvalue of $X^T X$", AT),
    Setting("start", "an estimator of the mode, by SGD and BFGS", AT, "the mode, by Newton's method"),
    Setting("iterations", "n = 1/gamma, the first 10 % discarded", AT),
    Setting("trajectories", "100", AT),
    Setting("average over trajectories of distances, or distance of the average", "", "Figure 1",
            "average of distances"),
)  # fmt: skip
_ALL = tuple(round(float(n)) for n in np.geomspace(1e2, 1e5, 10))
SCALES: Mapping[str, Mapping[str, Any]] = {
    LAPTOP: {"sizes": _ALL, "lmc": 5_000, "trajectories": 100, "twins": 16_384, "checked": (100, 464)},
    PAPER: {"sizes": _ALL, "lmc": 10**5, "trajectories": 100, "twins": 16_384,
            "checked": (100, 464, 2154)},
}  # fmt: skip
CHANGED = "LMC, whose step sees all N examples, stops at N = 5,000."


@dataclass(frozen=True, eq=False)
class Place:
    """The set truncated to N, its mode, and the step."""

    data: Labelled
    mode: Array
    gamma: float

    @classmethod
    def of(cls, data: Labelled) -> Place:
        """With the printed step."""
        delta = float(np.linalg.eigvalsh(data.X.T @ data.X)[-1])
        return cls(data, mode_of(data), 1 / (1 + delta / 4))

    @property
    def N(self) -> int:
        """How many examples."""
        return len(self.data.X)

    @property
    def length(self) -> Length:
        """Of a run."""
        return Length.of(self.gamma)

    def problem(self, batch: int = BATCH) -> Any:
        """The logistic one, started at the mode."""
        return problem_of(self.data, batch, {"gamma": self.gamma}, self.mode)

    def twin(self) -> Any:
        """Linear regression with the same gradients and curvatures of examples at the mode."""
        data = linearised(self.data, self.mode)
        return problem_of(data, BATCH, {"gamma": self.gamma}, self.mode, "linear_regression")


@dataclass(frozen=True, eq=False)
class Predicted:
    """At one N: the printed formulas for mean and covariance, and the linearised chain's runs."""

    bias: Array
    covariance: Array  # of the invariant law, by the printed formulas
    runs: Exact


@dataclass(frozen=True, eq=False)
class Series:
    """One sampler against N."""

    sampler: str
    sizes: tuple[int, ...]
    runs: tuple[Runs, ...]
    predicted: tuple[Predicted, ...]


def shared(job: Job) -> Job:
    """Parts that Figures 1 and 2 have in common are kept under one name."""
    return replace(job, experiment="brosse2018.simulated")


def drawn(job: Job) -> Labelled:
    """The data: one draw, truncated for each N."""
    source, largest = shared(job).rng("data"), max(job.size("sizes"))
    X = source.standard_normal((largest, 2))
    chance = 1 / (1 + np.exp(-X @ np.array(THETA)))
    return Labelled(X, np.where(source.random(largest) < chance, 1.0, -1.0))


def series(job: Job, sampler: str, mirrored: bool = False) -> Series:
    """All N of a sampler, and what is predicted there; on mirrored data means are the mode exactly."""
    sizes = tuple(n for n in job.size("sizes") if n <= (job.size("lmc") if sampler == "lmc" else n))
    name = f"{NAMES[sampler]}{', every label also reversed' if mirrored else ''}"
    found = shared(job).part(name, partial(_simulated, job, sampler, sizes, mirrored))
    return Series(sampler, sizes, tuple(r for r, _ in found), tuple(p for _, p in found))


def _simulated(
    job: Job, sampler: str, sizes: tuple[int, ...], mirrored: bool
) -> list[tuple[Runs, Predicted]]:
    data, found = drawn(job), []
    for k, N in enumerate(sizes):
        part = data.first(N)
        place = Place.of(part.mirrored if mirrored else part)
        problem = place.problem()
        seed = job.seed + 1000 * (SAMPLERS.index(sampler) + 4 * mirrored) + k
        runs = runs_of(
            sampler, problem, place.mode, place.length, job.size("trajectories"), seed, job.device
        )
        found.append((runs, predicted(sampler, place)))
    return found


def predicted(sampler: str, place: Place) -> Predicted:
    """Theorems 6 and 7 as printed (remainders left out), and runs of the linearised chain."""
    formula = invariant_moments(sampler).resummed(place.problem())
    covariance = formula.second - np.outer(formula.mean, formula.mean)
    return Predicted(formula.mean, covariance, exact_runs(sampler, place.twin(), place.length))


def agreements(job: Job, quantity: str) -> tuple[Agreement, ...]:
    """Linearised chains simulated against their exact law: "distance" squared, or "trace"."""
    found = shared(job).part("chains with linear gradients", partial(_twins, job))
    return tuple(
        Agreement(f"{NAMES[s]}, linear gradients, N = {N}: mean {words}", measured, exact)
        for s, N, q, words, measured, exact in found
        if q == quantity
    )


def _twins(job: Job) -> list[tuple[str, int, str, str, Amount, Amount]]:
    data, found = drawn(job), []
    count = 2 * len(SAMPLERS) * len(job.size("checked"))
    for k, sampler in enumerate(SAMPLERS):
        for j, N in enumerate(job.size("checked")):
            place = Place.of(data.first(N))
            twin, seed = place.twin(), job.seed + 10_000 + 100 * k + j
            chains = job.size("twins")
            runs = runs_of(sampler, twin, place.mode, place.length, chains, seed, job.device)
            exact = exact_runs(sampler, twin, place.length)
            for q, words, values, value in (
                ("distance", "square of the distance", runs.distances**2, exact.mean_square),
                ("trace", "trace of the empirical covariance", runs.traces, exact.trace),
            ):
                batches = [b.mean() for b in np.array_split(values, BATCHES)]
                certified = Amount(value, 1e-9 * value, "certified")
                found.append((sampler, N, q, words, interval(batches, count), certified))
    return found


def sizes_that_fit(job: Job, batches: tuple[int, ...] = (1, 2, 5, 10, 20, 50, 100)) -> str:
    """What the axes of Figures 1 and 2 say of the minibatch size that is not printed."""
    place = Place.of(drawn(job).first(min(10_000, max(job.size("sizes")))))
    told = []
    for p in batches:
        try:
            formula = invariant_moments("sgd").resummed(place.problem(p))
        except ArithmeticError:
            told.append(f"p = {p}: unstable")
            continue
        trace = float(np.trace(formula.second) - formula.mean @ formula.mean)
        told.append(f"p = {p}: {np.linalg.norm(formula.mean):.2g}, {trace:.2g}")
    return (
        "The axes of SGD are labelled 2e-1 only in Figure 1 and 5e-1 only in Figure 2: distances seem to"
        " lie between 1e-1 and 3e-1, traces between 4e-1 and 6e-1. The mean's distance and the trace at"
        f" N = {place.N:,} by Theorem 7's formulas: " + "; ".join(told) + "."
    )
