"""Figure 1: posterior and sampling laws in the posterior's widest and narrowest direction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from verification.experiments.job import Job
from verification.experiments.mandt2017 import bbvi, settings
from verification.experiments.mandt2017.readings import (
    NEAREST,
    REVERSE,
    Local,
    by_formulas,
    loaded,
    local,
    ornstein_uhlenbeck,
    problem,
    read,
)
from verification.experiments.mandt2017.rows import Fits, exact, iterates
from verification.experiments.mandt2017.table1 import variational
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Clouds,
    Experiment,
    Findings,
    Shape,
    called,
    shape,
)

Array = Any
SHOWN = 400  # points of a cloud
COLUMNS = {"SGD_f": "preconditioned constant SGD", "SGD": "constant SGD", "BBVI": "BBVI"}
ALIKE = 0.15  # of a standard deviation, between two ellipses that an eye takes for one


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel of the figure, in the plane of the two directions."""

    data: str
    row: str
    points: Array
    measured: Array  # 2 x 2
    predicted: Array  # by Eq. 13 or 18; of BBVI at its optimum
    posterior: Array
    variances: tuple[Amount, ...]  # in the two directions
    then: Array | None  # exact after the steps of the simulation, where that is known
    limit: Array  # of the exact law at its finite step; the loss made quadratic for logistic regression


def plane(about: Local) -> Array:
    """The smallest and the largest principal component of the posterior, in columns."""
    _, vectors = np.linalg.eigh(about.A)
    return vectors[:, [-1, 0]]


def run(job: Job) -> Findings:
    """Two data sets, three algorithms."""
    sets = {name: loaded(name, job.files) for name in ("wine", "skin")}
    abouts = {name: local(found, NEAREST) for name, found in sets.items()}
    panels = [p for name in sets for p in job.part(name, partial(panels_of, job, name))]
    agreements = tuple(
        Agreement(
            f"{p.data}, {COLUMNS[p.row]}: variance in the posterior's {which} direction",
            p.variances[k], Amount(float(p.then[k, k]), 1e-9 * float(p.then[k, k]), "certified"),
        )
        for p in panels if p.then is not None for k, which in enumerate(("narrowest", "widest"))
    )  # fmt: skip
    return Findings(
        tuple(_clouds(job, p) for p in panels),
        agreements=agreements,
        shapes=shapes(panels, abouts),
        data=tuple(found.words for found in sets.values()),
        notes=(
            *(f"{n}: step by Eq. 15 {a.rate_of_sgd:.4g}." for n, a in abouts.items()),
            f"Reading of what is not printed: {NEAREST.words}.",
            "The figure prints no numbers. Agreements are of linear regression, whose law on real"
            " minibatches is exact; logistic regression's is known to first order only.",
        ),
    )


def panels_of(job: Job, name: str) -> list[Panel]:
    """A row of the figure."""
    found = loaded(name, job.files)
    about = local(found, NEAREST)
    data, logistic = problem(found, NEAREST, about), name == "skin"
    where = about.quadratic() if logistic else data
    chains, steps = (job.size(f"skin {k}" if logistic else k) for k in ("chains", "steps"))
    P, made = plane(about), []
    posterior = P.T @ np.linalg.inv(about.precision) @ P
    for k, row in enumerate(("SGD_f", "SGD")):
        job.tell(f"{name}, {COLUMNS[row]}", k / 3)
        seed = (job.seed + 10 * logistic + k) % 2**32
        states = iterates(row, data, about, chains, steps, 2 if logistic else steps, seed) @ P
        states = states[:, states.shape[1] // 2 :]
        fits = Fits.of(states)
        gain = 2 * about.S / about.N * np.linalg.inv(about.C) if row == "SGD_f" else None
        free = by_formulas(about)["SGD"] if gain is None else ornstein_uhlenbeck(about, gain)
        key = ("theta", "theta")
        then = None if logistic else P.T @ exact(row, where, about, at=steps).covariance[key] @ P
        limit = P.T @ exact(row, where, about).covariance[key] @ P
        variances = tuple(fits.amount(partial(_variance, i), 4) for i in range(2))
        points = states.reshape(-1, 2)[:: max(1, states.size // 2 // SHOWN)]
        made.append(Panel(name, row, points, fits.covariance, P.T @ free @ P, posterior, variances,
                          then, limit))  # fmt: skip
    sizes = job.size("BBVI steps"), job.size("BBVI minibatch")
    rng = job.rng(f"BBVI {name}")
    fit = variational(about, rng, sizes, *(read(found, NEAREST) if logistic else ()))
    return [*made, _variational(about, fit, rng, P, posterior)]


def _variational(about: Local, fit: bbvi.MeanField, rng: Any, P: Array, posterior: Array) -> Panel:
    draws = (fit.mean - about.mode + fit.deviation * rng.standard_normal((SHOWN, about.D))) @ P
    best, own = (P.T @ c @ P for c in (by_formulas(about)["BBVI"], fit.covariance))
    return Panel(about.name, "BBVI", draws, own, best, posterior, (), None, best)


def _variance(i: int, mean: Array, covariance: Array) -> float:
    return float(covariance[i, i])


def shapes(panels: list[Panel], abouts: dict[str, Local]) -> tuple[Shape, ...]:
    """What section 7.1 says about the figure."""
    sgd = [p for p in panels if p.row != "BBVI"]
    ratios = {f"{p.data} {called(p.row)}": _ratios(p.predicted, p.measured) for p in sgd}
    seen = "; ".join(f"{k} {r.min():.3f} to {r.max():.3f}" for k, r in ratios.items())
    rates = {name: a.rate_of_sgd for name, a in abouts.items()}
    said = "Eq. 15: " + ", ".join(f"{n} {r:.3g}" for n, r in rates.items())
    full = next(p for p in panels if p.data == "wine" and p.row == "SGD_f")
    off = _ratios(full.limit, full.posterior)
    kl = {(n, r): a.divergence(REVERSE, by_formulas(a)[r]) for n, a in abouts.items()
          for r in ("SGD", "BBVI")}  # fmt: skip
    return (
        shape(
            "measured and predicted covariance agree very well",
            f"deviations by Eqs. 13 and 18 over measured ones: {seen}",
            lambda r: all(np.abs(v - 1).max() < ALIKE for v in r.values()),
            ratios, {k: 2**0.5 * v for k, v in ratios.items()}, "predicted variances doubled",
        ),
        shape(
            "wine requires a larger learning rate than skin", said,
            lambda r: r["wine"] > r["skin"], rates, {"wine": 1.0, "skin": 2.0},
            "wine's rate half of skin's",
        ),
        shape(
            "preconditioned SGD on wine does not exactly match the posterior, by discretisation",
            f"exact deviations at its step over the posterior's: {off.min():.4f} to {off.max():.4f}",
            lambda r: np.abs(r - 1).max() > ALIKE, off, np.ones(2), "the posterior itself",
        ),
        shape(
            "constant SGD is not worse than BBVI",
            "; ".join(f"{n} {r} {v:.3g}" for (n, r), v in kl.items()) + f" ({REVERSE})",
            lambda d: all(d[n, "SGD"] <= d[n, "BBVI"] for n in abouts),
            kl, {k: 1 / v for k, v in kl.items()}, "divergences inverted",
        ),
    )  # fmt: skip


def _ratios(one: Array, other: Array) -> Array:
    """Of the deviations in the directions in which two laws differ most and least."""
    return np.sqrt(np.linalg.eigvals(np.linalg.solve(other, one)).real)


def _clouds(job: Job, p: Panel) -> Clouds:
    rng = job.rng(f"posterior {p.data} {p.row}")
    drawn = rng.multivariate_normal(np.zeros(2), p.posterior, SHOWN)

    def pair(m: Array) -> tuple[tuple[float, float], ...]:
        return tuple((float(a), float(b)) for a, b in m)

    zero = (0.0, 0.0)
    rule = {"SGD": "Eq. 13", "SGD_f": "Eq. 18", "BBVI": "its optimum"}[p.row]
    shown = [("posterior", "exact", p.posterior), ("fitted to them", "measured", p.measured),
             (f"predicted, {rule}", "printed", p.predicted)]  # fmt: skip
    if p.row != "BBVI":
        shown.append(("exact law", "exact", p.limit))
    return Clouds(
        f"figure1-{p.data}-{p.row.lower()}",
        f"{p.data}: {COLUMNS[p.row]}",
        "narrowest direction of the posterior",
        "widest direction",
        {
            "draws of the posterior": pair(drawn),
            "draws of BBVI" if p.row == "BBVI" else "iterates": pair(p.points),
        },
        tuple((label, kind, zero, pair(c)) for label, kind, c in shown),
    )


EXPERIMENT = Experiment(
    name="mandt2017.figure1",
    sets=("wine", "skin"),
    paper="mandt2017",
    locator="Figure 1",
    claims=("sec1.centred", "sec7_1.discretisation", "fig1", "table1.bbvi"),
    title="Posterior and stationary laws of SGD and BBVI",
    settings=(*settings.WINE, *settings.SKIN, *settings.BBVI),
    scales={
        LAPTOP: {"chains": 2048, "steps": 2000, "skin chains": 64, "skin steps": 400,
                 "BBVI steps": 1000, "BBVI minibatch": 1000},
        PAPER: {"chains": 16_384, "steps": 20_000, "skin chains": 512, "skin steps": 2000,
                "BBVI steps": 10_000, "BBVI minibatch": 10_000},
    },
    changed="fewer chains and steps, and smaller minibatches of BBVI on the skin data; data and"
    " minibatches of SGD are the printed ones.",
    run=run,
)  # fmt: skip
