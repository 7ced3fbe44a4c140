"""Figure 2: effective samples and errors of weights in logistic regression on a small data set."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sgtheory import law
from verification.experiments import datasets
from verification.experiments.ensembles import interval
from verification.experiments.job import Job
from verification.experiments.li2016psgld.gaussian import NAMES, PSGLD, SGLD
from verification.experiments.li2016psgld.logistic import mode, posterior, weights
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Amount,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    Shape,
    shape,
)

BATCH, VARIANCE = 5, 100.0


def run(job: Job) -> Findings:
    """Runs at each step, and SGLD's exact correlation times near the mode."""
    data = datasets.australian(job.files)
    truth, spread, effective = job.part("truth", partial(posterior_mean, job, data))
    steps = np.geomspace(1e-7, 1e-4, job.size("points"))
    made = {
        (s, float(e)): job.part(f"{s} {e:.3g}", partial(one, job, data, s, float(e), truth, spread))
        for s in NAMES
        for e in steps
    }
    times = tuple(float(e) for e in steps)
    exact = tuple(job.part(f"law {e:.3g}", partial(exact_time, data, e)) for e in times)
    return Findings(
        (_samples(job, made, times, exact), _errors(made, times)),
        shapes=_shapes(made, times),
        data=(data.words,),
        notes=(
            "The mean of the weights is by importance sampling about the mode, not by HMC:"
            f" {effective:,.0f} effective draws.",
            "The risk is the mean square error of a run's means over posterior variances, averaged over"
            " weights, where the paper takes the slowest weight; effective samples are one over it."
            " A run that is still near its start has none.",
            "The two risks are compared by the interval of their difference. With 50 runs, as printed,"
            " whether it excludes 0 depends on the seed: 200 are taken.",
            "The exact line is the number of steps over the correlation time: it knows no start, so that"
            " runs fall below it where they have not settled.",
        ),
    )


def posterior_mean(job: Job, data: Any) -> tuple[Any, Any, float]:
    """Draws from a normal about the mode, slightly wider, weighted by the posterior."""
    at, A = mode(data.X, data.y, VARIANCE)
    root = np.linalg.cholesky(np.linalg.inv(A * len(data.X)) * 1.1)
    z = job.rng("truth").standard_normal((job.size("draws"), len(at)))
    x = at + z @ root.T
    energy = np.logaddexp(0, -(x @ data.X.T) * data.y).sum(axis=1) + (x**2).sum(axis=1) / (2 * VARIANCE)
    logs = (z**2).sum(axis=1) / 2 - energy
    w = np.exp(logs - logs.max())
    w /= w.sum()
    mean = w @ x
    return mean, w @ (x - mean) ** 2, float(1 / (w**2).sum())


def one(job: Job, data: Any, sampler: str, eps: float, truth: Any, spread: Any) -> tuple[Amount, Amount]:
    """The risk, and the distance of a run's mean of weights from the posterior's."""
    # streams of their own: intervals of a difference take both for independent
    job = replace(job, seed=job.seed + 1_000 * (1 + list(NAMES).index(sampler)))
    x = weights(job, posterior(data.X, data.y, sampler, eps, BATCH, VARIANCE), sampler,
                job.size("runs"), job.size("steps"), 1)  # fmt: skip
    means = x.mean(axis=1)
    distance = np.linalg.norm(means - truth, axis=1)
    each = risk(means, truth, spread)
    many = 4 * job.size("points")
    return interval(each, many), interval(distance, many)


def risk(means: Any, truth: Any, spread: Any) -> Any:
    """Of each run, (runs,): squared errors over variances, averaged over weights.

    >>> risk(np.array([[1.0, 1.0], [0.0, 2.0]]), np.zeros(2), np.array([10.0, 10.0]))
    array([0.1, 0.2])
    """
    return ((means - truth) ** 2 / spread).mean(axis=1)


def exact_time(data: Any, eps: float) -> float:
    """SGLD's largest correlation time near the mode, by the exact law of the affine chain."""
    from sgtheory.problem import Problem

    _, A = mode(data.X, data.y, VARIANCE)
    slowest = float(np.linalg.eigvalsh(A)[0])
    content = {"hessian": [[repr(slowest)]], "noise": [[1]], "N": len(data.X), "S": BATCH,
               "params": {"eps": repr(eps)}}  # fmt: skip
    found = law(SGLD, Problem.of(content), average=1).autocorrelation_time
    assert found is not None
    return float(found[0])


def _samples(job: Job, made: Any, steps: tuple[float, ...], exact: tuple[float, ...]) -> Plot:
    lines = [Line(NAMES[s], steps, tuple(1 / made[s, e][0].value for e in steps)) for s in NAMES]
    n = job.size("steps")
    lines.append(
        Line(
            "SGLD, slowest direction near the mode, exact",
            steps,
            tuple(n / t for t in exact),
            kind="exact",
        )
    )
    title = f"Effective samples in {n:,} steps"
    return Plot("effective", title, "step", "effective samples", tuple(lines), log_x=True, log_y=True)


def _errors(made: Any, steps: tuple[float, ...]) -> Plot:
    lines = tuple(
        Line(NAMES[s], steps, tuple(made[s, e][1].value for e in steps),
             tuple(made[s, e][1].error for e in steps))
        for s in NAMES
    )  # fmt: skip
    title = "Distance of a run's mean of weights from the posterior's"
    return Plot("errors", title, "step", "error", lines, log_x=True)


def _shapes(made: Any, steps: tuple[float, ...]) -> tuple[Shape, ...]:
    last = steps[-1]
    ess = {s: made[s, last][0] for s in NAMES}
    off = [(made[PSGLD, e][1], made[SGLD, e][1]) for e in steps]
    return (
        shape(
            f"pSGLD has more effective samples at the largest step ({last:g})",
            f"{1 / ess[PSGLD].value:.1f} and {1 / ess[SGLD].value:.1f}",
            # the error of a difference of two independent means
            lambda n: n[SGLD].value - n[PSGLD].value > np.hypot(n[SGLD].error, n[PSGLD].error),
            ess,
            {PSGLD: ess[SGLD], SGLD: ess[PSGLD]},
            "the two exchanged",
        ),
        shape(
            "pSGLD's error of weights is not larger than SGLD's at any step",
            "; ".join(f"{e:.2g}: {a.value:.3f}, SGLD {b.value:.3f}"
                      for e, (a, b) in zip(steps, off, strict=True)),
            lambda x: all(a.value - a.error <= b.value + b.error for a, b in x),
            off,
            [(Amount(2 * (b.value + b.error) + a.error + 1, a.error), b) for a, b in off],
            "twice SGLD's and one more",
        ),
    )  # fmt: skip


EXPERIMENT = Experiment(
    name="li2016psgld.figure2",
    sets=("australian",),
    paper="li2016psgld",
    locator="Figure 2",
    claims=("sec6.time_per_sample", "fig2", "sec6.lower_risk"),
    title="Effective samples and errors of weights in logistic regression",
    settings=(
        Setting("data", "Australian: N = 690, D = 14", "section 6", "a stand-in unless a file is given"),
        Setting("minibatch", "5", "section 6"),
        Setting("prior variance", "100", "section 6"),
        Setting("iterations", "5e3", "section 6"),
        Setting("steps", "1e-7 to 1e-4", "section 6"),
        Setting("runs", "50", "section 6", "200"),
        Setting("true weights", "1e6 samples of HMC", "section 6", "importance sampling"),
        Setting("alpha, lambda", "0.99, 1e-5", "defaults, before Algorithm 1"),
        Setting("Gamma", "left out", "practical techniques"),
        Setting("start", "", "section 6", "0"),
        Setting("time of a run", "", "Fig. 2 (a)", "steps are counted instead"),
        Setting("scaling of the data", "", "section 6", "columns of mean 0 and variance 1"),
    ),
    scales={
        LAPTOP: {"points": 4, "runs": 200, "steps": 5_000, "draws": 20_000},
        PAPER: {"points": 10, "runs": 200, "steps": 5_000, "draws": 1_000_000},
    },
    changed="fewer steps along the axis, and fewer draws for the true mean.",
    run=run,
)
