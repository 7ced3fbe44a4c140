"""Figure 2: the covariance of constant SGD on the wine data, measured and predicted by Eq. 13."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from verification.experiments.job import Job
from verification.experiments.mandt2017 import settings
from verification.experiments.mandt2017.readings import NEAREST, by_formulas, loaded, local, problem
from verification.experiments.mandt2017.rows import Fits, exact, iterates
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Experiment,
    Findings,
    Heat,
    shape,
)

Array = Any
ALIKE = 0.1  # what an eye does not tell apart in a scale of colours


def run(job: Job) -> Findings:
    """An ensemble, the exact law after as many steps and in the limit, and Eq. 13."""
    found = loaded("wine", job.files)
    about = local(found, NEAREST)
    fits, then, limit = job.part("wine", partial(simulated, job))
    predicted = by_formulas(about)["SGD"]
    posterior = np.linalg.inv(about.precision)
    panels = {"iterates": fits.covariance, "exact law": limit, "Eq. 13": predicted}
    D = about.D
    agreements = tuple(
        Agreement(
            f"variance of coordinate {i + 1} after {job.size('steps')} steps",
            fits.amount(partial(_variance, i), D),
            Amount(float(then[i, i]), 1e-9 * float(then[i, i]), "certified"),
        )
        for i in range(D)
    )
    far = {k: distance(predicted, m) for k, m in (("iterates", fits.covariance), ("exact law", limit))}
    similar = shape(
        "the measured covariance and Eq. 13 closely match",
        f"Eq. 13 differs from the iterates' by {100 * far['iterates']:.2g} %, from the exact law's by"
        f" {100 * far['exact law']:.2g} % (Frobenius norm)",
        lambda m: distance(m, fits.covariance) < ALIKE,
        predicted, posterior, "the posterior's covariance in place of Eq. 13",
    )  # fmt: skip
    heat = Heat("figure2-covariance", "Covariances of the eleven coefficients",
                {k: tuple(map(tuple, m.tolist())) for k, m in panels.items()})  # fmt: skip
    return Findings((heat,), agreements=agreements, shapes=(similar,), data=(found.words,),
                    notes=(f"Step by Eq. 15: {about.rate_of_sgd:.4g}. Reading: {NEAREST.words}.",
                           "The figure prints no numbers."))  # fmt: skip


def _variance(i: int, mean: Array, covariance: Array) -> float:
    return float(covariance[i, i])


def distance(one: Array, other: Array) -> float:
    """Relative to the second, in the Frobenius norm."""
    return float(np.linalg.norm(one - other) / np.linalg.norm(other))


def simulated(job: Job) -> tuple[Fits, Array, Array]:
    """Moments of the iterates, and the exact covariances then and in the limit."""
    found = loaded("wine", job.files)
    about = local(found, NEAREST)
    data, steps = problem(found, NEAREST, about), job.size("steps")
    states = iterates("SGD", data, about, job.size("chains"), steps, steps, job.seed)
    key = ("theta", "theta")
    then, limit = (exact("SGD", data, about, at=at).covariance[key] for at in (steps, None))
    return Fits.of(states[:, 1:]), then, limit


EXPERIMENT = Experiment(
    name="mandt2017.figure2",
    sets=("wine",),
    paper="mandt2017",
    locator="Figure 2",
    claims=("fig2",),
    title="Measured and predicted covariance on the wine data",
    settings=settings.WINE,
    scales={
        LAPTOP: {"chains": 8192, "steps": 2000},
        PAPER: {"chains": 65_536, "steps": 20_000},
    },
    changed="fewer chains and steps; the data and the minibatches are the printed ones.",
    run=run,
)
