"""Figure 1: how far averages of runs are from the mode, against N."""

from __future__ import annotations

import numpy as np

from verification.experiments.brosse2018.runs import fitted, mean_norm, slope
from verification.experiments.brosse2018.simulated import (
    CHANGED,
    FALLING,
    NAMES,
    SAMPLERS,
    SCALES,
    SETTINGS,
    Place,
    Predicted,
    Series,
    agreements,
    drawn,
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

_FITS = 6  # slopes with an interval
_CLOSE = 0.1  # a slope that is read off a plot


def run(job: Job) -> Findings:
    """Distances of the averages, predictions, and the same on data where means are the mode exactly."""
    found = {s: series(job, s) for s in SAMPLERS}
    even = {s: series(job, s, mirrored=True) for s in FALLING}
    fits = {s: fitted(r.sizes, [x.distances for x in r.runs], _FITS) for s, r in found.items()}
    chance = {s: fitted(r.sizes, [x.distances for x in r.runs], _FITS) for s, r in even.items()}
    comparisons = tuple(Comparison(f"slope of {NAMES[s]}", "-1", fits[s]) for s in FALLING)
    shapes = [
        shape(
            f"the slope of {NAMES[s]} is -1",
            _slopes(found[s], fits[s]),
            lambda a: abs(a[0] + 1) <= a[1] + _CLOSE,
            (fits[s].value, fits[s].error),
            (fits[s].value / 2, fits[s].error),
            "half the slope, a rate of $N^(-1/2)$",
        )
        for s in FALLING
    ]
    shapes += [_constant(found[s]) for s in SAMPLERS if s not in FALLING]
    plots = tuple(_plot(found[s], even.get(s)) for s in SAMPLERS)
    notes = (
        *(_chance(found[s], chance[s].value, chance[s].error) for s in FALLING),
        sizes_that_fit(job),
        _admitted(job),
    )
    return Findings(
        plots,
        comparisons,
        agreements(job, "distance"),
        tuple(shapes),
        data=("Simulated data as the paper describes them.",),
        notes=notes,
    )


def distance(p: Predicted) -> float:
    """The mean distance of a run's average, were it normal about the printed mean."""
    return mean_norm(p.bias, p.runs.average)


def _plot(found: Series, even: Series | None) -> Plot:
    n = tuple(map(float, found.sizes))
    means = [interval(r.distances, len(found.sizes)) for r in found.runs]
    bias = tuple(float(np.linalg.norm(p.bias)) for p in found.predicted)
    theorem = "Theorem 6" if found.sampler in FALLING else "Theorem 7"
    lines = [
        Line(f"{theorem}: the mean's distance", n, bias, kind="exact"),
        Line("the same with the spread of a run's average", n, tuple(map(distance, found.predicted)),
             kind="exact"),
        Line("measured", n, tuple(m.value for m in means),
             tuple(m.error for m in means)),
    ]  # fmt: skip
    if even is not None:
        zero = tuple(float(r.distances.mean()) for r in even.runs)
        label = "measured where the law's mean is the mode exactly"
        lines.append(Line(label, tuple(map(float, even.sizes)), zero))
    name = NAMES[found.sampler]
    return Plot(f"distance-{found.sampler}", name, "N", "distance of the average from the mode",
                tuple(lines), log_x=True, log_y=True)  # fmt: skip


def _slopes(found: Series, fit: Amount) -> str:
    """Ours, and that of the prediction at the same N."""
    expected = slope(found.sizes, [distance(p) for p in found.predicted])
    return f"{fit.value:.3f} +- {fit.error:.3f}; {expected:.3f} predicted at these N"


def _constant(found: Series) -> Shape:
    """It tends to a constant: over the second half of the sizes it hardly changes."""
    half = len(found.sizes) // 2
    values = [float(r.distances.mean()) for r in found.runs][half:]
    fit = slope(found.sizes[half:], values)
    return shape(
        f"the distance of {NAMES[found.sampler]} tends to a constant",
        f"{min(values):.3g} to {max(values):.3g} from N = {found.sizes[half]:,} on, slope {fit:.3f}",
        lambda v: abs(v) < _CLOSE,
        fit,
        fit - 1,
        "falling as 1/N",
    )


def _chance(found: Series, measured: float, error: float) -> str:
    """What of the slope is the law's mean, and what is chance."""
    last = found.predicted[-1]
    bias, spread = float(np.linalg.norm(last.bias)), last.runs.mean_square**0.5
    of_all = spread / len(found.runs[-1].away) ** 0.5
    rms = [p.runs.mean_square**0.5 for p in found.predicted]
    together = [float(np.linalg.norm(r.away.mean(axis=0))) for r in found.runs]
    many = len(found.runs[-1].away)
    return (
        f"{NAMES[found.sampler]}: distances of single runs do not tell the means' rate. A run of"
        " n = 1/gamma, about N/4, steps leaves its average a spread that falls as 1/N too: for linear"
        " gradients, where the mean is the mode exactly, the exact root mean square distance has slope"
        f" {slope(found.sizes, rms):.3f}; for logistic regression with every label also reversed, the"
        f" mean again the mode exactly, the measured slope is {measured:.3f} +- {error:.3f}."
        f" At N = {found.sizes[-1]:,} the law's mean is {bias:.2g} away by Theorem 6, and the average of"
        f" a run spreads by {spread:.2g}, that of all {many} runs by {of_all:.2g}. Averaged over runs"
        f" before the distance is taken, the slope is {slope(found.sizes, together):.3f}."
    )


def _admitted(job: Job) -> str:
    """The step against that of Lemma 1 and Corollary 3."""
    place = Place.of(drawn(job))
    each = float((place.data.X**2).sum(axis=1).max()) / 4  # of an example's Hessian, anywhere
    most = 2 / ((place.N + 1) * max(each, 1.0))
    return (
        f"At N = {place.N:,} the step is {place.gamma:.3g}. H1 asks for one bound of all examples'"
        f" second derivatives, {each:.3g} here; Lemma 1 then admits steps below 2/L = {most:.3g}, and"
        f" Corollary 3 gamma N up to {1 / (2 * max(each, 1.0)):.3g}; the experiment has"
        f" {place.gamma * place.N:.3g}."
    )


EXPERIMENT = Experiment(
    name="brosse2018.figure1",
    paper="brosse2018",
    locator="Figure 1",
    claims=("sec4.slope_lmc_fp", "sec4.slope_shows_means", "sec4.constant_sgld_sgd", "fig1"),
    title="Distance of averages from the mode, against N",
    settings=SETTINGS,
    scales=SCALES,
    changed=CHANGED,
    run=run,
)
