"""Figure 5: the posterior's covariance as one run of each sampler estimates it, from two starts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sgtheory.numbers.numeric import law
from verification.experiments.ensembles import BATCHES, interval
from verification.experiments.job import Job
from verification.experiments.mandt2017 import chains
from verification.experiments.mandt2017.artificial import Artificial
from verification.experiments.mandt2017.chains import IASG, LEFT_OUT, MEAN, STARTS, UPDATE, Runs
from verification.experiments.mandt2017.nuts import ABSENT
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Experiment,
    Findings,
    Heat,
    Shape,
    shape,
)


def run(job: Job) -> Findings:
    """One run's estimates for the figure; errors over all runs; the exact means of the estimates."""
    found = chains.runs(job)
    exact = job.part("exact", partial(by_theory, found, job.size("passes")))
    all_of = {key: _covariances(x[:, LEFT_OUT:]) for key, x in found.samples.items()}
    drawn = chains.by_nuts(job, found)
    if drawn is not None:
        all_of |= {("NUTS", start): _covariances(drawn[start][0]) for start in STARTS}
    return Findings(
        tuple(_heats(found, all_of, exact)),
        agreements=_agreements(found, all_of, exact),
        shapes=_shapes(found.made, all_of, BATCHES),
        data=(found.made.words,),
        notes=_notes(found.made, all_of, drawn is None),
    )


def _covariances(samples: Any) -> Any:
    """Each chain's own: (chains, D, D)."""
    away = samples - samples.mean(1, keepdims=True)
    return away.transpose(0, 2, 1) @ away / (samples.shape[1] - 1)


def by_theory(found: Runs, passes: int) -> dict[tuple[str, str], tuple[Any, float]]:
    """The mean of the estimate by sampler and start, and how far off its trace is at most, relative."""
    made, n, known = found.made, passes - LEFT_OUT, {}
    each, whole = (_average(made, k * len(made.X) // chains.S) for k in (1, n))
    for start in STARTS:
        known[IASG, start] = (n * (each - whole) / (n - 1), 1e-9)
    more, unsure = chains.excess(made, passes)
    for sampler in (UPDATE, MEAN):
        for start in STARTS:
            way = chains.path(made, sampler, None if start == "mode" else found.random, passes)
            mean = way.after(LEFT_OUT).expected()[-1]
            bound = float(chains.mean_loss_bound(made, way) / np.diag(mean).min())
            if sampler == UPDATE:
                mean, bound = mean + np.diag(more[-1]), float((unsure[-1] / np.diag(mean)).max())
            known[sampler, start] = (mean, bound)
    return known


def _average(made: Artificial, window: int) -> Any:
    found = law("sgd", chains.problem(made, IASG), average=window).average
    assert found is not None
    return found.covariance


def _error(estimates: Any, made: Artificial) -> Any:
    """Of each estimate in the Frobenius norm, relative."""
    away = np.linalg.norm(estimates - made.posterior, axis=(1, 2))
    return away / np.linalg.norm(made.posterior)


def _structure(estimates: Any, made: Artificial) -> Any:
    """The correlation of the estimates' entries off the diagonal with the posterior's."""
    upper = np.triu_indices(len(made.posterior), 1)
    truth = made.posterior[upper] - made.posterior[upper].mean()
    entries = estimates[:, *upper]
    entries = entries - entries.mean(1, keepdims=True)
    return entries @ truth / np.linalg.norm(entries, axis=1) / np.linalg.norm(truth)


def _heats(found: Runs, all_of: Any, exact: Any) -> list[Heat]:
    N, made = len(found.made.X), found.made

    def rows(matrix: Any) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(map(float, row)) for row in N * matrix)

    heats = []
    for start in STARTS:
        whence = "the mode" if start == "mode" else "a random place"
        names = [k for k, b in all_of if b == start and k != MEAN]
        panels = {"posterior": rows(made.posterior), "IASG, exact mean": rows(exact[IASG, start][0])}
        panels |= {name: rows(all_of[name, start][0]) for name in names if name != UPDATE}
        heats.append(Heat(f"from-{start}", f"N times the covariance, from {whence}, one run", panels))
        for name in (UPDATE, MEAN):
            words = f"N times the covariance by {name}, from {whence}"
            both = {"exact mean": rows(exact[name, start][0]), "one run": rows(all_of[name, start][0])}
            heats.append(
                Heat(f"{name}-{start}".lower().replace(" ", "-").replace(".", "-"), words, both)
            )
    return heats


def _agreements(found: Runs, all_of: Any, exact: Any) -> tuple[Agreement, ...]:
    scale, agreements = np.diag(found.made.posterior), []
    for (sampler, start), (mean, relative) in exact.items():
        each = (np.diagonal(all_of[sampler, start], axis1=1, axis2=2) / scale).mean(1)
        groups = [g.mean() for g in np.array_split(each, BATCHES)]
        value = float((np.diag(mean) / scale).mean())
        what = f"{sampler} from {start}: mean variance, multiple of the posterior's"
        theory = Amount(value, relative * value, "certified")
        agreements.append(Agreement(what, interval(groups, len(exact)), theory))
    return tuple(agreements)


def _shapes(made: Artificial, all_of: Any, batches: int) -> tuple[Shape, ...]:
    errors = {key: float(_error(x, made).mean()) for key, x in all_of.items()}
    names = [k for k, b in all_of if b == "mode" and k != MEAN]
    at_mode = [errors[name, "mode"] for name in names]
    at_random = [errors[name, "random"] for name in names]

    def told(start: str) -> str:
        return ", ".join(f"{k} {errors[k, b]:.2g}" for k, b in all_of if b == start)

    seen = {k: _structure(all_of[k, "random"], made) for k in names}
    apart = [interval([g.mean() for g in np.array_split(seen[IASG] - seen[k], batches)], len(names))
             for k in names if k != IASG]  # fmt: skip
    return (
        shape(
            "from the mode all samplers find a good estimate, nearer to the posterior's covariance than"
            " to its half or double",
            f"relative errors: {told('mode')}",
            lambda e: max(e) < 0.5,
            at_mode,
            [1.0, *at_mode[1:]],
            "IASG's error 1",
        ),
        shape(
            "from a random place IASG performs better than the others",
            f"relative errors: {told('random')}",
            lambda e: e[0] < min(e[1:]),
            at_random,
            at_random[::-1],
            "the errors in reverse",
        ),
        shape(
            "from a random place IASG reveals more of the posterior's structure",
            "correlation off the diagonal: "
            + ", ".join(f"{k} {v.mean():.2g}" for k, v in seen.items())
            + f" (on the mean loss {_structure(all_of[MEAN, 'random'], made).mean():.2g})",
            lambda a: all(x.value > x.error for x in a),
            apart,
            [Amount(-a.value, a.error) for a in apart] if _ahead(apart) else apart,
            "differences turned round where IASG is ahead",
        ),
    )


def _ahead(apart: Any) -> bool:
    return all(x.value > x.error for x in apart)


def _notes(made: Artificial, all_of: Any, absent: bool) -> tuple[str, ...]:
    upper = np.triu_indices(len(made.posterior), 1)
    scale = np.diag(made.posterior).mean()
    size = float(np.sqrt(np.mean(made.posterior[upper] ** 2)) / scale)
    found = (
        "Covariates with unit covariance make the posterior's covariance nearly a multiple of the"
        f" identity: entries off the diagonal are {size:.2g} of a variance, and n independent draws"
        f" leave errors of $n^(-1/2)$, which is as large at n = {size**-2:,.0f}.",
    )
    return (*found, ABSENT) if absent else found


EXPERIMENT = Experiment(
    name="mandt2017.figure5",
    paper="mandt2017",
    locator="Figure 5",
    claims=("sec7_2.sgld_near_the_posterior", "fig5"),
    title="The posterior's covariance as the samplers estimate it",
    settings=chains.SETTINGS,
    scales={
        LAPTOP: {"N": 10_000, "D": 10, "passes": 500, "chains": 64, "warm": 50, "draws": 60},
        PAPER: {"N": 10_000, "D": 10, "passes": 10_000, "chains": 100, "warm": 200, "draws": 1000},
    },
    changed="500 passes for 10,000 and 64 chains for 100; the runs are those of Figure 4.",
    run=run,
)
