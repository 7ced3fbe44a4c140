"""Figure 4: how soon IASG, SGLD and NUTS find the smallest and the largest marginal variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sgtheory.numbers.numeric import law
from verification.experiments.ensembles import BATCHES, interval
from verification.experiments.job import Job
from verification.experiments.mandt2017 import chains
from verification.experiments.mandt2017.artificial import Artificial, artificial
from verification.experiments.mandt2017.chains import (
    FIRST_RATE,
    IASG,
    LEFT_OUT,
    MEAN,
    STARTS,
    UPDATE,
    Runs,
)
from verification.experiments.mandt2017.nuts import ABSENT
from verification.experiments.mandt2017.paths import estimated, windows
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Experiment,
    Findings,
    Line,
    Plot,
    Shape,
    shape,
)

ENDS = ("smallest", "largest")
PLACES = 12  # passes at which estimates are looked at


@dataclass(frozen=True, eq=False)
class Exact:
    """What one estimate is by exact theory, as a multiple of the posterior's variance, by passes."""

    expected: tuple[float, ...]
    error: tuple[float, ...]
    scatter: float  # between chains, after the last


def run(job: Job) -> Findings:
    """Estimates of all samplers against passes, exact ones beside them, and the rates that are best."""
    found = chains.runs(job)
    made, passes = found.made, job.size("passes")
    places = tuple(int(n) for n in np.unique(np.geomspace(LEFT_OUT + 3, passes, PLACES).astype(int)))
    exact = job.part("exact", partial(by_theory, made, found.random, places))
    rates = job.part("rates", partial(errors_of_rates, made, job.size("search")))
    noises = job.part("noises", partial(by_noise, job))
    drawn = chains.by_nuts(job, found)
    plots = [_estimates(found, exact, places, s, b) for s in chains.SAMPLERS for b in STARTS]
    plots += [] if drawn is None else [_nuts_plot(found, drawn[b], b) for b in STARTS]
    return Findings(
        (*plots, _rates_plot(rates), _noises_plot(noises)),
        agreements=_agreements(found, exact, places),
        shapes=(
            *_shapes(found, exact, passes, _length(job, made)),
            _best_rate(rates, job.size("search"), job.size("N")),
        ),
        data=(made.words,),
        notes=_notes(made, drawn),
    )


def _length(job: Job, made: Artificial) -> float:
    """SGLD's mean multiple of the smallest variance over the printed 10,000 passes, by section 5.1."""
    every, most = len(made.X) // chains.S, job.size("printed")
    # the step changes as the root of the passes: equal shares of the run at the middle of each
    middles = LEFT_OUT + (np.arange(200) + 0.5) / 200 * (most - LEFT_OUT)
    rates = np.array([chains.rate(UPDATE, made, int(every * k)) for k in middles])
    nodes = np.geomspace(rates.min(), rates.max(), 5)
    least = made.extremes[0]
    values = [float(chains.settled(made, e)[least, least]) for e in nodes]
    return float(np.interp(rates, nodes, values).mean() / made.posterior[least, least])


def by_theory(made: Artificial, random: Any, places: tuple[int, ...]) -> dict[Any, Exact]:
    """For each sampler, start and end."""
    found = {}
    for end, which in zip(ENDS, made.extremes, strict=True):
        scale = made.posterior[which, which]
        covariance = windows(chains.problem(made, IASG), len(made.X) // chains.S,
                             places[-1] - LEFT_OUT, which)  # fmt: skip
        each = [estimated(np.zeros(n), covariance[:n, :n]) for n in (p - LEFT_OUT for p in places)]
        known = tuple(float(e / scale) for e, _ in each)
        for start in STARTS:
            small = tuple(1e-9 * e for e in known)  # of a random start e^(-30) is left
            found[IASG, start, end] = Exact(known, small, float(each[-1][1] / scale))
    more, unsure = chains.excess(made, places[-1])
    for sampler in (UPDATE, MEAN):
        for start in STARTS:
            way = chains.path(made, sampler, None if start == "mode" else random, places[-1])
            rest = way.after(LEFT_OUT)
            whole = rest.expected()
            bound = chains.mean_loss_bound(made, way) if sampler == MEAN else 0.0
            for end, which in zip(ENDS, made.extremes, strict=True):
                scale = made.posterior[which, which]
                rows = np.array(places) - LEFT_OUT - 1
                known, error = whole[rows - 1, which, which], np.full(len(rows), bound)
                if sampler == UPDATE:
                    known, error = known + more[rows, which], unsure[rows, which]
                scatter = estimated(*rest.vector(which))[1]
                found[sampler, start, end] = Exact(
                    tuple(map(float, known / scale)),
                    tuple(map(float, error / scale)),
                    float(scatter / scale),
                )
    return found


def errors_of_rates(made: Artificial, passes: int) -> dict[float, float]:
    """Root mean square error of the smallest variance by eps_0 in section 5.1's update, relative."""
    least = made.extremes[0]
    scale, found = made.posterior[least, least], {}
    for half in range(-8, 1):
        first = FIRST_RATE * float(10 ** (half / 2))
        way = chains.path(made, UPDATE, None, passes, first).after(LEFT_OUT)
        mean, scatter = estimated(*way.vector(least))
        found[first] = float(math.hypot(mean - scale, scatter) / scale)
    return found


def by_noise(job: Job) -> tuple[tuple[float, float, float], ...]:
    """IASG's multiple of the smallest variance by the variance of y: Eq. 34, and the exact law."""
    found = []
    for sigma2 in np.geomspace(0.05, 2.0, job.size("noises")):
        made = artificial(job.rng("noise"), job.size("N"), job.size("D"), float(sigma2))
        N, least = len(made.X), made.extremes[0]
        average = law("sgd", chains.problem(made, IASG), average=N // chains.S).average
        assert average is not None
        exact = average.covariance[least, least] / made.posterior[least, least]
        found.append((float(sigma2), _eq34(made)[0], float(exact)))
    return tuple(found)


def _eq34(made: Artificial) -> tuple[float, float]:
    """Multiples of the smallest and the largest variance of the posterior."""
    x = float(chains.RATE.split("/")[0]) / 1000 * np.linalg.eigvalsh(made.precision) / chains.S
    multiples = 1 + np.expm1(-x) / x
    return float(multiples[-1]), float(multiples[0])


def _estimates(found: Runs, exact: Any, places: Any, sampler: str, start: str) -> Plot:
    lines: list[Line] = []
    for end, which in zip(ENDS, found.made.extremes, strict=True):
        each = [found.variances(sampler, start, which, n) for n in places]
        scale = found.made.posterior[which, which]
        y, sd = tuple(float(e.mean()) for e in each), tuple(float(e.std(ddof=1)) for e in each)
        x = tuple(map(float, places))
        expected = tuple(e * scale for e in exact[sampler, start, end].expected)
        lines += [
            Line(f"{end}, exact", x, expected, kind="exact"),
            Line(f"{end}, measured", x, y, sd),
            Line(f"posterior's {end}", x, (scale,) * len(x), kind="exact"),
        ]
    return _plot(sampler, start, lines)


def _plot(sampler: str, start: str, lines: list[Line]) -> Plot:
    whence = "the mode" if start == "mode" else "a random place"
    words = f"{sampler} from {whence}: marginal variances as estimated; bars: one standard deviation"
    name = f"{sampler}-{start}".lower().replace(" ", "-").replace(".", "-")
    return Plot(name, f"{words} between chains", "passes", "variance", tuple(lines), True, True)


def _nuts_plot(found: Runs, drawn: tuple[Any, Any], start: str) -> Plot:
    draws, used = drawn
    counts = np.unique(np.geomspace(3, draws.shape[1], PLACES).astype(int))
    x = tuple(float(used[:, : n + 1].sum(1).mean()) for n in counts)
    lines = []
    for end, which in zip(ENDS, found.made.extremes, strict=True):
        each = [draws[:, :n, which].var(1, ddof=1) for n in counts]
        scale = found.made.posterior[which, which]
        y, sd = tuple(float(e.mean()) for e in each), tuple(float(e.std(ddof=1)) for e in each)
        lines += [
            Line(f"{end}, measured", x, y, sd),
            Line(f"posterior's {end}", x, (scale,) * len(x), kind="exact"),
        ]
    return _plot("NUTS", start, lines)


def _rates_plot(rates: dict[float, float]) -> Plot:
    x, y = tuple(rates), tuple(rates.values())
    return Plot(
        "rates",
        "Error of the smallest variance as SGLD estimates it, relative, by $eps_0$ in section 5.1's"
        " update (on the mean loss, $eps_0/N$)",
        r"$\epsilon_0$",
        "root mean square error",
        (Line("exact theory", x, y, kind="exact"),),
        True,
        True,
    )


def _noises_plot(noises: Any) -> Plot:
    x, printed, exact = (tuple(float(v) for v in column) for column in zip(*noises, strict=True))
    return Plot(
        "noises",
        "IASG's smallest variance as a multiple of the posterior's, by the variance of y, which is not"
        " printed",
        "variance of y about its mean",
        "multiple of the posterior's",
        (Line("exact law", x, exact, kind="exact"), Line("Eq. 34", x, printed, kind="exact")),
        log_x=True,
    )


def _agreements(found: Runs, exact: Any, places: Any) -> tuple[Agreement, ...]:
    made, agreements = found.made, []
    for sampler in chains.SAMPLERS:
        for start in STARTS:
            for end, which in zip(ENDS, made.extremes, strict=True):
                each = found.variances(sampler, start, which, places[-1])
                groups = [g.mean() for g in np.array_split(each / made.posterior[which, which], BATCHES)]
                theory = exact[sampler, start, end]
                what = f"{sampler} from {start}: {end} variance, multiple of the posterior's"
                amount = Amount(theory.expected[-1], theory.error[-1], "certified")
                agreements.append(Agreement(what, interval(groups, 12), amount))
    return tuple(agreements)


def _shapes(found: Runs, exact: Any, passes: int, length: float) -> tuple[Shape, ...]:
    few, many = exact[IASG, "mode", "smallest"], exact[UPDATE, "mode", "smallest"]
    on_mean = exact[MEAN, "mode", "smallest"], exact[MEAN, "random", "smallest"]
    bias = tuple(1 - exact[IASG, "mode", end].expected[-1] for end in ENDS)
    ratios = (few.expected[-1], length)
    gap = [abs(exact[s, "mode", "smallest"].expected[-1] - exact[s, "random", "smallest"].expected[-1])
           for s in (UPDATE, MEAN)]  # fmt: skip
    return (
        shape(
            "SGLD has a larger standard deviation between chains than IASG",
            f"{many.scatter:.2g} against {few.scatter:.2g} posterior variances after {passes:,} passes"
            f" (on the mean loss {on_mean[0].scatter:.2g})",
            lambda s: s[0] > s[1],
            (many.scatter, few.scatter),
            (few.scatter, many.scatter),
            "the two interchanged",
        ),
        shape(
            "from the mode all algorithms perform reasonably well, to within a factor of two",
            f"IASG {ratios[0]:.2f}, SGLD by section 5.1 {ratios[1]:.2f} times the smallest variance,"
            f" over the printed passes; on the mean loss {on_mean[0].expected[-1]:.2f} after {passes:,}",
            lambda r: all(0.5 < x < 2 for x in r),
            ratios,
            (ratios[0] / 2, ratios[1]),
            "IASG's halved",
        ),
        shape(
            "IASG's smallest variance is biased more than its largest",
            f"{100 * bias[0]:.1f} % too small, {100 * bias[1]:.1f} % for the largest",
            lambda b: b[0] > b[1],
            bias,
            (0.0, bias[1]),
            "no bias of the smallest",
        ),
        shape(
            "how well SGLD estimates depends on the start",
            f"by section 5.1 the two starts differ by {gap[0]:.2g} posterior variances after"
            f" {passes:,} passes (on the mean loss by {gap[1]:.2g})",
            lambda g: g > many.scatter,
            gap[0],
            0.0,
            "no difference",
        ),
    )


def _best_rate(rates: dict[float, float], passes: int, N: int) -> Shape:
    """Whether the printed rate is the best of those half a decade apart."""
    best = min(rates, key=lambda e: rates[e])
    return shape(
        f"$eps_0 = {FIRST_RATE:g}$ is optimal for SGLD, by the error of the variance and half decades",
        f"after {passes:,} passes {best:.2g} is by section 5.1, with error {rates[best]:.2g} where"
        f" {FIRST_RATE:g} has {rates[FIRST_RATE]:.2g}; on the mean loss {best * N:.2g} is",
        lambda e: rates[e] == min(rates.values()),
        FIRST_RATE,
        max(rates, key=lambda e: rates[e] * (e != FIRST_RATE)),
        "the worst other rate in its place",
    )


def _notes(made: Artificial, drawn: Any) -> tuple[str, ...]:
    N, every = len(made.X), len(made.X) // chains.S
    scale = np.diag(made.posterior)
    x = 0.003 * every
    smallest, largest = _eq34(made)
    relaxed = {
        s: sum(chains.rate(s, made, t) for t in range(0, 10**7, 10**3)) * 10**3 * N / 2
        for s in (UPDATE, MEAN)
    }
    ratio = scale.max() / scale.min()
    notes = [
        f"Eq. 29 asks for T much larger than 1/eps; here eps T = {x:.3g}, in Figure 3 50. Eq."
        f" 34 says {smallest:.3f} times the smallest variance and {largest:.3f} times the largest:"
        " the error is larger along the largest, as section 6.2 says; section 7.2 reports the opposite.",
        f"With unit covariance the largest variance is {ratio:.3f} times the smallest; n independent"
        f" draws estimate a variance to $(2/n)^(1/2)$, as much at n = {2 / (ratio - 1) ** 2:,.0f}.",
        f"In 10^7 steps SGLD relaxes {relaxed[UPDATE]:,.0f} times by section 5.1, and"
        f" {relaxed[MEAN]:.2g} times on the mean loss. Only the second is slow enough for the start to"
        " matter; only the first fits the printed update.",
    ]
    if drawn is None:
        return (*notes, ABSENT, _draws_words())
    used = drawn["mode"][1]
    return (
        *notes,
        f"NUTS (blackjax) took {used[:, 0].mean():,.0f} gradients of all data to warm up and"
        f" {used[:, 1:].mean():.3g} for each draw.",
        _draws_words(),
    )


def _draws_words() -> str:
    return (
        "The posterior is normal: exact independent draws, at one pass each, would have no bias and the"
        " error $(2/n)^(1/2)$ after n passes; no method with full gradients does better from one chain."
    )


EXPERIMENT = Experiment(
    name="mandt2017.figure4",
    paper="mandt2017",
    locator="Figure 4",
    claims=("fig4.window", "fig4.passes", "fig4"),
    title="IASG, SGLD and NUTS: marginal variances against passes",
    settings=chains.SETTINGS,
    scales={
        LAPTOP: {"N": 10_000, "D": 10, "passes": 500, "chains": 64, "noises": 5, "search": 500,
                 "printed": 10_000, "warm": 50, "draws": 60},
        PAPER: {"N": 10_000, "D": 10, "passes": 10_000, "chains": 100, "noises": 12, "search": 10_000,
                "printed": 10_000, "warm": 200, "draws": 1000},
    },
    changed="500 passes instead of 10,000, and 64 chains instead of 100. Exact theory needs no"
    " chains; it is told at 10,000 passes too.",
    run=run,
)  # fmt: skip
