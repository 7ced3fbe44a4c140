"""Figure 6: the prior's precision by constant SGD as variational EM, by BBVI, and by trying many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from verification.experiments import datasets
from verification.experiments.datasets import STANDIN, Dataset
from verification.experiments.job import Job
from verification.experiments.mandt2017 import softmax
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    Shape,
    shape,
)

SGD, BBVI = "constant SGD", "BBVI"
FIRST = 10.0  # lambda, away from what is found


@dataclass(frozen=True)
class Curve:
    """Losses on the test part by precision, the precisions that were selected, and rates at those."""

    tried: tuple[float, ...]
    losses: tuple[float, ...]
    selected: dict[str, float]
    there: dict[str, float]  # the loss of a fit at the selected precision
    ways: dict[str, tuple[float, ...]]  # the precision along the run
    rate: float  # Eq. 15's, and at which a step is unstable
    limit: float

    @property
    def best(self) -> int:
        """Which of those that were tried has the least loss."""
        return int(np.argmin(self.losses))

    def reach(self) -> float:
        """How much is lost at least by a precision ten times too small or too large."""
        x, y, k = np.log10(self.tried), np.array(self.losses), self.best
        order = np.argsort(x)
        ends = np.interp([x[k] - 1, x[k] + 1], x[order], y[order])
        return float(ends.min() - y[k])


def run(job: Job) -> Findings:
    """Both data sets."""
    made = (digits(job), cover_like(job))
    curves = {d.name: job.part(d.name, partial(curve, job, d)) for d in made}
    plots: list[Any] = []
    for name, found in curves.items():
        plots += [_losses(name, found), _ways(name, found)]
    return Findings(
        tuple(plots),
        shapes=tuple(s for name, found in curves.items() for s in _shapes(name, found)),
        data=tuple(d.words for d in made),
        notes=_notes(curves, job.size("S")),
    )


def digits(job: Job) -> Dataset:
    """MNIST, at laptop scale with means over squares of pixels."""
    found, k = datasets.mnist(job.files), job.size("square")

    def pooled(X: Any) -> Any:
        side = 28 // k
        return X.reshape(len(X), side, k, side, k).mean((2, 4)).reshape(len(X), -1)

    source = found.source if k == 1 else f"{found.source}; means of {k} x {k} pixels"
    return Dataset("mnist", pooled(found.X), found.y, found.kind, source, pooled(found.test_X),
                   found.test_y)  # fmt: skip


def cover_like(job: Job) -> Dataset:
    """The cover types' shape: 10 numbers, one of 4 marks and one of 40, 7 classes; from Eq. 35."""
    rng, n, test = job.rng("cover"), job.size("cover"), job.size("cover_test")
    mix = rng.standard_normal((10, 10)) / 10**0.5
    numbers = rng.standard_normal((n + test, 10)) @ mix
    marks = [np.eye(k)[rng.choice(k, n + test, p=rng.dirichlet(np.ones(k)))] for k in (4, 40)]
    X = np.concatenate([numbers, *marks], axis=1)
    margins = X @ rng.standard_normal((54, 7))
    y = (margins + rng.gumbel(size=margins.shape)).argmax(1)
    source = "the cover types' shape, 54 features and 7 classes, weights from the prior with precision 1"
    return Dataset("cover types", X[:n], y[:n], STANDIN, source, X[n:], y[n:])


def curve(job: Job, data: Dataset) -> Curve:
    """Fits at many precisions, from large to small, and the two selections."""
    X, y, S, K = data.X, data.y, job.size("S"), int(data.y.max()) + 1
    tried, theta, losses = np.geomspace(100, 0.01, job.size("grid")), None, []
    for precision in tried:
        theta = softmax.fit(X, y, K, float(precision), theta)
        losses.append(softmax.loss(theta, data.test_X, data.test_y))
    chosen = {
        SGD: softmax.by_sgd(X, y, K, S, job.size("sgd"), FIRST, job.rng(f"{data.name} SGD")),
        BBVI: softmax.by_bbvi(X, y, K, 100, job.size("bbvi"), FIRST, job.rng(f"{data.name} BBVI")),
    }
    selected = {name: c.precision for name, c in chosen.items()}
    fits = {name: softmax.fit(X, y, K, p) for name, p in selected.items()}
    there = {name: softmax.loss(t, data.test_X, data.test_y) for name, t in fits.items()}
    limit = softmax.stable_rate(fits[SGD], X, y, selected[SGD])
    ways = {name: c.precisions for name, c in chosen.items()}
    grid = tuple(map(float, tried))
    return Curve(grid, tuple(losses), selected, there, ways, chosen[SGD].rate, limit)


def _losses(name: str, found: Curve) -> Plot:
    lines = [Line("fits at chosen precisions", found.tried[::-1], found.losses[::-1], kind="exact")]
    lines += [Line(k, (found.selected[k],), (found.there[k],)) for k in (SGD, BBVI)]
    title = f"{name}: loss on the test part by the precision lambda, and where it was selected"
    return Plot(f"{name.replace(' ', '-')}-losses", title, "lambda", "mean minus log likelihood",
                tuple(lines), log_x=True)  # fmt: skip


def _ways(name: str, found: Curve) -> Plot:
    lines = []
    for k, way in found.ways.items():
        share = tuple((i + 1) / len(way) for i in range(len(way)))
        lines.append(Line(k, share, way))
    title = f"{name}: the precision along each run"
    return Plot(f"{name.replace(' ', '-')}-runs", title, "share of the run", "lambda",
                tuple(lines), log_y=True)  # fmt: skip


def _shapes(name: str, found: Curve) -> tuple[Shape, ...]:
    reach, least = found.reach(), min(found.losses)
    worst = max(found.losses)
    told = f"reach of a factor of ten: {reach:.2g}"
    return (
        shape(
            f"{name}: BBVI and constant SGD yield similar results, closer than a factor of ten in lambda"
            " about the best",
            f"lambda {found.selected[SGD]:.3g} and {found.selected[BBVI]:.3g}, losses"
            f" {found.there[SGD]:.4f} and {found.there[BBVI]:.4f}; {told}",
            lambda pair: abs(pair[0] - pair[1]) < reach,
            (found.there[SGD], found.there[BBVI]),
            (worst, found.there[BBVI]),
            "the worst loss that was tried for SGD's",
        ),
        shape(
            f"{name}: constant SGD can stand in for cross-validation, to a factor of ten in lambda",
            f"loss {found.there[SGD]:.4f}, the best of {len(found.tried)} is {least:.4f} at lambda"
            f" {found.tried[found.best]:.3g}; {told}",
            lambda there: there - least < reach,
            found.there[SGD],
            worst,
            "the worst loss that was tried",
        ),
    )


def _notes(curves: dict[str, Curve], S: int) -> tuple[str, ...]:
    rates = tuple(
        f"{name}: Eq. 15's rate is {found.rate:.3g} in the end for minibatches of {S}; from"
        f" {found.limit:.3g} on steps are unstable even without noise. With Eq. 15 that is so from"
        f" minibatches of {int(S * found.limit / found.rate) + 1} on; the paper prints no size."
        for name, found in curves.items()
    )
    return (
        *rates,
        "The loss is that of a fit at each precision, as in the paper, not of the mean prediction.",
        "No exact law is drawn: with the precision among the states a step is not linear.",
    )


EXPERIMENT = Experiment(
    name="mandt2017.figure6",
    sets=("mnist",),
    paper="mandt2017",
    locator="Figure 6",
    claims=("sec7_3.maximizing", "fig6"),
    title="The prior's precision by constant SGD, BBVI, and a grid",
    settings=(
        Setting("data", "MNIST and the cover types", "section 7.3", "see above"),
        Setting("model", "softmax regression, a normal prior of precision lambda", "Eq. 35"),
        Setting("constant SGD", "Eq. 22", "section 7.3"),
        Setting("learning rate of theta", "the best one, of Eq. 15", "section 4.2", "Tr C by Eq. 21"),
        Setting("kappa of Eq. 21", "", "", "0.001; its bias is divided out"),
        Setting("learning rate of lambda", "", "", "$0.2 N lambda^2/(D K) t^(-1/2)$"),
        Setting("minibatch", "", "", "2 for SGD, 100 for BBVI"),
        Setting("steps", "", "", "as long as the runs drawn"),
        Setting("first lambda", "", "", "10"),
        Setting("BBVI's optimiser", "", "", "Adam, 0.01, falling in the second half"),
        Setting("values of lambda that are tried", "", "", "100 to 0.01"),
    ),
    scales={
        LAPTOP: {"square": 2, "S": 2, "sgd": 60_000, "bbvi": 6_000, "grid": 9, "cover": 5_000,
                 "cover_test": 2_000},
        PAPER: {"square": 1, "S": 2, "sgd": 2_000_000, "bbvi": 40_000, "grid": 17, "cover": 500_000,
                "cover_test": 81_012},
    },
    changed="digits as means of 2 x 2 pixels, fewer examples, shorter runs; the cover types are drawn.",
    run=run,
)  # fmt: skip
