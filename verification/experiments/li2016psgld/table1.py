"""Table 1: test errors of logistic regression on a9a, here on the part of Adult that ships."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from verification.experiments import datasets
from verification.experiments.ensembles import interval
from verification.experiments.job import Job
from verification.experiments.li2016psgld.gaussian import NAMES, PSGLD, SGLD
from verification.experiments.li2016psgld.logistic import (
    largest_stable_step,
    mode,
    posterior,
    running_errors,
    weights,
)
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Amount,
    Comparison,
    Contradiction,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    Shape,
    printed_amount,
    shape,
)

STEP, BATCH, VARIANCE, EVERY, BURN = 5e-2, 50, 10.0, 50, 500
PRINTED = {PSGLD: "14.85", SGLD: "14.85"}
OTHERS = {"DSVI": "15.20", "L-BFGS-SGVI": "14.91", "HFSGVI": "15.16"}
READINGS = {"as Eq. 2 has it": 1.0, "of the mean gradient: divided by N": 0.0}


def run(job: Job) -> Findings:
    """The printed step as the formulas have it, and as a step of the mean gradient."""
    data = datasets.adult(job.files)
    N = len(data.X)
    found = {
        (s, r): job.part(f"{s} {r}", partial(errors, job, data, s, STEP if as_is else STEP / N))
        for s in NAMES
        for r, as_is in READINGS.items()
    }
    curvature = float(np.linalg.eigvalsh(mode(data.X, data.y, VARIANCE)[1])[-1])
    limit = largest_stable_step(curvature, N)
    best = {s: min((found[s, r] for r in READINGS), key=lambda e: float(e[:, -1].mean())) for s in NAMES}
    amounts = {s: interval(100 * best[s][:, -1], 2) for s in NAMES}
    test = 100 * float(np.sqrt(0.15 * 0.85 / len(data.test_X)))
    return Findings(
        (_curves(found),),
        comparisons=tuple(
            Comparison(f"test error of {NAMES[s]} (%)", PRINTED[s], amounts[s]) for s in NAMES
        ),
        shapes=_shapes(amounts, best),
        contradictions=(
            Contradiction(
                "Eq. 2",
                f"By Eq. 2 SGLD is stable on these data for steps below {limit:.2g} only; the printed"
                f" step is {STEP:g}, {STEP / limit:.0f} times that. It fits a step of the mean gradient,"
                " which is N times smaller.",
                Amount(limit / 2, limit / 2, "certified"),
                printed_amount("0.05"),
            ),
        ),
        data=(data.words,),
        notes=(
            *(f"{NAMES[s]}, step {r}: test error {100 * float(e[:, -1].mean()):.2f} %"
              for (s, r), e in found.items()),
            f"Comparisons use the better of both readings. Intervals are over runs; another test set of"
            f" this size alone moves an error by {test:.2f} (one standard error).",
        ),
    )  # fmt: skip


def errors(job: Job, data: Any, sampler: str, eps: float) -> Any:
    """Test errors of running averages after the burn-in, (runs, times)."""
    made = posterior(data.X, data.y, sampler, eps, BATCH, VARIANCE)
    x = weights(job, made, sampler, job.size("runs"), job.size("steps"), EVERY)
    with np.errstate(invalid="ignore", over="ignore"):
        return running_errors(x[:, BURN // EVERY :], data.test_X, data.test_y)


def settled(path: Any) -> int:
    """The iteration from which on an error stays within 0.2 % of the last.

    >>> settled(np.array([0.3, 0.2, 0.151, 0.15]))
    650
    """
    away = np.flatnonzero(abs(path - path[-1]) > 2e-3)
    return int(BURN + EVERY * (1 + (away[-1] + 1 if len(away) else 0)))


def _curves(found: Any) -> Plot:
    lines = []
    for (s, r), e in found.items():
        x = tuple(float(BURN + EVERY * (k + 1)) for k in range(e.shape[1]))
        lines.append(Line(f"{NAMES[s]}, step {r}", x, tuple(100 * float(v) for v in e.mean(axis=0))))
    ends = (lines[0].x[0], lines[0].x[-1])
    lines += [Line(name, ends, (float(v),) * 2, kind="printed") for name, v in OTHERS.items()]
    title = "Test errors of averaged probabilities"
    return Plot("curves", title, "iteration", "per cent", tuple(lines))


def _shapes(amounts: Any, best: Any) -> tuple[Shape, ...]:
    both = (amounts[PSGLD], amounts[SGLD])
    when = {s: float(np.mean([settled(p) for p in best[s]])) for s in NAMES}
    return (
        shape(
            "pSGLD and SGLD have the same test error, to the printed digits",
            f"{both[0].value:.2f} and {both[1].value:.2f}",
            lambda pair: pair[0].within(Amount(pair[1].value, pair[1].error + 0.005)),
            both,
            (Amount(both[0].value + 5 + both[0].error + both[1].error, both[0].error), both[1]),
            "five more for pSGLD",
        ),
        shape(
            "SGLD needs at least twice the iterations of pSGLD (text on Fig. 3)",
            f"{when[SGLD]:.0f} and {when[PSGLD]:.0f} until the error stays within 0.2",
            lambda pair: pair[0] >= 2 * pair[1],
            (when[SGLD], when[PSGLD]),
            (when[PSGLD], when[SGLD] + when[PSGLD]),
            "the two exchanged, and a sum",
        ),
    )


EXPERIMENT = Experiment(
    name="li2016psgld.table1",
    sets=("adult",),
    paper="li2016psgld",
    locator="Table 1",
    claims=("table1", "fig3"),
    title="Test errors of Bayesian logistic regression on a9a",
    settings=(
        Setting("data", "a9a: N = 32,561, D = 123, 16,281 for testing", "section 6",
                "Adult's training file, coded alike: 21,707 and 10,854"),
        Setting("minibatch", "50", "section 6"),
        Setting("prior variance", "10", "section 6"),
        Setting("thinning, burn-in", "50, 500", "section 6"),
        Setting("iterations", "1.5e4", "section 6"),
        Setting("step", "5e-2", "section 6", "as Eq. 2 has it, and divided by N"),
        Setting("alpha, lambda", "0.99, 1e-5", "defaults, before Algorithm 1"),
        Setting("Gamma", "left out", "practical techniques"),
        Setting("start", "", "section 6", "0"),
        Setting("runs", "", "section 6", "several"),
    ),
    scales={LAPTOP: {"runs": 16, "steps": 6_000}, PAPER: {"runs": 16, "steps": 15_000}},
    changed="6,000 iterations instead of 15,000, and a part of the data.",
    run=run,
)  # fmt: skip
