"""Figure 2: traces of empirical covariances of runs, against N."""

from __future__ import annotations

import numpy as np

from verification.experiments.brosse2018.runs import fitted, slope
from verification.experiments.brosse2018.simulated import (
    CHANGED,
    FALLING,
    NAMES,
    SAMPLERS,
    SCALES,
    SETTINGS,
    Series,
    agreements,
    series,
    sizes_that_fit,
)
from verification.experiments.ensembles import interval
from verification.experiments.job import Job
from verification.experiments.record import (
    Amount,
    Comparison,
    Experiment,
    Findings,
    Line,
    Plot,
    Shape,
    shape,
)

_FITS = 2
_CLOSE = 0.1


def run(job: Job) -> Findings:
    """Traces, the printed formulas, and what a short run loses."""
    found = {s: series(job, s) for s in SAMPLERS}
    fits = {s: fitted(found[s].sizes, [x.traces for x in found[s].runs], _FITS) for s in FALLING}
    shapes = [
        shape(
            f"the slope of {NAMES[s]} is -1",
            _slopes(found[s], fits[s]),
            lambda a: abs(a[0] + 1) <= a[1] + _CLOSE,
            (fits[s].value, fits[s].error),
            (fits[s].value / 2, fits[s].error),
            "half the slope",
        )
        for s in FALLING
    ]
    shapes += [_constant(found[s]) for s in SAMPLERS if s not in FALLING]
    return Findings(
        tuple(_plot(found[s]) for s in SAMPLERS),
        tuple(Comparison(f"slope of {NAMES[s]}", "-1", fits[s]) for s in FALLING),
        agreements(job, "trace"),
        tuple(shapes),
        data=("Simulated data as the paper describes them.",),
        notes=(*(_short(found[s]) for s in SAMPLERS), sizes_that_fit(job)),
    )


def _plot(found: Series) -> Plot:
    n = tuple(map(float, found.sizes))
    means = [interval(r.traces, len(found.sizes)) for r in found.runs]
    theorem = "Theorem 6" if found.sampler in FALLING else "Theorem 7"
    lines = (
        Line(f"{theorem}", n, tuple(float(np.trace(p.covariance)) for p in found.predicted),
             kind="exact"),
        Line("runs of this length with linear gradients", n,
             tuple(p.runs.trace for p in found.predicted), kind="exact"),
        Line("measured", n, tuple(m.value for m in means),
             tuple(m.error for m in means)),
    )  # fmt: skip
    return Plot(f"trace-{found.sampler}", NAMES[found.sampler], "N", "trace of the covariance", lines,
                log_x=True, log_y=True)  # fmt: skip


def _slopes(found: Series, fit: Amount) -> str:
    """Ours, and that of the prediction at the same N."""
    expected = slope(found.sizes, [p.runs.trace for p in found.predicted])
    return f"{fit.value:.3f} +- {fit.error:.3f}; {expected:.3f} predicted at these N"


def _constant(found: Series) -> Shape:
    half = len(found.sizes) // 2
    values = [float(r.traces.mean()) for r in found.runs]
    fit = slope(found.sizes[half:], values[half:])
    return shape(
        f"the trace of {NAMES[found.sampler]} tends to a constant",
        f"{values[0]:.3g} at N = {found.sizes[0]:,}, {values[-1]:.3g} at N = {found.sizes[-1]:,};"
        f" slope {fit:.3f} from N = {found.sizes[half]:,} on",
        lambda v: abs(v) < _CLOSE,
        fit,
        fit - 1,
        "falling as 1/N",
    )


def _short(found: Series) -> str:
    """How much smaller empirical covariances of a run are, at both ends."""
    ends = [
        (found.sizes[k], found.predicted[k].runs.mean_square, found.predicted[k].runs.trace)
        for k in (0, -1)
    ]
    words = ", ".join(f"{100 * s / (t + s):.2g} % at N = {n:,}" for n, s, t in ends)
    return (
        f"{NAMES[found.sampler]}: about the average of its own run a covariance is smaller than the"
        f" law's by nearly the spread of that average, {words}."
    )


EXPERIMENT = Experiment(
    name="brosse2018.figure2",
    paper="brosse2018",
    locator="Figure 2",
    claims=("fig2",),
    title="Traces of covariances, against N",
    settings=SETTINGS,
    scales=SCALES,
    changed=CHANGED,
    run=run,
)
