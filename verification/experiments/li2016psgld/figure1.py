"""Figure 1: errors of covariances and autocorrelation times of SGLD and pSGLD against the step."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from verification.experiments.ensembles import BATCHES, interval, measured
from verification.experiments.job import Job
from verification.experiments.li2016psgld.gaussian import (
    NAMES,
    PSGLD,
    SGLD,
    autocorrelation_time,
    error,
    exact,
    exact_time,
    limit,
    problem,
    samples,
)
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Clouds,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    Shape,
    shape,
)

TARGET = ("4/25", "1")
LARGE = "3/10"


def run(job: Job) -> Findings:
    """Exact laws and ensembles at each step; then runs of the printed kind."""
    steps = job.size("steps")
    laws = {(s, e): job.part(f"law {s} {e}", partial(exact, s, e, TARGET)) for s in NAMES for e in steps}
    runs = {
        (s, e): job.part(f"runs {s} {e}", partial(one_step, job, s, e))
        for (s, e), known in laws.items()
        if known is not None
    }
    agreements = [
        a for at in runs for a in job.part(f"ensemble {at}", partial(agree, job, *at, laws[at]))
    ]
    return Findings(
        (_errors(laws, runs), _times(job, runs), first_samples(job, LARGE, TARGET, laws)),
        agreements=tuple(agreements),
        shapes=_shapes(job, laws, runs),
        notes=(
            f"As the step vanishes pSGLD has variances {limit(0.16):.4f} and {limit(1.0):.4f} instead of"
            " 0.16 and 1: its V then follows the gradient at this place, and Gamma is left out.",
            f"A run has {job.size('samples'):,} samples, all of them used.",
            "Autocorrelation times are those of positions, by Eq. 9; SGLD's are exact.",
        ),
    )


def one_step(job: Job, sampler: str, eps: str) -> tuple[Amount, tuple[float, ...]]:
    """The error of a run's covariance, averaged over runs, and both autocorrelation times."""
    x = samples(job, sampler, eps, TARGET, job.size("runs"), job.size("samples"))
    target = np.diag([float(Fraction(v)) for v in TARGET])
    found = np.einsum("cti,ctj->cij", x, x) / x.shape[1]
    each = np.linalg.norm(found - target, axis=(1, 2)).reshape(BATCHES, -1).mean(axis=1)
    times = tuple(autocorrelation_time(x[:, :, i]) for i in range(2))
    return interval(each, 2 * len(job.size("steps"))), times


def agree(job: Job, sampler: str, eps: str, known: tuple[Amount, ...]) -> list[Agreement]:
    """Variances of an ensemble that has settled against the exact ones."""
    made, _ = problem(sampler, eps, TARGET)
    steps = int(30 / float(Fraction(eps)))  # the slower coordinate keeps at most exp(-eps/2) a step
    many = 4 * len(job.size("steps"))

    def variance(i: int) -> Amount:
        return measured(
            sampler, made, lambda run: float(run.covariance["theta,theta"][i, i]),
            chains=job.size("chains"), steps=steps, seed=job.seed, device=job.device, intervals=many,
        )  # fmt: skip

    return [
        Agreement(f"{NAMES[sampler]} at {eps}, variance {i + 1}", variance(i), known[i])
        for i in range(2)
    ]


def _number(eps: str) -> float:
    return float(Fraction(eps))


def _errors(laws: Any, runs: Any) -> Plot:
    lines = []
    for sampler, name in NAMES.items():
        known = [(e, v) for (s, e), v in laws.items() if s == sampler and v is not None]
        x = tuple(_number(e) for e, _ in known)
        y = tuple(error([a.value for a in v], TARGET) for _, v in known)
        lines.append(Line(f"{name}, of an endless run, exact", x, y, kind="exact"))
        seen = tuple(runs[sampler, e][0] for e, _ in known)
        lines.append(
            Line(f"{name}, of a run", x, tuple(a.value for a in seen), tuple(a.error for a in seen))
        )
    ends = [min(_number(e) for _, e in laws), max(_number(e) for _, e in laws)]
    at_zero = error((limit(0.16), limit(1.0)), TARGET)
    lines.append(Line("pSGLD as the step vanishes", tuple(ends), (at_zero, at_zero), kind="exact"))
    title = "Frobenius distance of the covariance from the target's"
    return Plot("errors", title, "step", "error", tuple(lines), log_x=True, log_y=True)


def _times(job: Job, runs: Any) -> Plot:
    lines = []
    for i in range(2):
        for sampler, name in NAMES.items():
            known = [e for s, e in runs if s == sampler]
            x = tuple(_number(e) for e in known)
            y = tuple(runs[sampler, e][1][i] for e in known)
            lines.append(Line(f"{name}, coordinate {i + 1}", x, y))
            if sampler == SGLD:
                y = tuple(exact_time(e, TARGET)[i] for e in known)
                lines.append(Line(f"{name}, coordinate {i + 1}, exact", x, y, kind="exact"))
    title = "Autocorrelation times"
    return Plot("times", title, "step", "steps", tuple(lines), log_x=True, log_y=True)


def first_samples(job: Job, eps: str, variances: tuple[str, ...], laws: Any) -> Clouds:
    """The first 600 positions of one run of each sampler, and the exact covariances."""
    points: dict[str, tuple[tuple[float, float], ...]] = {}
    ellipses = []
    target = tuple(float(Fraction(v)) for v in variances)
    for sampler, name in NAMES.items():
        x = samples(job, sampler, eps, variances, 1, 600)[0]
        points[name] = tuple((float(a), float(b)) for a, b in x)
        known = laws.get((sampler, eps))
        if known:
            a, b = (v.value for v in known)
            ellipses.append((f"{name}, exact", "exact", (0.0, 0.0), ((a, 0.0), (0.0, b))))
    ellipses.append(("target", "printed", (0.0, 0.0), ((target[0], 0.0), (0.0, target[1]))))
    numbers = f"variances {target[0]:g} and {target[1]:g}"
    name = f"first-{_number(eps):g}-{target[1]:g}"
    return Clouds(name, f"The first 600 samples at step {_number(eps):g}, {numbers}", "1", "2", points,
                  tuple(ellipses))  # fmt: skip


def _shapes(job: Job, laws: Any, runs: Any) -> tuple[Shape, ...]:
    def errors(eps: str) -> tuple[float, float]:
        mine, other = (error([a.value for a in laws[s, eps]], TARGET) for s in (PSGLD, SGLD))
        return mine, other

    both = [e for e in job.size("steps") if laws[SGLD, e] is not None]
    large, small = max(both, key=_number), min(both, key=_number)
    pairs = [(runs[PSGLD, e][0], runs[SGLD, e][0]) for e in both]
    slowest = [(max(runs[PSGLD, e][1]), max(runs[SGLD, e][1])) for e in both]
    return (
        shape(
            f"pSGLD has the lower error with a large step ({_number(large):g}; exact, endless runs)",
            "{:.3f} and {:.3f}".format(*errors(large)),
            lambda pair: pair[0] < pair[1],
            errors(large),
            errors(large)[::-1],
            "the two exchanged",
        ),
        shape(
            "pSGLD has the lower error of runs at all steps",
            "; ".join(f"{_number(e):g}: {a.value:.3f}, SGLD {b.value:.3f}"
                      for e, (a, b) in zip(both, pairs, strict=True)),
            lambda x: all(a.value - a.error < b.value + b.error for a, b in x),
            pairs,
            [(Amount(b.value + 2 * (a.error + b.error) + a.value, a.error), b) for a, b in pairs],
            "pSGLD's errors raised by SGLD's",
        ),
        shape(
            "pSGLD has the lower autocorrelation time of the slower coordinate at all steps",
            "; ".join(f"{_number(e):g}: {a:.3g}, SGLD {b:.3g}"
                      for e, (a, b) in zip(both, slowest, strict=True)),
            lambda x: all(a < b for a, b in x),
            slowest,
            [(2 * b, b) for _, b in slowest],
            "twice SGLD's",
        ),
        shape(
            f"with a small step the errors of both are alike ({_number(small):g}; exact, endless runs,"
            " within a factor of 2)",
            "{:.3f} and {:.3f}".format(*errors(small)),
            lambda pair: 0.5 < pair[0] / pair[1] < 2,
            errors(small),
            (3 * errors(small)[1], errors(small)[1]),
            "three times SGLD's",
        ),
    )  # fmt: skip


EXPERIMENT = Experiment(
    name="li2016psgld.figure1",
    paper="li2016psgld",
    locator="Figure 1",
    claims=("sec6.simulation_stable", "fig1"),
    title="Errors and autocorrelation times of SGLD and pSGLD on a Gaussian",
    settings=(
        Setting("target", "variances 0.16 and 1", "simulation"),
        Setting("samples of a run", "2e5", "simulation", "20,000 at laptop scale"),
        Setting("step in (b)", "0.3", "simulation"),
        Setting("alpha, lambda", "0.99, 1e-5", "defaults, before Algorithm 1"),
        Setting("Gamma", "left out", "practical techniques"),
        Setting("steps in (a)", "", "Fig. 1", "0.01 to 0.5"),
        Setting("error", "", "Fig. 1", "Frobenius distance"),
        Setting("autocorrelation time of what", "", "Fig. 1", "of each position"),
        Setting("noise of gradients, N", "", "simulation", "none; N = 1"),
        Setting("start", "", "simulation", "(0.4, 1)"),
    ),
    scales={
        LAPTOP: {"steps": ("1/100", "3/100", "1/10", "3/10", "1/2"), "samples": 20_000, "runs": 64,
                 "chains": 8_192},
        PAPER: {"steps": ("3/1000", "1/100", "3/100", "1/10", "1/5", "3/10", "2/5", "1/2"),
                "samples": 200_000, "runs": 64, "chains": 65_536},
    },
    changed="runs of 20,000 samples instead of 200,000, and fewer steps.",
    run=run,
)  # fmt: skip
