"""Effective samples for each pass over the data, against the step, and the limit of one to a pass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from sgtheory import law, registry
from sgtheory.numbers.modes import modes_of, solve
from sgtheory.numbers.observables import autocovariance
from sgtheory.onestep.affine import mode_form
from sgtheory.onestep.full import Array
from sgtheory.problem import Problem
from sgtheory.setting import Setting as Run
from simulators.ensemble import simulate
from simulators.record import Factor, Recording
from verification.experiments.ensembles import BATCHES, interval
from verification.experiments.job import Job
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
)

N, S = 200, 10
PASS = N // S  # steps
A = [[2, 1], [1, "3/2"]]
PROBLEM = {"model": "quadratic", "hessian": A, "noise": A, "N": N, "S": S}
SAMPLERS = {"sgd": "SGD", "iasg": "IASG", "momentum": "momentum 0.9", "sgld": "SGLD"}
RATES = (0.02, 0.66)
OWN = "effective samples of its own law per pass"
WORTH = "posterior samples that a pass is worth"
_LEFT = 1e-4  # of a mode's correlations at the last lag; of their sum nearly as much is left out
_RISE = 1e-10  # of the variance: what a chain lacks of its stationary law when a recording begins


@dataclass(frozen=True)
class Correlated:
    """The first coordinate of a stationary chain: its variance, and its autocovariances, by sample.

    Samples are iterates; of IASG they are means over a pass.
    """

    variance: float
    long_run: float  # the sum over all lags, both ways
    steps: int  # between samples

    @property
    def own(self) -> float:
        """Effective samples for each pass, of the chain's own law."""
        return PASS / self.steps * self.variance / self.long_run

    @property
    def worth(self) -> float:
        """Samples of the posterior whose mean has the variance of the mean over a pass."""
        return posterior() / (self.long_run * self.steps / PASS)


def run(job: Job) -> Findings:
    """Exact curves of four samplers, and autocovariances recorded over long runs."""
    rates = [float(f"{r:.3g}") for r in np.geomspace(*RATES, job.size("curve"))]
    at = [float(f"{r:.3g}") for r in np.geomspace(job.size("least"), 0.5, job.size("measured"))]
    many = 2 * len(SAMPLERS) * len(at)
    own: list[Line] = []
    worth: list[Line] = []
    agreements = []
    for k, (name, label) in enumerate(SAMPLERS.items()):
        curve = [(r, found) for r in rates if (found := exact(name, r)) is not None]
        seen = job.part(name, partial(_measured, job, name, at, job.seed + 1000 * k, many))
        x = tuple(r for r, _ in curve)
        own.append(Line(f"{label}, exact", x, tuple(c.own for _, c in curve), kind="exact"))
        worth.append(Line(f"{label}, exact", x, tuple(c.worth for _, c in curve), kind="exact"))
        for lines, j in ((own, 0), (worth, 1)):
            y, error = per_pass([pair[j] for pair in seen], name, j)
            lines.append(Line(f"{label}, measured", tuple(at), y, error))
        agreements += [a for r, pair in zip(at, seen, strict=True) for a in agreed(name, r, pair)]
    limit = Line("limit of section 6.2", RATES, (1.0, 1.0), kind="level")
    plots = tuple(
        Plot(slug, f"{what[0].upper()}{what[1:]}, first coordinate", "learning rate", what,
             (*lines, limit), log_x=True, log_y=True)
        for slug, what, lines in (("own-law", OWN, own), ("posterior", WORTH, worth))
    )  # fmt: skip
    return Findings(plots, agreements=tuple(agreements), notes=_NOTES)


def per_pass(
    amounts: Sequence[Amount], name: str, which: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What is drawn: a pass over correlation times, or the posterior over long-run variances."""
    gap = PASS if name == "iasg" else 1
    above = PASS / gap if which == 0 else posterior() * PASS / gap
    y = tuple(above / a.value for a in amounts)
    return y, tuple(v * a.error / a.value for v, a in zip(y, amounts, strict=True))


def posterior() -> float:
    """The posterior's variance of the first coordinate, (A^(-1))_11/N."""
    return float(np.linalg.inv(np.array([[2, 1], [1, 1.5]]))[0, 0]) / N


def problem(name: str, rate: float) -> Problem:
    """The problem at a learning rate: what the mean gradient is multiplied by, in the long run."""
    r = Fraction(str(rate))
    letters: Mapping[str, Mapping[str, Any]] = {
        "momentum": {"eps": str(r / 10), "mu": "1/10"},
        "sgld": {"eps": str(2 * r / N)},
        "iasg": {"eps": str(r), "T": PASS},
    }
    return Problem.of({**PROBLEM, "params": dict(letters.get(name, {"eps": str(r)}))})


def exact(name: str, rate: float) -> Correlated | None:
    """From the law of the iterates, and of IASG from that of means over a pass of them."""
    chain = "sgd" if name == "iasg" else name
    found = law(chain, problem(chain, rate), average=PASS if name == "iasg" else None)
    if not found.stable:
        return None
    assert found.autocorrelation_time is not None
    variance = float(found.covariance["theta", "theta"][0, 0])
    total = float(found.autocorrelation_time[0]) * variance
    if found.average is None:
        return Correlated(variance, total, 1)
    return Correlated(float(found.average.covariance[0, 0]), total / PASS, PASS)


@dataclass(frozen=True, eq=False)
class Lags:
    """Autocovariances of samples at lags 0, 1, ..., as many as hold nearly all of their sum."""

    exact: Array
    begin: int  # the step of the first sample that is recorded

    @property
    def partial(self) -> float:
        """Their sum over these lags, both ways."""
        return float(2 * self.exact.sum() - self.exact[0])


def lags(name: str, rate: float) -> Lags:
    """By powers of the step's matrices; those of means are weighted sums over pairs of iterates."""
    chain = "sgd" if name == "iasg" else name
    what = problem(chain, rate)
    setting = Run(registry.sampler(chain), what.model)
    modes = modes_of(mode_form(setting), what.values(setting.sampler))
    blocks = solve(modes.M(), modes.Q(), "discrete")
    radius = float(np.abs(np.linalg.eigvals(modes.M())).max())
    count = math.ceil(math.log(_LEFT) / math.log(radius))
    settled = math.ceil(math.log(_RISE) / (2 * math.log(radius)))
    if name != "iasg":
        each = [autocovariance(modes, blocks, k)[0, 0] for k in range(count + 1)]
        return Lags(np.array(each), max(settled, count + 1))
    windows = math.ceil(count / PASS) + 1
    plain = np.array([autocovariance(modes, blocks, k)[0, 0] for k in range((windows + 1) * PASS)])
    apart = np.arange(1 - PASS, PASS)
    weights = (PASS - abs(apart)) / PASS**2
    means = [float(weights @ plain[abs(k * PASS + apart)]) for k in range(windows + 1)]
    return Lags(np.array(means), (math.ceil(settled / PASS) + windows + 1) * PASS)


def _measured(
    job: Job, name: str, rates: Sequence[float], seed: int, many: int
) -> list[tuple[Amount, Amount]]:
    return [
        measured(job, problem(name, r), name, lags(name, r), seed + 100 * j, many)
        for j, r in enumerate(rates)
    ]


def measured(
    job: Job, what: Problem, name: str, lag: Lags, seed: int, many: int
) -> tuple[Amount, Amount]:
    """The correlation time in samples and the long-run variance, from products over lags.

    The sum over recorded lags and the variance have no bias. Their quotient would have one; so it is
    taken to first order about the exact values, which differs from it by far less than the interval.
    """
    setting = Run(registry.sampler(name), what.model)
    values = what.values(setting.sampler)
    state, gap = ("m", PASS) if name == "iasg" else ("theta", 1)
    products = tuple((Factor(state), Factor(state, 0, k * gap)) for k in range(len(lag.exact)))
    last = lag.begin + gap * (job.size("samples") // gap)
    record = Recording(products, lag.begin, last, gap)
    middle = np.zeros(len(setting.sampler.state) * what.D)
    time = lag.partial / lag.exact[0]
    times, totals = [], []
    for k in range(BATCHES):
        found = simulate(
            setting, values, chains=job.size("chains") // BATCHES, steps=last, device=job.device,
            seed=(seed + k) % 2**32, centre=middle, record=(record,),
        )  # fmt: skip
        each = found.recorded[0].mean
        total = float(2 * each.sum() - each[0])
        totals.append(total)
        times.append(time + (total - time * float(each[0])) / lag.exact[0])
    return interval(times, many), interval(totals, many)


def agreed(name: str, rate: float, pair: tuple[Amount, Amount]) -> tuple[Agreement, Agreement]:
    """Both against the exact sums over the same lags."""
    lag, label = lags(name, rate), SAMPLERS[name]
    time = lag.partial / float(lag.exact[0])
    return (
        Agreement(f"{label} at {rate:g}, correlation time in samples", pair[0],
                  Amount(time, 1e-6 * time, "certified")),
        Agreement(f"{label} at {rate:g}, sum of autocovariances", pair[1],
                  Amount(lag.partial, 1e-6 * lag.partial, "certified")),
    )  # fmt: skip


_NOTES = (
    "A sample is an iterate; of IASG it is the mean over a window of one pass, 20 steps. The correlation"
    " time is the sum of a sample's correlations with all others; a pass of so many samples divided by"
    " it is the first figure.",
    "Worth: how many independent samples of the posterior have a mean as precise as the mean over a"
    " pass. Here C = A (Assumption 5), for which section 6.2 has one sample to N gradients as the least"
    " cost. For SGD, momentum and IASG it is exactly one at every step, and their lines are one line;"
    " SGLD's injected noise only adds.",
    "A chain can have more than one effective sample of its own law to a pass: of a law that is wider"
    " than the posterior.",
    "The learning rate is what the mean gradient is multiplied by in the long run: eps of SGD and IASG,"
    " eps/mu of momentum (mu = 1/10), N eps/2 of SGLD.",
    "Measured: products over lags, recorded at every step (of IASG at every window) once chains are"
    " stationary to a part in 10^9, and held against the exact sum over the same lags, of which all"
    " that is left out is less than a part in 10^3.",
)

EXPERIMENT = Experiment(
    name="new.effective_samples",
    paper="",
    locator="",
    title="Effective samples for each pass, against the step and the limit of one",
    settings=(
        Setting("problem", "", "", "two dimensions, C = A, N = 200, S = 10"),
        Setting("window of IASG", "N/S", "Mandt et al. 2017, section 6.2"),
        Setting("limit", "N gradients to a sample", "Mandt et al. 2017, section 6.2"),
    ),
    scales={
        LAPTOP: {"curve": 40, "measured": 4, "least": 0.08, "chains": 8_192, "samples": 512},
        PAPER: {"curve": 80, "measured": 8, "least": 0.02, "chains": 65_536, "samples": 2_048},
    },
    changed="fewer chains, steps and points.",
    run=run,
)
